"""The fields of a market answer that spot and USD-M write alike. Pure."""

import json
from collections.abc import Sequence
from decimal import Decimal
from typing import cast

from exchange_mcp.sim.books import Level, Tape
from exchange_mcp.sim.digits import fixed, scaled
from exchange_mcp.sim.errors import VenueError, bad_combination, illegal
from exchange_mcp.sim.history import Day
from exchange_mcp.sim.wire import Params

_SYMBOLS_PATTERN = '^\\[("[A-Z0-9-_.]{1,20}"(,"[A-Z0-9-_.]{1,20}"){0,}){0,1}\\]$'


def change(tape: Tape, day: Day) -> dict[str, str]:
    """Write how the price changed over the day, in the quote asset and in per cent."""
    moved = day.last - day.open
    percent = Decimal(moved * 100) / day.open
    sign = "-" if moved < 0 else ""
    return {
        "priceChange": sign + tape.price_text(abs(moved)),
        "priceChangePercent": fixed(percent, 3),
    }


def average(tape: Tape, day: Day) -> str:
    """Write the mean price of the day, weighted by volume; a day without trades has none."""
    instrument = tape.instrument
    if not day.lots:
        return scaled(0, instrument.price_places)
    return fixed(Decimal(day.turnover) / day.lots * instrument.tick, instrument.price_places)


def turnover(tape: Tape, day: Day, places: int) -> str:
    """Write what changed hands over the day, in the quote asset."""
    return fixed(day.turnover * tape.instrument.tick * tape.instrument.step, places)


def levels(tape: Tape, side: Sequence[Level]) -> list[list[str]]:
    """Write one side of a book as [price, quantity] pairs."""
    return [[tape.price_text(level.ticks), tape.lots_text(level.lots)] for level in side]


def best(tape: Tape, at_ms: int) -> dict[str, str]:
    """Write the best bid and ask, zeros where the book is empty."""
    nothing = [Level(0, 0)]
    (bid,) = tape.bids(at_ms, 1) or nothing
    (ask,) = tape.asks(at_ms, 1) or nothing
    return {
        "bidPrice": tape.price_text(bid.ticks),
        "bidQty": tape.lots_text(bid.lots),
        "askPrice": tape.price_text(ask.ticks),
        "askQty": tape.lots_text(ask.lots),
    }


def symbols(params: Params) -> list[str] | None:
    """Return the list of symbols that was asked for, or None.

    Raises:
        VenueError: -1128 where `symbol` came too, -1100 where the list cannot be read.
    """
    text = params.text("symbols")
    if text is None:
        return None
    if params.symbol() is not None:
        raise bad_combination()
    try:
        names: object = json.loads(text)
    except ValueError:
        raise _bad_symbols() from None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in cast("list[object]", names)):
        raise _bad_symbols()
    return cast("list[str]", names)


def _bad_symbols() -> VenueError:
    return illegal("symbols", _SYMBOLS_PATTERN)
