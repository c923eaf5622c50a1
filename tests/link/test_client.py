"""Every failure that the proposal socket can show, and what is made of it."""

import errno
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import httpx
import pytest
import respx

from exchange_mcp.link.client import DeskClient, Linked, Patience
from exchange_mcp.link.messages import PROTOCOL_HEADER, Agreed, ErrorMessage, ProposalMessage
from exchange_mcp.link.refusals import refusal
from exchange_mcp.model.errors import (
    BusyError,
    DeskError,
    ErrorBody,
    ErrorCode,
    ExchangeMcpError,
    InternalError,
    OrderRefusedError,
    ProposalRefusedError,
    VenueUnreachableError,
)
from exchange_mcp.model.frozen import Record
from tools.fakes import SetClock

from .written import DRAFT, INTENT_ID, agreement, intent

pytestmark = pytest.mark.anyio

HEADERS = {PROTOCOL_HEADER: "1"}
SOCKET = Path("/nowhere/proposals.sock")
Effect = httpx.Response | Exception | Callable[[httpx.Request], Awaitable[httpx.Response]]


class Counted:
    """Randomness that a test can tell apart."""

    def __init__(self) -> None:
        self.given = 0

    def token(self, size: int) -> bytes:
        self.given += 1
        return self.given.to_bytes(size, "big")


