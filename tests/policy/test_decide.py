"""Each rule of a policy against the orders around its limit."""

from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

import pytest

from exchange_mcp.model.accounts import AccountName
from exchange_mcp.model.writes import OrderType
from exchange_mcp.policy.counters import UNKNOWN, Counters
from exchange_mcp.policy.decision import Rule, RuleVerdict
from exchange_mcp.policy.proposed import Proposed

from .made import (
    CANCEL,
    EMPTY,
    LEVERAGE,
    NOW,
    REDUCING_STOP,
    SPOT,
    SWAP,
    counted,
    decided,
    denied_by,
    policy,
    ruling,
    tally,
)

TINY: Final = Decimal("1e-18")


@pytest.mark.parametrize("asked", [SPOT, SWAP, CANCEL, LEVERAGE, REDUCING_STOP])
def test_what_every_rule_lets_pass_is_allowed_and_every_rule_has_spoken(asked: Proposed) -> None:
    decision = decided(asked)
    assert decision.is_allowed, decision.denials
    assert {each.rule for each in decision.rulings} == set(Rule)


@pytest.mark.parametrize(
    ("key", "rule"),
    [
        ("accounts", Rule.ACCOUNTS),
        ("order_types", Rule.ORDER_TYPES),
        ("max_order_notional", Rule.ORDER_NOTIONAL),
        ("max_daily_notional", Rule.DAILY_NOTIONAL),
        ("max_price_distance_percent", Rule.PRICE_DISTANCE),
        ("max_open_orders", Rule.OPEN_ORDERS),
        ("max_orders_per_minute", Rule.ORDERS_PER_MINUTE),
    ],
)
def test_a_limit_that_nobody_states_allows_no_order(key: str, rule: Rule) -> None:
    changed: dict[str, Any] = {key: None, "account": None, "symbols": ["BTC/USDT"]}
    decision = decided(SPOT, policy(**changed))
    assert denied_by(decision) == [rule]
    assert f"state no {key}" in ruling(decision, rule).sentence.replace("states", "state")


@pytest.mark.parametrize(
    ("key", "rule"), [("max_leverage", Rule.LEVERAGE), ("max_daily_loss", Rule.DAILY_LOSS)]
)
def test_on_derivatives_a_leverage_or_loss_that_nobody_states_allows_no_order(key: str, rule: Rule) -> None:
    limits = {"symbols": ["BTC/USDT:USDT"], "max_leverage": 5, "max_daily_loss": 100}
    limits.pop(key)
    assert denied_by(
        decided(SWAP, policy(accounts=["futures"], symbols=None, account={"futures": limits}))
    ) == [rule]


def test_a_policy_that_says_nothing_allows_nothing_but_says_why() -> None:
    empty = policy(
        **dict.fromkeys(
            [
                "accounts", "symbols", "order_types", "max_order_notional", "max_daily_notional",
                "max_price_distance_percent", "max_open_orders", "max_orders_per_minute", "account",
            ]
        )
    )  # fmt: skip
    for asked in (SPOT, SWAP, CANCEL, LEVERAGE, REDUCING_STOP):
        assert {Rule.ACCOUNTS, Rule.SYMBOLS} <= set(denied_by(decided(asked, empty)))


def test_an_empty_list_of_symbols_allows_none() -> None:
    assert denied_by(decided(SPOT, policy(symbols=[], account=None))) == [Rule.SYMBOLS]


def test_an_empty_list_of_accounts_stops_everything_and_needs_no_other_change() -> None:
    locked = policy(accounts=[])
    assert [denied_by(decided(asked, locked)) for asked in (SPOT, SWAP, CANCEL, LEVERAGE)] == [
        [Rule.ACCOUNTS]
    ] * 4


