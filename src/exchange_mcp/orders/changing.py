"""From a request to a cancel or a change of leverage."""

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.errors import ErrorCode, OrderRefusedError
from exchange_mcp.model.terms import MarketTerms, Resting, Standing
from exchange_mcp.model.writes import CancelOrder, SetLeverage, checked_id
from exchange_mcp.orders.placing import refusal
from exchange_mcp.orders.planned import PlannedCancel, PlannedLeverage, planned_market
from exchange_mcp.orders.requests import CancelRequest, LeverageRequest
from exchange_mcp.orders.wording import plain


def plan_cancel(request: CancelRequest, terms: MarketTerms, standing: Standing) -> PlannedCancel:
    """The cancel of exactly the order that was named, on a market that trades or not.

    An order that is not among the open ones may have ended meanwhile: it is planned, and its preview says so.

    Raises:
        OrderRefusedError: it names no order or two, or by an id that cannot be part of a request (ORDER_ID_INVALID).
    """
    ids = [value for value in (request.order_id, request.client_order_id) if value is not None]
    if len(ids) != 1:
        given = "neither is" if not ids else "both are"
        raise OrderRefusedError(
            ErrorCode.ORDER_ID_INVALID,
            f"order_id, client_order_id: exactly one is required, and {given} given",
        )
    try:
        checked_id(ids[0])
    except ValueError as error:
        raise OrderRefusedError(ErrorCode.ORDER_ID_INVALID, f"{plain(ids[0])}: {error}") from None
    order = _named(request, standing)
    is_conditional = order is not None and order.is_conditional
    return PlannedCancel(
        write=CancelOrder(
            symbol=terms.symbol,
            order_id=request.order_id,
            client_order_id=request.client_order_id,
            is_conditional=is_conditional,
        ),
        market=planned_market(terms),
        order=order,
        refusal=refusal(terms, standing, has_trigger=is_conditional),
    )


def plan_leverage(request: LeverageRequest, terms: MarketTerms, standing: Standing) -> PlannedLeverage:
    """The leverage that was asked for.

    Raises:
        OrderRefusedError: LEVERAGE_NOT_TAKEN on spot, NUMBER_ZERO, NUMBER_NEGATIVE, LEVERAGE_TOO_HIGH.
    """
    leverage, most = request.leverage, terms.max_leverage
    if terms.market_type is MarketType.SPOT:
        raise OrderRefusedError(
            ErrorCode.LEVERAGE_NOT_TAKEN, f"leverage: {plain(terms.symbol)} is spot and has none"
        )
    valid = "a whole number from 1" if most is None else f"a whole number from 1 to {most}"
    if leverage < 1:
        code = ErrorCode.NUMBER_ZERO if leverage == 0 else ErrorCode.NUMBER_NEGATIVE
        raise OrderRefusedError(code, f"leverage: {leverage} is none; it is {valid}")
    if most is not None and leverage > most:
        raise OrderRefusedError(
            ErrorCode.LEVERAGE_TOO_HIGH,
            f"leverage: {leverage} is above the market's maximum of {most}; it is {valid}",
        )
    unchecked = () if most is not None else ("the leverage: the market's maximum is not told",)
    return PlannedLeverage(
        write=SetLeverage(symbol=terms.symbol, leverage=leverage),
        market=planned_market(terms),
        unchecked=unchecked,
        refusal=refusal(terms, standing, has_trigger=False),
    )


def _named(request: CancelRequest, standing: Standing) -> Resting | None:
    for order in standing.resting or ():
        if request.order_id is not None and order.order_id == request.order_id:
            return order
        if request.client_order_id is not None and order.client_order_id == request.client_order_id:
            return order
    return None
