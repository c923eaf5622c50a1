"""KuCoin: what may be asked. Spot at one host, contracts at another.

Not reviewed, so not allowed although ccxt's source reaches them: margin, spot's list of orders from before the
high-frequency system, and order look-ups by id at spot.
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
_GO_SDK: Final = "https://github.com/Kucoin/kucoin-go-sdk/blob/main"
_TYPE_PAGE: Final = "https://www.kucoin.com/docs-new/rest/account-info/account-funding/get-account-type-spot"
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
        _ALL,
        f"{_UNIVERSAL_SDK}/uta/account/api_account.go",
        "GET utaPrivate {accountMode}/account/balance",
    ),
    *lines(
        EndpointClass.READ,
        _CONTRACTS,
        f"{_UNIVERSAL_SDK}/uta/positions/api_positions.go",
        "GET utaPrivate {accountMode}/position/open-list",
    ),
    *lines(
        EndpointClass.READ,
        _ALL,
        f"{_UNIVERSAL_SDK}/uta/order/api_order.go",
        "GET utaPrivate {accountMode}/order/open-list",
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
    *lines(
        EndpointClass.READ,
        _SPOT,
        f"{_GO_SDK}/hf_order.go",
        "GET private hf/orders/active/symbols",
        note="the markets with an open order, which are then asked one by one",
        named=True,
    ),
    *lines(
        EndpointClass.READ,
        _SPOT,
        _TYPE_PAGE,
        "GET private hf/accounts/opened",
        note="whether the list above holds all open spot orders; read in KuCoin's own tests of its Java SDK",
        named=True,
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
