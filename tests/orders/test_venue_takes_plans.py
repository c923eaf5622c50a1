"""For any filters and any request: the plan says exactly what was asked, and the venue's own filters accept it."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from exchange_mcp.model.errors import ErrorCode, OrderRefusedError
from exchange_mcp.model.terms import MarketTerms, Reference, Resting, Standing
from exchange_mcp.model.writes import OrderType, PlaceOrder
from exchange_mcp.orders.requests import OrderRequest
from exchange_mcp.sim import spot_filters, usdm_filters
from exchange_mcp.sim.catalogue import SPOT, USDM
from exchange_mcp.sim.errors import VenueError
from exchange_mcp.sim.orders import AlgoOrder, FuturesOrder, PositionSide, Side, SpotOrder
from exchange_mcp.sim.spot_filters import SpotFilters, Surroundings
from exchange_mcp.sim.usdm_filters import UsdmFilters

from . import made
from .from_sim import spot_terms, usdm_terms

D = Decimal
EXAMPLES = 200


def scaled(units: int, places: int) -> Decimal:
    return D(units).scaleb(-places)


@st.composite
def grids(draw: st.DrawFn, *, may_be_off: bool) -> tuple[Decimal, Decimal, Decimal]:
    """Step, least and most: steps that are no power of ten, bounds that are no multiple of them."""
    places = draw(st.integers(0, 6))
    step = scaled(draw(st.sampled_from([1, 2, 5, 10, 25, 50, 3])), places)
    least = step * draw(st.integers(1, 5)) + (step / 2 if draw(st.booleans()) and may_be_off else 0)
    most = least + step * draw(st.integers(0, 400)) + (step / 2 if draw(st.booleans()) and may_be_off else 0)
    return (D(0) if may_be_off and draw(st.integers(0, 9)) == 0 else step), least, most


@st.composite
def near(draw: st.DrawFn, step: Decimal, least: Decimal, most: Decimal, origin: Decimal) -> Decimal:
    """A value on the grid most of the time, else on a bound, beyond one, or off the step."""
    unit = step or (most - least) / 7 or least
    first = origin + (least - origin) // unit * unit
    first += unit if first < least else 0
    inside = first + unit * draw(st.integers(0, max(0, int((most - first) / unit))))
    odd = draw(st.sampled_from([*[None] * 12, least, most, least - unit, most + unit, inside + unit / 4]))
    return round(inside if odd is None else odd, 8)


@st.composite
def spot_cases(draw: st.DrawFn) -> tuple[SpotFilters, OrderRequest, Reference, Standing]:
    tick, lowest, highest = draw(grids(may_be_off=True))
    step, least, most = draw(grids(may_be_off=True))
    market = draw(st.sampled_from([(D(0), D(0), most), (step, least, most), (step * 3, least, most - step)]))
    average = max(draw(near(tick, lowest, highest, D(0))), lowest)
    worth = least * average
    filters = SpotFilters(
        min_price=lowest,
        max_price=highest,
        tick_size=tick,
        min_qty=least,
        max_qty=most,
        step_size=step,
        market_min_qty=market[1],
        market_max_qty=market[2],
        market_step_size=market[0],
        bid_multiplier_up=draw(st.sampled_from([D("1.2"), D(5), D(10**4)])),
        bid_multiplier_down=draw(st.sampled_from([D("0.2"), D("0.8"), D(0)])),
        ask_multiplier_up=draw(st.sampled_from([D("1.2"), D(5), D(10**4)])),
        ask_multiplier_down=draw(st.sampled_from([D("0.2"), D("0.8"), D(0)])),
        percent_minutes=5,
        min_notional=round(worth * draw(st.sampled_from([0, 0, 1, 3])), 8),
        apply_min_to_market=draw(st.booleans()),
        max_notional=round(worth * draw(st.sampled_from([10, 1000, 10**6])) + 1, 8),
        apply_max_to_market=draw(st.booleans()),
        notional_minutes=5,
        max_num_orders=draw(st.integers(2, 6)),
        max_num_algo_orders=draw(st.integers(1, 3)),
        max_position=draw(st.sampled_from([None, most, most * 3])),
    )
    kind = draw(st.sampled_from(["limit", "market", "limit", "stop_limit"]))
    request = _request(draw, kind, (tick, lowest, highest, D(0)), (step, least, most, D(0)))
    rests = tuple(
        made.stop(amount=least, side=side, price=average, is_reduce_only=False, is_conditional=False)
        if is_stop
        else made.resting(amount=least, side=side, price=average)
        for is_stop, side in draw(
            st.lists(st.tuples(st.booleans(), st.sampled_from(["buy", "sell"])), max_size=4)
        )
    )
    standing = replace(
        made.SPOT_STANDING, free_base=draw(st.sampled_from([D(0), least, most])), resting=rests
    )
    last = draw(st.sampled_from([average, lowest, highest]))
    return filters, request, Reference(last=last, mark=None, average=average), standing


def _request(
    draw: st.DrawFn, kind: str, prices: tuple[Decimal, ...], amounts: tuple[Decimal, ...]
) -> OrderRequest:
    given: dict[str, Any] = {"type": kind, "side": draw(st.sampled_from(["buy", "sell"]))}
    given["amount"] = f"{draw(near(*amounts)):f}"
    if kind in {"limit", "stop_limit"}:
        given["price"] = f"{draw(near(*prices)):f}"
    if kind.startswith("stop"):
        given["trigger_price"] = f"{draw(near(*prices)):f}"
    return made.asked(**given)


def spot_row(f: SpotFilters) -> Mapping[str, Any]:
    """One symbol of /api/v3/exchangeInfo with these filters."""
    return {
        "symbol": "BTCUSDT",
        "status": "TRADING",
        "baseAsset": "BTC",
        "quoteAsset": "USDT",
        "quoteOrderQtyMarketAllowed": True,
        "filters": [
            _row("PRICE_FILTER", minPrice=f.min_price, maxPrice=f.max_price, tickSize=f.tick_size),
            _row("LOT_SIZE", minQty=f.min_qty, maxQty=f.max_qty, stepSize=f.step_size),
            _row(
                "MARKET_LOT_SIZE",
                minQty=f.market_min_qty,
                maxQty=f.market_max_qty,
                stepSize=f.market_step_size,
            ),
            _row(
                "PERCENT_PRICE_BY_SIDE",
                bidMultiplierUp=f.bid_multiplier_up,
                bidMultiplierDown=f.bid_multiplier_down,
                askMultiplierUp=f.ask_multiplier_up,
                askMultiplierDown=f.ask_multiplier_down,
                avgPriceMins=f.percent_minutes,
            ),
            _row(
                "NOTIONAL",
                minNotional=f.min_notional,
                applyMinToMarket=f.apply_min_to_market,
                maxNotional=f.max_notional,
                applyMaxToMarket=f.apply_max_to_market,
                avgPriceMins=f.notional_minutes,
            ),
            _row("MAX_NUM_ORDERS", maxNumOrders=f.max_num_orders),
            _row("MAX_NUM_ALGO_ORDERS", maxNumAlgoOrders=f.max_num_algo_orders),
            *([_row("MAX_POSITION", maxPosition=f.max_position)] if f.max_position is not None else []),
        ],
    }


def _row(kind: str, **fields: object) -> dict[str, Any]:
    return {
        "filterType": kind,
        **{name: f"{value:f}" if isinstance(value, Decimal) else value for name, value in fields.items()},
    }


def spot_verdict(
    request: OrderRequest, filters: SpotFilters, reference: Reference, standing: Standing
) -> VenueError | None:
    """What the venue's filters say of the order that was asked for."""
    kind = {"limit": "LIMIT", "market": "MARKET", "stop_limit": "STOP_LOSS_LIMIT"}[request.type.value]
    order = _spot_order(
        kind, request.side, request.amount or D(0), request.price or D(0), request.trigger_price or D(0)
    )
    average = reference.average or D(0)
    around = Surroundings(
        percent_price=average,
        notional_price=average,
        open_orders=[_rests(row) for row in standing.resting or ()],
        held=(standing.free_base or D(0)) + (standing.locked_base or D(0)),
    )
    try:
        spot_filters.check_filters(order, filters, around)
    except VenueError as error:
        return error
    return None


