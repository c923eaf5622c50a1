"""The operator's client: every question's typed answer, and every failure's one sentence with its next step."""

import os
import socket
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import pytest
import respx

from exchange_mcp.desk.locks import ProcessLock, journal_lock
from exchange_mcp.desk.operator.client import DeskAnswerError, OperatorClient
from exchange_mcp.desk.operator.messages import (
    ApproverView,
    Decline,
    Done,
    Failure,
    Halted,
    HaltOrder,
    IntentDetail,
    IntentList,
    News,
    SignatureMessage,
    SignedMessage,
)
from exchange_mcp.desk.sockets import bind_operator
from exchange_mcp.desk.statements import Purpose
from exchange_mcp.link.messages import PROTOCOL_HEADER, ErrorMessage
from exchange_mcp.model.errors import (
    DeskError,
    ErrorCode,
    ExchangeMcpError,
    InvalidArgumentError,
    ProposalRefusedError,
)
from exchange_mcp.model.frozen import Record

from .answers import INTENT, NONCE, NOW_MS, approvers, challenge, clients, configuration, status, view

Ask = Callable[[OperatorClient], object]
SIGNED = SignedMessage(
    purpose=Purpose.RESUME,
    nonce=NONCE,
    expires_ms=NOW_MS,
    body={"account": None},
    signature=SignatureMessage(approver="ada", fields={"signature": "00"}),
)
DETAIL = IntentDetail(
    intent=view(),
    plan_text="{}",
    preview_text="{}",
    lines=("order  market sell",),
    note=None,
    similar=(),
    events=(),
    waiting=None,
)
ADA = ApproverView(name="ada", kind="ed25519", public="aa", added_at=NOW_MS)

EVERY: list[tuple[str, str, Ask, Record]] = [
    ("GET", "/v1/status", lambda c: c.status(), status()),
    (
        "GET",
        "/v1/intents?state=open&limit=5",
        lambda c: c.intents(state="open", limit=5),
        IntentList(intents=(view(),)),
    ),
    ("GET", f"/v1/intents/{INTENT}", lambda c: c.intent(INTENT), DETAIL),
    ("GET", "/v1/news?after=4&wait_ms=100", lambda c: c.news(after=4, wait_ms=100), News(head=4, events=())),
    ("GET", "/v1/configuration", lambda c: c.configuration(), configuration()),
    ("GET", "/v1/approvers", lambda c: c.approvers(), approvers(ADA)),
    ("GET", "/v1/clients", lambda c: c.clients(), clients()),
    (
        "POST",
        f"/v1/intents/{INTENT}/decline",
        lambda c: c.decline(INTENT, Decline(by="ada")),
        view(state="declined"),
    ),
    ("POST", "/v1/halt", lambda c: c.halt(HaltOrder(by="ada", reason="no")), Halted(halted=("the desk",))),
    ("POST", "/v1/challenge", lambda c: c.challenge(), challenge()),
    ("POST", "/v1/signed", lambda c: c.signed(SIGNED), Done(message="resumed")),
]


@pytest.fixture
def client(tmp_path: Path) -> Generator[OperatorClient]:
    """A client whose desk takes connections; what it answers stands in `wire`."""
    path = tmp_path / "operator.sock"
    with socket.socket(socket.AF_UNIX) as listening, OperatorClient(path) as made:
        listening.bind(str(path))
        listening.listen()
        yield made


@pytest.fixture
def wire() -> Generator[respx.MockRouter]:
    with respx.mock(base_url="http://desk", assert_all_called=False) as router:
        yield router


@contextmanager
def held(lock: ProcessLock) -> Generator[None]:
    try:
        yield
    finally:
        lock.release()


def refused(ask: Ask, client: OperatorClient) -> ExchangeMcpError:
    with pytest.raises(ExchangeMcpError) as raised:
        ask(client)
    assert raised.value.message.endswith(".")
    assert raised.value.next_step
    return raised.value


