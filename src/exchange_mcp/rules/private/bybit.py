"""Bybit: one list of open orders a category holds plain and conditional ones alike.

Kinds: `unified` (its version 2, statuses 5 and 6) has one wallet; `unified 1` (statuses 3 and 4) keeps inverse
contracts in a wallet of their own. https://bybit-exchange.github.io/docs/v5/acct-mode
https://bybit-exchange.github.io/docs/v5/account/wallet-balance
https://bybit-exchange.github.io/docs/v5/position
https://bybit-exchange.github.io/docs/v5/order/open-order
"""

from typing import Final

from exchange_mcp.rules.private.declared import (
    ALL,
    INVERSE,
    LINEAR,
    SPOT,
    BalanceFields,
    OrderFields,
    Page,
    PositionFields,
    PrivateReads,
    Source,
    frozen,
)

_BALANCES: Final = BalanceFields(
    asset="coin",
    free=("availableToWithdraw",),
    used=("locked", "totalOrderIM", "totalPositionIM"),
    total=("walletBalance",),
)
_POSITIONS: Final = PositionFields(
    market="symbol",
    size="size",
    side="side",
    sides={"Buy": "long", "Sell": "short"},
    hedge="positionIdx",
    hedges={"0": False, "1": True, "2": True},
    hedge_sides={"1": "long", "2": "short"},
    entry="avgPrice",
    mark="markPrice",
    liquidation="liqPrice",
    notional="positionValue",
    leverage="leverage",
    pnl="unrealisedPnl",
    updated="updatedTime",
)
_ORDERS: Final = OrderFields(market="symbol")
_BY_200: Final = Page(size=200, param="cursor", by="cursor", told="result.nextPageCursor")
_BY_50: Final = Page(size=50, param="cursor", by="cursor", told="result.nextPageCursor")

READS: Final = PrivateReads(
    balances=(
        Source(
            name="unified",
            types=ALL,
            call="privateGetV5AccountWalletBalance",
            params=frozen(accountType="UNIFIED"),
            rows="result.list.*.coin",
            fields=_BALANCES,
            kinds=frozenset({"unified", "unified 1"}),
        ),
        Source(
            name="inverse",
            types=INVERSE,
            call="privateGetV5AccountWalletBalance",
            params=frozen(accountType="CONTRACT"),
            rows="result.list.*.coin",
            fields=_BALANCES,
            kinds=frozenset({"unified 1"}),
        ),
    ),
    positions=(
        *(
            Source(
                name=f"linear {coin}",
                types=LINEAR,
                call="privateGetV5PositionList",
                params=frozen(category="linear", settleCoin=coin),
                rows="result.list",
                fields=_POSITIONS,
                page=_BY_200,
            )
            for coin in ("USDT", "USDC")
        ),
        Source(
            name="inverse",
            types=INVERSE,
            call="privateGetV5PositionList",
            params=frozen(category="inverse"),
            rows="result.list",
            fields=_POSITIONS,
            page=_BY_200,
        ),
    ),
    orders=(
        Source(
            name="spot",
            types=SPOT,
            call="privateGetV5OrderRealtime",
            params=frozen(category="spot"),
            rows="result.list",
            fields=_ORDERS,
            page=_BY_50,
            kinds=frozenset({"unified", "unified 1"}),
        ),
        *(
            Source(
                name=f"linear {coin}",
                types=LINEAR,
                call="privateGetV5OrderRealtime",
                params=frozen(category="linear", settleCoin=coin),
                rows="result.list",
                fields=_ORDERS,
                page=_BY_50,
                settle=coin,
            )
            for coin in ("USDT", "USDC")
        ),
        Source(
            name="inverse",
            types=INVERSE,
            call="privateGetV5OrderRealtime",
            params=frozen(category="inverse"),
            rows="result.list",
            fields=_ORDERS,
            page=_BY_50,
        ),
    ),
)
