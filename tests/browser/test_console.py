"""The console in a real browser, with a passkey that its user really had to verify: every act, seen and done."""

import re
from typing import TYPE_CHECKING

import pytest

from desk.console.proposals import cancel, leverage, order, spot
from desk.console.served import Served
from orders.made import FLAT

from . import axe
from .authenticators import Authenticator

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route


def look(page: "Page", intent: str) -> None:
    page.locator(f"#open-{intent}").click()
    page.wait_for_url("**/decisions/*")


def approve(page: "Page") -> None:
    page.get_by_role("button", name="Approve with a passkey").click()


def test_a_proposal_appears_at_once_is_looked_at_and_approved(served: Served, page: "Page") -> None:
    assert page.get_by_role("heading", level=1).inner_text() == "Nothing waits for you"
    intent = served.call(served.office.propose, spot())
    page.get_by_role("heading", name="1 proposal waits for you").wait_for()
    assert page.title() == "(1) Waiting"
    look(page, intent)
    assert page.title() == "(1) ADDS to your holding"
    approve(page)
    page.wait_for_url(f"**/intents/{intent}")
    assert served.office.granted == [intent]
    assert "placed" in page.locator("main").inner_text()
    assert page.title().startswith("buy")


def test_declining_takes_one_key(served: Served, page: "Page") -> None:
    intent = served.call(served.office.propose, spot())
    look(page, intent)
    page.keyboard.press("d")
    page.wait_for_url(f"**/intents/{intent}")
    assert served.office.held[intent].view.state == "declined"


def test_of_two_rows_a_key_declines_the_one_that_has_the_focus(served: Served, page: "Page") -> None:
    first, second = (served.call(served.office.propose, spot(amount=amount)) for amount in ("0.01", "0.02"))
    page.get_by_role("heading", name="2 proposals wait for you").wait_for()
    page.keyboard.press("d")
    page.locator(f"#open-{second}").focus()
    page.keyboard.press("d")
    page.wait_for_url(f"**/intents/{second}")
    states = [served.office.held[each].view.state for each in (first, second)]
    assert states == ["proposed", "declined"]


def test_keys_do_nothing_while_somebody_types_or_has_switched_them_off(served: Served, page: "Page") -> None:
    look(page, served.call(served.office.propose, order()))
    page.get_by_label("Type the amount").press_sequentially("d h")
    page.get_by_role("button", name="Single-key shortcuts").click()
    page.locator("main").focus()
    page.keyboard.press("d")
    page.keyboard.press("h")
    page.keyboard.press("Enter")
    assert served.office.status().pending == 1
    assert served.office.status().halted is None


def test_a_large_order_is_approved_by_typing_its_amount_and_not_before(served: Served, page: "Page") -> None:
    intent = served.call(served.office.propose, order())
    look(page, intent)
    assert page.locator(".lead").inner_text() == "FLIPS your position"
    assert page.locator(".consequence").inner_text() == "long 0.4 BTC becomes short 0.6 BTC"
    assert page.evaluate("document.activeElement === document.body")
    approve(page)
    page.get_by_role("alert").filter(has_text="Type the amount").wait_for()
    typed = page.get_by_label("Type the amount")
    typed.fill("0.1")
    typed.press("Enter")
    approve(page)
    page.get_by_role("alert").filter(has_text="Type the amount").wait_for()
    assert not served.office.granted
    typed.fill("1")
    approve(page)
    page.wait_for_url(f"**/intents/{intent}")
    assert served.office.granted == [intent]


def test_what_is_refused_is_said_where_the_button_is_however_far_down_the_page(
    served: Served, page: "Page"
) -> None:
    page.set_viewport_size({"width": 390, "height": 600})
    look(page, served.call(served.office.propose, order()))
    approve(page)
    told = page.get_by_role("alert").filter(has_text="Type the amount")
    told.wait_for()
    assert page.evaluate("scrollY") > 0
    box = told.bounding_box()
    assert box is not None
    assert 0 <= box["y"] < box["y"] + box["height"] <= 600


