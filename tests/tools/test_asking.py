import asyncio
import logging
from collections.abc import Sequence
from typing import Any

import anyio
import pytest

from exchange_mcp.model.coverage import SourceRead, Sources, Unread
from exchange_mcp.model.errors import (
    ErrorCode,
    NotCoveredError,
    NothingAnsweredError,
    RateLimitedError,
    UnknownAccountError,
    VenueUnreachableError,
)
from exchange_mcp.model.ports import ReadVenue
from exchange_mcp.tools.asking import Asked, ask

from .fakes import NOW_MS, FakeVenue, an_account, answering, failing, read_handed

pytestmark = pytest.mark.anyio


def question(venue: ReadVenue) -> Sources[Any]:
    return venue.balances()


async def asked_of(*reads: SourceRead[Any], seconds: float = 10.0) -> Asked[Any]:
    """What comes of these sources beside one that answers."""
    sources = Sources(reads=(answering("good", "item"), *reads))
    return await ask(read_handed(FakeVenue(an_account(), sources), seconds=seconds), None, question)


def only_gap(asked: Asked[Any]) -> tuple[str, str, ErrorCode, str]:
    """The gap, once it is sure that the other source's answer stands and is not called complete."""
    assert asked.items == ("item",)
    assert [a.source for a in asked.coverage.answered] == ["good"]
    assert not asked.coverage.complete
    (gap,) = asked.coverage.gaps
    return gap.account, gap.source, gap.code, gap.message


async def test_what_answered_is_told_with_its_account_and_time() -> None:
    asked = await asked_of()
    assert asked.coverage.complete
    assert asked.coverage.gaps == ()
    (answered,) = asked.coverage.answered
    assert answered.model_dump() == {
        "account": "main",
        "venue": "binance",
        "environment": "live",
        "source": "good",
        "as_of": "2001-09-09T01:46:40.000Z",
    }
    assert answered.as_of == NOW_MS


async def test_a_source_that_fails_is_a_gap_with_the_failures_code() -> None:
    asked = await asked_of(failing("bad", RateLimitedError("slow down")))
    assert only_gap(asked) == ("main", "bad", ErrorCode.RATE_LIMITED, "slow down")
    assert asked.coverage.gaps[0].retry == RateLimitedError.retry


async def test_a_source_that_never_answers_is_a_gap_when_nine_tenths_of_the_time_are_up() -> None:
    async def forever() -> Sequence[Any]:
        await anyio.sleep_forever()
        return ()

    asked = await asked_of(SourceRead("hung", forever), seconds=0.16)
    # 0.16 s x 0.9 = 0.144 s
    assert only_gap(asked) == ("main", "hung", ErrorCode.DEADLINE_EXCEEDED, "no answer within 0.1 s")


async def test_no_source_is_waited_for_once_the_deadline_has_passed() -> None:
    async def forever() -> Sequence[Any]:
        await anyio.sleep_forever()
        return ()

    with anyio.fail_after(5):
        asked = await asked_of(SourceRead("hung", forever), seconds=-1.0)
    assert only_gap(asked)[2] is ErrorCode.DEADLINE_EXCEEDED


