"""The operator's policy through the engine's port: each limit exactly at its edge, and what is put together for it."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from desk.proposals import buy, plan
from exchange_mcp.desk.ports import Footing, LimitRuling, Planned
from exchange_mcp.desk.records import Counted, Counters
from exchange_mcp.desk.trading.counting import AmountsByScope, ByScope
from exchange_mcp.desk.trading.limits import PolicyLimits
from exchange_mcp.desk.trading.needs import Needs, Reach, needs
from exchange_mcp.desk.trading.subject import Subject
from exchange_mcp.model.accounts import AccountName
from exchange_mcp.policy.figures import Price
from exchange_mcp.policy.policy import Policy
from exchange_mcp.policy.proposed import Proposed
from policy.made import CANCEL, LEVERAGE, NOW, SPOT, SWAP, policy

D = Decimal
NOTHING = Counters(notional_24h={}, orders_last_minute=0, orders_24h=0, in_flight=0, unknown=0)
NOTHING_COUNTED = Counted(account=NOTHING, desk=NOTHING, market=NOTHING)
NO_ORDERS = ByScope(desk=0, account=0, market=0)
NO_LOSS = AmountsByScope(desk={}, account={}, market={})


def ruled(  # noqa: PLR0917 - what a ruling is made of
    asked: Proposed = SPOT,
    under: Policy | None = None,
    counted: Counted = NOTHING_COUNTED,
    orders: ByScope = NO_ORDERS,
    realised: AmountsByScope = NO_LOSS,
    prices: tuple[Price, ...] = (),
) -> LimitRuling:
    limits = PolicyLimits(under or policy())
    subject = Subject(
        proposed=asked,
        policy_digest=limits.digest,
        prices=prices,
        open_orders=orders,
        realised=realised,
    )
    return limits.rule(_planned(subject), counted, NOW)


def _planned(subject: object) -> Planned:
    footing = Footing(effect="opens", position_mode=None, mid=D(60_000), worst_case=D(600))
    return Planned(plan=plan(buy(1)), preview={}, footing=footing, subject=subject)


def counters(**changed: Any) -> Counters:  # noqa: ANN401 - each count has its own type
    return replace(NOTHING, **changed)


# tests/policy/made.py: an order of 600, 1000 each, 5000 a day, 10 open, 5 a minute, a loss of 100 on `futures`.


def test_an_order_that_every_limit_allows_says_how_many_approvers_it_takes() -> None:
    ruling = ruled()
    assert ruling.is_allowed
    assert ruling.reason == "Every limit allows it; it takes one approver."
    assert (ruling.details["allowed"], ruling.details["approvals"]) == (True, 1)


@pytest.mark.parametrize(("worst", "is_allowed"), [("1000", True), ("1000.01", False)])
def test_an_order_may_be_worth_exactly_the_limit(worst: str, is_allowed: bool) -> None:  # noqa: FBT001 - a table
    ruling = ruled(replace(SPOT, worst_notional=D(worst)))
    assert ruling.is_allowed is is_allowed
    assert ("max_order_notional in policy" in ruling.reason) is not is_allowed


@pytest.mark.parametrize(("before", "is_allowed"), [("4400", True), ("4400.01", False)])
@pytest.mark.parametrize("scope", ["desk", "account", "market"])
def test_a_day_may_be_worth_exactly_the_limit_in_each_scope_and_no_scope_counts_for_another(
    scope: str,
    before: str,
    is_allowed: bool,  # noqa: FBT001 - a table
) -> None:
    stating = {
        "desk": policy(),
        "account": policy(
            max_daily_notional=None, account={"main": {"symbols": ["BTC/USDT"], "max_daily_notional": 5000}},
            accounts=["main"], symbols=["BTC/USDT"],
        ),
        "market": policy(
            max_daily_notional=None, symbol={"BTC/USDT": {"max_daily_notional": 5000}},
            accounts=["main"], symbols=["BTC/USDT"], account=None,
        ),
    }  # fmt: skip
    spent = counters(notional_24h={"USDT": D(before)})
    far = counters(notional_24h={"USDT": D(10**9)})
    every = dict.fromkeys(("desk", "account", "market"), far)
    counted = Counted(**(every | {scope: spent}))
    ruling = ruled(under=stating[scope], counted=counted)
    assert ruling.is_allowed is is_allowed


@pytest.mark.parametrize(("before", "is_allowed"), [(4, True), (5, False)])
def test_as_many_orders_a_minute_as_the_limit_says(before: int, is_allowed: bool) -> None:  # noqa: FBT001 - a table
    counted = replace(NOTHING_COUNTED, desk=counters(orders_last_minute=before))
    assert ruled(counted=counted).is_allowed is is_allowed


@pytest.mark.parametrize(
    ("resting", "in_flight", "unknown", "is_allowed"),
    [(9, 0, 0, True), (10, 0, 0, False), (8, 1, 0, True), (8, 1, 1, False), (9, 0, 1, False)],
)
def test_what_is_on_its_way_or_unknown_counts_as_an_open_order(
    resting: int,
    in_flight: int,
    unknown: int,
    is_allowed: bool,  # noqa: FBT001 - a table
) -> None:
    counted = replace(NOTHING_COUNTED, desk=counters(in_flight=in_flight, unknown=unknown))
    assert ruled(counted=counted, orders=ByScope(desk=resting)).is_allowed is is_allowed


def test_open_orders_that_were_not_read_are_refused_where_a_limit_is_about_them() -> None:
    ruling = ruled(orders=ByScope())
    assert not ruling.is_allowed
    assert "max_open_orders" in ruling.reason
    assert "not known" in ruling.reason


@pytest.mark.parametrize(("loss", "is_allowed"), [("-99.99", True), ("-100", False), ("250", True)])
def test_trading_stops_once_the_loss_is_reached(loss: str, is_allowed: bool) -> None:  # noqa: FBT001 - a table
    lost = AmountsByScope(account={"USDT": D(loss)})
    assert ruled(SWAP, realised=lost).is_allowed is is_allowed


def test_a_loss_that_was_not_read_is_refused_where_a_limit_is_about_it() -> None:
    ruling = ruled(SWAP, realised=AmountsByScope())
    assert not ruling.is_allowed
    assert "max_daily_loss in policy.account.futures" in ruling.reason


# An order of 600 EUR at 1.25 USDT is worth 750; at 1.70, 1,020.
@pytest.mark.parametrize(("rate", "is_allowed"), [("1.25", True), ("1.70", False)])
def test_another_quote_is_stated_in_the_reference_currency(rate: str, is_allowed: bool) -> None:  # noqa: FBT001 - a table
    price = Price(base="EUR", quote="USDT", rate=D(rate), as_of_ms=NOW, source="main: last price of EUR/USDT")
    asked = replace(SPOT, symbol="BTC/EUR", quote="EUR")
    assert ruled(asked, prices=(price,)).is_allowed is is_allowed


def test_without_a_price_nothing_of_another_quote_is_allowed_and_a_sentence_says_so() -> None:
    ruling = ruled(replace(SPOT, symbol="BTC/EUR", quote="EUR"))
    assert not ruling.is_allowed
    assert "there is no price of EUR in USDT" in ruling.reason
    assert ruling.details["denied_by"] == ["max_order_notional", "max_daily_notional"]


def test_what_was_counted_in_an_earlier_reference_currency_is_converted_or_refused() -> None:
    counted = replace(NOTHING_COUNTED, desk=counters(notional_24h={"EUR": D(4000)}))
    assert "there is no price of EUR" in ruled(counted=counted).reason
    # 4,000 EUR at 1.10 are 4,400, and this order is 600 of 5,000; at 1.11 it is too much.
    for rate, is_allowed in (("1.10", True), ("1.11", False)):
        price = Price(base="EUR", quote="USDT", rate=D(rate), as_of_ms=NOW, source="main")
        assert ruled(counted=counted, prices=(price,)).is_allowed is is_allowed


def test_the_reason_names_two_rules_and_how_many_more() -> None:
    much = replace(SPOT, worst_notional=D(9000), worst_price=D(90_000))
    ruling = ruled(much, orders=ByScope(desk=99))
    assert ruling.reason.startswith(
        "max_order_notional in policy: the order is worth at most 9000 USDT; 1000 USDT"
    )
    assert "; max_daily_notional in policy: " in ruling.reason
    assert ruling.reason.endswith("; and 2 more.")


def test_what_was_read_for_another_policy_is_not_judged() -> None:
    limits = PolicyLimits(policy())
    subject = Subject(proposed=SPOT, policy_digest=limits.digest, open_orders=NO_ORDERS, realised=NO_LOSS)
    assert limits.rule(_planned(subject), NOTHING_COUNTED, NOW).is_allowed
    limits.put_in_force(policy(max_order_notional=2000))
    ruling = limits.rule(_planned(subject), NOTHING_COUNTED, NOW)
    assert not ruling.is_allowed
    assert "another one" in ruling.reason
    assert not limits.rule(_planned(None), NOTHING_COUNTED, NOW).is_allowed


def test_a_grant_takes_as_many_approvers_as_the_strictest_scope_asks_for() -> None:
    order = plan(buy(1))
    assert PolicyLimits(policy()).approvals_for(order) == 1
    strict = policy(approvals=2, symbol={"BTC/USDT": {"approvals": 3}, "BTC/EUR": {"approvals": 5}})
    assert PolicyLimits(strict).approvals_for(order) == 3
    assert ruled(under=strict).details["approvals"] == 3


def reach_of(under: Policy, asked: Proposed, *, always_reduces: bool = False) -> Needs:
    return needs(
        under,
        action=asked.action,
        account=asked.account,
        symbol=asked.symbol,
        always_reduces=always_reduces,
    )


def test_only_what_a_limit_is_about_is_read_and_of_all_accounts_where_it_counts_over_them() -> None:
    nobody, own, every = Reach.NOBODY, Reach.OWN, Reach.ALL
    assert reach_of(policy(), SPOT) == Needs(open_orders=every, realised=nobody)
    assert reach_of(policy(), SWAP) == Needs(open_orders=every, realised=own)
    assert reach_of(policy(), SWAP, always_reduces=True) == Needs(open_orders=every, realised=nobody)
    assert reach_of(policy(), CANCEL) == Needs(open_orders=nobody, realised=nobody)
    assert reach_of(policy(), LEVERAGE) == Needs(open_orders=nobody, realised=own)
    of_market = policy(symbol={"BTC/USDT:USDT": {"max_daily_loss": 50}})
    assert reach_of(of_market, SWAP).realised is every
    assert reach_of(of_market, replace(SPOT, account=AccountName("main"))).realised is nobody