@pytest.mark.parametrize(("verb", "path", "ask", "answer"), EVERY, ids=[each[1] for each in EVERY])
def test_every_question_goes_to_its_route_and_its_answer_comes_back_typed(
    verb: str, path: str, ask: Ask, answer: Record, *, client: OperatorClient, wire: respx.MockRouter
) -> None:
    wire.request(verb, path).mock(return_value=httpx.Response(200, content=answer.model_dump_json()))
    assert ask(client) == answer
    assert wire.calls.last.request.headers[PROTOCOL_HEADER] == "1"


def test_a_wrong_passphrase_is_told_and_nothing_is_answered(
    client: OperatorClient, wire: respx.MockRouter
) -> None:
    told = wire.post("/v1/failures").mock(return_value=httpx.Response(204))
    client.failed(Failure(approver="ada", times=2))
    assert told.calls.last.request.content == b'{"approver":"ada","times":2}'


def test_without_a_socket_it_is_said_that_no_desk_runs_and_how_to_start_one(tmp_path: Path) -> None:
    with OperatorClient(tmp_path / "operator.sock") as client:
        error = refused(OperatorClient.status, client)
    assert error.code is ErrorCode.DESK_UNREACHABLE
    assert "is not running" in error.message
    assert error.next_step == "Start it: exchange-mcp desk"


def test_a_socket_that_a_dead_desk_left_behind_is_told_from_a_living_one(tmp_path: Path) -> None:
    path = tmp_path / "left.sock"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
    with OperatorClient(path) as client:
        error = refused(OperatorClient.status, client)
    assert "is not running any more" in error.message
    assert "exchange-mcp desk" in error.next_step


def test_a_desk_that_holds_its_socket_and_does_not_listen_yet_is_said_to_be_starting(tmp_path: Path) -> None:
    path = tmp_path / "own" / "operator.sock"
    with closing(bind_operator(path)) as bound:
        bound.tell("is starting: it opens its accounts")
        with OperatorClient(path) as client:
            error = refused(OperatorClient.status, client)
    assert error.code is ErrorCode.DESK_UNREACHABLE
    assert error.message == f"The desk (process {os.getpid()}) is starting: it opens its accounts."
    assert error.next_step.startswith("Ask again in a moment")
    # Once it is gone, its lock file says nothing any more, although its number may be another process's by then.
    with OperatorClient(path) as client:
        assert "is not running" in refused(OperatorClient.status, client).message


def test_a_desk_that_has_only_opened_its_journal_is_told_from_none(tmp_path: Path) -> None:
    path, journal = tmp_path / "operator.sock", tmp_path / "state" / "journal.db"
    with (
        held(ProcessLock(journal_lock(journal), "the journal")),
        OperatorClient(path, journal=journal) as client,
    ):
        error = refused(OperatorClient.status, client)
    assert f"process {os.getpid()} holds its journal" in error.message
    assert "Start it" not in error.next_step


