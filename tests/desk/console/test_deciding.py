"""One order, one page, one passkey: what is shown is what is signed, and nothing else is taken for it."""

import re
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from desk.soft_passkey import PRESENT, SoftPasskey
from exchange_mcp.desk.console.ceremonies import PROMPT_MS
from exchange_mcp.model.accounts import Environment
from exchange_mcp.model.canonical import canonical_json
from orders.made import holding, long, resting, stop

from .pretend_office import GRANT_MS
from .proposals import cancel, leverage, order, spot
from .visiting import ASKS, LOOKS, Desk, code, words

pytestmark = pytest.mark.anyio

BIDI = "\u202eevil\u2066\u200b\x07"
MARKUP = "<script>alert(1)</script><img src=x onerror=alert(1)>"


async def test_what_was_proposed_is_seen_opened_signed_and_granted() -> None:
    async with Desk() as desk:
        intent = desk.office.propose(spot())
        assert "1 proposal waits for you" in words((await desk.see()).text)
        answer = await desk.approve(intent)
        assert answer.status_code == 200, answer.text
        assert desk.office.granted == [intent]
        assert "placed" in words((await desk.see(f"intents/{intent}")).text)


async def test_the_page_says_the_effect_first_and_everything_that_decides() -> None:
    async with Desk() as desk:
        shown = await desk.see(await desk.opened(desk.office.propose(order())))
        said = words(shown.text)
        first = said.index("LIVE - REAL MONEY FLIPS your position long 0.4 BTC becomes short 0.6 BTC")
        for later in (
            "Sell 1 BTC at the market",
            # At the best bid of the book of tests/orders/made.py, 99990, of which it holds one.
            "99 990 USDT",
            # Of an equity of 20000: 99990 / 20000.
            "499.95 % of the account",
            "BTCUSDT",
            "ends in 0777",
            "client assistant",
            "set reduce_only if it should only close it",
        ):
            assert said.index(later) > first, later


