"""One simulated exchange for all tests here; each finds it without faults and without a request in its log."""

from collections.abc import AsyncGenerator, Generator

import pytest

from exchange_mcp.sim import SimulatedExchange


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
async def served() -> AsyncGenerator[SimulatedExchange]:
    async with SimulatedExchange(seed=1).serving() as serving:
        yield serving


@pytest.fixture
def sim(served: SimulatedExchange) -> Generator[SimulatedExchange]:
    served.control.clear_requests()
    yield served
    served.control.clear_faults()
