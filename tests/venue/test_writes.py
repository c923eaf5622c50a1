"""Writes through real ccxt and aiohttp to the simulated exchange; what the venue holds afterwards is counted."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from decimal import Decimal
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from exchange_mcp.model.accounts import Environment
from exchange_mcp.model.writes import CancelOrder, OrderType, PlaceOrder, SetLeverage
from exchange_mcp.rules.endpoints import EndpointClass
from exchange_mcp.sim import SimulatedExchange
from exchange_mcp.venue.client import addresses, fetch_catalogue, install, make_client, shut
from exchange_mcp.venue.egress import loading, reading
from exchange_mcp.venue.endpoints import table
from exchange_mcp.venue.render import render
from exchange_mcp.venue.wire import Loopback, Wire
from exchange_mcp.venue.writes import Sent, cancel_order, place_order, set_leverage

from .guarded import ALLOWED, EVERYTHING, READS, TYPES
from .sending import IN_2100_MS

pytestmark = pytest.mark.anyio

SPOT, SWAP = "BTC/USDT", "BTC/USDT:USDT"
ORDERS, CANCELS, LEVERAGES = (
    ALLOWED[c] for c in (EndpointClass.ORDER, EndpointClass.CANCEL, EndpointClass.LEVERAGE)
)


@asynccontextmanager
async def trading(sim: SimulatedExchange, label: str = "trader") -> AsyncGenerator[Any]:
    """A guarded client with a trading key and the simulated exchange's own markets."""
    key, wire = sim.keys[label], Wire(Loopback(sim.port, sim.ca_pem))
    places = addresses("binance", Environment.SIM, TYPES, EVERYTHING, table("binance").hosts)
    credentials = {"apiKey": key.api_key, "secret": key.secret}
    client = make_client(
        "binance", Environment.SIM, TYPES, wire=wire, places=places, credentials=credentials, rate_limit=False
    )
    with loading(ALLOWED[EndpointClass.MARKETS]):
        install(client, await fetch_catalogue(client, 0))
    sim.control.clear_requests()
    try:
        yield client
    finally:
        shut(client)
        await wire.close()


def resting(symbol: str = SPOT, client_order_id: str = "t-rests-1") -> PlaceOrder:
    """A buy far below the market."""
    return PlaceOrder(
        symbol=symbol,
        side="buy",
        type=OrderType.LIMIT,
        amount=Decimal("0.002"),
        price=Decimal("60000.0"),
        client_order_id=client_order_id,
    )


async def placed(client: Any, order: PlaceOrder) -> Sent:  # noqa: ANN401 - ccxt is untyped
    return await place_order(client, render(client, order, ORDERS), ORDERS, latest_ms=IN_2100_MS)


async def found(client: Any, symbol: str, client_order_id: str) -> dict[str, Any]:  # noqa: ANN401 - as above
    with reading(READS):
        return await client.fetch_order("", symbol, {"clientOrderId": client_order_id})


def arrived(sim: SimulatedExchange, method: str) -> int:
    return len([entry for entry in sim.control.requests() if entry.method == method])


@pytest.mark.parametrize("symbol", [SPOT, SWAP])
async def test_an_order_is_placed_found_by_both_ids_and_cancelled(
    sim: SimulatedExchange, symbol: str
) -> None:
    async with trading(sim) as client:
        sent = await placed(client, resting(symbol))
        assert sent.error is None
        assert sent.attempt is not None
        assert sent.attempt.status == 200
        assert sent.answer["clientOrderId"] == "t-rests-1"
        order = await found(client, symbol, "t-rests-1")
        assert (order["id"], order["status"]) == (sent.answer["id"], "open")
        with reading(READS):
            assert (await client.fetch_order(order["id"], symbol))["clientOrderId"] == "t-rests-1"
        cancel = CancelOrder(symbol=symbol, client_order_id="t-rests-1")
        assert (
            await cancel_order(client, render(client, cancel, CANCELS), CANCELS, latest_ms=IN_2100_MS)
        ).error is None
        with reading(READS):
            assert (await client.fetch_order(order["id"], symbol))["status"] == "canceled"


