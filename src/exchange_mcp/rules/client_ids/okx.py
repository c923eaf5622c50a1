"""OKX: client order ids, windows and look-ups of plain orders; its conditional ones are in seven lists of their own.

https://www.okx.com/docs-v5/en/#order-book-trading-trade-post-place-order
https://www.okx.com/docs-v5/en/#order-book-trading-trade-get-order-details
"""

from typing import Final

from exchange_mcp.model.findings import Source
from exchange_mcp.rules.client_ids.declared import (
    Exact,
    Gap,
    IdRules,
    Listed,
    LookUps,
    OrderIds,
    RowFields,
    Unique,
    WindowRules,
)
from exchange_mcp.rules.endpoints import Endpoint
from exchange_mcp.rules.private.declared import ALL

_DOCS: Final = "https://www.okx.com/docs-v5/en"
_ROW: Final = RowFields(
    order_id="ordId",
    client_id="clOrdId",
    symbol="instId",
    created="cTime",
    updated="uTime",
    status="state",
    side="side",
    amount="sz",
    filled="accFillSz",
    average="avgPx",
)
_IN_PARTS: Final = "is asked for one kind of instrument at a time, so that one list is not whole"

ORDER_IDS: Final = (
    OrderIds(
        types=ALL,
        is_conditional=False,
        ids=IdRules(
            longest=32,
            pattern=r"[A-Za-z0-9]{1,32}",
            fields={
                Endpoint("POST", "private", "trade/order"): "clOrdId",
                Endpoint("POST", "private", "trade/batch-orders"): "clOrdId",
            },
            unique=Unique.OPEN_ORDERS,
            unique_for="an order that ended frees its id, and a look-up answers the latest that has it",
            is_echoed=True,
            page=f"{_DOCS}/#order-book-trading-trade-post-place-order",
        ),
        window=WindowRules(
            travels="header",
            name="expTime",
            unit="last_ms",
            default_ms=None,
            longest_ms=None,
            early_ms=30_000,
            refuses_late=True,
            # As a parameter it would end in the body, where it is not read.
            is_sent=False,
            page=f"{_DOCS}/#overview-general-info",
        ),
        lookups=LookUps(
            exact=(
                Exact(
                    call="privateGetTradeOrder",
                    client_id="clOrdId",
                    order_id="ordId",
                    symbol="instId",
                    rows="data",
                    shape="list",
                    fields=_ROW,
                    # "Order does not exist": https://www.okx.com/docs-v5/en/#error-code-rest-api-trade
                    absent=frozenset({(200, "51603")}),
                ),
            ),
            lists=(
                Listed(
                    source=Source.OPEN_ORDERS,
                    call="privateGetTradeOrdersPending",
                    rows="data",
                    fields=_ROW,
                    symbol="instId",
                    limit="limit",
                    size=100,
                ),
                Gap(source=Source.CONDITIONAL_ORDERS, why="is in seven parts, which are not sought in"),
                Gap(source=Source.CLOSED_ORDERS, why=_IN_PARTS),
                Gap(source=Source.TRADES, why=_IN_PARTS),
            ),
            lag_ms=600_000,
            lag_is_documented=False,
            lag_page="",
            # What was cancelled without a trade is gone after two hours.
            keeps_ms=2 * 3_600_000,
            success=("code", "0"),
            clock=("publicGetPublicTime", "data.0.ts", "ms"),
        ),
    ),
)
