"""Who gets in: from where, with what, how often, and until when."""

import asyncio
import re
from collections.abc import AsyncGenerator

import pytest
from starlette.routing import Route

from exchange_mcp.desk.console.guard import MOST_BODY
from exchange_mcp.desk.console.sessions import ALONE_MS, LINK_MS, LONGEST_MS, ROTATE_MS
from exchange_mcp.desk.console.streams import Streams

from .visiting import ASKS, LOOKS, ORIGIN, Desk, code

pytestmark = pytest.mark.anyio

ROUTES = [
    (method, route.path)
    for route in Desk().console.routes
    if isinstance(route, Route)
    for method in sorted((route.methods or set()) - {"HEAD"})
]
ACTS = [path for method, path in ROUTES if method == "POST"]
PAGES = [path for method, path in ROUTES if method == "GET"]
# Open to whoever is on this machine: they show nothing and do nothing by themselves.
OPEN = {"/", "/enter", "/enrol", "/assets/{name}", "/enrol/begin", "/enrol/finish"}


def filled(path: str, root: str) -> str:
    path = path.replace("/d/{door}/", root)
    return re.sub(r"\{\w+\}", "x", path)


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize(
    "host",
    ["127.0.0.1:8767", "localhost", "localhost:8768", "LOCALHOST:8767", "evil.example", "[::1]:8767", ""],
)
async def test_no_page_is_shown_under_another_name(path: str, host: str) -> None:
    async with Desk() as desk:
        shown = await desk.client.get(filled(path, desk.root), headers={**LOOKS, "host": host})
        assert shown.status_code == 421


@pytest.mark.parametrize("path", ACTS)
@pytest.mark.parametrize(
    "changed",
    [
        {"host": "evil.example:8767"},
        {"origin": "http://localhost:8768"},
        {"origin": "http://127.0.0.1:8767"},
        {"origin": "null"},
        {"origin": ""},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "none"},
        {"sec-fetch-site": ""},
        {"sec-fetch-dest": "iframe"},
        {"sec-fetch-dest": "document"},
        {"content-type": "application/x-www-form-urlencoded"},
        {"content-type": "text/plain"},
        {"content-type": "application/json; charset=utf-8"},
    ],
    ids=str,
)
async def test_no_act_is_done_for_a_request_that_another_page_could_make(
    path: str, changed: dict[str, str]
) -> None:
    async with Desk() as desk:
        before = desk.office.status()
        answer = await desk.client.post(filled(path, desk.root), content="{}", headers={**ASKS, **changed})
        assert answer.status_code in {403, 415, 421}
        assert code(answer) in {"HOST_REFUSED", "ORIGIN_REFUSED", "FETCH_REFUSED", "TYPE_REFUSED"}
        assert desk.office.status() == before


@pytest.mark.parametrize("path", ACTS)
async def test_no_act_is_done_without_an_origin(path: str) -> None:
    async with Desk() as desk:
        headers = {name: value for name, value in ASKS.items() if name != "origin"}
        assert code(await desk.client.post(filled(path, desk.root), content="{}", headers=headers)) == (
            "ORIGIN_REFUSED"
        )


@pytest.mark.parametrize("path", [path for path in PAGES if path not in OPEN])
@pytest.mark.parametrize(
    "changed",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": ""},
        {"sec-fetch-dest": "iframe"},
        {"sec-fetch-dest": "embed"},
        {"origin": "http://localhost:9999"},
    ],
    ids=str,
)
async def test_no_page_is_shown_to_another_site_or_in_a_frame(path: str, changed: dict[str, str]) -> None:
    async with Desk() as desk:
        shown = await desk.client.get(filled(path, desk.root), headers={**LOOKS, **changed})
        assert shown.status_code == 403


@pytest.mark.parametrize("path", sorted({path for _, path in ROUTES if path not in OPEN}))
async def test_everything_but_the_doors_needs_a_session(path: str) -> None:
    desk = Desk()
    async with desk, desk.browser() as stranger:
        where = filled(path, desk.root)
        if path in PAGES:
            shown = await stranger.get(where, headers=LOOKS)
        else:
            shown = await stranger.post(where, content="{}", headers=ASKS)
        assert shown.status_code == 401
        assert "exchange-mcp console" in shown.text


