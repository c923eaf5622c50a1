"""A desk in virtual time: the engine, the real journal in memory, and a model venue, for one short story."""

import asyncio
import hashlib
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from exchange_mcp.desk.engine import Ask, Engine
from exchange_mcp.desk.pace import Pace
from exchange_mcp.desk.ports import Limits
from exchange_mcp.desk.records import Grant, Intent, Signed, Taken
from exchange_mcp.venue.verdict import judge
from simulation.port import ACCOUNT, CancelWish, LeverageWish, ModelVenue, Wish
from simulation.shelf import Shelf
from simulation.story import OpenHanded
from simulation.virtual import Process, SeededEntropy, VirtualClock, VirtualLoop
from simulation.world import Habits, World

_PATIENCE, _FINE = 40_000, 1_000
PACE = Pace(tick=10.0)
BY_ANNA = Signed(approver="anna", nonce="signature", record="signed")


@dataclass(eq=False)
class Running:
    """One desk and its world; `venue` is the port that the engine has."""

    habits: Habits = field(default_factory=Habits)
    pace: Pace = PACE
    venue_type: type[ModelVenue] = ModelVenue
    limits: Limits = field(default_factory=OpenHanded)

    def __post_init__(self) -> None:
        self.loop = VirtualLoop()
        self.world = World(self.loop, self.habits)
        target = self.world.add(
            {"symbol": "BTCUSDT", "newClientOrderId": "web_0"}, is_open=True, is_by_hand=True
        )
        target.arrived_s = target.visible_s = -3600.0
        self.clock = VirtualClock(self.loop)
        self.entropy = SeededEntropy("test")
        self.shelf = Shelf()
        self.boot()

    def boot(self, name: str = "main") -> None:
        """Open the journal and make an engine over it; whatever ran before is gone."""
        self.process = Process("desk")
        self.journal = self.shelf.open(name, self.clock)
        self.venue = self.venue_type(self.world, self.process)
        with self.process.running():
            self.engine = Engine(
                journal=self.journal,
                venues={ACCOUNT: self.venue},
                limits=self.limits,
                judge=judge,
                clock=self.clock,
                entropy=self.entropy,
                pace=self.pace,
            )

    def tell(self, story: Callable[["Running"], Coroutine[Any, Any, None]]) -> None:
        """Start the desk, wait until it takes writes, and tell the story."""

        async def told() -> None:
            self.start()
            await until(lambda: self.engine.closed(ACCOUNT) is None)
            await story(self)

        try:
            self.loop.run_history(told())
        finally:
            self.shelf.close()

    def start(self) -> None:
        """Start the engine that was made."""
        with self.process.running():
            self.engine.start()

    def ask(
        self,
        wish: Wish | CancelWish | LeverageWish | None = None,
        *,
        proposal: str = "1",
        client: str = "assistant",
        distinct_from: str | None = None,
    ) -> Ask:
        """A client's request."""
        wish = wish or Wish()
        return Ask(
            proposal_id=proposal,
            client=client,
            account=ACCOUNT,
            request=wish,
            request_digest=hashlib.sha256(repr(wish).encode()).hexdigest(),
            distinct_from=distinct_from,
        )

    async def proposed(
        self, wish: Wish | CancelWish | LeverageWish | None = None, *, proposal: str = "1"
    ) -> Intent:
        """A new intent that waits for a decision."""
        taken = await self.engine.propose(self.ask(wish, proposal=proposal))
        assert isinstance(taken, Taken)
        return taken.intent

    def grant(self, intent: Intent, nonce: str | None = None) -> Grant:
        """A verified approval of an intent as it stands."""
        return Grant(
            nonce=nonce or f"grant of {intent.id}",
            plan_digest=intent.plan_digest,
            preview_digest=intent.preview_digest,
            policy_digest=OpenHanded.digest,
            expires_ms=self.clock.now_ms() + 120_000,
            approvers=("anna",),
            record="signed",
        )

    async def approved(
        self, wish: Wish | CancelWish | LeverageWish | None = None, *, proposal: str = "1"
    ) -> Intent:
        """An intent that was proposed and approved, and is on its way."""
        intent = await self.proposed(wish, proposal=proposal)
        return self.engine.approve(intent.id, self.grant(intent))

    def orders(self) -> int:
        """How many orders of ours the venue has."""
        return sum(not order.is_by_hand for order in self.world.orders)


async def until(holds: Callable[[], bool]) -> None:
    """Wait until it holds, for half a virtual day at most."""
    for number in range(_PATIENCE):
        if holds():
            return
        # Finely at first, when things happen; then a second at a time.
        await asyncio.sleep(0.1 if number < _FINE else 1.0)
    raise AssertionError("it never came")
