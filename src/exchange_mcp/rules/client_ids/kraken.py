"""Kraken: client order ids, windows and look-ups, on spot; its lists hold plain and conditional orders alike.

https://docs.kraken.com/api/docs/guides/spot-clordid
https://docs.kraken.com/api/docs/rest-api/add-order
https://docs.kraken.com/api/docs/rest-api/get-open-orders
https://docs.kraken.com/api/docs/rest-api/get-closed-orders
"""

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
from exchange_mcp.rules.private.declared import SPOT

_DOCS: Final = "https://docs.kraken.com/api/docs"
_ROW: Final = RowFields(
    order_id="_key",
    client_id="cl_ord_id",
    symbol=None,
    created="opentm",
    status="status",
    side="descr.type",
    amount="vol",
    filled="vol_exec",
    average="price",
    time="seconds",
)


def _exact(call: str, rows: str) -> Exact:
    return Exact(
        call=call,
        client_id="cl_ord_id",
        symbol=None,
        rows=rows,
        shape="by name",
        fields=_ROW,
        empty_is_absent=True,
        rest="result.count",
    )


ORDER_IDS: Final = (
    OrderIds(
        types=SPOT,
        is_conditional=None,
        ids=IdRules(
            # Free text. A UUID of 32 or 36 characters is taken too, and may come back in its other form.
            longest=18,
            pattern=r"[!-~]{1,18}",
            fields={Endpoint("POST", "private", "AddOrder"): "cl_ord_id"},
            unique=Unique.OPEN_ORDERS,
            unique_for="only among a client's open orders",
            is_echoed=False,
            page=f"{_DOCS}/guides/spot-clordid",
        ),
        window=WindowRules(
            travels="field",
            name="deadline",
            unit="last_rfc3339",
            default_ms=None,
            longest_ms=60_000,
            early_ms=None,
            refuses_late=True,
            is_sent=False,
            page=f"{_DOCS}/rest-api/add-order",
        ),
        lookups=LookUps(
            # QueryOrders knows no client order id: ccxt's fetch_order by one never finds anything.
            exact=(
                _exact("privatePostOpenOrders", "result.open"),
                _exact("privatePostClosedOrders", "result.closed"),
            ),
            lists=(
                Listed(
                    source=Source.OPEN_ORDERS,
                    call="privatePostOpenOrders",
                    rows="result.open",
                    shape="by name",
                    fields=_ROW,
                    symbol=None,
                ),
                Listed(
                    source=Source.CLOSED_ORDERS,
                    call="privatePostClosedOrders",
                    rows="result.closed",
                    shape="by name",
                    fields=_ROW,
                    symbol=None,
                    since="start",
                    in_seconds=True,
                    size=50,
                    total="result.count",
                ),
                Listed(
                    source=Source.TRADES,
                    call="privatePostTradesHistory",
                    rows="result.trades",
                    shape="by name",
                    fields=RowFields(
                        order_id="ordertxid",
                        client_id=None,
                        symbol=None,
                        created="time",
                        side="type",
                        amount="vol",
                        average="price",
                        time="seconds",
                    ),
                    symbol=None,
                    since="start",
                    in_seconds=True,
                    size=50,
                    total="result.count",
                ),
            ),
            lag_ms=600_000,
            lag_is_documented=False,
            lag_page="",
            keeps_ms=None,
            success=("error", []),
            clock=("publicGetTime", "result.unixtime", "seconds"),
        ),
    ),
)
