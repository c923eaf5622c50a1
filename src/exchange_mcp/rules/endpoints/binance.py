"""Binance: what may be asked. Spot and USD-M (linear) with a key; COIN-M (inverse) market data only.

Not reviewed, so not allowed although ccxt's source reaches them: margin (borrowing), portfolio margin, options,
equities, the smart order router, and the funding wallet.
"""

from typing import Final

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.rules.endpoints.classes import EndpointClass, Reviewed, lines

_SPOT: Final = (MarketType.SPOT,)
_LINEAR: Final = (MarketType.LINEAR,)
_INVERSE: Final = (MarketType.INVERSE,)
_HUB: Final = "https://github.com/binance/binance-skills-hub/blob/main/skills/binance"
_SPOT_PAGE: Final = f"{_HUB}/spot/SKILL.md"
_USDM_PAGE: Final = f"{_HUB}/derivatives-trading-usds-futures/SKILL.md"
_WALLET_PAGE: Final = f"{_HUB}/assets/SKILL.md"
_COINM_PAGE: Final = (
    "https://github.com/binance/binance-futures-connector-node/blob/main/src/modules/restful/base/market.js"
)

REVIEWED: Final[tuple[Reviewed, ...]] = (
    *lines(
        EndpointClass.MARKETS,
        _SPOT,
        _SPOT_PAGE,
        "GET public exchangeInfo",
    ),
    *lines(EndpointClass.MARKETS, _LINEAR, _USDM_PAGE, "GET fapiPublic exchangeInfo"),
    *lines(EndpointClass.MARKETS, _INVERSE, _COINM_PAGE, "GET dapiPublic exchangeInfo"),
    *lines(
        EndpointClass.READ,
        _SPOT,
        _SPOT_PAGE,
        "GET public depth",
        "GET public klines",
        "GET public ticker/24hr",
        "GET public time",
        "GET private account",
        "GET private allOrders",
        "GET private myTrades",
        "GET private openOrders",
        "GET private order",
    ),
    *lines(
        EndpointClass.READ,
        _SPOT,
        _SPOT_PAGE,
        "GET public avgPrice",
        "GET public ticker/price",
        "GET private account/commission",
        note="what an order's limits, its fee and its share of the account are computed from",
        named=True,
    ),
    *lines(
        EndpointClass.READ,
        _SPOT,
        _WALLET_PAGE,
        "GET sapi asset/tradeFee",
        note="the account's maker and taker rate; the demo environment has no sapi",
    ),
    *lines(
        EndpointClass.READ,
        _LINEAR,
        _USDM_PAGE,
        "GET fapiPublic depth",
        "GET fapiPublic klines",
        "GET fapiPublic premiumIndex",
        "GET fapiPublic ticker/24hr",
        "GET fapiPublic time",
        "GET fapiPrivate accountConfig",
        "GET fapiPrivate algoOrder",
        "GET fapiPrivate allAlgoOrders",
        "GET fapiPrivate allOrders",
        "GET fapiPrivate commissionRate",
        "GET fapiPrivate leverageBracket",
        "GET fapiPrivate openAlgoOrders",
        "GET fapiPrivate openOrders",
        "GET fapiPrivate order",
        "GET fapiPrivate positionSide/dual",
        "GET fapiPrivate symbolConfig",
        "GET fapiPrivate userTrades",
        "GET fapiPrivateV3 account",
    ),
    *lines(
        EndpointClass.READ,
        _LINEAR,
        _USDM_PAGE,
        "GET fapiPrivateV2 positionRisk",
        note="version 3 no longer tells the leverage",
    ),
    *lines(
        EndpointClass.READ,
        _LINEAR,
        "https://developers.binance.com/docs/derivatives/usds-margined-futures/account/rest-api/Get-Income-History",
        "GET fapiPrivate income",
        note="what was realised in 24 hours, so that a limit on losses can be held",
        named=True,
    ),
    *lines(
        EndpointClass.READ,
        _INVERSE,
        _COINM_PAGE,
        "GET dapiPublic depth",
        "GET dapiPublic klines",
        "GET dapiPublic premiumIndex",
        "GET dapiPublic ticker/24hr",
        "GET dapiPublic time",
    ),
    *lines(EndpointClass.ORDER, _SPOT, _SPOT_PAGE, "POST private order"),
    *lines(EndpointClass.ORDER, _LINEAR, _USDM_PAGE, "POST fapiPrivate order"),
    *lines(
        EndpointClass.ORDER,
        _LINEAR,
        _USDM_PAGE,
        "POST fapiPrivate algoOrder",
        note="a stop; its client id is clientAlgoId",
    ),
    *lines(EndpointClass.CANCEL, _SPOT, _SPOT_PAGE, "DELETE private order"),
    *lines(
        EndpointClass.CANCEL, _LINEAR, _USDM_PAGE, "DELETE fapiPrivate order", "DELETE fapiPrivate algoOrder"
    ),
    *lines(EndpointClass.LEVERAGE, _LINEAR, _USDM_PAGE, "POST fapiPrivate leverage"),
    *lines(
        EndpointClass.SCOPE,
        (MarketType.SPOT, MarketType.LINEAR),
        _WALLET_PAGE,
        "GET sapi account/apiRestrictions",
        note="the demo environment has no sapi, so a key's scope cannot be told there",
    ),
    *lines(
        EndpointClass.SCOPE,
        (MarketType.SPOT, MarketType.LINEAR),
        "https://developers.binance.com/docs/binance-spot-api-docs/rest-api/account-endpoints",
        "GET private account",
        note="whose the key is: the user's id, which apiRestrictions does not tell",
    ),
)
