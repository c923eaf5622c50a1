"""The catalogue of markets: one owner, many callers, none of whom can hurt another."""

import asyncio
import gc
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pytest

from exchange_mcp.model.errors import (
    ExchangeMcpError,
    InternalError,
    RateLimitedError,
    VenueError,
    VenueUnreachableError,
)
from exchange_mcp.venue.market_cache import MarketCache, MarketKey, StoredMarkets
from exchange_mcp.venue.markets import OLDEST_MS, REFRESH_MS, MarketCatalogue, Markets

from .opened import MovedClock, settled

pytestmark = pytest.mark.anyio

KEY = MarketKey("binance", "sim", ("spot",), "4.5.90", "1-1")


@dataclass
class Venue:
    """A venue's download that a test opens and closes, and a sleep that ends when the test says so."""

    clock: MovedClock
    answers: asyncio.Queue[StoredMarkets | Exception] = field(
        default_factory=asyncio.Queue[StoredMarkets | Exception]
    )
    asked: int = 0
    asleep: asyncio.Queue[float] = field(default_factory=asyncio.Queue[float])
    wake: asyncio.Queue[None] = field(default_factory=asyncio.Queue[None])

    async def fetch(self) -> StoredMarkets:
        self.asked += 1
        answer = await self.answers.get()
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def sleep(self, seconds: float) -> None:
        self.asleep.put_nowait(seconds)
        await self.wake.get()

    def serve(self, *symbols: str) -> None:
        self.answers.put_nowait(_stored(*symbols, at=self.clock.now))

    def fail(self, error: Exception | None = None) -> None:
        self.answers.put_nowait(error or VenueUnreachableError("binance could not be reached"))

    async def sleeps(self) -> float:
        """How long the owner wants to sleep, once it does."""
        with anyio.fail_after(5):
            return await self.asleep.get()

    async def starts_fetching(self, times: int) -> None:
        with anyio.fail_after(5):
            while self.asked < times:
                await anyio.lowlevel.checkpoint()


def _stored(*symbols: str, at: int) -> StoredMarkets:
    return StoredMarkets([{"symbol": symbol} for symbol in symbols], {}, at)


def _install(stored: StoredMarkets) -> Markets:
    return {market["symbol"]: market for market in stored.markets}


@asynccontextmanager
async def _owned(
    venue: Venue, directory: Path, install: Callable[[StoredMarkets], Markets] = _install
) -> AsyncGenerator[MarketCatalogue]:
    catalogue = MarketCatalogue(
        KEY,
        cache=MarketCache(directory),
        clock=venue.clock,
        fetch=venue.fetch,
        install=install,
        sleep=venue.sleep,
    )
    owner = asyncio.create_task(catalogue.own())
    try:
        yield catalogue
    finally:
        owner.cancel()
        with suppress(asyncio.CancelledError):
            await owner


async def _failure(question: Awaitable[object]) -> ExchangeMcpError:
    with anyio.fail_after(5), pytest.raises(ExchangeMcpError) as raised:
        await question
    return raised.value


async def test_nothing_is_asked_before_anybody_wants_to_know(tmp_path: Path) -> None:
    venue = Venue(MovedClock())
    async with _owned(venue, tmp_path):
        await settled()
        assert venue.asked == 0


async def test_no_collection_looks_at_markets_while_they_are_held(tmp_path: Path) -> None:
    """One that looks at everything stops a desk for a tenth of a second, wherever it is."""
    venue, count = Venue(MovedClock()), gc.get_freeze_count()
    venue.serve(*(f"A{number}/B" for number in range(1000)))
    async with _owned(venue, tmp_path) as catalogue:
        markets = await catalogue.ready()
        assert gc.get_freeze_count() - count >= 1000
        looked_at = {id(each) for each in gc.get_objects()}
        assert not [symbol for symbol, market in markets.items() if id(market) in looked_at]


async def test_a_caller_whose_time_is_up_takes_nothing_from_the_one_who_waits(tmp_path: Path) -> None:
    venue = Venue(MovedClock())
    async with _owned(venue, tmp_path) as catalogue:
        patient = asyncio.create_task(catalogue.ready())
        with anyio.move_on_after(0) as hasty:
            await catalogue.ready()
        assert hasty.cancelled_caught
        venue.serve("BTC/USDT")
        assert list(await asyncio.wait_for(patient, 5)) == ["BTC/USDT"]
        assert venue.asked == 1


async def test_cancelling_every_caller_does_not_cancel_the_load(tmp_path: Path) -> None:
    venue = Venue(MovedClock())
    async with _owned(venue, tmp_path) as catalogue:
        callers = [asyncio.create_task(catalogue.ready()) for _ in range(3)]
        await venue.starts_fetching(1)
        for caller in callers:
            caller.cancel()
        await asyncio.wait(callers)
        venue.serve("BTC/USDT")
        await venue.sleeps()
        assert list(await catalogue.ready()) == ["BTC/USDT"]
        assert venue.asked == 1


