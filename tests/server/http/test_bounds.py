"""How much of the server anybody may have, and that nobody else is held up by who takes it."""

import socket
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from anyio.abc import SocketStream

from exchange_mcp.model.balances import Balance
from exchange_mcp.server.calls import Limits

from .listening import INITIALIZE, LIST, Place, call, code_of, event_of, listening, modern, until

if TYPE_CHECKING:
    import httpx

pytestmark = pytest.mark.anyio


async def connected(place: Place, *, receive_buffer: int | None = None) -> SocketStream:
    raw = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if receive_buffer is not None:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    raw.connect(("127.0.0.1", place.port))
    return await SocketStream.from_socket(raw)


async def ended(stream: SocketStream, seconds: float = 5) -> bytes:
    """What still comes until the server closes the connection."""
    received = b""
    with anyio.fail_after(seconds):
        try:
            while True:
                received += await stream.receive()
        except (anyio.EndOfStream, anyio.BrokenResourceError):
            return received


async def test_a_client_that_asks_too_often_is_told_when_to_come_back_and_others_are_served(
    tmp_path: Path,
) -> None:
    # 60 a minute are one a second, and a quarter of a minute's at once: 15.
    async with listening(tmp_path, requests_per_minute=60) as place, place.http() as http:
        headers = {
            **place.headers("reader"),
            "mcp-protocol-version": "2026-07-28",
            "mcp-method": "tools/list",
        }
        for _ in range(15):
            assert (await http.post("/mcp", headers=headers, json=modern("tools/list"))).status_code == 200
        refused = await http.post("/mcp", headers=headers, json=modern("tools/list"))
        assert (refused.status_code, code_of(refused)) == (429, "TOO_MANY_REQUESTS")
        assert refused.headers["retry-after"] == "1"
        assert refused.json()["error"]["data"]["retry"] == "safe"
        other = {**headers, "authorization": f"Bearer {place.tokens['trader']}"}
        assert (await http.post("/mcp", headers=other, json=modern("tools/list"))).status_code == 200
        # Another token of the same client draws from the same bucket.
        place.tokens["again"] = place.token("reader")
        again = {**headers, "authorization": f"Bearer {place.tokens['again']}"}
        assert (await http.post("/mcp", headers=again, json=modern("tools/list"))).status_code == 429
        place.clock.seconds += 1
        assert (await http.post("/mcp", headers=headers, json=modern("tools/list"))).status_code == 200
        assert (await http.post("/mcp", headers=headers, json=modern("tools/list"))).status_code == 429
        assert (await http.get("/healthz")).status_code == 200


async def test_hundreds_of_sessions_of_one_client_leave_it_a_few_and_take_nothing_from_others(
    tmp_path: Path,
) -> None:
    async with (
        listening(tmp_path, max_sessions_per_token=4, requests_per_minute=1_000_000) as place,
        place.http() as http,
    ):
        theirs = await place.session("trader")
        last = ""
        for _ in range(200):
            answer = await http.post("/mcp", headers=place.headers("reader"), json=INITIALIZE)
            assert answer.status_code == 200
            last = answer.headers["mcp-session-id"]
            assert len(place.serving.sessions) <= 5
        for who, session in (("trader", theirs), ("reader", last)):
            headers = place.headers(who, mcp_session_id=session)
            assert (await http.post("/mcp", headers=headers, json=LIST)).status_code == 200


async def test_sessions_that_are_in_use_are_not_given_up_for_another(tmp_path: Path) -> None:
    async with listening(tmp_path, max_sessions_per_token=2) as place, place.http() as http:
        opened: list[httpx.Response] = []
        for _ in range(2):
            headers = place.headers("reader", mcp_session_id=await place.session("reader"))
            opened.append(await http.send(http.build_request("GET", "/mcp", headers=headers), stream=True))
        refused = await http.post("/mcp", headers=place.headers("reader"), json=INITIALIZE)
        assert (refused.status_code, code_of(refused)) == (429, "TOO_MANY_SESSIONS")
        assert refused.headers["retry-after"]
        await opened[0].aclose()
        await until(lambda: len(place.serving.exchanges) == 1)
        await place.session("reader")
        await opened[1].aclose()


