"""A write leaves as it was rendered, once, from its own client, or not at all."""

import contextlib
from dataclasses import replace
from typing import Any

import anyio
import pytest

from exchange_mcp.model.errors import EgressBlockedError
from exchange_mcp.rules.endpoints import Endpoint, EndpointClass
from exchange_mcp.venue.egress import Rendered
from exchange_mcp.venue.render import render

from .faulty_venue import faulty, says
from .guarded import ALLOWED, HOSTS, guarded
from .sending import ACCEPTED, LIMIT, always, granted, sent

pytestmark = pytest.mark.anyio

# --- one write, one client ---


async def test_a_rendered_write_is_good_for_one_send() -> None:
    async with faulty(always(says(200, ACCEPTED)), *HOSTS) as venue, guarded(venue.loopback) as client:
        write = render(client, LIMIT, ALLOWED[EndpointClass.ORDER])
        results = [await sent(client, EndpointClass.ORDER, write) for _ in range(2)]
    assert results[0].error is None
    assert isinstance(results[1].error, EgressBlockedError)
    assert not results[1].is_on_wire
    assert venue.arrived == ["POST /api/v3/order"]


async def test_two_tasks_with_one_rendered_write_send_it_once() -> None:
    results: list[Any] = []
    async with faulty(always(says(200, ACCEPTED)), *HOSTS) as venue, guarded(venue.loopback) as client:
        write = render(client, LIMIT, ALLOWED[EndpointClass.ORDER])

        async def send() -> None:
            results.append(await sent(client, EndpointClass.ORDER, write))

        async with anyio.create_task_group() as group:
            for _ in range(5):
                group.start_soon(send)
    assert sum(result.is_on_wire for result in results) == 1
    assert venue.arrived == ["POST /api/v3/order"]


async def test_a_write_is_sent_by_the_client_that_rendered_it_and_by_no_other() -> None:
    async with (
        faulty(always(says(200, ACCEPTED)), *HOSTS) as venue,
        guarded(venue.loopback) as client,
        guarded(venue.loopback) as other,
    ):
        write = render(client, LIMIT, ALLOWED[EndpointClass.ORDER])
        with pytest.raises(EgressBlockedError, match="another client"):
            await sent(other, EndpointClass.ORDER, write)
        with pytest.raises(EgressBlockedError, match="could not be found again"):
            await sent(client, EndpointClass.ORDER, replace(write, client_id=None))
    assert venue.arrived == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("side=BUY", "side=SELL"),
        ("quantity=0.5", "quantity=5"),
        ("symbol=BTCUSDT", "symbol=ETHUSDT"),
        ("type=LIMIT", "type=MARKET"),
        ("quantity=0.5", "quantity=0.5&icebergQty=0.1"),
        ("quantity=0.5", "quantity=0.5&quantity=50"),
        ("timestamp=", "timestamp=1&timestamp="),
    ],
)
async def test_a_write_that_signing_changed_is_not_sent(before: str, after: str) -> None:
    async with faulty(always(says(200, ACCEPTED)), *HOSTS) as venue, guarded(venue.loopback) as client:
        write, sign = render(client, LIMIT, ALLOWED[EndpointClass.ORDER]), client.sign

        def spoil(*arguments: Any) -> dict[str, Any]:  # noqa: ANN401 - ccxt's signature
            request: dict[str, Any] = sign(*arguments)
            assert before in request["body"]
            return {**request, "body": request["body"].replace(before, after)}

        client.sign = spoil
        result = await sent(client, EndpointClass.ORDER, write)
    assert isinstance(result.error, EgressBlockedError)
    assert not result.is_on_wire
    assert venue.arrived == []


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("url", "https://api.binance.com/api/v3/order?newOrderRespType=ACK"),
        ("headers", {"X-MBX-APIKEY": "k", "X-HTTP-Method-Override": "DELETE"}),
        ("body", b"symbol=BTCUSDT"),
        ("body", "{}"),
    ],
)
async def test_a_write_to_which_signing_added_something_is_not_sent(part: str, value: object) -> None:
    async with faulty(always(says(200, ACCEPTED)), *HOSTS) as venue, guarded(venue.loopback) as client:
        write, sign = render(client, LIMIT, ALLOWED[EndpointClass.ORDER]), client.sign

        def added(*arguments: Any) -> dict[str, Any]:  # noqa: ANN401 - ccxt's signature
            return {**sign(*arguments), part: value}

        client.sign = added
        result = await sent(client, EndpointClass.ORDER, write)
    assert isinstance(result.error, EgressBlockedError)
    assert venue.arrived == []


