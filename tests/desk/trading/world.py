"""A desk over the simulated exchange: the real trading venue, the real journal, the engine, and one clock for all."""

import asyncio
import copy
import hashlib
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl

from desk.memory_disk import MemoryDisk
from desk.virtual import SeededEntropy
from exchange_mcp.desk.engine import Ask, Engine
from exchange_mcp.desk.journal import Journal
from exchange_mcp.desk.pace import Pace
from exchange_mcp.desk.records import Grant, Intent, Taken
from exchange_mcp.desk.trading.limits import PolicyLimits
from exchange_mcp.desk.trading.opening import desk_venues
from exchange_mcp.desk.trading.venue import TradingDeskVenue
from exchange_mcp.model.accounts import AccountName, MarketType
from exchange_mcp.orders.requests import CancelRequest, LeverageRequest, OrderRequest
from exchange_mcp.policy.loading import judge_policy
from exchange_mcp.policy.policy import Policy
from exchange_mcp.sim import SimulatedExchange
from exchange_mcp.venue.trading.opening import OpenTrading
from exchange_mcp.venue.verdict import judge
from venue.opened import NOON_MS, Naps, simulated

MAIN: Final = AccountName("main")
SPOT, PERPETUAL = "BTC/USDT", "BTC/USDT:USDT"
Request = OrderRequest | CancelRequest | LeverageRequest
Venues = dict[AccountName, TradingDeskVenue]

TABLE: Final[dict[str, Any]] = {
    "reference": "USDT",
    "accounts": ["main", "alt"],
    "symbols": ["BTC/USDT", "ETH/USDT", "BTC/USDT:USDT", "ETH/USDT:USDT"],
    "order_types": ["limit", "market"],
    "max_order_notional": 1_000_000,
    "max_daily_notional": 5_000_000,
    "max_price_distance_percent": 50,
    "max_open_orders": 100,
    "max_orders_per_minute": 100,
    "max_leverage": 20,
    "max_daily_loss": 100_000,
    "leverage_change_with_position": True,
}
DAY_MS: Final = 86_400_000


def policy(**changed: object) -> Policy:
    """A policy that leaves room for what is tried here, with some keys changed."""
    outcome = judge_policy(
        {key: value for key, value in (TABLE | changed).items() if value is not None}, configured=None
    )
    assert isinstance(outcome, Policy), outcome
    return outcome


@dataclass
class OneClock:
    """The time of the venue and of the desk; it stands until it is moved."""

    ms: int = NOON_MS

    def now_ms(self) -> int:
        return self.ms

    def monotonic(self) -> float:
        return self.ms / 1000


