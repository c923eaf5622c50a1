"""Where an account stands in a market, and what its prices are: which requests tell it, and how each answer is read."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.readings import StandingPart
from exchange_mcp.model.terms import Reference
from exchange_mcp.venue.standing import binance_spot, binance_usdm
from exchange_mcp.venue.standing.question import Question

__all__ = ["REFERENCES", "STANDINGS", "Question"]

_Of = tuple[str, MarketType]

REFERENCES: Final[Mapping[_Of, tuple[Question[Reference], ...]]] = MappingProxyType(
    {
        ("binance", MarketType.SPOT): binance_spot.REFERENCE,
        ("binance", MarketType.LINEAR): binance_usdm.REFERENCE,
    }
)
"""Where a venue tells more than the last price of its ticker."""

STANDINGS: Final[Mapping[_Of, tuple[Question[StandingPart], ...]]] = MappingProxyType(
    {
        ("binance", MarketType.SPOT): binance_spot.STANDING,
        ("binance", MarketType.LINEAR): binance_usdm.STANDING,
    }
)
"""What is asked besides balances, positions and open orders, or in their place."""