async def test_many_callers_cost_one_download(tmp_path: Path) -> None:
    venue = Venue(MovedClock())
    async with _owned(venue, tmp_path) as catalogue:
        callers = [asyncio.create_task(catalogue.ready()) for _ in range(50)]
        await venue.starts_fetching(1)
        late = asyncio.create_task(catalogue.ready())
        venue.serve("BTC/USDT")
        await asyncio.wait_for(asyncio.gather(*callers, late), 5)
        assert venue.asked == 1


async def test_a_failed_load_fails_those_who_wait_with_the_venues_reason(tmp_path: Path) -> None:
    venue = Venue(MovedClock())
    venue.fail()
    async with _owned(venue, tmp_path) as catalogue:
        failures = await asyncio.gather(*(_failure(catalogue.ready()) for _ in range(2)))
        assert {failure.message for failure in failures} == {"binance could not be reached"}
        assert venue.asked == 1


async def test_while_the_owner_rests_the_failure_is_answered_at_once_and_then_it_tries_again(
    tmp_path: Path,
) -> None:
    venue = Venue(MovedClock())
    venue.fail()
    async with _owned(venue, tmp_path) as catalogue:
        await _failure(catalogue.ready())
        assert await venue.sleeps() == 1.0  # the first rest
        await _failure(catalogue.ready())
        assert venue.asked == 1
        venue.wake.put_nowait(None)
        venue.serve("BTC/USDT")
        await settled()
        assert list(await asyncio.wait_for(catalogue.ready(), 5)) == ["BTC/USDT"]
        assert venue.asked == 2


async def test_the_rests_after_failures_grow_and_start_again_after_a_success(tmp_path: Path) -> None:
    venue = Venue(MovedClock())
    rests: list[float] = []
    async with _owned(venue, tmp_path) as catalogue:
        for _ in range(5):
            venue.fail()
            await _failure(catalogue.ready())
            rests.append(await venue.sleeps())
            venue.wake.put_nowait(None)
            await settled()
    assert rests == [1.0, 2.0, 5.0, 15.0, 15.0]


async def test_a_failure_is_not_shared_as_one_growing_traceback(tmp_path: Path) -> None:
    venue = Venue(MovedClock())
    venue.fail()
    async with _owned(venue, tmp_path) as catalogue:
        await _failure(catalogue.ready())
        depths: list[int] = []
        for _ in range(3):
            failure = await _failure(catalogue.ready())
            frames, trace = 0, failure.__traceback__
            while trace is not None:
                frames, trace = frames + 1, trace.tb_next
            depths.append(frames)
    assert len(set(depths)) == 1


async def test_a_venue_that_asks_for_fewer_requests_is_left_alone_for_a_minute(tmp_path: Path) -> None:
    venue = Venue(MovedClock())
    venue.fail(RateLimitedError("binance says: too many requests"))
    async with _owned(venue, tmp_path) as catalogue:
        await _failure(catalogue.ready())
        assert await venue.sleeps() == 60.0  # the hint of RATE_LIMITED is to wait a minute


async def test_old_markets_are_refreshed_without_anybody_waiting(tmp_path: Path) -> None:
    venue = Venue(MovedClock())
    venue.serve("BTC/USDT")
    async with _owned(venue, tmp_path) as catalogue:
        await catalogue.ready()
        assert await venue.sleeps() == REFRESH_MS / 1000
        venue.wake.put_nowait(None)
        await venue.starts_fetching(2)
        with anyio.fail_after(0):
            assert list(await catalogue.ready()) == ["BTC/USDT"]
        venue.serve("BTC/USDT", "ETH/USDT")
        await venue.sleeps()
        assert list(await catalogue.ready()) == ["BTC/USDT", "ETH/USDT"]


async def test_a_refresh_that_fails_leaves_the_old_markets_and_rests_at_least_a_minute(
    tmp_path: Path,
) -> None:
    venue = Venue(MovedClock())
    venue.serve("BTC/USDT")
    async with _owned(venue, tmp_path) as catalogue:
        await catalogue.ready()
        await venue.sleeps()
        venue.clock.now += REFRESH_MS
        venue.fail()
        venue.wake.put_nowait(None)
        assert await venue.sleeps() == 60.0
        assert list(await catalogue.ready()) == ["BTC/USDT"]


