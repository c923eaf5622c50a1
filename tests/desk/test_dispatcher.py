"""From a grant to an outcome, in virtual time: what is sent, when, and what is recorded whatever happens."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal

import pytest

from exchange_mcp.desk.intents import State
from exchange_mcp.desk.journal import Note
from exchange_mcp.desk.journal_errors import JournalFullError
from exchange_mcp.desk.ports import Planned
from exchange_mcp.desk.records import Taken
from exchange_mcp.model.errors import StoppingError, VenueUnreachableError
from exchange_mcp.model.outcomes import Evidence
from exchange_mcp.model.plans import WirePlan
from exchange_mcp.model.trading import Ready
from simulation.port import ACCOUNT, ModelReady, ModelVenue
from simulation.world import Fate, Habits

from .running import PACE, Running, until


@dataclass(slots=True, eq=False)
class Scripted(ModelVenue):
    """A model venue of which a test decides more: how long things take, and what a re-check finds."""

    rechecks: int = 0
    ready_s: list[float] = field(default_factory=list[float])
    changed: dict[str, object] = field(default_factory=dict[str, object])
    is_down: bool = False
    readied: list[WirePlan] = field(default_factory=list[WirePlan])

    async def recheck(self, plan: WirePlan) -> Planned:
        self.rechecks += 1
        if self.is_down:
            raise VenueUnreachableError("no answer")
        planned = await ModelVenue.recheck(self, plan)
        return replace(planned, footing=replace(planned.footing, **self.changed))  # pyright: ignore[reportArgumentType] - of the footing's fields

    async def ready(self, plan: WirePlan) -> Ready:
        await asyncio.sleep(self.ready_s.pop(0) if self.ready_s else 0.0)
        self.readied.append(plan)
        return await ModelVenue.ready(self, plan)


def scripted(running: Running) -> Scripted:
    assert isinstance(running.venue, Scripted)
    return running.venue


def running(**habits: object) -> Running:
    return Running(Habits(**habits), venue_type=Scripted)  # pyright: ignore[reportArgumentType] - of the habits' fields


def test_an_approved_order_is_sent_once_and_read_back() -> None:
    async def story(desk: Running) -> None:
        intent = await desk.approved()
        assert intent.state is State.APPROVED
        done = await desk.engine.settled(intent.id)
        assert (done.state, done.order_id) == (State.PLACED, "1002")
        assert desk.orders() == desk.world.sends == 1

    running().tell(story)


def test_an_outcome_is_told_as_soon_as_it_is_recorded_and_read_back_afterwards() -> None:
    async def story(desk: Running) -> None:
        intent = await desk.approved()
        told = await desk.engine.outcome(intent.id)
        assert (told.state, told.order_id) == (State.ACCEPTED, "1002")
        assert (await desk.engine.settled(intent.id)).state is State.PLACED

    running(lag_s=2.0).tell(story)


def test_an_accepted_order_that_the_venue_does_not_show_is_unknown_until_it_is_found() -> None:
    async def story(desk: Running) -> None:
        intent = await desk.approved()
        assert (await desk.engine.settled(intent.id)).state is State.UNKNOWN
        await until(lambda: desk.journal.intent(intent.id).state is State.PLACED)

    running(lag_s=9.0).tell(story)


def test_a_caller_that_is_cancelled_while_its_order_is_sent_changes_nothing() -> None:
    async def story(desk: Running) -> None:
        intent = await desk.approved()
        waiting = asyncio.ensure_future(desk.engine.settled(intent.id))
        await until(lambda: desk.world.sends == 1)
        waiting.cancel()
        assert (await desk.engine.settled(intent.id)).state is State.PLACED
        assert waiting.cancelled()
        assert desk.orders() == 1

    running(transit_s=3.0).tell(story)


def test_a_caller_that_is_cancelled_while_its_proposal_is_planned_leaves_nothing_behind() -> None:
    async def story(desk: Running) -> None:
        asking = asyncio.ensure_future(desk.engine.propose(desk.ask()))
        await asyncio.sleep(0)
        asking.cancel()
        await asyncio.sleep(10)
        assert not desk.journal.recent()

    running().tell(story)


def test_shutting_down_waits_for_the_send_and_its_record() -> None:
    async def story(desk: Running) -> None:
        intent = await desk.approved()
        await until(lambda: desk.world.sends == 1)
        await desk.engine.stop()
        assert desk.journal.intent(intent.id).state is State.ACCEPTED
        with pytest.raises(StoppingError):
            await desk.engine.propose(desk.ask(proposal="2"))

    running(transit_s=3.0).tell(story)


def test_shutting_down_lets_lapse_what_was_not_claimed() -> None:
    async def story(desk: Running) -> None:
        intent = await desk.approved()
        await desk.engine.stop()
        assert desk.journal.intent(intent.id).state is State.LAPSED
        assert desk.world.sends == 0

    running().tell(story)


def test_the_writes_of_one_account_are_dispatched_one_after_the_other() -> None:
    async def story(desk: Running) -> None:
        first = await desk.approved()
        second = await desk.engine.propose(desk.ask(proposal="2", distinct_from=first.id))
        assert isinstance(second, Taken)
        intent = second.intent
        desk.engine.approve(intent.id, desk.grant(intent))
        await until(lambda: desk.world.sends == 1)
        await asyncio.sleep(1)
        # The first is on the wire; nothing of the second was even read again.
        assert [plan.client_order_id for plan in scripted(desk).readied] == [first.client_order_id]
        assert (await desk.engine.settled(intent.id)).state is State.PLACED
        assert [order.client_order_id for order in desk.world.orders[1:]] == [
            first.client_order_id,
            intent.client_order_id,
        ]

    running(transit_s=3.0).tell(story)


def test_a_re_check_that_grew_older_than_two_seconds_is_repeated_before_the_claim() -> None:
    async def story(desk: Running) -> None:
        scripted(desk).ready_s = [2.5]
        intent = await desk.approved()
        assert (await desk.engine.settled(intent.id)).state is State.PLACED
        assert scripted(desk).rechecks == 2

    running().tell(story)


def test_a_grant_lapses_where_getting_ready_always_takes_too_long() -> None:
    async def story(desk: Running) -> None:
        scripted(desk).ready_s = [2.5] * 10
        intent = await desk.approved()
        done = await desk.engine.settled(intent.id)
        assert (done.state, scripted(desk).rechecks) == (State.LAPSED, PACE.rechecks)
        assert desk.world.sends == 0

    running().tell(story)


def test_a_grant_lapses_where_getting_ready_hangs() -> None:
    async def story(desk: Running) -> None:
        scripted(desk).ready_s = [10_000.0]
        intent = await desk.approved()
        done = await desk.engine.settled(intent.id)
        assert done.state is State.LAPSED
        assert "too long" in done.reason
        other = await desk.approved(proposal="2")
        assert (await desk.engine.settled(other.id)).state is State.PLACED

    running().tell(story)


@pytest.mark.parametrize(
    "changed",
    [
        {"effect": "flips"},
        {"position_mode": "hedge"},
        {"mid": Decimal(60_301)},
        {"mid": None},
        {"key_fault": "it may withdraw now"},
    ],
)
def test_what_means_something_else_than_was_approved_lapses_and_says_why(changed: dict[str, object]) -> None:
    async def story(desk: Running) -> None:
        scripted(desk).changed = changed
        intent = await desk.approved()
        done = await desk.engine.settled(intent.id)
        assert done.state is State.LAPSED
        assert done.reason
        assert desk.world.sends == 0

    running().tell(story)


def test_a_grant_lapses_where_the_re_check_has_no_answer() -> None:
    async def story(desk: Running) -> None:
        scripted(desk).is_down = True
        intent = await desk.approved()
        done = await desk.engine.settled(intent.id)
        assert (done.state, desk.world.sends) == (State.LAPSED, 0)
        assert "no answer" in done.reason

    running().tell(story)


def test_a_request_that_would_be_signed_after_its_deadline_is_not_sent() -> None:
    async def story(desk: Running) -> None:
        desk.venue.stalls = [20.0]
        intent = await desk.approved()
        done = await desk.engine.settled(intent.id)
        assert (done.state, desk.world.sends) == (State.NOT_SENT, 0)

    running().tell(story)


def test_the_deadline_of_a_claim_is_the_venue_s_time_plus_window_and_margin() -> None:
    async def story(desk: Running) -> None:
        desk.venue.clock_ms = 400
        intent = await desk.approved()
        done = await desk.engine.settled(intent.id)
        assert done.claimed_ms is not None
        # 400 ms ahead, a window of 5,000 ms, a margin of 1,000 ms.
        assert done.latest_ms == done.claimed_ms + 400 + 5_000 + 1_000

    running().tell(story)


class _Raising(ModelReady):
    async def send(self, plan: WirePlan, latest_ms: int) -> Evidence:
        await ModelReady.send(self, plan, latest_ms)
        raise RuntimeError("after the send")


def test_a_port_that_raises_leaves_an_unknown_that_is_looked_for_and_not_a_failure() -> None:
    @dataclass(slots=True, eq=False)
    class Broken(ModelVenue):
        async def ready(self, plan: WirePlan) -> Ready:
            del plan
            return _Raising(self)

    async def story(desk: Running) -> None:
        intent = await desk.approved()
        await until(lambda: desk.journal.intent(intent.id).state is not State.APPROVED)
        await until(lambda: desk.journal.intent(intent.id).state is not State.DISPATCHING)
        assert desk.journal.intent(intent.id).state is State.UNKNOWN
        await until(lambda: desk.journal.intent(intent.id).state is State.PLACED)
        assert desk.orders() == 1

    Running(venue_type=Broken).tell(story)


def test_a_send_that_never_returns_is_given_up_as_unknown_and_the_account_goes_on() -> None:
    @dataclass(slots=True, eq=False)
    class Hanging(ModelReady):
        async def send(self, plan: WirePlan, latest_ms: int) -> Evidence:
            del plan, latest_ms
            await asyncio.sleep(1_000_000)
            raise AssertionError

    @dataclass(slots=True, eq=False)
    class Broken(ModelVenue):
        async def ready(self, plan: WirePlan) -> Ready:
            del plan
            return Hanging(self)

    async def story(desk: Running) -> None:
        intent = await desk.approved()
        began = desk.clock.monotonic()
        await until(lambda: desk.journal.intent(intent.id).state is State.UNKNOWN)
        assert desk.clock.monotonic() - began < PACE.send_patience + 5
        await until(lambda: desk.journal.intent(intent.id).state is State.ABSENT)
        other = await desk.engine.propose(desk.ask(proposal="2", distinct_from=intent.id))
        assert isinstance(other, Taken)

    Running(venue_type=Broken).tell(story)


def test_a_ready_port_that_was_used_sends_nothing_the_second_time() -> None:
    async def story(desk: Running) -> None:
        intent = await desk.approved()
        await desk.engine.settled(intent.id)
        ready = await ModelVenue.ready(desk.venue, intent.plan)
        first = await ready.send(intent.plan, desk.venue.venue_ms() + 10_000)
        second = await ready.send(intent.plan, desk.venue.venue_ms() + 10_000)
        assert (first.is_sent, second.is_sent, second.is_token_spent) == (True, False, True)

    running().tell(story)


def test_an_intent_that_is_retracted_while_it_is_made_ready_is_not_sent() -> None:
    async def story(desk: Running) -> None:
        scripted(desk).ready_s = [1.0]
        intent = await desk.approved()
        await asyncio.sleep(0.5)
        desk.engine.retract(intent.id, "assistant")
        await asyncio.sleep(5)
        assert (desk.journal.intent(intent.id).state, desk.world.sends) == (State.RETRACTED, 0)
        assert desk.engine.closed(ACCOUNT) is None

    running().tell(story)


def test_a_clock_that_jumps_back_before_the_claim_lets_the_grant_lapse() -> None:
    async def story(desk: Running) -> None:
        scripted(desk).ready_s = [1.0]
        intent = await desk.approved()
        await asyncio.sleep(0.5)
        desk.clock.skew_ms -= 60_000
        done = await desk.engine.settled(intent.id)
        assert (done.state, desk.world.sends) == (State.LAPSED, 0)
        assert "clock" in done.reason

    running().tell(story)


def test_a_halt_between_re_check_and_claim_stops_the_claim() -> None:
    async def story(desk: Running) -> None:
        scripted(desk).ready_s = [1.0]
        intent = await desk.approved()
        await asyncio.sleep(0.5)
        desk.engine.halt(None, "anna", "something is odd")
        done = await desk.engine.settled(intent.id)
        assert (done.state, desk.world.sends) == (State.LAPSED, 0)
        assert "something is odd" in done.reason

    running().tell(story)


@pytest.mark.parametrize("fate", [Fate.ACCEPTED_LOST, Fate.REFUSED_LOST])
def test_an_unknown_counts_in_the_limits_at_its_worst_until_it_is_known(fate: Fate) -> None:
    async def story(desk: Running) -> None:
        intent = await desk.approved()
        await until(lambda: desk.journal.intent(intent.id).state is State.UNKNOWN)
        counted = desk.journal.counters(None, desk.clock.now_ms())
        assert (counted.unknown, counted.notional_24h) == (1, {"USDT": Decimal(600)})
        await until(lambda: desk.journal.intent(intent.id).state is not State.UNKNOWN)
        after = desk.journal.counters(None, desk.clock.now_ms())
        assert after.notional_24h == ({"USDT": Decimal(600)} if fate is Fate.ACCEPTED_LOST else {})

    running(fates=(fate,)).tell(story)


def test_a_full_journal_sends_nothing_says_so_in_one_line_and_goes_on_answering() -> None:
    async def story(desk: Running) -> None:
        intent = await desk.proposed()
        approved = desk.engine.approve(intent.id, desk.grant(intent))
        with desk.shelf.full("main"):
            # Not even a short record fits any more.
            with suppress(JournalFullError):
                for _ in range(1000):
                    desk.journal.record(Note.VENUE, {})
            await asyncio.sleep(5)
            assert desk.world.sends == 0
            reason = desk.engine.closed(ACCOUNT)
            assert reason is not None
            assert "full" in reason
            assert "\n" not in reason
            assert desk.engine.read(approved.id).state is State.APPROVED

    running().tell(story)


def test_the_engine_owns_its_tasks_and_no_caller_s_context_reaches_into_them() -> None:
    async def story(desk: Running) -> None:
        intent = await desk.proposed()

        async def caller() -> None:
            desk.engine.approve(intent.id, desk.grant(intent))
            raise RuntimeError("the caller crashed")

        with pytest.raises(RuntimeError):
            await asyncio.ensure_future(caller())
        assert (await desk.engine.settled(intent.id)).state is State.PLACED

    running().tell(story)
