"""A write whose claim states a last moment is not sent where the venue could take it later."""

import time

import pytest

from exchange_mcp.model.errors import EgressBlockedError
from exchange_mcp.rules.endpoints import EndpointClass
from exchange_mcp.venue.render import render

from .faulty_venue import faulty, says
from .guarded import ALLOWED, HOSTS, guarded
from .sending import ACCEPTED, WRITES, always

pytestmark = pytest.mark.anyio


def now_ms() -> int:
    return time.time_ns() // 1_000_000


@pytest.mark.parametrize("cls", WRITES)
async def test_a_write_that_could_be_taken_after_its_deadline_is_not_sent(cls: EndpointClass) -> None:
    request, send = WRITES[cls]
    async with faulty(always(says(200, ACCEPTED)), *HOSTS) as venue, guarded(venue.loopback) as client:
        write = render(client, request, ALLOWED[cls])
        # The signed window is seconds long, so that it ends after this.
        sent = await send(client, write, ALLOWED[cls], latest_ms=now_ms() + 100)
    assert isinstance(sent.error, EgressBlockedError)
    assert "deadline" in str(sent.error)
    assert not sent.is_on_wire
    assert not write.token.is_spent
    assert venue.arrived == []


@pytest.mark.parametrize("cls", WRITES)
async def test_a_write_whose_window_ends_before_its_deadline_is_sent_once(cls: EndpointClass) -> None:
    request, send = WRITES[cls]
    async with faulty(always(says(200, ACCEPTED)), *HOSTS) as venue, guarded(venue.loopback) as client:
        write = render(client, request, ALLOWED[cls])
        latest_ms = now_ms() + 120_000
        sent = await send(client, write, ALLOWED[cls], latest_ms=latest_ms)
    assert sent.is_on_wire
    assert len(venue.arrived) == 1
    assert sent.attempt.signed_ms + sent.attempt.window_ms <= latest_ms


async def test_exactly_the_deadline_is_in_time_and_a_millisecond_more_is_not() -> None:
    request, send = WRITES[EndpointClass.ORDER]
    async with faulty(always(says(200, ACCEPTED)), *HOSTS) as venue, guarded(venue.loopback) as client:
        client.milliseconds = lambda: 1_767_225_600_000
        window = int(client.options.get("recvWindow", 10_000))
        for latest_ms in (1_767_225_600_000 + window - 1, 1_767_225_600_000 + window):
            write = render(client, request, ALLOWED[EndpointClass.ORDER])
            await send(client, write, ALLOWED[EndpointClass.ORDER], latest_ms=latest_ms)
    assert len(venue.arrived) == 1
