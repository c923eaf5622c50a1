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

from .bad_requests import BAD, HEDGED, LIMIT, LONG, MARKET, STOP_LIMIT, STOP_MARKET
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
