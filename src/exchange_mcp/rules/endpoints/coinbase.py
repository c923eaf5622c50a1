"""Coinbase: what may be asked. Spot, by Advanced Trade (version 3) alone.

ccxt asks version 2 for balances and for the time unless its options say otherwise; version 2 is not reviewed. Neither
are the derivatives of Coinbase Financial Markets, although ccxt's source reaches them.
"""

from typing import Final

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.rules.endpoints.classes import EndpointClass, Reviewed, lines

_SPOT: Final = (MarketType.SPOT,)
_SDK: Final = "https://github.com/coinbase/coinbase-advanced-py/blob/master/coinbase/rest"
_DOCS: Final = "https://docs.cdp.coinbase.com/api-reference/advanced-trade-api/rest-api"

REVIEWED: Final[tuple[Reviewed, ...]] = (
    *lines(EndpointClass.MARKETS, _SPOT, f"{_SDK}/public.py", "GET v3/public brokerage/market/products"),
    *lines(
        EndpointClass.READ,
        _SPOT,
        f"{_SDK}/public.py",
        "GET v3/public brokerage/market/product_book",
        "GET v3/public brokerage/market/products/{product_id}/candles",
        "GET v3/public brokerage/market/products/{product_id}/ticker",
        "GET v3/public brokerage/time",
    ),
    *lines(EndpointClass.READ, _SPOT, f"{_SDK}/accounts.py", "GET v3/private brokerage/accounts"),
    *lines(EndpointClass.READ, _SPOT, f"{_SDK}/fees.py", "GET v3/private brokerage/transaction_summary"),
    *lines(
        EndpointClass.READ,
        _SPOT,
        f"{_DOCS}/orders/list-orders",
        "GET v3/private brokerage/orders/historical/batch",
    ),
    *lines(
        EndpointClass.READ,
        _SPOT,
        f"{_DOCS}/orders/list-fills",
        "GET v3/private brokerage/orders/historical/fills",
    ),
    *lines(
        EndpointClass.READ,
        _SPOT,
        f"{_DOCS}/orders/get-order",
        "GET v3/private brokerage/orders/historical/{order_id}",
    ),
    *lines(EndpointClass.SCOPE, _SPOT, f"{_SDK}/data_api.py", "GET v3/private brokerage/key_permissions"),
)
