"""Signed spot endpoints about orders, under /api/v3: new, query, cancel, open, all, and the trades they made.

Source: https://github.com/binance/binance-spot-api-docs/blob/master/rest-api.md (trading and account endpoints)
"""

from exchange_mcp.sim import order_params, rejections, selection
from exchange_mcp.sim.digits import fixed
from exchange_mcp.sim.errors import invalid
from exchange_mcp.sim.keys import Access
from exchange_mcp.sim.matching import Trade
from exchange_mcp.sim.orders import Side, SpotOrder
from exchange_mcp.sim.routes import Routes, SignedCall, SignedRoute
from exchange_mcp.sim.spot_filters import MARKETS, STOPS
from exchange_mcp.sim.wire import Payload

ARCHIVED_AFTER_MS = 90 * 86_400_000
_KINDS = STOPS | {"LIMIT", "LIMIT_MAKER", "MARKET"}
_ANSWERS = frozenset({"ACK", "RESULT", "FULL"})


def new_order(call: SignedCall) -> Payload:
    """Place an order; answer its number (ACK), what became of it (RESULT), or also its trades (FULL)."""
    params = call.params
    draft = _draft(call)
    default = "FULL" if draft.kind in {"LIMIT", "MARKET"} else "ACK"
    shape = order_params.choice(params, "newOrderRespType", _ANSWERS, default, invalid("newOrderRespType"))
    order, trades = call.exchange.spot_engine.place(call.account, draft, call.now_ms)
    answer = {
        "symbol": order.instrument.name,
        "orderId": order.order_id,
        "orderListId": -1,
        "clientOrderId": order.client_order_id,
        "transactTime": call.now_ms,
    }
    if shape == "ACK":
        return answer
    answer |= {
        **_amounts(order),
        **_stop(order),
        "workingTime": order.working_ms,
        "selfTradePreventionMode": order.prevention,
    }
    return answer if shape == "RESULT" else answer | {"fills": [_fill(trade) for trade in trades]}


def query_order(call: SignedCall) -> Payload:
    """Answer one order; one that ended without a trade over 90 days ago is archived."""
    order = _find(call)
    if order is None:
        raise rejections.no_such_order()
    is_old = call.now_ms - order.created_ms > ARCHIVED_AFTER_MS
    if is_old and not order.executed and not order.is_open:
        raise rejections.archived()
    return _row(order)


def cancel_order(call: SignedCall) -> Payload:
    """End an open order."""
    params = call.params
    order = _find(call)
    restriction = order_params.choice(
        params, "cancelRestrictions", {"ONLY_NEW", "ONLY_PARTIALLY_FILLED"}, "", rejections.bad_restriction()
    )
    if order is None or not order.is_open:
        raise rejections.unknown_order()
    if restriction and restriction.removeprefix("ONLY_") != order.status:
        raise rejections.restricted_cancel()
    ended = call.exchange.spot_engine.cancel(call.account, order, call.now_ms)
    return {
        "symbol": ended.instrument.name,
        "origClientOrderId": ended.client_order_id,
        "orderId": ended.order_id,
        "orderListId": -1,
        "clientOrderId": order_params.client_id(params, "newClientOrderId") or f"cancel-{ended.order_id}",
        "transactTime": call.now_ms,
        **_amounts(ended),
        **_stop(ended),
        "selfTradePreventionMode": ended.prevention,
    }


def open_orders(call: SignedCall) -> Payload:
    """Answer what rests, of one pair or of all."""
    symbol = call.params.symbol()
    if symbol is not None:
        call.exchange.spot(symbol)
    return [_row(order) for order in call.account.orders.spot.open(symbol)]


def all_orders(call: SignedCall) -> Payload:
    """Answer the latest orders of one pair, or those from an order number or within a time."""
    known = call.account.orders.spot.every(_symbol(call))
    return [_row(order) for order in selection.orders(call.params, known, selection.SPOT_HOURS)]


def my_trades(call: SignedCall) -> Payload:
    """Answer the latest trades of one pair, of one order, from a trade number or within a time."""
    made = selection.trades(call.params, call.account.spot_trades, _symbol(call), selection.SPOT_HOURS)
    return [_trade_row(trade) for trade in made]


def _row(order: SpotOrder) -> dict[str, object]:
    return {
        "symbol": order.instrument.name,
        "orderId": order.order_id,
        "orderListId": -1,
        "clientOrderId": order.client_order_id,
        **_amounts(order),
        "stopPrice": fixed(order.stop_price),
        "icebergQty": "0.00000000",
        "time": order.created_ms,
        "updateTime": order.updated_ms,
        "isWorking": order.is_working,
        "workingTime": order.working_ms,
        "selfTradePreventionMode": order.prevention,
    }


