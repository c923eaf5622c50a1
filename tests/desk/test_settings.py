"""What `desk.toml` may say, and what is said of one that says something else."""

import hashlib
import traceback
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Final

import pytest

from exchange_mcp.config.desk_tables import (
    CacheTable,
    ConsoleTable,
    DeskAccountTable,
    DeskFileTable,
    DeskTable,
    KeysTable,
    LogTable,
)
from exchange_mcp.config.faults import ConfigError
from exchange_mcp.desk.settings import DeskSettings, load_settings
from exchange_mcp.policy.document import judge_policy_text
from exchange_mcp.rules.venues import check_account

EXAMPLE: Final = Path(__file__).parents[2] / "config" / "desk.example.toml"
HOME: Final = "/home/operator"
POLICY: Final = """
[policy]
reference = "USDT"
accounts = ["main"]
symbols = ["BTC/USDT"]
order_types = ["limit"]
max_order_notional = 100.50
max_daily_notional = 500
max_price_distance_percent = 1
max_open_orders = 5
max_orders_per_minute = 3
"""
SIM: Final = '[accounts.main]\nvenue = "binance"\nenvironment = "sim"\nsim_key = "trader"\n'
LIVE: Final = (
    '[accounts.main]\nvenue = "binance"\nenvironment = "live"\n'
    'key = { api_key = { env = "DESK_KEY" }, secret = { env = "DESK_SECRET" } }\n'
)
KEYLESS: Final = "has no key, and a desk trades with one; "
SOCKET: Final = "proposals.sock"

