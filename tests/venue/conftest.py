"""One simulated exchange for all tests here; each finds it without faults and without a request in its log."""

from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest

from exchange_mcp.sim import SimulatedExchange
from exchange_mcp.venue.sweep import Examined, sweep

from .opened import opened, simulated

KEY_CHECK = "/sapi/v1/account/apiRestrictions"


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
async def served() -> AsyncGenerator[SimulatedExchange]:
    async with SimulatedExchange(seed=1).serving() as serving:
        yield serving


@pytest.fixture(scope="session")
def swept() -> dict[str, Examined]:
    """What the reads of every exchange class of the installed ccxt reach; takes some seconds, once."""
    return {each.venue: each for each in sweep()}


@pytest.fixture
def sim(served: SimulatedExchange, monkeypatch: pytest.MonkeyPatch) -> Generator[SimulatedExchange]:
    """The exchange; its log is without what the watch over keys asks beside every read."""
    served.control.clear_requests()
    every = served.control.requests
    monkeypatch.setattr(
        served.control, "requests", lambda: [entry for entry in every() if entry.path != KEY_CHECK]
    )
    yield served
    served.control.clear_faults()


@pytest.fixture(scope="session")
async def cache(served: SimulatedExchange, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the markets of the simulated exchange are stored already, so that a read costs one request."""
    directory = tmp_path_factory.mktemp("markets")
    async with opened(simulated(served), cache=directory) as venues:
        (source,) = venues.venues["main"].ticker("BTC/USDT").reads
        await source.read()
    return directory
