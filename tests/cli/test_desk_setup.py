"""`desk --setup` as a person uses it: at a terminal, with keys of a venue that is a simulated exchange underneath."""

import hashlib
import json
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

import pytest

from exchange_mcp.config.secret import Secret
from exchange_mcp.desk.approver_keys import read_key_file, unlock
from exchange_mcp.desk.enrolling import registered
from exchange_mcp.desk.settings import DeskSettings, load_settings
from exchange_mcp.rules.venues import check_account
from secret_forms import forms
from serving import Sim

from .launching import environment
from .terminal import CTRL_C, Terminal, at_terminal
from .test_init import AS_IF_LIVE, key_of, type_key

PASSPHRASE: Final = "nine grey geese & 1 fox"
CONFIG: Final = ".config/exchange-mcp"
STATE: Final = ".local/state/exchange-mcp/desk"
KEYS: Final = (f"{CONFIG}/keys/main.desk.api_key", f"{CONFIG}/keys/main.desk.secret")

Started = Callable[..., AbstractContextManager[Terminal]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty home, whose name leaves room for the path of a socket or not, as the machine has it."""
    home = tmp_path / "h"
    home.mkdir()
    return home


@pytest.fixture
def started(sim: Sim, home: Path, tmp_path: Path) -> Started:
    """Starts the setup at a terminal, where Binance's hosts are the simulated exchange."""

    def start(*arguments: str) -> AbstractContextManager[Terminal]:
        program = [
            sys.executable,
            AS_IF_LIVE,
            str(sim.rendezvous),
            str(tmp_path),
            "desk",
            "--setup",
            *arguments,
        ]
        return at_terminal(program, environment(home))

    return start


def contents(home: Path) -> dict[str, bytes]:
    """Every file of this home, with what is in it, but for what SQLite keeps beside a database while it is read."""
    files = (path for path in home.rglob("*") if path.is_file() and not path.name.endswith(("-shm", "-wal")))
    return {path.relative_to(home).as_posix(): path.read_bytes() for path in files}


def settings_of(home: Path) -> DeskSettings:
    return load_settings(home / CONFIG / "desk.toml", check=check_account, environ={"HOME": str(home)})


def up_to_the_key(terminal: Terminal) -> None:
    terminal.answer("Venue (binance)", "")
    terminal.answer("Environment", "live")
    terminal.answer("Name of the account", "")
    terminal.answer("Market types", "")
    terminal.answer("Where the key is kept", "")


def answer_limits(terminal: Terminal) -> None:
    terminal.answer("Another account", "")
    terminal.answer("Markets", "BTC/USDT BTC/USDT:USDT")
    terminal.answer("Amounts are in", "")
    terminal.answer("At most an order", "200")
    terminal.answer("At most in 24 hours", "150")
    assert "less than one order may be worth, 200" in terminal.answer("At most in 24 hours", "")
    terminal.answer("Leverage at most", "")
    terminal.answer("Loss at most", "")


def choose_a_passphrase(terminal: Terminal) -> None:
    terminal.answer("Name of the first approver", "alice")
    terminal.answer("A passphrase for alice's key", PASSPHRASE)
    terminal.answer("The same once more", PASSPHRASE)


def processes_under(pid: int) -> Iterator[Path]:
    """This process and what it started, as directories of /proc."""
    yield Path(f"/proc/{pid}")
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split():
        yield from processes_under(int(child))


def test_a_desk_is_set_up_from_a_key_to_what_is_to_be_started_and_no_secret_is_where_it_does_not_belong(
    started: Started, sim: Sim, home: Path
) -> None:
    withdrawer, trader = key_of(sim, "withdrawer"), key_of(sim, "trader")
    with started() as terminal:
        up_to_the_key(terminal)
        type_key(terminal, withdrawer)
        refusal = terminal.answer("Try again", "")
        assert contents(home) == {}
        type_key(terminal, trader)
        answer_limits(terminal)
        choose_a_passphrase(terminal)
        terminal.until("Name of the client")
        ran = [
            (process / name).read_bytes()
            for process in processes_under(terminal.process.pid)
            for name in ("cmdline", "environ")
        ]
        terminal.answer("", "")
        terminal.answer("What it may propose with", "")
        terminal.rest()
    assert terminal.process.returncode == 0, terminal.shown

    assert "main (live): refused for desk\n- desk does not run on a key that can withdraw\n" in refusal
    assert 'untick "Enable Withdrawals"' in refusal

    kept = contents(home)
    for secret, places in (
        (PASSPHRASE, set[str]()),
        (trader[0], {KEYS[0]}),
        (trader[1], {KEYS[1]}),
        *((part, set[str]()) for part in withdrawer),
    ):
        for form in forms(secret):
            assert {name for name, content in kept.items() if form in content} <= places
            assert form not in terminal.shown.encode()
            assert not [content for content in ran if form in content]
    assert [kept[name].decode() for name in KEYS] == [*trader]
    credential = kept[f"{CONFIG}/clients/serve.credential"].decode()
    assert credential not in terminal.shown

    for name in (
        *KEYS,
        f"{CONFIG}/desk.toml",
        f"{CONFIG}/approvers/alice.approver.json",
        f"{CONFIG}/clients/serve.credential",
    ):
        assert stat.S_IMODE((home / name).stat().st_mode) == 0o600, name
        assert stat.S_IMODE((home / name).parent.stat().st_mode) == 0o700, name

    settings = settings_of(home)
    (account,) = settings.accounts
    assert (account.config.account.name, account.config.account.environment) == ("main", "live")
    limits = settings.policy.desk
    assert (limits.max_order_notional, limits.max_daily_notional, limits.max_leverage) == (200, 1000, 1)
    assert limits.max_daily_loss == 100
    assert not settings.has_scripted_approver

    known = registered(home / STATE / "journal.db")
    key = read_key_file(home / CONFIG / "approvers" / "alice.approver.json")
    assert [(each.name, each.kind, each.public) for each in known.approvers] == [
        ("alice", "ed25519", key.public)
    ]
    assert unlock(key.path, Secret(PASSPHRASE)).public == key.public
    assert [each.credential_sha256 for each in known.clients] == [
        hashlib.sha256(credential.encode()).hexdigest()
    ]
    assert known.configuration is not None
    assert known.configuration.digest == settings.digest


def test_an_interrupted_setup_goes_on_where_it_was_and_a_finished_one_changes_nothing(
    started: Started, sim: Sim, home: Path
) -> None:
    with started() as terminal:
        up_to_the_key(terminal)
        type_key(terminal, key_of(sim, "trader"))
        terminal.until("Another account")
        terminal.press(CTRL_C)
        terminal.rest()
    assert not (home / CONFIG / "desk.toml").exists()

    with started() as terminal:
        terminal.until("Going on with what was begun. Its accounts: main.")
        answer_limits(terminal)
        terminal.answer("Name of the first approver", "alice")
        terminal.until("A passphrase for alice's key")
        terminal.press(CTRL_C)
        terminal.rest()
    written = (home / CONFIG / "desk.toml").read_bytes()

    with started() as terminal:
        terminal.until("desk.toml is there and is used as it stands:")
        choose_a_passphrase(terminal)
        terminal.until("Name of the client")
        terminal.press(CTRL_C)
        terminal.rest()
    assert not registered(home / STATE / "journal.db").had_approver

    with started() as terminal:
        terminal.until("The key of approver alice is there and is used")
        terminal.answer("Passphrase of alice's key", PASSPHRASE)
        terminal.answer("Name of the client", "")
        terminal.answer("What it may propose with", "place_order")
        terminal.until("Enrolled: approver alice, client assistant")
        terminal.rest()
    assert terminal.process.returncode == 0
    finished = contents(home)
    assert finished[f"{CONFIG}/desk.toml"] == written
    assert not [name for name in finished if name.endswith(".setup")]

    with started() as terminal:
        terminal.until("This desk is set up, and nothing was changed.")
        shown = terminal.rest()
    assert terminal.process.returncode == 0
    assert "approver alice (ed25519)" in shown
    allowed = registered(home / STATE / "journal.db").allowances
    assert [(each.client, each.tool, each.is_allowed) for each in allowed] == [
        ("assistant", "place_order", True)
    ]
    assert contents(home) == finished


def test_a_key_that_moves_money_is_taken_only_for_a_reason_that_is_written_down(
    started: Started, sim: Sim, home: Path
) -> None:
    # https://developers.binance.com/docs/wallet/account/api-key-permission
    granted = ("ipRestrict", "enableReading", "enableFutures", "permitsUniversalTransfer")
    denied = ("enableWithdrawals", "enableInternalTransfer", "enableMargin", "enableVanillaOptions")
    others = (
        "enableSpotAndMarginTrading",
        "enablePortfolioMarginTrading",
        "enableFixApiTrade",
        "enableFixReadOnly",
    )
    answer = {"createTime": 1, **dict.fromkeys(granted, True), **dict.fromkeys((*denied, *others), False)}
    sim.fail(kind="status", status=200, body=json.dumps(answer), path="/sapi/v1/account/apiRestrictions")
    try:
        with started() as terminal:
            up_to_the_key(terminal)
            type_key(terminal, key_of(sim, "trader"))
            refusal = terminal.answer("To use it although it moves money", "margin is moved by itself")
            answer_limits(terminal)
            terminal.until("Name of the first approver")
            terminal.press(CTRL_C)
            terminal.rest()
    finally:
        sim.heal()
    assert "desk does not run on a key that can transfer" in refusal
    (account,) = settings_of(home).accounts
    assert account.may_transfer == "margin is moved by itself"


def test_without_a_terminal_nothing_is_asked_and_nothing_written(home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "exchange_mcp", "desk", "--setup"],
        env=environment(home),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "there is no terminal to ask at; say everything with options, and --yes" in done.stderr
    assert list(home.iterdir()) == []
