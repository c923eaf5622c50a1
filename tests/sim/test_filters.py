"""The venue's filters, with the examples and the codes of its own documentation.

https://github.com/binance/binance-spot-api-docs/blob/master/filters.md
https://developers.binance.com/docs/derivatives/usds-margined-futures/common-definition
https://developers.binance.com/docs/derivatives/usds-margined-futures/error-code
"""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from exchange_mcp.sim import spot_filters, usdm_filters
from exchange_mcp.sim.catalogue import SPOT, USDM
from exchange_mcp.sim.errors import VenueError
from exchange_mcp.sim.orders import AlgoOrder, FuturesOrder, PositionSide, Side, SpotOrder
from exchange_mcp.sim.spot_filters import SpotFilters, Surroundings
from exchange_mcp.sim.usdm_filters import UsdmFilters

D = Decimal

# Every number is the one of the vendor's example of that filter.
DOCUMENTED = SpotFilters(
    min_price=D("0.00000100"),
    max_price=D("100000.00000000"),
    tick_size=D("0.00000100"),
    min_qty=D("0.00100000"),
    max_qty=D("100000.00000000"),
    step_size=D("0.00100000"),
    market_min_qty=D("0.00100000"),
    market_max_qty=D("100000.00000000"),
    market_step_size=D("0.00100000"),
    bid_multiplier_up=D("1.2"),
    bid_multiplier_down=D("0.2"),
    ask_multiplier_up=D(5),
    ask_multiplier_down=D("0.8"),
    percent_minutes=1,
    min_notional=D("10.00000000"),
    apply_min_to_market=False,
    max_notional=D("10000.00000000"),
    apply_max_to_market=False,
    notional_minutes=5,
    max_num_orders=25,
    max_num_algo_orders=5,
    max_position=D("10.00000000"),
)


def spot_order(**terms: Any) -> SpotOrder:  # noqa: ANN401 - any field
    given: dict[str, Any] = {"side": Side.BUY, "price": D(100), "quantity": D(1)}
    fixed = {"order_id": 0, "client_order_id": "", "working_ms": 0, "created_ms": 0, "updated_ms": 0}
    return SpotOrder(instrument=SPOT[0], **fixed, **given | terms)


def spot_refusal(
    order: SpotOrder,
    filters: SpotFilters = DOCUMENTED,
    *,
    average: str = "100",
    open_orders: int = 0,
    stops: int = 0,
    held: str = "0",
) -> str | None:
    rests = [spot_order(quantity=D("0.1"), side=Side.SELL)] * open_orders
    rests += [spot_order(kind="STOP_LOSS_LIMIT", stop_price=D(90), side=Side.SELL)] * stops
    around = Surroundings(
        percent_price=D(average), notional_price=D(average), open_orders=rests, held=D(held)
    )
    try:
        spot_filters.check_filters(order, filters, around)
    except VenueError as error:
        if error.code != -1013:
            raise
        return error.msg.removeprefix("Filter failure: ")
    return None


WIDE = replace(
    DOCUMENTED,
    bid_multiplier_up=D(10**9),
    bid_multiplier_down=D(0),
    min_notional=D(0),
    max_notional=D(10**12),
)
NO_STOP_LOSS = {"kind": "MARKET", "price": D(0)}


