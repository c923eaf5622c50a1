"""The watch over a key: when it asks, and what it lets through; time is a clock that the test moves."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import anyio
import anyio.lowlevel
import pytest

from exchange_mcp.model.accounts import Environment
from exchange_mcp.model.errors import (
    AuthenticationFailedError,
    ErrorCode,
    ExchangeMcpError,
    KeyRefusedError,
    KeyUnconfirmedError,
    VenueUnreachableError,
)
from exchange_mcp.model.scopes import KeyScope, KeyVerdict, Permission, Role
from exchange_mcp.rules.key_verdicts import judge
from exchange_mcp.venue.key_watch import KeyWatch, Pace

from .opened import MovedClock

pytestmark = pytest.mark.anyio

PACE = Pace(every=300, grace=900, retry=15, least=3)


def scope(trade: Permission = Permission.DENIED, read: Permission = Permission.GRANTED) -> KeyScope:
    denied = Permission.DENIED
    return KeyScope(
        venue="binance", read=read, trade=trade, withdraw=denied, transfer=denied, ip_restricted=True
    )


@dataclass
class Venue:
    """Answers the question as it is told to, and counts how often it was put."""

    answer: KeyScope | ExchangeMcpError = field(default_factory=scope)
    asked: int = 0
    gate: anyio.Event | None = None

    async def ask(self) -> KeyScope:
        self.asked += 1
        if self.gate is not None:
            await self.gate.wait()
        if isinstance(self.answer, ExchangeMcpError):
            raise self.answer
        return self.answer


@dataclass
class Sleeper:
    """Sleeps until the test lets so many seconds pass."""

    now: float = 0.0
    woken: anyio.Event = field(default_factory=anyio.Event)

    async def sleep(self, seconds: float) -> None:
        until = self.now + seconds
        while self.now < until:
            await self.woken.wait()

    async def pass_by(self, seconds: float) -> None:
        self.now += seconds
        self.woken.set()
        self.woken = anyio.Event()
        await rest()


async def rest() -> None:
    for _ in range(8):
        await anyio.lowlevel.checkpoint()


@dataclass
class Scene:
    """A watch under way."""

    watch: KeyWatch
    venue: Venue
    clock: MovedClock
    sleeper: Sleeper

    async def later(self, seconds: float) -> None:
        for _ in range(int(seconds)):
            self.clock.now += 1000
            await self.sleeper.pass_by(1)


@asynccontextmanager
async def watched(
    venue: Venue, environment: Environment = Environment.LIVE, accepted_unknown: str | None = None
) -> AsyncGenerator[Scene]:
    clock, sleeper = MovedClock(), Sleeper()

    def verdict(told: KeyScope) -> KeyVerdict:
        return judge(
            told,
            role=Role.SERVE,
            environment=environment,
            now_ms=clock.now,
            accepted_unknown=accepted_unknown,
        )

    watch = KeyWatch(
        "main",
        ask=venue.ask,
        judge=verdict,
        unanswered=lambda reason: KeyScope.unknown("binance", reason),
        clock=clock,
        pace=PACE,
        jitter=lambda: 1.0,
        sleep=sleeper.sleep,
    )
    owner = asyncio.create_task(watch.own())
    try:
        await rest()
        yield Scene(watch, venue, clock, sleeper)
    finally:
        owner.cancel()
        with suppress(asyncio.CancelledError):
            await owner


async def refusal(permit: Callable[[], Awaitable[None]]) -> ExchangeMcpError:
    with pytest.raises(ExchangeMcpError) as raised:
        await permit()
    return raised.value


async def test_a_read_waits_for_the_first_check_and_then_goes_on() -> None:
    venue = Venue(gate=anyio.Event())
    async with watched(venue) as scene:
        with anyio.move_on_after(0.01) as waiting:
            await scene.watch.permit()
        assert waiting.cancelled_caught
        assert venue.gate is not None
        venue.gate.set()
        await scene.watch.permit()
        assert venue.asked == 1


async def test_it_asks_every_five_minutes_and_not_more() -> None:
    async with watched(Venue()) as scene:
        await scene.later(299)
        assert scene.venue.asked == 1
        await scene.later(2)
        assert scene.venue.asked == 2
        await scene.later(301)
        assert scene.venue.asked == 3


async def test_a_key_that_got_wider_stops_its_account_at_the_next_check_with_the_permission_and_the_remedy() -> (
    None
):
    async with watched(Venue()) as scene:
        await scene.watch.permit()
        scene.venue.answer = scope(trade=Permission.GRANTED)
        await scene.later(301)
        error = await refusal(scene.watch.permit)
        assert isinstance(error, KeyRefusedError)
        assert error.code is ErrorCode.KEY_REFUSED
        assert "trade" in error.message
        assert "main" in error.message
        assert error.next_step


async def test_a_key_that_was_narrowed_again_is_read_again() -> None:
    async with watched(Venue(scope(trade=Permission.GRANTED))) as scene:
        await refusal(scene.watch.permit)
        scene.venue.answer = scope()
        await scene.later(301)
        await scene.watch.permit()


async def test_a_venue_that_refuses_the_question_stops_the_account_at_once_whatever_it_told_before() -> None:
    async with watched(Venue()) as scene:
        await scene.watch.permit()
        scene.venue.answer = AuthenticationFailedError("binance says: Invalid API-key. (code -2015)")
        await scene.later(301)
        error = await refusal(scene.watch.permit)
        assert isinstance(error, KeyRefusedError)
        assert "-2015" in error.message
        known = await scene.watch.known()
        assert not known.verdict.accepted


async def test_a_venue_that_says_nothing_leaves_a_verified_key_in_use_for_the_grace_period_and_no_longer() -> (
    None
):
    async with watched(Venue()) as scene:
        scene.venue.answer = VenueUnreachableError("binance could not be reached")
        await scene.later(301)
        await scene.watch.permit()
        for _ in range(38):  # 38 times 16 seconds: 301 + 608 = 909 seconds, past the grace of 900
            await scene.later(16)
        error = await refusal(scene.watch.permit)
        assert isinstance(error, KeyUnconfirmedError)
        assert error.retry == "safe"
        assert "15 minutes ago" in error.message
        scene.venue.answer = scope()
        await scene.later(16)
        await scene.watch.permit()


async def test_a_silent_venue_is_asked_again_sooner() -> None:
    async with watched(Venue(VenueUnreachableError("gone"))) as scene:
        await scene.later(16)
        assert scene.venue.asked == 2


async def test_a_live_key_whose_venue_never_answered_is_refused_and_a_simulated_one_is_not() -> None:
    silent = VenueUnreachableError("binance could not be reached")
    async with watched(Venue(silent)) as scene:
        error = await refusal(scene.watch.permit)
        assert "could not be reached" in str((await scene.watch.known()).scope.reasons)
        assert isinstance(error, KeyRefusedError)
    async with watched(Venue(silent), environment=Environment.SIM) as scene:
        await scene.watch.permit()
        (warning,) = (await scene.watch.known()).verdict.warnings
        assert warning.startswith("not real money, not verifiable")


async def test_a_live_key_that_is_not_verifiable_is_used_where_its_operator_accepted_it_with_a_reason() -> (
    None
):
    unknown = KeyScope.unknown("binance", "it does not tell")
    async with watched(Venue(unknown)) as scene:
        await refusal(scene.watch.permit)
    async with watched(Venue(unknown), accepted_unknown="a new sub-account with dust") as scene:
        await scene.watch.permit()
        known = await scene.watch.known()
        assert any("a new sub-account with dust" in warning for warning in known.verdict.warnings)
        assert not known.verdict.verified


async def test_a_doubt_asks_at_once_but_leaves_the_venue_alone_for_a_moment() -> None:
    async with watched(Venue()) as scene:
        for _ in range(50):
            scene.watch.doubt()
            await rest()
        assert scene.venue.asked == 1
        await scene.later(4)
        assert scene.venue.asked == 2


async def test_a_fault_of_ours_does_not_end_the_watch() -> None:
    async with watched(Venue()) as scene:

        async def breaks() -> KeyScope:
            raise RuntimeError("SECRET")

        vars(scene.watch)["_ask"] = breaks
        await scene.later(301)
        await scene.watch.permit()
        vars(scene.watch)["_ask"] = scene.venue.ask
        await scene.later(16)
        assert scene.venue.asked == 2
