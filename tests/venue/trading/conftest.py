"""A simulated exchange of these tests' own: what is traded here would be found on the accounts that others read."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from exchange_mcp.sim import SimulatedExchange
from venue.opened import opened, simulated


@pytest.fixture(scope="module")
async def served() -> AsyncGenerator[SimulatedExchange]:
    async with SimulatedExchange(seed=1).serving() as serving:
        yield serving


@pytest.fixture(scope="module")
async def cache(served: SimulatedExchange, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where its markets are stored already."""
    directory = tmp_path_factory.mktemp("markets")
    async with opened(simulated(served), cache=directory) as venues:
        (source,) = venues.venues["main"].ticker("BTC/USDT").reads
        await source.read()
    return directory
