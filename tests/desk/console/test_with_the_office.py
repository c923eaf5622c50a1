"""The console over the real offices, engine and journal, in virtual time: from a proposal to an order at the venue."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Any

import httpx

from desk.offices.manned import Manned, Policy, Shown
from desk.soft_passkey import PRESENT, SoftPasskey
from exchange_mcp.desk.approvers import verifiers
from exchange_mcp.desk.console.app import console_app
from exchange_mcp.desk.console.ceremonies import PROMPT_MS
from exchange_mcp.desk.offices.floor import Standing
from exchange_mcp.desk.operator.messages import HaltOrder
from exchange_mcp.desk.passkeys import KIND, Passkeys
from exchange_mcp.desk.ports import Planned
from exchange_mcp.desk.statements import Purpose, approver_body
from exchange_mcp.model.plans import WirePlan

from .visiting import ORIGIN, PORT, TYPE_ABOVE, Desk, code, words

AMOUNT = "0.01"


@dataclass(slots=True, eq=False)
class Faithful(Shown):
    """The model venue with a preview that is of this very order, as the production one's is."""

    def _planned(self, plan: WirePlan) -> Planned:
        planned = Shown._planned(self, plan)  # pyright: ignore[reportPrivateUsage] - one seam of it
        preview = {**planned.preview, "client_order_id": plan.client_order_id}
        return replace(planned, preview=preview, footing=replace(planned.footing, effect=preview["effect"]))  # pyright: ignore[reportArgumentType] - of an order


class AtTheOffice(Desk):
    """The same browser, at a desk that is manned, where a passkey is an approver beside `anna`."""

    def __init__(self, manned: Manned) -> None:
        self.manned = manned
        self.console = console_app(
            manned.operators,
            port=PORT,
            type_above=lambda: TYPE_ABOVE,
            clock=manned.clock,
            entropy=manned.entropy,
        )
        self.soft = SoftPasskey()
        self.client = httpx.AsyncClient(transport=httpx.ASGITransport(self.console), base_url=ORIGIN)
        self.root = ""

    async def enrol(self, name: str, soft: SoftPasskey) -> None:
        body = approver_body(name=name, kind=KIND, public=soft.passkey.text())
        await self.manned.sign(Purpose.ADD_APPROVER, body)


def told(story: Callable[[AtTheOffice, Manned], Coroutine[Any, Any, None]], **changed: Any) -> Manned:  # noqa: ANN401 - fields of it
    """Tell a story at a desk with a browser that is in, and `ada`'s passkey enrolled."""
    kinds = verifiers(is_all_simulated=False, passkey=Passkeys(port=PORT))
    manned = Manned(venue_type=Faithful, kinds=kinds, **changed)

    async def at(running: Any) -> None:  # noqa: ANN401 - it is `manned`
        desk = AtTheOffice(running)
        await desk.enrol("ada", desk.soft)
        async with desk:
            await story(desk, running)

    manned.tell(at)
    return manned


async def prompted(desk: AtTheOffice, intent: str) -> dict[str, Any]:
    return await desk.prompted(await desk.opened(intent), typed=AMOUNT)


def test_a_passkey_sends_the_order_that_it_saw_and_the_page_tells_what_came_of_it() -> None:
    async def story(desk: AtTheOffice, manned: Manned) -> None:
        intent = (await manned.asked()).intent_id
        assert "1 proposal waits" in words((await desk.see()).text)
        answer = await desk.approve(intent, typed=AMOUNT)
        assert answer.status_code == 200, answer.text
        await manned.at_rest(intent)
        shown = words((await desk.see(f"intents/{intent}")).text)
        assert "placed" in shown
        assert '"kind":"granted"' in shown
        assert manned.orders() == 1

    told(story)


def test_every_signature_that_is_not_over_this_page_is_refused_by_the_desk_itself_and_journaled() -> None:
    async def story(desk: AtTheOffice, manned: Manned) -> None:
        intent = (await manned.asked()).intent_id
        made_ups: list[dict[str, Any]] = [
            {"flags": PRESENT},
            {"origin": "http://localhost:9999"},
            {"rp_id": "evil.example"},
            {"crossOrigin": True},
        ]
        for made_up in made_ups:
            asked = await prompted(desk, intent)
            answer = await desk.ask("sign", desk.signature(asked, **made_up))
            assert code(answer) == "SIGNATURE_REFUSED", made_up
            await _minute()
        assert manned.kinds_told().count("signature_refused") == len(made_ups)
        assert manned.orders() == 0

    told(story)


