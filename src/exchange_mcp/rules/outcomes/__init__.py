"""What a venue's answer to a write proves: one module a venue, and what exceptions say beside it. Pure data.

A code is a refusal only where the venue's page says what was wrong with the request; everything else is unknown.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from exchange_mcp.rules.outcomes import binance, bitget, bybit, coinbase, kraken, kucoin, okx
from exchange_mcp.rules.outcomes.shapes import Route

ROUTES: Final[Mapping[str, tuple[Route, ...]]] = MappingProxyType(
    {
        "binance": binance.ROUTES,
        "bybit": bybit.ROUTES,
        "okx": okx.ROUTES,
        "kraken": kraken.ROUTES,
        "coinbase": coinbase.ROUTES,
        "kucoin": kucoin.ROUTES,
        "bitget": bitget.ROUTES,
    }
)
"""By ccxt id."""

UNTOLD: Final[Mapping[str, str]] = MappingProxyType(
    {
        "binance": binance.UNTOLD,
        "bybit": bybit.UNTOLD,
        "okx": okx.UNTOLD,
        "kraken": kraken.UNTOLD,
        "coinbase": coinbase.UNTOLD,
        "kucoin": kucoin.UNTOLD,
        "bitget": bitget.UNTOLD,
    }
)
"""By ccxt id: what no page was found to say, as the end of the sentence "it is not known"."""
