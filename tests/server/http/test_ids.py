"""A request under an id that is being answered is refused at once: its first sender would wait for ever."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import anyio.lowlevel
import pytest

from exchange_mcp.model.balances import Balance
from exchange_mcp.model.callers import Caller
from exchange_mcp.server.auth import Admitted
from exchange_mcp.server.http.ids import Ids
from exchange_mcp.server.http.sessions import user_of

from .listening import call, code_of, event_of, listening, until

if TYPE_CHECKING:
    import httpx

pytestmark = pytest.mark.anyio


async def test_an_id_that_is_in_use_is_refused_and_whoever_used_it_first_gets_the_answer(
    tmp_path: Path,
) -> None:
    asked, release = list[int](), anyio.Event()

    async def held() -> Sequence[Balance]:
        asked.append(1)
        await release.wait()
        return ()

    async with listening(tmp_path, read=held) as place, place.http() as http:
        sessions = {who: await place.session(who) for who in ("reader", "trader")}
        answers: list[httpx.Response] = []

        async def post(who: str) -> None:
            headers = place.headers(who, mcp_session_id=sessions[who])
            answers.append(await http.post("/mcp", headers=headers, json=call("get_balance", number=7)))

        headers = place.headers("reader", mcp_session_id=sessions["reader"])
        async with anyio.create_task_group() as group:
            group.start_soon(post, "reader")
            await until(lambda: len(asked) == 1)
            group.start_soon(post, "trader")  # the same id in a session of its own
            await until(lambda: len(asked) == 2)
            for number in (7, "7"):  # to the SDK these are one
                again = {**call("get_balance"), "id": number}
                refused = await http.post("/mcp", headers=headers, json=again)
                assert (refused.status_code, code_of(refused)) == (409, "ID_IN_USE")
            another = await http.post("/mcp", headers=headers, json={**call("list_accounts"), "id": 8})
            assert event_of(another)["id"] == 8
            release.set()
        assert [event_of(answer)["result"]["isError"] for answer in answers] == [False, False]
        # It is over, and the id is taken again, as lax clients do.
        assert (
            event_of(await http.post("/mcp", headers=headers, json=call("get_balance", number=7)))["id"] == 7
        )


async def test_a_client_that_went_away_in_the_middle_may_ask_under_the_same_id_again(tmp_path: Path) -> None:
    asked, release = list[int](), anyio.Event()

    async def held() -> Sequence[Balance]:
        asked.append(1)
        await release.wait()
        return ()

    async with listening(tmp_path, read=held) as place, place.http() as http:
        session = await place.session("reader")
        headers = place.headers("reader", mcp_session_id=session)
        async with anyio.create_task_group() as group:
            group.start_soon(lambda: http.post("/mcp", headers=headers, json=call("get_balance", number=7)))
            await until(lambda: len(asked) == 1)
            group.cancel_scope.cancel()
        release.set()
        await until(lambda: not len(place.serving.exchanges))
        answer = await http.post("/mcp", headers=headers, json=call("get_balance", number=7))
        assert event_of(answer)["id"] == 7


async def test_whoever_read_the_answer_before_its_end_and_asks_again_waits_for_that_end() -> None:
    ids, began, order = Ids(), anyio.Event(), list[str]()
    user = user_of(Admitted(Caller("reader", frozenset()), "credential"))
    scope = {"headers": [(b"mcp-session-id", b"a")], "user": user}
    body = b'{"jsonrpc": "2.0", "id": 7, "method": "ping"}'

    async def again() -> None:
        began.set()
        async with ids.answered(scope, body):
            order.append("again")

    async with anyio.create_task_group() as group, ids.answered(scope, body):
        group.start_soon(again)
        await began.wait()
        for _ in range(20):
            await anyio.lowlevel.checkpoint()
        order.append("first")
    assert order == ["first", "again"]
