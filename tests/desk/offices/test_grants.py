"""A grant is of one exact request and its effect, once, for a short time; every other use is refused, and journaled."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest

from desk.running import until
from desk.signing import ANNA, BEN, CLEO
from exchange_mcp.desk.intents import State
from exchange_mcp.desk.operator.messages import Decision, HaltOrder, SignedMessage
from exchange_mcp.desk.ports import Planned
from exchange_mcp.desk.statements import Purpose
from exchange_mcp.model.errors import (
    DeskError,
    ErrorCode,
    ExchangeMcpError,
    ProposalRefusedError,
    VenueUnreachableError,
    WritesClosedError,
)
from exchange_mcp.model.plans import WirePlan

from .manned import Manned, Policy, Shown

Story = Callable[[Manned], Coroutine[Any, Any, None]]


def told(story: Story, desk: Manned | None = None) -> Manned:
    desk = desk or Manned()

    async def within(_: object) -> None:
        await story(desk)

    desk.tell(within)
    return desk


async def refused(doing: Awaitable[object], why: str = "The signature is refused") -> None:
    with pytest.raises(DeskError, match=why) as caught:
        await doing
    assert caught.value.code is ErrorCode.SIGNATURE_REFUSED


def no_more_than(desk: Manned, orders: int) -> None:
    assert desk.orders() == orders
    assert desk.kinds_told().count("granted") == orders


def test_a_signature_over_what_was_shown_sends_it_once_and_a_replay_nothing() -> None:
    async def story(desk: Manned) -> None:
        answer = await desk.asked()
        decision = await desk.operators.open(answer.intent_id)
        message = ANNA.message(desk.granting(decision))
        done = await desk.operators.signed(message)
        assert (done.is_complete, done.intents[0].state) == (True, "approved")
        await refused(desk.operators.signed(message), "opened again since")
        assert (await desk.engine.settled(answer.intent_id)).state is State.PLACED
        await refused(desk.operators.signed(message), "opened again since")
        no_more_than(desk, 1)
        granted = next(e for e in desk.journal.events_of(answer.intent_id) if e.kind == "granted")
        record = json.loads(json.loads(granted.text)["body"]["record"])
        assert record["statement"] == desk.granting(decision).canonical()
        assert [one["approver"] for one in record["signatures"]] == ["anna"]

    told(story)


def test_what_the_venue_got_is_what_was_approved_field_by_field() -> None:
    async def story(desk: Manned) -> None:
        answer = await desk.asked()
        decision = await desk.operators.open(answer.intent_id)
        await desk.approve(decision)
        await desk.engine.settled(answer.intent_id)
        sent = next(order for order in desk.world.orders if not order.is_by_hand)
        assert dict(sent.fields) == json.loads(decision.plan_text)["request"]["parameters"]

    told(story)


Change = Callable[[Manned, Decision], Awaitable[None] | None]


async def _edit(desk: Manned, column: str) -> None:
    with desk.journal._entry() as entry:  # pyright: ignore[reportPrivateUsage] - as an intruder with the file would
        entry.connection.exec_driver_sql("DROP TRIGGER intent_keeps_its_names")
        entry.connection.exec_driver_sql(f"UPDATE intent SET {column} = replace({column}, '0.01', '0.09')")  # noqa: S608 - a test's own word


async def _edit_plan(desk: Manned, _: Decision) -> None:
    await _edit(desk, "plan_text")


async def _edit_preview(desk: Manned, _: Decision) -> None:
    await _edit(desk, "preview_text")


async def _loosen(desk: Manned, _: Decision) -> None:
    desk.policy.text = '{"policy":2}'


async def _remove(desk: Manned, _: Decision) -> None:
    await desk.enrol(BEN)
    await desk.sign(Purpose.REMOVE_APPROVER, {"name": "anna", "kind": "ed25519", "public": ""}, BEN)


async def _change_key(desk: Manned, decision: Decision) -> None:
    await _remove(desk, decision)
    await desk.sign(Purpose.ADD_APPROVER, {"name": "anna", "kind": "ed25519", "public": CLEO.public}, BEN)


async def _wait(desk: Manned, _: Decision) -> None:
    del desk
    await asyncio.sleep(121)


async def _decline(desk: Manned, decision: Decision) -> None:
    await desk.operators.decline(decision.intent.id, by="ben", note="")


async def _retract(desk: Manned, decision: Decision) -> None:
    await desk.clients.retract("claude", decision.intent.id)


async def _open_again(desk: Manned, decision: Decision) -> None:
    await asyncio.sleep(2)
    assert (await desk.operators.open(decision.intent.id)).nonce != decision.nonce


async def _preview_again(desk: Manned, decision: Decision) -> None:
    desk.shown.moved = Decimal(5)
    await desk.engine.present(decision.intent.id)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (_edit_plan, "the plan is another one"),
        (_edit_preview, "the preview is another one"),
        (_preview_again, "the preview is another one"),
        (_loosen, "the policy is another one"),
        (_remove, "nobody of that name"),
        (_change_key, "not anna's signature"),
        (_wait, "time is over"),
        (_decline, "was decided"),
        (_retract, "was decided"),
        (_open_again, "opened again since"),
    ],
    ids=[
        "plan edited",
        "preview edited",
        "previewed again",
        "policy loosened",
        "approver removed",
        "approver's key changed",
        "expired",
        "declined",
        "retracted",
        "opened again",
    ],
)
def test_what_changed_between_looking_and_signing_voids_the_signature(change: Change, why: str) -> None:
    async def story(desk: Manned) -> None:
        answer = await desk.asked()
        decision = await desk.operators.open(answer.intent_id)
        message = ANNA.message(desk.granting(decision))
        done = change(desk, decision)
        if done is not None:
            await done
        await refused(desk.operators.signed(message), why)
        assert desk.journal.events()[-1].kind == "signature_refused"
        no_more_than(desk, 0)

    told(story)


def _of_message(**changed: Any) -> Callable[[Manned, Decision], SignedMessage]:  # noqa: ANN401 - a field of the record
    return lambda desk, decision: ANNA.message(desk.granting(decision), **changed)


def _of_body(**changed: object) -> Callable[[Manned, Decision], SignedMessage]:
    """Signed as it is sent: the hash is good, what it says is not what the desk holds."""

    def made(desk: Manned, decision: Decision) -> SignedMessage:
        return ANNA.message(desk.granting(decision, body={**desk.granting(decision).body, **changed}))

    return made


def _of_another_desk(desk: Manned, decision: Decision) -> SignedMessage:
    return ANNA.message(desk.granting(decision, desk_id="f" * 32))


def _of_another_purpose(desk: Manned, decision: Decision) -> SignedMessage:
    return ANNA.message(desk.granting(decision, purpose=Purpose.RESUME), purpose=Purpose.GRANT)


def _of_nobody(desk: Manned, decision: Decision) -> SignedMessage:
    return BEN.message(desk.granting(decision))


def _under_annas_name(desk: Manned, decision: Decision) -> SignedMessage:
    bens = BEN.message(desk.granting(decision))
    return bens.model_copy(update={"signature": bens.signature.model_copy(update={"approver": "anna"})})


@pytest.mark.parametrize(
    "made",
    [
        _of_body(intent="0" * 32),
        _of_body(plan="0" * 64),
        _of_body(preview="0" * 64),
        _of_body(policy="0" * 64),
        _of_body(limit="none"),
        _of_message(body={}),
        _of_message(nonce="0" * 32),
        _of_message(expires_ms=2_000_000_000_000),
        _of_message(purpose=Purpose.PROPOSE),
        _of_another_desk,
        _of_another_purpose,
        _of_nobody,
        _under_annas_name,
    ],
    ids=[
        "another intent",
        "another plan's hash",
        "another preview's hash",
        "another policy",
        "an unknown member",
        "nothing",
        "a nonce of nobody's",
        "a longer life",
        "another purpose's name",
        "another desk",
        "another purpose's hash",
        "nobody enrolled",
        "another's key under anna's name",
    ],
)
def test_a_signature_of_anything_else_is_refused_and_the_decision_stays(
    made: Callable[[Manned, Decision], SignedMessage],
) -> None:
    async def story(desk: Manned) -> None:
        answer = await desk.asked()
        decision = await desk.operators.open(answer.intent_id)
        await refused(desk.operators.signed(made(desk, decision)))
        no_more_than(desk, 0)
        await desk.approve(decision)  # what is wrong takes nothing from what is right
        assert (await desk.engine.settled(answer.intent_id)).state is State.PLACED

    told(story)


def test_a_signature_for_one_intent_approves_no_other() -> None:
    async def story(desk: Manned) -> None:
        first = await desk.asked()
        second = await desk.asked({"symbol": "BTC/USDT:USDT", "leverage": 5}, action="leverage")
        one, other = await desk.operators.open(first.intent_id), await desk.operators.open(second.intent_id)
        good = ANNA.message(desk.granting(one))
        await refused(desk.operators.signed(good.model_copy(update={"nonce": other.nonce})), "another intent")
        await refused(desk.operators.signed(good.model_copy(update={"body": desk.granting(other).body})))
        no_more_than(desk, 0)

    told(story)


def test_two_approvers_are_two_people_over_one_preview() -> None:
    async def story(desk: Manned) -> None:
        await desk.enrol(BEN)
        answer = await desk.asked()
        assert answer.approvals_needed == 2
        decision = await desk.operators.open(answer.intent_id)
        done = await desk.approve(decision)
        assert (done.is_complete, done.message) == (False, "Signed: 1 of 2 approvers.")
        await refused(desk.approve(decision), "signed this already")
        await asyncio.sleep(5)
        again = await desk.operators.open(answer.intent_id)
        assert (again.nonce, again.signed_by) == (decision.nonce, ("anna",))
        no_more_than(desk, 0)
        assert (await desk.approve(again, BEN)).is_complete
        assert (await desk.engine.settled(answer.intent_id)).state is State.PLACED
        no_more_than(desk, 1)

    told(story, Manned(limits=Policy(approvals=2)))


def test_the_signature_of_an_approver_who_was_removed_since_does_not_count_towards_the_second() -> None:
    async def story(desk: Manned) -> None:
        await desk.enrol(BEN)
        await desk.enrol(CLEO)
        answer = await desk.asked()
        decision = await desk.operators.open(answer.intent_id)
        await desk.approve(decision)
        await desk.sign(Purpose.REMOVE_APPROVER, {"name": "anna", "kind": "ed25519", "public": ""}, BEN)
        assert not (await desk.approve(decision, BEN)).is_complete
        no_more_than(desk, 0)
        assert (await desk.approve(decision, CLEO)).is_complete
        granted = next(e for e in desk.journal.events_of(answer.intent_id) if e.kind == "granted")
        assert json.loads(granted.text)["body"]["approvers"] == ["ben", "cleo"]

    told(story, Manned(limits=Policy(approvals=2)))


def test_limits_that_ask_for_more_approvers_by_now_are_followed() -> None:
    async def story(desk: Manned) -> None:
        answer = await desk.asked()
        desk.policy.approvals = 2
        decision = await desk.operators.open(answer.intent_id)
        assert decision.needed == 2

    told(story)


def test_two_who_sign_at_the_same_moment_make_one_grant_and_two_dispatchers_one_send() -> None:
    async def story(desk: Manned) -> None:
        await desk.enrol(BEN)
        answer = await desk.asked()
        decision = await desk.operators.open(answer.intent_id)
        both = await asyncio.gather(
            desk.approve(decision), desk.approve(decision, BEN), return_exceptions=True
        )
        assert sum(isinstance(one, ExchangeMcpError) for one in both) == 1
        hands = next(iter(desk.engine._hands.values()))  # pyright: ignore[reportPrivateUsage] - a second dispatcher
        await asyncio.gather(
            hands.dispatcher.dispatch(answer.intent_id, decision.nonce),
            hands.dispatcher.dispatch(answer.intent_id, decision.nonce),
        )
        assert (await desk.engine.settled(answer.intent_id)).state is State.PLACED
        no_more_than(desk, 1)

    told(story)


def test_opening_twice_within_a_second_asks_the_venue_once_and_later_again() -> None:
    async def story(desk: Manned) -> None:
        answer = await desk.asked()
        one, other = await asyncio.gather(
            desk.operators.open(answer.intent_id), desk.operators.open(answer.intent_id)
        )
        assert one.nonce == other.nonce
        assert desk.kinds_told().count("shown") == 1
        await asyncio.sleep(1.1)
        desk.shown.moved = Decimal(5)
        later = await desk.operators.open(answer.intent_id)
        assert desk.kinds_told().count("shown") == 2
        assert any("price was: " in sentence for sentence in later.changed), later.changed
        assert one.changed == ()

    told(story)


def test_what_the_limits_would_refuse_by_now_is_said_where_it_is_decided() -> None:
    async def story(desk: Manned) -> None:
        answer = await desk.asked()
        desk.policy.refuses = "The day's notional is used up."
        decision = await desk.operators.open(answer.intent_id)
        assert decision.changed == ("the limits would refuse it now: The day's notional is used up.",)
        await desk.approve(decision)
        assert (await desk.engine.settled(answer.intent_id)).state is State.LAPSED
        assert desk.orders() == 0

    told(story)


def test_a_preview_that_cannot_be_shown_cannot_be_approved() -> None:
    async def story(desk: Manned) -> None:
        answer = await desk.asked()
        desk.shown.wrong_preview = True
        with pytest.raises(WritesClosedError, match="cannot be shown"):
            await desk.operators.open(answer.intent_id)

    told(story)


@dataclass(slots=True, eq=False)
class Slow(Shown):
    """One whose reads take a while; the first of them fails."""

    under_way: int = 0
    most: int = 0
    asked: int = 0

    async def recheck(self, plan: WirePlan) -> Planned:
        self.asked, self.under_way = self.asked + 1, self.under_way + 1
        self.most = max(self.most, self.under_way)
        try:
            await asyncio.sleep(1.0)
            if self.asked == 1:
                raise VenueUnreachableError("no answer")
            return await Shown.recheck(self, plan)
        finally:
            self.under_way -= 1


def test_a_proposal_is_previewed_by_one_at_a_time_also_after_a_preview_that_failed() -> None:
    desk = Manned(venue_type=Slow)

    async def story(desk: Manned) -> None:
        answer = await desk.asked()

        async def stubborn() -> Decision:
            with pytest.raises(VenueUnreachableError):
                await desk.operators.open(answer.intent_id)
            return await desk.operators.open(answer.intent_id)

        async with asyncio.TaskGroup() as group:
            first = group.create_task(stubborn())
            second = group.create_task(desk.operators.open(answer.intent_id))
        assert isinstance(desk.venue, Slow)
        assert desk.venue.most == 1
        assert first.result().nonce == second.result().nonce
        assert not desk.floor.decisions._turns  # pyright: ignore[reportPrivateUsage] - nothing is kept of those who left

    told(story, desk)


def test_what_was_decided_under_another_policy_is_proposed_again() -> None:
    async def story(desk: Manned) -> None:
        answer = await desk.asked()
        await _loosen(desk, await desk.operators.open(answer.intent_id))
        with pytest.raises(ProposalRefusedError, match="proposed again") as caught:
            await desk.operators.open(answer.intent_id)
        assert caught.value.code is ErrorCode.INTENT_MOVED_ON

    told(story)


def test_a_clock_that_is_set_back_gives_nobody_more_time_to_sign() -> None:
    async def story(desk: Manned) -> None:
        answer = await desk.asked()
        desk.operators.halt(HaltOrder(by="ops", reason="a look"))
        decision = await desk.operators.open(answer.intent_id)
        resume = ANNA.message(desk.said(Purpose.RESUME, {"account": None, "reason": "a look"}))
        await asyncio.sleep(121)
        desk.clock.skew_ms -= 121_000  # to the moment of the last record, which it is not behind
        await refused(desk.approve(decision), "its time is over")
        await refused(desk.operators.signed(resume), "its time is over")
        no_more_than(desk, 0)

    told(story)


def test_after_a_restart_what_was_opened_before_cannot_be_signed() -> None:
    async def story(desk: Manned) -> None:
        answer = await desk.asked()
        decision = await desk.operators.open(answer.intent_id)
        await desk.engine.stop()
        desk.boot()
        desk.start()
        await until(lambda: desk.engine.closed(next(iter(desk.engine._hands))) is None)  # pyright: ignore[reportPrivateUsage] - its only account
        await refused(desk.approve(decision), "not of this run")
        no_more_than(desk, 0)

    told(story)


def test_a_signature_that_led_to_nothing_because_the_desk_was_closed_can_be_given_again_once_it_is_open() -> (
    None
):
    async def story(desk: Manned) -> None:
        answer = await desk.asked()
        decision = await desk.operators.open(answer.intent_id)
        hands = desk.engine._hands  # pyright: ignore[reportPrivateUsage] - closes its only account for a moment
        taken = dict(hands)
        hands.clear()
        with pytest.raises(ExchangeMcpError):
            await desk.approve(decision)
        hands.update(taken)
        again = await desk.operators.open(answer.intent_id)
        assert again.nonce != decision.nonce
        done = await desk.approve(again)
        assert done.is_complete
        assert (await desk.engine.settled(answer.intent_id)).state is State.PLACED
        no_more_than(desk, 1)

    told(story)