def test_a_desk_of_another_user_says_whose_command_this_has_to_be(
    client: OperatorClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(_: socket.socket, path: str) -> None:
        raise PermissionError(13, "Permission denied", path)

    # The superuser passes every mode; what others meet is the system's answer, put here in its place.
    monkeypatch.setattr(socket.socket, "connect", denied)
    error = refused(OperatorClient.status, client)
    assert error.code is ErrorCode.DESK_UNREACHABLE
    assert f"uid {os.geteuid()}" in error.message
    assert "desk's own user" in error.next_step


def test_a_slow_answer_to_a_question_changed_nothing(client: OperatorClient, wire: respx.MockRouter) -> None:
    wire.get("/v1/status").mock(side_effect=httpx.ReadTimeout("slow"))
    error = refused(OperatorClient.status, client)
    assert "did not answer within 30 s" in error.message
    assert error.next_step == "Nothing was changed; ask again."


@pytest.mark.parametrize(
    "failure", [httpx.ReadTimeout("slow"), httpx.RemoteProtocolError("cut"), httpx.ReadError("cut")]
)
def test_a_lost_answer_to_a_signed_message_says_that_it_may_have_been_done_and_is_not_sent_again(
    failure: httpx.HTTPError, client: OperatorClient, wire: respx.MockRouter
) -> None:
    route = wire.post("/v1/signed").mock(side_effect=failure)
    error = refused(lambda c: c.signed(SIGNED), client)
    assert "may have been done" in error.next_step
    assert route.call_count == 1


def test_a_desk_that_takes_no_connection_is_said_to_be_busy(
    client: OperatorClient, wire: respx.MockRouter
) -> None:
    wire.get("/v1/status").mock(side_effect=httpx.ConnectTimeout("full"))
    assert "does not take connections" in refused(OperatorClient.status, client).message


def test_another_protocol_is_named_before_anything_of_the_answer_is_believed(
    client: OperatorClient, wire: respx.MockRouter
) -> None:
    answer = httpx.Response(200, content=status().model_dump_json(), headers={PROTOCOL_HEADER: "2"})
    wire.get("/v1/status").mock(return_value=answer)
    error = refused(OperatorClient.status, client)
    assert (error.code, "protocol 2" in error.message) == (ErrorCode.DESK_VERSION, True)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b'{"desk_id":"d"}',
        status().model_dump_json().replace('"pending":1', '"pending":"1"').encode(),
        status().model_dump_json().replace('"pending":1', '"pending":1,"more":2').encode(),
    ],
    ids=["empty", "markup", "a list", "too little", "another type", "too much"],
)
def test_an_answer_that_is_not_of_the_protocol_is_not_understood(
    body: bytes, client: OperatorClient, wire: respx.MockRouter
) -> None:
    wire.get("/v1/status").mock(return_value=httpx.Response(200, content=body))
    error = refused(OperatorClient.status, client)
    assert error.code is ErrorCode.DESK_VERSION
    assert "cannot be understood" in error.message


def test_an_endless_answer_is_cut(
    client: OperatorClient, wire: respx.MockRouter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("exchange_mcp.desk.operator.client._MOST_BYTES", 1000)
    wire.get("/v1/status").mock(return_value=httpx.Response(200, content=b" " * 1001))
    assert "longer than 1000 bytes" in refused(OperatorClient.status, client).message


def test_what_the_desk_refuses_is_said_in_its_words_with_its_code_and_its_intent(
    client: OperatorClient, wire: respx.MockRouter
) -> None:
    told = ProposalRefusedError(ErrorCode.INTENT_MOVED_ON, "it was declined.", hint="Look at it.")
    message = ErrorMessage(error=told.body(), intent_id=INTENT)
    wire.post(f"/v1/intents/{INTENT}/open").mock(
        return_value=httpx.Response(409, content=message.model_dump_json())
    )
    error = refused(lambda c: c.open(INTENT), client)
    assert isinstance(error, DeskAnswerError)
    assert (error.code, error.message, error.next_step) == (told.code, "it was declined.", "Look at it.")
    assert error.intent_id == INTENT


def test_a_desk_cannot_steer_the_terminal_by_what_it_says(
    client: OperatorClient, wire: respx.MockRouter
) -> None:
    told = DeskError(ErrorCode.HALTED, "halted\x1b[2J\u202e.", hint="\x07.")
    wire.get("/v1/status").mock(
        return_value=httpx.Response(409, content=ErrorMessage(error=told.body()).model_dump_json())
    )
    error = refused(OperatorClient.status, client)
    assert error.message == "halted\\u{1b}[2J\\u{202e}."
    assert error.next_step == "\\u{7}."


def test_a_server_error_without_a_message_is_named_by_its_status(
    client: OperatorClient, wire: respx.MockRouter
) -> None:
    wire.get("/v1/status").mock(return_value=httpx.Response(502, content=b"bad gateway"))
    assert "HTTP status 502" in refused(OperatorClient.status, client).message


@pytest.mark.parametrize("name", ["", "../status", "a/b", "a?b", "a%2fb", "é"])
def test_what_could_be_another_path_is_no_intents_id(
    name: str, client: OperatorClient, wire: respx.MockRouter
) -> None:
    with pytest.raises(InvalidArgumentError):
        client.intent(name)
    assert not wire.calls
