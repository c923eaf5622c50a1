"""What a desk sends through its venue: exactly the plan, once, in time; or nothing."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import anyio.lowlevel
import pytest

from exchange_mcp.model.accounts import AccountName, Environment
from exchange_mcp.model.errors import (
    InternalError,
    InvalidArgumentError,
    KeyRefusedError,
    VenueRefusedError,
    VenueUnreachableError,
)
from exchange_mcp.model.outcomes import Outcome
from exchange_mcp.model.plans import WirePlan, WireRequest
from exchange_mcp.model.trading import TradingVenue
from exchange_mcp.model.writes import WriteRequest
from exchange_mcp.sim import SimulatedExchange
from exchange_mcp.sim.request_log import Entry
from exchange_mcp.venue.trading.opening import OpenTrading
from exchange_mcp.venue.verdict import judge
from exchange_mcp.venue.wire import Loopback
from venue.opened import SPOT, settled

from .traded import (
    BTC,
    PERPETUAL,
    MachineClock,
    a_cancel,
    a_leverage,
    a_limit,
    a_market,
    a_stop,
    latest,
    planned,
    sent,
    traders,
    trading,
)

pytestmark = pytest.mark.anyio

_SIGNING = {"timestamp", "recvWindow", "signature"}

# Each in its turn: what is cancelled was placed before.
WRITES: list[WriteRequest] = [
    a_limit("t-limit-1"),
    a_limit("t-limit-2", PERPETUAL),
    a_market("t-market-1"),
    a_market("t-market-2", PERPETUAL),
    a_stop("t-stop-1"),
    a_cancel("t-limit-1"),
    a_cancel("t-limit-2", PERPETUAL),
    a_cancel("t-stop-1", PERPETUAL, is_conditional=True),
    a_leverage(9),
]


@pytest.fixture
async def opened(sim: SimulatedExchange, cache: Path) -> AsyncGenerator[OpenTrading]:
    async with trading(traders(sim), cache=cache) as venues:
        yield venues


@pytest.fixture
def venue(opened: OpenTrading) -> TradingVenue:
    return opened.trading["main"]


def arrived(sim: SimulatedExchange) -> list[Entry]:
    return [each for each in sim.control.requests() if each.is_write]


async def test_every_kind_of_write_arrives_as_it_was_planned_field_by_field(
    sim: SimulatedExchange, venue: TradingVenue
) -> None:
    for write in WRITES:
        plan = await planned(venue, write)
        sim.control.clear_requests()
        began_ms = venue.venue_ms()
        evidence = await sent(venue, plan)
        assert judge(evidence).outcome is Outcome.ACCEPTED, (write, evidence)
        (entry,) = arrived(sim)
        told = dict(parse_qsl(entry.query) + parse_qsl(entry.body))
        assert told["recvWindow"] == str(venue.window_ms)
        assert began_ms <= int(told["timestamp"]) <= venue.venue_ms()
        assert {name: value for name, value in told.items() if name not in _SIGNING} == {
            name: str(value).lower() if isinstance(value, bool) else str(value)
            for name, value in plan.request.parameters.items()
        }
        assert (entry.method, entry.path.rsplit("/", 1)[-1]) == (plan.request.verb, plan.request.path)


def _with(plan: WirePlan, **fields: str | int | bool) -> WirePlan:
    parameters = {**plan.request.parameters, **fields}
    return replace(plan, request=replace(plan.request, parameters=parameters))


OTHERS: dict[str, Callable[[WirePlan], WirePlan]] = {
    "another price": lambda plan: _with(plan, price="61000"),
    "another amount": lambda plan: _with(plan, quantity="0.02"),
    "a number instead of a text": lambda plan: _with(plan, quantity=1),
    "a field more": lambda plan: _with(plan, icebergQty="0.001"),
    "another client order id": lambda plan: _with(plan, newClientOrderId="t-other"),
    "another endpoint": lambda plan: replace(
        plan, request=WireRequest(verb="POST", api="fapiPrivate", path="order", parameters={})
    ),
    "a field less": lambda plan: replace(
        plan,
        request=replace(
            plan.request,
            parameters={k: v for k, v in plan.request.parameters.items() if k != "timeInForce"},
        ),
    ),
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
async def test_a_plan_that_is_not_what_ccxt_would_send_now_sends_nothing(
    sim: SimulatedExchange, venue: TradingVenue, other: Callable[[WirePlan], WirePlan]
) -> None:
    plan = other(await planned(venue, a_limit("t-other-1")))
    evidence = await sent(venue, plan)
    assert judge(evidence).outcome is Outcome.NOT_SENT
    assert arrived(sim) == []


async def test_a_plan_that_ccxt_renders_otherwise_at_the_moment_of_the_send_sends_nothing(
    sim: SimulatedExchange, opened: OpenTrading, venue: TradingVenue
) -> None:
    plan = await planned(venue, a_market("t-rerender"))
    ready = await venue.ready(plan)
    client = vars(opened)["_opened"]["main"].client
    # The kind of answer that ccxt asks for is an option of its own, which the rules leave open.
    client.options["newOrderRespType"] = {"market": "ACK", "limit": "ACK"}
    try:
        evidence = await ready.send(plan, latest(venue))
    finally:
        await ready.release()
    assert judge(evidence).outcome is Outcome.NOT_SENT
    assert evidence.exception == "EgressBlockedError"
    assert arrived(sim) == []


STRANGERS: dict[str, Callable[[WirePlan], WirePlan]] = {
    "another account": lambda plan: replace(plan, account=AccountName("other")),
    "another key": lambda plan: replace(plan, key_id="other"),
    "another environment": lambda plan: replace(plan, environment=Environment.LIVE),
    "another window": lambda plan: replace(plan, window_ms=60_000),
    "another account of the venue": lambda plan: replace(plan, account_id="42"),
    "another market": lambda plan: replace(plan, market=replace(plan.market, market_id="ETHUSDT")),
}


@pytest.mark.parametrize("stranger", STRANGERS.values(), ids=STRANGERS)
async def test_a_plan_of_another_account_key_or_market_is_not_made_ready_and_not_sent(
    sim: SimulatedExchange, venue: TradingVenue, stranger: Callable[[WirePlan], WirePlan]
) -> None:
    plan = await planned(venue, a_limit("t-stranger"))
    with pytest.raises(InternalError):
        await venue.ready(stranger(plan))
    ready = await venue.ready(plan)
    evidence = await ready.send(stranger(plan), latest(venue))
    await ready.release()
    assert judge(evidence).outcome is Outcome.NOT_SENT
    assert arrived(sim) == []


async def test_after_its_deadline_nothing_is_sent(sim: SimulatedExchange, venue: TradingVenue) -> None:
    plan = await planned(venue, a_limit("t-late"))
    ready = await venue.ready(plan)
    # What is signed now would be taken until a millisecond after it, or long after it.
    for latest_ms in (venue.venue_ms() + venue.window_ms - 1, venue.venue_ms() - 1):
        evidence = await ready.send(plan, latest_ms)
        assert judge(evidence).outcome is Outcome.NOT_SENT
    await ready.release()
    assert arrived(sim) == []


async def test_what_is_sent_twice_arrives_once(sim: SimulatedExchange, venue: TradingVenue) -> None:
    plan = await planned(venue, a_limit("t-twice"))
    ready = await venue.ready(plan)
    both = await asyncio.gather(*(ready.send(plan, latest(venue)) for _ in range(2)))
    again = await ready.send(plan, latest(venue))
    await ready.release()
    assert judge(both[0]).outcome is Outcome.ACCEPTED
    # Of a send that was not this one nothing is concluded.
    assert {judge(each).outcome for each in (both[1], again)} == {Outcome.UNKNOWN}
    assert len(arrived(sim)) == 1
    assert (await sent(venue, await planned(venue, a_cancel("t-twice")))).is_sent


async def test_what_was_given_back_sends_nothing_and_may_be_given_back_again(
    sim: SimulatedExchange, venue: TradingVenue
) -> None:
    plan = await planned(venue, a_limit("t-back"))
    ready = await venue.ready(plan)
    for _ in range(3):
        await ready.release()
    evidence = await ready.send(plan, latest(venue))
    assert judge(evidence).outcome is Outcome.NOT_SENT
    assert arrived(sim) == []


async def test_a_key_is_held_by_one_write_at_a_time_whichever_account_it_is_of(
    sim: SimulatedExchange, cache: Path
) -> None:
    both = (traders(sim), traders(sim, "again"))
    async with trading(*both, cache=cache) as opened:
        first, second = opened.trading["main"], opened.trading["again"]
        one = await first.ready(await planned(first, a_limit("t-turn-1")))
        waiting = asyncio.create_task(second.ready(await planned(second, a_limit("t-turn-2"))))
        await settled()
        assert not waiting.done()
        await one.release()
        two = await waiting
        third = asyncio.create_task(first.ready(await planned(first, a_limit("t-turn-3"))))
        await settled()
        assert not third.done()
        # Whoever gives up waiting takes nothing along.
        third.cancel()
        await asyncio.gather(third, return_exceptions=True)
        await two.release()
        assert (await sent(first, await planned(first, a_limit("t-turn-4")))).is_sent
        await sent(first, await planned(first, a_cancel("t-turn-4")))


async def test_a_key_that_was_widened_to_withdraw_stops_at_once_also_what_is_ready(
    sim: SimulatedExchange, venue: TradingVenue
) -> None:
    plan = await planned(venue, a_limit("t-wide"))
    now_ms = MachineClock().now_ms()
    assert (await venue.key_scope(oldest_ms=now_ms)).trade == "granted"
    ready = await venue.ready(plan)
    sim.control.permit("trader", "withdraw")
    try:
        with pytest.raises(KeyRefusedError, match="withdraw"):
            await venue.key_scope(oldest_ms=MachineClock().now_ms() + 1)
        evidence = await ready.send(plan, latest(venue))
        assert judge(evidence).outcome is Outcome.NOT_SENT
        await ready.release()
        with pytest.raises(KeyRefusedError, match="withdraw"):
            await venue.ready(plan)
    finally:
        sim.control.permit("trader", "trade")
    assert arrived(sim) == []
    await venue.key_scope(oldest_ms=MachineClock().now_ms() + 1)
    assert judge(await sent(venue, plan)).outcome is Outcome.ACCEPTED
    await sent(venue, await planned(venue, a_cancel("t-wide")))


async def test_a_lost_answer_is_evidence_of_nothing_but_that_something_left(
    sim: SimulatedExchange, venue: TradingVenue
) -> None:
    sim.control.add_fault({"method": "POST", "path": "/api/v3/order", "kind": "close", "when": "after"})
    evidence = await sent(venue, await planned(venue, a_limit("t-lost")))
    assert evidence.is_sent
    assert judge(evidence).outcome is Outcome.UNKNOWN
    sim.control.clear_faults()
    # The cancel of it loses its answer too; aiohttp would send a DELETE again by itself.
    sim.control.add_fault({"method": "DELETE", "path": "/api/v3/order", "kind": "close", "when": "after"})
    evidence = await sent(venue, await planned(venue, a_cancel("t-lost")))
    assert judge(evidence).outcome is Outcome.UNKNOWN
    assert [entry.method for entry in arrived(sim)] == ["POST", "DELETE"]


async def test_a_send_that_is_cancelled_while_it_is_out_tells_what_was_seen(
    sim: SimulatedExchange, venue: TradingVenue
) -> None:
    sim.control.add_fault({"method": "POST", "path": "/api/v3/order", "kind": "hang", "when": "after"})
    plan = await planned(venue, a_limit("t-cut"))
    ready = await venue.ready(plan)
    sending = asyncio.create_task(ready.send(plan, latest(venue)))
    while not arrived(sim):
        await anyio.lowlevel.checkpoint()
    sending.cancel()
    evidence = await sending
    await ready.release()
    assert judge(evidence).outcome is Outcome.UNKNOWN
    sim.control.clear_faults()
    await sent(venue, await planned(venue, a_cancel("t-cut")))


async def test_a_venue_that_cannot_be_reached_is_told_before_anything_is_ready(
    sim: SimulatedExchange, cache: Path
) -> None:
    async with trading(traders(sim), cache=cache) as opened:
        venue = opened.trading["main"]
        plan = await planned(venue, a_limit("t-nobody"))
        await venue.key_scope(oldest_ms=0)
        ready = await venue.ready(plan)
        await ready.release()
        wire: Any = vars(opened)["_opened"]["main"].wire
        vars(wire)["_loopback"] = Loopback(1, sim.ca_pem)
        with pytest.raises(VenueUnreachableError):
            await venue.ready(plan)
        # What was in hand is given back.
        vars(wire)["_loopback"] = Loopback(sim.port, sim.ca_pem)
        assert judge(await sent(venue, plan)).outcome is Outcome.ACCEPTED
        await sent(venue, await planned(venue, a_cancel("t-nobody")))


async def test_what_an_account_is_not_set_up_for_cannot_be_rendered(
    sim: SimulatedExchange, cache: Path
) -> None:
    async with trading(traders(sim, types=(SPOT,)), cache=cache) as opened:
        venue = opened.trading["main"]
        assert venue.longest_client_id == 36
        with pytest.raises(VenueRefusedError):
            await venue.render(a_limit("t-linear", PERPETUAL))
        with pytest.raises(InvalidArgumentError):
            # Between two steps of the amount: ccxt would cut it.
            await venue.render(a_market("t-grid", amount="0.0000011"))
        assert (await venue.render(a_limit("t-spot", BTC))).path == "order"
