"""The journal that a test writes to."""

import pytest

from exchange_mcp.desk.journal import Journal

from .memory_disk import MemoryDisk
from .virtual import HandClock, SeededEntropy


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def disk() -> MemoryDisk:
    return MemoryDisk()


@pytest.fixture
def journal(disk: MemoryDisk, clock: HandClock) -> Journal:
    opened = disk.open(clock, SeededEntropy())
    opened.recover()
    return opened
