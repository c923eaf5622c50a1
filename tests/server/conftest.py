"""One simulated exchange for all tests of the server; each test heals what it broke."""

from collections.abc import Generator
from pathlib import Path

import pytest

from serving import Sim, simulated_exchange


@pytest.fixture(scope="session")
def running_sim(tmp_path_factory: pytest.TempPathFactory) -> Generator[Sim]:
    """The exchange's process."""
    with simulated_exchange(tmp_path_factory.mktemp("sim")) as sim:
        yield sim


@pytest.fixture
def sim(running_sim: Sim) -> Generator[Sim]:
    """The exchange, without faults and with an empty log."""
    running_sim.heal()
    running_sim.forget()
    yield running_sim
    running_sim.heal()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory of the test's own."""
    return tmp_path
