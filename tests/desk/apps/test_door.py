"""What passes a door and what does not, over a real socket: framing, JSON, bounds, waits, the end, and the log."""

import json
import logging
import math
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import anyio
import anyio.lowlevel
import pytest
from pydantic import Field

from desk.virtual import HandClock
from exchange_mcp.desk.apps.door import Door
from exchange_mcp.desk.apps.operation import Call, Operation
from exchange_mcp.desk.apps.requests import MOST_BODY
from exchange_mcp.desk.apps.shares import Share, Shares
from exchange_mcp.http.rates import Rates
from exchange_mcp.model.errors import DeskError, ErrorCode, ProposalRefusedError
from exchange_mcp.model.frozen import Record

from .behind import HEAD, Served, error_of, post, served, status_of

pytestmark = pytest.mark.anyio
CREDENTIAL = "the-one-credential-that-is-known"
INTENT = "0123456789abcdef0123456789abcdef"


class Said(Record):
    """A body."""

    amount: str
    count: int = 0
    inner: dict[str, object] = Field(default_factory=dict)
    proposal_id: str | None = None


class Asked(Record):
    """A query."""

    wait_ms: Annotated[int, Field(ge=0)] = 0


class Heard(Record):
    """What the desk understood."""

    client: str
    intent_id: str
    said: dict[str, Any] | None
    query: dict[str, Any] | None


@dataclass
class Desk:
    """What stands behind the door, and what it heard."""

    served: Served
    door: Door
    heard: list[Call] = field(default_factory=list[Call])
    work: anyio.Event = field(default_factory=anyio.Event)


@asynccontextmanager
async def desk(
    directory: Path,
    *,
    needs_credential: bool = False,
    per_minute: int = 6_000,
    working: Share | None = None,
    waiting: Share | None = None,
    patience: float = 10.0,
) -> AsyncGenerator[Desk]:
    """A door with a few routes."""
    heard, working_until = list[Call](), anyio.Event()

    async def echo(call: Call) -> Heard:
        heard.append(call)
        return Heard(
            client=call.client,
            intent_id=call.intent_id,
            said=None if call.said is None else call.said.model_dump(),
            query=None if call.query is None else call.query.model_dump(),
        )

    async def nothing(_: Call) -> None:
        return None

    async def wait(_: Call) -> None:
        heard.append(_)
        await anyio.sleep(math.inf)

    async def work(call: Call) -> None:
        heard.append(call)
        await working_until.wait()

    async def fail(call: Call) -> None:
        raise ValueError(f"a fault that repeats {call.said!r}")

    async def refuse(_: Call) -> None:
        raise ProposalRefusedError(ErrorCode.SIMILAR_ORDER, "There is one.", intent_id="f" * 32)

    def client_of(credential: str) -> str:
        if credential != CREDENTIAL:
            raise DeskError(ErrorCode.CREDENTIAL_REFUSED, "no client has it")
        return "assistant"

    clock = HandClock()
    door = Door(
        {
            "echo": Operation(method="POST", path="/v1/echo", asks=Said, answer=echo),
            "ask": Operation(method="GET", path="/v1/asked", query=Asked, answer=echo),
            "intent": Operation(method="POST", path="/v1/intents/{id}/echo", answer=echo),
            "nothing": Operation(method="POST", path="/v1/nothing", answer=nothing),
            "wait": Operation(method="GET", path="/v1/wait", answer=wait, waits=True),
            "urgent": Operation(method="POST", path="/v1/urgent", answer=nothing, is_urgent=True),
            "work": Operation(method="POST", path="/v1/work", answer=work),
            "fail": Operation(method="POST", path="/v1/fail", asks=Said, answer=fail),
            "refuse": Operation(method="POST", path="/v1/refuse", asks=Said, answer=refuse),
        },
        client_of=client_of if needs_credential else None,
        shares=Shares(working or Share(8, 8), waiting or Share(8, 8)),
        rates=Rates(per_minute, clock),
        log_rates=Rates(60, clock),
        patience=patience,
    )
    async with served(directory, door) as up:
        yield Desk(up, door, heard, working_until)


