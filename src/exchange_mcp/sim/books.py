"""What the order book of an instrument looks like at a given millisecond. Pure.

Levels are strangers' orders, drawn from the seed; the best bid is below the best ask, the last trade happened
at one of the two, and every price is on the tick. An order of one of our accounts does not show in the book.
An instrument that is not trading has an empty book and keeps its last price.
"""

from collections.abc import Iterator
from decimal import Decimal
from hashlib import shake_256
from typing import NamedTuple

from exchange_mcp.sim.catalogue import Instrument
from exchange_mcp.sim.digits import scaled
from exchange_mcp.sim.prices import Path, draw

LEVELS = 1_000
"""How deep a book is."""

_REFRESH_MS = 1_000
_HALTED_SINCE_MS = 1_735_689_600_000  # 2025-01-01T00:00:00Z
_BYTES_A_LEVEL = 3


class Level(NamedTuple):
    """A price and what rests there, in ticks and steps."""

    ticks: int
    lots: int


class Tape:
    """The last price of an instrument and the book around it."""

    def __init__(self, seed: int, instrument: Instrument, path: Path) -> None:
        self.instrument = instrument
        self.path = path
        self._seed = seed
        self._key = f"{instrument.market}:{instrument.name}"
        self._tick_pico = int(instrument.tick.scaleb(12))
        self._tick_units = int(instrument.tick.scaleb(instrument.price_places))
        self._step_units = int(instrument.step.scaleb(instrument.quantity_places))

    @property
    def is_trading(self) -> bool:
        """Whether the instrument has a market at all right now."""
        return self.instrument.status == "TRADING"

    def last(self, at_ms: int) -> int:
        """Return the price of the last trade, in ticks."""
        return self.ticks(self.path.pico(at_ms if self.is_trading else _HALTED_SINCE_MS))

    def ticks(self, pico: int) -> int:
        """Return a path's price on the instrument's grid, in ticks."""
        return max(1, pico // self._tick_pico)

    def last_lots(self, at_ms: int) -> int:
        """Return the quantity of the last trade, in steps."""
        return 1 + draw(self._seed, self._key, "last", at_ms // _REFRESH_MS) % self.instrument.typical_lots

    def ladder(self, at_ms: int, side: str) -> Iterator[Level]:
        """Go through one side of the book, `bid` or `ask`, best first, for as long as somebody wants more."""
        return self._side(at_ms, LEVELS, side, 1 if side == "ask" else -1)

    def bids(self, at_ms: int, depth: int) -> list[Level]:
        """Return what is bid, best first."""
        return list(self._side(at_ms, depth, "bid", -1))

    def asks(self, at_ms: int, depth: int) -> list[Level]:
        """Return what is asked, best first."""
        return list(self._side(at_ms, depth, "ask", 1))

    def first_at_or_below(self, price: Decimal, after_ms: int, until_ms: int) -> int | None:
        """Return the first millisecond in a span after its start at which it trades at a price or lower."""
        limit = (int(price / self.instrument.tick) + 1) * self._tick_pico
        return self._first(limit, after_ms, until_ms, is_rise=False)

    def first_at_or_above(self, price: Decimal, after_ms: int, until_ms: int) -> int | None:
        """Return the first millisecond in a span after its start at which it trades at a price or higher."""
        limit = int(price / self.instrument.tick) * self._tick_pico
        return self._first(limit, after_ms, until_ms, is_rise=True)

    def _first(self, limit: int, after_ms: int, until_ms: int, *, is_rise: bool) -> int | None:
        return self.path.first(limit, after_ms, until_ms, is_rise=is_rise) if self.is_trading else None

    def price_text(self, ticks: int) -> str:
        """Write a price as this instrument's prices are written."""
        return scaled(ticks * self._tick_units, self.instrument.price_places)

    def lots_text(self, lots: int) -> str:
        """Write a quantity as this instrument's quantities are written."""
        return scaled(lots * self._step_units, self.instrument.quantity_places)

    def _side(self, at_ms: int, depth: int, side: str, outward: int) -> Iterator[Level]:
        if not self.is_trading:
            return
        epoch = at_ms // _REFRESH_MS
        depth = min(depth, LEVELS)
        noise = shake_256(f"{self._seed}|{self._key}|{side}|{epoch}".encode()).digest(depth * _BYTES_A_LEVEL)
        traded_at = "ask" if draw(self._seed, self._key, "taker", epoch) % 2 else "bid"
        ticks = self.last(at_ms) + (0 if traded_at == side else outward)
        typical = self.instrument.typical_lots
        for level in range(depth):
            if ticks < 1:
                return
            gap, high, low = noise[level * _BYTES_A_LEVEL : (level + 1) * _BYTES_A_LEVEL]
            yield Level(ticks, 1 + (high << 8 | low) * typical * (100 + level) // 6_553_600)
            ticks += outward * (1 + gap % 2)
