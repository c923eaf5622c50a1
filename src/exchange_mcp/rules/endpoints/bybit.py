"""Bybit: what may be asked. One set of endpoints serves every market type; the category is a parameter.

Not reviewed, so not allowed although ccxt's source reaches them: the wallets of other account types, and spot margin.
"""

from typing import Final

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.rules.endpoints.classes import EndpointClass, Reviewed, lines

_ALL: Final = (MarketType.SPOT, MarketType.LINEAR, MarketType.INVERSE)
_CONTRACTS: Final = (MarketType.LINEAR, MarketType.INVERSE)
_SDK: Final = "https://github.com/bybit-exchange/pybit/blob/master/pybit"
_DOCS: Final = "https://bybit-exchange.github.io/docs/v5"

REVIEWED: Final[tuple[Reviewed, ...]] = (
    *lines(EndpointClass.MARKETS, _ALL, f"{_SDK}/market.py", "GET public v5/market/instruments-info"),
    *lines(
        EndpointClass.READ,
        _ALL,
        f"{_SDK}/market.py",
        "GET public v5/market/kline",
        "GET public v5/market/orderbook",
        "GET public v5/market/tickers",
        "GET public v5/market/time",
    ),
    *lines(
        EndpointClass.READ,
        _ALL,
        f"{_SDK}/account.py",
        "GET private v5/account/fee-rate",
        "GET private v5/account/wallet-balance",
    ),
    *lines(
        EndpointClass.READ,
        _ALL,
        f"{_SDK}/account.py",
        "GET private v5/account/info",
        note="which type of account it is",
    ),
    *lines(
        EndpointClass.READ,
        _ALL,
        f"{_SDK}/user.py",
        "GET private v5/user/query-api",
        note="ccxt asks it for the type of account before its first private read",
    ),
    *lines(EndpointClass.READ, _ALL, f"{_DOCS}/order/open-order", "GET private v5/order/realtime"),
    *lines(EndpointClass.READ, _ALL, f"{_DOCS}/order/order-list", "GET private v5/order/history"),
    *lines(EndpointClass.READ, _ALL, f"{_SDK}/position.py", "GET private v5/execution/list"),
    *lines(EndpointClass.READ, _CONTRACTS, f"{_SDK}/position.py", "GET private v5/position/list"),
    *lines(EndpointClass.SCOPE, _ALL, f"{_SDK}/user.py", "GET private v5/user/query-api"),
)