# The page is answered with something else than the desk said, and would tell in its title that it asked for a passkey.
SWAPPED = """
const json = Response.prototype.json;
Response.prototype.json = async function () {
  const said = await json.call(this);
  if (said.ceremony) { SWAP }
  return said;
};
navigator.credentials.get = async () => { document.title = "asked"; throw new Error("asked"); };
"""


@pytest.mark.parametrize(
    "swap",
    [
        """said.statement = said.statement.replace('"plan":"', '"plan":"0')""",
        """said.statement = '{"body":{"account":null},"purpose":"resume"}'; delete said.parts""",
    ],
    ids=["a statement of another plan", "a statement of something else"],
)
def test_a_passkey_is_not_asked_for_anything_but_the_plan_on_the_page(
    served: Served, page: "Page", swap: str
) -> None:
    page.add_init_script(SWAPPED.replace("SWAP", swap))
    look(page, served.call(served.office.propose, spot()))
    approve(page)
    page.get_by_role("alert").filter(has_text=re.compile("asked|Nothing was signed")).wait_for()
    assert "Nothing was signed" in page.get_by_role("alert").first.inner_text()
    assert page.title() != "asked"


def test_a_preview_runs_out_before_the_eyes_and_is_taken_afresh(served: Served, page: "Page") -> None:
    intent = served.call(served.office.propose, spot())
    look(page, intent)
    assert re.fullmatch(r"1:5\d left", page.locator(".clock .until").inner_text())
    page.evaluate("() => { const now = Date.now; Date.now = () => now() + 119_900; }")
    page.get_by_role("alert").filter(has_text="too old").wait_for()
    assert page.get_by_role("button", name="Approve with a passkey").is_disabled()
    page.get_by_role("button", name="Preview it afresh").click()
    page.get_by_role("button", name="Approve with a passkey", disabled=False).wait_for()
    approve(page)
    page.wait_for_url(f"**/intents/{intent}")


def test_a_proposal_that_expires_under_the_open_page_cannot_be_approved(served: Served, page: "Page") -> None:
    intent = served.call(served.office.propose, spot())
    look(page, intent)
    served.call(served.office.move, intent, "expired", reason="nobody decided in time")
    page.get_by_role("alert").filter(has_text="expired").wait_for()
    assert page.get_by_role("button", name="Approve with a passkey").is_disabled()


def test_of_two_tabs_the_older_one_says_that_it_changed(served: Served, page: "Page") -> None:
    intent = served.call(served.office.propose, spot())
    root = page.url
    look(page, intent)
    other = page.context.new_page()
    other.goto(root)
    look(other, intent)
    page.get_by_role("alert").filter(has_text="changed since this page was opened").wait_for()
    assert page.get_by_role("button", name="Approve with a passkey").is_disabled()
    assert other.get_by_role("button", name="Approve with a passkey").is_enabled()


def test_an_unknown_is_resolved_by_what_a_person_found_and_signed(served: Served, page: "Page") -> None:
    intent = served.call(served.office.propose, spot(), state="unknown", reason="the answer was lost")
    page.get_by_role("link", name="buy 0.01 BTC").click()
    page.get_by_role("button", name="Sign it with a passkey").click()
    page.get_by_role("alert").filter(has_text="Say what became of it").wait_for()
    page.get_by_label("absent").check()
    page.get_by_label("How you found out").fill("not in the venue's history")
    page.get_by_role("button", name="Sign it with a passkey").click()
    page.locator(".state-absent").wait_for()
    assert served.office.resolved == [
        {"intent": intent, "outcome": "absent", "note": "not in the venue's history"}
    ]


def test_halting_takes_one_key_and_resuming_a_passkey(served: Served, page: "Page") -> None:
    page.keyboard.press("h")
    resume = page.get_by_role("button", name="Resume the desk with a passkey")
    resume.wait_for()
    assert served.office.status().halted is not None
    resume.click()
    page.get_by_text("Everything is halted").wait_for(state="detached")
    assert served.office.status().halted is None