def test_a_copy_of_a_passkey_is_refused_by_the_counter_that_the_journal_keeps() -> None:
    async def story(desk: AtTheOffice, manned: Manned) -> None:
        copy = replace(desk.soft)
        first = (await manned.asked()).intent_id
        assert (await desk.approve(first, typed=AMOUNT)).status_code == 200
        await manned.at_rest(first)
        second = (await manned.asked(distinct_from=first)).intent_id
        answer = await desk.ask("sign", desk.signature(await prompted(desk, second), copy))
        assert code(answer) == "SIGNATURE_REFUSED"
        assert manned.orders() == 1

    told(story)


def test_two_passkeys_of_two_people_are_two_approvals_and_one_of_them_is_not() -> None:
    async def story(desk: AtTheOffice, manned: Manned) -> None:
        other = SoftPasskey(credential_id=b"credential-two!!")
        await desk.enrol("bob", other)
        intent = (await manned.asked()).intent_id
        path = await desk.opened(intent)
        first = await desk.ask("sign", desk.signature(await desk.prompted(path, typed=AMOUNT)))
        assert first.json()["is_complete"] is False
        await _minute()
        second = await desk.ask("sign", desk.signature(await desk.prompted(path, typed=AMOUNT), other))
        assert second.json()["is_complete"] is True, second.text
        await manned.at_rest(intent)
        assert manned.orders() == 1

    told(story, limits=Policy(approvals=2))


def test_of_two_tabs_the_older_one_cannot_approve_once_the_market_was_read_again() -> None:
    async def story(desk: AtTheOffice, manned: Manned) -> None:
        intent = (await manned.asked()).intent_id
        older = await desk.opened(intent)
        nonce = await desk.nonce(f"{older}/approve", older)
        await _minute()
        manned.shown.moved += 10
        await desk.opened(intent)
        answer = await desk.ask(f"{older}/approve", {"nonce": nonce, "typed": AMOUNT})
        assert code(answer) == "CHANGED"
        assert manned.orders() == 0

    told(story)


def test_halting_is_at_once_and_resuming_takes_the_passkey() -> None:
    async def story(desk: AtTheOffice, manned: Manned) -> None:
        assert (await desk.do("halt")).status_code == 200
        assert manned.operators.status().halted is not None
        asked = await desk.do("resume")
        assert asked.status_code == 200, asked.text
        assert manned.operators.status().halted is not None
        assert (await desk.ask("sign", desk.signature(asked.json()))).status_code == 200
        assert manned.operators.status().halted is None

    told(story)


def test_the_page_of_a_decision_says_that_it_is_halted_before_anybody_signs() -> None:
    async def story(desk: AtTheOffice, manned: Manned) -> None:
        intent = (await manned.asked()).intent_id
        assert "Halted." not in words((await desk.see(await desk.opened(intent))).text)
        manned.operators.halt(HaltOrder(account="main", by="ben", reason="a drill"))
        await _minute()
        shown = words((await desk.see(await desk.opened(intent))).text)
        assert "Halted. Account main is halted by ben (a drill): nothing of this is sent" in shown

    told(story)


def test_every_page_says_that_the_configuration_was_edited_and_is_not_in_force() -> None:
    async def story(desk: AtTheOffice, manned: Manned) -> None:
        assert "Edited" not in words((await desk.see("")).text)
        manned.configuration = Standing(file="desk.toml", text="[desk]\n#2\n", digest="d" * 64)
        assert "Edited, not accepted. desk.toml was changed" in words((await desk.see("")).text)

    told(story)


def test_every_page_shows_what_the_office_says() -> None:
    async def story(desk: AtTheOffice, manned: Manned) -> None:
        await manned.asked()
        for path in ("", "intents", "limits", "accounts", "people"):
            assert (await desk.see(path)).status_code == 200, path
        assert "place_order destructive yes" in words((await desk.see("people")).text)
        for path in ("intents/0123456789abcdef0123456789abcdef", "intents/x"):
            assert (await desk.see(path)).status_code == 409

    told(story)


async def _minute() -> None:
    """A minute of virtual time."""

    await asyncio.sleep(PROMPT_MS / 1000)
