"""What can be asked about a listed instrument: its trades, its book, its day, and what it averaged."""

from dataclasses import dataclass
from decimal import Decimal

from exchange_mcp.sim.books import Tape
from exchange_mcp.sim.catalogue import Instrument
from exchange_mcp.sim.history import MINUTE_MS, Statistics
from exchange_mcp.sim.prices import AssetPath


@dataclass(frozen=True, slots=True)
class Listing:
    """One instrument with its trades, its book and its day."""

    tape: Tape
    statistics: Statistics

    @property
    def instrument(self) -> Instrument:
        """What is listed."""
        return self.tape.instrument

    def average(self, at_ms: int, minutes: int) -> Decimal:
        """Return the mean price of the last so many whole minutes, weighted by volume."""
        now = at_ms // MINUTE_MS
        bars = [self.statistics.bar(minute) for minute in range(now - minutes, now)]
        turnover, lots = sum(bar.turnover for bar in bars), sum(bar.lots for bar in bars)
        return Decimal(turnover) / lots * self.instrument.tick


@dataclass(frozen=True, slots=True)
class Contract(Listing):
    """One perpetual contract: also with its mark price and the asset that it follows."""

    mark: AssetPath
    index: AssetPath