def test_a_user_who_is_not_verified_signs_nothing_and_is_asked_again_in_a_minute(
    served: Served, page: "Page", key: Authenticator
) -> None:
    key.forget_user()
    look(page, served.call(served.office.propose, spot()))
    approve(page)
    page.get_by_role("alert").filter(has_text="No passkey was given").wait_for()
    assert not served.office.granted
    approve(page)
    page.get_by_role("alert").filter(has_text="Take the time to look").wait_for()


def test_a_console_left_open_overnight_says_so_and_shows_no_order(served: Served, page: "Page") -> None:
    look(page, served.call(served.office.propose, spot()))
    served.clock.ahead_ms = 9 * 3_600_000
    served.call(served.office.record, "checkpoint", None)
    page.get_by_role("alert").filter(has_text="session is over").wait_for()
    assert page.locator("main").inner_text() == ""


def test_every_page_passes_axe_in_both_schemes(served: Served, page: "Page") -> None:
    source = axe.script()
    root = page.url
    intent = served.call(served.office.propose, order(), note="it falls")
    unknown = served.call(served.office.propose, spot(), state="unknown", reason="the answer was lost")
    served.call(served.office.propose, leverage(), state="declined")
    page.goto(root)
    look(page, intent)
    decision = page.url
    addresses = [
        decision,
        root,
        *(root + path for path in ("intents", f"intents/{unknown}", "limits", "accounts", "people")),
        served.origin + "/",
        served.origin + "/enrol",
    ]
    found: list[str] = []
    # In the dark only what has colours of its own.
    for scheme, shown in (("light", addresses), ("dark", [*addresses[:2], addresses[3]])):
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        for address in shown:
            page.goto(address)
            found += [f"{scheme} {address}: {each}" for each in axe.violations(page, source)]
    assert not found


def test_everything_can_be_reached_by_tab_alone_in_a_narrow_window(served: Served, page: "Page") -> None:
    page.set_viewport_size({"width": 360, "height": 640})
    look(page, served.call(served.office.propose, order()))
    overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(overflow) == 0
    reached: list[str] = []
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate("document.activeElement.textContent.trim() || document.activeElement.name")
        )
    for wanted in ("Approve with a passkey", "typed", "Halt everything"):
        assert any(each.startswith(wanted) for each in reached), wanted
    assert any(each.startswith("Decline") for each in reached)


def test_nothing_is_written_into_the_console_of_the_browser(served: Served, page: "Page") -> None:
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    root = page.url
    served.call(served.office.propose, cancel(FLAT))
    for path in ("", "intents", "limits", "accounts", "people"):
        page.goto(root + path)
    assert not said


def test_any_number_of_tabs_leaves_a_way_to_halt_and_each_hears_of_it(served: Served, page: "Page") -> None:
    tabs = [page]
    for _ in range(7):
        tabs.append(page.context.new_page())
        tabs[-1].goto(page.url)
    tabs[3].get_by_role("button", name="Halt everything").click()
    for each in tabs:
        each.get_by_text("Everything is halted.").wait_for()
    # The tab that listened is gone; another one listens in its place.
    page.close()
    served.call(served.office.propose, spot())
    for each in tabs[1:]:
        each.get_by_role("heading", name="1 proposal waits for you").wait_for()


def test_a_page_that_was_open_for_an_hour_halts_at_the_first_press(served: Served, page: "Page") -> None:
    page.get_by_role("heading", level=1).wait_for()
    served.clock.ahead_ms = 3_600_000
    page.get_by_role("button", name="Halt everything").click()
    page.get_by_text("Everything is halted.").wait_for()
    assert served.office.status().halted


def test_what_passed_while_a_press_was_under_way_stays_passed(served: Served, page: "Page") -> None:
    intent = served.call(served.office.propose, spot())
    look(page, intent)
    held: list[Route] = []
    page.route("**/approve", lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks the function
    approve(page)
    served.call(served.office.move, intent, "expired", reason="nobody decided in time")
    page.locator("#passed").filter(has_text="expired").wait_for()
    held[0].continue_()
    page.locator("#alert").filter(has_text="expired").wait_for()
    assert page.get_by_role("button", name="Approve with a passkey").is_disabled()
    assert not served.office.granted
