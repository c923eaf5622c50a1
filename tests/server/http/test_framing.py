"""Requests that are not what they seem: paths, methods, framing, versions, headers."""

from contextlib import suppress
from pathlib import Path
from typing import Final

import anyio
import pytest

from .listening import INITIALIZE, Place, call, code_of, listening

pytestmark = pytest.mark.anyio


TARGETS: Final = (
    ("//mcp", 404),
    ("/mcp/", 404),
    ("/MCP", 404),
    ("/mcp/../healthz", 404),
    ("/healthz/../mcp", 404),
    ("/./mcp", 404),
    ("/%6dcp", 404),
    ("/mcp%00", 404),
    ("/mcp%2f", 404),
    ("/mcp;a=b", 404),
    ("/mcp#a", 404),
    ("/\\mcp", 404),
    ("/", 404),
    ("/.well-known/oauth-protected-resource/mcp", 404),
    ("http://{host}/mcp", 400),
    ("http://evil.example/mcp", 400),
    ("evil.example:80", 400),
    ("*", 400),
    ("mcp", 400),
    ("/mcp?", 401),
    ("/mcp??", 400),
    ("/mcp?a", 400),
    ("/healthz?/mcp", 400),
)
METHODS: Final = (
    ("HEAD", "/healthz", 200),
    ("HEAD", "/mcp", 405),
    ("PUT", "/mcp", 405),
    ("PATCH", "/mcp", 405),
    ("TRACE", "/mcp", 405),
    ("CONNECT", "/mcp", 405),
    ("POST", "/healthz", 405),
    ("DELETE", "/readyz", 405),
    ("OPTIONS", "/mcp", 405),
    ("OPTIONS", "/healthz", 405),
    ("post", "/mcp", 405),
    ("MKCOL", "/healthz", 405),
)
# Header lines beside, or in place of, a right Host; and the version of HTTP.
FRAMINGS: Final[tuple[tuple[tuple[str, ...], bool, str], ...]] = (
    ((), False, "1.1"),
    ((), False, "1.0"),
    (("Host: evil.example",), True, "1.1"),
    (("Host: {host}",), True, "1.1"),
    (("Host: evil.example",), True, "1.0"),
    (("Host : {host}",), False, "1.1"),
    ((" Host: {host}",), False, "1.1"),
    (("X-Forwarded-Host: {host}",), False, "1.1"),
    (("Host:\r\n {host}.evil.example",), False, "1.1"),
    (("Content-Length: 5", "Content-Length: 6"), True, "1.1"),
    (("Content-Length: +5",), True, "1.1"),
    (("Content-Length: -1",), True, "1.1"),
    (("Transfer-Encoding: chunked", "Content-Length: 4"), True, "1.1"),
    (("Transfer-Encoding: gzip, chunked",), True, "1.1"),
    (("Transfer-Encoding: identity",), True, "1.1"),
    (("Transfer-Encoding: chunked", "Transfer-Encoding: chunked"), True, "1.1"),
    (("X: a\x00b",), True, "1.1"),
    (("no colon",), True, "1.1"),
    ((), True, "2.0"),
    ((), True, "9"),
)


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def head(place: Place, line: str, *more: str, host: bool = True) -> bytes:
    lines = [line, *([f"Host: {place.host}"] if host else []), *more, "", ""]
    return "\r\n".join(lines).encode()


async def test_a_target_that_is_not_exactly_a_route_leads_nowhere(tmp_path: Path) -> None:
    async with listening(tmp_path) as place:
        for target, expected in TARGETS:
            answer = await place.raw(head(place, f"GET {target.format(host=place.host)} HTTP/1.1"))
            assert status(answer) == expected, (target, answer)
            assert b"alive" not in answer


async def test_a_method_that_a_route_does_not_have_is_refused(tmp_path: Path) -> None:
    async with listening(tmp_path) as place:
        token = f"Authorization: Bearer {place.tokens['trader']}"
        for method, path, expected in METHODS:
            request = head(place, f"{method} {path} HTTP/1.1", token, "X-HTTP-Method-Override: POST")
            async with await anyio.connect_tcp("127.0.0.1", place.port) as stream:
                await stream.send(request)
                with anyio.fail_after(5):
                    assert status(await stream.receive()) == expected, (method, path)


async def test_a_request_without_exactly_one_host_or_with_two_framings_is_refused(tmp_path: Path) -> None:
    async with listening(tmp_path) as place:
        smuggled = head(place, "GET /healthz HTTP/1.1")
        for more, host, version in FRAMINGS:
            lines = [line.format(host=place.host) for line in more]
            answer = await place.raw(head(place, f"POST /mcp HTTP/{version}", *lines, host=host) + smuggled)
            assert status(answer) in {400, 421, 501, 505}, (more, host, version, answer)
            assert b"alive" not in answer