def _draft(call: SignedCall) -> SpotOrder:
    params = call.params
    instrument = call.exchange.spot(params.mandatory_symbol()).instrument
    side, kind = order_params.side(params), order_params.kind(params, _KINDS)
    is_market, is_stop = kind in MARKETS, kind in STOPS
    if is_market or kind == "LIMIT_MAKER":
        order_params.refuse(params, "timeInForce")
    if is_market:
        order_params.refuse(params, "price")
    if not is_stop:
        order_params.refuse(params, "stopPrice")
    if kind != "MARKET":
        order_params.refuse(params, "quoteOrderQty")
    quote = order_params.number(params, "quoteOrderQty")
    if kind == "MARKET" and (params.text("quantity") is None) is (params.text("quoteOrderQty") is None):
        raise rejections.one_of("quantity", "quoteOrderQty") if not quote else rejections.bad_composition()
    needs_time = kind == "LIMIT" or kind.endswith("_LIMIT")
    return SpotOrder(
        instrument=instrument,
        order_id=0,
        client_order_id=order_params.client_id(params, "newClientOrderId"),
        side=side,
        kind=kind,
        time_in_force=order_params.time_in_force(params, {"GTC", "IOC", "FOK"}, is_mandatory=needs_time),
        quantity=order_params.number(params, "quantity", is_mandatory=kind != "MARKET"),
        quote_quantity=quote,
        price=order_params.number(params, "price", is_mandatory=not is_market),
        stop_price=order_params.number(params, "stopPrice", is_mandatory=is_stop),
        is_working=not is_stop,
        prevention=order_params.prevention(params),
        working_ms=-1,
        created_ms=0,
        updated_ms=0,
    )


def _symbol(call: SignedCall) -> str:
    return call.exchange.spot(call.params.mandatory_symbol()).instrument.name


def _find(call: SignedCall) -> SpotOrder | None:
    symbol = _symbol(call)
    number = call.params.integer("orderId")
    client = call.params.text("origClientOrderId")
    shelf = call.account.orders.spot
    if number is not None:
        order = shelf.find(number)
    elif client is not None:
        order = shelf.find_client(client)
    else:
        raise rejections.one_of("origClientOrderId", "orderId")
    return order if order is not None and order.instrument.name == symbol else None


def _amounts(order: SpotOrder) -> dict[str, object]:
    return {
        "price": fixed(order.price),
        "origQty": fixed(order.quantity),
        "executedQty": fixed(order.executed),
        "origQuoteOrderQty": fixed(order.quote_quantity),
        "cummulativeQuoteQty": fixed(order.executed_quote),
        "status": order.status,
        "timeInForce": order.time_in_force,
        "type": order.kind,
        "side": order.side,
    }


def _stop(order: SpotOrder) -> dict[str, object]:
    return {"stopPrice": fixed(order.stop_price)} if order.kind in STOPS else {}


def _fill(trade: Trade) -> dict[str, object]:
    return {
        "price": fixed(trade.price),
        "qty": fixed(trade.quantity),
        "commission": fixed(trade.commission),
        "commissionAsset": trade.commission_asset,
        "tradeId": trade.trade_id,
    }


def _trade_row(trade: Trade) -> dict[str, object]:
    return {
        "symbol": trade.instrument.name,
        "id": trade.trade_id,
        "orderId": trade.order_id,
        "orderListId": -1,
        "price": fixed(trade.price),
        "qty": fixed(trade.quantity),
        "quoteQty": fixed(trade.quote),
        "commission": fixed(trade.commission),
        "commissionAsset": trade.commission_asset,
        "time": trade.at_ms,
        "isBuyer": trade.side is Side.BUY,
        "isMaker": trade.is_maker,
        "isBestMatch": True,
    }


_ONE = frozenset({"symbol"})
_WHICH = _ONE | {"orderId", "origClientOrderId"}
_SPAN = _ONE | {"orderId", "startTime", "endTime", "limit"}
_NEW = _ONE | {
    "side",
    "type",
    "timeInForce",
    "quantity",
    "quoteOrderQty",
    "price",
    "stopPrice",
    "newClientOrderId",
    "newOrderRespType",
    "selfTradePreventionMode",
}

ROUTES: Routes = {
    ("POST", "/api/v3/order"): SignedRoute(new_order, _NEW, access=Access.TRADE),
    ("GET", "/api/v3/order"): SignedRoute(query_order, _WHICH, weight=4),
    ("DELETE", "/api/v3/order"): SignedRoute(
        cancel_order, _WHICH | {"newClientOrderId", "cancelRestrictions"}, access=Access.TRADE
    ),
    ("GET", "/api/v3/openOrders"): SignedRoute(open_orders, _ONE, weight=6),
    ("GET", "/api/v3/allOrders"): SignedRoute(all_orders, _SPAN, weight=20),
    ("GET", "/api/v3/myTrades"): SignedRoute(my_trades, _SPAN | {"fromId"}, weight=20),
}
