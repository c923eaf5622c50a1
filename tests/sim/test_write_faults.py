"""Faults on writes: before the venue acts nothing happens, and after it acted only the answer is lost."""

import asyncio
import json
from collections.abc import AsyncGenerator

import aiohttp
import pytest

from exchange_mcp.sim import SimulatedExchange

from .clients import Ccxt, Json, StillClock, arrival, binance, ccxt

pytestmark = pytest.mark.anyio

PAIR = "BTC/USDT"
ORDER = "/api/v3/order"
WHEN = pytest.mark.parametrize(("when", "placed"), [("before", 0), ("after", 1)])


@pytest.fixture
async def trader(fresh: SimulatedExchange, fresh_session: aiohttp.ClientSession) -> AsyncGenerator[Ccxt]:
    client = binance(fresh_session, fresh, "trader", clock=StillClock())
    await client.load_markets()
    yield client
    await client.close()


def count(venue: SimulatedExchange) -> int:
    return sum(record.client_order_id == "mine" for record in venue.control.orders("main"))


async def place(client: Ccxt) -> Json:
    return await client.create_order(PAIR, "limit", "buy", 0.01, 90_000, {"clientOrderId": "mine"})


@WHEN
async def test_a_connection_closed_after_the_venue_acted_leaves_an_order(
    fresh: SimulatedExchange, trader: Ccxt, when: str, placed: int
) -> None:
    fresh.control.add_fault({"kind": "close", "path": ORDER, "method": "POST", "when": when, "times": 1})
    with pytest.raises(ccxt.ExchangeNotAvailable):
        await place(trader)
    assert count(fresh) == placed
    assert [entry.status for entry in fresh.control.requests() if entry.is_write] == [None]


@WHEN
async def test_a_server_error_after_the_venue_acted_leaves_an_order(
    fresh: SimulatedExchange, trader: Ccxt, when: str, placed: int
) -> None:
    body = json.dumps({"code": -1007, "msg": "Timeout waiting for response from backend server."})
    fresh.control.add_fault({"kind": "status", "status": 504, "body": body, "path": ORDER, "when": when})
    with pytest.raises(ccxt.RequestTimeout):
        await place(trader)
    assert count(fresh) == placed


async def test_without_a_word_a_fault_strikes_before_the_venue_acts(
    fresh: SimulatedExchange, trader: Ccxt
) -> None:
    fresh.control.add_fault({"kind": "status", "status": 500, "path": ORDER})
    with pytest.raises(ccxt.ExchangeNotAvailable):
        await place(trader)
    assert count(fresh) == 0


@WHEN
async def test_an_answer_that_hangs_was_acted_on_or_will_be(
    fresh: SimulatedExchange, trader: Ccxt, when: str, placed: int
) -> None:
    asked = len(fresh.control.requests())
    fresh.control.add_fault({"kind": "hang", "path": ORDER, "method": "POST", "when": when})
    hanging = asyncio.create_task(place(trader))
    await arrival(fresh.control, asked + 1)
    assert count(fresh) == placed
    fresh.control.clear_faults()
    assert (await hanging)["clientOrderId"] == "mine"
    assert count(fresh) == 1


@WHEN
async def test_a_client_that_gives_up_waiting_left_an_order_or_none(
    fresh: SimulatedExchange, trader: Ccxt, when: str, placed: int
) -> None:
    fresh.control.add_fault({"kind": "hang", "path": ORDER, "method": "POST", "when": when})
    trader.timeout = 50
    with pytest.raises(ccxt.RequestTimeout):
        await place(trader)
    trader.timeout = 10_000
    # One more round trip, so that the venue has seen the client leave.
    await trader.fetch_time()
    fresh.control.clear_faults()
    assert count(fresh) == placed


async def test_a_late_answer_is_the_venues_own(fresh: SimulatedExchange, trader: Ccxt) -> None:
    fresh.control.add_fault({"kind": "delay", "ms": 30, "path": ORDER, "when": "after"})
    assert (await place(trader))["status"] == "open"
    assert count(fresh) == 1


async def test_a_cancel_can_be_lost_after_it_was_done(fresh: SimulatedExchange, trader: Ccxt) -> None:
    placed = await place(trader)
    fresh.control.add_fault({"kind": "close", "path": ORDER, "method": "DELETE", "when": "after"})
    with pytest.raises(ccxt.ExchangeNotAvailable):
        await trader.cancel_order(placed["id"], PAIR)
    assert (await trader.fetch_order(placed["id"], PAIR))["status"] == "canceled"


async def test_orders_and_faults_are_steered_over_http(
    fresh: SimulatedExchange, fresh_session: aiohttp.ClientSession, trader: Ccxt
) -> None:
    headers = {"Authorization": f"Bearer {fresh.control_token}"}
    rule = {"kind": "close", "path": ORDER, "method": "POST", "when": "after"}
    async with fresh_session.post("https://localhost/__sim/faults", json=rule, headers=headers) as response:
        assert response.status == 201
    with pytest.raises(ccxt.ExchangeNotAvailable):
        await place(trader)
    url = "https://localhost/__sim/orders"
    async with fresh_session.get(f"{url}?account=main", headers=headers) as response:
        orders = (await response.json())["orders"]
    [mine] = [order for order in orders if order["client_order_id"] == "mine"]
    del mine["id"]
    assert mine == {
        "account": "main",
        "market": "spot",
        "client_order_id": "mine",
        "symbol": "BTCUSDT",
        "side": "BUY",
        "type": "LIMIT",
        "quantity": "0.01000000",
        "executed": "0.00000000",
        "price": "90000.00000000",
        "trigger_price": "0.00000000",
        "status": "NEW",
        "source": "api",
    }
    async with fresh_session.get(url, headers=headers) as response:
        assert {order["account"] for order in (await response.json())["orders"]} == {"main", "alt"}
    async with fresh_session.get(f"{url}?account=nobody", headers=headers) as response:
        assert (response.status, await response.json()) == (
            400,
            {"error": "account is one of main, alt, not 'nobody'"},
        )
    async with fresh_session.get(url) as response:
        assert response.status == 401