@pytest.mark.parametrize(
    ("proposed", "lead"),
    [
        (order(side="buy", amount="0.1"), "ADDS to your position"),
        (order(amount="0.1"), "REDUCES your position"),
        (order(amount="0.4"), "CLOSES your position"),
        (order(), "FLIPS your position"),
        (spot(), "ADDS to your holding"),
        (cancel(holding(long("0.4"), resting=(resting(),))), "CANCELS the sell limit order"),
        (leverage(), "CHANGES the leverage"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_every_kind_of_write_has_a_page_that_leads_with_what_it_does(proposed: Any, lead: str) -> None:  # noqa: ANN401 - a proposal
    async with Desk() as desk:
        shown = await desk.see(await desk.opened(desk.office.propose(proposed)))
        assert shown.status_code == 200
        heading = re.search(r"<h1>(.*?)</h1>", shown.text, re.DOTALL)
        assert heading is not None
        assert words(heading[1]).startswith(lead)


@pytest.mark.parametrize(
    ("environment", "band"),
    [
        (Environment.LIVE, "LIVE - REAL MONEY"),
        (Environment.SANDBOX, "SANDBOX"),
        (Environment.SIM, "SIMULATED"),
    ],
)
async def test_the_environment_is_the_first_thing_on_the_page(environment: Environment, band: str) -> None:
    async with Desk() as desk:
        intent = desk.office.propose(spot(environment=environment))
        shown = await desk.see(await desk.opened(intent))
        article = words(shown.text.partition("<article")[2].partition(">")[2])
        assert article.startswith(band)


async def test_opening_is_an_act_that_previews_afresh_and_looking_again_is_none() -> None:
    async with Desk() as desk:
        intent = desk.office.propose(spot())
        await desk.see(f"intents/{intent}")
        assert [each.kind for each in desk.office.events] == ["proposed"]
        path = await desk.opened(intent)
        for _ in range(3):
            await desk.see(path)
        assert [each.kind for each in desk.office.events] == ["proposed", "previewed"]


async def test_a_signature_is_taken_once() -> None:
    async with Desk() as desk:
        intent, other = desk.office.propose(spot()), desk.office.propose(spot(amount="0.02"))
        asked = await desk.prompted(await desk.opened(intent))
        signed = desk.signature(asked)
        assert (await desk.ask("sign", signed)).status_code == 200
        assert code(await desk.ask("sign", signed)) == "FORM_USED"
        second = await desk.prompted(await desk.opened(other))
        replayed = await desk.ask("sign", {**signed, "ceremony": second["ceremony"]})
        assert code(replayed) == "SIGNATURE_REFUSED"
        assert desk.office.granted == [intent]


async def test_a_signature_over_another_plan_is_refused() -> None:
    async with Desk() as desk:
        small, large = desk.office.propose(spot()), desk.office.propose(spot(amount="0.2"))
        for_small = await desk.prompted(await desk.opened(small))
        for_large = await desk.prompted(await desk.opened(large))
        crossed = {**desk.signature(for_small), "ceremony": for_large["ceremony"]}
        assert code(await desk.ask("sign", crossed)) == "SIGNATURE_REFUSED"
        assert not desk.office.granted


@pytest.mark.parametrize(
    "made_up",
    [
        {"flags": PRESENT},
        {"origin": "http://localhost:8768"},
        {"origin": "http://evil.example"},
        {"rp_id": "evil.example"},
        {"crossOrigin": True},
        {"type": "webauthn.create"},
    ],
    ids=str,
)
async def test_a_signature_that_was_made_elsewhere_or_without_verifying_its_user_is_refused(
    made_up: dict[str, Any],
) -> None:
    async with Desk() as desk:
        intent = desk.office.propose(spot())
        asked = await desk.prompted(await desk.opened(intent))
        answer = await desk.ask("sign", desk.signature(asked, **made_up))
        assert code(answer) == "SIGNATURE_REFUSED"
        assert not desk.office.granted


async def test_a_passkey_that_nobody_enrolled_is_refused_before_the_desk_is_asked() -> None:
    async with Desk() as desk:
        asked = await desk.prompted(await desk.opened(desk.office.propose(spot())))
        stranger = SoftPasskey(credential_id=b"of a stranger!!!")
        assert code(await desk.ask("sign", desk.signature(asked, stranger))) == "PASSKEY_REFUSED"


async def test_a_copied_passkey_is_noticed_by_its_counter() -> None:
    async with Desk() as desk:
        copy = replace(desk.soft)
        assert (await desk.approve(desk.office.propose(spot()))).status_code == 200
        asked = await desk.prompted(await desk.opened(desk.office.propose(spot(amount="0.02"))))
        assert code(await desk.ask("sign", desk.signature(asked, copy))) == "SIGNATURE_REFUSED"


async def test_another_sessions_prompt_cannot_be_answered() -> None:
    desk = Desk()
    async with desk, desk.browser() as other:
        asked = await desk.prompted(await desk.opened(desk.office.propose(spot())))
        root = await desk.enter(other)
        answer = await other.post(root + "sign", json=desk.signature(asked), headers=ASKS)
        assert code(answer) == "FORM_USED"


async def test_in_two_tabs_only_the_one_that_shows_the_latest_preview_can_approve() -> None:
    async with Desk() as desk:
        intent = desk.office.propose(spot())
        first, second = await desk.opened(intent), await desk.opened(intent)
        nonce = await desk.nonce(f"{first}/approve", first)
        assert code(await desk.ask(f"{first}/approve", {"nonce": nonce})) == "CHANGED"
        assert (await desk.see(f"{first}/state")).json()["passed"] is not None
        assert (await desk.see(f"{second}/state")).json()["passed"] is None
        answer = await desk.ask("sign", desk.signature(await desk.prompted(second)))
        assert answer.status_code == 200


async def test_a_preview_that_changes_between_prompt_and_signature_is_not_signed() -> None:
    async with Desk() as desk:
        intent = desk.office.propose(spot())
        asked = await desk.prompted(await desk.opened(intent))
        await desk.opened(intent)
        assert code(await desk.ask("sign", desk.signature(asked))) == "CHANGED"
        assert not desk.office.granted


@pytest.mark.parametrize("state", ["declined", "retracted", "expired", "placed"])
async def test_a_page_whose_proposal_was_decided_meanwhile_cannot_approve(state: str) -> None:
    async with Desk() as desk:
        intent = desk.office.propose(spot())
        path = await desk.opened(intent)
        nonce = await desk.nonce(f"{path}/approve", path)
        desk.office.move(intent, state)
        assert code(await desk.ask(f"{path}/approve", {"nonce": nonce})) == "CHANGED"
        assert state in words((await desk.see(path)).text)


async def test_a_page_that_was_open_while_the_limits_changed_cannot_approve() -> None:
    async with Desk() as desk:
        path = await desk.opened(desk.office.propose(spot()))
        nonce = await desk.nonce(f"{path}/approve", path)
        desk.office.policy_text = canonical_json({"desk": {"reference": "USDT", "max_open_orders": 9}})
        assert code(await desk.ask(f"{path}/approve", {"nonce": nonce})) == "CHANGED"


async def test_a_preview_that_is_too_old_cannot_be_approved() -> None:
    async with Desk() as desk:
        path = await desk.opened(desk.office.propose(spot()))
        nonce = await desk.nonce(f"{path}/approve", path)
        desk.clock.ms += GRANT_MS
        assert code(await desk.ask(f"{path}/approve", {"nonce": nonce})) == "CHANGED"


async def test_a_passkey_is_asked_for_at_most_once_a_minute_about_one_order() -> None:
    desk = Desk()
    async with desk, desk.browser():
        intent, other = desk.office.propose(spot()), desk.office.propose(spot(amount="0.02"))
        await desk.prompted(await desk.opened(intent))
        again = await desk.do(f"{(path := await desk.opened(intent))}/approve", path)
        assert (again.status_code, code(again), again.headers["retry-after"]) == (
            429,
            "PROMPTED_BEFORE",
            "60",
        )
        await desk.prompted(await desk.opened(other))
        desk.clock.ms += PROMPT_MS - 1
        again = await desk.do(f"{(path := await desk.opened(intent))}/approve", path)
        assert code(again) == "PROMPTED_BEFORE"
        desk.clock.ms += 1
        await desk.prompted(await desk.opened(intent))


async def test_another_session_does_not_get_round_the_pause_between_prompts() -> None:
    desk = Desk()
    async with desk:
        intent = desk.office.propose(spot())
        await desk.prompted(await desk.opened(intent))
        desk.root = await desk.enter()
        path = await desk.opened(intent)
        assert code(await desk.do(f"{path}/approve", path)) == "PROMPTED_BEFORE"


@pytest.mark.parametrize("typed", ["", "0.1", "10", "1 BTC", "one", "NaN", "\u0661", "1e0000000000000000001"])
async def test_a_large_order_is_not_approved_until_its_amount_is_typed(typed: str) -> None:
    async with Desk() as desk:
        path = await desk.opened(desk.office.propose(order()))
        answer = await desk.do(f"{path}/approve", path, typed=typed)
        assert code(answer) == "AMOUNT_NOT_TYPED"
        mended = await desk.ask(f"{path}/approve", {"nonce": answer.json()["nonce"], "typed": "1"})
        assert mended.status_code == 200


@pytest.mark.parametrize(
    ("amount", "has_to"),
    # At a limit of 99000 and a threshold of 50000: 0.505 is worth 49995, 0.506 is worth 50094.
    [("0.505", False), ("0.506", True)],
)
async def test_the_amount_has_to_be_typed_from_the_threshold_on(amount: str, has_to: bool) -> None:  # noqa: FBT001 - a parameter
    async with Desk() as desk:
        shown = await desk.see(await desk.opened(desk.office.propose(spot(amount=amount))))
        assert (f"Type the amount, {amount}" in words(shown.text)) is has_to


async def test_what_cannot_be_compared_with_the_threshold_has_to_be_typed() -> None:
    async with Desk() as desk:
        desk.office.policy_text = canonical_json({"desk": {"reference": "EUR"}})
        shown = await desk.see(await desk.opened(desk.office.propose(spot())))
        assert "Type the amount, 0.01" in words(shown.text)


async def test_two_approvers_sign_the_same_page_and_the_first_is_not_asked_again() -> None:
    async with Desk(needed=2) as desk:
        other = SoftPasskey(credential_id=b"credential-two!!")
        desk.office.enrol("bob", other.passkey.text())
        intent = desk.office.propose(spot())
        path = await desk.opened(intent)
        assert "takes 2 different approvers" in words((await desk.see(path)).text)
        first = await desk.ask("sign", desk.signature(await desk.prompted(path)))
        assert first.json()["is_complete"] is False
        assert not desk.office.granted
        desk.clock.ms += PROMPT_MS
        second = await desk.ask("sign", desk.signature(await desk.prompted(path), other))
        assert second.json()["is_complete"] is True
        assert desk.office.granted == [intent]


async def test_without_a_passkey_of_anybody_the_page_says_how_to_go_on() -> None:
    async with Desk() as desk:
        desk.office.people.clear()
        desk.office.enrol("ada", "an ed25519 key", kind="ed25519")
        path = await desk.opened(desk.office.propose(spot()))
        answer = await desk.do(f"{path}/approve", path)
        assert code(answer) == "NO_PASSKEY"
        assert "exchange-mcp approvers add" in answer.json()["error"]


async def test_a_form_is_good_once_and_for_what_it_was_made_for() -> None:
    async with Desk() as desk:
        intent, other = desk.office.propose(spot()), desk.office.propose(spot(amount="0.02"))
        nonce = await desk.nonce(f"intents/{intent}/decline")
        for act, said in (
            (f"intents/{other}/decline", {"nonce": nonce}),
            (f"intents/{intent}/decline", {"nonce": nonce}),
            (f"intents/{intent}/decline", {"nonce": "made up"}),
            ("halt", {"nonce": await desk.nonce(f"intents/{intent}/open")}),
        ):
            answer = await desk.ask(act, said)
            assert (answer.status_code, code(answer)) == (409, "FORM_USED"), act
        assert desk.office.status().pending == 2
        assert desk.office.status().halted is None


async def test_declining_needs_no_passkey_and_is_done_once() -> None:
    async with Desk() as desk:
        intent = desk.office.propose(spot())
        nonce = await desk.nonce(f"intents/{intent}/decline")
        again = await desk.nonce(f"intents/{intent}/decline")
        assert (await desk.ask(f"intents/{intent}/decline", {"nonce": nonce})).status_code == 200
        assert desk.office.held[intent].view.state == "declined"
        assert code(await desk.ask(f"intents/{intent}/decline", {"nonce": again})) == "INTENT_MOVED_ON"


async def test_a_desk_that_shows_another_order_than_it_would_send_has_no_page() -> None:
    async with Desk() as desk:
        intent = desk.office.propose(replace(spot(), preview=spot(amount="0.02").preview))
        answer = await desk.do(f"intents/{intent}/open")
        assert code(answer) == "NOT_SIGNABLE"
        assert "amount" in answer.json()["error"]


async def test_a_preview_by_cost_of_a_plan_that_sends_an_amount_has_no_page() -> None:
    async with Desk() as desk:
        by_amount = spot(type="market", price=None, amount="0.5")
        shown = by_amount.preview.model_copy(update={"cost": Decimal(10)})
        intent = desk.office.propose(replace(by_amount, preview=shown))
        answer = await desk.do(f"intents/{intent}/open")
        assert code(answer) == "NOT_SIGNABLE", answer.text
        assert "cost" in answer.json()["error"]


async def test_nothing_that_anybody_wrote_is_markup_or_hidden_on_any_page() -> None:
    async with Desk() as desk:
        nasty = MARKUP + BIDI
        said = {"reason": nasty, "summary": nasty, "client": nasty, "order_id": nasty, "symbol": nasty}
        intent = desk.office.propose(spot(), note=BIDI + MARKUP[:100], state="unknown", **said)
        desk.office.held[intent].similar = (desk.office.held[intent].view,)
        desk.office.record(nasty, intent)
        desk.office.halts["main"] = nasty
        for path in ("", "intents", f"intents/{intent}", f"intents?q={'%3Cscript%3E%E2%80%AE'}", "accounts"):
            shown = await desk.see(path)
            assert shown.status_code == 200, path
            assert "<script>alert" not in shown.text, path
            assert "<img" not in shown.text, path
            assert not set(BIDI) & set(shown.text) - set("evil"), path
            if path != "accounts":
                assert "\\u{202e}" in shown.text, path


async def test_a_models_note_stands_apart_is_called_untrusted_and_changes_nothing_of_the_decision() -> None:
    async with Desk() as desk:
        intent = desk.office.propose(spot())
        plain = (await desk.see(await desk.opened(intent))).text
        desk.office.held[intent].note = "Approve me. " + BIDI + MARKUP + "x" * 500
        noted = (await desk.see(await desk.opened(intent))).text
        decision, _, after = noted.partition("</article>")
        assert _without_what_is_new_each_time(decision) == _without_what_is_new_each_time(
            plain.partition("</article>")[0]
        )
        aside = words(after.partition("<aside")[2].partition("</aside>")[0])
        assert "not to be trusted" in aside
        assert "\\u{202e}evil" in aside
        # Of 140 characters, 12 are its first words, 7 those of BIDI and 56 those of MARKUP.
        assert aside.count("x") - MARKUP.count("x") == 140 - 12 - len(BIDI) - len(MARKUP)


async def test_similar_orders_and_what_changed_are_on_the_page() -> None:
    async with Desk() as desk:
        earlier = desk.office.propose(spot(), state="placed")
        desk.clock.ms += 180_000
        intent = desk.office.propose(spot())
        desk.office.held[intent].similar = (desk.office.held[earlier].view,)
        desk.office.held[intent].changed = ("the price moved by 2%",)
        said = words((await desk.see(await desk.opened(intent))).text)
        assert "SIMILAR ORDER, 3 MINUTES AGO" in said
        assert "Changed since it was proposed the price moved by 2%" in said


async def test_the_decision_page_submits_nothing_by_itself() -> None:
    async with Desk() as desk:
        shown = (await desk.see(await desk.opened(desk.office.propose(order())))).text
        form = shown.partition('id="approve"')[2].partition("</form>")[0]
        assert re.findall(r"<button type=\"(\w+)\"", form) == ["button"]
        assert "autofocus" not in shown
        assert not re.search(r"<script(?![^>]*src=)|<style|\sstyle=|\son\w+=", shown)


async def test_a_decision_of_another_session_cannot_be_seen() -> None:
    desk = Desk()
    async with desk, desk.browser() as other:
        path = await desk.opened(desk.office.propose(spot()))
        root = await desk.enter(other)
        assert (await other.get(root + path, headers=LOOKS)).status_code == 404


def _without_what_is_new_each_time(page: str) -> str:
    """Without nonces, the decision's key, and the count in title and news."""
    return re.sub(r'(data-nonce|data-passkey|data-decision)="[^"]+"', "", page)


async def test_a_stop_that_is_cancelled_is_shown_with_the_price_at_which_it_would_have_worked() -> None:
    held = holding(long("0.4"), resting=(stop(is_conditional=False),))
    async with Desk() as desk:
        shown = words((await desk.see(await desk.opened(desk.office.propose(cancel(held))))).text)
        assert "Once the price is 90 000 USDT" in shown
        assert "Protects what you hold yes" in shown


async def test_a_position_that_no_price_liquidates_is_no_gap_and_what_stays_the_same_is_no_change() -> None:
    rich = holding(long("0.01"))
    async with Desk() as desk:
        shown = words((await desk.see(await desk.opened(desk.office.propose(leverage(standing=rich))))).text)
        assert "Liquidation at no price unchanged" in shown
        assert "Not known" not in shown
