"""Real ccxt and aiohttp against the simulated exchange, with every fault in between; orders are counted at the venue.

Nothing may be wrongly certain, and whatever can be proved has to be: both figures are printed.
"""

import asyncio
import hashlib
import socket
import sys
import time
from collections.abc import AsyncGenerator, Iterable
from contextlib import AsyncExitStack, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import pytest

from exchange_mcp.config.redaction import Redactor
from exchange_mcp.desk.absence import absence, absence_terms
from exchange_mcp.model.accounts import Account, AccountName, Environment, MarketType
from exchange_mcp.model.client_ids import DeskTag, new_client_order_id
from exchange_mcp.model.findings import Findings
from exchange_mcp.model.outcomes import Outcome, Verdict
from exchange_mcp.model.plans import WirePlan, WireRequest
from exchange_mcp.model.writes import CancelOrder, PlaceOrder, SetLeverage, WriteRequest
from exchange_mcp.rules.endpoints import EndpointClass
from exchange_mcp.sim import SimulatedExchange
from exchange_mcp.venue.client import REQUEST_MS, fetch_catalogue, install
from exchange_mcp.venue.egress import loading
from exchange_mcp.venue.evidence import evidence
from exchange_mcp.venue.finding import Finder
from exchange_mcp.venue.render import RenderedWrite, render
from exchange_mcp.venue.verdict import judge
from exchange_mcp.venue.wire import Loopback
from venue.guarded import ALLOWED, READS

from .cases import EVERY, FEW, HANGING, NOT_SENT, REJECTED, UNKNOWN, Case
from .fault_proxy import Fault, FaultProxy, proxied
from .writers import (
    SPOT,
    SWAP,
    OffsetClock,
    a_limit,
    a_stop,
    allowed,
    client_of,
    leverage,
    orders,
    planned,
    send,
    sought,
)

pytestmark = pytest.mark.anyio

TAG = DeskTag("t3st0")
WINDOW_MS = 10_000
_A_MOMENT_MS = 400
_LIKE_OTHERS = frozenset(EVERY) - frozenset(FEW)


class Counted:
    """Entropy that a run can be repeated with."""

    def __init__(self) -> None:
        self._next = 0

    def token(self, size: int) -> bytes:
        self._next += 1
        return hashlib.shake_256(str(self._next).encode()).digest(size)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """One case that was run.

    Attributes:
        is_done: whether the venue has done what was asked: counted there.
        count: how often; for an order or its cancel, how many orders there are.
        is_sought: whether the order is looked for afterwards: one of each kind of fault is.
        sends: requests that reached the proxy.
    """

    name: str
    write: WriteRequest
    rendered: RenderedWrite
    verdict: Verdict
    proves: Outcome
    is_done: bool
    count: int
    sends: int
    signed_ms: int
    is_sought: bool

    @property
    def is_wrongly_certain(self) -> bool:
        """Whether the verdict says something that the venue's own books contradict."""
        match self.verdict.outcome:
            case Outcome.ACCEPTED:
                return not self.is_done
            case Outcome.REJECTED | Outcome.NOT_SENT:
                return self.is_done
            case Outcome.UNKNOWN:
                return False


