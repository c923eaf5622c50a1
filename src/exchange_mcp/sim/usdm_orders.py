"""Signed USD-M endpoints about orders, under /fapi/v1: new, query, cancel, open, all, and the trades they made.

Sources, under https://developers.binance.com/docs/derivatives/usds-margined-futures/trade/rest-api: New-Order,
Query-Order, Cancel-Order, Current-All-Open-Orders, All-Orders, Account-Trade-List
"""

from dataclasses import replace

from exchange_mcp.sim import order_params, rejections, selection
from exchange_mcp.sim.digits import ZERO, fixed, fixed_or_zero
from exchange_mcp.sim.errors import invalid
from exchange_mcp.sim.keys import Access
from exchange_mcp.sim.matching import Trade
from exchange_mcp.sim.orders import FuturesOrder, Placed, PositionSide, Side, Source, Status
from exchange_mcp.sim.routes import Routes, SignedCall, SignedRoute
from exchange_mcp.sim.usdm_trading import known_symbol
from exchange_mcp.sim.wire import Params, Payload

TIMES = frozenset({"GTC", "IOC", "FOK", "GTX"})
CONDITIONAL = frozenset({"STOP", "STOP_MARKET", "TAKE_PROFIT", "TAKE_PROFIT_MARKET"})
_UNTRADED_MS = 3 * 86_400_000
_EVERY_MS = 90 * 86_400_000
_PLAIN = frozenset({"LIMIT", "MARKET"})
_ELSEWHERE = CONDITIONAL | {"TRAILING_STOP_MARKET"}


def new_order(call: SignedCall) -> Payload:
    """Place an order; answer that it was accepted (ACK) or what became of it (RESULT)."""
    draft = _draft(call)
    shape = order_params.choice(
        call.params, "newOrderRespType", {"ACK", "RESULT"}, "ACK", invalid("newOrderRespType")
    )
    order = call.exchange.usdm_engine.place(call.account, draft, call.now_ms)
    return _placed(order) if shape == "RESULT" else _placed(_accepted(order))


def query_order(call: SignedCall) -> Payload:
    """Answer one order, unless it is so old that the venue forgot it."""
    order = _find(call)
    if order is None or is_forgotten(order, call.now_ms, was_traded=bool(order.executed)):
        raise rejections.no_such_order()
    return _row(order)


def cancel_order(call: SignedCall) -> Payload:
    """End an open order."""
    order = _find(call)
    if order is None:
        raise rejections.unknown_order()
    return _placed(call.exchange.usdm_engine.cancel(call.account, order, call.now_ms))


def open_orders(call: SignedCall) -> Payload:
    """Answer the resting orders, of one contract or of all; conditional orders are not among them."""
    return [_row(order) for order in call.account.orders.futures.open(known_symbol(call))]


def all_orders(call: SignedCall) -> Payload:
    """Answer the latest orders, of one contract or of all, or those from an order number or within a time."""
    known = [
        order
        for order in call.account.orders.futures.every(known_symbol(call))
        if not is_forgotten(order, call.now_ms, was_traded=bool(order.executed))
    ]
    return [_row(order) for order in selection.orders(call.params, known, selection.USDM_HOURS)]


def user_trades(call: SignedCall) -> Payload:
    """Answer the latest trades of one contract, of one order, from a trade number or within a time."""
    symbol = call.exchange.contract(call.params.mandatory_symbol()).instrument.name
    return [
        _trade(trade)
        for trade in selection.trades(call.params, call.account.usdm_trades, symbol, selection.USDM_HOURS)
    ]


def is_forgotten(order: Placed, now_ms: int, *, was_traded: bool) -> bool:
    """Say whether an order is not found any more.

    Three days after it was made where it ended without a trade, and 90 days after it was made in any case.
    """
    age = now_ms - order.created_ms
    return not order.is_open and (age > _EVERY_MS or (age > _UNTRADED_MS and not was_traded))


def leg(params: Params) -> PositionSide:
    """Return the leg that an order is for, BOTH where it was not sent; raise VenueError -4060."""
    text = order_params.choice(params, "positionSide", set(PositionSide), "BOTH", rejections.bad_leg())
    return PositionSide(text)


def reduce_only(params: Params, position_side: PositionSide) -> bool:
    """Return whether an order only reduces; raise VenueError -1106 where a hedged leg says so anyway."""
    is_set = order_params.flag(params, "reduceOnly")
    if params.text("reduceOnly") is not None and position_side is not PositionSide.BOTH:
        raise rejections.not_required("reduceonly")
    return is_set


