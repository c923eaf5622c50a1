"""Signed USD-M endpoints about conditional orders, under /fapi/v1: new, query, cancel, open and all.

Sources, under https://developers.binance.com/docs/derivatives/usds-margined-futures/trade/rest-api:
New-Algo-Order, Query-Algo-Order, Cancel-Algo-Order, Current-All-Algo-Open-Orders, Query-All-Algo-Orders
"""

from exchange_mcp.sim import order_params, rejections, selection
from exchange_mcp.sim.digits import ZERO, fixed
from exchange_mcp.sim.errors import invalid
from exchange_mcp.sim.keys import Access
from exchange_mcp.sim.orders import AlgoOrder, PositionSide
from exchange_mcp.sim.routes import Routes, SignedCall, SignedRoute
from exchange_mcp.sim.usdm_orders import CONDITIONAL, TIMES, is_forgotten, leg, reduce_only
from exchange_mcp.sim.usdm_trading import known_symbol
from exchange_mcp.sim.wire import Payload

_PRICES = frozenset({"CONTRACT_PRICE", "MARK_PRICE"})


def new_algo_order(call: SignedCall) -> Payload:
    """Place a conditional order."""
    order_params.choice(call.params, "algoType", {"CONDITIONAL"}, "", invalid("algoType"))
    call.params.mandatory("algoType")
    order = call.exchange.algo_engine.place(call.account, _draft(call), call.now_ms)
    return _row(call, order)


def query_algo_order(call: SignedCall) -> Payload:
    """Answer one conditional order, unless it is so old that the venue forgot it."""
    order = _find(call)
    if order is None or _is_forgotten(call, order):
        raise rejections.no_such_order()
    return _row(call, order)


def cancel_algo_order(call: SignedCall) -> Payload:
    """End a conditional order that was not triggered yet."""
    order = _find(call)
    if order is None:
        raise rejections.unknown_order()
    ended = call.exchange.algo_engine.cancel(call.account, order, call.now_ms)
    return {
        "algoId": ended.order_id,
        "clientAlgoId": ended.client_order_id,
        "code": "200",
        "msg": "success",
    }


def open_algo_orders(call: SignedCall) -> Payload:
    """Answer the conditional orders that were not triggered yet."""
    wanted = call.params.integer("algoId")
    kind = call.params.text("algoType")
    return [
        _row(call, order)
        for order in call.account.orders.algo.open(known_symbol(call))
        if wanted in {None, order.order_id} and kind in {None, "CONDITIONAL"}
    ]


def all_algo_orders(call: SignedCall) -> Payload:
    """Answer the latest conditional orders of one contract, or those from a number or within a time."""
    symbol = call.exchange.contract(call.params.mandatory_symbol()).instrument.name
    known = [order for order in call.account.orders.algo.every(symbol) if not _is_forgotten(call, order)]
    return [
        _row(call, order) for order in selection.orders(call.params, known, selection.USDM_HOURS, "algoId")
    ]


def _draft(call: SignedCall) -> AlgoOrder:
    params = call.params
    instrument = call.exchange.contract(params.mandatory_symbol()).instrument
    side, kind = order_params.side(params), order_params.kind(params, CONDITIONAL)
    is_market = kind.endswith("_MARKET")
    position_side = leg(params)
    closes = order_params.flag(params, "closePosition")
    if closes and not is_market:
        raise rejections.unfit_close(kind)
    if closes and params.text("quantity") is not None:
        raise rejections.quantity_with_close()
    if closes:
        order_params.refuse(params, "reduceOnly")
    if is_market:
        order_params.refuse(params, "price")
    return AlgoOrder(
        instrument=instrument,
        order_id=0,
        client_order_id=order_params.client_id(params, "clientAlgoId"),
        side=side,
        position_side=position_side,
        kind=kind,
        time_in_force=order_params.time_in_force(params, TIMES, is_mandatory=False),
        quantity=order_params.number(params, "quantity", is_mandatory=not closes),
        price=order_params.number(params, "price", is_mandatory=not is_market),
        trigger_price=order_params.number(params, "triggerPrice", is_mandatory=True),
        working_type=order_params.choice(
            params, "workingType", _PRICES, "CONTRACT_PRICE", invalid("workingType")
        ),
        prevention=order_params.prevention(params),
        is_close_position=closes,
        is_reduce_only=reduce_only(params, position_side) or (closes and position_side is PositionSide.BOTH),
        created_ms=0,
        updated_ms=0,
    )


