"""What every test may ask for, and in which order they run."""

import os
from pathlib import Path

import pytest

# Those that start programs and wait for them: begun first, they wait beside the others and not after them.
_WAITING = ("whole_desk", "end_to_end", "browser", "faults", "cli")
# What takes longer than every change may: minutes of killed desks and of windows that pass.
_SOAKING = frozenset(
    {
        "end_to_end/test_kills.py",
        "whole_desk/test_copied_journals.py",
        "whole_desk/test_slow_faults.py",
        "whole_desk/test_what_it_notices.py",
    }
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The modules that wait longest come first; within one the order stays."""
    places = [Path(__file__).parent / name for name in _WAITING]

    def rank(item: pytest.Item) -> int:
        return next((i for i, place in enumerate(places) if place in item.path.parents), len(places))

    items.sort(key=rank)
    if "EXCHANGE_MCP_SOAK" in os.environ:
        return
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent) and (
            item.path.relative_to(Path(__file__).parent).as_posix() in _SOAKING
        ):
            item.add_marker(pytest.mark.skip(reason="takes minutes: make soak runs it"))


@pytest.fixture
def anyio_backend() -> str:
    """The event loop that the product runs on."""
    return "asyncio"
