"""Which endpoints may be asked at each venue: the reviewed lists, and the types they are written in. Pure data.

What may leave the process is the intersection of these lists with what ccxt's own source reaches
(`exchange_mcp.venue.endpoints`).
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from exchange_mcp.rules.endpoints import binance, bitget, bybit, coinbase, gate, kraken, kucoin, okx
from exchange_mcp.rules.endpoints.classes import WRITES, Endpoint, EndpointClass, Reviewed

__all__ = ["REVIEWED", "WRITES", "Endpoint", "EndpointClass", "Reviewed"]

REVIEWED: Final[Mapping[str, tuple[Reviewed, ...]]] = MappingProxyType(
    {
        "binance": binance.REVIEWED,
        "bybit": bybit.REVIEWED,
        "okx": okx.REVIEWED,
        "kraken": kraken.REVIEWED,
        "coinbase": coinbase.REVIEWED,
        "kucoin": kucoin.REVIEWED,
        "bitget": bitget.REVIEWED,
        "gate": gate.REVIEWED,
    }
)
"""The reviewed lines of every supported venue, by ccxt id."""
