"""Kraken: spot. One list holds plain and conditional orders alike.

https://docs.kraken.com/api/docs/rest-api/get-extended-balance
https://docs.kraken.com/api/docs/rest-api/get-open-orders
"""

from typing import Final

from exchange_mcp.rules.private.declared import KEY, SPOT, BalanceFields, OrderFields, PrivateReads, Source

READS: Final = PrivateReads(
    in_turn=True,  # each nonce has to be higher than the last: https://docs.kraken.com/api/docs/guides/spot-rest-auth
    balances=(
        Source(
            name="spot",
            types=SPOT,
            call="privatePostBalanceEx",
            rows="result",
            shape="by name",
            fields=BalanceFields(asset=KEY, used=("hold_trade",), total=("balance",)),
        ),
    ),
    orders=(
        Source(
            name="spot",
            types=SPOT,
            call="privatePostOpenOrders",
            rows="result.open",
            shape="by name",
            fields=OrderFields(market="descr.pair"),
            symbol=None,
        ),
    ),
)