@pytest.mark.parametrize(
    "symbol", ["btc/usdt", "BTC/USDT ", "BTC/USDT:USDT", "\u0412\u0422\u0421/USDT", "BTC\u200b/USDT"]
)
def test_a_symbol_is_only_itself(symbol: str) -> None:
    decision = decided(replace(SPOT, symbol=symbol))
    assert Rule.SYMBOLS in denied_by(decision)
    assert all(each.sentence.isascii() and each.sentence.isprintable() for each in decision.rulings)


def test_an_account_that_is_not_listed_is_denied() -> None:
    assert Rule.ACCOUNTS in denied_by(decided(replace(SPOT, account=AccountName("other"))))


def test_each_scope_that_states_a_list_must_name_it() -> None:
    under = policy(symbol={"BTC/USDT": {"order_types": ["market"]}})
    decision = decided(SPOT, under)
    assert denied_by(decision) == [Rule.ORDER_TYPES]
    assert [each.scope for each in decision.denials] == ['policy.symbol."BTC/USDT"']


@pytest.mark.parametrize(
    ("worst", "allowed"),
    [(Decimal(1000), True), (Decimal(1000) + TINY, False), (Decimal(0), True), (None, False)],
)
def test_an_order_may_be_worth_exactly_the_limit_at_worst_and_no_more(
    worst: Decimal | None, *, allowed: bool
) -> None:
    decision = decided(replace(SPOT, worst_notional=worst))
    assert decision.is_allowed is allowed
    if worst is None:
        assert denied_by(decision) == [Rule.ORDER_NOTIONAL, Rule.DAILY_NOTIONAL]
    elif not allowed:
        assert denied_by(decision) == [Rule.ORDER_NOTIONAL]


def test_the_figures_that_were_compared_are_told() -> None:
    found = ruling(decided(replace(SPOT, worst_notional=Decimal("1000.50"))), Rule.ORDER_NOTIONAL)
    assert (found.measured, found.limit, found.unit) == ("1000.5", "1000", "USDT")
    assert found.sentence == "the order is worth at most 1000.5 USDT; 1000 USDT is allowed."


@pytest.mark.parametrize(("before", "allowed"), [("4400", True), ("4400.01", False)])
def test_a_day_may_be_worth_exactly_the_limit_with_this_order(before: str, *, allowed: bool) -> None:
    decision = decided(SPOT, counters=counted(notional_24h={"USDT": Decimal(before)}))
    assert decision.is_allowed is allowed
    assert denied_by(decision) == ([] if allowed else [Rule.DAILY_NOTIONAL])


def test_each_scope_is_compared_with_what_was_done_in_it() -> None:
    under = policy(
        account={"main": {"symbols": ["BTC/USDT"], "max_daily_notional": 1000}},
        symbols=None,
        accounts=["main"],
    )
    used, free = tally(notional_24h={"USDT": Decimal(500)}), tally()
    on_account = decided(SPOT, under, Counters(desk=free, account=used, symbol=free))
    on_desk = decided(SPOT, under, Counters(desk=used, account=free, symbol=free))
    assert [each.scope for each in on_account.denials] == ["policy.account.main"]
    assert on_desk.is_allowed


@pytest.mark.parametrize(
    ("open_now", "in_minute", "denied"),
    [
        (9, 4, []),
        (10, 4, [Rule.OPEN_ORDERS]),
        (9, 5, [Rule.ORDERS_PER_MINUTE]),
        (None, 4, [Rule.OPEN_ORDERS]),
        (9, None, [Rule.ORDERS_PER_MINUTE]),
        (10**30, 10**30, [Rule.OPEN_ORDERS, Rule.ORDERS_PER_MINUTE]),
    ],
)
def test_this_order_is_the_last_one_that_a_count_allows(
    open_now: int | None, in_minute: int | None, denied: list[Rule]
) -> None:
    counters = counted(open_orders=open_now, orders_last_minute=in_minute)
    assert denied_by(decided(SPOT, counters=counters)) == denied


