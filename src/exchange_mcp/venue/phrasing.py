"""How a write is said to ccxt: the one method each kind calls, with the few parameters that we build ourselves.

Nothing here sends: without a capability (`egress`) the request that ccxt builds is blocked. Nothing that a
caller supplied reaches ccxt's `params`, which may override any field of a request and switch on resends.
"""

from collections.abc import Awaitable
from typing import Any

from exchange_mcp.model.decimals import text
from exchange_mcp.model.writes import CancelOrder, OrderType, PlaceOrder, SetLeverage, WriteRequest


def said(client: Any, request: WriteRequest) -> Awaitable[Any]:  # noqa: ANN401 - ccxt is untyped
    """The coroutine of ccxt for this write, not started."""
    match request:
        case PlaceOrder():
            return _placing(client, request)
        case CancelOrder():
            return _cancelling(client, request)
        case SetLeverage():
            return client.set_leverage(request.leverage, request.symbol, {})


def _placing(client: Any, request: PlaceOrder) -> Awaitable[Any]:  # noqa: ANN401 - as above
    params: dict[str, Any] = {"clientOrderId": request.client_order_id}
    if request.trigger_price is not None:
        params["triggerPrice"] = text(request.trigger_price)
    # With both, ccxt sends the time in force and drops post-only: binance.py, create_order_request, 4.5.90.
    if request.time_in_force is not None and not request.is_post_only:
        params["timeInForce"] = request.time_in_force
    if request.is_post_only:
        params["postOnly"] = True
    if request.is_reduce_only:
        params["reduceOnly"] = True
    if request.cost is not None:
        # ccxt's unified name; it goes out as quoteOrderQty, and the amount is left out.
        params["cost"] = text(request.cost)
    kind = "limit" if request.type in {OrderType.LIMIT, OrderType.STOP_LIMIT} else "market"
    # A price on a spot market order would make ccxt send its cost in quote instead of its amount.
    price = None if request.price is None else text(request.price)
    amount = None if request.amount is None else text(request.amount)
    return client.create_order(request.symbol, kind, request.side, amount, price, params)


def _cancelling(client: Any, request: CancelOrder) -> Awaitable[Any]:  # noqa: ANN401 - as above
    params: dict[str, Any] = {"trigger": True} if request.is_conditional else {}
    if request.client_order_id is not None:
        params["clientOrderId"] = request.client_order_id
    return client.cancel_order(request.order_id or "", request.symbol, params)
