"""Asking every source of every chosen account at once, and saying which of them answered."""

import logging
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import anyio

from exchange_mcp.model.accounts import Account
from exchange_mcp.model.coverage import Answered, Coverage, Gap, SourceRead, Sources
from exchange_mcp.model.errors import (
    DeadlineError,
    ExchangeMcpError,
    InternalError,
    NotCoveredError,
    NothingAnsweredError,
)
from exchange_mcp.model.ports import ReadVenue
from exchange_mcp.tools.handed import ReadHanded

T = TypeVar("T")

_log = logging.getLogger(__name__)

# The last tenth of a call's time is kept for putting the answer together, so that a venue which says
# nothing becomes a named gap beside the others' answers, and not the end of the whole call.
_SHARE_FOR_ASKING = 0.9


@dataclass(frozen=True, slots=True)
class Asked(Generic[T]):
    """The items of every source that answered, in the order of accounts and sources, and the coverage."""

    items: tuple[T, ...]
    coverage: Coverage


@dataclass(slots=True)
class _Slot(Generic[T]):
    """One source of one account, and what came of it."""

    account: Account
    source: str
    items: tuple[T, ...] = ()
    as_of: int = 0
    error: ExchangeMcpError | None = None


async def ask(
    handed: ReadHanded, account: str | None, question: Callable[[ReadVenue], Sources[T]]
) -> Asked[T]:
    """Put one question to every source of the chosen accounts, each on its own, all at once.

    A source that fails or does not answer in time is a gap and takes nothing from the others.

    Raises:
        UnknownAccountError: no account has this name.
        NotCoveredError: no chosen account has any source for this question.
        NothingAnsweredError: there was not one source that answered.
    """
    slots: list[_Slot[T]] = []
    pending: list[tuple[_Slot[T], SourceRead[T]]] = []
    for venue in handed.chosen(account):
        sources = question(venue)
        slots.extend(_Slot(venue.account, unread.source, error=unread.error) for unread in sources.unread)
        for read in sources.reads:
            slot = _Slot[T](venue.account, read.source)
            slots.append(slot)
            pending.append((slot, read))
    if not slots:
        raise NotCoveredError("no chosen account is set up for this question")
    if len(pending) == 1:
        await _fill(*pending[0], handed)
    else:
        async with anyio.create_task_group() as group:
            for slot, read in pending:
                group.start_soon(_fill, slot, read, handed)
    answered = [slot for slot in slots if slot.error is None]
    if not answered:
        raise NothingAnsweredError([(f"{s.account.name} {s.source}", s.error) for s in slots if s.error])
    return Asked(tuple(item for slot in answered for item in slot.items), _coverage(slots))


async def _fill(slot: _Slot[T], read: SourceRead[T], handed: ReadHanded) -> None:
    seconds = max(0.0, handed.deadline - handed.clock.monotonic()) * _SHARE_FOR_ASKING
    try:
        with anyio.move_on_after(seconds) as scope:
            slot.items = tuple(await read.read())
            slot.as_of = handed.clock.now_ms()
        if scope.cancelled_caught:
            slot.error = DeadlineError(f"no answer within {seconds:.1f} s")
    except ExchangeMcpError as error:
        slot.error = error
    except anyio.get_cancelled_exc_class():
        if anyio.current_effective_deadline() == -math.inf:
            raise  # the call itself is cancelled
        # Something inside the source was cancelled. Let through, it would end every other source's question
        # without an error, and an unanswered source would look like an empty one.
        slot.error = InternalError("reading this source was broken off")
    except Exception:  # noqa: BLE001 - the boundary where any fault becomes this one source's gap
        _log.exception("reading %s of account %s failed", slot.source, slot.account.name)
        slot.error = InternalError("an unexpected fault while reading this source")


def _coverage(slots: list[_Slot[T]]) -> Coverage:
    answered = tuple(
        Answered(
            account=slot.account.name,
            venue=slot.account.venue,
            environment=slot.account.environment,
            source=slot.source,
            as_of=slot.as_of,
        )
        for slot in slots
        if slot.error is None
    )
    gaps = tuple(
        Gap(
            account=slot.account.name,
            source=slot.source,
            code=slot.error.code,
            message=slot.error.message,
            retry=slot.error.retry,
        )
        for slot in slots
        if slot.error is not None
    )
    return Coverage(complete=not gaps, answered=answered, gaps=gaps)