def _rests(row: Resting) -> SpotOrder:
    kind = "LIMIT" if row.trigger_price is None else "STOP_LOSS_LIMIT"
    return _spot_order(kind, row.side, row.amount or D(0), row.price or D(0), row.trigger_price or D(0))


def _spot_order(kind: str, side: str, amount: Decimal, price: Decimal, trigger: Decimal) -> SpotOrder:
    return SpotOrder(
        instrument=SPOT[0],
        order_id=0,
        client_order_id="",
        side=Side(side.upper()),
        kind=kind,
        quantity=amount,
        price=price,
        stop_price=trigger,
        working_ms=0,
        created_ms=0,
        updated_ms=0,
    )


def outcome(
    request: OrderRequest, terms: MarketTerms, standing: Standing, reference: Reference
) -> PlaceOrder | ErrorCode:
    try:
        return made.planned(request, terms, standing, reference).write
    except OrderRefusedError as error:
        return error.code


def says_what_was_asked(write: PlaceOrder, request: OrderRequest) -> bool:
    return (write.side, write.type, write.amount, write.price, write.trigger_price, write.is_reduce_only) == (
        request.side,
        request.type,
        request.amount,
        request.price,
        request.trigger_price,
        request.reduce_only,
    )


# Rules that the planner has and the venue's filters, which see one order and no tape, have not.
BEYOND_FILTERS = {ErrorCode.TRIGGER_WRONG_SIDE, ErrorCode.NUMBER_ZERO, ErrorCode.NUMBER_NEGATIVE}


