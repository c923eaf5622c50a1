"""KuCoin: the classic account keeps spot and contracts at two hosts; the unified account has one wallet.

Kinds: `classic low` has spot orders that the high-frequency system does not list
(https://www.kucoin.com/docs-new/rest/account-info/account-funding/get-account-type-spot).
Spot orders are listed by market only, so the markets with an open order are asked first. Stop orders are kept apart.
https://www.kucoin.com/docs-new/rest/account-info/account-funding/get-account-list-spot
https://www.kucoin.com/docs-new/rest/account-info/account-funding/get-account-futures
https://www.kucoin.com/docs-new/rest/futures-trading/positions/get-position-list
https://www.kucoin.com/docs-new/rest/spot-trading/orders/get-symbols-with-open-order
https://www.kucoin.com/docs-new/rest/spot-trading/orders/get-open-orders
https://www.kucoin.com/docs-new/rest/spot-trading/orders/get-stop-orders-list
https://www.kucoin.com/docs-new/rest/futures-trading/orders/get-order-list
https://www.kucoin.com/docs-new/rest/futures-trading/orders/get-stop-order-list
The unified account: https://github.com/Kucoin/kucoin-universal-sdk/blob/main/sdk/golang/pkg/generate/uta
"""

from typing import Final

from exchange_mcp.rules.private.declared import (
    ALL,
    CONTRACTS,
    INVERSE,
    LINEAR,
    SPOT,
    BalanceFields,
    EachListed,
    EachSettlement,
    OrderFields,
    Page,
    PositionFields,
    PrivateReads,
    Source,
    frozen,
)

_CLASSIC: Final = frozenset({"classic", "classic low"})
_HIGH_FREQUENCY: Final = frozenset({"classic"})
_UNIFIED: Final = frozenset({"unified"})
_ORDERS: Final = OrderFields(market="symbol")
_FUTURES_BALANCE: Final = BalanceFields(
    asset="currency",
    free=("availableBalance",),
    used=("positionMargin", "orderMargin", "frozenFunds"),
    total=("accountEquity",),
)
_BY_NUMBER: Final = Page(size=100, param="currentPage", by="number", limit="pageSize")
_UTA_PAGE: Final = Page(size=200, param="pageNumber", by="number", limit="pageSize")

READS: Final = PrivateReads(
    balances=(
        *(
            Source(
                name=name,
                types=SPOT,
                call="privateGetAccounts",
                params=frozen(type=kind),
                rows="data",
                fields=BalanceFields(
                    asset="currency",
                    free=("available",),
                    used=("holds",),
                    total=("balance",),
                    only=("type", kind),
                ),
                kinds=_CLASSIC,
            )
            for name, kind in (("spot", "trade"), ("main", "main"))
        ),
        *(
            Source(
                name=name,
                types=types,
                call="futuresPrivateGetAccountOverview",
                rows="data",
                shape="one",
                fields=_FUTURES_BALANCE,
                each=EachSettlement(param="currency"),
                kinds=_CLASSIC,
            )
            for name, types in (("linear", LINEAR), ("inverse", INVERSE))
        ),
        Source(
            name="unified",
            types=ALL,
            call="utaPrivateGetAccountModeAccountBalance",
            params=frozen(accountMode="unified"),
            rows="data.accounts.*.currencies",
            fields=BalanceFields(asset="currency", free=("available",), used=("hold",), total=("equity",)),
            kinds=_UNIFIED,
        ),
    ),
    positions=(
        Source(
            name="contracts",
            types=CONTRACTS,
            call="futuresPrivateGetPositions",
            rows="data",
            fields=PositionFields(
                market="symbol",
                size="currentQty",
                side="positionSide",
                sides={"LONG": "long", "SHORT": "short"},
                signed=frozenset({"BOTH", "None"}),  # accounts that never had hedge mode are not told it
                short_is_negative=True,
                hedge="positionSide",
                hedges={"BOTH": False, "LONG": True, "SHORT": True},
                margin="marginMode",
                margins={"CROSS": "cross", "ISOLATED": "isolated"},
                entry="avgEntryPrice",
                mark="markPrice",
                liquidation="liquidationPrice",
                notional="markValue",
                leverage="leverage",
                pnl="unrealisedPnl",
                updated="currentTimestamp",
            ),
            kinds=_CLASSIC,
        ),
        Source(
            name="contracts",
            types=CONTRACTS,
            call="utaPrivateGetAccountModePositionOpenList",
            params=frozen(accountMode="unified"),
            rows="data",
            fields=PositionFields(
                market="symbol",
                size="size",
                margin="marginMode",
                margins={"CROSS": "cross", "ISOLATED": "isolated"},
                entry="entryPrice",
                mark="markPrice",
                liquidation="liquidationPrice",
                notional="positionValue",
                leverage="leverage",
                pnl="unrealizedPnL",
                updated="updateTime",
                per_millisecond=1_000_000,
            ),
            page=Page(size=50, param="pageNumber", by="number", limit="pageSize"),
            kinds=_UNIFIED,
        ),
    ),
    orders=(
        Source(
            name="spot",
            types=SPOT,
            call="privateGetHfOrdersActive",
            rows="data",
            fields=_ORDERS,
            each=EachListed(
                param="symbol",
                call="privateGetHfOrdersActiveSymbols",
                rows="data.symbols",
            ),
            kinds=_HIGH_FREQUENCY,
        ),
        Source(
            name="spot",
            types=SPOT,
            call="privateGetHfOrdersActive",
            rows="data",
            fields=_ORDERS,
            kinds=frozenset({"classic low"}),
            gap="keeps its spot orders in KuCoin's list from before its high-frequency system, which is not read",
        ),
        Source(
            name="spot",
            types=SPOT,
            call="utaPrivateGetAccountModeOrderOpenList",
            params=frozen(accountMode="unified", tradeType="SPOT"),
            rows="data.items",
            fields=_ORDERS,
            page=_UTA_PAGE,
            kinds=_UNIFIED,
            gap="is unified, and KuCoin lists the open spot orders of such an account by market only: name a symbol",
            by_symbol_only=True,
        ),
        Source(
            name="spot stop",
            types=SPOT,
            call="privateGetStopOrder",
            params=frozen(tradeType="TRADE"),
            rows="data.items",
            fields=_ORDERS,
            page=_BY_NUMBER,
            kinds=_CLASSIC,
        ),
        Source(
            name="contracts",
            types=CONTRACTS,
            call="futuresPrivateGetOrders",
            params=frozen(status="active"),
            rows="data.items",
            fields=_ORDERS,
            page=_BY_NUMBER,
            kinds=_CLASSIC,
        ),
        Source(
            name="contracts stop",
            types=CONTRACTS,
            call="futuresPrivateGetStopOrders",
            rows="data.items",
            fields=_ORDERS,
            page=_BY_NUMBER,
            kinds=_CLASSIC,
        ),
        Source(
            name="contracts",
            types=CONTRACTS,
            call="utaPrivateGetAccountModeOrderOpenList",
            params=frozen(accountMode="unified", tradeType="FUTURES"),
            rows="data.items",
            fields=_ORDERS,
            page=_UTA_PAGE,
            kinds=_UNIFIED,
        ),
        *(
            Source(
                name=name,
                types=types,
                call="utaPrivateGetAccountModeOrderOpenList",
                rows="data.items",
                fields=_ORDERS,
                kinds=_UNIFIED,
                gap="is unified, and how KuCoin lists the conditional orders of such an account is not known here",
            )
            for name, types in (("spot stop", SPOT), ("contracts stop", CONTRACTS))
        ),
    ),
)
