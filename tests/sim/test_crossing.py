"""When a price first gets somewhere: the moment at which a resting order is filled, or a stop triggered."""

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exchange_mcp.sim.books import Tape
from exchange_mcp.sim.catalogue import SPOT
from exchange_mcp.sim.prices import MARK_MS, PICO, Path

from .clients import NOON_MS
from .direct import Direct

BITCOIN = SPOT[0]
VENUE = Direct()


class Drawn(Path):
    """A path through prices that a test names, one every 20 seconds."""

    def __init__(self, *prices: int) -> None:
        super().__init__((min(prices) * PICO, max(prices) * PICO))
        self._prices = prices

    def _at_mark(self, mark: int) -> int:
        return self._prices[min(mark, len(self._prices) - 1)] * PICO


def tape(*prices: int) -> Tape:
    return Tape(1, BITCOIN, Drawn(*prices))


def test_a_price_half_way_between_two_marks_is_reached_after_half_of_the_time() -> None:
    # From 100 to 110 within 20,000 ms: 105 after 10,000 ms.
    assert tape(100, 110).first_at_or_above(Decimal(105), 0, MARK_MS) == 10_000


def test_a_fall_is_noticed_as_a_rise_is() -> None:
    # From 110 to 100 within 20,000 ms: 0.0005 a millisecond, and 107.50 means below 107.51.
    assert tape(110, 100).first_at_or_below(Decimal("107.50"), 0, MARK_MS) == 4_981


def test_a_peak_between_two_looks_is_not_missed() -> None:
    # 100, 120 and 100 again: 118 is 18/20 of the way, after 18,000 ms, and the look is at 40,000 ms.
    assert tape(100, 120, 100, 100).first_at_or_above(Decimal(118), 0, 2 * MARK_MS) == 18_000


def test_the_first_millisecond_behind_a_mark_is_not_skipped() -> None:
    # 100 up to the mark at 20,000 ms, and from there on one more every millisecond.
    assert tape(100, 100, 20_100).first_at_or_above(Decimal(101), 0, 2 * MARK_MS) == 20_001


def test_what_is_reached_only_after_the_span_is_not_reached() -> None:
    assert tape(100, 110).first_at_or_above(Decimal(105), 0, 9_999) is None


def test_what_was_reached_at_the_start_of_the_span_is_reached_again_a_millisecond_later() -> None:
    assert tape(100, 100).first_at_or_above(Decimal(100), 5_000, 6_000) == 5_001


def test_what_no_price_ever_is_needs_no_search() -> None:
    # Ten thousand years of 20 seconds: a search through the marks would never end.
    assert tape(100, 110).first_at_or_above(Decimal(111), 0, 315_360_000_000_000) is None
    assert tape(100, 110).first_at_or_below(Decimal(99), 0, 315_360_000_000_000) is None


@given(
    symbol=st.sampled_from(["BTCUSDT", "ETHBTC"]),
    start=st.integers(0, 100_000),
    length=st.integers(1, 300),
    away=st.integers(-30, 30),
    rises=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_the_first_moment_is_the_one_that_looking_at_every_millisecond_finds(
    symbol: str, start: int, length: int, away: int, *, rises: bool
) -> None:
    found = VENUE.exchange.spot(symbol).tape
    after = NOON_MS + start
    price = (found.last(after) + away) * found.instrument.tick
    moments = range(after + 1, after + length + 1)
    wanted = found.last(after) + away
    reached = (at for at in moments if (found.last(at) >= wanted if rises else found.last(at) <= wanted))
    first = found.first_at_or_above if rises else found.first_at_or_below
    assert first(price, after, after + length) == next(reached, None)


@pytest.mark.parametrize("symbol", ["BTCUSDT", "ETHBTC"])
@given(at_ms=st.integers(NOON_MS - 10**11, NOON_MS + 10**11))
def test_no_price_is_out_of_reach(symbol: str, at_ms: int) -> None:
    path = VENUE.exchange.spot(symbol).tape.path
    lowest, highest = path.reach
    assert lowest <= path.pico(at_ms) <= highest


def test_a_halted_pair_reaches_nothing() -> None:
    halted = VENUE.exchange.spot("LUNAUSDT").tape
    price = halted.last(NOON_MS) * halted.instrument.tick
    assert halted.first_at_or_above(price, NOON_MS, NOON_MS + MARK_MS) is None
