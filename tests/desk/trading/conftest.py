"""One simulated exchange for all tests here; each finds its accounts as they were seeded."""

from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest

from exchange_mcp.desk.trading.limits import PolicyLimits
from exchange_mcp.sim import SimulatedExchange

from .world import OneClock, Venues, World, policy, trading


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


@pytest.fixture(scope="session")
async def opened(served: World) -> AsyncGenerator[tuple[PolicyLimits, Venues]]:
    """Opened once: a client, its markets and the first check of its key take longer than most tests."""
    limits = PolicyLimits(policy())
    async with trading(served, limits) as venues:
        yield limits, venues


@pytest.fixture
def limits(opened: tuple[PolicyLimits, Venues]) -> PolicyLimits:
    """The policy that every test begins with."""
    opened[0].put_in_force(policy())
    return opened[0]


@pytest.fixture
def venues(world: World, opened: tuple[PolicyLimits, Venues], limits: PolicyLimits) -> Venues:
    """The venue of the one account, over the world as it was seeded."""
    del world, limits
    return opened[1]
