"""What every test may ask for."""

import pytest


@pytest.fixture
def anyio_backend() -> str:
    """The event loop that the product runs on."""
    return "asyncio"
