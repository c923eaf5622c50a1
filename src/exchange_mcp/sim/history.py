"""What happened to an instrument over the last 24 hours: exact over the path, never sampled. Pure."""

from dataclasses import dataclass
from functools import lru_cache

from exchange_mcp.sim.books import Tape
from exchange_mcp.sim.prices import MARK_MS, draw

MINUTE_MS = 60_000
DAY_MS = 86_400_000
_DAY_MINUTES = DAY_MS // MINUTE_MS
_MARKS_A_MINUTE = MINUTE_MS // MARK_MS
_TRADES_A_MINUTE = 600


@dataclass(frozen=True, slots=True)
class Bar:
    """One minute: prices in ticks, volume in steps, turnover in ticks times steps."""

    open: int
    high: int
    low: int
    close: int
    lots: int

    @property
    def turnover(self) -> int:
        """What changed hands in the quote asset, at the mean of the four prices."""
        return self.lots * (self.open + self.high + self.low + self.close) // 4


@dataclass(frozen=True, slots=True)
class Day:
    """The 24 hours up to `close_ms`: prices in ticks, volume in steps, turnover in ticks times steps."""

    open_ms: int
    close_ms: int
    open: int
    high: int
    low: int
    last: int
    lots: int
    turnover: int
    first_trade: int
    last_trade: int


class Statistics:
    """The minutes of one instrument, and the day that they add up to."""

    def __init__(self, seed: int, tape: Tape) -> None:
        self._seed = seed
        self._tape = tape
        self._key = f"{tape.instrument.market}:{tape.instrument.name}"
        self._bars = lru_cache(maxsize=2 * _DAY_MINUTES)(self._build_bar)
        self._closed = lru_cache(maxsize=4)(self._add_up)

    def bar(self, minute: int) -> Bar:
        """Return one whole minute, counted from the epoch."""
        return self._bars(minute)

    def day(self, at_ms: int) -> Day:
        """Return the 24 hours up to a millisecond.

        Prices are those of the exact window; volume and trades are those of the whole minutes inside it.
        """
        open_ms = at_ms - DAY_MS
        minute = at_ms // MINUTE_MS
        if not self._tape.is_trading:
            last = self._tape.last(at_ms)
            return Day(
                open_ms, at_ms, last, last, last, last, lots=0, turnover=0, first_trade=-1, last_trade=-1
            )
        high, low, lots, turnover = self._closed(minute)
        opened = self._tape.last(open_ms)
        last = self._tape.last(at_ms)
        seen = (opened, last, *self._marks_between(minute * MINUTE_MS, at_ms))
        edge = (*self._marks_between(open_ms, (minute - _DAY_MINUTES + 1) * MINUTE_MS),)
        return Day(
            open_ms=open_ms,
            close_ms=at_ms,
            open=opened,
            high=max(high, *seen, *edge),
            low=min(low, *seen, *edge),
            last=last,
            lots=lots,
            turnover=turnover,
            first_trade=(minute - _DAY_MINUTES + 1) * _TRADES_A_MINUTE,
            last_trade=minute * _TRADES_A_MINUTE - 1,
        )

    def _marks_between(self, start_ms: int, end_ms: int) -> list[int]:
        marks = range(-(-start_ms // MARK_MS), end_ms // MARK_MS + 1)
        return [self._tape.ticks(self._tape.path.pico_at_mark(mark)) for mark in marks]

    def _add_up(self, minute: int) -> tuple[int, int, int, int]:
        bars = [self._bars(index) for index in range(minute - _DAY_MINUTES + 1, minute)]
        return (
            max(bar.high for bar in bars),
            min(bar.low for bar in bars),
            sum(bar.lots for bar in bars),
            sum(bar.turnover for bar in bars),
        )

    def _build_bar(self, minute: int) -> Bar:
        first = minute * _MARKS_A_MINUTE
        marks = [
            self._tape.ticks(self._tape.path.pico_at_mark(first + offset))
            for offset in range(_MARKS_A_MINUTE + 1)
        ]
        spread = draw(self._seed, self._key, "volume", minute) % 1_000
        return Bar(
            open=marks[0],
            high=max(marks),
            low=min(marks),
            close=marks[-1],
            lots=self._tape.instrument.typical_lots * (500 + spread) // 100,
        )
