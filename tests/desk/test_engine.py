"""What the engine does with proposals, restarts, other hands on the key and unknown outcomes; in virtual time."""

import asyncio
import json
from dataclasses import dataclass, field, replace
from decimal import Decimal

import pytest

from exchange_mcp.desk.intents import State
from exchange_mcp.desk.journal_errors import ConflictError
from exchange_mcp.desk.ports import Planned
from exchange_mcp.desk.records import Intent, IsRefused, Repeated, Signed, Taken
from exchange_mcp.desk.repeats import Refusal
from exchange_mcp.model.accounts import AccountName
from exchange_mcp.model.client_ids import new_client_order_id, new_desk_tag, tag_of
from exchange_mcp.model.errors import (
    InvalidArgumentError,
    UnknownAccountError,
    WritesClosedError,
)
from exchange_mcp.model.outcomes import Evidence
from exchange_mcp.model.plans import WirePlan
from exchange_mcp.model.trading import Ready
from simulation.port import ACCOUNT, CancelWish, LeverageWish, ModelReady, ModelVenue, Wish
from simulation.story import OpenHanded
from simulation.virtual import Killed
from simulation.world import Fate, Habits

from .running import BY_ANNA, PACE, Running, until

MOVED = Wish(price=Decimal(60_010))


def of(*fates: Fate, **habits: object) -> Running:
    return Running(Habits(fates=fates, **habits))  # pyright: ignore[reportArgumentType] - of the habits' fields


async def state(desk: Running, intent_id: str, wanted: State) -> None:
    await until(lambda: desk.journal.intent(intent_id).state is wanted)


# Proposals.


def test_a_proposal_whose_answer_was_lost_is_answered_with_its_intent_and_planned_once() -> None:
    async def story(desk: Running) -> None:
        intent = await desk.proposed()
        again = await desk.engine.propose(desk.ask())
        assert isinstance(again, Repeated)
        assert again.intent.id == intent.id
        assert len(desk.journal.recent()) == 1

    of().tell(story)


def test_one_proposal_that_arrives_twice_at_once_is_one_intent() -> None:
    async def story(desk: Running) -> None:
        answers = await asyncio.gather(*(desk.engine.propose(desk.ask()) for _ in range(5)))
        assert [type(answer) for answer in answers].count(Taken) == 1
        assert len(desk.journal.recent()) == 1

    of().tell(story)


def test_another_client_does_not_get_an_intent_by_its_proposal_id() -> None:
    async def story(desk: Running) -> None:
        await desk.proposed()
        with pytest.raises(ConflictError):
            await desk.engine.propose(desk.ask(client="another"))

    of().tell(story)


@pytest.mark.parametrize(
    ("fate", "reason"), [(Fate.ACCEPTED, Refusal.SIMILAR), (Fate.ACCEPTED_LOST, Refusal.UNKNOWN)]
)
def test_the_same_at_a_moved_price_is_refused_and_names_the_first_unless_that_is_named(
    fate: Fate, reason: Refusal
) -> None:
    async def story(desk: Running) -> None:
        first = await desk.approved()
        await desk.engine.settled(first.id)
        refused = await desk.engine.propose(desk.ask(MOVED, proposal="2"))
        assert isinstance(refused, IsRefused)
        assert (refused.reason, refused.id) == (reason, first.id)
        await state(desk, first.id, State.PLACED)
        taken = await desk.engine.propose(desk.ask(MOVED, proposal="3", distinct_from=first.id))
        assert isinstance(taken, Taken)
        assert taken.similar_id == first.id
        assert desk.world.sends == 1

    of(fate).tell(story)


def test_reading_an_intent_does_not_make_its_repeat_a_second_order() -> None:
    async def story(desk: Running) -> None:
        first = await desk.approved()
        await desk.engine.settled(first.id)
        desk.engine.read(first.id)
        again = await desk.engine.propose(desk.ask(proposal="2"))
        assert isinstance(again, Repeated)
        assert again.intent.id == first.id

    of().tell(story)


@pytest.mark.parametrize("fate", [Fate.REFUSED, Fate.NOT_SENT])
def test_what_was_proved_to_have_placed_nothing_may_be_asked_again(fate: Fate) -> None:
    async def story(desk: Running) -> None:
        first = await desk.approved()
        await desk.engine.settled(first.id)
        second = await desk.approved(proposal="2")
        assert (await desk.engine.settled(second.id)).state is State.PLACED
        assert desk.orders() == 1

    of(fate).tell(story)


