"""Resolving and resuming take a passkey; halting takes a key press; and each page tells what it is for."""

import pytest

from exchange_mcp.desk.console.ceremonies import PROMPT_MS
from orders.made import FLAT

from .proposals import cancel, leverage, spot
from .visiting import Desk, code, words

pytestmark = pytest.mark.anyio

NOTE = "the venue's order history has it, filled at 09:14"


@pytest.mark.parametrize(
    ("proposed", "outcome", "others"),
    [(spot(), "placed", "absent"), (leverage(), "set", "not set"), (cancel(FLAT), "canceled", "too late")],
    ids=["order", "leverage", "cancel"],
)
async def test_an_unknown_is_resolved_by_a_signature_with_a_note(
    proposed: object, outcome: str, others: str
) -> None:
    async with Desk() as desk:
        intent = desk.office.propose(proposed, state="unknown", reason="the answer was lost")  # type: ignore[arg-type] - a proposal
        page = f"intents/{intent}"
        said = words((await desk.see(page)).text)
        assert "the answer was lost" in said
        assert others in said
        asked = await desk.do(f"{page}/resolve", page, outcome=outcome, note=NOTE)
        assert asked.status_code == 200, asked.text
        assert not desk.office.resolved
        assert (await desk.ask("sign", desk.signature(asked.json()))).status_code == 200
        assert desk.office.resolved == [{"intent": intent, "outcome": outcome, "note": NOTE}]


@pytest.mark.parametrize(
    "said",
    [
        {"outcome": "placed", "note": " "},
        {"outcome": "set", "note": NOTE},
        {"outcome": "declined", "note": NOTE},
        {"outcome": "", "note": NOTE},
    ],
    ids=str,
)
async def test_a_resolution_says_what_became_of_it_and_how_that_is_known(said: dict[str, str]) -> None:
    async with Desk() as desk:
        page = f"intents/{desk.office.propose(spot(), state='unknown')}"
        assert code(await desk.do(f"{page}/resolve", page, **said)) == "NOT_RESOLVED"


async def test_what_is_known_meanwhile_is_not_resolved() -> None:
    async with Desk() as desk:
        intent = desk.office.propose(spot(), state="unknown")
        nonce = await desk.nonce(f"intents/{intent}/resolve", f"intents/{intent}")
        desk.office.move(intent, "placed")
        said = {"nonce": nonce, "outcome": "absent", "note": NOTE}
        assert code(await desk.ask(f"intents/{intent}/resolve", said)) == "NOT_UNKNOWN"


async def test_a_prompt_for_one_thing_does_not_do_another() -> None:
    async with Desk() as desk:
        intent = desk.office.propose(spot(), state="unknown")
        desk.office.halts[None] = "a person said so"
        page = f"intents/{intent}"
        resolve = (await desk.do(f"{page}/resolve", page, outcome="placed", note=NOTE)).json()
        resume = (await desk.do("resume")).json()
        crossed = {**desk.signature(resolve), "ceremony": resume["ceremony"]}
        assert code(await desk.ask("sign", crossed)) == "SIGNATURE_REFUSED"
        assert (desk.office.halts, desk.office.resolved) == ({None: "a person said so"}, [])


@pytest.mark.parametrize("account", [None, "main"])
async def test_a_halt_is_at_once_and_only_a_signature_lifts_it(account: str | None) -> None:
    async with Desk() as desk:
        page = "" if account is None else "accounts"
        shown = await desk.see(page)
        form = f'data-nonce="([^"]+)"{"" if account is None else " data-account=.main."}'
        assert form
        nonce = desk.console.room.sessions.form(_session(desk), f"halt {account}")
        assert (await desk.ask("halt", {"nonce": nonce, "account": account})).status_code == 200
        assert list(desk.office.halts) == [account]
        assert "halted in the console, by console" in words((await desk.see()).text)
        assert shown.status_code == 200
        nonce = desk.console.room.sessions.form(_session(desk), f"resume {account}")
        asked = await desk.ask(
            "resume", {"nonce": nonce, "account": account, "reason": desk.office.halts[account]}
        )
        assert list(desk.office.halts) == [account]
        assert (await desk.ask("sign", desk.signature(asked.json()))).status_code == 200
        assert not desk.office.halts


async def test_a_nonce_for_halting_one_account_halts_no_other() -> None:
    async with Desk() as desk:
        nonce = desk.console.room.sessions.form(_session(desk), "halt main")
        assert code(await desk.ask("halt", {"nonce": nonce})) == "FORM_USED"


async def test_resuming_is_prompted_for_once_a_minute_and_costs_no_nonce_before() -> None:
    async with Desk() as desk:
        desk.office.halts[None] = "a person said so"
        assert (await desk.do("resume")).status_code == 200
        assert code(await desk.do("resume")) == "PROMPTED_BEFORE"
        assert len(desk.office.challenges) == 1
        desk.clock.ms += PROMPT_MS
        assert (await desk.do("resume")).status_code == 200


async def test_intents_are_found_by_their_words_state_and_account() -> None:
    async with Desk() as desk:
        one = desk.office.propose(spot(), state="placed", order_id="venue-4711", summary="buy the first")
        two = desk.office.propose(leverage(), state="declined", summary="change the second")
        for asked, found in (
            ("", {one, two}),
            ("?q=4711", {one}),
            ("?q=change+SECOND", {two}),
            ("?state=placed", {one}),
            ("?account=main", {one, two}),
            ("?q=nothing", set[str]()),
        ):
            shown = (await desk.see("intents" + asked)).text
            assert {each for each in (one, two) if f"intents/{each}" in shown} == found, asked
        for asked in ("?state=nonsense", "?account=other"):
            assert (await desk.see("intents" + asked)).status_code == 404


async def test_an_intents_page_shows_every_event_and_the_plan() -> None:
    async with Desk() as desk:
        intent = desk.office.propose(spot())
        desk.office.move(intent, "declined", reason="too large")
        said = words((await desk.see(f"intents/{intent}")).text)
        for part in ("too large", '"kind":"declined"', '"kind":"proposed"', '"newClientOrderId":"desk-1"'):
            assert part in said, part


async def test_limits_are_shown_with_what_is_used_of_them() -> None:
    async with Desk() as desk:
        said = words((await desk.see("limits")).text)
        assert "max daily notional 400000 12500 USDT (main)" in said
        assert "max leverage 10" in said
        assert "no stop is taken away" in said


async def test_accounts_and_people_say_what_a_key_may_do_and_who_may_approve() -> None:
    async with Desk() as desk:
        assert "may not withdraw or transfer" in words((await desk.see("accounts")).text)
        said = words((await desk.see("people")).text)
        assert "ada passkey" in said
        assert "place_order destructive yes allowed by name" in said


def _session(desk: Desk):  # noqa: ANN202 - the one that is open
    (session,) = desk.console.room.sessions
    return session


async def test_a_halt_that_stands_for_more_than_the_page_showed_is_looked_at_again() -> None:
    async with Desk() as desk:
        desk.office.halts[None] = "a person said so"
        shown = await desk.form("resume")
        desk.office.halts[None] = "a stranger's order; and before that, by ada: a person said so"
        assert code(await desk.ask("resume", shown)) == "HALT_CHANGED"
        assert (await desk.do("resume")).status_code == 200
