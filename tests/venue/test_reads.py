"""What an account can be asked, and what it names as not read."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest

from exchange_mcp.model.accounts import Environment
from exchange_mcp.model.coverage import Sources
from exchange_mcp.model.errors import ErrorCode, InternalError, UnknownSymbolError, VenueUnreachableError
from exchange_mcp.model.ports import ReadVenue
from exchange_mcp.sim import SimulatedExchange
from exchange_mcp.tools.asking import ask
from exchange_mcp.venue.opening import OpenVenues
from exchange_mcp.venue.reads import CcxtReadVenue
from exchange_mcp.venue.repeating import ATTEMPTS, repeated

from .opened import INVERSE, LINEAR, SPOT, MovedClock, Naps, handed, opened, simulated

pytestmark = pytest.mark.anyio

N = ErrorCode.NOT_COVERED

QUESTIONS: tuple[Callable[[ReadVenue], Sources[Any]], ...] = (
    lambda venue: venue.balances(),
    lambda venue: venue.positions(),
    lambda venue: venue.open_orders(None),
    lambda venue: venue.ticker("BTC/USDT:USDT"),
    lambda venue: venue.order_book("BTC/USDT", 5),
)


def _shape(sources: Sources[Any]) -> tuple[list[str], list[tuple[str, ErrorCode, str]]]:
    """The sources that can be read, and those that cannot with the reason."""
    unread = [(gap.source, gap.error.code, gap.error.message) for gap in sources.unread]
    return [read.source for read in sources.reads], unread


async def test_an_account_without_a_key_serves_market_data_and_names_the_rest(
    sim: SimulatedExchange, cache: Path
) -> None:
    async with opened(simulated(sim, "public", key=None), cache=cache) as venues:
        venue = venues.venues["public"]
        reason = "account public has no key, so it serves market data only"
        both = [("spot", N, reason), ("linear", N, reason)]
        assert _shape(venue.balances()) == ([], both)
        assert _shape(venue.positions()) == ([], both[1:])
        assert _shape(venue.open_orders(None)) == ([], both)
        assert _shape(venue.ticker("BTC/USDT")) == (["ticker"], [])
        answer = await ask(handed(venues), None, lambda v: v.order_book("BTC/USDT:USDT", 5))
    assert answer.coverage.complete
    assert {entry.key for entry in sim.control.requests()} == {None}


async def test_every_source_of_an_account_of_both_market_types(sim: SimulatedExchange, cache: Path) -> None:
    async with opened(simulated(sim), cache=cache) as venues:
        venue = venues.venues["main"]
        assert _shape(venue.balances()) == (["spot", "linear"], [])
        assert _shape(venue.positions()) == (["linear"], [])
        assert _shape(venue.open_orders(None)) == (["spot", "linear", "linear conditional"], [])
        assert _shape(venue.open_orders("BTC/USDT")) == (["spot"], [])
        assert _shape(venue.open_orders("BTC/USDT:USDT")) == (["linear", "linear conditional"], [])
        assert _shape(venue.ticker("BTC/USDT:USDT")) == (["ticker"], [])


async def test_a_spot_account_names_positions_as_not_configured(
    sim: SimulatedExchange, tmp_path: Path
) -> None:
    async with opened(simulated(sim, types=(SPOT,)), cache=tmp_path) as venues:
        venue = venues.venues["main"]
        assert _shape(venue.positions()) == (
            [],
            [("positions", N, "account main has no derivatives market type configured")],
        )
        assert _shape(venue.open_orders(None)) == (["spot"], [])


@pytest.mark.parametrize(
    ("symbol", "named"), [("BTC/USDT:USDT", "linear"), ("BTC/USD:BTC", "inverse"), ("BTC/USDT", "spot")]
)
async def test_a_symbol_of_a_type_that_the_account_lacks_is_named_so_without_a_request(
    sim: SimulatedExchange, cache: Path, symbol: str, named: str
) -> None:
    types = tuple(t for t in (SPOT, LINEAR) if t.value != named)
    async with opened(simulated(sim, types=types), cache=cache) as venues:
        venue = venues.venues["main"]
        reason = f"account main is set up for {', '.join(types)}, not for {named}"
        for sources in (venue.ticker(symbol), venue.order_book(symbol, 5), venue.open_orders(symbol)):
            assert _shape(sources) == ([], [(named, N, reason)])
    assert sim.control.requests() == []


async def test_a_market_type_whose_private_reads_do_not_exist_here_is_named(
    sim: SimulatedExchange, cache: Path
) -> None:
    async with opened(simulated(sim, types=(SPOT, LINEAR, INVERSE)), cache=cache) as venues:
        venue = venues.venues["main"]
        gap = ("inverse", N, "account main cannot be read for inverse: this version does not know how")
        assert _shape(venue.balances()) == (["spot", "linear"], [gap])
        assert _shape(venue.positions()) == (["linear"], [gap])
        assert _shape(venue.open_orders(None)) == (["spot", "linear", "linear conditional"], [gap])
        assert _shape(venue.open_orders("BTC/USD:BTC")) == ([], [gap])
        assert _shape(venue.ticker("BTC/USD:BTC")) == (["ticker"], [])


async def test_an_unknown_symbol_is_answered_with_the_nearest_and_without_a_request(
    sim: SimulatedExchange, cache: Path
) -> None:
    async with opened(simulated(sim), cache=cache) as venues:
        venue = venues.venues["main"]
        for sources in (
            venue.ticker("BTCUSDT"),
            venue.order_book("BTCUSDT", 5),
            venue.open_orders("BTCUSDT"),
        ):
            for source in sources.reads:
                with pytest.raises(UnknownSymbolError, match="nearest: BTC/USDT, BTC/USDT:USDT"):
                    await source.read()
    assert sim.control.requests() == []


async def test_a_sandbox_account_asks_the_demo_hosts_and_no_others(
    sim: SimulatedExchange, tmp_path: Path
) -> None:
    opening = simulated(sim, environment=Environment.SANDBOX)
    async with opened(opening, cache=tmp_path) as venues:
        for question in QUESTIONS:
            assert (await ask(handed(venues), None, question)).coverage.complete
    assert {entry.host for entry in sim.control.requests()} == {
        "demo-api.binance.com",
        "demo-fapi.binance.com",
    }


async def test_a_hedge_account_has_one_row_a_side(sim: SimulatedExchange, cache: Path) -> None:
    async with opened(simulated(sim, "alt", key="reader-alt"), cache=cache) as venues:
        (source,) = venues.venues["alt"].positions().reads
        rows = await source.read()
    # The simulated account `alt` opens with 2.000 ETH long and 0.800 ETH short.
    assert [(row.symbol, row.side, str(row.amount), row.hedge_mode) for row in rows] == [
        ("ETH/USDT:USDT", "long", "2.000", True),
        ("ETH/USDT:USDT", "short", "0.800", True),
    ]


async def test_what_an_account_holds_is_told_with_its_source(sim: SimulatedExchange, cache: Path) -> None:
    async with opened(simulated(sim), cache=cache) as venues:
        answer = await ask(handed(venues), None, lambda v: v.open_orders(None))
    # What the simulated account `main` opens with: two spot limits, a USD-M limit, two USD-M stops.
    assert [(o.source, o.symbol, o.side, o.type, o.closes_position) for o in answer.items] == [
        ("spot", "BTC/USDT", "buy", "limit", None),
        ("spot", "ETH/USDT", "sell", "limit", None),
        ("linear", "BTC/USDT:USDT", "buy", "limit", False),
        ("linear conditional", "BTC/USDT:USDT", "sell", "market", True),
        ("linear conditional", "ETH/USDT:USDT", "buy", "limit", False),
    ]
    assert [order.amount for order in answer.items if order.closes_position] == [None]


async def test_one_callers_end_takes_nothing_from_anothers_read_over_the_same_client(
    sim: SimulatedExchange, cache: Path
) -> None:
    openings = (simulated(sim, "main"), simulated(sim, "same"))
    async with opened(*openings, cache=cache) as venues:
        sim.control.add_fault({"kind": "hang", "path": "/api/v3/account"})
        first = asyncio.ensure_future(venues.venues["main"].balances().reads[0].read())
        second = asyncio.ensure_future(venues.venues["same"].balances().reads[0].read())
        with anyio.fail_after(5):
            while len(sim.control.requests()) < len(openings):
                await anyio.lowlevel.checkpoint()
        first.cancel()
        await asyncio.wait([first])
        sim.control.clear_faults()
        assert await asyncio.wait_for(second, 5)
        assert first.cancelled()


async def test_the_venues_are_in_the_order_of_the_configuration(sim: SimulatedExchange, cache: Path) -> None:
    openings = [simulated(sim, name, key=None) for name in ("zeta", "alpha", "mid")]
    async with opened(*openings, cache=cache) as venues:
        assert list(venues.venues) == ["zeta", "alpha", "mid"]


def test_a_read_venue_has_no_member_that_writes() -> None:
    members = {name for name in vars(CcxtReadVenue) if not name.startswith("_")}
    questions = {"balances", "positions", "open_orders", "ticker", "order_book", "find"}
    assert members == {"account", *questions, "terms", "reference", "standing", "realised"}


async def test_waits_between_attempts_are_few_short_and_random() -> None:
    async def fails() -> None:
        raise VenueUnreachableError("x")

    naps = [Naps() for _ in range(20)]
    for nap in naps:
        with pytest.raises(VenueUnreachableError):
            await repeated(fails, sleep=nap)
    assert {len(nap.seconds) for nap in naps} == {ATTEMPTS - 1}
    # Up to 0.2 s, then up to 0.4 s: the exponential back-off's ceiling, drawn from evenly.
    assert all(nap.seconds[0] <= 0.2 and nap.seconds[1] <= 0.4 for nap in naps)
    assert len({nap.seconds[0] for nap in naps}) > 1


def test_a_simulated_account_without_its_loopback_is_not_opened(sim: SimulatedExchange, cache: Path) -> None:
    with pytest.raises(InternalError, match="main: a simulated account without a loopback is not opened"):
        OpenVenues([replace(simulated(sim), loopback=None)], cache, MovedClock())


async def test_closing_ends_every_client(sim: SimulatedExchange, cache: Path) -> None:
    async with opened(simulated(sim), cache=cache) as venues:
        await venues.venues["main"].ticker("BTC/USDT").reads[0].read()
    with pytest.raises(Exception, match="the server is shutting down"):
        await venues.venues["main"].ticker("BTC/USDT").reads[0].read()
    assert len(sim.control.requests()) == 1