def test_limits_that_do_not_allow_it_deny_it_before_anybody_is_asked() -> None:
    async def story(desk: Running) -> None:
        intent = await desk.proposed(Wish(amount=Decimal(1)))
        assert intent.state is State.DENIED
        assert "5000" in intent.reason

    of().tell(story)


def test_limits_are_asked_again_inside_the_claim() -> None:
    async def story(desk: Running) -> None:
        # 60,000 times 0.05 is 3,000 each: one fits into 5,000, two do not, and both were allowed when they were asked.
        first = await desk.proposed(Wish(amount=Decimal("0.05")))
        answer = await desk.engine.propose(
            desk.ask(Wish(amount=Decimal("0.05")), proposal="2", distinct_from=first.id)
        )
        assert isinstance(answer, Taken)
        for intent in (first, answer.intent):
            desk.engine.approve(intent.id, desk.grant(intent))
        ends = {(await desk.engine.settled(intent.id)).state for intent in (first, answer.intent)}
        assert ends == {State.PLACED, State.LAPSED}
        assert desk.orders() == 1

    of().tell(story)


def test_what_cannot_be_planned_is_an_event_and_no_intent() -> None:
    @dataclass(slots=True, eq=False)
    class Refusing(ModelVenue):
        async def plan(self, request: object, client_order_id: str) -> Planned:
            del request, client_order_id
            raise InvalidArgumentError("the amount is not on the grid")

    async def story(desk: Running) -> None:
        with pytest.raises(InvalidArgumentError):
            await desk.engine.propose(desk.ask())
        assert not desk.journal.recent()
        event = desk.journal.last_event("unplanned")
        assert event is not None
        assert json.loads(event.text)["body"]["code"] == "INVALID_ARGUMENT"

    Running(venue_type=Refusing).tell(story)


def test_an_account_that_the_desk_does_not_hold_is_an_error() -> None:
    async def story(desk: Running) -> None:
        with pytest.raises(UnknownAccountError):
            await desk.engine.propose(replace(desk.ask(), account=AccountName("other")))

    of().tell(story)


def test_a_grant_binds_the_preview_that_was_shown_last() -> None:
    @dataclass(slots=True, eq=False)
    class Moving(ModelVenue):
        shown: int = 0

        async def recheck(self, plan: WirePlan) -> Planned:
            self.shown += 1
            return replace(await ModelVenue.recheck(self, plan), preview={"shown": self.shown})

    async def story(desk: Running) -> None:
        intent = await desk.proposed()
        shown = await desk.engine.present(intent.id)
        with pytest.raises(ConflictError):
            desk.engine.approve(intent.id, desk.grant(intent, "old"))
        desk.engine.approve(intent.id, desk.grant(shown, "new"))
        assert (await desk.engine.settled(intent.id)).state is State.PLACED

    Running(venue_type=Moving).tell(story)


def test_a_proposal_that_nobody_decides_expires_and_whoever_waits_is_told() -> None:
    async def story(desk: Running) -> None:
        intent = await desk.proposed()
        assert (await desk.engine.settled(intent.id)).state is State.EXPIRED
        assert 600 <= desk.clock.monotonic() < 620

    of().tell(story)


def test_a_declined_proposal_is_final_and_its_repeat_pauses() -> None:
    async def story(desk: Running) -> None:
        intent = await desk.proposed()
        desk.engine.decline(intent.id, "anna", "too large")
        assert (await desk.engine.settled(intent.id)).state is State.DECLINED
        again = await desk.engine.propose(desk.ask(proposal="2"))
        assert isinstance(again, IsRefused)
        assert again.reason is Refusal.DECLINED

    of().tell(story)


# Restarts.