Load = Callable[..., DeskSettings]
Complain = Callable[..., list[str]]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Loads a desk.toml of this text."""

    def load_text(text: str, home: str = HOME) -> DeskSettings:
        path = tmp_path / "desk.toml"
        path.write_text(text, encoding="utf-8")
        return load_settings(path, check=check_account, environ={"HOME": home})

    return load_text


@pytest.fixture
def complain(load: Load, tmp_path: Path) -> Complain:
    """What is said of a desk.toml of this text, a line a fault, with the directory left out."""

    def complain_about(text: str, home: str = HOME) -> list[str]:
        with pytest.raises(ConfigError) as caught:
            load(text, home)
        return str(caught.value).replace(f"{tmp_path}/", "").split("\n")

    return complain_about


def test_a_short_file_has_the_defaults_that_are_documented(load: Load) -> None:
    text = SIM + POLICY
    settings = load(text)
    runtime = Path(HOME) / ".local/state/exchange-mcp/run"
    assert settings.proposal_socket == runtime / "desk-proposals/proposals.sock"
    assert settings.operator_socket == runtime / "desk-operator/operator.sock"
    assert (settings.expires_ms, settings.grant_ms) == (600_000, 120_000)
    assert (settings.console_port, settings.type_above) == (8767, 0)
    assert (settings.proposal_group, settings.has_scripted_approver) == (None, False)
    assert (settings.text, settings.digest) == (text, hashlib.sha256(text.encode()).hexdigest())
    (account,) = settings.accounts
    assert (account.config.account.name, account.may_transfer, account.accept_unmatched) == (
        "main",
        None,
        None,
    )


def test_money_is_exact_and_seconds_may_be_fractions(load: Load) -> None:
    settings = load("[console]\ntype_above = 0.1\n[keys]\ncheck_seconds = 60.5\n" + SIM + POLICY)
    assert settings.type_above == Decimal("0.1")
    assert settings.policy.desk.max_order_notional == Decimal("100.50")
    assert settings.keys.check_seconds == 60.5


def test_what_is_accepted_of_an_account_by_name_is_kept_with_its_reason(load: Load) -> None:
    reasons = 'may_transfer = "moves margin itself"\naccept_unmatched = "serve has no key"\n'
    (account,) = load(LIVE + reasons + POLICY).accounts
    assert (account.may_transfer, account.accept_unmatched) == ("moves margin itself", "serve has no key")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "desk.grant_seconds = 29",
            "desk.grant_seconds: expected a whole number of seconds from 30 to 600, not 29",
        ),
        (
            "desk.grant_seconds = 601",
            "desk.grant_seconds: expected a whole number of seconds from 30 to 600, not 601",
        ),
        (
            "desk.expires_seconds = 5",
            "desk.expires_seconds: expected a whole number of seconds from 30 to 86400, not 5",
        ),
        ("desk.scripted_approver = 1", "desk.scripted_approver: expected true or false, not 1"),
        ("desk.grant_second = 60", 'desk.grant_second: unknown key; did you mean "grant_seconds"?'),
        (
            'desk.proposal_group = "two words"',
            "desk.proposal_group: expected the name of a group of this system",
        ),
        (
            'desk.operator_socket = "o.sock"',
            'desk.operator_socket: expected a path that begins with "/" or "~/"',
        ),
        ("console.port = 80", "console.port: expected a TCP port from 1024 to 65535, not 80"),
        (
            "console.type_above = -1",
            'console.type_above: expected an amount of the reference currency, 0 or more, such as 500 or "0.5", not -1',
        ),
        ("keys.check_seconds = 5", "keys.check_seconds: expected a number of seconds from 30 to 3600, not 5"),
        ('log.level = "loud"', 'log.level: expected "debug", "info", "warning" or "error", not "loud"'),
        (
            "limits.deadline_seconds = 5",
            "limits: unknown key; known here: desk, console, keys, log, cache, accounts, policy",
        ),
    ],
)
def test_a_wrong_setting_is_named_with_its_line_and_what_would_be_right(
    line: str, said: str, complain: Complain
) -> None:
    assert complain(f"# a comment\n{line}\n{SIM}{POLICY}") == [f"desk.toml:2: {said}"]


def test_every_fault_is_said_at_once_in_the_order_of_the_file(complain: Complain) -> None:
    text = '[desk]\ngrant_seconds = 1\n[accounts.main]\nvenue = "binance"\nenvironment = "sim"\n[policy]\nx = 1\n'
    said = complain(text)
    assert [line.split(": ")[:2] for line in said[:3]] == [
        ["desk.toml:2", "desk.grant_seconds"],
        ["desk.toml:3", "accounts.main"],
        ["desk.toml:6", "policy.reference"],
    ]


@pytest.mark.parametrize("missing", ["accounts", "policy"])
def test_a_file_without_accounts_or_without_a_policy_is_none(missing: str, complain: Complain) -> None:
    said = complain(SIM if missing == "policy" else POLICY)
    assert f"{missing}: is missing; expected" in said[0]


@pytest.mark.parametrize(
    ("table", "next_step"),
    [
        (
            'venue = "binance"\nenvironment = "live"',
            "give it a table [accounts.NAME.key], or leave it to serve",
        ),
        (
            'venue = "binance"\nenvironment = "sim"',
            'name a key of the simulated exchange: sim_key = "trader"',
        ),
    ],
)
def test_an_account_without_a_key_is_none_of_a_desk(table: str, next_step: str, complain: Complain) -> None:
    assert complain(f"[accounts.main]\n{table}\n{POLICY}") == [
        f"desk.toml:1: accounts.main: {KEYLESS}{next_step}"
    ]


def test_a_scripted_approver_beside_an_account_that_is_not_simulated_is_refused(complain: Complain) -> None:
    text = "[desk]\nscripted_approver = true\n" + LIVE + SIM.replace("main", "practice") + POLICY
    (said,) = complain(text)
    assert said == (
        "desk.toml:2: desk.scripted_approver: is for a desk whose every account is simulated, and these are not: "
        "main (live)"
    )


def test_a_scripted_approver_is_taken_where_every_account_is_simulated(load: Load) -> None:
    assert load("[desk]\nscripted_approver = true\n" + SIM + POLICY).has_scripted_approver


# unix(7): sun_path has 108 bytes, the last of which is the NUL.
@pytest.mark.parametrize(("length", "fits"), [(107, True), (108, False)])
def test_a_socket_path_is_at_most_as_long_as_a_unix_socket_takes(
    length: int, fits: bool, load: Load, complain: Complain  # noqa: FBT001 - a parameter
) -> None:  # fmt: skip
    path = f"/{'d' * (length - 2 - len(SOCKET))}/{SOCKET}"
    text = f'[desk]\nproposal_socket = "{path}"\n{SIM}{POLICY}'
    if fits:
        assert load(text).proposal_socket == Path(path)
        return
    (said,) = complain(text)
    assert said.startswith(f"desk.toml:2: desk.proposal_socket: {path} has 108 bytes")
    shorter = said.rpartition('such as "')[2].removesuffix('"')
    assert load(text.replace(path, shorter)).proposal_socket.name == SOCKET


def test_a_long_home_is_told_of_a_shorter_socket_that_is_not_in_it(load: Load, complain: Complain) -> None:
    home = "/home/" + "é" * 60
    said = complain(SIM + POLICY, home)
    assert [line.split(": ")[1] for line in said] == ["desk.proposal_socket", "desk.operator_socket"]
    first, second = (line.rpartition('such as "')[2].removesuffix('"') for line in said)
    sockets = f'[desk]\nproposal_socket = "{first}"\noperator_socket = "{second}"\n'
    assert str(load(sockets + SIM + POLICY, home).proposal_socket) == first


def test_the_proposal_socket_does_not_lie_where_only_the_operator_can_enter(complain: Complain) -> None:
    text = '[desk]\nproposal_socket = "/run/d/p.sock"\noperator_socket = "/run/d/o.sock"\n'
    (said,) = complain(text + SIM + POLICY)
    assert said == (
        "desk.toml:2: desk.proposal_socket: lies in /run/d, which only the desk's user can enter; give it a "
        "directory of its own"
    )


@pytest.mark.parametrize(
    "line",
    [
        'secret = "{}"',
        'key = "{}"',
        'key = {{ api_key = "{}", secret = {{ env = "B" }} }}',
        'key = {{ api_key = {{ env = "{}" }}, secret = {{ env = "B" }} }}',
        'may_transfer = ["{}"]',
        'sim_key = "{}"',
    ],
)
def test_a_secret_in_the_file_is_refused_and_not_repeated(line: str, load: Load) -> None:
    pasted = "vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zv"
    account = f'[accounts.main]\nvenue = "binance"\nenvironment = "live"\n{line.format(pasted)}\n'
    with pytest.raises(ConfigError) as caught:
        load(account + POLICY)
    shown = "".join(traceback.format_exception(caught.value))
    assert pasted not in shown
    assert "desk.toml:" in shown


def test_acceptance_without_serve_is_of_a_live_account_only(complain: Complain) -> None:
    assert complain(SIM + 'accept_unmatched = "a reason of words"\n' + POLICY) == [
        "desk.toml:5: accounts.main.accept_unmatched: belongs to a live account; nothing else needs it"
    ]


def test_a_policy_that_names_an_account_that_there_is_not_is_refused(complain: Complain) -> None:
    text = SIM.replace("main", "other") + POLICY
    assert complain(text)[0].endswith('policy.accounts[0]: there is no account "main"; there are: other')


def test_a_missing_file_says_how_to_make_one(tmp_path: Path) -> None:
    path = tmp_path / "desk.toml"
    with pytest.raises(ConfigError) as caught:
        load_settings(path, check=check_account, environ={"HOME": HOME})
    assert str(caught.value) == f"{path}: does not exist; set the desk up: exchange-mcp desk --setup"


def test_the_example_holds_and_names_every_setting() -> None:
    settings = load_settings(EXAMPLE, check=check_account, environ={"HOME": HOME})
    assert [each.config.account.name for each in settings.accounts] == ["main"]
    text = EXAMPLE.read_text(encoding="utf-8")
    tables = (DeskFileTable, DeskTable, ConsoleTable, KeysTable, LogTable, CacheTable, DeskAccountTable)
    for name in (name for table in tables for name in table.model_fields):
        assert name in text, name


def test_the_policy_of_a_desk_file_can_be_checked_by_itself() -> None:
    text = EXAMPLE.read_text(encoding="utf-8") + 'accept_unknown = "x"\n'
    with pytest.raises(ConfigError):
        judge_policy_text(text, "p", check=check_account, environ={"HOME": HOME})
    text = EXAMPLE.read_text(encoding="utf-8")
    policy, configured = judge_policy_text(text, "p", check=check_account, environ={"HOME": HOME})
    assert policy == load_settings(EXAMPLE, check=check_account, environ={"HOME": HOME}).policy
    assert list(configured or ()) == ["main"]
