"""A foreign Host or Origin is refused on every route, whatever else is right about the request."""

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exchange_mcp.server.http.refusals import RefusedError
from exchange_mcp.server.http.whence import Whence

from .listening import INITIALIZE, Place, code_of, listening

pytestmark = pytest.mark.anyio

ROUTES = (
    "GET /healthz",
    "GET /readyz",
    "GET /mcp",
    "POST /mcp",
    "DELETE /mcp",
    "OPTIONS /mcp",
    "GET /nowhere",
)

FOREIGN_HOSTS = (
    "evil.example",
    "evil.example:{port}",
    "127.0.0.1:{port}.evil.example",
    "localhost:{port}.evil.example",
    "127.0.0.1:{port}@evil.example",
    "evil.example@127.0.0.1:{port}",
    "127.0.0.1.evil.example:{port}",
    "127.0.0.1",
    "localhost",
    "127.0.0.1:{other}",
    "127.0.0.1:{port}0",
    "127.0.0.1:0{port}",
    "127.0.0.1:{port}/",
    "127.0.0.1:{port},127.0.0.1:{port}",
    "127.0.0.1:{port} evil.example",
    "127.0.0.2:{port}",
    "127.1:{port}",
    "2130706433:{port}",
    "0.0.0.0:{port}",
    "[::1]:{port}",
    "[::ffff:127.0.0.1]:{port}",
    "localhost.:{port}",
    "http://127.0.0.1:{port}",
    "*",
    "",
)
FOREIGN_ORIGINS = (
    "http://evil.example",
    "http://evil.example:{port}",
    "https://127.0.0.1:{port}",
    "http://127.0.0.1:{port}.evil.example",
    "http://127.0.0.1:{port}@evil.example",
    "http://127.0.0.1:{port}/",
    "http://127.0.0.1",
    "http://localhost:{other}",
    "HTTP://127.0.0.1:{port}",
    "http://127.0.0.1:{port} http://evil.example",
    "null",
    "file://",
    "",
)


def request(place: Place, route: str, *headers: str) -> bytes:
    """A request that is right but for these headers: with a token, and a body where one belongs."""
    lines = [
        f"{route} HTTP/1.1",
        *headers,
        f"Authorization: Bearer {place.tokens['trader']}",
        "Content-Length: 0",
    ]
    return "\r\n".join([*lines, "", ""]).encode()


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


async def test_a_foreign_host_is_refused_on_every_route(tmp_path: Path) -> None:
    async with listening(tmp_path) as place:
        for foreign, route in product(FOREIGN_HOSTS, ROUTES):
            host = foreign.format(port=place.port, other=place.port - 1)
            answer = await place.raw(request(place, route, f"Host: {host}"))
            assert status(answer) in {400, 421}, (foreign, route, answer)
            assert b"access-control" not in answer
        assert len(place.serving.sessions) == 0


async def test_a_foreign_origin_is_refused_on_every_route(tmp_path: Path) -> None:
    async with listening(tmp_path, origins=["http://app.example"]) as place:
        for foreign, route in product(FOREIGN_ORIGINS, ROUTES):
            origin = foreign.format(port=place.port, other=place.port - 1)
            answer = await place.raw(request(place, route, f"Host: {place.host}", f"Origin: {origin}"))
            assert status(answer) == 403, (foreign, route, answer)
            assert b"access-control" not in answer
        assert len(place.serving.sessions) == 0


async def test_two_origins_are_refused_even_where_each_is_listed(tmp_path: Path) -> None:
    async with listening(tmp_path, origins=["http://app.example"]) as place:
        twice = ("Origin: http://app.example",) * 2
        for route in ROUTES:
            assert status(await place.raw(request(place, route, f"Host: {place.host}", *twice))) == 403


async def test_the_hosts_that_are_ours_are_served_in_any_case(tmp_path: Path) -> None:
    async with listening(tmp_path) as place:
        for name in ("127.0.0.1", "localhost", "LocalHost"):
            host = f"Host: {name}:{place.port}"
            assert status(await place.raw(request(place, "GET /healthz", host))) == 200
            # A page that we served would be of our own origin.
            origin = f"Origin: http://{name.lower()}:{place.port}"
            assert status(await place.raw(request(place, "GET /readyz", host, origin))) == 200


async def test_a_listed_host_is_served_as_it_is_written_and_not_with_another_port(tmp_path: Path) -> None:
    async with listening(tmp_path, hosts=["mcp.example.org"]) as place:
        assert status(await place.raw(request(place, "GET /healthz", "Host: mcp.example.org"))) == 200
        other = request(place, "GET /healthz", f"Host: mcp.example.org:{place.port}")
        assert status(await place.raw(other)) == 421


async def test_without_a_list_no_page_may_read_an_answer_and_no_preflight_is_granted(tmp_path: Path) -> None:
    async with listening(tmp_path) as place:
        own = f"Origin: http://{place.host}"
        asks = "Access-Control-Request-Method: POST"
        for route in ("OPTIONS /mcp", "OPTIONS /healthz", "POST /mcp", "GET /healthz"):
            answer = await place.raw(request(place, route, f"Host: {place.host}", own, asks))
            assert b"access-control" not in answer.lower().replace(b"access-control-request", b"")


async def test_a_listed_origin_may_ask_and_read_and_still_needs_a_token(tmp_path: Path) -> None:
    page = "https://app.example"
    async with listening(tmp_path, origins=[page]) as place, place.http() as http:
        asked = {"origin": page, "access-control-request-method": "POST"}
        granted = await http.request("OPTIONS", "/mcp", headers=asked)
        assert granted.status_code == 204
        assert granted.headers["access-control-allow-origin"] == page
        assert "authorization" in granted.headers["access-control-allow-headers"]
        assert "access-control-allow-credentials" not in granted.headers
        refused = await http.post("/mcp", headers={"origin": page}, json=INITIALIZE)
        assert (refused.status_code, code_of(refused)) == (401, "TOKEN_MISSING")
        assert refused.headers["access-control-allow-origin"] == page
        opened = await http.post("/mcp", headers={**place.headers("reader"), "origin": page}, json=INITIALIZE)
        assert opened.status_code == 200
        assert opened.headers["vary"] == "origin"
        assert "mcp-session-id" in opened.headers["access-control-expose-headers"]


LISTED = frozenset({b"127.0.0.1:8765", b"localhost:8765"})


@settings(max_examples=200, deadline=None)
@given(
    st.binary(max_size=40)
    | st.sampled_from(sorted(LISTED)).flatmap(lambda h: st.binary().map(lambda b: h + b))
)
def test_of_all_hosts_only_those_on_the_list_pass(host: bytes) -> None:
    whence = Whence.of([each.decode() for each in LISTED], [], scheme="http")
    scope = {"headers": [(b"host", host)], "raw_path": b"/healthz", "query_string": b"", "method": "GET"}
    scope["http_version"] = "1.1"
    if host.lower() in LISTED:
        assert whence.judge(scope) == "/healthz"
    else:
        with pytest.raises(RefusedError):
            whence.judge(scope)
