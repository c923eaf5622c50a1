"""What a desk sees of its key: every order since a moment, be it weeks, or an error; never a part."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from exchange_mcp.model.errors import ExchangeMcpError
from exchange_mcp.model.trading import Sighting, TradingVenue
from exchange_mcp.sim import SimulatedExchange
from exchange_mcp.sim.clock import SystemClock
from exchange_mcp.sim.orders import (
    AlgoOrder,
    AlgoStatus,
    FuturesOrder,
    PositionSide,
    Side,
    SpotOrder,
    Status,
)

from .traded import BTC, PERPETUAL, a_cancel, a_limit, a_market, a_stop, planned, sent, traders, trading

pytestmark = pytest.mark.anyio

DAY_MS = 86_400_000
WEEKS_MS = 21 * DAY_MS
ONE = Decimal(1)


def now_ms() -> int:
    return SystemClock().now_ms()


@pytest.fixture(scope="module")
async def past() -> AsyncGenerator[SimulatedExchange]:
    """A venue whose main account traded for three weeks, on two spot pairs and a contract."""
    async with SimulatedExchange(seed=2).serving() as sim:
        orders = sim.exchange.accounts["main"].orders
        began_ms = now_ms() - WEEKS_MS
        for number in range(1, 1_300):
            # So many in the first hour that one page of a day cannot hold them; then one every half an hour.
            at = began_ms + (number * 3_000 if number < 1_200 else (number - 1_180) * 4 * 3_600_000)
            orders.spot.put(_spot(sim, "BTCUSDT", number, at))
        for number in range(1, 40):
            orders.spot.put(_spot(sim, "SOLUSDT", 10_000 + number, began_ms + number * DAY_MS // 2))
            orders.futures.put(_contract(sim, number, began_ms + number * DAY_MS // 2))
            orders.algo.put(_conditional(sim, number, began_ms + number * DAY_MS // 2))
        yield sim


def _spot(sim: SimulatedExchange, symbol: str, number: int, at_ms: int) -> SpotOrder:
    return SpotOrder(
        instrument=sim.exchange.spot(symbol).tape.instrument,
        order_id=2_000_000_000 + number,
        client_order_id=f"past-{symbol}-{number}",
        side=Side.BUY,
        price=ONE,
        quantity=ONE,
        executed=ONE,
        executed_quote=ONE,
        status=Status.FILLED,
        working_ms=at_ms,
        created_ms=at_ms,
        updated_ms=at_ms,
    )


def _contract(sim: SimulatedExchange, number: int, at_ms: int) -> FuturesOrder:
    return FuturesOrder(
        instrument=sim.exchange.contract("BTCUSDT").tape.instrument,
        order_id=3_000_000_000 + number,
        client_order_id=f"past-contract-{number}",
        side=Side.BUY,
        price=ONE,
        quantity=ONE,
        executed=ONE,
        executed_quote=ONE,
        status=Status.FILLED,
        position_side=PositionSide.BOTH,
        created_ms=at_ms,
        updated_ms=at_ms,
    )


def _conditional(sim: SimulatedExchange, number: int, at_ms: int) -> AlgoOrder:
    sent_by_it = sim.exchange.accounts["main"].orders.futures.find(3_000_000_000 + number)
    assert sent_by_it is not None
    return AlgoOrder(
        instrument=sent_by_it.instrument,
        order_id=4_000_000_000 + number,
        client_order_id=f"past-stop-{number}",
        side=Side.BUY,
        kind="STOP_MARKET",
        position_side=PositionSide.BOTH,
        trigger_price=ONE,
        quantity=ONE,
        status=AlgoStatus.TRIGGERED,
        triggered_ms=at_ms,
        actual_order_id=sent_by_it.order_id,
        created_ms=at_ms,
        updated_ms=at_ms,
    )


@pytest.fixture
async def venue(past: SimulatedExchange, tmp_path: Path) -> AsyncGenerator[TradingVenue]:
    past.control.clear_faults()
    async with trading(traders(past), cache=tmp_path) as opened:
        await opened.trading["main"].render(a_limit("t-warm"))
        past.control.clear_requests()
        yield opened.trading["main"]
    past.control.clear_faults()


def named(sightings: tuple[Sighting, ...], prefix: str) -> list[str]:
    return sorted(
        str(each.client_order_id) for each in sightings if str(each.client_order_id).startswith(prefix)
    )


def expected(sim: SimulatedExchange, prefix: str, since_ms: int) -> list[str]:
    orders = sim.exchange.accounts["main"].orders
    every = [*orders.spot.every(), *orders.futures.every(), *orders.algo.every()]
    return sorted(
        each.client_order_id
        for each in every
        if each.client_order_id.startswith(prefix) and each.created_ms >= since_ms
    )


async def test_every_order_of_three_weeks_is_seen_on_the_markets_that_are_known(
    past: SimulatedExchange, venue: TradingVenue
) -> None:
    since_ms = now_ms() - WEEKS_MS + 1_500_000
    seen = await venue.seen(since_ms, frozenset({BTC, "SOL/USDT", PERPETUAL}))
    for prefix in ("past-BTCUSDT", "past-SOLUSDT", "past-contract", "past-stop"):
        assert named(seen, prefix) == expected(past, prefix, since_ms)
        assert named(seen, prefix)
    assert all(each.placed_ms >= since_ms for each in seen)
    assert len({(each.market_id, each.order_id) for each in seen}) == len(seen)


async def test_a_short_look_back_asks_for_a_market_once_and_tells_what_is_of_that_time(
    past: SimulatedExchange, venue: TradingVenue
) -> None:
    since_ms = now_ms() - 3_600_000
    await venue.seen(since_ms, frozenset({BTC}))
    lists = [each.path for each in past.control.requests() if "allOrders" in each.path]
    assert lists.count("/api/v3/allOrders") >= 1
    past.control.clear_requests()
    # What is held did not change since the last answer, so that only what was named is asked about, and what is open.
    await venue.seen(since_ms + 1, frozenset({BTC}))
    spot = [each.query for each in past.control.requests() if each.path == "/api/v3/allOrders"]
    open_pairs = {order.instrument.name for order in past.exchange.accounts["main"].orders.spot.open()}
    assert len(spot) == len(open_pairs | {"BTCUSDT"})


async def test_what_was_placed_this_moment_is_seen_whatever_market_it_is_on(venue: TradingVenue) -> None:
    await venue.seen(now_ms() - 60_000, frozenset())
    since_ms = now_ms()  # the venue's own; what is known of it may be some milliseconds off
    for write in (
        a_limit("now-resting"),
        a_market("now-spot", "SOL/USDT", "0.5"),
        a_market("now-contract", "ETH/USDT:USDT", "0.05"),
        a_stop("now-stop"),
    ):
        assert (await sent(venue, await planned(venue, write))).status == 200
    seen = await venue.seen(since_ms, frozenset())
    assert named(seen, "now-") == ["now-contract", "now-resting", "now-spot", "now-stop"]
    # Also once it has ended, without leaving anything, between two looks.
    for cancel in (a_cancel("now-resting"), a_cancel("now-stop", PERPETUAL, is_conditional=True)):
        assert (await sent(venue, await planned(venue, cancel))).status == 200
    seen = await venue.seen(since_ms, frozenset())
    assert named(seen, "now-") == ["now-contract", "now-resting", "now-spot", "now-stop"]


SOURCES = [
    "/api/v3/openOrders",
    "/api/v3/allOrders",
    "/api/v3/account",
    "/fapi/v1/openOrders",
    "/fapi/v1/openAlgoOrders",
    "/fapi/v1/allOrders",
    "/fapi/v1/allAlgoOrders",
    "/fapi/v2/positionRisk",
]


@pytest.mark.parametrize("path", SOURCES)
async def test_a_source_that_does_not_answer_is_an_error_and_no_short_list(
    past: SimulatedExchange, venue: TradingVenue, path: str
) -> None:
    past.control.add_fault(
        {"path": path, "kind": "status", "status": 400, "body": '{"code":-1000,"msg":"No."}', "times": None}
    )
    with pytest.raises(ExchangeMcpError):
        await venue.seen(now_ms() - DAY_MS, frozenset({BTC, PERPETUAL}))


async def test_so_many_orders_of_one_millisecond_that_there_may_be_more_are_an_error(
    past: SimulatedExchange, tmp_path: Path
) -> None:
    at_ms = now_ms() - 40 * DAY_MS
    orders = past.exchange.accounts["alt"].orders
    for number in range(1_000):
        orders.spot.put(replace(_spot(past, "BTCUSDT", 20_000 + number, at_ms), client_order_id=""))
    async with trading(traders(past, key="trader-alt"), cache=tmp_path) as opened:
        with pytest.raises(ExchangeMcpError, match="millisecond"):
            await opened.trading["main"].seen(at_ms - 1_000, frozenset({BTC}))


async def test_a_market_that_is_listed_no_more_does_not_keep_the_others_from_being_seen(
    past: SimulatedExchange, venue: TradingVenue
) -> None:
    since_ms = now_ms() - DAY_MS
    seen = await venue.seen(since_ms, frozenset({"GONE/USDT", "GONE/USDT:USDT", PERPETUAL}))
    assert named(seen, "past-contract") == expected(past, "past-contract", since_ms)
