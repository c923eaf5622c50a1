"""One history: a model that asks, a person who approves whatever is asked, a desk that dies and is started again."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from exchange_mcp.desk.engine import Ask, Engine
from exchange_mcp.desk.intents import State
from exchange_mcp.desk.journal import Journal
from exchange_mcp.desk.pace import Pace
from exchange_mcp.desk.ports import LimitRuling, Planned
from exchange_mcp.desk.records import Counted, Grant, Intent, IsRefused, Proposed, Repeated, Taken
from exchange_mcp.model.errors import ExchangeMcpError
from exchange_mcp.model.writes import OrderType
from exchange_mcp.venue.verdict import judge
from simulation.grid import Again, Asks, Crash, Halt, Kind, Lookups, Others, Scenario
from simulation.port import ACCOUNT, CancelWish, LeverageWish, ModelVenue, Wish
from simulation.shelf import OTHER, MortalJournal, Shelf
from simulation.virtual import Killed, Process, SeededEntropy, VirtualClock, VirtualLoop
from simulation.world import LATE_S, WORLD, Fate, Habits, World

PACE: Final = Pace(tick=120.0)
RESTART_S: Final = 3.0
GAP_S: Final = 20.0
LONG_GAP_S: Final = 70.0
RESTORED_AFTER_S: Final = {Others.RESTORED: 30.0, Others.RESTORED_LATER: 400.0}
LATER_GAP_S: Final = 500.0
TARGET: Final = "web_0"
"""The order that was there before, and that a cancel is about."""
COPIED: Final = frozenset({Others.CLONE, Others.RESTORED, Others.RESTORED_LATER})

AnyWish = Wish | CancelWish | LeverageWish
_POINTS: Final = {
    Crash.BEFORE_C1: "before propose",
    Crash.AFTER_C1: "after propose",
    Crash.AFTER_C2: "after grant",
    Crash.BEFORE_C3: "before claim",
    Crash.AFTER_C3: "after claim",
    Crash.SENT: "sent",
    Crash.BEFORE_C4: "before settle",
    Crash.AFTER_C4: "after settle",
    Crash.AFTER_LOOK: "looked",
}
_POINTS_AGAIN: Final = {
    Again.BEFORE_RECOVERY: "before recover",
    Again.IN_RECOVERY: "after recover",
    Again.AFTER_LOOK: "looked",
}


class OpenHanded:
    """Limits that leave room for a few orders a day; unknown outcomes count in full."""

    digest = hashlib.sha256(b"limits").hexdigest()
    currency = "USDT"

    def rule(self, planned: Planned, counted: Counted, now_ms: int) -> LimitRuling:
        del now_ms
        worst = planned.footing.worst_case
        if worst is None:
            return LimitRuling(is_allowed=False, reason="Nothing bounds it.")
        total = worst + counted.account.notional_24h.get("USDT", Decimal(0))
        return LimitRuling(is_allowed=total <= Decimal(5_000), reason=f"{total} of 5000 USDT a day.")


@dataclass(slots=True, eq=False)
class Desk:
    """One run of the desk: its process, its engine and its journal."""

    process: Process
    engine: Engine
    journal: MortalJournal


EngineMaker = Callable[..., Engine]


@dataclass(eq=False)
class Story:
    """One scenario, told from a seed.

    Attributes:
        wanted: how many orders the model wants, by what it knowingly asked for.
    """

    scenario: Scenario
    seed: str
    shelf: Shelf
    make: EngineMaker = Engine
    loop: VirtualLoop = field(default_factory=VirtualLoop)
    wanted: int = 1
    runs: int = 0
    is_over: bool = False
    last_event_s: float = 0.0

    def __post_init__(self) -> None:
        s = self.scenario
        habits = Habits(
            fates=(s.fate,),
            transit_s=s.transit_s,
            lag_s=s.lag_s,
            late=s.late,
            lies=s.lies,
            outage_s={Lookups.OUTAGE: 25.0, Lookups.LONG_OUTAGE: 300.0}.get(s.lookups, 0.0),
            deaf="trades" if s.lookups is Lookups.DEAF else None,
            blind_s=40.0 if s.lookups is Lookups.BLIND else 0.0,
        )
        self.world = World(self.loop, habits)
        self.entropy = SeededEntropy(f"{self.seed}/{s.number}")
        self.clock = VirtualClock(self.loop)
        self.planned_crashes = [_POINTS[s.crash]] if s.crash is not Crash.NEVER else []
        if self.planned_crashes and s.again is not Again.NEVER:
            self.planned_crashes.append(_POINTS_AGAIN[s.again])
        self.stalls = [s.stall_s] if s.stall_s else []
        self.desk: Desk | None = None
        self.second: Desk | None = None
        self.is_halted_by_hand = False
        self.crashes = 0
        self.copy: str | None = None
        self.journal_name = "main"
        self.something_to_decide = asyncio.Event()
        # An order that was there before, by which a look-up can be shown to work.
        known = self.world.add(
            {"symbol": "BTCUSDT", "newClientOrderId": TARGET}, is_open=True, is_by_hand=True
        )
        known.arrived_s = known.visible_s = -3600.0

    # The desk's life.

    def boot(self, journal_name: str, *, name: str) -> Desk | None:
        """Start the desk on a journal, as a service manager would."""
        process = Process(f"{name}{self.runs}")
        self.runs += 1

        def at(point: str) -> None:
            self._at(point, process)

        venue = ModelVenue(self.world, process, at, self.scenario.clock_ms, self.stalls)
        try:
            with process.running():
                journal = MortalJournal(self.shelf.open(journal_name, self.clock), process, at)
                engine = self.make(
                    journal=journal,
                    venues={ACCOUNT: venue},
                    limits=OpenHanded(),
                    judge=judge,
                    clock=self.clock,
                    entropy=self.entropy,
                    pace=PACE,
                )
                engine.start()
        except Killed:
            return None
        return Desk(process, engine, journal)

    def _at(self, point: str, process: Process) -> None:
        if not point.endswith("expire_due"):
            self.last_event_s = self.loop.time()
        if point == "after decide":
            self.something_to_decide.set()
        if point == "before claim":
            self._before_claim()
        if process.name.startswith("main") and self.planned_crashes and self.planned_crashes[0] == point:
            self.planned_crashes.pop(0)
            self.crash(process)
            raise Killed(point)

    def _before_claim(self) -> None:
        if self.copy is None and self.scenario.others in COPIED:
            self.copy = self.shelf.copied("main")
        if self.scenario.halt is Halt.AT_CLAIM and not self.is_halted_by_hand and self.desk is not None:
            # Somebody else's transaction, committed between the re-check and the claim.
            self.is_halted_by_hand = True
            self.desk.journal.real.halt(ACCOUNT, by="operator", reason="a halt")

    def crash(self, process: Process) -> None:
        """The process dies here; a new one is started a little later."""
        process.kill()
        self.crashes += 1

        def again() -> None:
            self.desk = self.boot(self.journal_name, name="main")
            if self.desk is None:
                self.loop.call_later(RESTART_S, again, context=WORLD)
            self.something_to_decide.set()

        self.loop.call_later(RESTART_S, again, context=WORLD)

    # The model.

    async def ask(
        self,
        desk: Callable[[], Desk | None],
        *,
        wish: AnyWish,
        proposal: str,
        distinct_from: str | None = None,
    ) -> Proposed | None:
        """One request of the model through its client; None where no answer came."""
        request = Ask(
            proposal_id=proposal,
            client="assistant",
            account=ACCOUNT,
            request=wish,
            request_digest=hashlib.sha256(repr(wish).encode()).hexdigest(),
            distinct_from=distinct_from,
        )
        for _ in range(8):
            try:
                return await self._in(desk(), lambda d: d.engine.propose(request))
            except ExchangeMcpError as error:
                if error.retry == "never":
                    return None
                await asyncio.sleep(15.0)
        return None

    async def _in(self, desk: Desk | None, call: Callable[[Desk], Awaitable[Any]]) -> Any:  # noqa: ANN401 - whatever is asked
        """A call that the desk's process serves; None where that dies first, as it does to a connection."""
        if desk is None or desk.process.is_dead:
            await asyncio.sleep(1.0)
            return None

        async def served() -> Any:  # noqa: ANN401 - as above
            return await call(desk)

        with desk.process.running():
            task = asyncio.get_running_loop().create_task(served())
        while not task.done():
            if desk.process.is_dead:
                return None
            await asyncio.wait([task], timeout=1.0)
        try:
            return task.result()
        except Killed:
            return None

    def wish(self, *, is_moved: bool = False) -> AnyWish:
        """What the model wants; at another price it is a moved one, and a market order has another amount then."""
        match self.scenario.kind:
            case Kind.LIMIT:
                return Wish(price=Decimal(60_010) if is_moved else Decimal(60_000))
            case Kind.MARKET:
                return Wish(OrderType.MARKET, None, Decimal("0.011") if is_moved else Decimal("0.01"))
            case Kind.CANCEL:
                return CancelWish(TARGET)
            case Kind.LEVERAGE:
                return LeverageWish(6 if is_moved else 5)

    async def model(self) -> None:
        """Everything the model does."""
        s, gap = self.scenario, GAP_S
        if s.others in {Others.CLONE, Others.RESTORED, Others.OTHER_DESK}:
            gap = LONG_GAP_S
        elif s.others is Others.RESTORED_LATER:
            gap = LATER_GAP_S
        main, later = (lambda: self.desk), (lambda: self.second or self.desk)
        same, moved = self.wish(), self.wish(is_moved=True)
        match s.asks:
            case Asks.ONCE:
                await self.ask(main, wish=same, proposal="1")
            case Asks.PROPOSAL_LOST:
                await asyncio.sleep(gap)
                await self.ask(main, wish=same, proposal="2")
            case Asks.REPEATED:
                first = asyncio.ensure_future(self.ask(main, wish=same, proposal="1"))
                await self.ask(main, wish=same, proposal="1")
                await first
                await asyncio.sleep(gap)
                await self.ask(later, wish=same, proposal="1")
            case Asks.OVERTAKEN:
                await self.ask(main, wish=same, proposal="2")
                await asyncio.sleep(gap)
                await self.ask(later, wish=same, proposal="1")
            case Asks.SECOND:
                await self._ask_for_two(same)
            case _:
                answer = await self.ask(main, wish=same, proposal="1")
                if s.asks in {Asks.ANSWER_LOST, Asks.ANSWER_LOST_MOVED} and isinstance(
                    answer, Taken | Repeated
                ):
                    # The client hears of it and reads on; the model does not.
                    await asyncio.sleep(15.0)
                    await self._in(self.desk, lambda desk: _read(desk, answer.intent.id))
                await asyncio.sleep(600.0 if s.asks is Asks.MUCH_LATER else gap)
                if s.asks is Asks.BOTH:
                    await self.ask(later, wish=same, proposal="2")
                    await asyncio.sleep(gap)
                is_moved = s.asks in {Asks.MOVED, Asks.BOTH, Asks.ANSWER_LOST_MOVED}
                await self.ask(later, wish=moved if is_moved else same, proposal="3")

    async def _ask_for_two(self, wish: AnyWish) -> None:
        first = await self.ask(lambda: self.desk, wish=wish, proposal="1")
        if first is None or isinstance(first, IsRefused):
            return
        await asyncio.sleep(GAP_S)
        intent = await self._in(self.desk, lambda desk: _read(desk, first.intent.id))
        if intent is not None and intent.state in {State.PLACED, State.CANCELED, State.SET}:
            self.wanted = 2
            await self.ask(lambda: self.desk, wish=wish, proposal="2", distinct_from=first.intent.id)

    # People.

    async def approver(self) -> None:
        """A person who approves whatever is asked, two seconds later."""
        while True:
            await self.something_to_decide.wait()
            self.something_to_decide.clear()
            await asyncio.sleep(2.0)
            for desk in (self.desk, self.second):
                if desk is None or desk.process.is_dead:
                    continue
                try:
                    await self._in(desk, self._approve_all)
                except ExchangeMcpError:
                    continue

    async def _approve_all(self, desk: Desk) -> None:
        for intent in desk.journal.in_states(State.PROPOSED):
            desk.engine.approve(intent.id, self._grant(intent))

    def _grant(self, intent: Intent) -> Grant:
        return Grant(
            nonce=self.entropy.token(8).hex(),
            plan_digest=intent.plan_digest,
            preview_digest=intent.preview_digest,
            policy_digest=OpenHanded.digest,
            expires_ms=self.clock.now_ms() + 120_000,
            approvers=("anna",),
            record="signed",
        )

    # Others.

    async def others(self) -> None:
        """What other hands on the key do, a second after the first order was sent."""
        s = self.scenario
        if s.others in COPIED:
            await _until(lambda: self.copy is not None)
        match s.others:
            case Others.CLONE:
                self.second = self.boot(self.copy or "", name="second")
            case Others.OTHER_DESK:
                self.second = self.boot(OTHER, name="second")
            case Others.RESTORED | Others.RESTORED_LATER:
                await asyncio.sleep(RESTORED_AFTER_S[s.others])
                await _until(lambda: self.desk is not None and not self.desk.process.is_dead)
                self.journal_name = self.copy or ""
                if self.desk is not None:
                    self.crash(self.desk.process)
            case Others.BY_HAND:
                await _until(lambda: self.world.sends > 0)
                order = {"symbol": "BTCUSDT", "newClientOrderId": "web_1"}
                self.world.add(order, is_open=True, is_by_hand=True)
                self.last_event_s = self.loop.time()
            case Others.NONE:
                pass

    async def tell(self) -> None:
        """The whole history, until nothing can come any more."""
        self.desk = self.boot(self.journal_name, name="main")
        people = asyncio.ensure_future(self.approver())
        strangers = asyncio.ensure_future(self.others())
        await self.model()
        await self._quiet()
        self.is_over = True
        people.cancel()
        strangers.cancel()
        for desk in (self.desk, self.second):
            if desk is not None:
                await self._in(desk, lambda d: d.engine.stop())

    def faults(self) -> list[str]:
        """What failed in the desk itself: tasks, and reasons why it takes no more writes for good."""
        refused = [] if self.desk is None else [self.desk.engine.closed(ACCOUNT)]
        tasks = [repr(fault) for fault in self.loop.faults if not _is_killed(fault)]
        return [*tasks, *(reason for reason in refused if reason is not None and "restarted" in reason)]

    async def _quiet(self) -> None:
        """Wait until the last thing that can happen has been seen by the desk, or a long time has gone by."""
        s = self.scenario
        if s.fate is Fate.LATE and s.late == "hours":
            await asyncio.sleep(120.0)
            # The machine sleeps for hours, as laptops do.
            self.loop.jump(LATE_S["hours"])
        for _ in range(60):
            await asyncio.sleep(45.0)
            if self.loop.time() - self.last_event_s < 45.0:
                continue
            # A request that is late by minutes is still to come; after a long outage, the desk looks again.
            pending = LATE_S["minutes"] + 120.0 if s.fate is Fate.LATE and s.late == "minutes" else 0.0
            if s.lookups is Lookups.LONG_OUTAGE and self.world.troubled_from_s is not None:
                seen_after_s = 420.0 if self._is_final() else 1200.0
                pending = max(pending, self.world.troubled_from_s + seen_after_s)
            if self.loop.time() > pending and self._is_settled():
                return

    def _is_settled(self) -> bool:
        desk = self.desk
        if desk is None or desk.process.is_dead:
            return False
        return all(is_waiting(desk.journal.real, intent) for intent in desk.journal.live())

    def _is_final(self) -> bool:
        return self.desk is not None and not self.desk.process.is_dead and not self.desk.journal.live()


async def _until(holds: Callable[[], bool]) -> None:
    while True:
        if holds():
            return
        await asyncio.sleep(1.0)


async def _read(desk: Desk, intent_id: str) -> Intent:
    return desk.engine.read(intent_id)


def is_waiting(journal: Journal, intent: Intent) -> bool:
    """Whether it is unknown and a person was asked to decide."""
    return intent.state is State.UNKNOWN and any(
        event.kind == "needs_person" for event in journal.events_of(intent.id)
    )


def _is_killed(fault: dict[str, Any]) -> bool:
    return isinstance(fault.get("exception"), Killed) or "destroyed" in str(fault.get("message"))
