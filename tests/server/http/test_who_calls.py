"""Nobody without a token, nobody with less than the scope, and nobody in another's session."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import anyio
import httpx
import pytest

from exchange_mcp.config.tokens import TokenStore
from exchange_mcp.model.balances import Balance
from exchange_mcp.model.callers import Caller, Scope
from exchange_mcp.server.http.gate import identify

from .listening import (
    ERAS,
    INITIALIZE,
    LIST,
    MODERN,
    WRITE,
    Era,
    Place,
    call,
    code_of,
    event_of,
    listening,
    modern,
    until,
)

if TYPE_CHECKING:
    from exchange_mcp.server.build import Context

pytestmark = pytest.mark.anyio

LISTEN = {"mcp-protocol-version": MODERN, "mcp-method": "subscriptions/listen"}


def modern_headers(place: Place, who: str, method: str, name: str | None = None) -> dict[str, str]:
    named = {} if name is None else {"mcp_name": name}
    return place.headers(who, mcp_protocol_version=MODERN, mcp_method=method, **named)


async def test_without_a_token_there_is_no_tool_by_any_method_in_any_era(tmp_path: Path) -> None:
    async with listening(tmp_path) as place, place.http() as http:
        for headers in ({}, {"mcp-protocol-version": MODERN, "mcp-method": "tools/list"}):
            for method, body in (
                ("POST", INITIALIZE),
                ("POST", LIST),
                ("POST", modern("tools/list")),
                ("POST", call(WRITE)),
                ("GET", None),
                ("DELETE", None),
            ):
                answer = await http.request(method, "/mcp", headers=headers, json=body)
                assert (answer.status_code, code_of(answer)) == (401, "TOKEN_MISSING")
                assert answer.headers["www-authenticate"] == 'Bearer realm="exchange-mcp"'
                assert "reader" not in answer.text
        assert len(place.serving.sessions) == 0
    assert place.written == []


NO_TOKENS: Final = (
    "Bearer",
    "Bearer ",
    "Bearer xmcp_" + "A" * 43,
    "Basic {token}",
    "{token}",
    "Bearer {token} ,Bearer {token}",
    "Bearer {token}A",
    "Bearer {short}",
    "Bearer " + "x" * 5000,
    "Bearer \xff\xfe",
)


async def test_what_is_not_exactly_a_known_token_admits_nobody(tmp_path: Path) -> None:
    async with listening(tmp_path) as place:
        token = place.tokens["trader"]
        head = f"GET /mcp HTTP/1.1\r\nHost: {place.host}\r\nAuthorization: ".encode()
        for value in NO_TOKENS:
            shown = value.format(token=token, short=token[:-1]).encode("latin-1")
            answer = await place.raw(head + shown + b"\r\n\r\n")
            assert answer.startswith(b"HTTP/1.1 401 "), value
            assert b'error="invalid_token"' in answer
            assert token.encode() not in answer


@pytest.mark.parametrize("era", ERAS)
async def test_nothing_behind_the_gate_sees_the_token(era: Era, tmp_path: Path) -> None:
    seen: list[str] = []

    def noted(ctx: "Context") -> Caller:
        assert ctx.request is not None
        seen.append(repr(ctx.request.scope))
        return identify(ctx)

    async with listening(tmp_path, identified=noted) as place, place.client("reader", era) as client:
        await client.list_tools()
        assert seen
        assert "mcp-protocol-version" in seen[-1]
        assert not [scope for scope in seen if "authorization" in scope or place.tokens["reader"] in scope]


async def test_the_scheme_is_taken_in_any_case(tmp_path: Path) -> None:
    # RFC 9110, 11.1: the name of an authentication scheme is case-insensitive.
    async with listening(tmp_path) as place, place.http() as http:
        headers = {**place.headers("reader"), "authorization": f"bEARER {place.tokens['reader']}"}
        assert (await http.post("/mcp", headers=headers, json=INITIALIZE)).status_code == 200


async def test_two_authorization_headers_admit_nobody_whichever_of_them_is_good(tmp_path: Path) -> None:
    async with listening(tmp_path) as place:
        good, bad = place.bearer("trader"), b"Authorization: Bearer nothing\r\n"
        for first, second in ((good, bad), (bad, good), (good, good)):
            head = f"GET /mcp HTTP/1.1\r\nHost: {place.host}\r\n".encode()
            answer = await place.raw(head + first + second + b"\r\n")
            assert answer.startswith(b"HTTP/1.1 401 ")


@pytest.mark.parametrize("era", ERAS)
async def test_a_read_token_neither_sees_nor_calls_a_write_tool_and_is_told_which_scope_is_missing(
    era: Era, tmp_path: Path
) -> None:
    async with listening(tmp_path) as place:
        async with place.client("reader", era) as client:
            assert WRITE not in [tool.name for tool in (await client.list_tools()).tools]
            result = await client.call_tool(WRITE, {})
            guess = await client.call_tool("place_test_ordr", {})
        async with place.client("trader", era) as client:
            assert WRITE in [tool.name for tool in (await client.list_tools()).tools]
            placed = await client.call_tool(WRITE, {})
    assert result.is_error
    error = result.structured_content["error"]
    assert (error["code"], error["retry"]) == ("SCOPE_MISSING", "never")
    assert "'trade'" in error["message"]
    assert WRITE not in guess.structured_content["error"]["message"]  # not even as the nearest name
    assert placed.structured_content["data"] == {"by": "trader"}
    assert place.written == ["trader"]


async def test_a_read_token_gets_nowhere_on_a_session_that_a_trade_token_opened(tmp_path: Path) -> None:
    async with listening(tmp_path) as place, place.http() as http:
        session = await place.session("trader")
        foreign = place.headers("reader", mcp_session_id=session)
        for method, body in (("POST", call(WRITE)), ("POST", LIST), ("GET", None), ("DELETE", None)):
            answer = await http.request(method, "/mcp", headers=foreign, json=body)
            assert answer.status_code == 404
            # As for a session that never was.
            gone = await http.request(
                method, "/mcp", headers=place.headers("reader", mcp_session_id="f" * 32), json=body
            )
            assert (gone.status_code, gone.content) == (404, answer.content)
        own = await http.post(
            "/mcp", headers=place.headers("trader", mcp_session_id=session), json=call(WRITE)
        )
    assert event_of(own)["result"]["structuredContent"]["data"] == {"by": "trader"}
    assert place.written == ["trader"]


async def test_another_token_of_the_same_client_is_another_credential(tmp_path: Path) -> None:
    async with listening(tmp_path) as place, place.http() as http:
        session = await place.session("trader")
        place.tokens["lesser"] = place.token("trader", Scope.READ)
        headers = place.headers("lesser", mcp_session_id=session)
        assert (await http.post("/mcp", headers=headers, json=LIST)).status_code == 404


async def test_a_client_cannot_choose_the_name_of_its_session(tmp_path: Path) -> None:
    async with listening(tmp_path) as place, place.http() as http:
        chosen = "c" * 32
        headers = place.headers("reader", mcp_session_id=chosen)
        assert (await http.post("/mcp", headers=headers, json=INITIALIZE)).status_code == 404
        opened = await place.session("reader")
        assert opened != chosen
        # Two names in one request are not a way in either.
        doubled = [*place.headers("reader").items(), ("mcp-session-id", chosen), ("mcp-session-id", opened)]
        assert (await http.post("/mcp", headers=doubled, json=LIST)).status_code in {400, 404}


async def test_a_header_of_the_other_era_changes_nothing_about_who_calls(tmp_path: Path) -> None:
    async with listening(tmp_path) as place, place.http() as http:
        session = await place.session("trader")
        headers = {**modern_headers(place, "reader", "tools/call", WRITE), "mcp-session-id": session}
        message = modern("tools/call", name=WRITE, arguments={})
        answer = await http.post("/mcp", headers=headers, json=message)
    assert event_of(answer)["result"]["structuredContent"]["error"]["code"] == "SCOPE_MISSING"
    assert place.written == []


async def test_a_token_in_the_query_string_is_refused_with_the_way_that_is_right(tmp_path: Path) -> None:
    async with listening(tmp_path) as place, place.http() as http:
        token = place.tokens["reader"]
        for query in (f"access_token={token}", f"token={token}", "a=1"):
            answer = await http.post(f"/mcp?{query}", headers=place.headers("reader"), json=INITIALIZE)
            assert (answer.status_code, code_of(answer)) == (400, "QUERY_REFUSED")
            assert "Authorization: Bearer TOKEN" in answer.text
            assert token not in answer.text
        assert (await http.get(f"/readyz?token={token}")).status_code == 400


async def streams(place: Place, http: httpx.AsyncClient, who: str) -> list[httpx.Response]:
    """One open stream of each era."""
    session = await place.session(who)
    old = http.build_request("GET", "/mcp", headers=place.headers(who, mcp_session_id=session))
    message = modern("subscriptions/listen", notifications={"toolsListChanged": True})
    new = http.build_request(
        "POST", "/mcp", headers=modern_headers(place, who, "subscriptions/listen"), json=message
    )
    opened = [await http.send(request, stream=True) for request in (old, new)]
    assert [answer.status_code for answer in opened] == [200, 200]
    return opened


async def test_a_revoked_token_is_refused_at_once_and_its_open_streams_end_while_others_stay(
    tmp_path: Path,
) -> None:
    async with listening(tmp_path) as place, place.http() as http:
        theirs = await streams(place, http, "trader")
        ours = await streams(place, http, "reader")
        # By another process: the file is all that the two share.
        assert TokenStore(place.store.path).revoke("trader")
        again = await http.post("/mcp", headers=place.headers("trader"), json=INITIALIZE)
        assert (again.status_code, code_of(again)) == (401, "TOKEN_REFUSED")
        place.ticks.tick()
        with anyio.fail_after(5):
            for stream in theirs:
                await stream.aread()
        assert place.serving.sessions.owners() == {place.store.records()[0].id}
        await until(lambda: len(place.serving.exchanges) == 2)
        await place.news.tools_changed()
        lines = ours[0].aiter_lines()
        with anyio.fail_after(5):
            while "tools/list_changed" not in await anext(lines):
                pass
        for stream in ours:
            await stream.aclose()


@pytest.mark.parametrize("era", ERAS)
async def test_a_call_that_is_under_way_ends_with_the_token_that_made_it(era: Era, tmp_path: Path) -> None:
    asked, ended = anyio.Event(), anyio.Event()

    async def held() -> Sequence[Balance]:
        asked.set()
        try:
            await anyio.sleep_forever()
        finally:
            ended.set()
        raise AssertionError

    async with listening(tmp_path, read=held) as place, place.http() as http:
        if era == "legacy":
            headers = place.headers("reader", mcp_session_id=await place.session("reader"))
            message = call("get_balance")
        else:
            headers = modern_headers(place, "reader", "tools/call", "get_balance")
            message = modern("tools/call", name="get_balance", arguments={})
        answers: list[httpx.Response] = []

        async def ask() -> None:
            answers.append(await http.post("/mcp", headers=headers, json=message))

        async with anyio.create_task_group() as group:
            group.start_soon(ask)
            with anyio.fail_after(5):
                await asked.wait()
            place.store.revoke("reader")
            place.ticks.tick()
            with anyio.fail_after(5):
                await ended.wait()
    # In the older era the answer had begun when it was cut off.
    assert (answers[0].status_code, "balances" in answers[0].text) == (200 if era == "legacy" else 401, False)


async def test_an_expired_token_is_refused_and_its_streams_end(tmp_path: Path) -> None:
    async with listening(tmp_path) as place, place.http() as http:
        place.tokens["guest"] = place.token("guest", days=1)
        opened = await streams(place, http, "guest")
        place.clock.seconds += 86_400
        answer = await http.post("/mcp", headers=place.headers("guest"), json=INITIALIZE)
        assert (answer.status_code, code_of(answer)) == (401, "TOKEN_REFUSED")
        place.ticks.tick()
        with anyio.fail_after(5):
            for stream in opened:
                await stream.aread()
        assert (await http.post("/mcp", headers=place.headers("reader"), json=INITIALIZE)).status_code == 200


async def test_a_file_of_tokens_that_others_can_write_admits_nobody(tmp_path: Path) -> None:
    async with listening(tmp_path) as place, place.http() as http:
        place.store.path.chmod(0o666)
        answer = await http.post("/mcp", headers=place.headers("reader"), json=INITIALIZE)
        assert (answer.status_code, code_of(answer)) == (503, "TOKENS_UNREADABLE")
        assert str(tmp_path) not in answer.text
        place.store.path.chmod(0o600)
        assert (await http.post("/mcp", headers=place.headers("reader"), json=INITIALIZE)).status_code == 200
