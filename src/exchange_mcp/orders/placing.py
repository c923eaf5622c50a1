"""From a request to the order on the venue's grid: every rule is checked with decimals, and nothing is ever rounded.

Sources: https://github.com/binance/binance-spot-api-docs/blob/master/filters.md and
https://developers.binance.com/docs/derivatives/usds-margined-futures/common-definition (filters)
"""

from decimal import Decimal

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.decimals import divide, multiply
from exchange_mcp.model.errors import ErrorCode, OrderRefusedError
from exchange_mcp.model.terms import MarketTerms, Reference, Standing
from exchange_mcp.model.writes import PlaceOrder, checked_id
from exchange_mcp.orders import limits, shapes
from exchange_mcp.orders.grids import Grid, amount_grid, price_grid
from exchange_mcp.orders.planned import PlannedOrder, Refusal, planned_market
from exchange_mcp.orders.requests import OrderRequest
from exchange_mcp.orders.wording import plain, shown, values


def plan_order(
    request: OrderRequest,
    terms: MarketTerms,
    reference: Reference,
    standing: Standing,
    *,
    client_order_id: str,
) -> PlannedOrder:
    """The order that says exactly what was asked, in the venue's own unit.

    Args:
        request: as asked; its symbol was resolved to `terms` before.
        terms: of the market.
        reference: prices that the venue compares an order with.
        standing: of the account there; what is not told is not checked, and named in `unchecked`.
        client_order_id: ours, minted elsewhere.

    Raises:
        OrderRefusedError: the request breaks a rule; the message says which, and the nearest valid values.
        ValueError: the client order id cannot be part of a request.
    """
    checked_id(client_order_id)
    shapes.check(request, terms)
    unchecked: list[str] = []
    base, quote, amount, cost = _sized(request, terms)
    _check_price("price", request.price, terms)
    _check_price("trigger_price", request.trigger_price, terms)
    limits.check_notional(request, terms, reference, unchecked)
    limits.check_band(request, terms, reference, unchecked)
    limits.check_trigger(request, terms, reference, unchecked)
    limits.check_count(request, terms, standing, unchecked)
    limits.check_position(request, terms, standing, unchecked)
    limits.check_reducing(request, terms, standing, unchecked)
    return PlannedOrder(
        write=PlaceOrder(
            symbol=terms.symbol,
            side=request.side,
            type=request.type,
            amount=amount,
            cost=cost,
            client_order_id=client_order_id,
            price=request.price,
            trigger_price=request.trigger_price,
            time_in_force=request.time_in_force,
            is_post_only=request.post_only,
            is_reduce_only=request.reduce_only,
        ),
        market=planned_market(terms),
        base_amount=base,
        quote_amount=quote,
        unchecked=tuple(unchecked),
        refusal=refusal(terms, standing, has_trigger=request.type.has_trigger),
    )


def refusal(terms: MarketTerms, standing: Standing, *, has_trigger: bool) -> Refusal | None:
    """Why a write on this market may be previewed and not done, None where nothing stands against it."""
    if standing.position_mode == "hedge":
        return Refusal(
            ErrorCode.HEDGE_MODE,
            "the account is in hedge mode: orders there are previewed and not written; switch it to one-way mode "
            "at the venue",
        )
    if has_trigger and terms.market_type is not MarketType.SPOT:
        return Refusal(
            ErrorCode.NOT_OFFERED_YET,
            "conditional orders on contracts are previewed and not written by this version",
        )
    return None


Sizes = tuple[Decimal | None, Decimal | None, Decimal | None, Decimal | None]
"""An order's size: in base, in quote, in the venue's unit, and as a cost to be sent."""


def _sized(request: OrderRequest, terms: MarketTerms) -> Sizes:
    grid = amount_grid(terms, request.type)
    if terms.market_type is MarketType.INVERSE and request.cost is not None:
        return None, request.cost, _contracts("cost", request.cost, grid, terms), None
    if request.cost is not None:
        step = terms.price.tick if terms.cost_step is None else terms.cost_step
        _check_size("cost", request.cost, Grid(step), terms.quote)
        return None, request.cost, None, request.cost
    if request.amount is None:
        raise OrderRefusedError(ErrorCode.AMOUNT_OR_COST, "exactly one of amount and cost is required")
    if terms.contract_size is not None:
        return request.amount, None, _contracts("amount", request.amount, grid, terms), None
    _check_size("amount", request.amount, grid, terms.base)
    return request.amount, None, request.amount, None


def _contracts(field: str, value: Decimal, grid: Grid | None, terms: MarketTerms) -> Decimal:
    """How many contracts make this much base, or quote where the market is inverse; on their grid that is exact."""
    unit = terms.quote if field == "cost" else terms.base
    size = terms.contract_size
    code = ErrorCode.COST_OFF_STEP if field == "cost" else ErrorCode.AMOUNT_OFF_STEP
    if size is None:
        raise OrderRefusedError(code, f"{field}: the size of a contract of {plain(terms.symbol)} is not told")
    _check_size(field, value, None if grid is None else grid.scaled(size), unit)
    contracts = divide(value, size, places=60)
    if multiply(contracts, size) != value:
        raise OrderRefusedError(
            code, f"{field}: {shown(value)} {plain(unit)} is no number of contracts of {shown(size)}"
        )
    return contracts


def _check_size(field: str, value: Decimal, grid: Grid | None, unit: str) -> None:
    codes = {
        "amount": (ErrorCode.AMOUNT_TOO_SMALL, ErrorCode.AMOUNT_TOO_LARGE, ErrorCode.AMOUNT_OFF_STEP),
        "cost": (ErrorCode.COST_TOO_SMALL, ErrorCode.COST_TOO_LARGE, ErrorCode.COST_OFF_STEP),
    }[field]
    _check_grid(field, value, grid, unit, codes)


def _check_price(field: str, value: Decimal | None, terms: MarketTerms) -> None:
    if value is None:
        return
    codes = {
        "price": (ErrorCode.PRICE_TOO_LOW, ErrorCode.PRICE_TOO_HIGH, ErrorCode.PRICE_OFF_TICK),
        "trigger_price": (ErrorCode.TRIGGER_TOO_LOW, ErrorCode.TRIGGER_TOO_HIGH, ErrorCode.TRIGGER_OFF_TICK),
    }[field]
    _check_grid(field, value, price_grid(terms), terms.quote, codes)


def _check_grid(
    field: str,
    value: Decimal,
    grid: Grid | None,
    unit: str,
    codes: tuple[ErrorCode, ErrorCode, ErrorCode],
) -> None:
    too_small, too_large, off_step = codes
    named = f"{field}: {shown(value)} {plain(unit)}"
    if grid is None:
        raise OrderRefusedError(
            off_step, f"{named} cannot be valid: the market's own rules exclude one another"
        )
    if grid.is_too_small(value):
        smallest = grid.smallest()
        told = "no value is valid here" if smallest is None else f"the least is {shown(smallest)}"
        raise OrderRefusedError(too_small, f"{named} is below the minimum; {told}")
    if grid.is_too_large(value):
        largest = grid.largest()
        told = "no value is valid here" if largest is None else f"the most is {shown(largest)}"
        raise OrderRefusedError(too_large, f"{named} is above the maximum; {told}")
    if not grid.is_on_step(value):
        nearest = values(grid.below(value), grid.above(value), unit)
        start = "" if Grid(grid.step).is_on_step(grid.origin) else f" from {shown(grid.origin)}"
        raise OrderRefusedError(
            off_step, f"{named} is not a multiple of {shown(grid.step)}{start}; {nearest}"
        )
