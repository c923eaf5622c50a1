"""A cold start against the simulated exchange: what it asks, and what it spares with markets on disk."""

import asyncio
import re
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from exchange_mcp.model.errors import VenueUnavailableError
from exchange_mcp.model.ports import ReadVenue
from exchange_mcp.sim import Delay, FaultRule, SimulatedExchange
from exchange_mcp.tools.asking import ask
from exchange_mcp.venue.opening import OpenVenues

from .opened import LINEAR, SPOT, client_of, handed, opened, settled, simulated

pytestmark = pytest.mark.anyio

CATALOGUES = [("api.binance.com", "/api/v3/exchangeInfo"), ("fapi.binance.com", "/fapi/v1/exchangeInfo")]


def _asked(sim: SimulatedExchange) -> list[tuple[str, str]]:
    return [(entry.host, entry.path) for entry in sim.control.requests()]


def _main(venues: OpenVenues) -> ReadVenue:
    return venues.venues["main"]


async def _ticker(venue: ReadVenue, symbol: str = "BTC/USDT") -> object:
    (source,) = venue.ticker(symbol).reads
    return await source.read()


async def test_of_two_cold_callers_the_hasty_one_ends_and_the_patient_one_is_answered(
    sim: SimulatedExchange, tmp_path: Path
) -> None:
    sim.control.add_fault(FaultRule(effect=Delay(1_000), path=re.compile("/api/v3/exchangeInfo")))
    async with opened(simulated(sim), cache=tmp_path) as venues:
        patient = asyncio.create_task(
            ask(handed(venues, seconds=5), None, lambda venue: venue.ticker("BTC/USDT"))
        )
        with anyio.move_on_after(0.3) as hasty:
            await _ticker(_main(venues))
        assert hasty.cancelled_caught
        answer = await patient
    assert answer.coverage.complete
    assert [path for _, path in _asked(sim)].count("/api/v3/exchangeInfo") == 1


async def test_many_cold_callers_load_the_markets_once_and_ask_once_each(
    sim: SimulatedExchange, tmp_path: Path
) -> None:
    async with opened(simulated(sim), cache=tmp_path) as venues:
        await asyncio.gather(*(_ticker(_main(venues)) for _ in range(10)))
    assert sorted(_asked(sim)) == sorted([*CATALOGUES, *[("api.binance.com", "/api/v3/ticker/24hr")] * 10])


async def test_the_first_ticker_after_a_start_with_stored_markets_costs_one_request(
    sim: SimulatedExchange, tmp_path: Path
) -> None:
    async with opened(simulated(sim), cache=tmp_path) as venues:
        await _ticker(_main(venues))
    sim.control.clear_requests()
    async with opened(simulated(sim), cache=tmp_path) as venues:
        await settled()
        assert _asked(sim) == []
        await _ticker(_main(venues))
    assert _asked(sim) == [("api.binance.com", "/api/v3/ticker/24hr")]


async def test_every_read_with_stored_markets_costs_one_request_a_source(
    sim: SimulatedExchange, tmp_path: Path
) -> None:
    async with opened(simulated(sim), cache=tmp_path) as venues:
        await _ticker(_main(venues))
        sim.control.clear_requests()
        venue = _main(venues)
        questions = [
            venue.balances(),
            venue.positions(),
            venue.open_orders(None),
            venue.open_orders("BTC/USDT:USDT"),
            venue.ticker("BTC/USDT:USDT"),
            venue.order_book("BTC/USDT", 5),
            venue.order_book("BTC/USDT:USDT", 7),
        ]
        for source in (source for question in questions for source in question.reads):
            await source.read()
    assert [(entry.host, entry.path, entry.key) for entry in sim.control.requests()] == [
        ("api.binance.com", "/api/v3/account", "reader"),
        ("fapi.binance.com", "/fapi/v3/account", "reader"),
        ("fapi.binance.com", "/fapi/v2/positionRisk", "reader"),
        ("api.binance.com", "/api/v3/openOrders", "reader"),
        ("fapi.binance.com", "/fapi/v1/openOrders", "reader"),
        ("fapi.binance.com", "/fapi/v1/openAlgoOrders", "reader"),
        ("fapi.binance.com", "/fapi/v1/openOrders", "reader"),
        ("fapi.binance.com", "/fapi/v1/openAlgoOrders", "reader"),
        ("fapi.binance.com", "/fapi/v1/ticker/24hr", None),
        ("api.binance.com", "/api/v3/depth", None),
        ("fapi.binance.com", "/fapi/v1/depth", None),
    ]


