"""KuCoin: what may be asked. Spot at one host, contracts at another.

Private reads hold what was read so far of the classic account. The unified account, margin and order look-ups by id
wait for private reads to exist here.
"""

from typing import Final

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.rules.endpoints.classes import EndpointClass, Reviewed, lines

_ALL: Final = (MarketType.SPOT, MarketType.LINEAR, MarketType.INVERSE)
_SPOT: Final = (MarketType.SPOT,)
_CONTRACTS: Final = (MarketType.LINEAR, MarketType.INVERSE)
_SDK: Final = "https://github.com/Kucoin/kucoin-python-sdk/blob/main/kucoin"
_FUTURES_SDK: Final = "https://github.com/Kucoin/kucoin-futures-python-sdk/blob/main/kucoin_futures"
_UNIVERSAL_SDK: Final = "https://github.com/Kucoin/kucoin-universal-sdk/blob/main/sdk/golang/pkg/generate"
_DOCS: Final = "https://www.kucoin.com/docs/rest/spot-trading"

REVIEWED: Final[tuple[Reviewed, ...]] = (
    *lines(EndpointClass.MARKETS, _SPOT, f"{_SDK}/market/market.py", "GET public symbols"),
    *lines(
        EndpointClass.MARKETS,
        _CONTRACTS,
        f"{_FUTURES_SDK}/marke_data/market_data.py",
        "GET futuresPublic contracts/active",
    ),
    *lines(EndpointClass.READ, _SPOT, f"{_DOCS}/market-data/get-24hr-stats", "GET public market/stats"),
    *lines(
        EndpointClass.READ,
        _SPOT,
        f"{_SDK}/market/market.py",
        "GET public market/candles",
        "GET public market/orderbook/level{level}_{limit}",
    ),
    *lines(
        EndpointClass.READ,
        _CONTRACTS,
        f"{_FUTURES_SDK}/marke_data/market_data.py",
        "GET futuresPublic funding-rate/{symbol}/current",
        "GET futuresPublic kline/query",
        "GET futuresPublic level2/depth100",
        "GET futuresPublic level2/depth20",
        "GET futuresPublic ticker",
        "GET futuresPublic timestamp",
    ),
    *lines(
        EndpointClass.READ,
        _ALL,
        f"{_UNIVERSAL_SDK}/uta/account/api_account.go",
        "GET utaPrivate account/mode",
        note="which type of account it is",
    ),
    *lines(
        EndpointClass.READ,
        _SPOT,
        f"{_SDK}/user/user.py",
        "GET private accounts",
        "GET private trade-fees",
    ),
    *lines(
        EndpointClass.READ,
        _SPOT,
        f"{_DOCS}/spot-hf-trade-pro-account/get-active-hf-orders-list",
        "GET private hf/orders/active",
    ),
    *lines(EndpointClass.READ, _SPOT, f"{_DOCS}/stop-order/get-stop-orders-list", "GET private stop-order"),
    *lines(
        EndpointClass.READ,
        _SPOT,
        f"{_DOCS}/stop-order/get-order-details-by-clientoid",
        "GET private stop-order/queryOrderByClientOid",
    ),
    *lines(
        EndpointClass.READ,
        _CONTRACTS,
        f"{_FUTURES_SDK}/trade/trade.py",
        "GET futuresPrivate account-overview",
        "GET futuresPrivate fills",
        "GET futuresPrivate orders",
        "GET futuresPrivate orders/{orderId}",
        "GET futuresPrivate positions",
        "GET futuresPrivate stopOrders",
    ),
    *lines(
        EndpointClass.SCOPE,
        _ALL,
        f"{_UNIVERSAL_SDK}/account/account/api_account.go",
        "GET private user/api-key",
    ),
)