def _draft(call: SignedCall) -> FuturesOrder:
    params = call.params
    instrument = call.exchange.contract(params.mandatory_symbol()).instrument
    side, kind = order_params.side(params), order_params.kind(params, _PLAIN | _ELSEWHERE)
    if kind in _ELSEWHERE:
        raise rejections.conditional_elsewhere()
    if kind == "MARKET":
        order_params.refuse(params, "timeInForce", "price")
    is_limit = kind == "LIMIT"
    position_side = leg(params)
    return FuturesOrder(
        instrument=instrument,
        order_id=0,
        client_order_id=order_params.client_id(params, "newClientOrderId"),
        side=side,
        position_side=position_side,
        kind=kind,
        origin=kind,
        time_in_force=order_params.time_in_force(params, TIMES, is_mandatory=is_limit),
        quantity=order_params.number(params, "quantity", is_mandatory=True),
        price=order_params.number(params, "price", is_mandatory=is_limit),
        prevention=order_params.prevention(params),
        is_reduce_only=reduce_only(params, position_side),
        source=Source.API,
        created_ms=0,
        updated_ms=0,
    )


def _find(call: SignedCall) -> FuturesOrder | None:
    symbol = call.exchange.contract(call.params.mandatory_symbol()).instrument.name
    number = call.params.integer("orderId")
    client = call.params.text("origClientOrderId")
    shelf = call.account.orders.futures
    if number is not None:
        order = shelf.find(number)
    elif client is not None:
        order = shelf.find_client(client)
    else:
        raise rejections.one_of("origClientOrderId", "orderId")
    return order if order is not None and order.instrument.name == symbol else None


def _accepted(order: FuturesOrder) -> FuturesOrder:
    return replace(order, status=Status.NEW, executed=ZERO, executed_quote=ZERO)


def _placed(order: FuturesOrder) -> dict[str, object]:
    places = order.instrument.quantity_places
    return {
        **_identity(order),
        "cumQty": fixed(order.executed, places),
        **_terms(order),
        "updateTime": order.updated_ms,
    }


def _row(order: FuturesOrder) -> dict[str, object]:
    return {
        **_identity(order),
        **_terms(order),
        "time": order.created_ms,
        "updateTime": order.updated_ms,
    }


def _identity(order: FuturesOrder) -> dict[str, object]:
    return {
        "orderId": order.order_id,
        "symbol": order.instrument.name,
        "status": order.status,
        "clientOrderId": order.client_order_id,
    }


def _terms(order: FuturesOrder) -> dict[str, object]:
    instrument = order.instrument
    return {
        "price": fixed(order.price, instrument.price_places),
        "avgPrice": fixed(order.average, instrument.price_places),
        "origQty": fixed(order.quantity, instrument.quantity_places),
        "executedQty": fixed(order.executed, instrument.quantity_places),
        "cumQuote": fixed_or_zero(order.executed_quote, 5),
        "timeInForce": order.time_in_force,
        "type": order.kind,
        "reduceOnly": order.is_reduce_only,
        "closePosition": order.is_close_position,
        "side": order.side,
        "positionSide": order.position_side,
        "stopPrice": "0",
        "workingType": "CONTRACT_PRICE",
        "priceProtect": False,
        "origType": order.origin,
        "priceMatch": "NONE",
        "selfTradePreventionMode": order.prevention,
        "goodTillDate": 0,
    }


def _trade(trade: Trade) -> dict[str, object]:
    return {
        "buyer": trade.side is Side.BUY,
        "commission": fixed(trade.commission),
        "commissionAsset": trade.commission_asset,
        "id": trade.trade_id,
        "maker": trade.is_maker,
        "orderId": trade.order_id,
        "price": fixed(trade.price, trade.instrument.price_places),
        "qty": fixed(trade.quantity, trade.instrument.quantity_places),
        "quoteQty": fixed(trade.quote),
        "realizedPnl": fixed(trade.realized),
        "side": trade.side,
        "positionSide": trade.position_side,
        "symbol": trade.instrument.name,
        "time": trade.at_ms,
    }


_ONE = frozenset({"symbol"})
_WHICH = _ONE | {"orderId", "origClientOrderId"}
_SPAN = _ONE | {"orderId", "startTime", "endTime", "limit"}
_NEW = _ONE | {
    "side",
    "positionSide",
    "type",
    "timeInForce",
    "quantity",
    "reduceOnly",
    "price",
    "newClientOrderId",
    "newOrderRespType",
    "selfTradePreventionMode",
}

ROUTES: Routes = {
    ("POST", "/fapi/v1/order"): SignedRoute(new_order, _NEW, weight=0, access=Access.TRADE),
    ("GET", "/fapi/v1/order"): SignedRoute(query_order, _WHICH),
    ("DELETE", "/fapi/v1/order"): SignedRoute(cancel_order, _WHICH, access=Access.TRADE),
    ("GET", "/fapi/v1/openOrders"): SignedRoute(open_orders, _ONE, weight=40),
    ("GET", "/fapi/v1/allOrders"): SignedRoute(all_orders, _SPAN, weight=5),
    ("GET", "/fapi/v1/userTrades"): SignedRoute(user_trades, _SPAN | {"fromId"}, weight=5),
}
