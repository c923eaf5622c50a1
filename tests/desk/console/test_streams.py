"""News reach an open page at once; however many streams are opened, few are kept, and none outlives its session."""

import asyncio
import json
from collections.abc import AsyncGenerator

import pytest

from exchange_mcp.desk.console.sessions import LONGEST_MS, Session
from exchange_mcp.desk.console.streams import MOST, stream

from .proposals import spot
from .visiting import LOOKS, Desk

pytestmark = pytest.mark.anyio


def session_of(desk: Desk) -> Session:
    return [*desk.console.room.sessions][-1]


def opened(desk: Desk) -> AsyncGenerator[str]:
    session = session_of(desk)
    sessions = desk.console.room.sessions
    return stream(desk.office, session.streams, is_over=lambda: sessions.is_over(session))


def told(event: str) -> tuple[str, dict[str, int]]:
    name, _, data = event.removeprefix("retry: 2000\n\n").partition("\ndata: ")
    return name.removeprefix("event: "), json.loads(data)


async def test_a_proposal_is_told_to_an_open_page_at_once() -> None:
    async with Desk() as desk:
        events = opened(desk)
        assert told(await anext(events))[1]["pending"] == 0
        waiting = asyncio.ensure_future(anext(events))
        await asyncio.sleep(0)
        assert not waiting.done()
        desk.office.propose(spot())
        name, data = told(await waiting)
        assert (name, data["pending"], data["head"]) == ("now", 1, 1)
        await events.aclose()


async def test_thousands_of_streams_leave_the_latest_few_open() -> None:
    async with Desk() as desk:
        streams = [opened(desk) for _ in range(2000)]
        for each in streams:
            await anext(each)
        assert len(session_of(desk).streams) == MOST
        ended = [told(await anext(each))[0] for each in streams[:-MOST]]
        assert set(ended) == {"over"}
        for each in streams:
            await each.aclose()
        assert len(session_of(desk).streams) == 0


async def test_a_stream_ends_with_its_session() -> None:
    async with Desk() as desk:
        events = opened(desk)
        await anext(events)
        waiting = asyncio.ensure_future(anext(events))
        await asyncio.sleep(0)
        desk.console.close()
        assert told(await waiting)[0] == "over"
        with pytest.raises(StopAsyncIteration):
            await anext(events)


async def test_a_stream_left_open_overnight_tells_nothing_in_the_morning() -> None:
    async with Desk() as desk:
        events = opened(desk)
        await anext(events)
        waiting = asyncio.ensure_future(anext(events))
        await asyncio.sleep(0)
        desk.clock.ms += LONGEST_MS
        desk.office.propose(spot())
        assert told(await waiting) == ("over", {})


async def test_a_reader_that_goes_away_leaves_nothing_behind() -> None:
    async with Desk() as desk:
        gone = asyncio.Event()
        sent: list[str] = []
        asked: list[dict[str, object]] = [{"type": "http.request", "body": b"", "more_body": False}]

        async def receive() -> dict[str, object]:
            if asked:
                return asked.pop()
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: dict[str, object]) -> None:
            sent.append(str(message["type"]))
            if message.get("body"):
                gone.set()

        cookie = next(iter(desk.client.cookies.jar))
        headers = {**LOOKS, "host": "localhost:8767", "sec-fetch-dest": "empty"}
        headers["cookie"] = f"{cookie.name}={cookie.value}"
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": desk.root + "events",
            "raw_path": (desk.root + "events").encode(),
            "query_string": b"",
            "root_path": "",
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        }
        await asyncio.wait_for(desk.console(scope, receive, send), 10)  # type: ignore[arg-type] - ASGI by hand
        assert sent[0] == "http.response.start"
        assert len(session_of(desk).streams) == 0