async def test_all_sessions_together_are_bounded(tmp_path: Path) -> None:
    async with listening(tmp_path, max_sessions=2) as place, place.http() as http:
        await place.session("reader")
        await place.session("trader")
        place.tokens["third"] = place.token("third")
        refused = await http.post("/mcp", headers=place.headers("third"), json=INITIALIZE)
        assert (refused.status_code, code_of(refused)) == (503, "TOO_MANY_SESSIONS")
        # Who has one already may have another in its place.
        assert (await http.post("/mcp", headers=place.headers("reader"), json=INITIALIZE)).status_code == 200


async def test_open_streams_are_bounded_and_leave_room_for_calls_and_for_others(tmp_path: Path) -> None:
    async with listening(tmp_path, max_streams_per_client=2) as place, place.http() as http:
        headers = place.headers(
            "reader", mcp_protocol_version="2026-07-28", mcp_method="subscriptions/listen"
        )
        message = modern("subscriptions/listen", notifications={"toolsListChanged": True})
        opened = [
            await http.send(http.build_request("POST", "/mcp", headers=headers, json=message), stream=True)
            for _ in range(2)
        ]
        refused = await http.post("/mcp", headers=headers, json=message)
        assert (refused.status_code, code_of(refused)) == (429, "TOO_MANY_OPEN")
        listed = {**headers, "mcp-method": "tools/list"}
        assert (await http.post("/mcp", headers=listed, json=modern("tools/list"))).status_code == 200
        other = {**headers, "authorization": f"Bearer {place.tokens['trader']}"}
        opened.append(
            await http.send(http.build_request("POST", "/mcp", headers=other, json=message), stream=True)
        )
        assert opened[-1].status_code == 200
        # Calling a stream by another name is no way around: the SDK compares it with the message.
        disguised = await http.post("/mcp", headers=listed, json=message)
        assert disguised.status_code == 400
        for stream in opened:
            await stream.aclose()
        await until(lambda: len(place.serving.exchanges) == 0)


async def test_a_client_whose_calls_hang_fills_its_own_share_and_nobody_elses(tmp_path: Path) -> None:
    gate = anyio.Event()
    running = 0

    async def held() -> Sequence[Balance]:
        nonlocal running
        running += 1
        await gate.wait()
        return ()

    async with (
        listening(tmp_path, read=held, limits=Limits(20, 2, 1), max_requests_per_client=4) as place,
        place.http() as http,
    ):
        answers: list[httpx.Response] = []

        def headers(who: str) -> dict[str, str]:
            named = {
                "mcp_protocol_version": "2026-07-28",
                "mcp_method": "tools/call",
                "mcp_name": "get_balance",
            }
            return place.headers(who, **named)

        message = modern("tools/call", name="get_balance", arguments={})

        async def ask(who: str) -> None:
            answers.append(await http.post("/mcp", headers=headers(who), json=message))

        async with anyio.create_task_group() as group:
            for _ in range(3):  # two run, one waits
                group.start_soon(ask, "reader")
            await until(lambda: running == 2 and len(place.serving.exchanges) == 3)
            await ask("reader")
            busy = event_of(answers.pop())["result"]["structuredContent"]["error"]
            assert busy["code"] == "BUSY"
            group.start_soon(ask, "trader")
            await until(lambda: running == 3)
            gate.set()
    assert [event_of(each)["result"]["isError"] for each in answers] == [False] * 4


async def test_a_client_that_goes_away_in_the_middle_of_its_call_fails_nobody_elses(tmp_path: Path) -> None:
    gate = anyio.Event()
    outcomes: list[str] = []

    async def held() -> Sequence[Balance]:
        try:
            await gate.wait()
        except BaseException:
            outcomes.append("cancelled")
            raise
        outcomes.append("answered")
        return ()

    async with listening(tmp_path, read=held) as place, place.http() as http:
        named = {"mcp_protocol_version": "2026-07-28", "mcp_method": "tools/call", "mcp_name": "get_balance"}
        message = modern("tools/call", name="get_balance", arguments={})
        answers: list[httpx.Response] = []

        async def ask() -> None:
            answers.append(await http.post("/mcp", headers=place.headers("trader", **named), json=message))

        async with anyio.create_task_group() as group:
            group.start_soon(ask)
            request = http.build_request(
                "POST", "/mcp", headers=place.headers("reader", **named), json=message
            )
            head = b"".join(name + b": " + value + b"\r\n" for name, value in request.headers.raw)
            stream = await connected(place)
            await stream.send(b"POST /mcp HTTP/1.1\r\n" + head + b"\r\n" + request.content)
            await until(lambda: len(place.serving.exchanges) == 2)
            await stream.aclose()
            await until(lambda: outcomes == ["cancelled"])
            gate.set()
    assert outcomes == ["cancelled", "answered"]
    assert event_of(answers[0])["result"]["isError"] is False


