from collections.abc import Callable
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exchange_mcp.sim.books import LEVELS, Tape
from exchange_mcp.sim.catalogue import SPOT, USDM, Instrument
from exchange_mcp.sim.exchange import Exchange
from exchange_mcp.sim.history import DAY_MS, Day, Statistics
from exchange_mcp.sim.listings import Listing
from exchange_mcp.sim.prices import BOUND, MARK_MS, PICO, AssetPath, Path, anchor

from .clients import NOON_MS, Counted, StillClock

EXCHANGE = Exchange(seed=7, clock=StillClock(), entropy=Counted())
LISTINGS: list[Listing] = [*EXCHANGE.spot_listings, *EXCHANGE.contracts]
TRADING = [listing for listing in LISTINGS if listing.tape.is_trading]

any_listing = st.sampled_from(TRADING)
any_moment = st.integers(NOON_MS - 400 * DAY_MS, NOON_MS + 400 * DAY_MS)


def tape_of(symbol: str, seed: int) -> Tape:
    return Exchange(seed=seed, clock=StillClock(), entropy=Counted()).spot(symbol).tape


@given(at_ms=any_moment)
@settings(max_examples=30)
def test_one_seed_and_one_moment_give_one_price(at_ms: int) -> None:
    assert tape_of("BTCUSDT", 3).last(at_ms) == tape_of("BTCUSDT", 3).last(at_ms)


def test_another_seed_gives_another_price() -> None:
    prices = {tape_of("BTCUSDT", seed).last(NOON_MS) for seed in range(20)}
    assert len(prices) == 20


@given(
    asset=st.sampled_from(USDM),
    at_ms=any_moment,
    seed=st.integers(0, 2**32),
    basis=st.sampled_from([0, 1, 2]),
)
def test_a_path_stays_within_its_bound(asset: Instrument, at_ms: int, seed: int, basis: int) -> None:
    middle = anchor(seed, asset.base, asset.nominal)
    price = AssetPath(seed, asset.base, asset.nominal, basis=basis).pico(at_ms)
    assert abs(price - middle) <= middle * BOUND + 1


