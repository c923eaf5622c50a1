"""Kraken: what may be asked. Spot; every private request is a POST, so the verb says nothing.

Not reviewed, so not allowed although ccxt's source reaches it: margin positions.
"""

from typing import Final

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.rules.endpoints.classes import EndpointClass, Reviewed, lines

_SPOT: Final = (MarketType.SPOT,)
_SPEC: Final = "https://github.com/krakenfx/api-specs/blob/main/spot-rest/openapi_v3.yaml"
_DOCS: Final = "https://docs.kraken.com"

REVIEWED: Final[tuple[Reviewed, ...]] = (
    *lines(EndpointClass.MARKETS, _SPOT, _SPEC, "GET public AssetPairs"),
    *lines(
        EndpointClass.READ,
        _SPOT,
        _SPEC,
        "GET public Depth",
        "GET public OHLC",
        "GET public Ticker",
        "GET public Time",
        "POST private ClosedOrders",
        "POST private OpenOrders",
        "POST private QueryOrders",
        "POST private TradesHistory",
    ),
    *lines(
        EndpointClass.READ,
        _SPOT,
        f"{_DOCS}/api/docs/rest-api/get-extended-balance",
        "POST private BalanceEx",
    ),
    *lines(
        EndpointClass.READ,
        _SPOT,
        f"{_DOCS}/api/docs/rest-api/get-trade-volume",
        "POST private TradeVolume",
        note="the account's maker and taker rate",
    ),
    *lines(
        EndpointClass.SCOPE,
        _SPOT,
        f"{_DOCS}/api-reference/account-data/get-api-key-info",
        "POST private GetApiKeyInfo",
    ),
)
