"""Bybit: client order ids, windows and look-ups of a unified account.

https://bybit-exchange.github.io/docs/v5/order/create-order
https://bybit-exchange.github.io/docs/v5/order/open-order
https://bybit-exchange.github.io/docs/v5/order/order-list
https://bybit-exchange.github.io/docs/v5/order/execution
"""

from typing import Final

from exchange_mcp.model.accounts import MarketType
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
from exchange_mcp.rules.private.declared import frozen

_DOCS: Final = "https://bybit-exchange.github.io/docs/v5"
_WEEK_MS: Final = 7 * 86_400_000
# No page says that a page with fewer rows than were asked for is the last.
_CURSOR: Final = ("cursor", "result.nextPageCursor")

_IDS: Final = IdRules(
    longest=36,
    pattern=r"[A-Za-z0-9_-]{1,36}",
    fields={Endpoint("POST", "private", "v5/order/create"): "orderLinkId"},
    unique=Unique.ALWAYS,
    unique_for="a second order with it is refused (110072, 170141); for how long is not said",
    is_echoed=True,
    page=f"{_DOCS}/order/create-order",
)
_WINDOW: Final = WindowRules(
    travels="header",
    name="X-BAPI-RECV-WINDOW",
    unit="length_ms",
    default_ms=5_000,
    longest_ms=None,
    early_ms=1_000,
    refuses_late=True,
    is_sent=True,
    page=f"{_DOCS}/guide",
)
_ROW: Final = RowFields(
    order_id="orderId",
    client_id="orderLinkId",
    symbol="symbol",
    created="createdTime",
    updated="updatedTime",
    status="orderStatus",
    side="side",
    amount="qty",
    filled="cumExecQty",
    average="avgPrice",
)
_TRADE: Final = RowFields(
    order_id="orderId",
    client_id="orderLinkId",
    symbol="symbol",
    created="execTime",
    side="side",
    amount="execQty",
    average="execPrice",
)


def _of(market_type: MarketType) -> OrderIds:
    category = frozen(category=market_type.value)

    def exact(call: str) -> Exact:
        return Exact(
            call=call,
            client_id="orderLinkId",
            order_id="orderId",
            rows="result.list",
            shape="list",
            fields=_ROW,
            params=category,
            empty_is_absent=True,
            rest=_CURSOR[1],
        )

    def listed(source: Source, call: str, fields: RowFields, size: int) -> Listed:
        return Listed(
            source=source,
            call=call,
            rows="result.list",
            fields=fields,
            params=category,
            since="startTime",
            until="endTime",
            span_ms=_WEEK_MS,
            limit="limit",
            size=size,
            cursor=_CURSOR,
        )

    return OrderIds(
        types=(market_type,),
        is_conditional=None,
        ids=_IDS,
        window=_WINDOW,
        lookups=LookUps(
            # The first holds what is open and the last 500 that ended, until the venue restarts; the second, the rest.
            exact=(exact("privateGetV5OrderRealtime"), exact("privateGetV5OrderHistory")),
            lists=(
                # Conditional orders are in it: all kinds are, where none is named.
                Listed(
                    source=Source.OPEN_ORDERS,
                    call="privateGetV5OrderRealtime",
                    rows="result.list",
                    fields=_ROW,
                    params=category,
                    limit="limit",
                    size=50,
                    cursor=_CURSOR,
                ),
                listed(Source.CLOSED_ORDERS, "privateGetV5OrderHistory", _ROW, 50),
                listed(Source.TRADES, "privateGetV5ExecutionList", _TRADE, 100),
            ),
            # "Temporary delays" in volatile markets, of no stated length.
            lag_ms=600_000,
            lag_is_documented=False,
            lag_page=f"{_DOCS}/order/open-order",
            keeps_ms=None,
            clock=("publicGetV5MarketTime", "time", "ms"),
            success=("retCode", 0),
            kinds=frozenset({"unified", "unified 1"}),
        ),
    )


ORDER_IDS: Final = tuple(map(_of, MarketType))
