"""Binance: client order ids, windows and look-ups, on spot and USD-M, for plain and for conditional orders.

https://github.com/binance/binance-spot-api-docs/blob/master/rest-api.md
https://developers.binance.com/docs/derivatives/usds-margined-futures/trade/rest-api
"""

from dataclasses import replace
from typing import Final

from exchange_mcp.model.findings import Source
from exchange_mcp.rules.client_ids.declared import (
    Exact,
    IdRules,
    Listed,
    LookUps,
    OrderIds,
    RowFields,
    Unique,
    WindowRules,
)
from exchange_mcp.rules.endpoints import Endpoint
from exchange_mcp.rules.private.declared import LINEAR, SPOT

_SPOT_PAGE: Final = "https://github.com/binance/binance-spot-api-docs/blob/master/rest-api.md"
_USDM_PAGES: Final = "https://developers.binance.com/docs/derivatives/usds-margined-futures/trade/rest-api"
_DAY_MS: Final = 86_400_000
_MINUTE_MS: Final = 60_000

# The same words on every page of a signed request: it is processed where its timestamp is less than 1000 ms ahead of
# the server's time, and no more than recvWindow behind it. ccxt tells 10 s.
_WINDOW: Final = WindowRules(
    travels="field",
    name="recvWindow",
    unit="length_ms",
    default_ms=5_000,
    longest_ms=60_000,
    early_ms=1_000,
    refuses_late=True,
    is_sent=True,
    page="https://developers.binance.com/docs/binance-spot-api-docs/rest-api/request-security",
)
_USDM_WINDOW: Final = replace(
    _WINDOW, page="https://developers.binance.com/docs/derivatives/usds-margined-futures/general-info"
)

# "Order does not exist." (-2013) comes with HTTP 400, of orders that do exist too, for a while. No page says for how
# long; this is the longest that users measured and Binance's support explained by the size of its order database:
# https://github.com/Mike-Mercer/Binance-REST-Test
_LAG_MS: Final = 10 * _MINUTE_MS
_LAG_PAGE: Final = "https://github.com/Mike-Mercer/Binance-REST-Test"
_NO_SUCH_ORDER: Final = frozenset({(400, "-2013")})

_SPOT_ROW: Final = RowFields(
    order_id="orderId",
    client_id="clientOrderId",
    symbol="symbol",
    created="time",
    updated="updateTime",
    status="status",
    side="side",
    amount="origQty",
    filled="executedQty",
    cost="cummulativeQuoteQty",
)
_USDM_ROW: Final = replace(_SPOT_ROW, cost=None, average="avgPrice")
_ALGO_ROW: Final = RowFields(
    order_id="algoId",
    client_id="clientAlgoId",
    symbol="symbol",
    created="createTime",
    updated="updateTime",
    status="algoStatus",
    side="side",
    amount="quantity",
    spawned="actualOrderId",
)
_SPOT_TRADE: Final = RowFields(
    order_id="orderId", client_id=None, symbol="symbol", created="time", amount="qty", average="price"
)
_USDM_TRADE: Final = replace(_SPOT_TRADE, side="side")

_SPOT_EXACT: Final = Exact(
    call="privateGetOrder",
    client_id="origClientOrderId",
    order_id="orderId",
    fields=_SPOT_ROW,
    absent=_NO_SUCH_ORDER,
)
_SPOT: Final = OrderIds(
    types=SPOT,
    is_conditional=None,
    ids=IdRules(
        longest=36,
        pattern=r"[a-zA-Z0-9\-_]{1,36}",
        fields={Endpoint("POST", "private", "order"): "newClientOrderId"},
        unique=Unique.OPEN_ORDERS,
        unique_for="a new order may have the id of one that is filled or ended",
        is_echoed=True,
        page=f"{_SPOT_PAGE}#new-order--trade",
    ),
    window=_WINDOW,
    lookups=LookUps(
        exact=(_SPOT_EXACT,),
        by_order_id=_SPOT_EXACT,
        lists=(
            Listed(source=Source.OPEN_ORDERS, call="privateGetOpenOrders", fields=_SPOT_ROW),
            Listed(
                source=Source.CLOSED_ORDERS,
                call="privateGetAllOrders",
                fields=_SPOT_ROW,
                # "Otherwise most recent orders are returned", and of no span is said that one is meant; USD-M means the
                # last 7 days: https://developers.binance.com/docs/binance-spot-api-docs/rest-api/account-endpoints
                is_latest=True,
                since="startTime",
                until="endTime",
                span_ms=_DAY_MS,
                limit="limit",
                size=1000,
            ),
            Listed(
                source=Source.TRADES,
                call="privateGetMyTrades",
                fields=_SPOT_TRADE,
                since="startTime",
                until="endTime",
                span_ms=_DAY_MS,
                limit="limit",
                size=1000,
            ),
        ),
        lag_ms=_LAG_MS,
        lag_is_documented=False,
        lag_page=_LAG_PAGE,
        keeps_ms=90 * _DAY_MS,
        clock=("publicGetTime", "serverTime", "ms"),
    ),
)