class Bench:
    """The venue, a client through the proxy, one that goes straight to it, and what was run so far."""

    def __init__(self, sim: SimulatedExchange, clock: OffsetClock, proxy: FaultProxy, straight: Any) -> None:  # noqa: ANN401 - ccxt
        self.sim, self.clock, self.proxy, self.straight = sim, clock, proxy, straight
        self.entropy = Counted()
        self.ran: list[Ran] = []

    def an_id(self) -> str:
        return new_client_order_id(TAG, self.entropy, 36)

    def keep_time(self, *clients: Any) -> None:  # noqa: ANN401 - as above
        for client in clients:
            client.options["timeDifference"] = -self.clock.ahead

    async def place(self, order: PlaceOrder) -> None:
        """Straight, without a fault."""
        self.keep_time(self.straight)
        sent = await send(self.straight, render(self.straight, order, allowed(order)))
        assert sent.error is None

    def done(self, write: WriteRequest) -> tuple[bool, int]:
        """Whether the venue did it, and how often."""
        match write:
            case PlaceOrder():
                count = len(orders(self.sim, write.client_order_id))
                return count > 0, count
            case CancelOrder():
                statuses = orders(self.sim, write.client_order_id or "")
                return "CANCELED" in statuses, len(statuses)
            case SetLeverage():
                return leverage(self.sim) == write.leverage, 1

    async def run(self, client: Any, case: Case, write: WriteRequest, *, is_cancelled: bool = False) -> Ran:  # noqa: ANN401 - as above
        """Send it through the fault; cancelled, by its task, once the proxy has done what it does."""
        self.keep_time(client)
        self.proxy.fault, before = case.fault, len(self.proxy.arrived)
        self.proxy.answered.clear()
        rendered = render(client, write, allowed(write))
        sending = asyncio.create_task(send(client, rendered))
        if is_cancelled:
            await self.proxy.answered.wait()
            sending.cancel()
        sent = await sending
        await self.proxy.settled()
        is_done, count = self.done(write)
        signed = None if sent.attempt is None else sent.attempt.signed_ms
        ran = Ran(
            name=f"{type(write).__name__} {write.symbol}: {case.name}",
            write=write,
            rendered=rendered,
            verdict=judge(evidence(rendered, sent)),
            proves=case.proves,
            is_done=is_done,
            count=count,
            sends=len(self.proxy.arrived) - before,
            signed_ms=signed or self.clock.now_ms(),
            is_sought=isinstance(write, PlaceOrder) and case not in _LIKE_OTHERS,
        )
        self.ran.append(ran)
        return ran


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def bench() -> AsyncGenerator[Bench]:
    clock = OffsetClock(lambda: time.time_ns() // 1_000_000)

    def pass_window() -> None:
        clock.ahead += WINDOW_MS + 1_000

    async with AsyncExitStack() as stack:
        sim = await stack.enter_async_context(SimulatedExchange(seed=1, clock=clock).serving())
        straight = await stack.enter_async_context(client_of(sim, Loopback(sim.port, sim.ca_pem)))
        with loading(ALLOWED[EndpointClass.MARKETS]):
            install(straight, await fetch_catalogue(straight, 0))
        yield Bench(sim, clock, await stack.enter_async_context(proxied(sim, pass_window)), straight)


@pytest.fixture(scope="module")
async def matrix(bench: Bench) -> Bench:
    """The bench after every case was run."""
    async with client_of(bench.sim, bench.proxy.loopback, bench.straight) as client:
        for symbol in (SPOT, SWAP):
            await _cancels(bench, client, symbol)
            # Those that are sought afterwards come last: a look reads everything since.
            for case in (*(each for each in EVERY if each in _LIKE_OTHERS), *FEW):
                await bench.run(client, case, a_limit(symbol, bench.an_id()))
            await _refused_by_the_venue(bench, client, symbol)
            await _slow(bench, client, symbol)
        for case in FEW:
            stop = a_stop(bench.an_id())
            if (await bench.run(client, case, stop)).is_done:
                await _cancel(bench, stop)
            asked = SetLeverage(symbol=SWAP, leverage=leverage(bench.sim) % 20 + 1)
            await bench.run(client, case, asked)
    await _unreachable(bench)
    return bench


async def _cancels(bench: Bench, client: Any, symbol: str) -> None:  # noqa: ANN401 - ccxt
    for case in FEW:
        if case.needs_body:
            continue
        resting = a_limit(symbol, bench.an_id())
        await bench.place(resting)
        await bench.run(client, case, CancelOrder(symbol=symbol, client_order_id=resting.client_order_id))
    gone = CancelOrder(symbol=symbol, client_order_id=bench.an_id())
    await bench.run(client, Case("there is no such order", Fault()), gone)


async def _slow(bench: Bench, client: Any, symbol: str) -> None:  # noqa: ANN401 - as above
    """A client that waits a moment only, and one whose task is cancelled while the request is out."""
    client.timeout = _A_MOMENT_MS
    for case in HANGING:
        await bench.run(client, case, a_limit(symbol, bench.an_id()))
    client.timeout = REQUEST_MS
    for case in HANGING[:2]:
        named = replace(case, name=f"the task is cancelled: {case.name}")
        await bench.run(client, named, a_limit(symbol, bench.an_id()), is_cancelled=True)


async def _refused_by_the_venue(bench: Bench, client: Any, symbol: str) -> None:  # noqa: ANN401 - ccxt
    too_much = a_limit(symbol, bench.an_id(), "100")
    await bench.run(client, Case("the venue refuses it for want of money", Fault(), REJECTED), too_much)
    used = a_limit(symbol, bench.an_id())
    await bench.place(used)
    await bench.run(client, Case("the id is that of an open order", Fault()), used)


async def _cancel(bench: Bench, order: PlaceOrder) -> None:
    bench.keep_time(bench.straight)
    cancel = CancelOrder(
        symbol=order.symbol, client_order_id=order.client_order_id, is_conditional=order.type.has_trigger
    )
    assert (await send(bench.straight, render(bench.straight, cancel, allowed(cancel)))).error is None


async def _unreachable(bench: Bench) -> None:
    """No connection comes about at all."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        closed = unused.getsockname()[1]
        server = await asyncio.start_server(_hang_up, "127.0.0.1", 0)
        ways = {
            "the connection is refused": Loopback(closed, bench.sim.ca_pem),
            "another authority signed for the venue": Loopback(bench.sim.port, bench.proxy.loopback.ca_pem),
            "the handshake breaks off": Loopback(server.sockets[0].getsockname()[1], bench.sim.ca_pem),
        }
        async with server:
            for name, loopback in ways.items():
                async with client_of(bench.sim, loopback, bench.straight) as client:
                    for symbol in (SPOT, SWAP):
                        case = Case(name, Fault(), NOT_SENT)
                        await bench.run(client, case, a_limit(symbol, bench.an_id()))


async def _hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read(1)
    writer.close()


def _listed(rows: Iterable[Ran]) -> list[str]:
    return [f"{row.name}: {row.verdict.outcome} ({row.verdict.ground}), {row.count} there" for row in rows]


async def test_no_verdict_is_wrongly_certain_and_all_that_can_be_proved_is(
    matrix: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = [row for row in matrix.ran if row.is_wrongly_certain]
    provable = [row for row in matrix.ran if row.proves is not UNKNOWN]
    proved = [row for row in provable if row.verdict.outcome is row.proves]
    with capsys.disabled():
        sys.stdout.write(
            f"\nfaults: {len(matrix.ran)} sends, {len(wrong)} verdicts wrongly certain, "
            f"{len(proved)} of {len(provable)} provable outcomes proved\n"
        )
    assert not _listed(wrong)
    assert not _listed(row for row in provable if row.verdict.outcome is not row.proves)


async def test_what_proves_nothing_is_unknown(matrix: Bench) -> None:
    # On a busy machine a client that waits a moment only may give up before anything left: then that is proved.
    gave_up = [row for row in matrix.ran if not row.sends and row.verdict.outcome is NOT_SENT]
    assert not _listed(
        row
        for row in matrix.ran
        if row.proves is UNKNOWN and row.verdict.outcome is not UNKNOWN and row not in gave_up
    )


async def test_no_fault_makes_a_second_send_or_a_second_order(matrix: Bench) -> None:
    assert not _listed(row for row in matrix.ran if row.sends > 1 or row.count > 1)
    assert {row.sends for row in matrix.ran} == {0, 1}


async def test_the_faults_leave_both_done_and_undone_writes_unknown(matrix: Bench) -> None:
    # Otherwise the matrix would show nothing: a verdict that is always unknown is never wrong.
    for kind in (PlaceOrder, CancelOrder, SetLeverage):
        unknown = [row for row in matrix.ran if type(row.write) is kind and row.proves is UNKNOWN]
        assert {row.is_done for row in unknown} == {True, False}


async def test_every_unknown_order_is_found_or_proved_absent_as_the_venue_has_it(
    matrix: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    unknown = [
        (row, row.write)
        for row in matrix.ran
        if isinstance(row.write, PlaceOrder) and row.is_sought and row.verdict.outcome is UNKNOWN
    ]
    looks = dict[str, list[Findings]]()
    finder = _finder(matrix)
    for ahead_ms in (WINDOW_MS + 4_000, 2_500):
        matrix.clock.ahead += ahead_ms
        matrix.keep_time(matrix.straight)
        for row, order in unknown:
            look = await finder.find(sought(order, row.signed_ms))
            looks.setdefault(order.client_order_id, []).append(look)
    done = sum(row.is_done for row, _ in unknown)
    with capsys.disabled():
        sys.stdout.write(f"\nfaults: {done} unknown orders to find, {len(unknown) - done} to prove absent\n")
    assert done
    assert done < len(unknown)
    for row, order in unknown:
        found = looks[order.client_order_id]
        terms = absence_terms(_plan(row), row.signed_ms + WINDOW_MS + 1_000)
        assert (found[-1].found is not None) is row.is_done, row.name
        assert absence(found, terms).is_proved is not row.is_done, (row.name, absence(found, terms).missing)


def _finder(bench: Bench) -> Finder:
    account = Account(
        AccountName("main"), "binance", Environment.SIM, (MarketType.SPOT, MarketType.LINEAR), has_key=True
    )
    return Finder(account, bench.straight, READS, Redactor(), turn=nullcontext())


def _plan(row: Ran) -> WirePlan:
    endpoint = row.rendered.rendered.endpoint
    return WirePlan(
        venue="binance",
        account=AccountName("main"),
        account_id=None,
        key_id="trader",
        environment=Environment.SIM,
        market=planned(row.write.symbol),
        write=row.write,
        request=WireRequest(
            verb=endpoint.verb,
            api=endpoint.api,
            path=endpoint.path,
            parameters=row.rendered.rendered.fields(),
        ),
        window_ms=WINDOW_MS,
    )