@pytest.mark.parametrize("value", [0.5, float("nan"), None, {"a": 1}, ["a"]])
async def test_a_parameter_that_is_no_plain_value_is_in_no_write(value: object) -> None:
    buy = Endpoint("POST", "private", "order")
    with pytest.raises(ValueError, match="not text, a whole number"):
        Rendered.of(buy, {"quantity": value})
    with pytest.raises(ValueError, match="not text, a whole number"):
        Rendered.of(buy, {"a": {1: "b"}})
    async with faulty(always(says(200, ACCEPTED)), *HOSTS) as venue, guarded(venue.loopback) as client:
        write = render(client, LIMIT, ALLOWED[EndpointClass.ORDER])
        with (
            pytest.raises(EgressBlockedError),
            granted(write),
            contextlib.suppress(EgressBlockedError),
        ):
            await client.privatePostOrder({**write.rendered.fields(), "quantity": value})
    assert venue.arrived == []


# --- exactly what was rendered ---


@pytest.mark.parametrize(
    "change",
    [
        {"quantity": "0.50001"},
        {"quantity": 0.5},
        {"price": "100.01"},
        {"side": "SELL"},
        {"symbol": "ETHUSDT"},
        {"newClientOrderId": "other"},
        {"icebergQty": "0.1"},
        {"recvWindow": 60000},
        {"timeInForce": None},
    ],
)
async def test_an_order_with_a_field_more_or_other_than_rendered_is_not_sent(
    change: dict[str, object],
) -> None:
    async with faulty(always(says(200, ACCEPTED)), *HOSTS) as venue, guarded(venue.loopback) as client:
        write = render(client, LIMIT, ALLOWED[EndpointClass.ORDER])
        with (
            pytest.raises(EgressBlockedError, match="not the request that was rendered"),
            granted(write),
        ):
            await client.privatePostOrder({**write.rendered.fields(), **change})
    assert venue.arrived == []


@pytest.mark.parametrize(
    ("signed", "spoiled"),
    [
        ("newClientOrderId=abc123&", ""),
        ("newClientOrderId=abc123", "newClientOrderId=x-brokerabc123"),
        ("newClientOrderId=abc123", "newClientOrderId=abc123&newClientOrderId=abc123"),
        ("newClientOrderId=abc123", "newClientOrderId=abc123&newClientOrderId="),
    ],
)
async def test_an_order_whose_client_id_was_lost_or_changed_in_signing_is_not_sent(
    signed: str, spoiled: str
) -> None:
    async with faulty(always(says(200, ACCEPTED)), *HOSTS) as venue, guarded(venue.loopback) as client:
        write, sign = render(client, LIMIT, ALLOWED[EndpointClass.ORDER]), client.sign

        def spoil(*arguments: Any) -> dict[str, Any]:  # noqa: ANN401 - ccxt's signature
            request: dict[str, Any] = sign(*arguments)
            assert signed in request["body"]
            return {**request, "body": request["body"].replace(signed, spoiled)}

        client.sign = spoil
        result = await sent(client, EndpointClass.ORDER, write)
    assert isinstance(result.error, EgressBlockedError)
    assert "client order id" in result.error.message
    assert not result.is_on_wire
    assert venue.arrived == []


async def test_an_accepted_order_carries_exactly_the_rendered_fields() -> None:
    async with faulty(always(says(200, ACCEPTED)), *HOSTS) as venue, guarded(venue.loopback) as client:
        write = render(client, LIMIT, ALLOWED[EndpointClass.ORDER])
        result = await sent(client, EndpointClass.ORDER, write)
    assert result.error is None
    names = {part.partition("=")[0]: part.partition("=")[2] for part in venue.bodies[0].split("&")}
    for added_by_signing in ("timestamp", "signature", "recvWindow"):
        names.pop(added_by_signing)
    assert names == {name: str(value) for name, value in write.rendered.fields().items()}