async def test_who_sends_half_a_header_or_half_a_body_is_dropped_in_time_and_holds_nobody_up(
    tmp_path: Path,
) -> None:
    async with listening(tmp_path, patience_seconds=0.4) as place, place.http() as http:
        head = f"POST /mcp HTTP/1.1\r\nHost: {place.host}\r\n".encode()
        silent, half, slow = [await connected(place) for _ in range(3)]
        await half.send(head)
        await slow.send(head + place.bearer("reader") + b"Content-Length: 10\r\n\r\n12345")
        stranger = await connected(place)
        await stranger.send(head + b"Content-Length: 10\r\n\r\n12345")
        assert (await http.get("/healthz")).status_code == 200
        assert await ended(silent) == b""
        assert await ended(half) == b""
        assert b"BODY_TOO_SLOW" in await ended(slow)
        assert b"TOKEN_MISSING" in await ended(stranger)
        for stream in (silent, half, slow, stranger):
            await stream.aclose()


async def test_bytes_that_drip_in_do_not_prolong_the_time_for_a_header(tmp_path: Path) -> None:
    async with listening(tmp_path, patience_seconds=0.3) as place:
        stream = await connected(place)
        with anyio.fail_after(5), pytest.raises((anyio.BrokenResourceError, anyio.EndOfStream)):
            await drip(stream)
        await stream.aclose()


async def drip(stream: SocketStream) -> None:
    """A header block that grows by a byte at a time, faster than anybody's patience."""
    await stream.send(b"GET /healthz HTTP/1.1\r\nX: ")
    while True:
        await stream.send(b"x")
        with anyio.move_on_after(0.05):
            await stream.receive()


async def test_where_all_places_are_taken_the_one_that_waits_for_the_longest_makes_room(
    tmp_path: Path,
) -> None:
    async with listening(tmp_path, max_connections=8, patience_seconds=60) as place:
        idle = [await connected(place) for _ in range(40)]
        head = f"GET /healthz HTTP/1.1\r\nHost: {place.host}\r\n\r\n".encode()
        assert (await place.raw(head)).startswith(b"HTTP/1.1 200")
        assert await ended(idle[0]) == b""
        await idle[-1].send(head)
        assert (await idle[-1].receive()).startswith(b"HTTP/1.1 200")
        for stream in idle:
            await stream.aclose()


async def test_strangers_who_send_half_a_body_again_and_again_keep_no_place_from_who_has_a_token(
    tmp_path: Path,
) -> None:
    async with listening(tmp_path, max_connections=8) as place:
        half = f"POST /mcp HTTP/1.1\r\nHost: {place.host}\r\nContent-Length: 10\r\n\r\n12345".encode()
        whole = half.replace(
            b"Content-Length: 10\r\n\r\n12345", place.bearer("reader") + b"Content-Length: 0\r\n\r\n"
        )
        strangers: list[SocketStream] = []
        for _ in range(3):
            for _ in range(8):
                strangers.append(await connected(place))
                await strangers[-1].send(half)
            # None of them has been refused yet, since each could still send the rest.
            assert (await place.raw(whole)).startswith(b"HTTP/1.1 ")
        assert await ended(strangers[0]) == b""
        for stream in strangers:
            await stream.aclose()


async def half_of_a_request(place: Place) -> SocketStream:
    """A request of somebody with a token, whose body is not complete yet."""
    stream = await connected(place)
    head = f"POST /mcp HTTP/1.1\r\nHost: {place.host}\r\n".encode()
    await stream.send(head + place.bearer("reader") + b"Content-Length: 10\r\n\r\n12345")
    await until(lambda: len(place.serving.exchanges) == 1)
    return stream


