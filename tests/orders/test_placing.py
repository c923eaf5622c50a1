"""What bad input gets: each its own code, and a sentence with the valid values."""

from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from exchange_mcp.model.errors import ErrorCode, OrderRefusedError
from exchange_mcp.model.terms import AmountGrid, MarketTerms, PriceGrid, Reference, Standing
from exchange_mcp.model.writes import OrderType, PlaceOrder
from exchange_mcp.orders.changing import plan_cancel, plan_leverage
from exchange_mcp.orders.requests import CancelRequest, LeverageRequest

from .made import (
    FLAT,
    INVERSE,
    LARGE_CONTRACTS,
    LINEAR,
    REFERENCE,
    SMALL_CONTRACTS,
    SPOT,
    SPOT_STANDING,
    D,
    asked,
    holding,
    long,
    planned,
    resting,
    short,
    stop,
)

LIMIT = {"type": "limit", "amount": "0.1", "price": "100000"}
MARKET = {"type": "market", "amount": "0.1"}
STOP_LIMIT = {
    "type": "stop_limit",
    "amount": "0.1",
    "side": "sell",
    "trigger_price": "95000",
    "price": "94000",
}
STOP_MARKET = {
    "type": "stop_market",
    "amount": "0.1",
    "side": "sell",
    "trigger_price": "95000",
    "reduce_only": True,
}
LONG = holding(long("0.5"))
HEDGED = holding(long("0.5"), position_mode="hedge")

