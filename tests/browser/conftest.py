"""A real Chromium against a console on loopback. Without a browser these tests are skipped and say so."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from desk.console.served import Served

from .authenticators import Authenticator, enrol

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

CHROMIUM = os.environ.get("EXCHANGE_MCP_TEST_CHROMIUM") or shutil.which("chromium")
IS_REQUIRED = os.environ.get("EXCHANGE_MCP_BROWSER") == "required"
_FOLDER = Path(__file__).parent
_AS_ROOT = ["--no-sandbox"] if os.geteuid() == 0 else []


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if CHROMIUM is not None or IS_REQUIRED:
        return
    skipped = pytest.mark.skip(reason="no chromium: apt-get install chromium runs the console's tests")
    for item in items:
        if _FOLDER in item.path.parents:
            item.add_marker(skipped)


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """One browser for a module's tests: while it runs, no other event loop can in this thread."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - nobody else pays for its import

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=CHROMIUM,
            # A name whose owner points it at this machine: DNS rebinding.
            args=["--host-resolver-rules=MAP rebound.example 127.0.0.1", *_AS_ROOT],
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
    made.set_default_timeout(20_000)
    yield made
    made.close()


@pytest.fixture
def tab(context: "BrowserContext") -> "Page":
    """An empty one."""
    return context.new_page()


@pytest.fixture
def key(tab: "Page") -> Authenticator:
    """The user's."""
    return Authenticator(tab)


@pytest.fixture
def page(served: Served, tab: "Page", key: Authenticator) -> "Page":
    """A console with an enrolled passkey, as its user sees it after opening the link."""
    assert not key.credentials()
    enrol(served, tab, "ada")
    tab.goto(served.call(served.console.link).url)
    tab.wait_for_url("**/d/*/")
    return tab
