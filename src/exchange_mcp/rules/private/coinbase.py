"""Coinbase: spot, by Advanced Trade. One list holds plain and conditional orders alike.

https://docs.cdp.coinbase.com/api-reference/advanced-trade-api/rest-api/accounts/list-accounts
https://docs.cdp.coinbase.com/api-reference/advanced-trade-api/rest-api/orders/list-orders
"""

from typing import Final

from exchange_mcp.rules.private.declared import (
    SPOT,
    BalanceFields,
    OrderFields,
    Page,
    PrivateReads,
    Source,
    frozen,
)

READS: Final = PrivateReads(
    balances=(
        Source(
            name="spot",
            types=SPOT,
            call="v3PrivateGetBrokerageAccounts",
            rows="accounts",
            fields=BalanceFields(
                asset="available_balance.currency", free=("available_balance.value",), used=("hold.value",)
            ),
            page=Page(size=250, param="cursor", by="cursor", told="cursor", more="has_next"),
        ),
    ),
    orders=(
        Source(
            name="spot",
            types=SPOT,
            call="v3PrivateGetBrokerageOrdersHistoricalBatch",
            params=frozen(order_status="OPEN", product_type="SPOT"),
            rows="orders",
            fields=OrderFields(market="product_id"),
            page=Page(size=250, param="cursor", by="cursor", told="cursor", more="has_next"),
            symbol=None,
        ),
    ),
)
