"""Gate: what may be asked. Spot, perpetual ("futures") and dated ("delivery") contracts.

Not reviewed, so not allowed although ccxt's source reaches them: margin and options.
"""

from typing import Final

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.rules.endpoints.classes import EndpointClass, Reviewed, lines

_ALL: Final = (MarketType.SPOT, MarketType.LINEAR, MarketType.INVERSE)
_SPOT: Final = (MarketType.SPOT,)
_CONTRACTS: Final = (MarketType.LINEAR, MarketType.INVERSE)
_LIST: Final = "https://github.com/gateio/gateapi-python/blob/master/README.md"
_UNIFIED_PAGE: Final = "https://github.com/gate/gateapi-csharp/blob/master/docs/UnifiedApi.md"
_KEYS_PAGE: Final = "https://github.com/gate/gateapi-csharp/blob/master/docs/AccountApi.md"

REVIEWED: Final[tuple[Reviewed, ...]] = (
    *lines(EndpointClass.MARKETS, _SPOT, _LIST, "GET public/spot currency_pairs"),
    *lines(
        EndpointClass.MARKETS,
        _SPOT,
        _LIST,
        "GET public/margin currency_pairs",
        note="ccxt reads which spot pairs have margin; it is public",
    ),
    *lines(
        EndpointClass.MARKETS,
        _CONTRACTS,
        _LIST,
        "GET public/delivery {settle}/contracts",
        "GET public/futures {settle}/contracts",
    ),
    *lines(
        EndpointClass.READ,
        _SPOT,
        _LIST,
        "GET public/spot candlesticks",
        "GET public/spot order_book",
        "GET public/spot tickers",
        "GET public/spot time",
        "GET private/spot accounts",
        "GET private/spot my_trades",
        "GET private/spot open_orders",
        "GET private/spot orders",
        "GET private/spot orders/{order_id}",
        "GET private/spot price_orders",
        "GET private/spot price_orders/{order_id}",
    ),
    *lines(
        EndpointClass.READ,
        _CONTRACTS,
        _LIST,
        "GET public/delivery {settle}/candlesticks",
        "GET public/delivery {settle}/order_book",
        "GET public/delivery {settle}/tickers",
        "GET public/futures {settle}/candlesticks",
        "GET public/futures {settle}/contracts/{contract}",
        "GET public/futures {settle}/order_book",
        "GET public/futures {settle}/tickers",
        "GET private/delivery {settle}/accounts",
        "GET private/delivery {settle}/my_trades",
        "GET private/delivery {settle}/orders",
        "GET private/delivery {settle}/orders/{order_id}",
        "GET private/delivery {settle}/positions",
        "GET private/delivery {settle}/price_orders",
        "GET private/delivery {settle}/price_orders/{order_id}",
        "GET private/futures {settle}/accounts",
        "GET private/futures {settle}/my_trades_timerange",
        "GET private/futures {settle}/orders",
        "GET private/futures {settle}/orders/{order_id}",
        "GET private/futures {settle}/positions",
        "GET private/futures {settle}/price_orders",
        "GET private/futures {settle}/price_orders/{order_id}",
    ),
    *lines(
        EndpointClass.READ, _ALL, _LIST, "GET private/wallet fee", note="the account's maker and taker rate"
    ),
    *lines(EndpointClass.READ, _ALL, _LIST, "GET private/account detail", note="which type of account it is"),
    *lines(
        EndpointClass.READ,
        (MarketType.SPOT, MarketType.LINEAR),
        _UNIFIED_PAGE,
        "GET private/unified accounts",
        note="the wallet of a unified account",
    ),
    *lines(
        EndpointClass.READ,
        _ALL,
        _UNIFIED_PAGE,
        "GET private/unified unified_mode",
        note="which type of account it is",
        named=True,
    ),
    *lines(EndpointClass.SCOPE, _ALL, _LIST, "GET private/account detail"),
    *lines(EndpointClass.SCOPE, _ALL, _KEYS_PAGE, "GET private/account main_keys"),
)