@given(spot_cases())
@settings(max_examples=EXAMPLES, deadline=None)
def test_a_spot_plan_equals_its_request_and_the_venues_filters_accept_it_or_it_is_refused_as_they_would(
    case: tuple[SpotFilters, OrderRequest, Reference, Standing],
) -> None:
    filters, request, reference, standing = case
    found = outcome(request, spot_terms(spot_row(filters)), standing, reference)
    verdict = spot_verdict(request, filters, reference, standing)
    if isinstance(found, PlaceOrder):
        assert says_what_was_asked(found, request)
        assert verdict is None
    elif found not in BEYOND_FILTERS and request.type is not OrderType.STOP_LIMIT:
        # A stop's worth at its trigger is a rule of the vendor's older text: stricter than the filters here.
        assert verdict is not None


@st.composite
def usdm_cases(draw: st.DrawFn) -> tuple[UsdmFilters, OrderRequest, Reference, Standing]:
    tick, lowest, highest = draw(grids(may_be_off=False))
    lowest += draw(st.sampled_from([D(0), tick / 2]))
    highest += tick
    step, least, most = draw(grids(may_be_off=False))
    least += draw(st.sampled_from([D(0), step / 2]))
    most += step
    market = (step, least, most) if draw(st.booleans()) else (step, least + step, most)
    mark = draw(st.sampled_from([lowest, highest, (lowest + highest) / 2]))
    filters = UsdmFilters(
        min_price=lowest,
        max_price=highest,
        tick_size=tick,
        price_places=8,
        min_qty=least,
        max_qty=most,
        step_size=step,
        market_min_qty=market[1],
        market_max_qty=market[2],
        market_step_size=market[0],
        quantity_places=8,
        multiplier_up=draw(st.sampled_from([D("1.05"), D(10)])),
        multiplier_down=draw(st.sampled_from([D("0.95"), D("0.1")])),
        notional=round(least * mark * draw(st.sampled_from([0, 0, 1, 3])), 8),
        max_num_orders=draw(st.integers(2, 6)),
        max_num_algo_orders=draw(st.integers(1, 3)),
    )
    kind = draw(st.sampled_from(["limit", "market", "limit", "stop_limit", "stop_market"]))
    request = _request(draw, kind, (tick, lowest, highest, lowest), (step, least, most, least))
    held = draw(st.sampled_from([(), (made.long(f"{most:f}"),), (made.short(f"{least:f}"),)]))
    exits = bool(held) and (held[0].side == "long") is (request.side == "sell")
    reduces = kind == "stop_market" or (exits and draw(st.booleans()))
    rests = tuple(
        made.stop(amount=least, side="sell") if is_stop else made.resting(amount=least, price=mark)
        for is_stop in draw(st.lists(st.booleans(), max_size=4))
    )
    reference = Reference(last=draw(st.sampled_from([mark, lowest, highest])), mark=mark, average=None)
    standing = made.holding(*held, resting=rests)
    return filters, request.model_copy(update={"reduce_only": reduces}), reference, standing


