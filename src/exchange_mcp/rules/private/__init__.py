"""What is read of an account with a key, venue by venue. Pure data; the requests it names are all in the read class."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from exchange_mcp.rules.private import binance, bitget, bybit, coinbase, gate, kraken, kucoin, okx
from exchange_mcp.rules.private.declared import PrivateReads

__all__ = ["PRIVATE", "PrivateReads"]

PRIVATE: Final[Mapping[str, PrivateReads]] = MappingProxyType(
    {
        "binance": binance.READS,
        "bybit": bybit.READS,
        "okx": okx.READS,
        "kraken": kraken.READS,
        "coinbase": coinbase.READS,
        "kucoin": kucoin.READS,
        "bitget": bitget.READS,
        "gate": gate.READS,
    }
)
"""Every source of an account at a supported venue."""
