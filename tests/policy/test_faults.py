"""What is wrong with a policy is told with its line, and nothing that could never decide is let in."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exchange_mcp.config.faults import ConfigError
from exchange_mcp.policy.document import judge_policy_text
from exchange_mcp.policy.loading import judge_policy
from exchange_mcp.policy.policy import Policy
from exchange_mcp.policy.tables import Forbid, PolicyTable
from exchange_mcp.rules.venues import check_account

from .made import table

# Ten lines, and then what a test adds: to the table [policy], as line 11.
BASE = """\
[policy]
reference = "USDT"
accounts = ["main", "futures"]
symbols = ["BTC/USDT", "BTC/USDT:USDT"]
order_types = ["limit", "market"]
max_order_notional = 500
max_daily_notional = 1000
max_open_orders = 5
max_orders_per_minute = 5
max_price_distance_percent = 1
"""
MAIN = '[policy.account.main]\nsymbols = ["BTC/USDT"]\n'
FUTURES = '[policy.account.futures]\nsymbols = ["BTC/USDT:USDT"]\n'
AMOUNT = 'expected an amount of the reference currency greater than 0, such as 500 or "0.5"'
SYMBOL_LIST = (
    'expected a list of unified symbols in capitals, such as "BTC/USDT" (spot) or "BTC/USDT:USDT" '
    "(linear perpetual)"
)
UNTOLD_SPOT = "its venue tells no realised profit or loss of spot markets"


def faults(text: str) -> list[str]:
    try:
        judge_policy_text(text, "p", check=check_account, environ={"HOME": "/home/operator"})
    except ConfigError as error:
        return str(error).split("\n")
    return []


def test_the_text_that_the_others_change_is_sound() -> None:
    assert faults(BASE) == []
    assert faults(BASE + MAIN + FUTURES) == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("max_ordr_notional = 5", 'max_ordr_notional: unknown key; did you mean "max_order_notional"?'),
        ("max_daily_loss = 0", "max_daily_loss: is 0, which allows nothing; to allow nothing, list no symbols"),
        ("max_daily_loss = -1", f"max_daily_loss: {AMOUNT}, not -1"),
        ('max_daily_loss = "1e3"', f'max_daily_loss: {AMOUNT}, not "1e3"'),
        ('max_daily_loss = "NaN"', f'max_daily_loss: {AMOUNT}, not "NaN"'),
        ("max_daily_loss = nan", f"max_daily_loss: {AMOUNT}"),
        ("max_daily_loss = 1e3", f"max_daily_loss: {AMOUNT}"),
        ("max_daily_loss = 5E-1", f"max_daily_loss: {AMOUNT}"),
        ("max_daily_loss = +0.5", f"max_daily_loss: {AMOUNT}"),
        ("max_daily_loss = inf", f"max_daily_loss: {AMOUNT}"),
        ("max_daily_loss = 1e999999999", f"max_daily_loss: {AMOUNT}"),
        (f"max_daily_loss = {'9' * 4000}", f"max_daily_loss: {AMOUNT}"),
        ('max_daily_loss = "\u0661\u0660"', f"max_daily_loss: {AMOUNT}"),
        ('max_daily_loss = " 5"', f"max_daily_loss: {AMOUNT}"),
        ("max_daily_loss = true", f"max_daily_loss: {AMOUNT}, not true"),
        ("max_daily_loss = [5]", f"max_daily_loss: {AMOUNT}"),
        ("max_leverage = 0", "max_leverage: expected a whole number from 1 to 1000, not 0"),
        ("max_leverage = 2.5", "max_leverage: expected a whole number from 1 to 1000"),
        ("max_leverage = true", "max_leverage: expected a whole number from 1 to 1000, not true"),
        ("approvals = 0", "approvals: expected a whole number from 1 to 9, not 0"),
        (
            "max_price_age_seconds = 0",
            "max_price_age_seconds: expected a whole number of seconds from 1 to 3600, not 0",
        ),
        (
            'leverage_change_with_position = "yes"',
            'leverage_change_with_position: expected true or false, not "yes"',
        ),
        ('account = "main"', 'account: expected tables [policy.account.NAME], one an account, not "main"'),
        ("symbol = []", 'symbol: expected tables [policy.symbol."SYMBOL"], one a symbol'),
        ('forbid = { reason = "x" }', "forbid: expected tables [[policy.forbid]], one an entry, at most 200"),
        ("forbid = [5]", "forbid[0]: expected a table"),
        ("account = { main = 5 }", "account.main: expected a table"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_named_with_its_line_and_what_would_be_right(line: str, said: str) -> None:
    assert faults(BASE + line + "\n") == [f"p:11: policy.{said}"]


@pytest.mark.parametrize(
    ("replaced", "line", "said"),
    [
        ('symbols = ["btc/usdt"]', 4, f"symbols[0]: {SYMBOL_LIST}"),
        ('symbols = ["BTC/USDT", "BTCUSDT"]', 4, f"symbols[1]: {SYMBOL_LIST}"),
        ('symbols = ["B\u0422C/USDT"]', 4, f"symbols[0]: {SYMBOL_LIST}"),
        ('symbols = ["BTC/USDT\u202e"]', 4, f"symbols[0]: {SYMBOL_LIST}"),
        ('symbols = ["BTC/USDT", "BTC/USDT"]', 4, "symbols: names BTC/USDT twice"),
        ('symbols = "BTC/USDT"', 4, f"symbols: {SYMBOL_LIST}"),
        ("symbols = [5]", 4, f"symbols[0]: {SYMBOL_LIST}"),
        (
            'order_types = ["Limit"]',
            5,
            'order_types[0]: expected a list of "market", "limit", "stop_market", "stop_limit", not "Limit"',
        ),
        ('accounts = ["Main"]', 3, "accounts[0]: expected a list of names of accounts"),
        ('reference = "usdt"', 2, 'reference: expected an asset in capitals, such as "USDT", not "usdt"'),
    ],
)
def test_a_wrong_list_is_named_at_its_element(replaced: str, line: int, said: str) -> None:
    lines: list[str] = list(BASE.splitlines())
    lines[line - 1] = replaced
    # Asked of the element's own place: its line, and nothing else that follows from the fault.
    found = faults("\n".join(lines) + "\n")
    assert [each.split(", not")[0] for each in found] == [
        f"p:{line}: policy.{said}".split(", not", maxsplit=1)[0]
    ]


def test_without_a_reference_there_is_no_policy() -> None:
    said = 'p:1: policy.reference: is missing; expected an asset in capitals, such as "USDT"'
    assert faults("[policy]\n") == [said]


def test_one_fault_does_not_hide_another() -> None:
    text = (
        BASE
        + "approvals = 0\n[policy.account.main]\nmax_opn_orders = 1\n"
        + '[policy.symbol."BTC/USDT"]\nmax_daily_loss = 0\n[[policy.forbid]]\nsides = ["long"]\n'
    )
    assert [each.split(":")[1] for each in faults(text)] == ["11", "13", "15", "16", "17"]


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        (
            "[policy.account.other]\nmax_open_orders = 1\n",
            'p:11: policy.account.other: can never match: "accounts" of [policy] does not list it',
        ),
        (
            '[policy.account.main]\nsymbols = ["BTC/USDT", "ETH/USDT"]\n',
            'p:12: policy.account.main.symbols[1]: can never match: "symbols" of [policy] does not list it',
        ),
        (
            '[policy.account.main]\norder_types = ["stop_limit"]\n',
            'p:12: policy.account.main.order_types[0]: can never match: "order_types" of [policy] does not list it',
        ),
        (
            '[policy.symbol."ETH/USDT"]\nmax_open_orders = 1\n',
            'p:11: policy.symbol."ETH/USDT": can never match: no account may trade it',
        ),
        (
            '[policy.symbol."eth/usdt"]\n',
            'p:11: policy.symbol."eth/usdt": expected a unified symbol in capitals, such as [policy.symbol."BTC/USDT"]',
        ),
        (
            "[policy.account.main]\nmax_order_notional = 501\n",
            "p:12: policy.account.main.max_order_notional: can never decide: [policy] allows 500 at most",
        ),
        (
            '[policy.symbol."BTC/USDT"]\nmax_price_distance_percent = 1.0000001\n',
            'p:12: policy.symbol."BTC/USDT".max_price_distance_percent: can never decide: [policy] allows 1 at most',
        ),
        (
            '[policy.symbol."BTC/USDT"]\nmax_daily_notional = 300\nmax_order_notional = 400\n',
            'p:13: policy.symbol."BTC/USDT".max_order_notional: can never decide: max_daily_notional is 300',
        ),
        (
            '[policy.symbol."BTC/USDT"]\nmax_leverage = 3\n',
            'p:12: policy.symbol."BTC/USDT".max_leverage: can never match: only spot markets are permitted here',
        ),
        (
            MAIN + "max_leverage = 2\n",
            "p:13: policy.account.main.max_leverage: can never match: only spot markets are permitted here",
        ),
    ],
)
def test_a_table_that_could_never_decide_is_an_error(tables: str, said: str) -> None:
    assert faults(BASE + tables) == [said]


def test_an_order_limit_above_the_limit_of_the_day_is_a_contradiction() -> None:
    text = BASE.replace("max_order_notional = 500", "max_order_notional = 1000.01")
    assert faults(text) == ["p:6: policy.max_order_notional: can never decide: max_daily_notional is 1000"]
    assert faults(BASE.replace("max_order_notional = 500", "max_order_notional = 1000")) == []


def test_what_the_desk_forbids_no_account_can_allow_again() -> None:
    text = BASE + "leverage_change_with_position = false\napprovals = 3\n" + (
        "[policy.account.futures]\nleverage_change_with_position = true\napprovals = 2\n"
    )  # fmt: skip
    assert faults(text) == [
        "p:14: policy.account.futures.leverage_change_with_position: can never decide: [policy] says false",
        "p:15: policy.account.futures.approvals: can never decide: [policy] asks for 3",
    ]


def test_a_symbol_that_no_account_may_trade_is_an_error_and_no_account_at_all_is_a_lock() -> None:
    text = BASE + MAIN + '[policy.account.futures]\nsymbols = ["BTC/USDT"]\n'
    assert faults(text) == ["p:4: policy.symbols[1]: can never match: no account may trade it"]
    locked = (BASE + MAIN + FUTURES).replace('accounts = ["main", "futures"]', "accounts = []")
    assert faults(locked) == []


@pytest.mark.parametrize(
    ("tables", "at"),
    [
        (MAIN + "max_daily_loss = 50\n" + FUTURES, "p:13: policy.account.main.max_daily_loss: "),
        (
            '[policy.symbol."BTC/USDT"]\nmax_daily_loss = 50\n',
            'p:12: policy.symbol."BTC/USDT".max_daily_loss: ',
        ),
    ],
)
def test_a_daily_loss_on_a_spot_account_is_an_error(tables: str, at: str) -> None:
    assert faults(BASE + tables) == [f"{at}cannot be measured on account main: {UNTOLD_SPOT}"]


def test_a_daily_loss_of_the_desk_that_covers_a_spot_account_is_an_error() -> None:
    where = "state it in the tables [policy.account.NAME] of other accounts"
    assert faults(BASE + "max_daily_loss = 50\n" + MAIN + FUTURES) == [
        f"p:11: policy.max_daily_loss: cannot be measured on account main: {UNTOLD_SPOT}; {where}"
    ]


def test_a_daily_loss_holds_where_derivatives_are_traded_beside_spot() -> None:
    assert faults(BASE + "max_daily_loss = 50\n") == []
    assert faults(BASE + MAIN + FUTURES + "max_daily_loss = 50\n") == []


def test_a_daily_loss_is_an_error_where_this_version_knows_no_answer_of_the_venue() -> None:
    text = (
        BASE.replace('"BTC/USDT"', '"BTC/USD:BTC"')
        + '[policy.account.main]\nsymbols = ["BTC/USD:BTC"]\nmax_daily_loss = 5\n'
    )
    said = "cannot be measured on account main: its venue tells no realised profit or loss of inverse markets"
    assert faults(text) == [f"p:13: policy.account.main.max_daily_loss: {said}"]


ACCOUNTS = '[accounts.main]\nvenue = "binance"\nenvironment = "live"\nmarket_types = ["spot"]\n'


def test_the_accounts_of_the_same_file_say_what_can_match() -> None:
    assert faults(BASE + ACCOUNTS) == [
        'p:3: policy.accounts[1]: there is no account "futures"; there are: main'
    ]
    only_main = BASE.replace('accounts = ["main", "futures"]', 'accounts = ["main"]')
    assert faults(only_main + ACCOUNTS) == [
        "p:4: policy.symbols[1]: can never match: no account may trade it"
    ]
    table = '[policy.account.main]\nsymbols = ["BTC/USDT:USDT", "BTC/USDT"]\n'
    assert faults(only_main + table + ACCOUNTS) == [
        "p:4: policy.symbols[1]: can never match: no account may trade it",
        "p:12: policy.account.main.symbols[0]: can never match: the account has no linear markets",
    ]


def test_an_account_with_a_fault_is_one_of_the_faults() -> None:
    found = faults(BASE + '[accounts.main]\nvenue = "binanze"\nenvironment = "live"\n')
    assert found[-1].startswith('p:11: accounts.main: venue "binanze" is not known')


def test_another_table_in_the_file_is_unknown_so_that_a_misspelt_one_is_not_lost() -> None:
    assert faults(BASE + "[polcy.account.main]\nmax_open_orders = 1\n") == [
        "p:11: polcy: unknown key; known here: desk, console, keys, log, cache, accounts, policy"
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "p: policy: is missing; expected a table [policy]"),
        ("policy = 5\n", "p:1: policy: expected a table [policy]"),
        ("[[policy]]\n", "p:1: policy: expected a table [policy]"),
        ("[policy]\n[policy]\n", "p:2: is not valid TOML: Cannot declare ('policy',) twice, at column 8"),
    ],
)
def test_a_file_without_one_table_policy_is_an_error(text: str, said: str) -> None:
    assert faults(text) == [said]


def test_a_number_with_a_point_is_exact() -> None:
    text = BASE.replace("max_price_distance_percent = 1", "max_price_distance_percent = 0.1")
    loaded, _ = judge_policy_text(text, "p", check=check_account, environ={"HOME": "/home/operator"})
    assert str(loaded.desk.max_price_distance_percent) == "0.1"


def test_a_float_is_refused_because_it_has_lost_digits_already() -> None:
    outcome = judge_policy({"reference": "USDT", "max_daily_loss": 0.1}, configured=None)
    assert outcome == [(("policy", "max_daily_loss"), 'is not exact; write it as text, such as "0.5"')]


_SCALARS = (
    st.booleans()
    | st.integers()
    | st.text(max_size=8)
    | st.decimals()
    | st.floats()
    | st.dates()
    | st.sampled_from(["BTC/USDT", "main", "limit", "buy", "opens"])
)
_NAMES = st.sampled_from([*PolicyTable.model_fields, *Forbid.model_fields, "main", "BTC/USDT", "x"])


@given(
    st.dictionaries(
        _NAMES,
        st.recursive(
            _SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3)
        ),
        max_size=4,
    )
)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_table_is_a_policy_or_has_faults_and_nothing_else_is_raised(content: dict[str, object]) -> None:
    outcome = judge_policy(table(**content), configured=None)
    assert isinstance(outcome, Policy) or outcome


def _list(count: int, form: str) -> str:
    return ", ".join(f'"{form.format(i)}"' for i in range(count))


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (
            BASE.replace('"main", "futures"', _list(100_000, "a{}")),
            3,
            "policy.accounts: lists 100000; at most 200 are taken",
        ),
        (
            BASE.replace('"BTC/USDT", "BTC/USDT:USDT"', _list(60_000, "A{}/USDT")),
            4,
            "policy.symbols: lists 60000; at most 200 are taken",
        ),
        (
            BASE + '[[policy.forbid]]\nreason = "r"\nsides = ["buy"]\n' * 201,
            11,
            "policy.forbid: expected tables [[policy.forbid]], one an entry, at most 200",
        ),
        (
            BASE + '[[policy.forbid]]\nreason = "r"\nsymbols = [' + _list(201, "A{}/USDT") + "]\n",
            13,
            "policy.forbid[0].symbols: lists 201; at most 200 are taken",
        ),
    ],
    ids=["accounts", "symbols", "entries of forbid", "a list in one"],
)
def test_a_policy_of_more_than_can_be_compared_is_refused_at_once(text: str, line: int, said: str) -> None:
    assert faults(text) == [f"p:{line}: {said}"]