@pytest.mark.parametrize(
    ("age_ms", "is_used"), [(0, True), (OLDEST_MS, True), (OLDEST_MS + 1, False), (-1, False)]
)
async def test_stored_markets_are_used_until_they_are_a_day_old_and_never_from_the_future(
    tmp_path: Path, age_ms: int, *, is_used: bool
) -> None:
    venue = Venue(MovedClock())
    MarketCache(tmp_path).write(KEY, _stored("OLD/USDT", at=venue.clock.now - age_ms))
    venue.serve("NEW/USDT")
    async with _owned(venue, tmp_path) as catalogue:
        first = list(await asyncio.wait_for(catalogue.ready(), 5))
    assert first == (["OLD/USDT"] if is_used else ["NEW/USDT"])


async def test_stored_markets_older_than_six_hours_serve_while_new_ones_are_loaded(tmp_path: Path) -> None:
    venue = Venue(MovedClock())
    MarketCache(tmp_path).write(KEY, _stored("OLD/USDT", at=venue.clock.now - REFRESH_MS))
    async with _owned(venue, tmp_path) as catalogue:
        assert list(await asyncio.wait_for(catalogue.ready(), 5)) == ["OLD/USDT"]
        assert await venue.sleeps() == 0
        venue.wake.put_nowait(None)
        await venue.starts_fetching(1)
        venue.serve("NEW/USDT")
        await venue.sleeps()
        assert list(await catalogue.ready()) == ["NEW/USDT"]


async def test_stored_markets_that_no_client_takes_are_loaded_anew(tmp_path: Path) -> None:
    def install(stored: StoredMarkets) -> Markets:
        if stored.markets[0]["symbol"] == "OLD/USDT":
            raise KeyError("id")
        return _install(stored)

    venue = Venue(MovedClock())
    MarketCache(tmp_path).write(KEY, _stored("OLD/USDT", at=venue.clock.now))
    venue.serve("NEW/USDT")
    async with _owned(venue, tmp_path, install) as catalogue:
        assert list(await asyncio.wait_for(catalogue.ready(), 5)) == ["NEW/USDT"]


async def test_what_was_loaded_is_stored_for_the_next_start(tmp_path: Path) -> None:
    venue = Venue(MovedClock())
    venue.serve("BTC/USDT")
    async with _owned(venue, tmp_path) as catalogue:
        await catalogue.ready()
        await venue.sleeps()
    second = Venue(venue.clock)
    async with _owned(second, tmp_path) as catalogue:
        assert list(await asyncio.wait_for(catalogue.ready(), 5)) == ["BTC/USDT"]
        assert catalogue.loaded_ms == venue.clock.now
    assert second.asked == 0


async def test_a_place_that_cannot_be_written_is_only_a_line_in_the_log(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    venue = Venue(MovedClock())
    venue.serve("BTC/USDT")
    async with _owned(venue, tmp_path / "file" / "cache") as catalogue:
        assert list(await asyncio.wait_for(catalogue.ready(), 5)) == ["BTC/USDT"]
        await venue.sleeps()
        assert list(await catalogue.ready()) == ["BTC/USDT"]


async def test_markets_that_cannot_be_written_as_json_serve_all_the_same(tmp_path: Path) -> None:
    venue = Venue(MovedClock())
    venue.answers.put_nowait(StoredMarkets([{"symbol": "BTC/USDT", "info": object()}], {}, venue.clock.now))
    async with _owned(venue, tmp_path) as catalogue:
        await asyncio.wait_for(catalogue.ready(), 5)
        assert await venue.sleeps() == REFRESH_MS / 1000  # the owner lives
        assert list(await catalogue.ready()) == ["BTC/USDT"]


@pytest.mark.parametrize("fault", [ValueError("a parser's fault"), VenueError("x"), InternalError("x")])
async def test_no_fault_of_a_load_ends_the_owner(tmp_path: Path, fault: Exception) -> None:
    venue = Venue(MovedClock())
    venue.fail(fault)
    async with _owned(venue, tmp_path) as catalogue:
        failure = await _failure(catalogue.ready())
        assert "a parser's fault" not in failure.message
        await venue.sleeps()
        venue.wake.put_nowait(None)
        venue.serve("BTC/USDT")
        await settled()
        assert list(await asyncio.wait_for(catalogue.ready(), 5)) == ["BTC/USDT"]


async def test_a_caller_that_comes_while_a_failing_load_is_under_way_gets_its_failure(tmp_path: Path) -> None:
    venue = Venue(MovedClock())
    async with _owned(venue, tmp_path) as catalogue:
        first = asyncio.create_task(_failure(catalogue.ready()))
        await venue.starts_fetching(1)
        second = asyncio.create_task(_failure(catalogue.ready()))
        await settled()
        venue.fail()
        assert [failure.message for failure in await asyncio.gather(first, second)] == [
            "binance could not be reached"
        ] * 2