async def test_a_request_is_answered_with_what_was_understood_of_it(tmp_path: Path) -> None:
    async with desk(tmp_path) as it, it.served.http() as http:
        answer = await http.post(f"/v1/intents/{INTENT}/echo")
        assert answer.status_code == 200
        assert answer.json()["intent_id"] == INTENT
        assert answer.headers["x-exchange-mcp-protocol"] == "1"
        assert answer.headers["cache-control"] == "no-store"
        answer = await http.post("/v1/echo", json={"amount": "0.10", "count": 3})
        assert answer.json()["said"]["amount"] == "0.10"
        answer = await http.get("/v1/asked", params={"wait_ms": "5"})
        assert answer.json()["query"] == {"wait_ms": 5}
        answer = await http.post("/v1/nothing")
        assert (answer.status_code, answer.content) == (204, b"")


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b'{"amount": "1", "unknown": 1}', "unknown"),
        (b'{"amount": "1", "amount": "2"}', "twice"),
        (b'{"amount": "1", "inner": {"x": 1, "x": 2}}', "twice"),
        (b'{"amount": "1", "inner": {"x": 1.5}}', "fraction"),
        (b'{"amount": "1", "inner": {"x": 1e3}}', "fraction"),
        (b'{"amount": "1", "inner": {"x": NaN}}', "fraction"),
        (b'{"amount": "1", "count": 1234567890123456789}', "too long"),
        (b'{"amount": 1}', "amount"),
        (b'{"amount": "1", "count": "3"}', "count"),
        (b'{"amount": "1", "count": true}', "count"),
        (b'{"amount": "\\ud800"}', "not JSON"),
        (b'{"amount": "\xff"}', "not JSON"),
        (b'{"amount": "1"', "not JSON"),
        (b'{"amount": "1"} {}', "not JSON"),
        (b'["amount"]', "not a JSON object"),
        (b"", "not JSON"),
        (b'{"amount": "1", "inner": {"x": ' + b"[" * 20 + b"]" * 20 + b"}}", "deeper"),
        (b'{"amount": "1", "inner": {"x": ' + b"[" * 30_000 + b"]" * 30_000 + b"}}", "not JSON"),
    ],
)
async def test_a_body_that_could_be_read_in_two_ways_or_in_none_is_refused(
    tmp_path: Path, body: bytes, why: str
) -> None:
    async with desk(tmp_path) as it:
        answer = await it.served.raw(post("/v1/echo", body))
        assert status_of(answer) == 400
        assert why in error_of(answer)["message"]
        assert not it.heard


@pytest.mark.parametrize(
    ("request_line", "head", "status"),
    [
        (b"GET /v1/none", HEAD, 404),
        (b"GET /v1/echo", HEAD, 405),
        (b"HEAD /v1/asked", HEAD, 405),
        (b"OPTIONS /v1/echo", HEAD, 405),
        (b"GET /v1/%61sked", HEAD, 404),
        (b"GET /v1/asked/", HEAD, 404),
        (b"GET //v1/asked", HEAD, 404),
        (b"GET /v1/asked?wait_ms=1&wait_ms=2", HEAD, 400),
        (b"GET /v1/asked?other=1", HEAD, 400),
        (b"GET /v1/asked?wait_ms=-1", HEAD, 400),
        (b"GET /v1/asked?wait_ms", HEAD, 400),
        (b"GET /v1/asked", HEAD.replace(b"desk", b"localhost"), 421),
        (b"GET /v1/asked", HEAD.replace(b"Host", b"X"), 400),  # HTTP/1.1 itself wants a Host
        (b"GET /v1/asked", HEAD.replace(b": 1", b": 2"), 400),
        (b"GET /v1/asked", b"Host: desk\r\n", 400),
    ],
)
async def test_what_is_no_request_of_this_protocol_is_refused(
    tmp_path: Path, request_line: bytes, head: bytes, status: int
) -> None:
    async with desk(tmp_path) as it:
        answer = await it.served.raw(request_line + b" HTTP/1.1\r\n" + head + b"\r\n")
        assert status_of(answer) == status
        assert not it.heard


@pytest.mark.parametrize("named", ["0" * 31, "0" * 33, "G" * 32, "a.b"])
async def test_what_is_no_id_of_an_intent_is_an_intent_that_is_not_there(tmp_path: Path, named: str) -> None:
    async with desk(tmp_path) as it, it.served.http() as http:
        answer = await http.post(f"/v1/intents/{named}/echo")
        assert (answer.status_code, error_of(answer)["code"]) == (404, "UNKNOWN_INTENT")
        assert not it.heard


