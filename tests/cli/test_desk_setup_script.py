"""`desk --setup --yes`: everything is said beforehand; a desk of the simulated exchange needs nothing said at all."""

import base64
import hashlib
import json
import socket
from pathlib import Path
from typing import Final

import pytest
from click.testing import Result

from exchange_mcp.cli.asking import Script
from exchange_mcp.cli.desk_console import console_port
from exchange_mcp.config.desk_tables import MOST_SOCKET_BYTES
from exchange_mcp.config.owner_only import make_owner_only
from exchange_mcp.config.serve import load_serve
from exchange_mcp.desk.approver_keys import load_scripted
from exchange_mcp.desk.enrolling import registered
from exchange_mcp.desk.locks import ProcessLock
from exchange_mcp.rules.venues import check_account
from serving import PROGRAM, Sim

from .launching import asked, environment, ran
from .test_desk_setup import CONFIG, STATE, contents, settings_of
from .test_init import key_of

SCRIPT: Final = f"{CONFIG}/approvers/script.approver.json"
CREDENTIAL: Final = f"{CONFIG}/clients/serve.credential"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty home."""
    home = tmp_path / "h"
    home.mkdir()
    return home


def options(sim: Sim) -> tuple[str, ...]:
    return ("desk", "--setup", "--sim", "--yes", "--rendezvous", str(sim.rendezvous))


def simulated(sim: Sim, home: Path, *more: str) -> Result:
    """A desk of the simulated exchange, set up without a question."""
    return asked(*options(sim), *more, environ=environment(home))


def test_a_simulated_desk_has_a_scripted_approver_and_a_client_and_is_accepted(sim: Sim, home: Path) -> None:
    done = simulated(sim, home)
    assert done.exit_code == 0, done.stderr
    settings = settings_of(home)
    assert settings.has_scripted_approver
    (account,) = settings.accounts
    assert account.config.sim is not None
    assert (account.config.sim.rendezvous, account.config.sim.key_label) == (sim.rendezvous, "trader")
    known = registered(home / STATE / "journal.db")
    key = load_scripted(home / SCRIPT)
    assert [(each.name, each.kind, each.public) for each in known.approvers] == [
        ("script", "scripted", key.public)
    ]
    assert [each.name for each in known.clients] == ["assistant"]
    assert {each.tool for each in known.allowances if each.is_allowed} == {
        "place_order",
        "cancel_order",
        "set_leverage",
    }
    assert known.configuration is not None
    assert (known.configuration.digest, known.configuration.text) == (settings.digest, settings.text)


def test_a_simulated_desk_has_room_for_an_order_beside_those_that_the_account_has(
    sim: Sim, home: Path
) -> None:
    assert simulated(sim, home).exit_code == 0
    limits = settings_of(home).policy.desk
    published = sim.control.get("/__sim/orders", params={"account": "main"}).raise_for_status().json()
    resting = [order for order in published["orders"] if order["status"] in {"NEW", "PARTIALLY_FILLED"}]
    assert resting
    assert limits.max_open_orders is not None
    assert limits.max_open_orders > 2 * len(resting)
    assert limits.max_orders_per_minute is not None
    assert limits.max_orders_per_minute > 10


def test_the_credential_is_32_random_bytes_and_neither_it_nor_a_key_is_said(sim: Sim, home: Path) -> None:
    done = simulated(sim, home)
    credential = contents(home)[CREDENTIAL].decode()
    assert len(base64.urlsafe_b64decode(credential.removeprefix("xmcp_") + "=")) == 32
    private = json.loads(contents(home)[SCRIPT])["private"]
    said = done.stdout + done.stderr
    assert not [secret for secret in (credential, private, *key_of(sim, "trader")) if secret in said]


def test_standard_output_is_what_serve_needs_and_nothing_else(sim: Sim, home: Path) -> None:
    lines = simulated(sim, home).stdout.splitlines()
    path = settings_of(home).proposal_socket
    written = f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)
    assert lines[:8] == [
        'client = "assistant"   # above every table',
        "",
        "[desk]",
        f'socket = "{written}"',
        'tools = ["place_order", "cancel_order", "set_leverage"]',
        "",
        "[desk.credentials]",
        'assistant = { file = "~/.config/exchange-mcp/clients/serve.credential" }',
    ]
    assert 'sim_key = "reader"' in lines


def test_the_lines_are_a_serve_toml_that_proposes_to_this_desk_with_the_credential_it_knows(
    sim: Sim, home: Path
) -> None:
    path = home / CONFIG / "serve.toml"
    path.write_text(simulated(sim, home).stdout, encoding="utf-8")
    serve = load_serve(path, check=check_account, environ={"HOME": str(home)})
    assert serve.desk is not None
    assert serve.desk.socket == settings_of(home).proposal_socket
    assert serve.desk.credentials[serve.client].file == home / CREDENTIAL
    (client,) = registered(home / STATE / "journal.db").clients
    assert client.credential_sha256 == hashlib.sha256((home / CREDENTIAL).read_bytes()).hexdigest()
    assert [each.account.name for each in serve.accounts] == ["main"]


def test_what_is_said_holds_no_part_of_a_question_that_nobody_was_asked(sim: Sim, home: Path) -> None:
    done = simulated(sim, home)
    said = done.stderr.splitlines()
    assert "Account main can be traded." in said
    assert not [line for line in said if "Ctrl-C" in line or line.startswith(("The limits.", "  The asset"))]
    assert "passphrase" not in done.stderr  # a scripted key has none


def test_the_console_gets_the_port_that_was_said(sim: Sim, home: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    assert simulated(sim, home, "--console-port", str(port)).exit_code == 0
    assert settings_of(home).console_port == port


def test_a_port_that_is_in_use_is_no_port_of_a_console(sim: Sim, home: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = simulated(sim, home, "--console-port", str(port))
    assert done.exit_code == 2
    assert f"--console-port: port {port} is in use on this machine" in done.stderr
    assert not (home / CONFIG / "desk.toml").exists()


def test_where_the_usual_port_is_taken_the_console_gets_the_next_that_is_free(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asker = Script(reads_secrets=False)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        usual: int = taken.getsockname()[1]
        port = console_port(asker, None, usual=usual)
    assert port is not None
    assert port > usual
    assert f"Port {usual}, the usual one of the page to decide on, is in use" in capsys.readouterr().err
    assert console_port(asker, None, usual=usual) is None  # the file need not say it


def test_a_second_run_says_what_is_there_and_changes_nothing(sim: Sim, home: Path) -> None:
    first = simulated(sim, home)
    before = contents(home)
    second = simulated(sim, home)
    assert second.exit_code == 0
    assert "This desk is set up, and nothing was changed." in second.stderr
    assert second.stdout == first.stdout
    assert contents(home) == before


def test_options_that_come_too_late_are_named(sim: Sim, home: Path) -> None:
    simulated(sim, home)
    before = contents(home)
    done = simulated(sim, home, "--max-order", "1", "--console-port", "18767", "--client", "x")
    assert (
        "What was said with --max-order, --console-port changes nothing of it: edit the file." in done.stderr
    )
    assert contents(home) == before


def test_an_edited_file_is_told_apart_from_the_one_that_was_accepted(sim: Sim, home: Path) -> None:
    simulated(sim, home)
    path = home / CONFIG / "desk.toml"
    path.write_text(path.read_text(encoding="utf-8") + "# mine\n", encoding="utf-8")
    accepted = registered(home / STATE / "journal.db").configuration
    done = simulated(sim, home)
    assert "is not what was accepted last" in done.stderr
    assert "exchange-mcp desk accept" in done.stderr
    assert registered(home / STATE / "journal.db").configuration == accepted


def test_a_key_that_can_withdraw_is_refused_with_the_remedy_and_nothing_is_written(
    sim: Sim, home: Path
) -> None:
    done = simulated(sim, home, "--sim-key", "withdrawer")
    assert done.exit_code == 1
    assert "desk does not run on a key that can withdraw" in done.stderr
    assert 'untick "Enable Withdrawals"' in done.stderr
    assert contents(home) == {}


def test_without_the_simulated_exchange_it_says_how_to_start_it(home: Path) -> None:
    done = asked("desk", "--setup", "--sim", "--yes", environ=environment(home))
    assert done.exit_code == 2
    assert "start the simulated exchange: exchange-mcp sim" in done.stderr
    assert contents(home) == {}


def test_a_desk_that_runs_keeps_its_journal_and_the_setup_goes_on_once_it_stopped(
    sim: Sim, home: Path
) -> None:
    make_owner_only(home / STATE)
    lock = ProcessLock(home / STATE / "journal.db.lock", "the journal")
    held = ran(*options(sim), environ=environment(home))
    assert held.returncode == 1
    assert "Stop the other desk first" in held.stderr
    lock.release()
    before = contents(home)
    assert simulated(sim, home).exit_code == 0
    after = contents(home)
    assert {name: after[name] for name in (SCRIPT, CREDENTIAL)} == {
        name: before[name] for name in (SCRIPT, CREDENTIAL)
    }


def test_a_live_desk_needs_a_terminal_for_the_passphrase_whatever_the_script_says(
    sim: Sim, home: Path
) -> None:
    simulated(sim, home)
    path = home / CONFIG / "desk.toml"
    path.write_text(
        path.read_text(encoding="utf-8").replace("scripted_approver = true", "scripted_approver = false"),
        encoding="utf-8",
    )
    for name in (SCRIPT, CREDENTIAL, f"{STATE}/journal.db"):
        (home / name).unlink()
    done = ran(
        "desk", "--setup", "--yes", environ=environment(home), program=("/usr/bin/setsid", "--wait", *PROGRAM)
    )
    assert done.returncode == 1
    assert "there is no terminal to ask for the passphrase at" in done.stderr
    assert not (home / CREDENTIAL).exists()


def test_sockets_get_a_shorter_way_where_the_home_is_a_long_one(sim: Sim, tmp_path: Path) -> None:
    home = tmp_path / ("long" * 20)
    home.mkdir()
    done = simulated(sim, home)
    assert done.exit_code == 0, done.stderr
    settings = settings_of(home)
    for path in (settings.proposal_socket, settings.operator_socket):
        assert len(bytes(path)) <= MOST_SOCKET_BYTES


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--symbols", ""), "--symbols: name at least one, such as BTC/USDT"),
        (("--symbols", "btc/usdt"), "--symbols: a market is written in capitals"),
        (
            ("--symbols", "BTC/USD:BTC"),
            "--symbols: BTC/USD:BTC is a market of type inverse, and no account has those",
        ),
        (("--max-order", "0"), "--max-order: give an amount greater than 0"),
        (
            ("--max-order", "100", "--max-day", "99"),
            "--max-day: that is less than one order may be worth, 100",
        ),
        (("--max-leverage", "1001"), "--max-leverage: give a whole number from 1 to 1000"),
    ],
)
def test_a_limit_that_cannot_be_is_named_and_nothing_is_set_up(
    options: tuple[str, ...], said: str, sim: Sim, home: Path
) -> None:
    done = simulated(sim, home, *options)
    assert done.exit_code == 2
    assert said in done.stderr
    assert not (home / CONFIG / "desk.toml").exists()