async def test_a_stop_is_placed_and_cancelled_where_the_venue_keeps_stops(sim: SimulatedExchange) -> None:
    stop = PlaceOrder(
        symbol=SWAP,
        side="sell",
        type=OrderType.STOP_MARKET,
        amount=Decimal("0.1"),
        trigger_price=Decimal("70000.0"),
        client_order_id="t-stop-1",
        is_reduce_only=True,
    )
    async with trading(sim) as client:
        sent = await placed(client, stop)
        assert sent.error is None
        with reading(READS):
            orders = await client.fetch_open_orders(SWAP, None, None, {"trigger": True})
        assert "t-stop-1" in [order["clientOrderId"] for order in orders]
        cancel = CancelOrder(symbol=SWAP, client_order_id="t-stop-1", is_conditional=True)
        assert (
            await cancel_order(client, render(client, cancel, CANCELS), CANCELS, latest_ms=IN_2100_MS)
        ).error is None


async def test_leverage_is_set_and_read_back(sim: SimulatedExchange) -> None:
    async with trading(sim) as client:
        write = render(client, SetLeverage(symbol=SWAP, leverage=7), LEVERAGES)
        sent = await set_leverage(client, write, LEVERAGES, latest_ms=IN_2100_MS)
        assert sent.error is None
        with reading(READS):
            (position,) = [
                p for p in await client.fetch_positions(None, {"useV2": True}) if p["symbol"] == SWAP
            ]
    assert str(position["leverage"]) == "7"


@pytest.mark.parametrize("symbol", [SPOT, SWAP])
async def test_an_answer_that_is_lost_leaves_one_order_and_evidence_that_something_is_out(
    sim: SimulatedExchange, symbol: str
) -> None:
    async with trading(sim) as client:
        path = "/api/v3/order" if symbol == SPOT else "/fapi/v1/order"
        sim.control.add_fault({"method": "POST", "path": path, "kind": "close", "when": "after", "times": 1})
        sent = await placed(client, resting(symbol))
        assert sent.error is not None
        assert sent.is_on_wire
        order = await found(client, symbol, "t-rests-1")
    assert order["status"] == "open"
    assert arrived(sim, "POST") == 1


async def test_a_cancel_whose_answer_is_lost_reaches_the_venue_once(sim: SimulatedExchange) -> None:
    async with trading(sim) as client:
        await placed(client, resting())
        sim.control.add_fault({"method": "DELETE", "path": "/api/v3/order", "kind": "close", "when": "after"})
        cancel = CancelOrder(symbol=SPOT, client_order_id="t-rests-1")
        sent = await cancel_order(client, render(client, cancel, CANCELS), CANCELS, latest_ms=IN_2100_MS)
        assert sent.error is not None
        assert sent.is_on_wire
    assert arrived(sim, "DELETE") == 1


async def test_a_read_key_is_refused_by_the_venue_and_that_is_evidence_too(sim: SimulatedExchange) -> None:
    async with trading(sim, "reader") as client:
        sent = await placed(client, resting())
    assert sent.error is not None
    assert sent.attempt is not None
    # "Invalid API-key, IP, or permissions for action.": https://developers.binance.com/docs/binance-spot-api-docs/errors
    assert '"code":-2015' in (sent.attempt.body or "")


async def test_a_write_whose_task_is_cancelled_while_it_is_out_still_tells_what_was_seen(
    sim: SimulatedExchange,
) -> None:
    async with trading(sim) as client:
        sim.control.add_fault({"method": "POST", "path": "/api/v3/order", "kind": "hang", "when": "after"})
        write = render(client, resting(), ORDERS)
        results: list[Sent] = []

        async def send() -> None:
            results.append(await place_order(client, write, ORDERS, latest_ms=IN_2100_MS))

        async with anyio.create_task_group() as group:
            group.start_soon(send)
            while arrived(sim, "POST") < 1:
                await anyio.lowlevel.checkpoint()
            group.cancel_scope.cancel()
        (sent,) = results
        assert sent.is_on_wire
        sim.control.clear_faults()
        order = await found(client, SPOT, "t-rests-1")
    assert order["status"] == "open"


async def test_an_order_that_is_not_the_rendered_one_never_reaches_the_venue(sim: SimulatedExchange) -> None:
    async with trading(sim) as client:
        asked, other = resting(), resting(client_order_id="t-other")
        swapped = replace(render(client, other, ORDERS), request=asked)
        sent = await place_order(client, swapped, ORDERS, latest_ms=IN_2100_MS)
        assert sent.error is not None
        assert not sent.is_on_wire
    assert arrived(sim, "POST") == 0