async def test_a_request_whose_body_is_not_complete_ends_with_its_token(tmp_path: Path) -> None:
    async with listening(tmp_path, patience_seconds=60) as place:
        stream = await half_of_a_request(place)
        place.store.revoke("reader")
        place.ticks.tick()
        answer = await ended(stream)
        assert answer.startswith(b"HTTP/1.1 401 ")
        assert b"TOKEN_REFUSED" in answer
        await stream.aclose()


async def test_a_request_whose_body_is_not_complete_ends_with_the_drain(tmp_path: Path) -> None:
    async with listening(tmp_path, patience_seconds=60, drain_seconds=0.1) as place:
        stream = await half_of_a_request(place)
        place.serving.stop()
        answer = await ended(stream)
        assert answer.startswith(b"HTTP/1.1 503 ")
        assert b"STOPPING" in answer
        await stream.aclose()


async def test_a_client_that_does_not_read_its_stream_is_dropped_and_others_get_the_news(
    tmp_path: Path,
) -> None:
    async with listening(tmp_path, patience_seconds=0.3) as place, place.http() as http:
        message = modern("subscriptions/listen", notifications={"toolsListChanged": True})
        # Every event repeats the request's id, so a long one fills the buffers on the way with few events.
        message["id"] = "x" * 30_000
        headers = place.headers(
            "reader", mcp_protocol_version="2026-07-28", mcp_method="subscriptions/listen"
        )
        request = http.build_request("POST", "/mcp", headers=headers, json=message)
        head = b"".join(name + b": " + value + b"\r\n" for name, value in request.headers.raw)
        deaf = await connected(place, receive_buffer=4096)
        await deaf.send(b"POST /mcp HTTP/1.1\r\n" + head + b"\r\n" + request.content)
        other = {**headers, "authorization": f"Bearer {place.tokens['trader']}"}
        listening_one = await http.send(
            http.build_request("POST", "/mcp", headers=other, json=message), stream=True
        )
        lines = listening_one.aiter_lines()

        async def heard() -> None:
            while "list_changed" not in await anext(lines):
                pass

        await until(lambda: len(place.serving.exchanges) == 2)
        with anyio.fail_after(20):
            while len(place.serving.exchanges) == 2:
                await place.news.tools_changed()
                await heard()
        await listening_one.aclose()
        await deaf.aclose()


async def test_readyz_tells_strangers_nothing_and_clients_their_accounts(tmp_path: Path) -> None:
    async with listening(tmp_path) as place, place.http() as http:
        assert (await http.get("/healthz")).json() == {"status": "alive"}
        assert (await http.get("/readyz")).json() == {"status": "ready"}
        known: dict[str, Any] = (await http.get("/readyz", headers=place.headers("reader"))).json()
        assert known["accounts"] == [{"name": "main", "venue": "binance", "environment": "sim"}]
        bad = await http.get("/readyz", headers={"authorization": "Bearer nothing"})
        assert (bad.status_code, code_of(bad)) == (401, "TOKEN_REFUSED")
        assert "main" not in bad.text


async def test_a_call_in_a_session_is_answered_while_many_streams_are_left_half_open(
    tmp_path: Path,
) -> None:
    shares: dict[str, Any] = {
        "max_streams_per_client": 60,
        "max_sessions_per_token": 60,
        "requests_per_minute": 10_000,
    }
    async with listening(tmp_path, **shares) as place, place.http() as http:
        sessions = [await place.session("reader") for _ in range(20)]
        left: list[SocketStream] = []
        for session in sessions:
            stream = await connected(place)
            lines = f"GET /mcp HTTP/1.1\r\nHost: {place.host}\r\nAccept: text/event-stream\r\n"
            named = f"Mcp-Session-Id: {session}\r\n\r\n".encode()
            await stream.send(lines.encode() + place.bearer("reader") + named)
            left.append(stream)
        await until(lambda: len(place.serving.exchanges) == 20)
        headers = place.headers("reader", mcp_session_id=sessions[0])
        answer = await http.post("/mcp", headers=headers, json=call("list_accounts"))
        assert event_of(answer)["result"]["isError"] is False
        for stream in left:
            await stream.aclose()
        await until(lambda: len(place.serving.exchanges) == 0)
