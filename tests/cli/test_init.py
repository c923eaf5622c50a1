"""`init` as a person uses it: at a terminal, with a key of a venue that is a simulated exchange underneath."""

import json
import stat
import sys
import tomllib
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final

import pytest

from exchange_mcp.config.credentials import resolve_credentials
from exchange_mcp.config.redaction import Redactor
from exchange_mcp.config.serve import load_serve
from exchange_mcp.rules.venues import check_account
from serving import PROGRAM, Sim

from .launching import environment, ran
from .terminal import CTRL_C, CTRL_D, Terminal, at_terminal

AS_IF_LIVE: Final = str(Path(__file__).with_name("as_if_live.py"))

Started = Callable[..., AbstractContextManager[Terminal]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with what people call their directories."""
    home = tmp_path / 'a home with spaces, "quotes" and \U0001f600'
    home.mkdir()
    return home


@pytest.fixture
def started(sim: Sim, home: Path, tmp_path: Path) -> Started:
    """Starts `init` at a terminal, where Binance's hosts are the simulated exchange."""

    def start(*arguments: str, **variables: str) -> AbstractContextManager[Terminal]:
        program = [sys.executable, AS_IF_LIVE, str(sim.rendezvous), str(tmp_path), "init", *arguments]
        return at_terminal(program, environment(home, **variables))

    return start


def key_of(sim: Sim, label: str) -> tuple[str, str]:
    """API key and secret of a key of the simulated exchange."""
    key = sim.published()["keys"][label]
    return key["api_key"], key["secret"]


def up_to_the_key(terminal: Terminal, *, name: str = "") -> None:
    """Answer what comes before the key, with the defaults where there is one."""
    terminal.answer("Venue (", "binance")
    terminal.answer("Environment", "")
    terminal.answer("Read your account", "")
    terminal.answer("Name of the account", name)
    terminal.answer("Market types", "")
    terminal.answer("Where the key is kept", "")


def type_key(terminal: Terminal, key: tuple[str, str]) -> None:
    """Type both parts of a key."""
    terminal.answer("API key (not shown)", key[0])
    terminal.answer("Secret (not shown)", key[1])


def files(home: Path) -> dict[str, str]:
    """Every file of this home, with what is in it."""
    return {
        path.relative_to(home).as_posix(): path.read_text(encoding="utf-8")
        for path in home.rglob("*")
        if path.is_file()
    }


def pasted(shown: str) -> dict[str, Any]:
    """The one server of the JSON that is to be pasted."""
    document = json.loads(shown[shown.index("\n{\n") : shown.rindex("\n}") + 2])
    (server,) = document["mcpServers"].values()
    return server


CONFIG: Final = ".config/exchange-mcp/serve.toml"
KEYS: Final = (".config/exchange-mcp/keys/main.api_key", ".config/exchange-mcp/keys/main.secret")


def test_an_account_is_set_up_and_the_secret_is_in_the_file_for_its_owner_and_nowhere_else(
    started: Started, sim: Sim, home: Path
) -> None:
    key = key_of(sim, "reader")
    with started() as terminal:
        up_to_the_key(terminal)
        terminal.answer("API key (not shown)", key[0])
        arguments = Path(f"/proc/{terminal.process.pid}/cmdline").read_bytes()
        terminal.answer("Secret (not shown)", key[1])
        shown = terminal.rest()
    assert terminal.process.returncode == 0, terminal.shown
    assert "main (live): accepted for serve" in shown
    assert not [part for part in key if part in terminal.shown or part.encode() in arguments]
    kept = files(home)
    assert {name for name, content in kept.items() if any(part in content for part in key)} == set(KEYS)
    assert tuple(kept[name] for name in KEYS) == key
    for name in KEYS:
        assert stat.S_IMODE((home / name).stat().st_mode) == 0o600
        assert stat.S_IMODE((home / name).parent.stat().st_mode) == 0o700
    config = load_serve(home / CONFIG, check=check_account, environ={"HOME": str(home)})
    (account,) = config.accounts
    assert (account.account.name, account.account.environment) == ("main", "live")
    credentials = resolve_credentials(account, environ={}, redactor=Redactor())
    assert credentials is not None
    assert (credentials.api_key.reveal(), credentials.secret.reveal()) == key


def test_it_says_which_boxes_to_tick_and_which_not(started: Started) -> None:
    with started() as terminal:
        up_to_the_key(terminal)
        terminal.until("API key (not shown): ")
        terminal.press(CTRL_C)
        terminal.rest()
    assert "  [x] Enable Reading\n" in terminal.shown
    for box in ("Enable Spot & Margin Trading", "Enable Futures", "Enable Withdrawals", "Permits Universal"):
        assert f"  [ ] {box}" in terminal.shown


def test_a_key_that_can_trade_is_refused_with_the_remedy_and_another_one_is_asked_for(
    started: Started, sim: Sim, home: Path
) -> None:
    with started() as terminal:
        up_to_the_key(terminal)
        type_key(terminal, key_of(sim, "trader"))
        refusal = terminal.answer("Try again", "")
        assert files(home) == {}
        type_key(terminal, key_of(sim, "reader"))
        terminal.rest()
    assert terminal.process.returncode == 0
    assert "main (live): refused for serve\n- serve does not run on a key that can trade\n" in refusal
    assert 'At Binance, under API Management, untick "Enable Spot & Margin Trading"' in refusal
    assert files(home)[KEYS[0]] == key_of(sim, "reader")[0]


def test_a_refused_key_that_is_not_replaced_is_written_nowhere(
    started: Started, sim: Sim, home: Path
) -> None:
    with started() as terminal:
        up_to_the_key(terminal)
        type_key(terminal, key_of(sim, "withdrawer"))
        terminal.answer("Try again", "n")
        assert terminal.rest().splitlines()[-1] == "Error: nothing was written"
    assert terminal.process.returncode == 1
    assert files(home) == {}


def test_a_key_that_the_venue_does_not_know_is_no_unknown_scope_to_be_accepted_by_name(
    started: Started, home: Path
) -> None:
    with started() as terminal:
        up_to_the_key(terminal)
        type_key(terminal, ("a" * 64, "b" * 64))
        refusal = terminal.answer("Try again", "n")
        terminal.rest()
    assert "main (live): refused for serve\n- binance" in refusal
    assert "To use it all the same" not in terminal.shown
    assert files(home) == {}


def test_what_a_venue_does_not_tell_can_be_accepted_with_a_reason_that_is_written_down(
    started: Started, sim: Sim, home: Path
) -> None:
    sim.fail(kind="status", status=200, body="{}", path="/sapi/v1/account/apiRestrictions")
    try:
        with started() as terminal:
            up_to_the_key(terminal)
            type_key(terminal, key_of(sim, "reader"))
            terminal.answer("To use it all the same", "short")
            terminal.answer("To use it all the same", "a new key, boxes seen")
            terminal.rest()
    finally:
        sim.heal()
    assert terminal.process.returncode == 0, terminal.shown
    account = tomllib.loads(files(home)[CONFIG])["accounts"]["main"]
    assert account["accept_unverified"] == "a new key, boxes seen"


def test_a_venue_that_says_nothing_is_not_taken_for_a_yes(started: Started, sim: Sim, home: Path) -> None:
    sim.fail(kind="close", path="/sapi/v1/account/apiRestrictions")
    try:
        with started() as terminal:
            up_to_the_key(terminal)
            type_key(terminal, key_of(sim, "reader"))
            said = terminal.answer("Try again", "n")
            terminal.rest()
    finally:
        sim.heal()
    assert "the venue did not say what the key may do" in said
    assert files(home) == {}


@pytest.mark.parametrize(
    "question", ["Name of the account", "API key (not shown)", "Secret (not shown)", "Try"]
)
@pytest.mark.parametrize("keys", [CTRL_C, CTRL_D])
def test_an_interruption_leaves_nothing_and_a_terminal_that_shows_what_is_typed(
    question: str, keys: str, started: Started, sim: Sim, home: Path
) -> None:
    with started("--venue", "binance", "--environment", "live", "--market-types", "spot") as terminal:
        for asked, line in (
            ("Read your account", ""),
            ("Name of the account", ""),
            ("Where the key is kept", ""),
            ("API key (not shown)", key_of(sim, "trader")[0]),
            ("Secret (not shown)", key_of(sim, "trader")[1]),
        ):
            if asked == question:
                break
            terminal.answer(asked, line)
        terminal.until(question)
        terminal.until(": ")
        assert terminal.echoes() == ("not shown" not in question)
        terminal.press(keys)
        said = terminal.rest()
        assert terminal.echoes()
    assert said.splitlines()[-1] == "Aborted!"
    assert terminal.process.returncode == 1
    assert files(home) == {}


def test_an_interruption_while_the_venue_is_asked_leaves_nothing(
    started: Started, sim: Sim, home: Path
) -> None:
    sim.fail(kind="hang", path="/sapi/v1/account/apiRestrictions")
    try:
        with started() as terminal:
            up_to_the_key(terminal)
            type_key(terminal, key_of(sim, "reader"))
            terminal.until("Asking binance")
            terminal.press(CTRL_C)
            said = terminal.rest()
    finally:
        sim.heal()
    assert terminal.process.returncode == 1
    assert said.splitlines()[-1] == "Aborted!"
    assert "Traceback" not in said
    assert files(home) == {}


def test_a_file_that_another_run_wrote_meanwhile_keeps_its_account_and_its_secrets(
    started: Started, sim: Sim, home: Path
) -> None:
    theirs = '[accounts.main]\nvenue = "kraken"\nenvironment = "live"\n'
    with started() as terminal:
        up_to_the_key(terminal)
        terminal.until("API key (not shown): ")
        (home / CONFIG).parent.mkdir(parents=True)
        (home / CONFIG).write_text(theirs, encoding="utf-8")
        terminal.press(key_of(sim, "reader")[0] + "\n")
        terminal.answer("Secret (not shown)", key_of(sim, "reader")[1])
        said = terminal.rest()
    assert terminal.process.returncode == 2
    assert said.splitlines()[-1] == f"{home / CONFIG}: was changed meanwhile; run init again"
    assert files(home) == {CONFIG: theirs}


def test_a_second_run_goes_on_from_the_secrets_that_are_there(started: Started, sim: Sim, home: Path) -> None:
    key = key_of(sim, "reader")
    (home / KEYS[0]).parent.mkdir(parents=True)
    (home / KEYS[0]).write_text(key[0], encoding="utf-8")
    (home / KEYS[0]).chmod(0o600)
    with started() as terminal:
        up_to_the_key(terminal)
        said = terminal.answer("Secret (not shown)", key[1])
        terminal.rest()
    assert terminal.process.returncode == 0, terminal.shown
    assert f"API key: file {home / KEYS[0]} is there and is used." in said
    assert tuple(files(home)[name] for name in KEYS) == key


def test_a_second_account_goes_to_the_end_of_a_file_that_stays_as_it_was(
    started: Started, sim: Sim, home: Path
) -> None:
    before = (
        '# mine\nclient = "x"   # stays\n\n[accounts.main]  # and this\nvenue="kraken"\nenvironment =  "live"'
    )
    (home / CONFIG).parent.mkdir(parents=True)
    (home / CONFIG).write_text(before, encoding="utf-8")
    (home / CONFIG).chmod(0o640)
    with started() as terminal:
        terminal.until("Its accounts: main.")
        terminal.answer("Venue (", "binanze")
        assert 'did you mean "binance"?' in terminal.answer("Venue (", "binance")
        terminal.answer("Environment", "sandbx")
        terminal.answer("Environment", "live")
        terminal.answer("Read your account", "")
        terminal.answer("Name of the account", "main")
        assert 'there is an account "main"' in terminal.answer("Name of the account", "")
        terminal.answer("Market types", "spot linear")
        terminal.answer("Where the key is kept", "")
        type_key(terminal, key_of(sim, "reader"))
        terminal.rest()
    after = (home / CONFIG).read_text(encoding="utf-8")
    assert after.startswith(before + "\n\n[accounts.binance]\n")
    assert stat.S_IMODE((home / CONFIG).stat().st_mode) == 0o640
    config = load_serve(home / CONFIG, check=check_account, environ={"HOME": str(home)})
    assert [account.account.name for account in config.accounts] == ["main", "binance"]


def test_the_simulated_exchange_is_an_account_without_a_secret_to_type(sim: Sim, home: Path) -> None:
    program = [*PROGRAM, "init", "--rendezvous", str(sim.rendezvous)]
    with at_terminal(program, environment(home)) as terminal:
        terminal.answer("Venue (", "binance")
        terminal.answer("Environment", "sim")
        terminal.answer("Read your account", "")
        terminal.answer("Name of the account", "")
        terminal.answer("Market types", "")
        terminal.answer("Which key of the simulated exchange (reader, trader", "trader")
        assert "refused for serve" in terminal.answer("Try again", "")
        terminal.answer("Which key of the simulated exchange", "reader")
        shown = terminal.rest()
    assert terminal.process.returncode == 0, terminal.shown
    assert set(files(home)) == {CONFIG}
    assert tomllib.loads(files(home)[CONFIG])["accounts"]["main"]["sim_key"] == "reader"
    server = pasted(shown)
    done = ran(*server["args"][3:], environ=environment(home))
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_market_data_only_is_a_choice_and_asks_nobody(home: Path) -> None:
    with at_terminal([*PROGRAM, "init"], environment(home)) as terminal:
        terminal.answer("Venue (", "binance")
        terminal.answer("Environment", "")
        terminal.answer("Read your account", "none")
        terminal.answer("Name of the account", "")
        terminal.answer("Market types", "spot,linear")
        terminal.rest()
    assert terminal.process.returncode == 0
    assert "Asking" not in terminal.shown
    assert "key" not in tomllib.loads(files(home)[CONFIG])["accounts"]["main"]


@pytest.fixture
def linked(home: Path, tmp_path: Path) -> Generator[Path]:
    """A serve.toml that is a link into a directory of its owner's dot files."""
    real = tmp_path / "dotfiles" / "serve.toml"
    real.parent.mkdir()
    real.write_text('[accounts.one]\nvenue = "kraken"\nenvironment = "live"\n', encoding="utf-8")
    (home / CONFIG).parent.mkdir(parents=True)
    (home / CONFIG).symlink_to(real)
    yield real
    assert (home / CONFIG).readlink() == real


def test_a_link_stays_a_link_and_what_it_points_to_gets_the_account(linked: Path, home: Path) -> None:
    done = ran("init", "--yes", "--venue", "kraken", "--no-key", environ=environment(home))
    assert done.returncode == 0, done.stderr
    assert list(tomllib.loads(linked.read_text(encoding="utf-8"))["accounts"]) == ["one", "main"]