@given(asset=st.sampled_from(USDM), at_ms=any_moment)
def test_a_mark_price_is_half_way_from_the_index_to_the_contract(asset: Instrument, at_ms: int) -> None:
    index, mark, traded = (
        AssetPath(7, asset.base, asset.nominal, basis=basis).pico(at_ms) for basis in (0, 1, 2)
    )
    # Each of the three is cut to parts per billion of its anchor.
    assert abs(2 * mark - index - traded) <= 4 * (1 + index // 10**9)


@given(asset=st.sampled_from(USDM), mark=st.integers(NOON_MS // MARK_MS, NOON_MS // MARK_MS + 10_000))
def test_a_contract_is_above_its_index_by_the_premium(asset: Instrument, mark: int) -> None:
    index, traded = (AssetPath(7, asset.base, asset.nominal, basis=basis) for basis in (0, 2))
    above = traded.pico_at_mark(mark) - index.pico_at_mark(mark)
    assert abs(above - index.anchor * index.premium(mark * MARK_MS)) <= 1


@given(at_ms=any_moment)
def test_prices_move_by_less_than_a_thousandth_within_a_second(at_ms: int) -> None:
    path = EXCHANGE.spot("BTCUSDT").tape.path
    assert abs(path.pico(at_ms + 1_000) - path.pico(at_ms)) < path.pico(at_ms) // 1_000


@given(mark=st.integers(NOON_MS // MARK_MS - 10_000, NOON_MS // MARK_MS))
def test_a_cross_costs_what_its_legs_imply(mark: int) -> None:
    cross, ether, bitcoin = (
        EXCHANGE.spot(symbol).tape.path.pico_at_mark(mark) for symbol in ("ETHBTC", "ETHUSDT", "BTCUSDT")
    )
    assert cross == ether * PICO // bitcoin


@given(listing=any_listing, at_ms=any_moment)
@settings(max_examples=60)
def test_a_book_is_ordered_uncrossed_and_holds_the_last_price_at_one_of_its_best(
    listing: Listing, at_ms: int
) -> None:
    tape = listing.tape
    bids, asks = tape.bids(at_ms, LEVELS), tape.asks(at_ms, LEVELS)
    assert len(bids) == len(asks) == LEVELS
    assert bids[0].ticks < asks[0].ticks
    assert tape.last(at_ms) in {bids[0].ticks, asks[0].ticks}
    assert all(upper.ticks > lower.ticks > 0 for upper, lower in pairwise(bids))
    assert all(lower.ticks < upper.ticks for lower, upper in pairwise(asks))
    assert min(level.lots for level in bids + asks) > 0


@given(listing=any_listing, at_ms=any_moment, depth=st.integers(1, LEVELS))
@settings(max_examples=30)
def test_a_shallow_book_is_the_top_of_the_deep_one(listing: Listing, at_ms: int, depth: int) -> None:
    assert listing.tape.bids(at_ms, depth) == listing.tape.bids(at_ms, LEVELS)[:depth]


def test_a_halted_pair_keeps_its_price_and_has_no_book() -> None:
    tape = EXCHANGE.spot("LUNAUSDT").tape
    assert not tape.is_trading
    assert tape.last(NOON_MS) == tape.last(NOON_MS - DAY_MS) > 0
    assert tape.bids(NOON_MS, 5) == tape.asks(NOON_MS, 5) == []


@given(
    listing=any_listing,
    back_ms=st.lists(st.integers(0, DAY_MS), min_size=20, max_size=20),
    offset_ms=st.integers(0, 120_000),
)
@settings(max_examples=40, deadline=None)
def test_no_price_of_the_day_is_outside_of_its_high_and_low(
    listing: Listing, back_ms: list[int], offset_ms: int
) -> None:
    now = NOON_MS + offset_ms
    day = listing.statistics.day(now)
    assert all(day.low <= listing.tape.last(now - back) <= day.high for back in back_ms)


@pytest.mark.parametrize("listing", TRADING, ids=lambda listing: str(listing.tape.instrument.market))
def test_the_highs_and_lows_of_the_day_were_traded(listing: Listing) -> None:
    day = listing.statistics.day(NOON_MS + 12_345)
    marks = range(day.open_ms // MARK_MS, day.close_ms // MARK_MS + 1)
    moments = [
        day.open_ms,
        day.close_ms,
        *(mark * MARK_MS for mark in marks if mark * MARK_MS >= day.open_ms),
    ]
    seen = [listing.tape.last(moment) for moment in moments]
    assert (day.low, day.high) == (min(seen), max(seen))
    assert (day.open, day.last) == (seen[0], seen[1])


class Drawn(Path):
    """A path that a test draws, in ticks of a cent."""

    def __init__(self, at_mark: Callable[[int], int]) -> None:
        super().__init__((0, PICO * PICO))
        self._ticks = at_mark

    def _at_mark(self, mark: int) -> int:
        return self._ticks(mark) * PICO // 100


def day_of(at_mark: Callable[[int], int], at_ms: int) -> Day:
    return Statistics(1, Tape(1, SPOT[0], Drawn(at_mark))).day(at_ms)


@pytest.mark.parametrize("offset_ms", [0, 1, 19_999, 20_000, 47_000, 59_999])
def test_a_price_that_only_rises_ends_at_its_high_and_began_at_its_low(offset_ms: int) -> None:
    day = day_of(lambda mark: mark - NOON_MS // MARK_MS + 10_000, NOON_MS + offset_ms)
    # 4,320 marks a day, one cent each; the mark before the moment is 10,000 plus the whole marks since noon.
    assert (day.high, day.low) == (10_000 + offset_ms // MARK_MS, 5_680 + offset_ms // MARK_MS)


@pytest.mark.parametrize("offset_ms", [0, 1, 19_999, 20_000, 47_000, 59_999])
def test_a_price_that_only_falls_ends_at_its_low_and_began_at_its_high(offset_ms: int) -> None:
    day = day_of(lambda mark: NOON_MS // MARK_MS + 10_000 - mark, NOON_MS + offset_ms)
    # Between two marks a price is cut to the cent below.
    fallen = -(-offset_ms // MARK_MS)
    assert (day.high, day.low) == (14_320 - fallen, 10_000 - fallen)


@pytest.mark.parametrize(
    "spike_ms",
    [NOON_MS - DAY_MS + 20_000, NOON_MS - DAY_MS + 60_000, NOON_MS - 60_000, NOON_MS + 20_000],
    ids=["first minute", "first whole minute", "in between", "last minute"],
)
@pytest.mark.parametrize("height", [500, -500])
def test_a_spike_anywhere_in_the_day_is_its_high_or_low(spike_ms: int, height: int) -> None:
    # From ten seconds after noon to half a minute after: the spike's mark lies within the 24 hours.
    at_ms = NOON_MS + (10_000 if spike_ms < NOON_MS else 30_000)
    day = day_of(lambda mark: 1_000 + height * (mark * MARK_MS == spike_ms), at_ms)
    assert (day.high, day.low) == ((1_500, 1_000) if height > 0 else (1_000, 500))


@pytest.mark.parametrize("listing", TRADING, ids=lambda listing: str(listing.tape.instrument.market))
def test_the_mean_price_of_the_day_lies_between_its_low_and_its_high(listing: Listing) -> None:
    day = listing.statistics.day(NOON_MS)
    assert day.low <= Decimal(day.turnover) / day.lots <= day.high


def test_every_instrument_starts_on_its_own_grid() -> None:
    for instrument in (*SPOT, *USDM):
        assert instrument.tick == instrument.tick.quantize(Decimal(1).scaleb(-instrument.price_places))
        assert instrument.step == instrument.step.quantize(Decimal(1).scaleb(-instrument.quantity_places))
