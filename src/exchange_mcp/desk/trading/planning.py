"""From a request, or from a plan that is journaled, to what is planned and its preview, by what was read. Pure."""

from exchange_mcp.desk.trading.situation import Situation
from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.decimals import multiply
from exchange_mcp.model.errors import ErrorCode, InvalidArgumentError, OrderRefusedError
from exchange_mcp.model.outcomes import Action
from exchange_mcp.model.plans import WirePlan
from exchange_mcp.model.terms import MarketTerms
from exchange_mcp.model.writes import CancelOrder, PlaceOrder, SetLeverage
from exchange_mcp.orders import shapes
from exchange_mcp.orders.change_previews import preview_cancel, preview_leverage
from exchange_mcp.orders.changing import plan_cancel, plan_leverage
from exchange_mcp.orders.placing import plan_order
from exchange_mcp.orders.planned import Planned, Refusal
from exchange_mcp.orders.preview import Preview
from exchange_mcp.orders.previewing import preview_order
from exchange_mcp.orders.requests import CancelRequest, LeverageRequest, OrderRequest

Request = OrderRequest | CancelRequest | LeverageRequest


def request_from(request: object) -> Request:
    """The request, if it is one.

    Raises:
        InvalidArgumentError: it is something else.
    """
    if isinstance(request, OrderRequest | CancelRequest | LeverageRequest):
        return request
    raise InvalidArgumentError("what is asked for is no order, no cancel and no change of leverage")


def action_of(request: Request) -> Action:
    """What kind of write it asks for."""
    match request:
        case OrderRequest():
            return "place"
        case CancelRequest():
            return "cancel"
        case LeverageRequest():
            return "leverage"


def always_reduces(request: Request, terms: MarketTerms) -> bool:
    """Whether it asks for an order that its venue would hold to reducing; hedge mode is refused elsewhere."""
    return (
        isinstance(request, OrderRequest) and request.reduce_only and terms.market_type is not MarketType.SPOT
    )


def refuse_at_once(request: Request, terms: MarketTerms) -> None:
    """Refuse what is refused whatever is read.

    Raises:
        OrderRefusedError: the order's shape is wrong, or this version does not write such an order.
    """
    if terms.market_type is MarketType.INVERSE:
        raise OrderRefusedError(
            ErrorCode.NOT_OFFERED_YET,
            "inverse contracts are previewed and not written by this version",
        )
    if isinstance(request, OrderRequest):
        shapes.check(request, terms)
        if request.type.has_trigger:
            raise OrderRefusedError(
                ErrorCode.NOT_OFFERED_YET,
                "conditional orders are previewed and not written by this version",
            )


def planned(request: Request, seen: Situation, client_order_id: str) -> tuple[Planned, Preview]:
    """The write on the venue's grid, with its preview; the client order id is that of an order to be placed.

    Raises:
        OrderRefusedError: it breaks a rule of the market, or may be previewed only.
    """
    terms, standing = seen.terms, seen.standing
    match request:
        case OrderRequest():
            order = plan_order(request, terms, seen.reference, standing, client_order_id=client_order_id)
            _check(order.refusal)
            return order, preview_order(order, terms, seen.reference, standing, seen.book)
        case CancelRequest():
            cancel = plan_cancel(request, terms, standing)
            _check(cancel.refusal)
            return cancel, preview_cancel(cancel, terms, standing)
        case LeverageRequest():
            leverage = plan_leverage(request, terms, standing)
            _check(leverage.refusal)
            return leverage, preview_leverage(leverage, terms, seen.reference, standing)


def _check(refusal: Refusal | None) -> None:
    if refusal is not None:
        raise refusal.error()


def request_of(plan: WirePlan) -> Request:
    """What was asked for, told from its plan."""
    write, symbol = plan.write, plan.market.symbol
    match write:
        case PlaceOrder():
            size, amount = plan.market.contract_size, write.amount
            return OrderRequest(
                symbol=symbol,
                side=write.side,
                type=write.type,
                amount=amount if amount is None or size is None else multiply(amount, size),
                cost=write.cost,
                price=write.price,
                trigger_price=write.trigger_price,
                time_in_force=write.time_in_force,
                post_only=write.is_post_only,
                reduce_only=write.is_reduce_only,
            )
        case CancelOrder():
            return CancelRequest(
                symbol=symbol, order_id=write.order_id, client_order_id=write.client_order_id
            )
        case SetLeverage():
            return LeverageRequest(symbol=symbol, leverage=write.leverage)