@pytest.mark.parametrize("path", ["/", "/enter", "/enrol"])
async def test_a_door_may_be_reached_from_anywhere_and_shows_nothing_of_the_desk(path: str) -> None:
    desk = Desk()
    async with desk.browser() as stranger:
        headers = {**LOOKS, "sec-fetch-site": "cross-site"}
        shown = await stranger.get(path, headers=headers)
        assert shown.status_code == 200
        assert "main" not in re.sub(r"</?main[^>]*>", "", shown.text)
        framed = await stranger.get(path, headers={**headers, "sec-fetch-dest": "iframe"})
        assert framed.status_code == 403


@pytest.mark.parametrize("method", ["OPTIONS", "PUT", "DELETE", "HEAD", "TRACE"])
async def test_no_other_method_is_taken_and_no_other_origin_is_let_in(method: str) -> None:
    async with Desk() as desk:
        headers = {**LOOKS, "origin": "http://evil.example", "access-control-request-method": "POST"}
        answer = await desk.client.request(method, desk.root, headers=headers)
        assert answer.status_code == 405
        assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize("path", [*PAGES, "/nowhere"])
async def test_every_answer_has_every_header_that_protects_it(path: str) -> None:
    async with Desk() as desk:
        if path.endswith("/events"):
            return
        shown = await desk.client.get(filled(path, desk.root), headers=LOOKS)
        policy = shown.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        expected = {
            "x-content-type-options": "nosniff",
            "referrer-policy": "no-referrer",
            "cache-control": "no-store",
            "x-frame-options": "DENY",
            "cross-origin-opener-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin",
        }
        assert {name: shown.headers[name] for name in expected} == expected


@pytest.mark.parametrize("path", [path for path in PAGES if not path.endswith(("events", "state"))])
async def test_no_page_has_code_or_style_of_its_own_or_takes_anything_from_elsewhere(path: str) -> None:
    async with Desk() as desk:
        shown = await desk.client.get(filled(path, desk.root), headers=LOOKS)
        assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*src=\"/assets/)", shown.text)
        assert not re.search(r"(src|href|action)=\"?(https?:|//)", shown.text)
        assert 'type="password"' not in shown.text


async def test_a_link_opens_the_console_once() -> None:
    desk = Desk()
    async with desk, desk.browser() as other:
        secret = desk.secret()
        first = await other.post("/enter", json={"secret": secret}, headers=ASKS)
        second = await desk.client.post("/enter", json={"secret": secret}, headers=ASKS)
        assert (first.status_code, second.status_code) == (200, 401)
        assert "set-cookie" not in second.headers


@pytest.mark.parametrize("moved_ms", [LINK_MS, -1])
async def test_a_link_is_good_for_two_minutes(moved_ms: int) -> None:
    async with Desk() as desk:
        secret = desk.secret()
        desk.clock.ms += moved_ms
        assert (await desk.client.post("/enter", json={"secret": secret}, headers=ASKS)).status_code == 401


async def test_a_link_says_its_secret_only_where_no_request_carries_it() -> None:
    address, _, secret = Desk().console.link().url.partition("#")
    assert address == f"{ORIGIN}/enter"
    assert len(secret) == 43  # 32 bytes as base64url


async def test_looking_at_a_link_does_not_use_it_up() -> None:
    async with Desk() as desk:
        secret = desk.secret()
        for _ in range(3):
            await desk.client.get("/enter", headers=LOOKS)
        assert (await desk.client.post("/enter", json={"secret": secret}, headers=ASKS)).status_code == 200


async def test_the_cookie_stays_with_its_page_and_its_path() -> None:
    desk = Desk()
    async with desk.browser() as browser:
        answer = await browser.post("/enter", json={"secret": desk.secret()}, headers=ASKS)
        said = answer.headers["set-cookie"]
        assert "HttpOnly" in said
        assert "SameSite=Strict" in said
        # A cookie of localhost goes to every port: only who knows this path is ever sent it.
        assert f"Path={answer.json()['to']};" in said
        assert len(answer.json()["to"]) == len("/d/") + 22 + 1  # 16 bytes as base64url


async def test_a_session_of_another_browser_is_no_use_without_its_cookie() -> None:
    desk = Desk()
    async with desk, desk.browser() as other:
        await desk.enter(other)
        shown = await other.get(desk.root, headers=LOOKS)
        assert shown.status_code == 401


async def test_a_cookie_that_another_program_added_does_not_lock_anybody_out() -> None:
    async with Desk() as desk:
        own = next(iter(desk.client.cookies.jar)).value
        desk.client.cookies.clear()
        shown = await desk.see(cookie=f"exchange_mcp_console=planted; exchange_mcp_console={own}; x=y")
        assert shown.status_code == 200
        assert (await desk.see(cookie="exchange_mcp_console=planted")).status_code == 401


