"""Gate: spot, perpetual ("futures") and dated ("delivery") contracts, each with price-triggered orders of their own.

Kinds: `classic` has a wallet for each; `unified` holds spot and USDT perpetuals in one; `unified spot` is unified with
its USDT perpetuals left outside. https://github.com/gate/gateapi-csharp/blob/master/docs/UnifiedApi.md
The lists are documented in SpotApi.md, FuturesApi.md and DeliveryApi.md beside it.
"""

from typing import Final

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.rules.private.declared import (
    INVERSE,
    KEY,
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

_ANY_UNIFIED: Final = frozenset({"unified", "unified spot"})
_WALLET: Final = BalanceFields(
    asset="currency",
    free=("available",),
    used=("order_margin", "position_margin"),
    total=("total",),
)
_POSITIONS: Final = PositionFields(
    market="contract",
    size="size",
    hedge="mode",
    hedges={"single": False, "dual_long": True, "dual_short": True},
    hedge_sides={"dual_long": "long", "dual_short": "short"},
    zero_leverage_is_cross=True,
    entry="entry_price",
    mark="mark_price",
    liquidation="liq_price",
    notional="value",
    leverage="leverage",
    pnl="unrealised_pnl",
    updated="update_time",
    in_seconds=True,
)
_ORDERS: Final = OrderFields(market="contract")
_TRIGGERED: Final = OrderFields(market="initial.contract")
_BY_100: Final = Page(size=100, param="offset", by="offset")


def _futures(settle: str, types: tuple[MarketType, ...], name: str) -> tuple[Source[OrderFields], ...]:
    return (
        Source(
            name=name,
            types=types,
            call="privateFuturesGetSettleOrders",
            params=frozen(settle=settle, status="open"),
            rows="",
            fields=_ORDERS,
            page=_BY_100,
            symbol="contract",
            dated=False,
        ),
        Source(
            name=f"{name} conditional",
            types=types,
            call="privateFuturesGetSettlePriceOrders",
            params=frozen(settle=settle, status="open"),
            rows="",
            fields=_TRIGGERED,
            page=_BY_100,
            symbol="contract",
            dated=False,
        ),
    )


READS: Final = PrivateReads(
    balances=(
        Source(
            name="spot",
            types=SPOT,
            call="privateSpotGetAccounts",
            rows="",
            fields=BalanceFields(asset="currency", free=("available",), used=("locked",)),
            kinds=frozenset({"classic"}),
        ),
        Source(
            name="unified",
            types=(MarketType.SPOT, MarketType.LINEAR),
            call="privateUnifiedGetAccounts",
            rows="balances",
            shape="by name",
            fields=BalanceFields(asset=KEY, free=("available",), used=("freeze",), total=("equity",)),
            kinds=_ANY_UNIFIED,
        ),
        Source(
            name="linear perpetual",
            types=LINEAR,
            call="privateFuturesGetSettleAccounts",
            params=frozen(settle="usdt"),
            rows="",
            shape="one",
            fields=_WALLET,
            kinds=frozenset({"classic", "unified spot"}),
        ),
        Source(
            name="linear dated",
            types=LINEAR,
            call="privateDeliveryGetSettleAccounts",
            params=frozen(settle="usdt"),
            rows="",
            shape="one",
            fields=_WALLET,
        ),
        Source(
            name="inverse",
            types=INVERSE,
            call="privateFuturesGetSettleAccounts",
            params=frozen(settle="btc"),
            rows="",
            shape="one",
            fields=_WALLET,
        ),
    ),
    positions=(
        Source(
            name="linear perpetual",
            types=LINEAR,
            call="privateFuturesGetSettlePositions",
            params=frozen(settle="usdt", holding="true"),
            rows="",
            fields=_POSITIONS,
            page=_BY_100,
        ),
        Source(
            name="linear dated",
            types=LINEAR,
            call="privateDeliveryGetSettlePositions",
            params=frozen(settle="usdt"),
            rows="",
            fields=_POSITIONS,
        ),
        Source(
            name="inverse",
            types=INVERSE,
            call="privateFuturesGetSettlePositions",
            params=frozen(settle="btc", holding="true"),
            rows="",
            fields=_POSITIONS,
            page=_BY_100,
        ),
    ),
    orders=(
        Source(
            name="spot",
            types=SPOT,
            call="privateSpotGetOpenOrders",
            rows="*.orders",
            fields=OrderFields(market="currency_pair"),
            page=Page(size=100, param="page", by="number"),
            symbol=None,
        ),
        Source(
            name="spot conditional",
            types=SPOT,
            call="privateSpotGetPriceOrders",
            params=frozen(status="open"),
            rows="",
            fields=OrderFields(market="market"),
            page=_BY_100,
            symbol="market",
        ),
        *_futures("usdt", LINEAR, "linear perpetual"),
        Source(
            name="linear dated",
            types=LINEAR,
            call="privateDeliveryGetSettleOrders",
            params=frozen(settle="usdt", status="open"),
            rows="",
            fields=_ORDERS,
            page=_BY_100,
            symbol="contract",
            dated=True,
        ),
        Source(
            name="linear dated conditional",
            types=LINEAR,
            call="privateDeliveryGetSettlePriceOrders",
            params=frozen(settle="usdt", status="open"),
            rows="",
            fields=_TRIGGERED,
            page=_BY_100,
            symbol="contract",
            dated=True,
        ),
        *_futures("btc", INVERSE, "inverse"),
    ),
)