@pytest.mark.parametrize("other", [{"instance": "1-2"}, {"types": (SPOT,)}, {"types": (LINEAR,)}])
async def test_stored_markets_of_another_simulated_exchange_or_other_types_are_not_used(
    sim: SimulatedExchange, tmp_path: Path, other: dict[str, object]
) -> None:
    async with opened(simulated(sim), cache=tmp_path) as venues:
        await _ticker(_main(venues))
    sim.control.clear_requests()
    opening = simulated(sim)
    if "instance" in other:
        opening = replace(opening, instance=str(other["instance"]))
    else:
        opening = replace(opening, account=replace(opening.account, market_types=other["types"]))
    symbol = "BTC/USDT" if SPOT in opening.account.market_types else "BTC/USDT:USDT"
    async with opened(opening, cache=tmp_path) as venues:
        await _ticker(_main(venues), symbol)
    assert any(path.endswith("exchangeInfo") for _, path in _asked(sim))


async def test_an_account_of_one_market_type_loads_that_ones_markets_alone(
    sim: SimulatedExchange, tmp_path: Path
) -> None:
    async with opened(simulated(sim, types=(LINEAR,)), cache=tmp_path) as venues:
        await _ticker(_main(venues), "BTC/USDT:USDT")
    assert _asked(sim)[:-1] == CATALOGUES[1:]


async def test_markets_are_asked_for_without_the_key(sim: SimulatedExchange, tmp_path: Path) -> None:
    async with opened(simulated(sim), cache=tmp_path) as venues:
        await _ticker(_main(venues))
    assert {entry.key for entry in sim.control.requests()} == {None}


async def test_two_accounts_of_one_key_share_one_client_and_of_two_keys_do_not(
    sim: SimulatedExchange, tmp_path: Path
) -> None:
    openings = [
        simulated(sim, "main"),
        simulated(sim, "same"),
        simulated(sim, "alt", key="reader-alt"),
        simulated(sim, "public", key=None),
    ]
    async with opened(*openings, cache=tmp_path) as venues:
        clients = {name: id(client_of(venue)) for name, venue in venues.venues.items()}
        assert list(clients) == ["main", "same", "alt", "public"]
        assert clients["main"] == clients["same"]
        assert len(set(clients.values())) == 3


async def test_accounts_of_one_venue_share_one_download(sim: SimulatedExchange, tmp_path: Path) -> None:
    async with opened(simulated(sim), simulated(sim, "alt", key="reader-alt"), cache=tmp_path) as venues:
        await asyncio.gather(*(_ticker(venue) for venue in venues.venues.values()))
    assert [path for _, path in _asked(sim)].count("/api/v3/exchangeInfo") == 1


async def test_when_the_markets_cannot_be_loaded_every_read_says_why(
    sim: SimulatedExchange, tmp_path: Path
) -> None:
    sim.control.add_fault(
        {"kind": "status", "status": 503, "body": "<html>busy</html>", "content_type": "text/html"}
    )
    async with opened(simulated(sim), cache=tmp_path) as venues:
        venue = _main(venues)
        for sources in (venue.balances(), venue.positions(), venue.ticker("BTC/USDT")):
            for source in sources.reads:
                with pytest.raises(VenueUnavailableError, match="binance cannot serve at the moment"):
                    await source.read()