def test_nothing_is_accepted_until_what_the_last_run_left_was_looked_at_and_nothing_is_sent_again() -> None:
    async def story(desk: Running) -> None:
        intent = await desk.approved()
        await until(lambda: desk.world.sends == 1)
        desk.process.kill()
        desk.boot()
        with pytest.raises(WritesClosedError):
            await desk.engine.propose(desk.ask(proposal="2"))
        desk.start()
        assert desk.journal.intent(intent.id).state is State.UNKNOWN
        with pytest.raises(WritesClosedError):
            await desk.engine.propose(desk.ask(proposal="2"))
        await until(lambda: desk.engine.closed(ACCOUNT) is None)
        assert desk.journal.intent(intent.id).state is State.PLACED
        await asyncio.sleep(300)
        assert desk.orders() == desk.world.sends == 1

    of(Fate.ACCEPTED_LOST).tell(story)


def test_what_was_approved_before_a_restart_lapses() -> None:
    async def story(desk: Running) -> None:
        intent = await desk.approved()
        desk.process.kill()
        desk.boot()
        desk.start()
        assert desk.journal.intent(intent.id).state is State.LAPSED
        await asyncio.sleep(60)
        assert desk.world.sends == 0

    of().tell(story)


def test_what_was_accepted_before_a_restart_is_read_back_before_anything_is_accepted() -> None:
    async def story(desk: Running) -> None:
        intent = await desk.approved()
        await state(desk, intent.id, State.ACCEPTED)
        desk.process.kill()
        desk.boot()
        desk.start()
        await until(lambda: desk.engine.closed(ACCOUNT) is None)
        assert desk.journal.intent(intent.id).state is State.PLACED

    of(lag_s=2.0).tell(story)


def test_an_account_whose_venue_does_not_answer_after_a_restart_stays_closed_and_says_why() -> None:
    async def story(desk: Running) -> None:
        intent = await desk.approved()
        await until(lambda: desk.world.sends == 1)
        desk.process.kill()
        desk.boot()
        desk.start()
        await asyncio.sleep(60)
        reason = desk.engine.closed(ACCOUNT)
        assert reason is not None
        assert "did not answer" in reason
        await until(lambda: desk.engine.closed(ACCOUNT) is None)
        await state(desk, intent.id, State.PLACED)

    of(Fate.ACCEPTED_LOST, outage_s=120.0).tell(story)


def test_a_proposal_that_was_recorded_before_the_limits_decided_is_decided_after_the_restart() -> None:
    async def story(desk: Running) -> None:
        # The desk dies between the two commits.
        def dies(*_: object, **__: object) -> Intent:
            desk.process.kill()
            raise Killed

        desk.journal.decide = dies
        with pytest.raises(Killed):
            await desk.proposed()
        (intent,) = desk.journal.recent()
        assert (intent.state, intent.policy_digest) == (State.PROPOSED, None)
        desk.boot()
        desk.start()
        await until(lambda: desk.engine.closed(ACCOUNT) is None)
        assert desk.journal.intent(intent.id).policy_digest == OpenHanded.digest

    of().tell(story)


def test_a_venue_whose_clock_runs_away_makes_no_order_absent_that_is_only_not_shown_yet() -> None:
    async def story(desk: Running) -> None:
        intent = await desk.approved()
        await until(lambda: desk.world.sends == 1)
        for _ in range(4):  # between the first looks, at 0.2 and 1.2 seconds, too
            desk.venue.clock_ms += 3_600_000
            await asyncio.sleep(0.4)
        await state(desk, intent.id, State.PLACED)
        assert not desk.journal.halts()

    of(Fate.ACCEPTED_RESET, lag_s=3.0).tell(story)


# Other hands on the key.


def strange(desk: Running, client_order_id: str) -> None:
    fields = {"symbol": "BTCUSDT", "newClientOrderId": client_order_id}
    desk.world.add(fields, is_open=True, is_by_hand=True)


def test_an_order_with_our_tag_that_the_journal_does_not_know_halts_the_account_within_a_minute() -> None:
    async def story(desk: Running) -> None:
        before = await desk.approved()
        await desk.engine.settled(before.id)
        tag = tag_of(before.client_order_id)
        assert tag is not None
        strange(desk, new_client_order_id(tag, desk.entropy, 36))
        began = desk.clock.monotonic()
        await until(lambda: bool(desk.journal.halts()))
        assert desk.clock.monotonic() - began <= 60
        assert "copied" in desk.journal.halts()[0].reason

    of().tell(story)