async def test_a_request_that_is_framed_in_two_ways_is_refused(tmp_path: Path) -> None:
    async with desk(tmp_path) as it:
        answer = await it.served.raw(
            post("/v1/echo", b'{"amount":"1"}', more=b"Transfer-Encoding: chunked\r\n")
        )
        assert status_of(answer) == 400
        assert not it.heard


async def test_a_body_of_another_type_is_refused(tmp_path: Path) -> None:
    async with desk(tmp_path) as it, it.served.http() as http:
        form = {"content-type": "application/x-www-form-urlencoded"}
        answer = await http.post("/v1/echo", content=b'{"amount":"1"}', headers=form)
        assert answer.status_code == 415


async def test_a_body_of_64_kib_is_read_and_one_byte_more_is_not(tmp_path: Path) -> None:
    async with desk(tmp_path) as it, it.served.http() as http:
        fill = MOST_BODY - len(b'{"amount":""}')
        whole = b'{"amount":"' + b"1" * fill + b'"}'
        typed = {"content-type": "application/json"}
        assert (await http.post("/v1/echo", content=whole, headers=typed)).status_code == 200

        async def chunked() -> AsyncGenerator[bytes]:
            yield whole + b" "

        assert (await http.post("/v1/echo", content=whole + b" ", headers=typed)).status_code == 413
        assert (await http.post("/v1/echo", content=chunked(), headers=typed)).status_code == 413
        assert len(it.heard) == 1


async def test_a_body_that_does_not_come_ends_its_request_in_time(tmp_path: Path) -> None:
    async with desk(tmp_path, patience=0.05) as it:
        answer = await it.served.raw(post("/v1/echo", b'{"amount":"1"}')[:-1])
        assert status_of(answer) == 408
        assert b"connection: close" in answer.lower()


async def test_without_the_credential_nothing_is_told_not_even_which_routes_there_are(tmp_path: Path) -> None:
    async with desk(tmp_path, needs_credential=True) as it:
        for shown in (None, "another", CREDENTIAL[:-1], "x" * 600):
            for path in ("/v1/asked", "/v1/none"):
                async with it.served.http(shown) as http:
                    answer = await http.get(path)
                    assert (answer.status_code, error_of(answer)["code"]) == (401, "CREDENTIAL_REFUSED")
        async with it.served.http(CREDENTIAL) as http:
            assert (await http.get("/v1/asked")).json()["client"] == "assistant"
            assert (await http.get("/v1/none")).status_code == 404


async def test_two_credentials_in_one_request_are_none(tmp_path: Path) -> None:
    line = f"Authorization: Bearer {CREDENTIAL}\r\n".encode()
    async with desk(tmp_path, needs_credential=True) as it:
        answer = await it.served.raw(b"GET /v1/asked HTTP/1.1\r\n" + HEAD + line + line + b"\r\n")
        assert status_of(answer) == 401


async def test_an_error_names_the_proposal_as_it_was_sent_and_the_intent_that_is_in_the_way(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path) as it, it.served.http() as http:
        answer = await http.post("/v1/refuse", json={"amount": "1", "proposal_id": "p-1234567"})
        assert answer.status_code == 409
        assert (answer.json()["proposal_id"], answer.json()["intent_id"]) == ("p-1234567", "f" * 32)


async def test_a_fault_of_ours_is_one_sentence_outside_and_a_place_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with desk(tmp_path) as it, it.served.http() as http:
        answer = await http.post("/v1/fail", json={"amount": "sentinel-in-the-body"})
        assert (answer.status_code, error_of(answer)["code"]) == (500, "INTERNAL")
    assert "test_door.py" in caplog.text
    assert "sentinel" not in caplog.text + answer.text


