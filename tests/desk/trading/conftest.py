"""One simulated exchange for all tests here; each finds its accounts as they were seeded."""

from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest

from exchange_mcp.sim import SimulatedExchange

from .world import OneClock, World


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[World]:
    clock = OneClock()
    async with SimulatedExchange(seed=1, clock=clock).serving() as sim:
        yield World(sim, clock, Path(tmp_path_factory.mktemp("markets")))


@pytest.fixture
def world(served: World) -> Generator[World]:
    served.reset()
    yield served
    served.reset()
