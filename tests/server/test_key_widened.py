"""A key that gets wider while the server runs, through a real client; the five minutes are a clock that is moved."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest
from mcp.client import Client

from exchange_mcp.model.accounts import Account, AccountName, Environment, MarketType
from exchange_mcp.model.callers import Caller, Scope
from exchange_mcp.model.ports import ReadVenue
from exchange_mcp.server.build import build
from exchange_mcp.server.calls import Calls, Limits
from exchange_mcp.sim import SimulatedExchange
from exchange_mcp.tools.registry import without_desk
from exchange_mcp.venue.key_watch import Pace
from exchange_mcp.venue.keys import KeyCare
from exchange_mcp.venue.opening import KeyMaterial, Opening, OpenVenues
from exchange_mcp.venue.wire import Loopback
from serving import asked, refused

pytestmark = pytest.mark.anyio

KEY_CHECK = "/sapi/v1/account/apiRestrictions"


@dataclass
class Time:
    """A clock, and a sleep that ends when the clock has been moved far enough."""

    seconds: float = 0.0
    moved: anyio.Event = field(default_factory=anyio.Event)

    def now_ms(self) -> int:
        return 1_767_268_800_000 + int(self.seconds * 1000)  # from 2026-01-01T12:00:00Z

    def monotonic(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        until = self.seconds + seconds
        while self.seconds < until:
            await self.moved.wait()

    def pass_by(self, seconds: float) -> None:
        self.seconds += seconds
        self.moved.set()
        self.moved = anyio.Event()


@dataclass
class Ready:
    """Venues that are open already."""

    opened: OpenVenues

    async def ready(self) -> Mapping[str, ReadVenue]:
        return self.opened.venues


@dataclass
class Scene:
    """A client of a server over two accounts of a simulated exchange."""

    client: Client
    sim: SimulatedExchange
    time: Time

    def checks(self) -> int:
        return sum(entry.path == KEY_CHECK for entry in self.sim.control.requests())

    async def later(self, seconds: float) -> None:
        """Time passes in steps, as it does; then the checks that are due have been made."""
        before = self.checks()
        for _ in range(int(seconds)):
            self.time.pass_by(1)
            await anyio.lowlevel.checkpoint()
        with anyio.fail_after(10):
            while self.checks() < before + 2:
                await anyio.lowlevel.checkpoint()
            # The answer to a question that was received has been judged once another one was answered.
            await asked(self.client, "get_key_scope", account="other")


def account(sim: SimulatedExchange, name: str, label: str) -> Opening:
    key = sim.keys[label]
    return Opening(
        account=Account(AccountName(name), "binance", Environment.SIM, (MarketType.SPOT,), has_key=True),
        key=KeyMaterial(label, {"apiKey": key.api_key, "secret": key.secret}),
        loopback=Loopback(sim.port, sim.ca_pem),
        instance="1",
        rate_limit=False,
    )


@asynccontextmanager
async def scene(cache: Path) -> AsyncGenerator[Scene]:
    time = Time()
    async with SimulatedExchange(seed=1).serving() as sim:
        openings = [account(sim, "main", "reader"), account(sim, "other", "reader-alt")]
        care = KeyCare(Pace(), jitter=lambda: 1.0, sleep=time.sleep)
        opened = OpenVenues(openings, cache, time, care=care)
        registry = without_desk()
        calls = Calls(registry, [each.account for each in openings], Ready(opened), time, Limits(20, 16, 64))
        server = build(registry, calls, lambda _: Caller("tests", frozenset(Scope)))
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(opened.run)
                async with Client(server) as client:
                    yield Scene(client, sim, time)
                group.cancel_scope.cancel()
        finally:
            await opened.close()


async def test_a_key_that_is_widened_stops_its_account_at_the_next_check_and_no_other(tmp_path: Path) -> None:
    async with scene(tmp_path) as now:
        await asked(now.client, "get_balance", account="main")
        now.sim.control.permit("reader", "withdraw")
        await now.later(301)
        error = await refused(now.client, "get_balance", account="main")
        assert error["code"] == "KEY_REFUSED"
        assert "account main: serve does not run on a key that can trade" in error["message"]
        assert "a key that can withdraw" in error["message"]
        assert '"Enable Withdrawals"' in error["hint"]
        (report,) = (await asked(now.client, "get_key_scope", account="main"))["keys"]
        assert (report["withdraw"], report["accepted"]) == ("granted", False)
        await asked(now.client, "get_balance", account="other")


async def test_nothing_is_asked_for_an_account_that_is_stopped_and_a_narrowed_key_is_read_again(
    tmp_path: Path,
) -> None:
    async with scene(tmp_path) as now:
        now.sim.control.permit("reader", "trade")
        await now.later(301)
        now.sim.control.clear_requests()
        await refused(now.client, "get_balance", account="main")
        assert now.sim.control.requests() == []
        now.sim.control.permit("reader", "read")
        await now.later(301)
        assert (await asked(now.client, "get_balance", account="main"))["balances"]
