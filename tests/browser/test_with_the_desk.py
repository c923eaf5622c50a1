"""A browser at the desk's own process, over a simulated exchange: from making a passkey to the order that it sends."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Final

import pytest

from cli.terminal import at_terminal
from serving import PROGRAM
from whole_desk.desk import CREDENTIAL, TOML, WholeDesk, whole_desk

from .authenticators import Authenticator

if TYPE_CHECKING:
    from playwright.sync_api import Page

# Every amount is typed, as it is for a large order at a desk that says nothing about it.
TYPED: Final = TOML.replace("[console]\n", "[console]\ntype_above = 0\n")


@pytest.fixture(scope="module")
def desk() -> Iterator[WholeDesk]:
    with whole_desk(toml=TYPED) as made:
        made.start()
        yield made
        assert CREDENTIAL not in made.log.read_text()


@pytest.fixture
def page(desk: WholeDesk, tab: "Page", key: Authenticator) -> "Page":
    """A console whose user made a passkey by what the terminal said, and opened the link that it printed."""
    name = f"ada-{id(key)}"
    make = (*PROGRAM, "approvers", "add", name, "--passkey")
    with at_terminal(make, desk.environ) as terminal:
        terminal.until("within ten minutes:\n  ")
        tab.goto(terminal.until("\n"))
        terminal.until("type this code there:  ")
        tab.get_by_label("code that the terminal shows").fill(terminal.until("\n"))
        tab.get_by_role("button", name="Make the passkey").click()
        terminal.until("Does the browser show  ")
        words = terminal.until("  ?")
        tab.locator("#check").get_by_text(words, exact=True).wait_for()
        terminal.press("y\n")
        said = terminal.rest()
        assert terminal.process.returncode == 0, said
    with desk.operator() as client:
        assert name in [each.name for each in client.approvers().approvers]
    with at_terminal((*PROGRAM, "console"), desk.environ) as terminal:
        terminal.until("it works once:\n")
        link = terminal.until("\n")
    tab.goto(link)
    tab.wait_for_url("**/d/*/")
    assert link.partition("#")[2] not in desk.log.read_text()
    return tab


def proposed(desk: WholeDesk, page: "Page", proposal: str, **request: object) -> str:
    """A client's proposal, seen to appear and looked at; answers its intent."""
    answer = desk.proposes(proposal, **request)
    assert answer.is_success, answer.text
    intent = str(answer.json()["intent_id"])
    page.locator(f"#open-{intent}").click()
    page.wait_for_url("**/decisions/*")
    return intent


def approve(page: "Page") -> None:
    page.get_by_role("button", name="Approve with a passkey").click()


def test_an_order_of_a_client_is_at_the_exchange_as_its_page_said_and_only_after_the_passkey(
    desk: WholeDesk, page: "Page", key: Authenticator
) -> None:
    before = len(desk.placed())
    proposed(
        desk,
        page,
        "that-is-placed",
        symbol="BTC/USDT",
        side="buy",
        type="limit",
        amount="0.002",
        price="90000",
    )
    assert page.locator(".order").inner_text() == "Buy 0.002 BTC at 90\u202f000 USDT or better"
    ours = page.locator(".further dt", has_text="Our order id").locator("xpath=../dd").text_content()
    approve(page)
    page.get_by_role("alert").filter(has_text="Type the amount").wait_for()
    assert len(desk.placed()) == before
    page.get_by_label("Type the amount").fill("0.002")
    approve(page)
    page.get_by_text(re.compile("binance took the order|the venue shows it")).first.wait_for()
    (placed,) = desk.placed()[before:]
    shown = {name: placed[name] for name in ("symbol", "side", "type", "status")}
    assert shown == {"symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "status": "NEW"}
    assert (Decimal(placed["quantity"]), Decimal(placed["price"])) == (Decimal("0.002"), Decimal(90_000))
    assert placed["client_order_id"] == (ours or "").strip()
    assert key.credentials()[0]["signCount"] > 1


def test_an_order_that_was_declined_never_left(desk: WholeDesk, page: "Page") -> None:
    before = desk.placed()
    intent = proposed(
        desk, page, "that-is-declined", symbol="ETH/USDT", side="buy", type="market", amount="0.01"
    )
    page.keyboard.press("d")
    page.locator(".state-declined").wait_for()
    assert desk.intent(intent).state == "declined"
    assert desk.placed() == before


def test_halting_takes_a_press_and_holds_until_the_passkey_lifts_it(desk: WholeDesk, page: "Page") -> None:
    before = len(desk.placed())
    page.get_by_role("button", name="Halt everything").click()
    page.get_by_text("Everything is halted.").wait_for()
    refused = desk.proposes("while-halted", symbol="ETH/USDT", side="sell", type="market", amount="0.01")
    assert "halted" in refused.json()["error"]["message"], refused.text
    assert desk.status().halted
    page.get_by_role("button", name=re.compile("Resume")).click()
    page.get_by_text("Everything is halted.").wait_for(state="detached")
    assert desk.status().halted is None
    assert len(desk.placed()) == before