async def test_the_log_has_method_template_client_and_status_and_nothing_else_of_a_request(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with desk(tmp_path, needs_credential=True) as it, it.served.http(CREDENTIAL) as http:
        await http.post("/v1/echo?sentinel=1", json={"amount": "sentinel", "sentinel": 1})
        await http.get("/v1/sentinel", headers={"X-Sentinel": "sentinel"})
        await http.post(f"/v1/intents/{INTENT}/echo", headers={"User-Agent": "sentinel"})
        await http.request("SENTINEL", "/v1/echo")
    messages: list[Any] = [each.msg for each in caplog.records if each.name == "exchange_mcp.desk.apps.door"]
    ours: list[dict[str, Any]] = [each for each in messages if isinstance(each, dict)]
    assert {(each["method"], each["route"], each["caller"], each["status"]) for each in ours} == {
        ("POST", "/v1/echo", "assistant", 400),
        ("GET", "-", "assistant", 404),
        ("POST", "/v1/intents/{id}/echo", "assistant", 200),
        ("-", "-", "assistant", 405),
    }
    said = json.dumps(ours, default=str)
    assert "sentinel" not in said.lower()
    assert INTENT not in said
    assert CREDENTIAL not in said


async def test_what_waits_takes_no_place_of_what_does_not(tmp_path: Path) -> None:
    async with (
        desk(tmp_path, waiting=Share(2, 2)) as it,
        it.served.http() as http,
        anyio.create_task_group() as group,
    ):
        for _ in range(2):
            group.start_soon(http.get, "/v1/wait")
        await heard(it, 2)
        answer = await http.get("/v1/wait")
        assert (answer.status_code, error_of(answer)["code"]) == (503, "BUSY")
        assert (await http.get("/v1/asked")).status_code == 200
        group.cancel_scope.cancel()


async def test_one_client_has_only_so_many_requests_under_way(tmp_path: Path) -> None:
    async with (
        desk(tmp_path, working=Share(8, 1)) as it,
        it.served.http() as http,
        anyio.create_task_group() as group,
    ):
        group.start_soon(http.post, "/v1/work")
        await heard(it, 1)
        answer = await http.get("/v1/asked")
        assert (answer.status_code, error_of(answer)["code"]) == (503, "BUSY")
        it.work.set()


async def test_what_is_urgent_passes_however_often_is_asked_and_however_much_is_under_way(
    tmp_path: Path,
) -> None:
    async with (
        desk(tmp_path, working=Share(1, 1), per_minute=4) as it,
        it.served.http() as http,
        anyio.create_task_group() as group,
    ):
        group.start_soon(http.post, "/v1/work")
        await heard(it, 1)
        for _ in range(3):
            answer = await http.get("/v1/asked")
            assert (answer.status_code, error_of(answer)["code"]) == (503, "BUSY")
            assert (await http.post("/v1/urgent")).status_code == 204
        it.work.set()


async def test_what_is_under_way_when_the_desk_stops_is_answered(tmp_path: Path) -> None:
    answers: list[int] = []
    async with (
        desk(tmp_path) as it,
        it.served.http() as http,
        anyio.create_task_group() as group,
    ):

        async def work() -> None:
            answers.append((await http.post("/v1/work")).status_code)

        group.start_soon(work)
        await heard(it, 1)
        it.served.serving.stop()
        it.work.set()
    assert answers == [204]


async def test_who_asks_too_often_is_told_when_to_ask_again(tmp_path: Path) -> None:
    async with desk(tmp_path, per_minute=8) as it, it.served.http() as http:
        answers = [(await http.get("/v1/asked")).status_code for _ in range(3)]
        assert answers == [200, 200, 503]


async def test_a_wait_ends_when_whoever_asked_is_gone(tmp_path: Path) -> None:
    async with desk(tmp_path, waiting=Share(1, 1)) as it:
        async with anyio.create_task_group() as group, it.served.http() as http:
            group.start_soon(http.get, "/v1/wait")
            await heard(it, 1)
            group.cancel_scope.cancel()
        async with it.served.http() as http, anyio.create_task_group() as group:
            # Its place is free as soon as the desk has seen that it went.
            while len(it.heard) < 2:
                with anyio.move_on_after(0.2):
                    await http.get("/v1/wait")
            group.cancel_scope.cancel()


async def test_a_wait_ends_when_the_desk_stops_and_says_so(tmp_path: Path) -> None:
    async with desk(tmp_path) as it, it.served.http() as http:
        answers: list[tuple[int, str]] = []

        async def wait() -> None:
            answer = await http.get("/v1/wait")
            answers.append((answer.status_code, error_of(answer)["code"]))

        async with anyio.create_task_group() as group:
            group.start_soon(wait)
            await heard(it, 1)
            it.served.serving.stop()
        assert answers == [(503, "STOPPING")]


async def heard(it: Desk, number: int) -> None:
    """Let the desk run until it has heard so many requests."""
    with anyio.fail_after(5):
        while len(it.heard) < number:
            await anyio.lowlevel.checkpoint()
