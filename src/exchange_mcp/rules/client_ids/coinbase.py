"""Coinbase: client order ids, on spot. No request takes one, so an order is found in lists alone.

https://docs.cdp.coinbase.com/api-reference/advanced-trade-api/rest-api/orders/create-order
https://docs.cdp.coinbase.com/api-reference/advanced-trade-api/rest-api/orders/list-orders
"""

from typing import Final

from exchange_mcp.model.findings import Source
from exchange_mcp.rules.client_ids.declared import (
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
from exchange_mcp.rules.private.declared import SPOT, frozen

_DOCS: Final = "https://docs.cdp.coinbase.com/api-reference/advanced-trade-api/rest-api/orders"
_ONE_ORIGIN: Final = "shows orders of one origin unless others are named, so that it is not whole"

ORDER_IDS: Final = (
    OrderIds(
        types=SPOT,
        is_conditional=None,
        ids=IdRules(
            # No page says how long it may be; the examples are no longer than a UUID.
            longest=36,
            pattern=r"[A-Za-z0-9-]{1,36}",
            # ccxt drops its own clientOrderId here and sends a random one; only this name reaches the wire.
            fields={Endpoint("POST", "v3/private", "brokerage/orders"): "client_order_id"},
            unique=Unique.ORIGINAL,
            unique_for="a repeat is answered with the first order; for how long is not said",
            is_echoed=True,
            page=f"{_DOCS}/create-order",
        ),
        window=WindowRules(
            travels="nowhere",
            default_ms=None,
            longest_ms=None,
            early_ms=None,
            refuses_late=False,
            is_sent=False,
            page=f"{_DOCS}/create-order",
        ),
        lookups=LookUps(
            exact_gap="no request takes a client order id",
            lists=(
                Listed(
                    source=Source.OPEN_ORDERS,
                    call="v3PrivateGetBrokerageOrdersHistoricalBatch",
                    rows="orders",
                    fields=RowFields(
                        order_id="order_id",
                        client_id="client_order_id",
                        symbol="product_id",
                        created="created_time",
                        status="status",
                        side="side",
                        filled="filled_size",
                        average="average_filled_price",
                        time="rfc3339",
                    ),
                    params=frozen(order_status="OPEN"),
                    symbol="product_ids",
                    limit="limit",
                    size=250,
                    more="has_next",
                ),
                Gap(source=Source.CLOSED_ORDERS, why=_ONE_ORIGIN),
                Gap(source=Source.TRADES, why="tells no client order id and was not read"),
            ),
            lag_ms=600_000,
            lag_is_documented=False,
            lag_page="",
            keeps_ms=None,
            clock=("v3PublicGetBrokerageTime", "epochMillis", "ms"),
        ),
    ),
)