class Desk:
    """What stands at the socket: it answers proposals and whatever else with these, one after the other."""

    def __init__(self, *answers: Effect, handshake: Effect | None = None, socket: Path = SOCKET) -> None:
        self.answers = list(answers)
        self.handshake = handshake or ok(agreement())
        self.shaken = 0
        self.requests: list[httpx.Request] = []
        self.entropy, self.pauses, self.clock = Counted(), list[float](), SetClock()
        self.client = DeskClient(
            socket,
            version="1.2",
            entropy=self.entropy,
            clock=self.clock,
            patience=Patience(answer=0.05),
            sleep=self._sleep,
        )
        self.link: Linked = self.client.linked("a-credential-of-this-client")

    async def _sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)

    async def answer(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v1/handshake":
            self.shaken += 1
            effect = self.handshake
        else:
            self.requests.append(request)
            effect = self.answers.pop(0)
        match effect:
            case httpx.Response():
                return httpx.Response(effect.status_code, headers=effect.headers, content=effect.content)
            case Exception():
                raise effect
            case _:
                return await effect(request)

    def proposals(self) -> list[ProposalMessage]:
        return [ProposalMessage.model_validate_json(each.content) for each in self.requests]


@asynccontextmanager
async def desk(*answers: Effect, handshake: Effect | None = None) -> AsyncGenerator[Desk]:
    """A desk behind respx."""
    made = Desk(*answers, handshake=handshake)
    with respx.mock(base_url="http://desk", assert_all_called=False) as router:
        router.route().mock(side_effect=made.answer)
        yield made
    await made.client.close()


def ok(record: Record, status: int = 200) -> httpx.Response:
    return httpx.Response(status, headers=HEADERS, content=record.model_dump_json())


def said(error: ExchangeMcpError, status: int, *, intent_id: str | None = None) -> httpx.Response:
    return ok(ErrorMessage(error=error.body(), intent_id=intent_id), status)


def absent(number: int) -> Effect:
    async def refused(_: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("no connection") from OSError(number, "as the system says")

    return refused


async def failed(made: Desk) -> DeskError:
    with pytest.raises(DeskError) as caught:
        await made.link.propose(DRAFT)
    assert proposal(1) in caught.value.message  # whatever happens, the id that was sent is told
    assert caught.value.next_step
    return caught.value


def proposal(number: int) -> str:
    return number.to_bytes(16, "big").hex()


async def test_a_proposal_arrives_as_it_was_drafted_and_its_intent_comes_back() -> None:
    async with desk(ok(intent())) as made:
        assert await made.link.propose(DRAFT) == intent()
        (message,) = made.proposals()
        request = made.requests[0]
    assert message.proposal_id == proposal(1)
    assert (message.tool, message.account, message.request) == ("place_order", DRAFT.account, DRAFT.request)
    assert request.headers["authorization"] == "Bearer a-credential-of-this-client"
    assert request.headers[PROTOCOL_HEADER] == "1"
    assert request.headers["host"] == "desk"


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (errno.ENOENT, "the desk is not running: there is no socket"),
        (errno.ECONNREFUSED, "the desk is not running: nobody answers"),
        (errno.EACCES, "this server's user may not use the desk's socket"),
    ],
)
async def test_where_the_socket_cannot_be_reached_it_says_why_and_that_nothing_was_asked(
    number: int, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refused(_: object) -> None:
        raise OSError(number, "as the system says")

    monkeypatch.setattr(anyio, "connect_unix", refused)  # the system's answer to another user than root
    made = Desk()
    error = await failed(made)
    await made.client.close()
    assert (error.code, error.retry) == (ErrorCode.DESK_UNREACHABLE, "safe")
    assert told in error.message
    assert "nothing was asked" in error.message
    assert made.pauses == []


LOST: tuple[tuple[Effect, str], ...] = (
    (httpx.ReadTimeout("slow"), "no answer within"),
    (httpx.RemoteProtocolError("closed"), "broke off"),
    (httpx.ReadError("reset"), "broke off"),
    (httpx.Response(500, headers=HEADERS, text="oops"), "HTTP 500"),
    (httpx.Response(503, text="<html>busy</html>"), "HTTP 503"),
    (httpx.Response(404, headers=HEADERS, text="no"), "HTTP 404"),
    (httpx.Response(302, headers={**HEADERS, "location": "http://elsewhere/"}), "HTTP 302"),
    (httpx.Response(200, headers=HEADERS, text="{"), "HTTP 200"),
    (httpx.Response(200, headers=HEADERS, json={"intent_id": INTENT_ID}), "HTTP 200"),
    (httpx.Response(200, headers=HEADERS, text=intent().model_dump_json()[:-1] + ',"more":1}'), "HTTP 200"),
    (httpx.Response(200, text=intent().model_dump_json()), "HTTP 200"),
    (httpx.Response(200, headers=HEADERS, content=b" " * 262_145), "longer than 262144"),
    (ok(intent(proposal_id=proposal(9))), "another intent"),
)
IDS = [
    "slow", "closed", "reset", "500", "503", "404", "redirect", "cut", "too little", "too much", "no version", "huge",
    "another"
]  # fmt: skip


@pytest.mark.parametrize(("effect", "told"), LOST, ids=IDS)
async def test_an_answer_that_cannot_be_read_is_asked_for_again_under_the_same_id_and_never_with_a_new_one(
    effect: Effect, told: str
) -> None:
    async with desk(effect, effect, ok(intent())) as made:
        assert await made.link.propose(DRAFT) == intent()
        assert len({each.model_dump_json() for each in made.proposals()}) == 1
    assert len(made.requests) == 3
    assert made.entropy.given == 1
    assert made.pauses == [0.2, 1.0]
    async with desk(effect, effect, effect, ok(intent())) as made:
        error = await failed(made)
        assert len(made.requests) == 3
        assert {each.proposal_id for each in made.proposals()} == {proposal(1)}
    assert (error.code, error.retry) == (ErrorCode.DESK_UNREACHABLE, "safe")
    assert told in error.message
    assert "may have taken the proposal" in error.message
    assert "same arguments" in error.next_step


async def test_a_desk_that_is_gone_after_an_answer_was_lost_may_have_taken_the_proposal() -> None:
    async with desk(httpx.ReadError("reset"), absent(errno.ENOENT), absent(errno.ECONNREFUSED)) as made:
        error = await failed(made)
    assert "may have taken the proposal" in error.message


async def silent(_: httpx.Request) -> httpx.Response:
    await anyio.sleep_forever()
    raise AssertionError


async def test_a_desk_that_says_nothing_is_given_up_in_time() -> None:
    async with desk(silent, silent, silent) as made:
        with anyio.fail_after(5):
            error = await failed(made)
    assert "no answer within 0.05 s; it was asked 3 times" in error.message


async def test_asking_again_ends_when_its_time_is_up() -> None:
    async def slow(_: httpx.Request) -> httpx.Response:
        made.clock.seconds += 20
        raise httpx.ReadError("reset")

    async with desk(slow, slow, slow) as made:
        error = await failed(made)
        assert len(made.requests) == 2  # after 40 s of 25
    assert "asked 2 times" in error.message


@pytest.mark.parametrize(
    "error",
    [
        OrderRefusedError(ErrorCode.AMOUNT_OFF_STEP, "amount: 0.015 is off the step 0.01"),
        ProposalRefusedError(ErrorCode.SIMILAR_ORDER, "it is like another"),
        ProposalRefusedError(ErrorCode.BLOCKED_BY_UNKNOWN, "an outcome is unknown"),
        DeskError(ErrorCode.HALTED, "the desk is halted"),
        DeskError(ErrorCode.NOT_ALLOWED_FOR_CLIENT, "place_order is blocked for tests"),
        DeskError(ErrorCode.CREDENTIAL_REFUSED, "nobody has this credential"),
        VenueUnreachableError("the venue does not answer"),
        InternalError("the desk failed"),
    ],
    ids=lambda error: error.code,
)
async def test_what_the_desk_refuses_is_told_with_its_own_code_and_both_ids_and_not_asked_again(
    error: ExchangeMcpError,
) -> None:
    async with desk(said(error, 409, intent_id=INTENT_ID), ok(intent())) as made:
        with pytest.raises(type(error)) as caught:
            await made.link.propose(DRAFT)
        assert len(made.requests) == 1
    assert caught.value.body().model_dump(exclude={"message"}) == error.body().model_dump(exclude={"message"})
    assert caught.value.message == f"{error.message} (intent {INTENT_ID}, proposal {proposal(1)})"


async def test_a_desk_that_is_busy_is_asked_the_same_again_and_in_the_end_that_is_what_is_told() -> None:
    busy = said(BusyError("too many"), 503)
    async with desk(busy, busy, ok(intent())) as made:
        assert await made.link.propose(DRAFT) == intent()
        assert len({each.model_dump_json() for each in made.proposals()}) == 1
    async with desk(busy, busy, busy) as made:
        with pytest.raises(BusyError, match="too many") as caught:
            await made.link.propose(DRAFT)
    assert proposal(1) in caught.value.message
    # Of a proposal whose answer was lost before, a busy desk says nothing.
    async with desk(httpx.ReadError("reset"), busy, busy) as made:
        assert "may have taken the proposal" in (await failed(made)).message


async def test_whatever_fails_before_a_proposal_names_the_proposal() -> None:
    for error in (BusyError("too many"), InternalError("the desk failed")):
        async with desk(handshake=said(error, 503)) as made:
            with pytest.raises(type(error), match=proposal(1)):
                await made.link.propose(DRAFT)


def test_every_code_that_a_desk_can_answer_becomes_an_error_of_that_code() -> None:
    for code in ErrorCode:
        body = ErrorBody(code=code, message="why", hint="next", retry="never")
        assert refusal(ErrorMessage(error=body)).body() == body


async def test_text_that_hides_something_is_spelled_out() -> None:
    error = OrderRefusedError(ErrorCode.AMOUNT_OFF_STEP, "amount\u202e: \x1b[2Jno")
    async with desk(said(error, 422)) as made:
        with pytest.raises(OrderRefusedError) as caught:
            await made.link.propose(DRAFT)
    assert "\u202e" not in caught.value.message
    assert "\x1b" not in caught.value.message


async def test_a_desk_of_another_version_is_named_before_anything_is_proposed() -> None:
    async with desk(handshake=ok(agreement(protocol=2))) as made:
        error = await failed(made)
        assert not made.requests
    assert error.code is ErrorCode.DESK_VERSION
    assert "(release 9.9) speaks version 2" in error.message


async def test_an_answer_of_another_version_is_not_read() -> None:
    other = httpx.Response(200, headers={PROTOCOL_HEADER: "2"}, text=intent().model_dump_json())
    async with desk(other) as made:
        error = await failed(made)
        assert len(made.requests) == 1
    assert error.code is ErrorCode.DESK_VERSION


@pytest.mark.parametrize("agreed", ["mismatch", "not_held"])
async def test_an_account_that_means_another_one_at_the_desk_is_refused_before_anything_is_proposed(
    agreed: Agreed,
) -> None:
    async with desk(handshake=ok(agreement(agreed))) as made:
        error = await failed(made)
        assert not made.requests
    assert error.code is ErrorCode.ACCOUNT_MISMATCH
    assert "the venue is another one" in error.message


async def test_hands_are_shaken_once_an_account_and_again_when_the_desk_was_gone() -> None:
    lost = httpx.ReadError("reset")
    told = {number: ok(intent(proposal_id=proposal(number))) for number in (1, 2, 4)}
    async with desk(told[1], told[2], lost, lost, lost, told[4]) as made:
        await made.link.propose(DRAFT)
        await made.link.propose(DRAFT)
        assert made.shaken == 1
        with pytest.raises(DeskError):
            await made.link.propose(DRAFT)
        await made.link.propose(DRAFT)
        assert made.shaken == 2


async def test_an_intent_is_read_at_once_or_waited_for() -> None:
    async with desk(ok(intent()), ok(intent())) as made:
        assert await made.link.read(INTENT_ID) == intent()
        await made.link.read(INTENT_ID, wait_ms=99_000, state="proposed")
    at_once, waited = (each.url for each in made.requests)
    assert (at_once.path, at_once.query) == (f"/v1/intents/{INTENT_ID}", b"")
    assert dict(waited.params) == {"wait_ms": "45000", "state": "proposed"}


async def test_an_earlier_intent_that_is_asked_for_again_has_another_proposals_id() -> None:
    async with desk(ok(intent(proposal_id=proposal(9), repeated=True))) as made:
        assert (await made.link.propose(DRAFT)).proposal_id == proposal(9)


async def test_what_is_told_of_another_intent_than_was_asked_about_is_no_answer() -> None:
    other = ok(intent(intent_id="f" * 32, state="placed"))
    for ask in (Linked.read, Linked.retract):
        async with desk(other, other, other) as made:
            with pytest.raises(DeskError, match="another intent"):
                await ask(made.link, INTENT_ID)
        async with desk(other, ok(intent())) as made:
            assert await ask(made.link, INTENT_ID) == intent()


async def test_taking_back_is_asked_again_where_the_answer_was_lost() -> None:
    async with desk(httpx.ReadError("reset"), ok(intent(state="retracted"))) as made:
        assert (await made.link.retract(INTENT_ID)).state == "retracted"
    assert [(each.method, each.url.path) for each in made.requests] == [
        ("POST", f"/v1/intents/{INTENT_ID}/retract")
    ] * 2


async def test_a_call_that_is_cancelled_is_not_asked_again() -> None:
    asked = anyio.Event()

    async def hanging(request: httpx.Request) -> httpx.Response:
        asked.set()
        return await silent(request)

    async with desk(hanging, hanging) as made:
        async with anyio.create_task_group() as group:
            group.start_soon(made.link.propose, DRAFT)
            await asked.wait()
            group.cancel_scope.cancel()
        assert len(made.requests) == 1


async def test_a_real_socket_that_is_absent_closed_or_no_socket_says_so(tmp_path: Path) -> None:
    nowhere, file, closed = tmp_path / "none.sock", tmp_path / "file", tmp_path / "closed.sock"
    file.write_text("")
    listener = await anyio.create_unix_listener(closed)
    await listener.aclose()
    for path, told in ((nowhere, "there is no socket"), (file, "nobody answers"), (closed, "nobody answers")):
        made = Desk(socket=path)
        assert told in (await failed(made)).message
        await made.client.close()


def test_neither_the_link_nor_the_client_show_a_credential() -> None:
    made = Desk()
    assert "credential" not in f"{made.link!r}{made.client!r}"
