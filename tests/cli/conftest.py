"""What tests of the command line may ask for."""

from collections.abc import Generator
from pathlib import Path

import pytest

from serving import Sim, simulated_exchange

from .launching import environment


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """The environment of a user whose home is the test's own directory."""
    return environment(tmp_path)


@pytest.fixture(scope="module")
def sim(tmp_path_factory: pytest.TempPathFactory) -> Generator[Sim]:
    """A simulated exchange, which nobody disturbs."""
    with simulated_exchange(tmp_path_factory.mktemp("sim")) as running:
        yield running