@pytest.mark.parametrize(
    ("filters", "terms", "failed"),
    [
        (WIDE, {"price": D("0.000001"), "quantity": D(1)}, None),
        (WIDE, {"price": D("0.0000009"), "quantity": D(1)}, "PRICE_FILTER"),
        (WIDE, {"price": D(100_000)}, None),
        (WIDE, {"price": D("100000.000001")}, "PRICE_FILTER"),
        (WIDE, {"price": D("1.0000015")}, "PRICE_FILTER"),
        (WIDE, {"kind": "STOP_LOSS_LIMIT", "stop_price": D("1.0000015")}, "PRICE_FILTER"),
        (replace(WIDE, min_price=D(0)), {"price": D("0.000001")}, None),
        (replace(WIDE, max_price=D(0)), {"price": D(200_000)}, None),
        (replace(WIDE, tick_size=D(0)), {"price": D("1.0000015")}, None),
        (replace(WIDE, min_price=D(0)), {"price": D(0)}, "PRICE_FILTER"),
        # Buy: average * 1.2 and * 0.2; sell: * 5 and * 0.8. The average is 100.
        (DOCUMENTED, {"price": D(120)}, None),
        (DOCUMENTED, {"price": D("120.000001")}, "PERCENT_PRICE_BY_SIDE"),
        (DOCUMENTED, {"price": D(20)}, None),
        (DOCUMENTED, {"price": D("19.999999")}, "PERCENT_PRICE_BY_SIDE"),
        (DOCUMENTED, {"side": Side.SELL, "price": D(500)}, None),
        (DOCUMENTED, {"side": Side.SELL, "price": D("500.000001")}, "PERCENT_PRICE_BY_SIDE"),
        (DOCUMENTED, {"side": Side.SELL, "price": D(80)}, None),
        (DOCUMENTED, {"side": Side.SELL, "price": D("79.999999")}, "PERCENT_PRICE_BY_SIDE"),
        (WIDE, {"quantity": D("0.001")}, None),
        (WIDE, {"quantity": D("0.0009")}, "LOT_SIZE"),
        (replace(WIDE, max_position=None), {"quantity": D(100_000)}, None),
        (WIDE, {"quantity": D("100000.001")}, "LOT_SIZE"),
        (WIDE, {"quantity": D("0.0015")}, "LOT_SIZE"),
        (
            replace(WIDE, market_step_size=D("0.01")),
            {**NO_STOP_LOSS, "quantity": D("0.005")},
            "MARKET_LOT_SIZE",
        ),
        (replace(WIDE, market_min_qty=D("0.1")), {**NO_STOP_LOSS, "quantity": D("0.099")}, "MARKET_LOT_SIZE"),
        (replace(WIDE, market_max_qty=D(5)), {**NO_STOP_LOSS, "quantity": D("5.001")}, "MARKET_LOT_SIZE"),
        (replace(WIDE, market_max_qty=D(5)), {"quantity": D("5.001")}, None),
        # 10 and 10,000 in quote.
        (DOCUMENTED, {"quantity": D("0.1")}, None),
        (DOCUMENTED, {"quantity": D("0.099")}, "NOTIONAL"),
        (replace(DOCUMENTED, max_position=None), {"quantity": D(100)}, None),
        (replace(DOCUMENTED, max_position=None), {"quantity": D("100.001")}, "NOTIONAL"),
        (DOCUMENTED, {**NO_STOP_LOSS, "quantity": D("0.099")}, None),
        (replace(DOCUMENTED, apply_min_to_market=True), {**NO_STOP_LOSS, "quantity": D("0.099")}, "NOTIONAL"),
        (replace(DOCUMENTED, max_position=None), {**NO_STOP_LOSS, "quantity": D(101)}, None),
        (
            replace(DOCUMENTED, max_position=None, apply_max_to_market=True),
            {**NO_STOP_LOSS, "quantity": D(101)},
            "NOTIONAL",
        ),
        (DOCUMENTED, {**NO_STOP_LOSS, "quantity": D(0), "quote_quantity": D(5)}, None),
        (
            replace(DOCUMENTED, apply_min_to_market=True),
            {**NO_STOP_LOSS, "quantity": D(0), "quote_quantity": D(5)},
            "NOTIONAL",
        ),
    ],
)
def test_a_spot_order_fails_the_first_filter_that_it_does_not_keep_to(
    filters: SpotFilters, terms: dict[str, Any], failed: str | None
) -> None:
    assert spot_refusal(spot_order(**terms), filters) == failed


def test_algo_orders_count_as_orders_and_for_a_limit_of_their_own() -> None:
    stop = spot_order(kind="STOP_LOSS_LIMIT", stop_price=D(90), side=Side.SELL)
    assert spot_refusal(spot_order(), open_orders=19, stops=5) is None
    assert spot_refusal(spot_order(), open_orders=20, stops=5) == "MAX_NUM_ORDERS"
    assert spot_refusal(stop, stops=4) is None
    assert spot_refusal(stop, stops=5) == "MAX_NUM_ALGO_ORDERS"


def test_a_position_is_what_is_held_and_on_order_to_buy_and_binds_only_buys() -> None:
    order = spot_order(quantity=D(1))
    assert spot_refusal(order, held="9") is None
    assert spot_refusal(order, held="9.001") == "MAX_POSITION"
    assert spot_refusal(replace(order, side=Side.SELL), held="12") is None
    around = Surroundings(
        percent_price=D(100),
        notional_price=D(100),
        open_orders=[spot_order(quantity=D("1.5"), executed=D("0.5"))],
        held=D("8.001"),
    )
    with pytest.raises(VenueError, match="MAX_POSITION"):
        spot_filters.check_filters(order, DOCUMENTED, around)


# Minimum and step are the vendor's 0.001, prices those of its example in exchangeInfo: 556.8 at least, in tenths.
USDM_DOCUMENTED = UsdmFilters(
    min_price=D("556.8"),
    max_price=D(4_529_764),
    tick_size=D("0.1"),
    price_places=2,
    min_qty=D("0.001"),
    max_qty=D(1000),
    step_size=D("0.001"),
    market_min_qty=D("0.001"),
    market_max_qty=D(120),
    market_step_size=D("0.001"),
    quantity_places=3,
    multiplier_up=D("1.05"),
    multiplier_down=D("0.95"),
    notional=D(100),
    max_num_orders=200,
    max_num_algo_orders=10,
)


def futures_order(**terms: Any) -> FuturesOrder:  # noqa: ANN401 - any field
    given: dict[str, Any] = {"side": Side.BUY, "price": D(100_000), "quantity": D(1)}
    fixed = {"order_id": 0, "client_order_id": "", "created_ms": 0, "updated_ms": 0}
    return FuturesOrder(instrument=USDM[0], position_side=PositionSide.BOTH, **fixed, **given | terms)