def test_an_order_of_another_desk_halts_the_account_within_a_minute_and_once() -> None:
    async def story(desk: Running) -> None:
        strange(desk, new_client_order_id(new_desk_tag(desk.entropy), desk.entropy, 36))
        began = desk.clock.monotonic()
        await until(lambda: bool(desk.journal.halts()))
        assert desk.clock.monotonic() - began <= 60
        assert "another desk" in desk.journal.halts()[0].reason
        desk.journal.resume(ACCOUNT, BY_ANNA, reason=desk.journal.halts()[0].reason)
        await asyncio.sleep(120)
        assert not desk.journal.halts()

    of().tell(story)


def test_an_order_placed_by_hand_halts_nothing_and_rules_out_that_an_unknown_is_called_absent() -> None:
    async def story(desk: Running) -> None:
        intent = await desk.approved()
        await until(lambda: desk.world.sends == 1)
        strange(desk, "web_1")
        await until(lambda: intent.id in desk.engine.waiting())
        assert "cannot be told" in desk.engine.waiting()[intent.id]
        await asyncio.sleep(3600)
        assert desk.journal.intent(intent.id).state is State.UNKNOWN
        assert not desk.journal.halts()

    of(Fate.LOST).tell(story)


def test_an_order_that_turns_up_after_it_was_called_absent_is_placed_and_halts_the_account() -> None:
    async def story(desk: Running) -> None:
        intent = await desk.approved()
        await state(desk, intent.id, State.ABSENT)
        await state(desk, intent.id, State.PLACED)
        assert desk.clock.monotonic() < 200 + 60
        assert intent.id in desk.journal.halts()[0].reason

    of(Fate.LATE, late="minutes", lies=True).tell(story)


def test_an_order_that_was_proved_not_sent_and_is_there_is_placed_and_halts_the_account() -> None:
    class Denying(ModelReady):
        async def send(self, plan: WirePlan, latest_ms: int) -> Evidence:
            return replace(
                await ModelReady.send(self, plan, latest_ms), is_sent=False, status=None, body=None
            )

    @dataclass(slots=True, eq=False)
    class Broken(ModelVenue):
        async def ready(self, plan: WirePlan) -> Ready:
            del plan
            return Denying(self)

    async def story(desk: Running) -> None:
        intent = await desk.approved()
        assert (await desk.engine.settled(intent.id)).state is State.NOT_SENT
        await state(desk, intent.id, State.PLACED)
        assert desk.clock.monotonic() < 60
        assert desk.journal.halts()

    Running(venue_type=Broken).tell(story)


def test_an_absent_order_that_was_filled_and_is_gone_from_every_list_is_still_found_by_its_id() -> None:
    @dataclass(slots=True, eq=False)
    class WithoutLists(ModelVenue):
        async def seen(self, since_ms: int, symbols: frozenset[str]) -> tuple[()]:
            del since_ms, symbols
            return ()

    async def story(desk: Running) -> None:
        intent = await desk.approved()
        await state(desk, intent.id, State.ABSENT)
        # The looks for it come ever more seldom, an hour apart at most.
        await state(desk, intent.id, State.PLACED)
        assert desk.clock.monotonic() < 6 * 3600 + 3700
        assert desk.journal.halts()

    Running(
        Habits(fates=(Fate.LATE,), late="hours", lies=True),
        replace(PACE, tick=600.0, sweep=1800.0),
        WithoutLists,
    ).tell(story)


def test_no_grant_is_claimed_while_nobody_can_see_who_else_writes_with_the_key() -> None:
    @dataclass(slots=True, eq=False)
    class Blind(ModelVenue):
        asked: list[int] = field(default_factory=list[int])

        async def seen(self, since_ms: int, symbols: frozenset[str]) -> tuple[()]:
            del symbols
            self.asked.append(since_ms)
            if len(self.asked) > 1:
                raise InvalidArgumentError("no answer")
            return ()

    async def story(desk: Running) -> None:
        await asyncio.sleep(20)
        intent = await desk.approved()
        done = await desk.engine.settled(intent.id)
        assert (done.state, desk.world.sends) == (State.LAPSED, 0)

    Running(venue_type=Blind).tell(story)


# Unknown outcomes.