@pytest.mark.parametrize(
    ("price", "allowed"),
    [("60600", True), ("60600.000001", False), ("59400", True), ("59399.99", False), ("60000", True)],
)
def test_a_price_may_be_exactly_the_limit_away_from_mid_either_way(price: str, *, allowed: bool) -> None:
    decision = decided(replace(SPOT, worst_price=Decimal(price)))
    assert denied_by(decision) == ([] if allowed else [Rule.PRICE_DISTANCE])


def test_a_price_with_more_digits_than_pythons_own_context_is_compared_exactly() -> None:
    over = Decimal("60600.0000000000000000000000000000000000000001")
    assert denied_by(decided(replace(SPOT, worst_price=over))) == [Rule.PRICE_DISTANCE]


@pytest.mark.parametrize(
    "unknown", [{"worst_price": None}, {"mid": None}, {"quoted_at_ms": None}, {"quoted_at_ms": NOW + 1}]
)
def test_a_market_order_that_cannot_be_compared_with_mid_is_refused(unknown: dict[str, Any]) -> None:
    assert denied_by(decided(replace(SPOT, type=OrderType.MARKET, **unknown))) == [Rule.PRICE_DISTANCE]


@pytest.mark.parametrize(("age", "allowed"), [(30_000, True), (30_001, False)])
def test_mid_may_be_exactly_as_old_as_is_allowed(age: int, *, allowed: bool) -> None:
    decision = decided(replace(SPOT, quoted_at_ms=NOW - age))
    assert denied_by(decision) == ([] if allowed else [Rule.PRICE_DISTANCE])
    if not allowed:
        assert "mid is 30.001 s old; 30 s is the most" in ruling(decision, Rule.PRICE_DISTANCE).sentence


@pytest.mark.parametrize(("price", "allowed"), [("49500", True), ("49499", False)])
def test_a_stop_with_a_limit_is_compared_with_its_own_trigger(price: str, *, allowed: bool) -> None:
    stop = replace(
        SPOT,
        side="sell",
        type=OrderType.STOP_LIMIT,
        trigger_price=Decimal(50_000),
        worst_price=Decimal(price),
        quoted_at_ms=None,
    )
    assert denied_by(decided(stop)) == ([] if allowed else [Rule.PRICE_DISTANCE])


def test_a_stop_at_market_that_nothing_bounds_is_allowed_only_as_an_enforced_reduction() -> None:
    assert decided(REDUCING_STOP).is_allowed
    opening = replace(REDUCING_STOP, is_venue_enforced_reduce_only=False, effect="opens")
    assert {Rule.ORDER_NOTIONAL, Rule.DAILY_NOTIONAL, Rule.PRICE_DISTANCE} <= set(denied_by(decided(opening)))
    at_market = replace(REDUCING_STOP, type=OrderType.MARKET, trigger_price=None)
    assert denied_by(decided(at_market)) == [Rule.ORDER_NOTIONAL, Rule.PRICE_DISTANCE]


@pytest.mark.parametrize(
    ("asked", "denied"),
    [
        (replace(SWAP, leverage_set=5), []),
        (replace(SWAP, leverage_set=6), [Rule.LEVERAGE]),
        (replace(SWAP, leverage_set=None), [Rule.LEVERAGE]),
        (replace(LEVERAGE, leverage_asked=6), [Rule.LEVERAGE]),
        (replace(LEVERAGE, leverage_set=20), []),
        (replace(REDUCING_STOP, leverage_set=50), []),
    ],
)
def test_leverage_may_be_exactly_the_limit(asked: Proposed, denied: list[Rule]) -> None:
    assert denied_by(decided(asked)) == denied


@pytest.mark.parametrize("has_position", [True, None])
def test_leverage_with_a_position_changes_only_where_the_policy_says_so(*, has_position: bool | None) -> None:
    asked = replace(LEVERAGE, has_position=has_position)
    assert denied_by(decided(asked)) == [Rule.LEVERAGE_CHANGE]
    said_no = policy(leverage_change_with_position=False)
    assert denied_by(decided(asked, said_no)) == [Rule.LEVERAGE_CHANGE]
    assert decided(asked, policy(leverage_change_with_position=True)).is_allowed