async def test_a_cookie_is_replaced_every_few_minutes_and_the_old_one_used_later_ends_the_session() -> None:
    async with Desk() as desk:
        old = next(iter(desk.client.cookies.jar)).value
        desk.clock.ms += ROTATE_MS
        assert "set-cookie" in (await desk.see()).headers
        desk.clock.ms += 20_000
        assert (await desk.see()).status_code == 200
        assert "set-cookie" not in (await desk.see()).headers
        desk.clock.ms += 60_000
        async with desk.browser() as thief:
            stolen = {**LOOKS, "cookie": f"exchange_mcp_console={old}"}
            assert (await thief.get(desk.root, headers=stolen)).status_code == 401
        assert (await desk.see()).status_code == 401


async def test_a_console_left_open_overnight_is_closed_in_the_morning() -> None:
    async with Desk() as desk:
        number, ended = _stream(desk)
        desk.clock.ms += LONGEST_MS
        assert (await desk.see()).status_code == 401
        assert ended.is_set()
        assert number == 1


async def test_a_session_with_an_open_page_lasts_and_one_without_ends_soon() -> None:
    async with Desk() as desk:
        number, _ = _stream(desk)
        desk.clock.ms += 2 * ALONE_MS
        assert (await desk.see()).status_code == 200
        _streams(desk).close(number)
        desk.clock.ms += ALONE_MS - 1
        assert (await desk.see()).status_code == 200
        desk.clock.ms += ALONE_MS
        assert (await desk.see()).status_code == 401


async def test_a_clock_that_is_put_back_does_not_lengthen_a_session() -> None:
    async with Desk() as desk:
        desk.clock.ms -= 1000
        assert (await desk.see()).status_code == 401


async def test_many_links_and_sessions_end_the_oldest_and_take_no_more_room() -> None:
    desk = Desk()
    async with desk, desk.browser() as other:
        first = desk.secret()
        for _ in range(8):
            await desk.enter(other)
        assert (await desk.see()).status_code == 401
        assert len(desk.console.room.sessions) == 8
        for _ in range(8):
            desk.secret()
        assert (await other.post("/enter", json={"secret": first}, headers=ASKS)).status_code == 401


async def test_who_leaves_is_out() -> None:
    async with Desk() as desk:
        assert (await desk.do("leave")).json()["to"] == "/"
        assert (await desk.see()).status_code == 401


@pytest.mark.parametrize("size", [MOST_BODY + 1, 10_000_000])
async def test_a_body_that_is_too_large_is_not_read(size: int) -> None:
    async with Desk() as desk:
        answer = await desk.client.post("/enter", content=b" " * size, headers=ASKS)
        assert answer.status_code == 413


async def test_a_body_that_does_not_say_its_size_is_read_no_further_than_the_limit() -> None:
    taken: list[int] = []

    async def endless() -> AsyncGenerator[bytes]:
        for number in range(1000):
            taken.append(number)
            yield b" " * 4096

    async with Desk() as desk:
        answer = await desk.client.post("/enter", content=endless(), headers=ASKS)
        assert answer.status_code == 413
        assert len(taken) == MOST_BODY // 4096 + 1


@pytest.mark.parametrize("body", ["", "[]", "null", "{", '{"secret": 5}', '{"secret": "x", "more": 1}', "{}"])
async def test_what_is_no_form_is_refused(body: str) -> None:
    async with Desk() as desk:
        answer = await desk.client.post("/enter", content=body, headers=ASKS)
        assert (answer.status_code, code(answer)) == (400, "FORM_REFUSED")


async def test_what_a_form_says_wrongly_is_not_said_back() -> None:
    async with Desk() as desk:
        answer = await desk.ask("halt", {"nonce": "canary-in-a-form", "account": ["canary"]})
        assert "canary" not in answer.text


async def test_looking_at_every_page_changes_nothing() -> None:
    async with Desk() as desk:
        before = (desk.office.status(), len(desk.office.events))
        for path in PAGES:
            if not path.endswith("/events"):
                await desk.client.get(filled(path, desk.root), headers=LOOKS)
        assert (desk.office.status(), len(desk.office.events)) == before


def _streams(desk: Desk) -> Streams:
    (session,) = desk.console.room.sessions
    return session.streams


def _stream(desk: Desk) -> tuple[int, asyncio.Event]:
    return _streams(desk).begin()
