"""The venue's time that requests are signed in, and the slots that writes take; both in a time that tests move."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pytest

from exchange_mcp.model.errors import ExchangeMcpError, VenueUnreachableError
from exchange_mcp.rules.trading import TRADING, WriteBudget
from exchange_mcp.sim import SimulatedExchange
from exchange_mcp.venue.trading.budget import Slots
from exchange_mcp.venue.trading.clock import VenueClock

from .traded import MachineClock, a_cancel, a_limit, planned, sent, traders, trading

pytestmark = pytest.mark.anyio

AHEAD_MS = 90_000


@dataclass
class Machine:
    """A machine's two clocks, and a venue that is ahead of them and takes its way to tell."""

    now: float = 1_767_268_800.0
    running: float = 0.0
    way: float = 0.1
    asked: int = 0
    slept: list[float] = field(default_factory=list[float])
    is_silent: bool = False

    def now_ms(self) -> int:
        return round(self.now * 1000)

    def monotonic(self) -> float:
        return self.running

    def passes(self, seconds: float) -> None:
        self.now += seconds
        self.running += seconds

    async def ask(self) -> int:
        self.asked += 1
        if self.is_silent:
            raise VenueUnreachableError("nothing came")
        self.passes(self.way / 2)
        told = self.now_ms() + AHEAD_MS
        self.passes(self.way / 2)
        return told

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.passes(seconds)
        await anyio.lowlevel.checkpoint()


async def test_the_venues_time_is_ours_and_how_far_it_is_ahead_by_half_of_the_way() -> None:
    machine = Machine()
    clock = VenueClock("binance", machine, machine.ask)
    assert clock.now_ms() == machine.now_ms()
    await clock.fresh()
    assert clock.now_ms() == machine.now_ms() + AHEAD_MS
    machine.passes(60)
    await clock.fresh()
    assert machine.asked == 1
    machine.passes(120)
    await clock.fresh()
    assert machine.asked == 2


async def test_a_machine_whose_time_was_set_asks_again_before_anything_is_signed_by_it() -> None:
    machine = Machine()
    clock = VenueClock("binance", machine, machine.ask)
    await clock.fresh()
    venue_ms = machine.now_ms() + AHEAD_MS
    machine.now += 3_600
    assert clock.now_ms() == venue_ms + 3_600_000
    machine.way = 0
    await clock.fresh()
    assert machine.asked == 2
    # What was measured against the other time does not count any more, however short its way was.
    assert clock.now_ms() == machine.now_ms() + AHEAD_MS


async def test_a_venue_that_does_not_tell_its_time_or_takes_too_long_is_an_error() -> None:
    machine = Machine(way=1.7)
    clock = VenueClock("binance", machine, machine.ask)
    with pytest.raises(ExchangeMcpError, match="too long"):
        await clock.fresh()
    machine.is_silent = True
    with pytest.raises(ExchangeMcpError):
        await clock.fresh()


async def test_time_is_measured_again_and_again_and_sooner_after_a_failure() -> None:
    machine = Machine()
    clock = VenueClock("binance", machine, machine.ask, sleep=machine.sleep)
    owner = asyncio.create_task(clock.own())
    with anyio.fail_after(5):
        while machine.asked < 3:
            await anyio.lowlevel.checkpoint()
        machine.is_silent = True
        while machine.asked < 5:
            await anyio.lowlevel.checkpoint()
    owner.cancel()
    await asyncio.gather(owner, return_exceptions=True)
    assert machine.slept[:2] == [30.0, 30.0]
    assert machine.slept[-1] == 5.0


@pytest.mark.parametrize("off_ms", [-3_600_000, 3_600_000])
async def test_a_machine_whose_clock_is_an_hour_off_trades_all_the_same(
    sim: SimulatedExchange, cache: Path, off_ms: int
) -> None:
    clock = MachineClock(off_ms)
    async with trading(traders(sim), cache=cache, clock=clock) as opened:
        venue = opened.trading["main"]
        await venue.key_scope(oldest_ms=0)
        assert (await sent(venue, await planned(venue, a_limit("t-off")))).status == 200
        assert abs(venue.venue_ms() - sim.clock.now_ms()) < 1_000
        assert (await sent(venue, await planned(venue, a_cancel("t-off")))).status == 200


async def test_a_slot_is_had_at_once_until_the_budget_is_used_up_and_then_when_the_oldest_is_over() -> None:
    machine = Machine()
    budget = WriteBudget(writes=3, span_ms=10_000, read_share=90, page="")
    slots = Slots(budget, machine, sleep=machine.sleep)
    for _ in range(3):
        await slots.take()
        machine.passes(1)
    assert machine.slept == []
    last = await slots.take()
    # Three seconds after the first slot was taken, seven are left of its ten.
    assert machine.slept == [7.0]
    slots.give_back(last)
    await slots.take()
    assert machine.slept == [7.0]


async def test_a_write_that_was_not_sent_gives_its_slot_back(sim: SimulatedExchange, cache: Path) -> None:
    slept: list[float] = []

    async def never(seconds: float) -> None:
        slept.append(seconds)
        await asyncio.Event().wait()

    async with trading(traders(sim), cache=cache, spare=never) as opened:
        venue = opened.trading["main"]
        plan = await planned(venue, a_limit("t-slots"))
        for _ in range(2 * TRADING["binance"].budget.writes):
            await (await venue.ready(plan)).release()
    # The venue's time was measured once, and nothing waited for a slot.
    assert slept == [30.0]


async def test_reads_leave_a_part_of_the_venues_weight_to_writes(sim: SimulatedExchange, cache: Path) -> None:
    async with trading(traders(sim), cache=cache) as opened:
        client = vars(opened)["_opened"]["main"].client
        # ccxt counts 50 ms a unit, of 60 s: 1,200, of which a tenth is left.
        assert client.throttler.config["maxWeight"] == pytest.approx(1_080)
