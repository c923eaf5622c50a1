"""Client order ids by venue: what they may be, how long a request with one is taken, how an order is found by it.

Only Binance is traded at in this version; the other venues are written down so that their answers can be judged.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.rules.client_ids import binance, bitget, bybit, coinbase, kraken, kucoin, okx
from exchange_mcp.rules.client_ids.declared import (
    Exact,
    Gap,
    IdRules,
    Listed,
    LookUps,
    OrderIds,
    RowFields,
    Unique,
    WindowRules,
)

__all__ = [
    "ORDER_IDS",
    "Exact",
    "Gap",
    "IdRules",
    "Listed",
    "LookUps",
    "OrderIds",
    "RowFields",
    "Unique",
    "WindowRules",
    "order_ids",
]

ORDER_IDS: Final[Mapping[str, tuple[OrderIds, ...]]] = MappingProxyType(
    {
        "binance": binance.ORDER_IDS,
        "bybit": bybit.ORDER_IDS,
        "okx": okx.ORDER_IDS,
        "kraken": kraken.ORDER_IDS,
        "coinbase": coinbase.ORDER_IDS,
        "kucoin": kucoin.ORDER_IDS,
        "bitget": bitget.ORDER_IDS,
    }
)
"""By venue."""


def order_ids(venue: str, market_type: MarketType, *, is_conditional: bool) -> OrderIds | None:
    """What is known for orders of this kind; None where nothing was written down."""
    return next(
        (
            each
            for each in ORDER_IDS.get(venue, ())
            if market_type in each.types and each.is_conditional in {None, is_conditional}
        ),
        None,
    )
