"""One running desk for all of these tests; each heals what it broke at the venue."""

from collections.abc import Generator

import pytest

from whole_desk.desk import WholeDesk

from .served import traded


@pytest.fixture(scope="session")
def running_desk() -> Generator[WholeDesk]:
    """The desk and its exchange."""
    with traded() as desk:
        yield desk


@pytest.fixture
def desk(running_desk: WholeDesk) -> Generator[WholeDesk]:
    """The desk, running, over a venue without faults and with an empty log."""
    running_desk.sim.heal()
    if running_desk.process is None:
        running_desk.start()
    running_desk.sim.forget()
    yield running_desk
    running_desk.sim.heal()
