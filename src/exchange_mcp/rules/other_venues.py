"""The venues beyond the supported ones: which can be read without a key, and which are excluded, with the reason.

The facts are generated from the ccxt version that was read (`python -m exchange_mcp.venue.endpoints`) and ship as
package data, since a configuration is checked before ccxt is imported. A test derives them again.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType

from exchange_mcp.model.accounts import MarketType


@dataclass(frozen=True, slots=True)
class OtherVenue:
    """One venue that answers market data: of which types by ccxt's word, and what of it ccxt reads without a key."""

    id: str
    title: str
    market_types: tuple[MarketType, ...]
    has_ticker: bool
    has_order_book: bool


@dataclass(frozen=True, slots=True)
class OtherVenues:
    """Every exchange of the ccxt version that was read, but for the supported ones.

    Attributes:
        venues: those that can be read, by ccxt id.
        excluded: the others, by ccxt id, each with the reason as one sentence.
    """

    ccxt: str
    venues: Mapping[str, OtherVenue]
    excluded: Mapping[str, str]

    @classmethod
    def parse(cls, text: str) -> "OtherVenues":
        """What `str()` wrote."""
        held = json.loads(text)
        venues = {
            name: OtherVenue(
                id=name,
                title=facts["title"],
                market_types=tuple(map(MarketType, facts["market_types"])),
                has_ticker=facts["has_ticker"],
                has_order_book=facts["has_order_book"],
            )
            for name, facts in held["venues"].items()
        }
        return cls(held["ccxt"], MappingProxyType(venues), MappingProxyType(held["excluded"]))

    def __str__(self) -> str:
        held = {
            "ccxt": self.ccxt,
            "venues": {
                name: {
                    "title": venue.title,
                    "market_types": list(venue.market_types),
                    "has_ticker": venue.has_ticker,
                    "has_order_book": venue.has_order_book,
                }
                for name, venue in sorted(self.venues.items())
            },
            "excluded": dict(sorted(self.excluded.items())),
        }
        return json.dumps(held, indent=1, ensure_ascii=False) + "\n"


@cache
def other_venues() -> OtherVenues:
    """The venues beyond the supported ones, as they ship."""
    data = resources.files("exchange_mcp.rules") / "other_venues.json"
    return OtherVenues.parse(data.read_text(encoding="utf-8"))
