"""A real Chromium at the console of a real desk: its processes and the exchange's, with an approver's own passkey."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

import pytest

from cli.launching import asked
from cli.terminal import at_terminal
from serving import PROGRAM
from whole_desk.desk import APPROVER, TOML, WholeDesk, whole_desk

from .authenticators import Authenticator

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PERSON = "ada"
# What is worth less is approved by a passkey alone; the rest has its amount typed first.
TYPED_ABOVE = TOML.replace("[console]", "[console]\ntype_above = 200")


@dataclass(frozen=True)
class AtDesk:
    """Who sits before a desk: its page in a browser, and the words that terminal and page showed of the passkey."""

    desk: WholeDesk
    page: "Page"
    root: str
    words: tuple[str, str]

    def sees(self, intent_id: str) -> None:
        """Look at what waits, from the list in which it appears by itself."""
        self.page.goto(self.root)
        self.page.locator(f"#open-{intent_id}").click()
        self.page.wait_for_url("**/decisions/*")

    def signs(self, button: str) -> None:
        self.page.get_by_role("button", name=button).click()


def enrol(desk: WholeDesk, page: "Page") -> tuple[str, str]:
    """`approvers add --passkey` at a terminal, and its page in the browser; the words that both showed."""
    with at_terminal([*PROGRAM, "approvers", "add", PERSON, "--passkey"], desk.environ) as terminal:
        terminal.until("within ten minutes:")
        url = terminal.until("and type this code there:").strip()
        terminal.until("  ")
        code = terminal.until("\n").strip()
        page.goto(url)
        page.get_by_label("code that the terminal shows").fill(code)
        page.get_by_role("button", name="Make the passkey").click()
        page.locator("#check").wait_for(state="visible")
        terminal.until("Does the browser show  ")
        words = terminal.until("  ?").strip()
        terminal.press("y\n")
        terminal.rest()
        assert terminal.process.returncode == 0, terminal.shown
    return words, page.locator("#check").inner_text()


@pytest.fixture(scope="module")
def seat(browser: "Browser") -> Iterator[AtDesk]:
    """A desk that runs, and somebody with a passkey before its console."""
    context = browser.new_context(viewport={"width": 1200, "height": 1000})
    context.set_default_timeout(20_000)
    page = context.new_page()
    with whole_desk(toml=TYPED_ABOVE) as desk:
        desk.start()
        Authenticator(page)
        words = enrol(desk, page)
        told = asked("console", environ=desk.environ)
        page.goto(told.stdout.strip())
        page.wait_for_url("**/d/*/")
        yield AtDesk(desk, page, page.url, words)
        context.close()


def sent(desk: WholeDesk, path: str) -> list[dict[str, str]]:
    """What was sent to place an order there, field by field."""
    requests = desk.sim.control.get("/__sim/requests").raise_for_status().json()["requests"]
    return [
        dict(parse_qsl(each["query"]) + parse_qsl(each["body"]))
        for each in requests
        if (each["method"], each["path"]) == ("POST", path)
    ]


def test_a_passkey_made_from_the_terminal_is_an_approver_and_both_screens_showed_the_same_words(
    seat: AtDesk,
) -> None:
    terminal, browser = seat.words
    assert terminal == browser
    assert re.fullmatch(r"(?:[0-9a-f]{4} ){3}[0-9a-f]{4}", terminal)
    with seat.desk.operator() as client:
        kinds = {each.name: each.kind for each in client.approvers().approvers}
    assert kinds[PERSON] == "passkey"


def test_what_a_client_proposes_appears_and_once_the_passkey_signed_the_venue_has_it(seat: AtDesk) -> None:
    desk, page = seat.desk, seat.page
    page.goto(seat.root)
    page.get_by_role("heading", name="Nothing waits for you").wait_for()
    order = {"symbol": "BTC/USDT", "side": "buy", "type": "limit", "amount": "0.00100", "price": "90000"}
    intent_id: str = desk.proposes("seen-in-a-browser", **order).raise_for_status().json()["intent_id"]
    page.get_by_role("heading", name="1 proposal waits for you").wait_for()
    seat.sees(intent_id)
    shown = page.locator("article").inner_text()
    assert "SIMULATED" in shown.upper()
    assert not sent(desk, "/api/v3/order")
    seat.signs("Approve with a passkey")
    page.wait_for_url(f"**/intents/{intent_id}")
    desk.settled(intent_id, "placed", "accepted")
    (left,) = sent(desk, "/api/v3/order")
    assert (left["symbol"], left["side"], left["type"]) == ("BTCUSDT", "BUY", "LIMIT")
    assert (Decimal(left["quantity"]), Decimal(left["price"])) == (Decimal("0.001"), Decimal(90_000))
    (held,) = desk.placed()
    assert held["client_order_id"] == left["newClientOrderId"]
    with desk.operator() as client:
        detail = client.intent(intent_id)
    planned = json.loads(detail.plan_text)["request"]["parameters"]
    of_signing = {"timestamp", "recvWindow", "signature"}
    assert {name: str(value) for name, value in planned.items() if name not in of_signing} == {
        name: value for name, value in left.items() if name not in of_signing
    }
    events = detail.events
    assert any(PERSON in event.text for event in events if event.kind == "granted")
    assert not any(APPROVER in event.text for event in events)


def test_what_is_declined_in_the_browser_never_leaves(seat: AtDesk) -> None:
    desk, page = seat.desk, seat.page
    before = len(desk.placed())
    intent_id = desk.buy("0.02", symbol="ETH/USDT").id
    seat.sees(intent_id)
    page.keyboard.press("d")
    page.wait_for_url(f"**/intents/{intent_id}")
    assert desk.intent(intent_id).state == "declined"
    assert len(desk.placed()) == before


def test_while_halted_even_a_signed_order_does_not_leave_and_a_passkey_alone_lifts_the_halt(
    seat: AtDesk,
) -> None:
    desk, page = seat.desk, seat.page
    before = len(desk.placed())

    def sell() -> str:
        return desk.buy("0.003", symbol="BTC/USDT:USDT", side="sell").id

    def approve(intent_id: str) -> str:
        seat.sees(intent_id)
        page.get_by_label("Type the amount").fill("0.003")
        seat.signs("Approve with a passkey")
        page.wait_for_url(f"**/intents/{intent_id}")
        return intent_id

    waiting = sell()
    page.goto(seat.root)
    page.keyboard.press("h")
    page.get_by_text("Everything is halted").wait_for()
    assert desk.status().halted is not None
    assert "halted" in desk.settled(approve(waiting), "lapsed").reason
    assert len(desk.placed()) == before
    seat.signs("Resume the desk with a passkey")
    page.get_by_text("Everything is halted").wait_for(state="detached")
    assert desk.status().halted is None
    desk.settled(approve(sell()), "placed")
    assert len(desk.placed()) == before + 1
