"""What ends a grant on its way: a desk that cannot vouch for itself, one that stops, a machine that slept."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from exchange_mcp.desk import dialect
from exchange_mcp.desk.intents import State
from exchange_mcp.desk.journal_errors import UnrecordedHaltError
from exchange_mcp.desk.ports import Footing
from exchange_mcp.model.accounts import AccountName
from exchange_mcp.model.client_ids import new_client_order_id, new_desk_tag
from exchange_mcp.model.errors import UnknownAccountError
from exchange_mcp.model.findings import Findings, Sought
from exchange_mcp.model.outcomes import Evidence
from exchange_mcp.model.plans import WirePlan
from exchange_mcp.model.trading import Effect, Ready, Sighting
from simulation.port import ACCOUNT, CancelWish, ModelReady, ModelVenue, Wish
from simulation.virtual import VirtualClock
from simulation.world import Fate, Habits

from .running import BY_ANNA, Running, until


class Unrecordable(ModelReady):
    """What was seen of its send has no form in the record."""

    async def send(self, plan: WirePlan, latest_ms: int) -> Evidence:
        body: Any = 1.5
        return replace(await ModelReady.send(self, plan, latest_ms), body=body)


@dataclass(slots=True, eq=False)
class Staged(ModelVenue):
    """A venue where something happens while a write is made ready."""

    made: Callable[[ModelVenue], Ready] = ModelReady
    meanwhile: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])
    rechecks: int = 0

    async def recheck(self, plan: WirePlan) -> Any:  # noqa: ANN401 - as the port says
        self.rechecks += 1
        return await ModelVenue.recheck(self, plan)

    async def ready(self, plan: WirePlan) -> Ready:
        await ModelVenue.ready(self, plan)
        if self.meanwhile:
            self.meanwhile.pop()()
        return self.made(self)


def staged(desk: Running) -> Staged:
    assert isinstance(desk.venue, Staged)
    return desk.venue


def test_after_an_outcome_that_could_not_be_recorded_nothing_that_was_approved_is_sent() -> None:
    async def story(desk: Running) -> None:
        staged(desk).made = Unrecordable
        first = await desk.approved()
        second = await desk.approved(CancelWish("web_0"), proposal="2")
        assert (await desk.engine.settled(second.id)).state is State.LAPSED
        assert "has to be restarted" in desk.journal.intent(second.id).reason
        assert desk.journal.intent(first.id).state is State.DISPATCHING
        assert desk.world.sends == 1

    Running(venue_type=Staged).tell(story)


def test_a_desk_that_is_stopped_while_a_write_is_made_ready_claims_it_no_more() -> None:
    async def story(desk: Running) -> None:
        stopping = desk.engine.stop()
        # Its first step is to take nothing more; then it waits.
        staged(desk).meanwhile.append(lambda: stopping.send(None) and None)
        intent = await desk.approved()
        assert (await desk.engine.settled(intent.id)).state is State.LAPSED
        assert desk.world.sends == 0
        stopping.close()

    Running(venue_type=Staged).tell(story)


def test_a_halt_that_the_journal_cannot_take_stops_this_run_all_the_same() -> None:
    async def story(desk: Running) -> None:
        intent = await desk.approved()
        connection = desk.journal._connection  # pyright: ignore[reportPrivateUsage] - the disk's part is played here
        with dialect.reading(connection):
            connection.exec_driver_sql("PRAGMA query_only = ON")
        with pytest.raises(UnrecordedHaltError, match="no more writes until it is restarted"):
            desk.engine.halt(None, "ops", "a look")
        with dialect.reading(connection):
            connection.exec_driver_sql("PRAGMA query_only = OFF")
        # There is room again, and still nothing is sent.
        settled = await desk.engine.settled(intent.id)
        assert settled.state is State.LAPSED
        assert "A halt could not be recorded" in settled.reason
        assert "halt" in str(desk.engine.closed(ACCOUNT))
        assert desk.world.sends == 0

    Running(venue_type=Staged).tell(story)


@dataclass(eq=False)
class SleepyClock(VirtualClock):
    """A clock of a machine that slept: the one it counts by stood still meanwhile."""

    awake: VirtualClock
    slept_ms: int = 0

    def now_ms(self) -> int:
        return self.awake.now_ms() + self.slept_ms

    def monotonic(self) -> float:
        return self.awake.monotonic()


@pytest.mark.parametrize("slept_ms", [60_000, -3_600_000])
def test_a_re_check_from_before_the_machine_slept_or_its_clock_was_set_is_repeated(slept_ms: int) -> None:
    desk = Running(venue_type=Staged)
    clock = desk.clock = SleepyClock(desk.clock)
    desk.boot()

    def sleeps() -> None:
        clock.slept_ms = slept_ms

    async def story(desk: Running) -> None:
        staged(desk).meanwhile.append(sleeps)
        intent = await desk.approved()
        await desk.engine.settled(intent.id)
        assert staged(desk).rechecks > 1
        # A clock that was set back behind the last record refuses the claim.
        assert desk.world.sends == (1 if slept_ms > 0 else 0)

    desk.tell(story)


class Slow(ModelVenue):
    """A venue whose looks take a while."""

    async def find(self, sought: Sought) -> Findings:
        await asyncio.sleep(20)
        return await ModelVenue.find(self, sought)


@pytest.mark.parametrize("after_s", [5, 310])
def test_what_a_person_resolved_waits_for_nobody_from_then_on_also_in_the_middle_of_a_look(
    after_s: int,
) -> None:
    async def story(desk: Running) -> None:
        intent = await desk.approved()
        await until(lambda: intent.id in desk.engine.waiting())
        await asyncio.sleep(after_s)
        desk.engine.resolve(intent.id, State.ABSENT, "I looked on the site", BY_ANNA)
        assert not desk.engine.waiting()
        await asyncio.sleep(1000)
        assert not desk.engine.waiting()

    Running(Habits(fates=(Fate.LOST,), deaf="trades"), venue_type=Slow).tell(story)


def test_a_halt_of_an_account_that_the_desk_does_not_hold_is_an_error_and_no_halt() -> None:
    async def story(desk: Running) -> None:
        with pytest.raises(UnknownAccountError, match="nothing is halted"):
            desk.engine.halt(AccountName("mian"), "anna", "stop")
        desk.engine.halt(ACCOUNT, "anna", "stop")
        assert [halt.account for halt in desk.journal.halts()] == [ACCOUNT]

    Running().tell(story)


def test_a_reduce_that_the_venue_does_not_enforce_is_not_sent() -> None:
    class Trusting(ModelVenue):
        def _footing(self, plan: WirePlan) -> Footing:
            return replace(ModelVenue._footing(self, plan), is_reduce_enforced=False)

    async def story(desk: Running) -> None:
        intent = await desk.approved(Wish(is_reduce_only=True))
        done = await desk.engine.settled(intent.id)
        assert (done.state, desk.world.sends) == (State.LAPSED, 0)
        assert "reducing" in done.reason

    Running(venue_type=Trusting).tell(story)


@dataclass(slots=True, eq=False)
class Hanging(ModelVenue):
    """A venue whose answers stop coming once it is told to hang."""

    hangs: bool = False

    async def find(self, sought: Sought) -> Findings:
        await self._answers()
        return await ModelVenue.find(self, sought)

    async def effect_of(self, plan: WirePlan) -> Effect:
        await self._answers()
        return await ModelVenue.effect_of(self, plan)

    async def seen(self, since_ms: int, symbols: frozenset[str]) -> tuple[Sighting, ...]:
        await self._answers()
        return await ModelVenue.seen(self, since_ms, symbols)

    async def _answers(self) -> None:
        if self.hangs:
            await asyncio.get_running_loop().create_future()


@pytest.mark.parametrize("wish", [Wish(), CancelWish("web_0")])
@pytest.mark.parametrize("fate", [Fate.ACCEPTED, Fate.ACCEPTED_LOST])
def test_looks_that_never_end_ask_a_person_and_go_on_where_answers_come_again(
    wish: Wish | CancelWish, fate: Fate
) -> None:
    async def story(desk: Running) -> None:
        assert isinstance(desk.venue, Hanging)
        intent = await desk.approved(wish)
        await until(lambda: desk.world.sends == 1)
        desk.venue.hangs = True
        await until(lambda: intent.id in desk.engine.waiting())
        other = new_client_order_id(new_desk_tag(desk.entropy), desk.entropy, 36)
        desk.world.add({"symbol": "BTCUSDT", "newClientOrderId": other}, is_open=True, is_by_hand=True)
        desk.venue.hangs = False
        await until(lambda: desk.journal.intent(intent.id).state in {State.PLACED, State.CANCELED})
        await until(lambda: bool(desk.journal.halts()))
        assert not desk.engine.waiting()

    Running(Habits(fates=(fate,), transit_s=1.0), venue_type=Hanging).tell(story)
