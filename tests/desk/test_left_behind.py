"""What was written with a key while this desk did not look: a restored copy, a lost journal, a long night."""

import asyncio
from dataclasses import dataclass, field

import pytest

from exchange_mcp.desk.intents import State
from exchange_mcp.desk.records import Taken
from exchange_mcp.model.client_ids import new_client_order_id, new_desk_tag
from exchange_mcp.model.trading import Sighting
from simulation.port import ACCOUNT, ModelVenue
from simulation.virtual import EPOCH_MS

from .running import PACE, Running, until


async def opened_again(desk: Running, name: str = "main") -> None:
    desk.process.kill()
    await asyncio.sleep(5)
    desk.boot(name)
    desk.start()
    await until(lambda: desk.engine.closed(ACCOUNT) is None)


@pytest.mark.parametrize("away_s", [60, 600, 80_000])
def test_a_copy_that_is_restored_long_after_its_orders_halts_the_account_and_sends_nothing(
    away_s: int,
) -> None:
    async def story(desk: Running) -> None:
        copy = desk.shelf.copied("main")
        intent = await desk.approved()
        assert (await desk.engine.settled(intent.id)).state is State.PLACED
        await asyncio.sleep(away_s)
        await opened_again(desk, copy)
        assert "copied" in desk.journal.halts()[0].reason
        again = await desk.engine.propose(desk.ask(proposal="2"))
        assert isinstance(again, Taken)
        desk.engine.approve(again.intent.id, desk.grant(again.intent))
        assert (await desk.engine.settled(again.intent.id)).state is State.LAPSED
        assert desk.orders() == 1

    Running().tell(story)


def test_an_order_of_another_desk_placed_while_this_one_was_down_halts_the_account() -> None:
    async def story(desk: Running) -> None:
        desk.process.kill()
        await asyncio.sleep(10)
        other = new_client_order_id(new_desk_tag(desk.entropy), desk.entropy, 36)
        desk.world.add({"symbol": "BTCUSDT", "newClientOrderId": other}, is_open=True, is_by_hand=True)
        await asyncio.sleep(2 * 86_400)
        await opened_again(desk)
        assert "another desk" in desk.journal.halts()[0].reason

    Running().tell(story)


def test_a_new_journal_in_the_place_of_a_lost_one_sees_the_orders_of_the_last_day_and_halts() -> None:
    async def story(desk: Running) -> None:
        intent = await desk.approved()
        assert (await desk.engine.settled(intent.id)).state is State.PLACED
        await asyncio.sleep(12 * 3600)
        await opened_again(desk, "other")
        assert "another desk" in desk.journal.halts()[0].reason

    Running().tell(story)


@dataclass(slots=True, eq=False)
class Asked(ModelVenue):
    """A venue that keeps from when on it was asked to show everything."""

    since_ms: list[int] = field(default_factory=list[int])

    async def seen(self, since_ms: int, symbols: frozenset[str]) -> tuple[Sighting, ...]:
        self.since_ms.append(since_ms)
        return await ModelVenue.seen(self, since_ms, symbols)


def asked(desk: Running) -> list[int]:
    assert isinstance(desk.venue, Asked)
    return desk.venue.since_ms


def test_a_start_that_never_saw_everything_leaves_the_gap_to_the_next_one() -> None:
    async def story(desk: Running) -> None:
        await asyncio.sleep(3600)
        desk.world.habits.outage_s, desk.world.troubled_from_s = 1e9, desk.loop.time()
        stopped_ms = desk.clock.now_ms()
        for _ in range(3):
            desk.process.kill()
            await asyncio.sleep(1800)
            desk.boot()
            desk.start()
            await asyncio.sleep(60)
            since = set(asked(desk))
            # Nothing was seen since then, whatever these runs recorded.
            assert len(since) == 1
            assert stopped_ms - 5 * 60_000 <= since.pop() <= stopped_ms

    Running(venue_type=Asked).tell(story)


def test_a_venue_s_clock_that_was_ahead_for_a_while_hides_nothing_from_the_next_run() -> None:
    async def story(desk: Running) -> None:
        desk.venue.clock_ms = 30 * 86_400_000
        await asyncio.sleep(600)
        desk.venue.clock_ms = 0
        await opened_again(desk)
        assert asked(desk)[0] <= EPOCH_MS + round(desk.loop.time() * 1000)

    Running(venue_type=Asked).tell(story)


def test_a_full_disk_does_not_end_the_watch() -> None:
    async def story(desk: Running) -> None:
        with desk.shelf.full("main"):
            await asyncio.sleep(3600)
        assert desk.engine.closed(ACCOUNT) is None
        await asyncio.sleep(PACE.sweep + 1)
        kept = desk.journal.swept_ms(ACCOUNT)
        assert kept is not None
        assert desk.clock.now_ms() - kept <= 3 * 60_000

    Running().tell(story)


def test_a_venue_is_asked_about_every_market_that_the_journal_knows_also_after_a_restart() -> None:
    @dataclass(slots=True, eq=False)
    class AskedFor(ModelVenue):
        symbols: list[frozenset[str]] = field(default_factory=list[frozenset[str]])

        async def seen(self, since_ms: int, symbols: frozenset[str]) -> tuple[Sighting, ...]:
            self.symbols.append(symbols)
            return await ModelVenue.seen(self, since_ms, symbols)

    async def story(desk: Running) -> None:
        def last() -> frozenset[str]:
            assert isinstance(desk.venue, AskedFor)
            return desk.venue.symbols[-1]

        assert last() == frozenset()
        intent = await desk.approved()
        await desk.engine.settled(intent.id)
        await asyncio.sleep(PACE.sweep + 1)
        assert last() == {intent.plan.market.symbol}
        await opened_again(desk)
        assert last() == {intent.plan.market.symbol}

    Running(venue_type=AskedFor).tell(story)