@dataclass(eq=False)
class World:
    """One simulated exchange, kept for many tests: each finds the accounts as they were seeded."""

    sim: SimulatedExchange
    clock: OneClock
    cache: Path
    _seeded: Mapping[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        self._seeded = copy.deepcopy(self.sim.exchange.accounts)

    def reset(self) -> None:
        """Put every account, key and fault back."""
        self.sim.control.clear_faults()
        self.sim.control.clear_requests()
        self.sim.control.permit("trader", "trade")
        accounts: dict[str, Any] = copy.deepcopy(dict(self._seeded))
        for name, account in accounts.items():
            account.settled_ms = self.clock.ms
            self.sim.exchange.accounts[name] = account

    @property
    def account(self) -> Any:  # noqa: ANN401 - the simulator's own record, which a test changes by hand
        """The account of the key `trader`, as its owner could change it by hand."""
        return self.sim.exchange.accounts["main"]

    def last(self, symbol: str, at_ms: int | None = None) -> Decimal:
        """The last price of a market, at this moment unless another one is named."""
        name, exchange = symbol.split(":", maxsplit=1)[0].replace("/", ""), self.sim.exchange
        tape = exchange.contract(name).tape if ":" in symbol else exchange.spot(name).tape
        return tape.last(self.clock.ms if at_ms is None else at_ms) * tape.instrument.tick

    def fails(self, path: str, code: int = -1003) -> None:
        """Let this path answer with an error from now on."""
        body = f'{{"code":{code},"msg":"Not now."}}'
        self.sim.control.add_fault({"kind": "status", "status": 400, "path": path, "body": body})

    def writes(self) -> list[dict[str, str]]:
        """What the venue was asked to change: every field that it received, with the verb and the path."""
        return [
            {
                "verb": entry.method,
                "path": entry.path,
                **dict(parse_qsl(entry.query)),
                **dict(parse_qsl(entry.body)),
            }
            for entry in self.sim.control.requests()
            if entry.is_write
        ]

    def paths(self) -> list[str]:
        """What it was asked, in the order in which it came."""
        return [entry.path for entry in self.sim.control.requests()]


@asynccontextmanager
async def trading(
    world: World,
    limits: PolicyLimits,
    *,
    types: tuple[MarketType, ...] = (MarketType.SPOT, MarketType.LINEAR),
    labels: Mapping[str, str] | None = None,
) -> AsyncGenerator[Venues]:
    """The desk's venues of these accounts, by the label of each one's key; opened as the desk opens them."""
    wanted = labels or {"main": "trader"}
    openings = [simulated(world.sim, name, key=label, types=types) for name, label in wanted.items()]
    opened = OpenTrading(openings, world.cache, world.clock, sleep=Naps())
    owner = asyncio.create_task(opened.run())
    try:
        assert not opened.closed
        yield desk_venues(opened.trading.values(), limits, world.clock)
    finally:
        owner.cancel()
        with suppress(asyncio.CancelledError):
            await owner
        await opened.close()


@dataclass(eq=False)
class Desk:
    """One desk over one account."""

    world: World
    engine: Engine
    journal: Journal
    limits: PolicyLimits
    venue: TradingDeskVenue

    async def proposed(
        self, request: Request, proposal: str = "1", *, distinct_from: str | None = None
    ) -> Intent:
        """A new intent, decided by the limits."""
        digest = hashlib.sha256(request.model_dump_json().encode()).hexdigest()
        ask = Ask(
            proposal_id=proposal,
            client="assistant",
            account=MAIN,
            request=request,
            request_digest=digest,
            distinct_from=distinct_from,
        )
        taken = await self.engine.propose(ask)
        assert isinstance(taken, Taken), taken
        return taken.intent

    async def approved(self, request: Request, proposal: str = "1") -> Intent:
        """An intent that waits only for being dispatched."""
        return self.approve(await self.proposed(request, proposal))

    def approve(self, intent: Intent) -> Intent:
        """Approve it as it stands."""
        grant = Grant(
            nonce=f"grant of {intent.id}",
            plan_digest=intent.plan_digest,
            preview_digest=intent.preview_digest,
            policy_digest=self.limits.digest,
            expires_ms=self.world.clock.now_ms() + 120_000,
            approvers=("anna",),
            record="signed",
        )
        return self.engine.approve(intent.id, grant)

    async def done(self, intent: Intent) -> Intent:
        """The intent, once it has an outcome or came to nothing."""
        async with asyncio.timeout(10):
            return await self.engine.outcome(intent.id)


@asynccontextmanager
async def desk(world: World, limits: PolicyLimits, venues: Venues) -> AsyncGenerator[Desk]:
    """A desk that takes writes, with a journal of its own; what it asked until then is forgotten."""
    disk, entropy = MemoryDisk(), SeededEntropy()
    journal = disk.open(world.clock, entropy)
    engine = Engine(
        journal=journal,
        venues=venues,
        limits=limits,
        judge=judge,
        clock=world.clock,
        entropy=entropy,
        pace=Pace(sweep_age=1e9),
        expires_ms=DAY_MS,
    )
    engine.start()
    try:
        await until(lambda: engine.closed(MAIN) is None)
        world.sim.control.clear_requests()
        yield Desk(world, engine, journal, limits, venues[MAIN])
    finally:
        await engine.stop()
        journal.abandon()
        disk.close()


async def until(holds: Callable[[], bool]) -> None:
    """Wait until it holds."""
    async with asyncio.timeout(10):
        while not holds():  # noqa: ASYNC110 - what is waited for sets no event
            await asyncio.sleep(0)


def order(symbol: str = SPOT, **changed: object) -> OrderRequest:
    """An order as a model would write it."""
    asked: dict[str, object] = {"symbol": symbol, "side": "buy", "type": "market", "amount": "0.01"}
    return OrderRequest.model_validate(asked | changed)