_ALGO_EXACT: Final = Exact(
    call="fapiPrivateGetAlgoOrder",
    client_id="clientAlgoId",
    order_id="algoId",
    symbol=None,
    fields=_ALGO_ROW,
    absent=_NO_SUCH_ORDER,
)
_USDM_EXACT: Final = Exact(
    call="fapiPrivateGetOrder",
    client_id="origClientOrderId",
    order_id="orderId",
    fields=_USDM_ROW,
    absent=_NO_SUCH_ORDER,
)
_USDM_LOOKUPS: Final = LookUps(
    exact=(_USDM_EXACT,),
    by_order_id=_USDM_EXACT,
    lists=(
        # "All open orders" leaves the conditional ones out: these are lists of their own.
        Listed(source=Source.CONDITIONAL_ORDERS, call="fapiPrivateGetOpenAlgoOrders", fields=_ALGO_ROW),
        Listed(source=Source.OPEN_ORDERS, call="fapiPrivateGetOpenOrders", fields=_USDM_ROW),
        Listed(
            source=Source.CLOSED_CONDITIONAL_ORDERS,
            call="fapiPrivateGetAllAlgoOrders",
            fields=_ALGO_ROW,
            since="startTime",
            until="endTime",
            span_ms=7 * _DAY_MS,
            limit="limit",
            size=1000,
        ),
        Listed(
            source=Source.CLOSED_ORDERS,
            call="fapiPrivateGetAllOrders",
            fields=_USDM_ROW,
            since="startTime",
            until="endTime",
            span_ms=7 * _DAY_MS,
            limit="limit",
            size=1000,
        ),
        Listed(
            source=Source.TRADES,
            call="fapiPrivateGetUserTrades",
            fields=_USDM_TRADE,
            since="startTime",
            until="endTime",
            span_ms=7 * _DAY_MS,
            limit="limit",
            size=1000,
        ),
    ),
    lag_ms=_LAG_MS,
    lag_is_documented=False,
    lag_page=_LAG_PAGE,
    keeps_ms=3 * _DAY_MS,
    clock=("fapiPublicGetTime", "serverTime", "ms"),
)
_USDM: Final = OrderIds(
    types=LINEAR,
    is_conditional=False,
    ids=IdRules(
        longest=36,
        pattern=r"[\.A-Z\:/a-z0-9_-]{1,36}",
        fields={Endpoint("POST", "fapiPrivate", "order"): "newClientOrderId"},
        unique=Unique.OPEN_ORDERS,
        unique_for="a second open order with it is refused (-4116)",
        is_echoed=True,
        page=f"{_USDM_PAGES}/New-Order",
    ),
    window=_USDM_WINDOW,
    lookups=_USDM_LOOKUPS,
)
_CONDITIONAL: Final = OrderIds(
    types=LINEAR,
    is_conditional=True,
    ids=replace(
        _USDM.ids,
        fields={Endpoint("POST", "fapiPrivate", "algoOrder"): "clientAlgoId"},
        unique_for="a second open conditional order with it is refused",
        page=f"{_USDM_PAGES}/New-Algo-Order",
    ),
    window=_USDM_WINDOW,
    lookups=replace(_USDM_LOOKUPS, exact=(_ALGO_EXACT,)),
)

ORDER_IDS: Final = (_SPOT, _USDM, _CONDITIONAL)
