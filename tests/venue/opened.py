"""Venues as the server opens them, with a clock that tests move and a sleep that takes no time."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread

from exchange_mcp.model.accounts import Account, AccountName, Environment, MarketType
from exchange_mcp.model.callers import Caller, Scope
from exchange_mcp.model.ports import ReadVenue
from exchange_mcp.sim import SimulatedExchange
from exchange_mcp.tools.handed import ReadHanded
from exchange_mcp.venue.keys import KeyCare
from exchange_mcp.venue.opening import KeyMaterial, Opening, OpenVenues
from exchange_mcp.venue.wire import Loopback

SPOT, LINEAR, INVERSE = MarketType.SPOT, MarketType.LINEAR, MarketType.INVERSE

NOON_MS = 1_767_268_800_000
"""2026-01-01T12:00:00Z."""


_LONGEST_BACKOFF = 2.0


@dataclass
class MovedClock:
    """A clock that stands still until it is moved."""

    now: int = NOON_MS

    def now_ms(self) -> int:
        return self.now

    def monotonic(self) -> float:
        return self.now / 1000


@dataclass
class Naps:
    """A sleep that takes no time and remembers how long it was asked to take."""

    seconds: list[float] = field(default_factory=list[float])

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        await anyio.lowlevel.checkpoint()


async def patient(seconds: float) -> None:
    """A sleep that skips the wait between two attempts of one question, and keeps the one between two questions."""
    await anyio.sleep(0 if seconds <= _LONGEST_BACKOFF else seconds)


def simulated(
    sim: SimulatedExchange,
    name: str = "main",
    *,
    key: str | None = "reader",
    types: tuple[MarketType, ...] = (SPOT, LINEAR),
    environment: Environment = Environment.SIM,
    instance: str = "1-1",
) -> Opening:
    """One Binance account whose hosts are routed to the simulated exchange."""
    account = Account(AccountName(name), "binance", environment, types, has_key=key is not None)
    held = None if key is None else sim.keys[key]
    return Opening(
        account=account,
        key=None
        if held is None
        else KeyMaterial(held.label, {"apiKey": held.api_key, "secret": held.secret}),
        loopback=Loopback(sim.port, sim.ca_pem),
        instance=instance,
        rate_limit=False,
    )


@asynccontextmanager
async def opened(
    *openings: Opening,
    cache: Path,
    clock: MovedClock | None = None,
    sleep: Callable[[float], Awaitable[None]] | None = None,
) -> AsyncGenerator[OpenVenues]:
    """The venues of these accounts, owned and closed as the server does."""
    care = KeyCare(sleep=patient)
    venues = OpenVenues(openings, cache, clock or MovedClock(), sleep=sleep or Naps(), care=care)
    owner = asyncio.create_task(venues.run())
    try:
        # Keys are checked before anything is read; a test's faults are for what comes after.
        with anyio.move_on_after(10):
            for venue in venues.venues.values():
                for source in venue.key_scope().reads:
                    await source.read()
        yield venues
    finally:
        owner.cancel()
        with suppress(asyncio.CancelledError):
            await owner
        await venues.close()


CALLER = Caller("test", frozenset({Scope.READ}))


def handed(venues: OpenVenues, seconds: float = 5) -> ReadHanded:
    """What a tool of effect read is handed, with so many seconds to ask."""
    clock = MovedClock()
    deadline = clock.monotonic() + seconds
    return ReadHanded(venues=venues.venues, clock=clock, deadline=deadline, caller=CALLER)


async def settled() -> None:
    """Let every task and worker thread that can get on do so.

    anyio's own `wait_all_tasks_blocked` may never return beside a server whose idle loop ticks as it does.
    """
    for _ in range(20):
        await anyio.to_thread.run_sync(int)


def client_of(venue: ReadVenue) -> Any:  # noqa: ANN401 - ccxt is untyped
    """The ccxt client under a venue, for what no port shows."""
    inner: object = vars(venue)["_venue"]
    client: Any = vars(inner)["_client"]
    return client