def test_what_cannot_be_proved_waits_for_a_named_person_whose_word_ends_it() -> None:
    async def story(desk: Running) -> None:
        intent = await desk.approved()
        await until(lambda: intent.id in desk.engine.waiting())
        assert "trades gave no whole answer" in desk.engine.waiting()[intent.id]
        assert any(event.kind == "needs_person" for event in desk.journal.events_of(intent.id))
        desk.engine.resolve(intent.id, State.ABSENT, "I looked on the site", BY_ANNA)
        assert desk.journal.intent(intent.id).resolved_by == "anna"
        await asyncio.sleep(1000)
        assert intent.id not in desk.engine.waiting()
        assert desk.journal.intent(intent.id).state is State.ABSENT

    of(Fate.LOST, deaf="trades").tell(story)


def test_while_an_outcome_is_unknown_another_opening_order_is_refused_and_a_cancel_is_not() -> None:
    async def story(desk: Running) -> None:
        intent = await desk.approved()
        await state(desk, intent.id, State.UNKNOWN)
        other = await desk.engine.propose(desk.ask(LeverageWish(3), proposal="2"))
        assert isinstance(other, IsRefused)
        assert (other.reason, other.id) == (Refusal.UNKNOWN, intent.id)
        cancel = await desk.engine.propose(desk.ask(CancelWish("web_0"), proposal="3"))
        assert isinstance(cancel, Taken)

    of(Fate.LOST).tell(story)


def test_an_order_that_cannot_be_looked_up_for_five_minutes_is_still_proved_absent_without_a_person() -> None:
    async def story(desk: Running) -> None:
        intent = await desk.approved()
        await state(desk, intent.id, State.ABSENT)
        assert desk.journal.intent(intent.id).resolved_by is None

    of(Fate.LOST, outage_s=300.0).tell(story)


@pytest.mark.parametrize("wish", [None, CancelWish("web_0"), LeverageWish(7)])
def test_neither_the_first_nor_the_last_look_of_a_proof_is_overslept(
    wish: CancelWish | LeverageWish | None,
) -> None:
    async def story(desk: Running) -> None:
        intent = await desk.approved(wish)
        await until(lambda: desk.journal.intent(intent.id).state in {State.ABSENT, State.NOT_SET})
        ended = desk.journal.intent(intent.id)
        assert ended.latest_ms is not None
        terms = desk.venue.absence_terms(intent.plan, ended.latest_ms)
        # A tenth of a second for each, by which a venue's clock may be read differently, and the look's own time.
        assert 0 <= ended.changed_ms - terms.first_look_ms - terms.spacing_ms < 400

    of(Fate.LOST).tell(story)


@pytest.mark.parametrize(
    ("fate", "end"),
    [(Fate.ACCEPTED_LOST, State.CANCELED), (Fate.LOST, State.ABSENT), (Fate.ACCEPTED, State.CANCELED)],
)
def test_a_cancel_ends_as_the_venue_shows_its_order(fate: Fate, end: State) -> None:
    async def story(desk: Running) -> None:
        intent = await desk.approved(CancelWish("web_0"))
        await state(desk, intent.id, end)
        assert desk.world.sends == 1

    of(fate).tell(story)


def test_a_cancel_of_an_order_that_was_filled_before_came_too_late() -> None:
    async def story(desk: Running) -> None:
        desk.world.orders[0].is_open = False
        intent = await desk.approved(CancelWish("web_0"))
        await state(desk, intent.id, State.TOO_LATE)

    of().tell(story)


@pytest.mark.parametrize(("fate", "end"), [(Fate.ACCEPTED_LOST, State.SET), (Fate.LOST, State.NOT_SET)])
def test_a_change_of_leverage_ends_as_the_venue_shows_it(fate: Fate, end: State) -> None:
    async def story(desk: Running) -> None:
        intent = await desk.approved(LeverageWish(5))
        await state(desk, intent.id, end)

    of(fate).tell(story)


# Halts.


def test_a_halt_stops_every_claim_until_a_signature_lifts_it() -> None:
    async def story(desk: Running) -> None:
        intent = await desk.proposed()
        desk.engine.halt(ACCOUNT, "anna", "stop")
        desk.engine.approve(intent.id, desk.grant(intent))
        assert (await desk.engine.settled(intent.id)).state is State.LAPSED
        assert desk.world.sends == 0
        go = Signed(approver="anna", nonce="go", record="signed")
        desk.journal.resume(ACCOUNT, go, reason="stop")
        other = await desk.approved(proposal="2")
        assert (await desk.engine.settled(other.id)).state is State.PLACED

    of().tell(story)