OFF_CENTRE = replace(USDM_DOCUMENTED, min_qty=D("0.005"), step_size=D("0.002"))


@pytest.mark.parametrize(
    ("filters", "terms", "code"),
    [
        (USDM_DOCUMENTED, {}, None),
        (USDM_DOCUMENTED, {"quantity": D("0.0011")}, -1111),
        (USDM_DOCUMENTED, {"quantity": D(0)}, -4003),
        (OFF_CENTRE, {"quantity": D("0.004")}, -4004),
        (USDM_DOCUMENTED, {"quantity": D("1000.001")}, -4005),
        (USDM_DOCUMENTED, {"quantity": D(1000)}, None),
        (USDM_DOCUMENTED, {"kind": "MARKET", "price": D(0), "quantity": D("120.001")}, -4005),
        (USDM_DOCUMENTED, {"kind": "MARKET", "price": D(0), "quantity": D(120)}, None),
        # Steps are counted from the minimum: 0.005, 0.007, 0.009 ...
        (OFF_CENTRE, {"quantity": D("0.007")}, None),
        (OFF_CENTRE, {"quantity": D("0.006")}, -4023),
        (USDM_DOCUMENTED, {"price": D("100000.05")}, -4014),
        (USDM_DOCUMENTED, {"price": D("100000.001")}, -1111),
        (USDM_DOCUMENTED, {"price": D(0)}, -4001),
        (USDM_DOCUMENTED, {"price": D("4529764.1")}, -4002),
        (USDM_DOCUMENTED, {"price": D("556.7")}, -4013),
        # The mark price is 100,000: a buy may be at 105,000, a sale at 95,000.
        (USDM_DOCUMENTED, {"price": D(105_000)}, None),
        (USDM_DOCUMENTED, {"price": D("105000.1")}, -4016),
        (USDM_DOCUMENTED, {"price": D(95_000), "side": Side.SELL}, None),
        (USDM_DOCUMENTED, {"price": D("94999.9"), "side": Side.SELL}, -4024),
        (USDM_DOCUMENTED, {"price": D("94999.9")}, None),
        (USDM_DOCUMENTED, {"quantity": D("0.001")}, None),
        (replace(USDM_DOCUMENTED, notional=D("100.1")), {"quantity": D("0.001")}, -4164),
        (
            replace(USDM_DOCUMENTED, notional=D("100.1")),
            {"quantity": D("0.001"), "is_reduce_only": True},
            None,
        ),
    ],
)
def test_a_contract_order_fails_with_the_code_of_the_vendors_list(
    filters: UsdmFilters, terms: dict[str, Any], code: int | None
) -> None:
    found = None
    try:
        usdm_filters.check_filters(futures_order(**terms), filters, D(100_000), 0)
    except VenueError as error:
        found = error.code
    assert found == code


@pytest.mark.parametrize(
    ("terms", "code"),
    [
        ({}, None),
        ({"trigger_price": D("90000.05")}, -4014),
        ({"trigger_price": D(0)}, -4006),
        ({"trigger_price": D(4_529_765)}, -4007),
        ({"trigger_price": D("556.7")}, -4013),
        ({"quantity": D("120.001")}, -4005),
        ({"kind": "STOP", "price": D("90000.05")}, -4014),
    ],
)
def test_a_conditional_order_fails_with_the_code_of_the_vendors_list(
    terms: dict[str, Any], code: int | None
) -> None:
    given: dict[str, Any] = {"kind": "STOP_MARKET", "quantity": D(1), "trigger_price": D(90_000)}
    fixed = {"order_id": 0, "client_order_id": "", "created_ms": 0, "updated_ms": 0}
    order = AlgoOrder(
        instrument=USDM[0], side=Side.SELL, position_side=PositionSide.BOTH, **fixed, **given | terms
    )
    found = None
    try:
        usdm_filters.check_algo_filters(order, USDM_DOCUMENTED, 0)
    except VenueError as error:
        found = error.code
    assert found == code


def test_contracts_have_limits_of_open_and_of_conditional_orders_apart() -> None:
    usdm_filters.check_filters(futures_order(), USDM_DOCUMENTED, D(100_000), 199)
    with pytest.raises(VenueError, match="-2025"):
        usdm_filters.check_filters(futures_order(), USDM_DOCUMENTED, D(100_000), 200)
    order = AlgoOrder(
        instrument=USDM[0],
        side=Side.SELL,
        position_side=PositionSide.BOTH,
        kind="STOP_MARKET",
        quantity=D(1),
        trigger_price=D(90_000),
        order_id=0,
        client_order_id="",
        created_ms=0,
        updated_ms=0,
    )
    usdm_filters.check_algo_filters(order, USDM_DOCUMENTED, 9)
    with pytest.raises(VenueError, match="-4045"):
        usdm_filters.check_algo_filters(order, USDM_DOCUMENTED, 10)
