"""How a USD-M account trades, under /fapi/v1: resting orders, position mode, leverage, brackets, commissions.

Sources, under https://developers.binance.com/docs/derivatives/usds-margined-futures:
trade/rest-api/Current-All-Open-Orders and Current-All-Algo-Open-Orders; account/rest-api/
Get-Current-Position-Mode, Get-Current-Multi-Assets-Mode, Symbol-Config, Notional-and-Leverage-Brackets
and User-Commission-Rate
"""

from exchange_mcp.sim.brackets import BRACKETS
from exchange_mcp.sim.digits import ZERO, fixed, fixed_or_zero
from exchange_mcp.sim.orders import AlgoOrder, FuturesOrder
from exchange_mcp.sim.routes import Routes, SignedCall, SignedRoute
from exchange_mcp.sim.usdm_account import max_notional
from exchange_mcp.sim.wire import Payload


def open_orders(call: SignedCall) -> Payload:
    """Answer the resting orders, of one contract or of all; conditional orders are not among them."""
    return [_order(order) for order in call.account.orders.futures(_known_symbol(call))]


def open_algo_orders(call: SignedCall) -> Payload:
    """Answer the conditional orders that were not triggered yet."""
    wanted = call.params.integer("algoId")
    kind = call.params.text("algoType")
    return [
        _algo_order(order)
        for order in call.account.orders.algo(_known_symbol(call))
        if wanted in {None, order.algo_id} and kind in {None, "CONDITIONAL"}
    ]


def position_mode(call: SignedCall) -> Payload:
    """Answer whether contracts have a long and a short leg of their own."""
    return {"dualSidePosition": call.account.is_hedged}


def multi_assets_mode(_call: SignedCall) -> Payload:
    """Answer whether assets other than USDT are margin too: never here."""
    return {"multiAssetsMargin": False}


def symbol_config(call: SignedCall) -> Payload:
    """Answer margin type and leverage, of one contract or of all."""
    symbol = _known_symbol(call)
    return [
        {
            "symbol": instrument.name,
            "marginType": "CROSSED",
            "isAutoAddMargin": False,
            "leverage": call.account.leverage[instrument.name],
            "maxNotionalValue": max_notional(call, instrument),
        }
        for instrument in (contract.tape.instrument for contract in call.exchange.contracts)
        if symbol in {None, instrument.name}
    ]


def leverage_bracket(call: SignedCall) -> Payload:
    """Answer the notional brackets: a list for all contracts, one object where a symbol was sent."""
    symbol = _known_symbol(call)
    return _brackets(symbol) if symbol is not None else [_brackets(name) for name in BRACKETS]


def commission_rate(call: SignedCall) -> Payload:
    """Answer the commission rates of one contract."""
    name = call.exchange.contract(call.params.mandatory_symbol()).tape.instrument.name
    return {"symbol": name, "makerCommissionRate": "0.000200", "takerCommissionRate": "0.000500"}


def _known_symbol(call: SignedCall) -> str | None:
    symbol = call.params.symbol()
    if symbol is not None:
        call.exchange.contract(symbol)
    return symbol


def _brackets(name: str) -> dict[str, object]:
    return {
        "symbol": name,
        "brackets": [
            {
                "bracket": level.number,
                "initialLeverage": level.max_leverage,
                "notionalCap": int(level.cap),
                "notionalFloor": int(level.floor),
                # The venue writes these two as JSON numbers.
                "maintMarginRatio": float(level.rate),
                "cum": float(level.amount),
            }
            for level in BRACKETS[name]
        ],
    }


def _order(order: FuturesOrder) -> dict[str, object]:
    instrument = order.instrument
    return {
        "orderId": order.order_id,
        "symbol": instrument.name,
        "status": "PARTIALLY_FILLED" if order.executed else "NEW",
        "clientOrderId": order.client_order_id,
        "price": fixed(order.price, instrument.price_places),
        "avgPrice": fixed(order.price if order.executed else ZERO, instrument.price_places),
        "origQty": fixed(order.quantity, instrument.quantity_places),
        "executedQty": fixed(order.executed, instrument.quantity_places),
        "cumQuote": fixed_or_zero(order.executed * order.price, 5),
        "timeInForce": "GTC",
        "type": "LIMIT",
        "reduceOnly": order.is_reduce_only,
        "closePosition": False,
        "side": order.side,
        "positionSide": order.position_side,
        "stopPrice": "0",
        "workingType": "CONTRACT_PRICE",
        "priceProtect": False,
        "origType": "LIMIT",
        "priceMatch": "NONE",
        "selfTradePreventionMode": "EXPIRE_MAKER",
        "goodTillDate": 0,
        "time": order.created_ms,
        "updateTime": order.updated_ms,
    }


def _algo_order(order: AlgoOrder) -> dict[str, object]:
    prices = order.instrument.price_places
    nothing = fixed(ZERO, prices)
    return {
        "algoId": order.algo_id,
        "clientAlgoId": order.client_algo_id,
        "algoType": "CONDITIONAL",
        "orderType": order.algo_type,
        "symbol": order.instrument.name,
        "side": order.side,
        "positionSide": order.position_side,
        "timeInForce": "GTC",
        "quantity": fixed(order.quantity, order.instrument.quantity_places),
        "algoStatus": "NEW",
        "actualOrderId": "",
        "actualPrice": nothing,
        "triggerPrice": fixed(order.trigger_price, prices),
        "price": fixed(order.price, prices),
        "icebergQuantity": None,
        "tpTriggerPrice": nothing,
        "tpPrice": nothing,
        "slTriggerPrice": nothing,
        "slPrice": nothing,
        "tpOrderType": "",
        "selfTradePreventionMode": "EXPIRE_MAKER",
        "workingType": order.working_type,
        "priceMatch": "NONE",
        "closePosition": order.is_close_position,
        "priceProtect": False,
        "reduceOnly": order.is_reduce_only,
        "createTime": order.created_ms,
        "updateTime": order.created_ms,
        "triggerTime": 0,
        "goodTillDate": 0,
    }


_ONE = frozenset({"symbol"})

ROUTES: Routes = {
    ("GET", "/fapi/v1/openOrders"): SignedRoute(open_orders, _ONE, weight=40),
    ("GET", "/fapi/v1/openAlgoOrders"): SignedRoute(
        open_algo_orders, _ONE | {"algoType", "algoId"}, weight=40
    ),
    ("GET", "/fapi/v1/positionSide/dual"): SignedRoute(position_mode, weight=30),
    ("GET", "/fapi/v1/multiAssetsMargin"): SignedRoute(multi_assets_mode, weight=30),
    ("GET", "/fapi/v1/symbolConfig"): SignedRoute(symbol_config, _ONE, weight=5),
    ("GET", "/fapi/v1/leverageBracket"): SignedRoute(leverage_bracket, _ONE),
    ("GET", "/fapi/v1/commissionRate"): SignedRoute(commission_rate, _ONE, weight=20),
}
