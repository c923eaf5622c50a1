"""One account at the desk: its venue, its turn, and whether its writes are accepted at the moment."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from exchange_mcp.desk.journal import Journal
from exchange_mcp.desk.pace import Pace
from exchange_mcp.desk.ports import DeskVenue, Judge, Limits
from exchange_mcp.desk.records import Intent
from exchange_mcp.desk.tasks import OwnedTasks
from exchange_mcp.model.accounts import AccountName
from exchange_mcp.model.ports import Clock


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment by both clocks of the machine: one stands still while it sleeps, the other may be set."""

    monotonic: float
    wall_ms: int

    @classmethod
    def now(cls, clock: Clock) -> "Moment":
        """This moment."""
        return cls(clock.monotonic(), clock.now_ms())

    def age(self, clock: Clock) -> float:
        """Seconds since then, by the clock that says more; one that was set back says so much as well."""
        return max(clock.monotonic() - self.monotonic, abs(clock.now_ms() - self.wall_ms) / 1000)


@dataclass(slots=True, eq=False, kw_only=True)
class Station:
    """Everything that the engine holds for one account.

    Attributes:
        turn: held by the one write that is being dispatched.
        closed: why no write of this account is accepted; None where it is.
        swept_at: when the last whole look at everything on the key began.
        moved: to be called with every intent that came into another state.
    """

    account: AccountName
    venue: DeskVenue
    journal: Journal
    limits: Limits
    judge: Judge
    clock: Clock
    pace: Pace
    tasks: OwnedTasks
    moved: Callable[[Intent], None]
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    closed: str | None = "What the last run left has not been looked at yet."
    swept_at: Moment | None = None

    def is_watched(self) -> bool:
        """Whether everything on the key was seen a short while ago."""
        return self.swept_at is not None and self.swept_at.age(self.clock) <= self.pace.sweep_age
