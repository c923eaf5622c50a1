"""The pictures of the documentation: taken from what a person sees, anew with EXCHANGE_MCP_PICTURES=1."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from desk.console.proposals import order, spot
from desk.console.served import Served

if TYPE_CHECKING:
    from playwright.sync_api import Page

DOCS = Path(__file__).parents[2] / "docs"
MOST_BYTES = 160_000
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["flip", "unknown"])
def test_a_picture_is_taken_of_an_order_that_flips_and_of_an_unknown(
    served: Served, page: "Page", name: str, scheme: str
) -> None:
    page.set_viewport_size({"width": 1000, "height": 760})
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    if name == "flip":
        intent = served.call(
            served.office.propose, order(), note="The trend has turned; sell before the weekend."
        )
        page.locator(f"#open-{intent}").click()
        page.wait_for_url("**/decisions/*")
        page.get_by_text("FLIPS your position").wait_for()
        taken = page.locator("main").screenshot()
    else:
        reason = "the connection broke after the order left, before an answer came"
        intent = served.call(served.office.propose, spot(), state="unknown", reason=reason)
        page.goto(page.url + f"intents/{intent}")
        page.get_by_text("What became of it is unknown").wait_for()
        taken = page.screenshot()
    assert taken.startswith(PNG)
    assert len(taken) < MOST_BYTES
    if os.environ.get("EXCHANGE_MCP_PICTURES"):
        (DOCS / f"console-{name}-{scheme}.png").write_bytes(taken)
