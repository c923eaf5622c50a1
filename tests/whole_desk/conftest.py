"""A whole desk for a test."""

from collections.abc import Generator

import pytest

from .desk import WholeDesk, whole_desk


@pytest.fixture
def desk() -> Generator[WholeDesk]:
    """One that is set up, and not started yet."""
    with whole_desk() as made:
        yield made
