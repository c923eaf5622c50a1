"""Binance: spot and USD-M, each with a wallet and orders of its own.

https://developers.binance.com/docs/binance-spot-api-docs/rest-api/account-endpoints
https://developers.binance.com/docs/derivatives/usds-margined-futures/account/rest-api
https://developers.binance.com/docs/derivatives/usds-margined-futures/trade/rest-api
"""

from typing import Final

from exchange_mcp.rules.private.declared import (
    LINEAR,
    SPOT,
    BalanceFields,
    OrderFields,
    PositionFields,
    PrivateReads,
    Source,
)

_ORDERS: Final = OrderFields(market="symbol")

READS: Final = PrivateReads(
    balances=(
        Source(
            name="spot",
            types=SPOT,
            call="privateGetAccount",
            rows="balances",
            fields=BalanceFields(asset="asset", free=("free",), used=("locked",)),
        ),
        Source(
            name="linear",
            types=LINEAR,
            call="fapiPrivateV3GetAccount",
            rows="assets",
            fields=BalanceFields(
                asset="asset",
                free=("availableBalance",),
                used=("initialMargin",),
                total=("marginBalance",),
                wallet="walletBalance",
            ),
        ),
    ),
    positions=(
        Source(
            name="linear",
            types=LINEAR,
            # Version 3 no longer tells the leverage:
            # https://developers.binance.com/docs/derivatives/usds-margined-futures/trade/rest-api/Position-Information-V3
            call="fapiPrivateV2GetPositionRisk",
            rows="",
            fields=PositionFields(
                market="symbol",
                size="positionAmt",
                side="positionSide",
                sides={"LONG": "long", "SHORT": "short"},
                signed=frozenset({"BOTH"}),
                short_is_negative=True,
                hedge="positionSide",
                hedges={"BOTH": False, "LONG": True, "SHORT": True},
                margin="marginType",
                margins={"cross": "cross", "isolated": "isolated"},
                entry="entryPrice",
                mark="markPrice",
                liquidation="liquidationPrice",
                notional="notional",
                leverage="leverage",
                pnl="unRealizedProfit",
                updated="updateTime",
            ),
        ),
    ),
    orders=(
        Source(name="spot", types=SPOT, call="privateGetOpenOrders", rows="", fields=_ORDERS),
        Source(name="linear", types=LINEAR, call="fapiPrivateGetOpenOrders", rows="", fields=_ORDERS),
        # USD-M stops are kept in a list of their own, which "all open orders" leaves out:
        # https://developers.binance.com/docs/derivatives/usds-margined-futures/trade/rest-api/Current-All-Algo-Open-Orders
        Source(
            name="linear conditional",
            types=LINEAR,
            call="fapiPrivateGetOpenAlgoOrders",
            rows="",
            fields=_ORDERS,
        ),
    ),
)
