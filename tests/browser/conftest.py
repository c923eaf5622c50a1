"""A real Chromium against a console on loopback. Without a browser these tests are skipped and say so."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from desk.console.served import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext

CHROMIUM = os.environ.get("EXCHANGE_MCP_TEST_CHROMIUM") or shutil.which("chromium")
_FOLDER = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--screenshots", action="store_true", help="write docs/console-*.png anew")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if CHROMIUM is not None:
        return
    skipped = pytest.mark.skip(reason="no chromium: apt-get install chromium runs the console's tests")
    for item in items:
        if _FOLDER in item.path.parents:
            item.add_marker(skipped)


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    """One browser for all of them."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - nobody else pays for its import

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"] if os.geteuid() == 0 else []
        )
        yield launched
        launched.close()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """A console, and the office behind it."""
    with Served(tmp_path) as console:
        yield console


@pytest.fixture
def context(browser: "Browser") -> Iterator["BrowserContext"]:
    """A browser that has never been anywhere."""
    made = browser.new_context(viewport={"width": 1200, "height": 1000})
    made.set_default_timeout(5000)
    yield made
    made.close()