def usdm_row(f: UsdmFilters) -> Mapping[str, Any]:
    """One symbol of /fapi/v1/exchangeInfo with these filters."""
    return {
        "symbol": "BTCUSDT",
        "status": "TRADING",
        "baseAsset": "BTC",
        "quoteAsset": "USDT",
        "marginAsset": "USDT",
        "filters": [
            _row("PRICE_FILTER", minPrice=f.min_price, maxPrice=f.max_price, tickSize=f.tick_size),
            _row("LOT_SIZE", minQty=f.min_qty, maxQty=f.max_qty, stepSize=f.step_size),
            _row(
                "MARKET_LOT_SIZE",
                minQty=f.market_min_qty,
                maxQty=f.market_max_qty,
                stepSize=f.market_step_size,
            ),
            _row("MAX_NUM_ORDERS", limit=f.max_num_orders),
            _row("MAX_NUM_ALGO_ORDERS", limit=f.max_num_algo_orders),
            _row("MIN_NOTIONAL", notional=f.notional),
            _row(
                "PERCENT_PRICE",
                multiplierUp=f.multiplier_up,
                multiplierDown=f.multiplier_down,
                multiplierDecimal="4",
            ),
        ],
    }


def usdm_verdict(
    request: OrderRequest, filters: UsdmFilters, reference: Reference, standing: Standing
) -> VenueError | None:
    common: dict[str, Any] = {
        "instrument": USDM[0],
        "order_id": 0,
        "client_order_id": "",
        "side": Side(request.side.upper()),
        "position_side": PositionSide.BOTH,
        "quantity": request.amount or D(0),
        "price": request.price or D(0),
        "is_reduce_only": request.reduce_only,
        "created_ms": 0,
        "updated_ms": 0,
    }
    rests = standing.resting or ()
    stops = sum(row.is_conditional for row in rests)
    try:
        if request.trigger_price is not None:
            kind = {"stop_limit": "STOP", "stop_market": "STOP_MARKET"}[request.type.value]
            order = AlgoOrder(kind=kind, trigger_price=request.trigger_price, **common)
            usdm_filters.check_algo_filters(order, filters, stops)
        else:
            plain = FuturesOrder(kind=request.type.value.upper(), **common)
            usdm_filters.check_filters(plain, filters, reference.mark or D(0), len(rests) - stops)
    except VenueError as error:
        return error
    return None


BRACKETS = {"brackets": [{"initialLeverage": 125}]}


@given(usdm_cases())
@settings(max_examples=EXAMPLES, deadline=None)
def test_a_contract_plan_equals_its_request_and_the_venues_filters_accept_it_or_it_is_refused_as_they_would(
    case: tuple[UsdmFilters, OrderRequest, Reference, Standing],
) -> None:
    filters, request, reference, standing = case
    found = outcome(request, usdm_terms(usdm_row(filters), BRACKETS), standing, reference)
    verdict = usdm_verdict(request, filters, reference, standing)
    if isinstance(found, PlaceOrder):
        assert says_what_was_asked(found, request)
        assert verdict is None
    elif found not in BEYOND_FILTERS | {ErrorCode.REDUCE_ONLY_WOULD_OPEN} and not request.type.has_trigger:
        # A market order is held to both grids here, the venue's own to the market grid alone.
        assert verdict is not None or request.type is OrderType.MARKET


@given(
    st.sampled_from([D("0.001"), D(10), D("0.5"), D(1000)]),
    st.sampled_from([D(1), D("0.1"), D("0.25")]),
    st.integers(1, 10**6),
    st.integers(0, 10**9),
)
@settings(max_examples=EXAMPLES, deadline=None)
def test_an_amount_in_base_is_a_number_of_contracts_exactly_or_the_nearest_ones_are_named(
    size: Decimal, step: Decimal, units: int, beside: int
) -> None:
    terms = replace(
        made.SMALL_CONTRACTS,
        contract_size=size,
        amount=replace(made.SMALL_CONTRACTS.amount, step=step, least=step, most=D(10**9)),
        notional=None,
    )
    asked = size * step * units + scaled(beside, 12)
    found = outcome(
        made.asked(type="limit", amount=f"{asked:f}", price="100000"), terms, made.FLAT, made.REFERENCE
    )
    if isinstance(found, PlaceOrder):
        assert found.amount is not None
        assert found.amount * size == asked
        assert found.amount % step == 0
    else:
        assert found is ErrorCode.AMOUNT_OFF_STEP
        assert asked % (size * step) != 0