BAD: dict[str, tuple[dict[str, Any], MarketTerms, Standing, str, str]] = {
    "zero": ({**LIMIT, "amount": "0"}, SPOT, SPOT_STANDING, "NUMBER_ZERO", "amount: it is zero"),
    "a zero price": ({**LIMIT, "price": "0.0"}, SPOT, SPOT_STANDING, "NUMBER_ZERO", "price: it is zero"),
    "negative": ({**LIMIT, "amount": "-1"}, SPOT, SPOT_STANDING, "NUMBER_NEGATIVE", "amount: -1 is negative"),
    "no size": (
        {"type": "limit", "price": "100000"},
        SPOT,
        SPOT_STANDING,
        "AMOUNT_OR_COST",
        "exactly one is required, and neither is given",
    ),
    "two sizes": (
        {**MARKET, "cost": "100"},
        SPOT,
        SPOT_STANDING,
        "AMOUNT_OR_COST",
        "exactly one is required, and both are given",
    ),
    "off the step": (
        {**LIMIT, "amount": "0.1234"},
        SPOT,
        SPOT_STANDING,
        "AMOUNT_OFF_STEP",
        "0.1234 BTC is not a multiple of 0.001; the nearest valid values are 0.123 and 0.124 BTC",
    ),
    "below the minimum": (
        {**LIMIT, "amount": "0.0005"},
        SPOT,
        SPOT_STANDING,
        "AMOUNT_TOO_SMALL",
        "0.0005 BTC is below the minimum; the least is 0.001",
    ),
    "above the maximum": (
        {**LIMIT, "amount": "100.001"},
        SPOT,
        SPOT_STANDING,
        "AMOUNT_TOO_LARGE",
        "100.001 BTC is above the maximum; the most is 100",
    ),
    "above the maximum of market orders": (
        {**MARKET, "amount": "50.001"},
        SPOT,
        SPOT_STANDING,
        "AMOUNT_TOO_LARGE",
        "the most is 50",
    ),
    "off the tick": (
        {**LIMIT, "price": "100000.05"},
        SPOT,
        SPOT_STANDING,
        "PRICE_OFF_TICK",
        "is not a multiple of 0.1; the nearest valid values are 100000 and 100000.1 USDT",
    ),
    "a price below the least": (
        {**LIMIT, "price": "0.05"},
        SPOT,
        SPOT_STANDING,
        "PRICE_TOO_LOW",
        "the least is 0.1",
    ),
    "a price above the most": (
        {**LIMIT, "price": "1000000.1"},
        SPOT,
        SPOT_STANDING,
        "PRICE_TOO_HIGH",
        "the most is 1000000",
    ),
    "a trigger off the tick": (
        {**STOP_LIMIT, "trigger_price": "95000.01"},
        SPOT,
        SPOT_STANDING,
        "TRIGGER_OFF_TICK",
        "the nearest valid values are 95000 and 95000.1 USDT",
    ),
    "a trigger below the least": (
        {**STOP_LIMIT, "trigger_price": "0.01"},
        SPOT,
        SPOT_STANDING,
        "TRIGGER_TOO_LOW",
        "the least is 0.1",
    ),
    "a trigger above the most": (
        {**STOP_LIMIT, "trigger_price": "1000001"},
        SPOT,
        SPOT_STANDING,
        "TRIGGER_TOO_HIGH",
        "the most is 1000000",
    ),
    "a price outside the band, buying": (
        {**LIMIT, "price": "120000.1"},
        SPOT,
        SPOT_STANDING,
        "PRICE_OUTSIDE_BAND",
        "too far from the average price of 100000; a buy may be at least 20000 and at most 120000",
    ),
    "a price outside the band, selling": (
        {**LIMIT, "side": "sell", "price": "94999.9"},
        LINEAR,
        FLAT,
        "PRICE_OUTSIDE_BAND",
        "too far from the mark price of 100000; a sell may be at least 95000",
    ),
    "worth too little": (
        {**LIMIT, "price": "20000", "amount": "0.001"},
        replace(SPOT, notional=replace(SPOT.notional, least=D(25))),  # pyright: ignore[reportArgumentType] - it has one
        SPOT_STANDING,
        "NOTIONAL_TOO_SMALL",
        "it is worth 20 USDT, less than the least of 25 USDT; the nearest valid value is 0.002 BTC",
    ),
    "worth too little, at the mark price": (
        {**MARKET, "amount": "0.001"},
        replace(LINEAR, notional=replace(LINEAR.notional, least=D("100.5"))),  # pyright: ignore[reportArgumentType] - it has one
        FLAT,
        "NOTIONAL_TOO_SMALL",
        "worth 100 USDT, less than the least of 100.5 USDT; the nearest valid value is 0.002 BTC",
    ),
    "a cost that is too small": (
        {"type": "market", "cost": "9.9"},
        SPOT,
        SPOT_STANDING,
        "NOTIONAL_TOO_SMALL",
        "cost: 9.9 USDT is less than the least of 10 USDT",
    ),
    "worth too much": (
        {**LIMIT, "amount": "90.001"},
        SPOT,
        SPOT_STANDING,
        "NOTIONAL_TOO_LARGE",
        "more than the most of 9000000 USDT; the nearest valid value is 90 BTC",
    ),
    "a cost off the tick": (
        {"type": "market", "cost": "100.05"},
        SPOT,
        SPOT_STANDING,
        "COST_OFF_STEP",
        "the nearest valid values are 100 and 100.1 USDT",
    ),
    "a cost where it is not taken": (
        {"type": "market", "cost": "100"},
        LINEAR,
        FLAT,
        "COST_NOT_TAKEN",
        "say the amount in BTC",
    ),
    "a cost of a sale": (
        {"type": "market", "side": "sell", "cost": "100"},
        SPOT,
        SPOT_STANDING,
        "COST_NOT_TAKEN",
        "only a market buy says it",
    ),
    "an amount of an inverse market": (
        MARKET,
        INVERSE,
        FLAT,
        "AMOUNT_NOT_TAKEN",
        "a contract of BTC/USD:BTC is worth 10 USD",
    ),
    "a cost that is no number of contracts": (
        {"type": "market", "cost": "105"},
        INVERSE,
        FLAT,
        "COST_OFF_STEP",
        "the nearest valid values are 100 and 110 USD",
    ),
    "a cost below one contract": (
        {"type": "market", "cost": "9"},
        INVERSE,
        FLAT,
        "COST_TOO_SMALL",
        "the least is 10",
    ),
    "a cost above the most contracts": (
        {"type": "market", "cost": "1000010"},
        INVERSE,
        FLAT,
        "COST_TOO_LARGE",
        "the most is 1000000",
    ),
    "an amount that is no number of small contracts": (
        {**LIMIT, "amount": "0.00015"},
        SMALL_CONTRACTS,
        FLAT,
        "AMOUNT_OFF_STEP",
        "is not a multiple of 0.0001; the nearest valid values are 0.0001 and 0.0002 BTC",
    ),
    "an amount that is no number of large contracts": (
        {**LIMIT, "amount": "25"},
        LARGE_CONTRACTS,
        FLAT,
        "AMOUNT_OFF_STEP",
        "the nearest valid values are 20 and 30 ZRX",
    ),
    "a price on a market order": (
        {**MARKET, "price": "100000"},
        SPOT,
        SPOT_STANDING,
        "PRICE_NOT_TAKEN",
        "price: a market order has none",
    ),
    "no price on a limit order": (
        {"type": "limit", "amount": "0.1"},
        SPOT,
        SPOT_STANDING,
        "PRICE_MISSING",
        "price: a limit order needs one",
    ),
    "a trigger on a limit order": (
        {**LIMIT, "trigger_price": "95000"},
        SPOT,
        SPOT_STANDING,
        "TRIGGER_NOT_TAKEN",
        "trigger_price: a limit order has none",
    ),
    "no trigger on a stop": (
        {"type": "stop_limit", "amount": "0.1", "price": "94000"},
        SPOT,
        SPOT_STANDING,
        "TRIGGER_MISSING",
        "trigger_price: a stop_limit order needs one",
    ),
    "a trigger above the last price, selling": (
        {**STOP_LIMIT, "trigger_price": "100000"},
        SPOT,
        SPOT_STANDING,
        "TRIGGER_WRONG_SIDE",
        "and 100000 would trigger at once; use a price below it, such as 99999.9",
    ),
    "a trigger below the last price, buying": (
        {**STOP_LIMIT, "side": "buy", "trigger_price": "95000", "price": "96000"},
        SPOT,
        SPOT_STANDING,
        "TRIGGER_WRONG_SIDE",
        "use a price above it, such as 100000.1",
    ),
    "a time in force on a market order": (
        {**MARKET, "time_in_force": "IOC"},
        SPOT,
        SPOT_STANDING,
        "TIME_IN_FORCE_NOT_TAKEN",
        "only limit and stop_limit orders do",
    ),
    "post-only on a market order": (
        {**MARKET, "post_only": True},
        SPOT,
        SPOT_STANDING,
        "POST_ONLY_NOT_TAKEN",
        "only a limit order can",
    ),
    "post-only that may not rest": (
        {**LIMIT, "post_only": True, "time_in_force": "FOK"},
        SPOT,
        SPOT_STANDING,
        "TIME_IN_FORCE_NOT_TAKEN",
        "FOK contradicts it",
    ),
    "reduce-only on spot": (
        {**LIMIT, "reduce_only": True},
        SPOT,
        SPOT_STANDING,
        "REDUCE_ONLY_NOT_TAKEN",
        "no venue enforces it on spot",
    ),
    "a stop-market order that may open": (
        {**STOP_MARKET, "reduce_only": False},
        LINEAR,
        LONG,
        "REDUCE_ONLY_MISSING",
        "set reduce_only, or use stop_limit",
    ),
    "a stop-market order on spot": (
        {**STOP_MARKET, "reduce_only": False},
        SPOT,
        SPOT_STANDING,
        "REDUCE_ONLY_MISSING",
        "use stop_limit",
    ),
    "reduce-only that would open": (
        {**MARKET, "reduce_only": True},
        LINEAR,
        FLAT,
        "REDUCE_ONLY_WOULD_OPEN",
        "there is no position to reduce",
    ),
    "reduce-only that would add": (
        {**MARKET, "reduce_only": True},
        LINEAR,
        LONG,
        "REDUCE_ONLY_WOULD_OPEN",
        "the position is long 0.5 BTC, which only a sell reduces",
    ),
    "reduce-only of a leg that is not there": (
        {**MARKET, "side": "buy", "reduce_only": True},
        LINEAR,
        HEDGED,
        "REDUCE_ONLY_WOULD_OPEN",
        "there is no short position for a buy to reduce",
    ),
    "a type that the market does not take": (
        STOP_LIMIT,
        replace(SPOT, order_types=frozenset({OrderType.MARKET, OrderType.LIMIT})),
        SPOT_STANDING,
        "ORDER_TYPE_NOT_TAKEN",
        "it takes market, limit",
    ),
    "a halted or delisted market": (
        LIMIT,
        replace(SPOT, is_trading=False),
        SPOT_STANDING,
        "MARKET_NOT_TRADING",
        "BTC/USDT takes no new orders",
    ),
    "one order too many": (
        LIMIT,
        replace(SPOT, max_orders=1),
        replace(SPOT_STANDING, resting=(resting(),)),
        "TOO_MANY_ORDERS",
        "1 open orders of this account, and the venue keeps at most 1",
    ),
    "one stop too many": (
        STOP_LIMIT,
        replace(SPOT, max_conditional_orders=1),
        replace(SPOT_STANDING, resting=(stop(is_conditional=False),)),
        "TOO_MANY_ORDERS",
        "1 conditional orders",
    ),
    "more than may be held": (
        {**LIMIT, "amount": "0.601"},
        replace(SPOT, max_position=D(3)),
        replace(SPOT_STANDING, resting=(resting(side="buy", amount=D("0.4")),)),
        "POSITION_TOO_LARGE",
        "with 2.4 BTC held and on order, this would pass the venue's most of 3; at most 0.6 more can be bought",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_with_its_own_code_and_the_valid_values(case: str) -> None:
    request, terms, standing, code, told = BAD[case]
    with pytest.raises(OrderRefusedError) as refused:
        planned(asked(**request), terms, standing)
    assert refused.value.code == code
    assert told in refused.value.message


def test_a_refusal_speaks_one_sentence_of_one_line() -> None:
    for request, terms, standing, _, _ in BAD.values():
        with pytest.raises(OrderRefusedError) as refused:
            planned(asked(**request), terms, standing)
        assert "\n" not in refused.value.message
        assert not refused.value.message.endswith(".")


GOOD: dict[str, tuple[dict[str, Any], MarketTerms, Standing, dict[str, Any]]] = {
    "spot limit": (LIMIT, SPOT, SPOT_STANDING, {"amount": D("0.1"), "price": D(100_000)}),
    "trailing zeros stay as they were asked": (
        {**LIMIT, "amount": "0.100"},
        SPOT,
        SPOT_STANDING,
        {"amount": D("0.1")},
    ),
    "the least amount": ({**LIMIT, "amount": "0.001"}, SPOT, SPOT_STANDING, {"amount": D("0.001")}),
    "the most": ({**LIMIT, "price": "90000", "amount": "100"}, SPOT, SPOT_STANDING, {"amount": D(100)}),
    "the edge of the band": ({**LIMIT, "price": "120000"}, SPOT, SPOT_STANDING, {"price": D(120_000)}),
    "the least worth": (
        {**LIMIT, "price": "20000", "amount": "0.001"},
        replace(SPOT, notional=replace(SPOT.notional, least=D(20))),  # pyright: ignore[reportArgumentType] - it has one
        SPOT_STANDING,
        {"amount": D("0.001")},
    ),
    "a cost": (
        {"type": "market", "cost": "100.1"},
        SPOT,
        SPOT_STANDING,
        {"amount": None, "cost": D("100.1")},
    ),
    "spot stop-limit": (STOP_LIMIT, SPOT, SPOT_STANDING, {"trigger_price": D(95_000)}),
    "post-only": ({**LIMIT, "post_only": True}, SPOT, SPOT_STANDING, {"is_post_only": True}),
    "reduce-only below the least worth": (
        {**MARKET, "side": "sell", "amount": "0.001", "reduce_only": True},
        replace(LINEAR, notional=replace(LINEAR.notional, least=D(1000))),  # pyright: ignore[reportArgumentType] - it has one
        LONG,
        {"is_reduce_only": True},
    ),
    "contracts of 0.001": ({**LIMIT, "amount": "0.0123"}, SMALL_CONTRACTS, FLAT, {"amount": D("12.3")}),
    "contracts of 10": ({**LIMIT, "amount": "250"}, LARGE_CONTRACTS, FLAT, {"amount": D(25)}),
    "inverse contracts of 10 USD": (
        {"type": "market", "cost": "250"},
        INVERSE,
        FLAT,
        {"amount": D(25), "cost": None},
    ),
    "a buy up to the most that may be held": (
        {**LIMIT, "amount": "0.6"},
        replace(SPOT, max_position=D(3)),
        replace(SPOT_STANDING, resting=(resting(side="buy", amount=D("0.4")),)),
        {"amount": D("0.6")},
    ),
}


@pytest.mark.parametrize("case", GOOD)
def test_a_good_order_is_planned_as_it_was_asked_in_the_venues_unit(case: str) -> None:
    request, terms, standing, parts = GOOD[case]
    plan = planned(asked(**request), terms, standing)
    assert {name: getattr(plan.write, name) for name in parts} == parts
    assert plan.write.symbol == terms.symbol
    assert plan.write.client_order_id == "desk-1"
    assert plan.market.market_id == terms.market_id


def test_base_stands_beside_the_amount_in_contracts() -> None:
    plan = planned(asked(**{**LIMIT, "amount": "0.0123"}), SMALL_CONTRACTS, FLAT)
    assert (plan.write.amount, plan.base_amount) == (D("12.3"), D("0.0123"))
    inverse = planned(asked(type="market", cost="250"), INVERSE, FLAT)
    assert (inverse.write.amount, inverse.base_amount, inverse.quote_amount) == (D(25), None, D(250))


def test_hedge_mode_and_conditional_orders_on_contracts_are_planned_and_not_written() -> None:
    hedged = planned(asked(**MARKET), LINEAR, HEDGED)
    conditional = planned(asked(**STOP_MARKET), LINEAR, LONG)
    both = planned(asked(**STOP_MARKET), LINEAR, HEDGED)
    codes = [plan.refusal.code for plan in (hedged, conditional, both) if plan.refusal]
    assert codes == [ErrorCode.HEDGE_MODE, ErrorCode.NOT_OFFERED_YET, ErrorCode.HEDGE_MODE]
    assert planned(asked(**STOP_LIMIT)).refusal is None
    assert planned(asked(**MARKET), LINEAR, FLAT).refusal is None


def test_a_rule_whose_figures_are_not_told_is_named_and_not_taken_as_no_rule() -> None:
    unknown = Reference(last=None, mark=None, average=None)
    silent = replace(SPOT_STANDING, resting=None)
    told = planned(asked(**STOP_LIMIT), SPOT, silent, unknown).unchecked
    assert [sentence.partition(":")[0] for sentence in told] == [
        "the distance of the price",
        "the side of the trigger price",
        "the number of open orders",
    ]
    bare = replace(SPOT, notional=None, band=None)
    assert [s.partition(":")[0] for s in planned(asked(**LIMIT), bare).unchecked] == [
        "the worth of the order",
        "the distance of the price",
    ]
    market = planned(asked(**MARKET), SPOT, SPOT_STANDING, unknown)
    assert market.unchecked == ("the worth of the order: the average price is not told",)
    reducing = planned(asked(**{**MARKET, "reduce_only": True}), LINEAR, replace(FLAT, held=None))
    assert reducing.unchecked == ("what reduce_only would reduce: the position or its mode is not told",)
    capped = replace(SPOT, max_position=D(3))
    assert planned(asked(**LIMIT), capped, replace(SPOT_STANDING, free_base=None)).unchecked == (
        "the most that may be held: balances or open orders are not told",
    )


def test_nothing_stands_unchecked_where_everything_is_told() -> None:
    assert planned(asked(**LIMIT)).unchecked == ()
    assert planned(asked(**MARKET), LINEAR, FLAT).unchecked == ()


def test_steps_that_are_counted_from_the_minimum_are_checked_from_there() -> None:
    terms = replace(
        LINEAR,
        amount=AmountGrid(step=D("0.002"), least=D("0.005"), most=D(1), origin=D("0.005")),
        market_amount=None,
        price=PriceGrid(tick=D("0.5"), least=D("0.3"), most=D(200_000), origin=D("0.3")),
    )
    good = planned(asked(type="limit", amount="0.007", price="100000.3"), terms, FLAT)
    assert good.write.amount == D("0.007")
    with pytest.raises(
        OrderRefusedError, match=r"from 0\.005; the nearest valid values are 0\.005 and 0\.007"
    ):
        planned(asked(type="limit", amount="0.006", price="100000.3"), terms, FLAT)
    with pytest.raises(OrderRefusedError, match=r"the nearest valid values are 99999\.8 and 100000\.3"):
        planned(asked(type="limit", amount="0.007", price="100000"), terms, FLAT)


def test_rules_that_exclude_one_another_refuse_every_amount_in_a_sentence() -> None:
    terms = replace(
        LINEAR,
        amount=AmountGrid(step=D("0.002"), least=None, most=None),
        market_amount=AmountGrid(step=D("0.002"), least=None, most=None, origin=D("0.001")),
    )
    with pytest.raises(OrderRefusedError, match="the market's own rules exclude one another"):
        planned(asked(**MARKET), terms, FLAT)


@pytest.mark.parametrize(
    "value", ["1e3", " 1", "1_000", "+1", "01", "", "٣", "NaN", "1.", 1, 1.5, True, None]
)
def test_a_number_that_is_no_plain_decimal_text_is_no_request(value: object) -> None:
    if value is None:
        assert asked(**{**LIMIT, "amount": None}).amount is None
        return
    with pytest.raises(ValidationError):
        asked(**{**LIMIT, "amount": value})


@pytest.mark.parametrize("extra", [{"reduceOnly": True}, {"params": {}}, {"leverage": 10}])
def test_an_unknown_part_of_a_request_is_an_error_and_never_dropped(extra: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        asked(**LIMIT, **extra)


@pytest.mark.parametrize(
    "wrong", [{"reduce_only": "true"}, {"side": "BUY"}, {"type": "take_profit"}, {"post_only": 1}]
)
def test_a_part_of_another_type_is_no_request(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        asked(**{**LIMIT, **wrong})


def test_a_client_order_id_that_is_no_id_is_the_callers_mistake() -> None:
    from exchange_mcp.orders.placing import plan_order  # noqa: PLC0415 - beside its one use

    with pytest.raises(ValueError, match="an order id has"):
        plan_order(asked(**LIMIT), SPOT, REFERENCE, SPOT_STANDING, client_order_id="../x")


def test_a_cancel_names_one_order_and_finds_it_by_either_id() -> None:
    known = stop(order_id="7", client_order_id="mine")
    standing = holding(long("1"), resting=(known,))
    by_id = plan_cancel(CancelRequest(symbol="x", order_id="7"), LINEAR, standing)
    by_ours = plan_cancel(CancelRequest(symbol="x", client_order_id="mine"), LINEAR, standing)
    assert by_id.order == by_ours.order == known
    assert by_id.write.is_conditional
    assert by_id.refusal is not None
    missing = plan_cancel(CancelRequest(symbol="x", order_id="8"), LINEAR, standing)
    assert missing.order is None
    assert missing.refusal is None


@pytest.mark.parametrize(
    "ids", [{}, {"order_id": "7", "client_order_id": "m"}, {"order_id": "a/../b"}, {"order_id": ""}]
)
def test_a_cancel_of_no_order_of_two_or_by_no_id_is_refused(ids: dict[str, str]) -> None:
    with pytest.raises(OrderRefusedError) as refused:
        plan_cancel(CancelRequest(symbol="x", **ids), SPOT, SPOT_STANDING)
    assert refused.value.code == "ORDER_ID_INVALID"


@pytest.mark.parametrize(
    ("leverage", "terms", "code"),
    [
        (126, LINEAR, "LEVERAGE_TOO_HIGH"),
        (0, LINEAR, "NUMBER_ZERO"),
        (-3, LINEAR, "NUMBER_NEGATIVE"),
        (3, SPOT, "LEVERAGE_NOT_TAKEN"),
    ],
)
def test_a_leverage_that_the_market_does_not_have_is_refused(
    leverage: int, terms: MarketTerms, code: str
) -> None:
    with pytest.raises(OrderRefusedError) as refused:
        plan_leverage(LeverageRequest(symbol="x", leverage=leverage), terms, FLAT)
    assert refused.value.code == code


def test_a_leverage_is_planned_up_to_the_markets_maximum() -> None:
    assert plan_leverage(LeverageRequest(symbol="x", leverage=125), LINEAR, FLAT).write.leverage == 125
    hedged = plan_leverage(LeverageRequest(symbol="x", leverage=1), LINEAR, HEDGED)
    assert hedged.refusal is not None
    unknown = plan_leverage(
        LeverageRequest(symbol="x", leverage=200), replace(LINEAR, max_leverage=None), FLAT
    )
    assert unknown.unchecked == ("the leverage: the market's maximum is not told",)


@pytest.mark.parametrize("wrong", [{"cost": D(1)}, {"amount": None}, {"amount": None, "cost": D(1)}])
def test_an_order_has_an_amount_or_a_cost_and_only_a_market_buy_has_a_cost(
    wrong: dict[str, Any],
) -> None:
    given: dict[str, Any] = {
        "symbol": "x",
        "side": "buy",
        "type": OrderType.LIMIT,
        "price": D(1),
        "amount": D(1),
    }
    with pytest.raises(ValueError, match="cost"):
        PlaceOrder(client_order_id="a", **{**given, **wrong})


def test_a_short_is_reduced_by_a_buy() -> None:
    plan = planned(asked(**{**MARKET, "reduce_only": True}), LINEAR, holding(short("0.5")))
    assert plan.write.is_reduce_only
