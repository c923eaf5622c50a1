"""OKX: what may be asked. One set of endpoints serves every market type; the instrument type is a parameter.

Not reviewed, so not allowed although ccxt's source reaches them: batch orders, bills, and index and mark price candles.
"""

from typing import Final

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.rules.endpoints.classes import EndpointClass, Reviewed, lines

_ALL: Final = (MarketType.SPOT, MarketType.LINEAR, MarketType.INVERSE)
_CONTRACTS: Final = (MarketType.LINEAR, MarketType.INVERSE)
# The paths are in consts.py there, the verbs beside each call.
_SDK: Final = "https://github.com/okxapi/python-okx/blob/master/okx"

REVIEWED: Final[tuple[Reviewed, ...]] = (
    *lines(EndpointClass.MARKETS, _ALL, f"{_SDK}/PublicData.py", "GET public public/instruments"),
    *lines(
        EndpointClass.READ,
        _ALL,
        f"{_SDK}/MarketData.py",
        "GET public market/books",
        "GET public market/candles",
        "GET public market/ticker",
    ),
    *lines(EndpointClass.READ, _ALL, f"{_SDK}/PublicData.py", "GET public public/time"),
    *lines(EndpointClass.READ, _CONTRACTS, f"{_SDK}/PublicData.py", "GET public public/funding-rate"),
    *lines(
        EndpointClass.READ,
        _ALL,
        f"{_SDK}/Account.py",
        "GET private account/balance",
        "GET private account/trade-fee",
    ),
    *lines(
        EndpointClass.READ,
        _CONTRACTS,
        f"{_SDK}/Account.py",
        "GET private account/config",
        "GET private account/leverage-info",
        "GET private account/positions",
    ),
    *lines(
        EndpointClass.READ,
        _ALL,
        f"{_SDK}/Trade.py",
        "GET private trade/fills-history",
        "GET private trade/order",
        "GET private trade/order-algo",
        "GET private trade/orders-algo-history",
        "GET private trade/orders-algo-pending",
        "GET private trade/orders-history",
        "GET private trade/orders-pending",
    ),
    *lines(EndpointClass.SCOPE, _ALL, f"{_SDK}/Account.py", "GET private account/config"),
)