async def test_what_follows_a_refused_request_with_two_framings_is_not_read_as_another(
    tmp_path: Path,
) -> None:
    async with listening(tmp_path) as place:
        token = f"Authorization: Bearer {place.tokens['trader']}"
        inner = head(place, "GET /healthz HTTP/1.1")
        outer = head(
            place,
            "POST /mcp HTTP/1.1",
            token,
            f"Content-Length: {len(inner) + 5}",
            "Transfer-Encoding: chunked",
        )
        async with await anyio.connect_tcp("127.0.0.1", place.port) as stream:
            await stream.send(outer + b"0\r\n\r\n" + inner)
            received = b""
            with anyio.fail_after(5):
                try:
                    while True:
                        received += await stream.receive()
                except (anyio.EndOfStream, anyio.BrokenResourceError):
                    pass
    assert received.count(b"HTTP/1.1") == 1
    assert status(received) == 400


async def test_pipelined_requests_are_each_judged(tmp_path: Path) -> None:
    async with listening(tmp_path) as place:
        good = head(place, "GET /healthz HTTP/1.1")
        evil = good.replace(place.host.encode(), b"evil.example")
        async with await anyio.connect_tcp("127.0.0.1", place.port) as stream:
            await stream.send(good + evil + good)
            received = b""
            with anyio.fail_after(5):
                while received.count(b"HTTP/1.1") < 3:
                    received += await stream.receive()
    assert [status(b"HTTP/1.1" + each) for each in received.split(b"HTTP/1.1")[1:]] == [200, 421, 200]


async def test_a_header_block_that_does_not_end_is_refused(tmp_path: Path) -> None:
    async with listening(tmp_path) as place:
        answer = await place.raw(head(place, "GET /healthz HTTP/1.1", "X: " + "x" * 200_000))
        assert answer == b"" or status(answer) in {400, 431}
        many = [f"X-{number}: x" for number in range(20_000)]
        answer = await place.raw(head(place, "GET /healthz HTTP/1.1", *many))
        assert answer == b"" or status(answer) in {400, 431}
        assert status(await place.raw(head(place, "GET /healthz HTTP/1.1"))) == 200


async def test_a_body_that_says_it_is_too_large_is_refused_before_it_is_sent(tmp_path: Path) -> None:
    async with listening(tmp_path, max_body_bytes=2048) as place:
        token = f"Authorization: Bearer {place.tokens['reader']}"
        for length in ("2049", "9" * 11, "9" * 400):
            answer = await place.raw(head(place, "POST /mcp HTTP/1.1", token, f"Content-Length: {length}"))
            assert answer == b"" or status(answer) in {400, 413}
            if length == "2049":
                assert status(answer) == 413


async def sent_until_cut_off(place: Place, *headers: str) -> int:
    """How many bytes of an endless body can be sent before the connection ends."""
    sent = 0
    async with await anyio.connect_tcp("127.0.0.1", place.port) as stream:
        await stream.send(head(place, "POST /mcp HTTP/1.1", *headers, "Transfer-Encoding: chunked"))
        with anyio.fail_after(10), suppress(anyio.BrokenResourceError):
            while True:
                await stream.send(b"1000\r\n" + b"x" * 4096 + b"\r\n")
                sent += 4096
    return sent


async def test_an_endless_body_is_cut_off_at_the_limit_whoever_sends_it(tmp_path: Path) -> None:
    async with listening(tmp_path, max_body_bytes=65_536) as place:
        # What fits into the buffers of both ends, and no more (Linux: some megabytes on loopback).
        assert await sent_until_cut_off(place, f"Authorization: Bearer {place.tokens['reader']}") < 16_000_000
        assert await sent_until_cut_off(place) < 16_000_000
        assert status(await place.raw(head(place, "GET /healthz HTTP/1.1"))) == 200


NO_MESSAGES: Final = (
    b"",
    b"{",
    b"[]",
    b"null",
    b'"x"',
    b"\xff\xfe",
    b"[" * 50_000,
    b'{"a":' * 20_000,
    b"1" * 5000,
)


async def test_a_body_that_is_no_message_is_answered_with_an_error_in_both_eras(tmp_path: Path) -> None:
    async with listening(tmp_path) as place, place.http() as http:
        session = await place.session("reader")
        for headers in (
            place.headers("reader"),
            place.headers("reader", mcp_session_id=session),
            place.headers("reader", mcp_protocol_version="2026-07-28", mcp_method="tools/list"),
        ):
            for body in NO_MESSAGES:
                answer = await http.post("/mcp", headers=headers, content=body)
                assert 400 <= answer.status_code < 500, (body[:8], answer.text)
        own = place.headers("reader", mcp_session_id=session)
        assert (await http.post("/mcp", headers=own, json=call("x"))).status_code == 200


async def test_an_upgrade_to_a_websocket_is_not_taken(tmp_path: Path) -> None:
    async with listening(tmp_path) as place:
        upgrade = (
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Key: eA==",
            "Sec-WebSocket-Version: 13",
        )
        assert status(await place.raw(head(place, "GET /mcp HTTP/1.1", *upgrade))) == 401


async def test_an_unknown_version_of_the_protocol_is_no_way_around_the_token(tmp_path: Path) -> None:
    async with listening(tmp_path) as place, place.http() as http:
        for version in ("2099-01-01", "", "2025-11-25, 2026-07-28", "x" * 100):
            answer = await http.post("/mcp", headers={"mcp-protocol-version": version}, json=INITIALIZE)
            assert (answer.status_code, code_of(answer)) == (401, "TOKEN_MISSING")
