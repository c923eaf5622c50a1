"""One simulator for all tests that only read, a fresh one for those that do not."""

import asyncio
from collections.abc import AsyncGenerator

import aiohttp
import pytest

from exchange_mcp.sim import SimulatedExchange

from .clients import Ccxt, Connect, Counted, StillClock, binance, http


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def clock() -> StillClock:
    return StillClock()


@pytest.fixture(scope="session")
async def sim(clock: StillClock) -> AsyncGenerator[SimulatedExchange]:
    async with SimulatedExchange(seed=1, clock=clock, accounts=3, entropy=Counted()).serving() as serving:
        yield serving


@pytest.fixture(scope="session")
async def session(sim: SimulatedExchange) -> AsyncGenerator[aiohttp.ClientSession]:
    async with http(sim.port, sim.ca_pem) as opened:
        yield opened


@pytest.fixture(scope="session")
async def connect(
    sim: SimulatedExchange, session: aiohttp.ClientSession, clock: StillClock
) -> AsyncGenerator[Connect]:
    clients: list[Ccxt] = []

    def make(label: str) -> Ccxt:
        clients.append(binance(session, sim, label, clock=clock))
        return clients[-1]

    yield make
    await asyncio.gather(*(client.close() for client in clients))


@pytest.fixture
async def fresh() -> AsyncGenerator[SimulatedExchange]:
    async with SimulatedExchange(seed=1, clock=StillClock(), entropy=Counted()).serving() as serving:
        yield serving


@pytest.fixture
async def fresh_session(fresh: SimulatedExchange) -> AsyncGenerator[aiohttp.ClientSession]:
    async with http(fresh.port, fresh.ca_pem) as opened:
        yield opened