@pytest.mark.parametrize(
    ("pnl", "denied"),
    [
        ({}, []),
        ({"USDT": Decimal("-99.99")}, []),
        ({"USDT": Decimal(-100)}, [Rule.DAILY_LOSS]),
        ({"USDT": Decimal(5000)}, []),
        ({"BNB": Decimal(-1)}, [Rule.DAILY_LOSS]),
        (None, [Rule.DAILY_LOSS]),
    ],
)
def test_trading_stops_once_the_loss_of_a_day_reaches_the_limit(
    pnl: dict[str, Decimal] | None, denied: list[Rule]
) -> None:
    counters = counted(realised_pnl_24h=pnl)
    assert denied_by(decided(SWAP, counters=counters)) == denied
    assert denied_by(decided(LEVERAGE, counters=counters)) == denied
    assert decided(SPOT, counters=counters).is_allowed


def test_what_only_reduces_can_leave_a_position_whatever_was_done_or_lost() -> None:
    spent = counted(notional_24h=None, realised_pnl_24h=None)
    out = replace(SWAP, side="sell", effect="closes", is_venue_enforced_reduce_only=True, leverage_set=None)
    assert decided(out, counters=spent).is_allowed
    assert decided(REDUCING_STOP, counters=spent).is_allowed
    assert Rule.DAILY_LOSS in denied_by(
        decided(replace(out, is_venue_enforced_reduce_only=False), counters=spent)
    )


def test_a_cancel_needs_no_counter_and_no_price() -> None:
    unknown = Counters(desk=UNKNOWN, account=UNKNOWN, symbol=UNKNOWN)
    decision = decided(CANCEL, counters=unknown)
    assert decision.is_allowed
    concerned = {each.rule for each in decision.rulings if each.verdict is not RuleVerdict.NOT_CONCERNED}
    assert concerned == {Rule.FORBID, Rule.ACCOUNTS, Rule.SYMBOLS}


def test_where_no_counter_is_known_no_order_is_allowed() -> None:
    unknown = Counters(desk=UNKNOWN, account=UNKNOWN, symbol=UNKNOWN)
    assert denied_by(decided(SWAP, counters=unknown)) == [
        Rule.DAILY_NOTIONAL,
        Rule.OPEN_ORDERS,
        Rule.ORDERS_PER_MINUTE,
        Rule.DAILY_LOSS,
    ]


def test_the_most_approvals_that_a_scope_asks_for_are_needed() -> None:
    under = policy(symbol={"BTC/USDT": {"approvals": 3}}, approvals=2)
    assert [decided(asked, under).approvals for asked in (SPOT, SWAP)] == [3, 2]
    assert decided(SPOT).approvals == 1


def test_figures_without_end_are_no_order() -> None:
    for number in ("NaN", "Infinity", "-1", "1e131", "1e-131"):
        with pytest.raises(ValueError, match=r"figure|negative"):
            replace(SPOT, worst_notional=Decimal(number))
    with pytest.raises(ValueError, match="greater than 0"):
        replace(SPOT, worst_price=Decimal(0))


def test_the_largest_figures_are_decided_about_and_not_raised() -> None:
    huge = replace(SPOT, worst_notional=Decimal("1e130"), worst_price=Decimal("1e130"), mid=Decimal("1e-130"))
    assert denied_by(decided(huge)) == [Rule.ORDER_NOTIONAL, Rule.DAILY_NOTIONAL, Rule.PRICE_DISTANCE]


def test_a_decision_is_json_without_a_float_and_names_its_policy() -> None:
    under = policy()
    found = decided(replace(SPOT, worst_notional=Decimal("1e130")), under, EMPTY).as_object()
    assert found["allowed"] is False
    assert found["denied_by"] == ["max_order_notional", "max_daily_notional"]
    assert found["policy_digest"] == under.digest()