def _find(call: SignedCall) -> AlgoOrder | None:
    # The page on cancelling writes both names in small letters, and clients send them as all others do.
    number = call.params.integer("algoId")
    if number is None:
        number = call.params.integer("algoid")
    client = call.params.text("clientAlgoId") or call.params.text("clientalgoid")
    if number is not None:
        return call.account.orders.algo.find(number)
    if client is None:
        raise rejections.one_of("clientAlgoId", "algoId")
    return call.account.orders.algo.find_client(client)


def _is_forgotten(call: SignedCall, order: AlgoOrder) -> bool:
    sent = call.account.orders.sent_by(order)
    return is_forgotten(order, call.now_ms, was_traded=sent is not None and bool(sent.executed))


def _row(call: SignedCall, order: AlgoOrder) -> dict[str, object]:
    prices = order.instrument.price_places
    nothing = fixed(ZERO, prices)
    sent = call.account.orders.sent_by(order)
    return {
        "algoId": order.order_id,
        "clientAlgoId": order.client_order_id,
        "algoType": "CONDITIONAL",
        "orderType": order.kind,
        "symbol": order.instrument.name,
        "side": order.side,
        "positionSide": order.position_side,
        "timeInForce": order.time_in_force,
        "quantity": fixed(order.quantity, order.instrument.quantity_places),
        "algoStatus": call.account.orders.state_of(order),
        "actualOrderId": "" if sent is None else str(sent.order_id),
        "actualPrice": fixed(sent.average if sent else ZERO, prices),
        "triggerPrice": fixed(order.trigger_price, prices),
        "price": fixed(order.price, prices),
        "icebergQuantity": None,
        "tpTriggerPrice": nothing,
        "tpPrice": nothing,
        "slTriggerPrice": nothing,
        "slPrice": nothing,
        "tpOrderType": "",
        "selfTradePreventionMode": order.prevention,
        "workingType": order.working_type,
        "priceMatch": "NONE",
        "closePosition": order.is_close_position,
        "priceProtect": False,
        "reduceOnly": order.is_reduce_only,
        "createTime": order.created_ms,
        "updateTime": order.updated_ms,
        "triggerTime": order.triggered_ms,
        "goodTillDate": 0,
    }


_ONE = frozenset({"symbol"})
_WHICH = frozenset({"algoId", "clientAlgoId", "algoid", "clientalgoid"})
_NEW = _ONE | {
    "algoType",
    "side",
    "positionSide",
    "type",
    "timeInForce",
    "quantity",
    "price",
    "triggerPrice",
    "workingType",
    "closePosition",
    "reduceOnly",
    "clientAlgoId",
    "newOrderRespType",
    "selfTradePreventionMode",
}

ROUTES: Routes = {
    ("POST", "/fapi/v1/algoOrder"): SignedRoute(new_algo_order, _NEW, weight=0, access=Access.TRADE),
    ("GET", "/fapi/v1/algoOrder"): SignedRoute(query_algo_order, _WHICH),
    ("DELETE", "/fapi/v1/algoOrder"): SignedRoute(cancel_algo_order, _WHICH, access=Access.TRADE),
    ("GET", "/fapi/v1/openAlgoOrders"): SignedRoute(
        open_algo_orders, _ONE | {"algoType", "algoId"}, weight=40
    ),
    ("GET", "/fapi/v1/allAlgoOrders"): SignedRoute(
        all_algo_orders, _ONE | {"algoId", "startTime", "endTime", "page", "limit"}, weight=5
    ),
}
