"""A line carries one write: open before it is needed, never used before, never used again."""

import asyncio
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from exchange_mcp.model.errors import EgressBlockedError
from exchange_mcp.rules.endpoints import EndpointClass
from exchange_mcp.venue.egress import reading
from exchange_mcp.venue.evidence import evidence
from exchange_mcp.venue.line import Line
from exchange_mcp.venue.render import render
from exchange_mcp.venue.verdict import judge
from exchange_mcp.venue.writes import Sent
from venue.faulty_venue import DROP, FaultyVenue, faulty, says
from venue.guarded import ALLOWED, HOSTS, READS, guarded
from venue.opened import settled
from venue.sending import ACCEPTED, IN_2100_MS, LEVERAGE, LIMIT, WRITES, always

pytestmark = pytest.mark.anyio

SPOT_ORIGIN = "https://api.binance.com"


async def over(client: Any, line: Line, cls: EndpointClass = EndpointClass.ORDER) -> Sent:  # noqa: ANN401 - ccxt
    request, send = WRITES[cls]
    write = render(client, request, ALLOWED[cls])
    return await send(client, write, ALLOWED[cls], latest_ms=IN_2100_MS, line=line)


async def connected(venue: FaultyVenue, count: int) -> None:
    """Wait until the venue has taken so many connections."""
    with anyio.fail_after(5):
        while len(venue.serving) < count:
            await anyio.lowlevel.checkpoint()


async def test_a_write_leaves_over_a_line_that_was_open_before_it_and_that_nothing_was_sent_over() -> None:
    async with faulty(always(says(200, ACCEPTED)), *HOSTS) as venue, guarded(venue.loopback) as client:
        with reading(READS):
            await client.publicGetTime()
        line = await client.session.line(SPOT_ORIGIN)
        # The handshake is done: it is connected, and nothing came over it.
        await connected(venue, 2)
        with reading(READS):
            await client.publicGetTime()
        assert venue.arrived == ["GET /api/v3/time"] * 2
        sent = await over(client, line)
        assert sent.error is None
        assert venue.arrived[2:] == ["POST /api/v3/order"]
        reads, write = set(venue.connections[:2]), venue.connections[2]
        assert len(reads) == 1
        assert write not in reads
        with reading(READS):
            await client.publicGetTime()
        assert venue.connections[3] in reads
        # No connection was opened for the write itself.
        assert len(venue.serving) == 2
        await line.close()


async def test_a_line_carries_one_write_and_the_next_finds_it_spent() -> None:
    async with faulty(always(says(200, ACCEPTED)), *HOSTS) as venue, guarded(venue.loopback) as client:
        line = await client.session.line(SPOT_ORIGIN)
        assert (await over(client, line)).error is None
        second = await over(client, line)
        assert isinstance(second.error, EgressBlockedError)
        assert not second.is_on_wire
        await line.close()
        await line.close()
    assert venue.arrived == ["POST /api/v3/order"]


async def test_a_cancel_whose_line_breaks_is_not_sent_again_by_aiohttp() -> None:
    async with faulty(always(DROP), *HOSTS) as venue, guarded(venue.loopback) as client:
        line = await client.session.line(SPOT_ORIGIN)
        sent = await over(client, line, EndpointClass.CANCEL)
        assert sent.is_on_wire
        request, _ = WRITES[EndpointClass.CANCEL]
        write = render(client, request, ALLOWED[EndpointClass.CANCEL])
        assert judge(evidence(write, sent)).outcome == "unknown"
        await line.close()
    assert venue.arrived == ["DELETE /api/v3/order"]


class Leaves(FaultyVenue):
    """Takes a connection and closes it."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:  # noqa: ARG002 - a venue's own
        writer.close()


class Speaks(FaultyVenue):
    """Answers before it was asked, as a proxy does that grows tired of an idle connection."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Read after an order had left, it would be taken for the answer to that.
        writer.write(says(408))
        await FaultyVenue.serve(self, reader, writer)


@pytest.mark.parametrize("kind", [Leaves, Speaks])
async def test_a_line_that_its_venue_closed_or_spoke_on_unasked_sends_nothing(
    kind: type[FaultyVenue],
) -> None:
    async with (
        faulty(always(says(200, ACCEPTED)), *HOSTS, kind=kind) as venue,
        guarded(venue.loopback) as client,
    ):
        line = await client.session.line(SPOT_ORIGIN)
        await settled()
        sent = await over(client, line)
        assert sent.error is not None
        assert not sent.is_on_wire
        write = render(client, LIMIT, ALLOWED[EndpointClass.ORDER])
        assert judge(evidence(write, sent)).outcome == "not_sent"
        await line.close()
    assert venue.arrived == []


async def test_a_line_to_one_host_carries_nothing_to_another() -> None:
    async with faulty(always(says(200, ACCEPTED)), *HOSTS) as venue, guarded(venue.loopback) as client:
        line = await client.session.line(SPOT_ORIGIN)
        sent = await over(client, line, EndpointClass.LEVERAGE)
        assert isinstance(sent.error, EgressBlockedError)
        assert not sent.is_on_wire
        await line.close()
    assert venue.arrived == []
    assert LEVERAGE.symbol != LIMIT.symbol


async def test_a_line_that_nobody_closed_is_closed_with_the_session() -> None:
    async with faulty(always(says(200, ACCEPTED)), *HOSTS) as venue:
        async with guarded(venue.loopback) as client:
            line = await client.session.line(SPOT_ORIGIN)
            await connected(venue, 1)
        assert line.session.closed
