"""What a cancel or a change of leverage has come to, as the venue shows it; what it does not show is untold."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest

from exchange_mcp.model.accounts import Environment
from exchange_mcp.model.trading import Effect, TradingVenue
from exchange_mcp.model.writes import CancelOrder
from exchange_mcp.rules.trading import effect_rules
from exchange_mcp.sim import SimulatedExchange
from venue.opened import LINEAR, SPOT

from .traded import (
    BTC,
    PERPETUAL,
    a_cancel,
    a_leverage,
    a_limit,
    a_market,
    a_stop,
    planned,
    sent,
    traders,
    trading,
)

pytestmark = pytest.mark.anyio


@pytest.fixture
async def venue(sim: SimulatedExchange, cache: Path) -> AsyncGenerator[TradingVenue]:
    async with trading(traders(sim), cache=cache) as opened:
        yield opened.trading["main"]


@pytest.mark.parametrize("symbol", [BTC, PERPETUAL])
async def test_a_cancel_is_pending_until_the_order_is_shown_as_canceled(
    venue: TradingVenue, symbol: str
) -> None:
    placed = await sent(venue, await planned(venue, a_limit("t-effect", symbol)))
    assert placed.status == 200
    plan = await planned(venue, a_cancel("t-effect", symbol))
    assert await venue.effect_of(plan) is Effect.PENDING
    assert (await sent(venue, plan)).status == 200
    assert await venue.effect_of(plan) is Effect.DONE


async def test_a_cancel_names_its_order_by_the_venues_id_too_also_a_conditional_one(
    venue: TradingVenue,
) -> None:
    since_ms = venue.venue_ms()
    await sent(venue, await planned(venue, a_stop("t-effect-stop")))
    await sent(venue, await planned(venue, a_limit("t-effect-2")))
    seen = await venue.seen(since_ms - 60_000, frozenset())
    orders = {each.client_order_id: each.order_id for each in seen}
    stop = CancelOrder(symbol=PERPETUAL, order_id=orders["t-effect-stop"], is_conditional=True)
    for cancel in (stop, CancelOrder(symbol=BTC, order_id=orders["t-effect-2"])):
        plan = await planned(venue, cancel)
        assert await venue.effect_of(plan) is Effect.PENDING
        await sent(venue, plan)
        assert await venue.effect_of(plan) is Effect.DONE


async def test_a_cancel_of_what_was_filled_came_too_late(venue: TradingVenue) -> None:
    await sent(venue, await planned(venue, a_market("t-filled")))
    assert await venue.effect_of(await planned(venue, a_cancel("t-filled"))) is Effect.TOO_LATE


async def test_of_an_order_that_is_not_shown_nothing_is_told(venue: TradingVenue) -> None:
    assert await venue.effect_of(await planned(venue, a_cancel("t-nowhere"))) is Effect.UNTOLD
    assert await venue.effect_of(await planned(venue, a_limit("t-order"))) is Effect.UNTOLD


async def test_a_leverage_is_pending_until_the_market_has_it(venue: TradingVenue) -> None:
    plan = await planned(venue, a_leverage(13))
    assert await venue.effect_of(plan) is Effect.PENDING
    await sent(venue, plan)
    assert await venue.effect_of(plan) is Effect.DONE


ANSWERS = {
    "a refusal": ("/api/v3/order", '{"code":-1000,"msg":"No."}', 400),
    "another order": (
        "/api/v3/order",
        '{"symbol":"BTCUSDT","orderId":1,"clientOrderId":"other","time":1767268800000,"status":"CANCELED"}',
        200,
    ),
    "a word that nobody has read": (
        "/api/v3/order",
        '{"symbol":"BTCUSDT","orderId":1,"clientOrderId":"t-odd","time":1767268800000,"status":"GONE"}',
        200,
    ),
    "no number": ("/fapi/v1/symbolConfig", '[{"symbol":"BTCUSDT","leverage":"x"}]', 200),
    "another market": ("/fapi/v1/symbolConfig", '[{"symbol":"ETHUSDT","leverage":5}]', 200),
}


@pytest.mark.parametrize(("path", "body", "status"), ANSWERS.values(), ids=ANSWERS)
async def test_an_odd_answer_tells_nothing(
    sim: SimulatedExchange, venue: TradingVenue, path: str, body: str, status: int
) -> None:
    sim.control.add_fault({"path": path, "kind": "status", "status": status, "body": body, "times": None})
    write = a_cancel("t-odd") if path == "/api/v3/order" else a_leverage(5)
    assert await venue.effect_of(await planned(venue, write)) is Effect.UNTOLD


async def test_a_key_that_may_not_be_used_tells_nothing(sim: SimulatedExchange, cache: Path) -> None:
    async with trading(traders(sim, key="withdrawer"), cache=cache) as opened:
        venue = opened.trading["main"]
        assert await venue.effect_of(await planned(venue, a_leverage(5))) is Effect.UNTOLD


def test_what_an_effect_rests_on_is_the_venues_own_lag_and_nothing_at_the_simulator() -> None:
    live = effect_rules("binance", LINEAR, Environment.LIVE)
    assert live.refuses_late
    assert live.lag_ms > 0
    assert effect_rules("binance", SPOT, Environment.SIM) == replace(live, lag_ms=0)
    assert not effect_rules("kraken", SPOT, Environment.LIVE).refuses_late
