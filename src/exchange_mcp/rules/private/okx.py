"""OKX: one trading account, whatever its level, so its kind need not be asked. Algo orders are listed by their type.

https://www.okx.com/docs-v5/en/#trading-account-rest-api-get-balance
https://www.okx.com/docs-v5/en/#trading-account-rest-api-get-positions
https://www.okx.com/docs-v5/en/#order-book-trading-trade-get-order-list
https://www.okx.com/docs-v5/en/#order-book-trading-algo-trading-get-algo-order-list
"""

from typing import Final

from exchange_mcp.rules.private.declared import (
    ALL,
    CONTRACTS,
    SPOT,
    BalanceFields,
    OrderFields,
    Page,
    PositionFields,
    PrivateReads,
    Source,
    frozen,
)

_POSITIONS: Final = PositionFields(
    market="instId",
    size="pos",
    side="posSide",
    sides={"long": "long", "short": "short"},
    signed=frozenset({"net"}),
    hedge="posSide",
    hedges={"net": False, "long": True, "short": True},
    margin="mgnMode",
    margins={"cross": "cross", "isolated": "isolated"},
    entry="avgPx",
    mark="markPx",
    liquidation="liqPx",
    # Its only notional is in US dollars, not in the settlement asset.
    leverage="lever",
    pnl="upl",
    updated="uTime",
)
_ORDERS: Final = OrderFields(market="instId")

READS: Final = PrivateReads(
    balances=(
        Source(
            name="trading",
            types=ALL,
            call="privateGetAccountBalance",
            rows="data.*.details",
            fields=BalanceFields(
                asset="ccy", free=("availEq", "availBal"), used=("frozenBal",), total=("eq",)
            ),
        ),
    ),
    positions=tuple(
        Source(
            name=name,
            types=CONTRACTS,
            call="privateGetAccountPositions",
            params=frozen(instType=kind),
            rows="data",
            fields=_POSITIONS,
        )
        for name, kind in (("perpetual", "SWAP"), ("dated", "FUTURES"))
    ),
    orders=(
        *(
            Source(
                name=name,
                types=types,
                call="privateGetTradeOrdersPending",
                params=frozen(instType=kind),
                rows="data",
                fields=_ORDERS,
                page=Page(size=100, param="after", by="row", told="ordId"),
                symbol="instId",
                dated=dated,
            )
            for name, types, kind, dated in (
                ("spot", SPOT, "SPOT", None),
                ("spot on margin", SPOT, "MARGIN", None),
                ("perpetual", CONTRACTS, "SWAP", False),
                ("dated", CONTRACTS, "FUTURES", True),
            )
        ),
        *(
            Source(
                name=f"algo {kind}",
                types=types,
                call="privateGetTradeOrdersAlgoPending",
                params=frozen(ordType=kind),
                rows="data",
                fields=_ORDERS,
                page=Page(size=100, param="after", by="row", told="algoId"),
                symbol="instId",
            )
            for kind, types in (
                ("conditional", ALL),
                ("oco", ALL),
                ("trigger", ALL),
                ("move_order_stop", ALL),
                ("chase", CONTRACTS),
                ("iceberg", ALL),
                ("twap", ALL),
            )
        ),
    ),
)