@pytest.mark.parametrize(
    "error", [KeyError("secret detail"), TimeoutError("t"), ExceptionGroup("g", [ValueError("x")])], ids=repr
)
async def test_a_foreign_exception_is_a_gap_that_does_not_repeat_its_text(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        asked = await asked_of(failing("bad", error))
    assert only_gap(asked) == (
        "main",
        "bad",
        ErrorCode.INTERNAL,
        "an unexpected fault while reading this source",
    )
    assert [record.getMessage() for record in caplog.records] == ["reading bad of account main failed"]


async def test_a_source_that_is_cancelled_from_within_is_a_gap_and_takes_nothing_from_the_others() -> None:
    async def slow() -> Sequence[Any]:
        await anyio.lowlevel.checkpoint()
        await anyio.lowlevel.checkpoint()
        return ("late",)

    sources = Sources(reads=(failing("broken", asyncio.CancelledError()), SourceRead("slow", slow)))
    asked = await ask(read_handed(FakeVenue(an_account(), sources)), None, question)
    assert asked.items == ("late",)
    assert [(gap.source, gap.code) for gap in asked.coverage.gaps] == [("broken", ErrorCode.INTERNAL)]


async def test_cancelling_the_call_ends_it_and_leaves_no_half_answer() -> None:
    started = anyio.Event()
    ended: list[str] = []

    async def forever() -> Sequence[Any]:
        started.set()
        try:
            await anyio.sleep_forever()
        finally:
            ended.append("read")
        return ()

    async def call() -> None:
        await asked_of(SourceRead("hung", forever))
        ended.append("answered")

    async with anyio.create_task_group() as group:
        group.start_soon(call)
        await started.wait()
        group.cancel_scope.cancel()
    assert ended == ["read"]


async def test_cancelling_the_calls_task_ends_it_too() -> None:
    started = anyio.Event()

    async def forever() -> Sequence[Any]:
        started.set()
        await anyio.sleep_forever()
        return ()

    call = asyncio.create_task(asked_of(SourceRead("hung", forever)))
    await started.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call


async def test_a_source_that_cannot_be_asked_is_a_gap() -> None:
    sources = Sources(
        reads=(answering("good", "item"),), unread=(Unread("linear", NotCoveredError("no key")),)
    )
    asked = await ask(read_handed(FakeVenue(an_account(), sources)), None, question)
    assert only_gap(asked) == ("main", "linear", ErrorCode.NOT_COVERED, "no key")


async def test_an_empty_answer_is_an_answer() -> None:
    sources = Sources(reads=(answering("spot"),))
    asked = await ask(read_handed(FakeVenue(an_account(), sources)), None, question)
    assert asked.items == ()
    assert asked.coverage.complete


async def test_when_every_source_failed_the_call_fails_and_names_each() -> None:
    sources = Sources(
        reads=(failing("spot", VenueUnreachableError("reset")),),
        unread=(Unread("linear", NotCoveredError("no key")),),
    )
    with pytest.raises(NothingAnsweredError) as caught:
        await ask(read_handed(FakeVenue(an_account(), sources)), None, question)
    assert set(caught.value.message.split("; ")) == {"main spot: reset", "main linear: no key"}
    assert caught.value.retry == "safe"


async def test_a_question_that_no_account_can_be_asked_is_an_error_and_not_an_empty_list() -> None:
    with pytest.raises(NotCoveredError):
        await ask(read_handed(FakeVenue(an_account(), Sources(reads=()))), None, question)
    with pytest.raises(NotCoveredError):
        await ask(read_handed(), None, question)


async def test_items_come_in_the_order_of_accounts_and_sources_whoever_answers_first() -> None:
    first_may_answer = anyio.Event()

    async def last() -> Sequence[Any]:
        await first_may_answer.wait()
        return (1, 2)

    async def first() -> Sequence[Any]:
        first_may_answer.set()
        return (4,)

    handed = read_handed(
        FakeVenue(an_account("a"), Sources(reads=(SourceRead("slow", last), answering("quick", 3)))),
        FakeVenue(an_account("b"), Sources(reads=(SourceRead("quick", first),))),
    )
    asked = await ask(handed, None, question)
    assert asked.items == (1, 2, 3, 4)
    assert [(a.account, a.source) for a in asked.coverage.answered] == [
        ("a", "slow"),
        ("a", "quick"),
        ("b", "quick"),
    ]


async def test_a_named_account_is_asked_alone() -> None:
    fakes = [FakeVenue(an_account(name), Sources(reads=(answering("s", name),))) for name in ("a", "b")]
    asked = await ask(read_handed(*fakes), "b", question)
    assert asked.items == ("b",)
    assert [fake.asked for fake in fakes] == [[], [("balances",)]]


async def test_an_unknown_account_is_answered_with_the_known_names_and_made_visible() -> None:
    handed = read_handed(FakeVenue(an_account("a"), Sources(reads=(answering("s"),))))
    with pytest.raises(UnknownAccountError, match=r"no account 'x\\\\u\{202e\}'; there are: a"):
        await ask(handed, "x\u202e", question)
