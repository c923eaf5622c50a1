"""Bitget: the classic account keeps spot and three kinds of contracts apart; the unified account has one wallet.

Trigger, trailing and stop orders are kept apart from plain ones, and from each other.
https://www.bitget.com/api-doc/spot/account/Get-Account-Assets, https://www.bitget.com/api-doc/spot/trade/Get-Unfilled-Orders
https://www.bitget.com/api-doc/contract/account/Get-Account-List
https://www.bitget.com/api-doc/contract/position/get-all-position
https://www.bitget.com/api-doc/contract/trade/Get-Orders-Pending
https://www.bitget.com/api-doc/contract/plan/get-orders-plan-pending
https://www.bitget.com/api-doc/uta/account/Get-Account, https://www.bitget.com/api-doc/uta/trade/Get-Position
https://www.bitget.com/api-doc/uta/trade/Get-Order-Pending
https://www.bitget.com/api-doc/uta/strategy/Get-Unfilled-Strategy-Orders
"""

from collections.abc import Iterator
from typing import Final

from exchange_mcp.model.accounts import MarketType
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

_CLASSIC: Final = frozenset({"classic"})
_UNIFIED: Final = frozenset({"unified"})

# Name, market types, Bitget's product, and the coin that it settles in where that is one.
_PRODUCTS: Final[tuple[tuple[str, tuple[MarketType, ...], str, str | None], ...]] = (
    ("linear USDT", LINEAR, "USDT-FUTURES", "USDT"),
    ("linear USDC", LINEAR, "USDC-FUTURES", "USDC"),
    ("inverse", INVERSE, "COIN-FUTURES", None),
)
_ORDERS: Final = OrderFields(market="symbol")
_MIX_PAGE: Final = Page(size=100, param="idLessThan", by="cursor", told="data.endId")

_MIX_POSITIONS: Final = PositionFields(
    market="symbol",
    size="total",
    in_base=True,
    side="holdSide",
    sides={"long": "long", "short": "short"},
    hedge="posMode",
    hedges={"one_way_mode": False, "hedge_mode": True},
    margin="marginMode",
    margins={"crossed": "cross", "isolated": "isolated"},
    entry="openPriceAvg",
    mark="markPrice",
    liquidation="liquidationPrice",
    leverage="leverage",
    pnl="unrealizedPL",
    updated="uTime",
)
_UTA_POSITIONS: Final = PositionFields(
    market="symbol",
    size="total",
    in_base=True,
    side="posSide",
    sides={"long": "long", "short": "short"},
    hedge="holdMode",
    hedges={"one_way_mode": False, "hedge_mode": True},
    margin="marginMode",
    margins={"crossed": "cross", "isolated": "isolated"},
    entry="avgPrice",
    mark="markPrice",
    liquidation="liquidationPrice",
    leverage="leverage",
    pnl="unrealisedPnl",
    updated="updatedTime",
)


def _positions() -> Iterator[Source[PositionFields]]:
    for name, types, product, settle in _PRODUCTS:
        yield Source(
            name=name,
            types=types,
            call="privateMixGetV2MixPositionAllPosition",
            params=frozen(productType=product),
            rows="data",
            fields=_MIX_POSITIONS,
            kinds=_CLASSIC,
            settle=settle,
        )
        yield Source(
            name=name,
            types=types,
            call="privateUtaGetV3PositionCurrentPosition",
            params=frozen(category=product),
            rows="data.list",
            shape="list or null",
            fields=_UTA_POSITIONS,
            kinds=_UNIFIED,
            settle=settle,
        )


def _classic_orders() -> Iterator[Source[OrderFields]]:
    for name, kind in (("spot", "normal"), ("spot tpsl", "tpsl")):
        yield Source(
            name=name,
            types=SPOT,
            call="privateSpotGetV2SpotTradeUnfilledOrders",
            params=frozen(tpslType=kind),
            rows="data",
            fields=_ORDERS,
            page=Page(size=100, param="idLessThan", by="row", told="orderId"),
            kinds=_CLASSIC,
        )
    yield Source(
        name="spot trigger",
        types=SPOT,
        call="privateSpotGetV2SpotTradeCurrentPlanOrder",
        rows="data.orderList",
        fields=_ORDERS,
        page=Page(size=100, param="idLessThan", by="cursor", told="data.idLessThan", more="data.nextFlag"),
        kinds=_CLASSIC,
    )
    for name, types, product, settle in _PRODUCTS:
        yield Source(
            name=name,
            types=types,
            call="privateMixGetV2MixOrderOrdersPending",
            params=frozen(productType=product),
            rows="data.entrustedList",
            shape="list or null",
            fields=_ORDERS,
            page=_MIX_PAGE,
            kinds=_CLASSIC,
            settle=settle,
        )
        for word, plan in (("trigger", "normal_plan"), ("trailing", "track_plan"), ("tpsl", "profit_loss")):
            yield Source(
                name=f"{name} {word}",
                types=types,
                call="privateMixGetV2MixOrderOrdersPlanPending",
                params=frozen(productType=product, planType=plan),
                rows="data.entrustedList",
                shape="list or null",
                fields=_ORDERS,
                page=_MIX_PAGE,
                kinds=_CLASSIC,
                settle=settle,
            )


def _unified_orders() -> Iterator[Source[OrderFields]]:
    plain = (("spot", SPOT, "SPOT", None), ("spot on margin", SPOT, "MARGIN", None), *_PRODUCTS)
    for name, types, category, settle in plain:
        yield Source(
            name=name,
            types=types,
            call="privateUtaGetV3TradeUnfilledOrders",
            params=frozen(category=category),
            rows="data.list",
            fields=_ORDERS,
            page=Page(size=100, param="cursor", by="cursor", told="data.cursor"),
            kinds=_UNIFIED,
            settle=settle,
        )
    for name, types, category, settle in _PRODUCTS:
        for word in ("trigger", "tpsl"):
            yield Source(
                name=f"{name} {word}",
                types=types,
                call="privateUtaGetV3TradeUnfilledStrategyOrders",
                params=frozen(category=category, type=word),
                rows="data",
                fields=_ORDERS,
                kinds=_UNIFIED,
                settle=settle,
                symbol=None,
            )


READS: Final = PrivateReads(
    balances=(
        Source(
            name="spot",
            types=SPOT,
            call="privateSpotGetV2SpotAccountAssets",
            rows="data",
            fields=BalanceFields(asset="coin", free=("available",), used=("frozen", "locked")),
            kinds=_CLASSIC,
        ),
        *(
            Source(
                name=name,
                types=types,
                call="privateMixGetV2MixAccountAccounts",
                params=frozen(productType=product),
                rows="data",
                fields=BalanceFields(
                    asset="marginCoin", free=("available",), used=("locked",), total=("accountEquity",)
                ),
                kinds=_CLASSIC,
            )
            for name, types, product, _ in _PRODUCTS
        ),
        Source(
            name="unified",
            types=ALL,
            call="privateUtaGetV3AccountAssets",
            rows="data.assets",
            fields=BalanceFields(asset="coin", free=("available",), used=("locked",), total=("equity",)),
            kinds=_UNIFIED,
        ),
    ),
    positions=tuple(_positions()),
    orders=(*_classic_orders(), *_unified_orders()),
)
