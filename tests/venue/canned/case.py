"""What a canned venue was asked and what has to come of it."""

from collections.abc import Mapping
from dataclasses import dataclass

Levels = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Market:
    """One market: the requests that its ticker and its book cost, and every digit that comes out.

    `figures` are last, bid, ask, high, low, base volume and quote volume, None where the venue tells none.
    Amounts of the book are in base; `contract_size` is what one contract is.
    """

    symbol: str
    ticker_url: str
    figures: tuple[str | None, str | None, str | None, str | None, str | None, str | None, str | None]
    time: int | None
    book_url: str
    bids: Levels
    asks: Levels
    contract_size: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One venue: its answers by URL, the requests that loading its markets costs, and its markets.

    `hollow` is an answer that says "success" and holds nothing.
    """

    venue: str
    hollow: str
    answers: Mapping[str, object]
    loading: frozenset[str]
    spot: Market | None = None
    linear: Market | None = None

    @property
    def markets(self) -> tuple[Market, ...]:
        """Those that it has."""
        return tuple(market for market in (self.spot, self.linear) if market is not None)
