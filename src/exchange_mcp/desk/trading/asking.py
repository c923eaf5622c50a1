"""Asking every source of a question at once; what does not answer is kept with its error, and never read as empty."""

import asyncio
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from exchange_mcp.config.logs import get_logger
from exchange_mcp.model.coverage import SourceRead, Sources
from exchange_mcp.model.errors import DeadlineError, ExchangeMcpError, InternalError, NothingAnsweredError
from exchange_mcp.model.ports import Clock

T = TypeVar("T")

_log = get_logger(__name__)

PATIENCE: Final = 10.0
"""How long one source may take, in seconds."""


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A source that did not answer, and why."""

    source: str
    error: ExchangeMcpError


@dataclass(frozen=True, slots=True, kw_only=True)
class Told(Generic[T]):
    """What the sources of one question told.

    Attributes:
        items: of all that answered. unanswered: the others.
        as_of_ms: when the first of them answered, by our own clock; UTC milliseconds.
    """

    items: tuple[T, ...]
    unanswered: tuple[Unanswered, ...]
    as_of_ms: int

    def whole(self) -> tuple[T, ...]:
        """The items, if every source answered.

        Raises:
            NothingAnsweredError: one did not; the message names each that did not.
        """
        if self.unanswered:
            raise failure(self.unanswered)
        return self.items


def failure(unanswered: tuple[Unanswered, ...]) -> NothingAnsweredError:
    """The error that names these sources; it speaks as the first of them."""
    return NothingAnsweredError([(each.source, each.error) for each in unanswered])


async def told(sources: Sources[T], clock: Clock) -> Told[T]:
    """Ask every source, each on its own; nothing is raised but what is a fault of ours in being cancelled."""
    answers = await asyncio.gather(*(_asked(read) for read in sources.reads))
    as_of_ms = clock.now_ms()
    missing = [Unanswered(each.source, each.error) for each in sources.unread]
    items: list[T] = []
    for answer in answers:
        if isinstance(answer, Unanswered):
            missing.append(answer)
        else:
            items.extend(answer)
    return Told(items=tuple(items), unanswered=tuple(missing), as_of_ms=as_of_ms)


async def _asked(read: SourceRead[T]) -> tuple[T, ...] | Unanswered:
    try:
        async with asyncio.timeout(PATIENCE):
            return tuple(await read.read())
    except TimeoutError:
        return Unanswered(read.source, DeadlineError(f"no answer within {PATIENCE:.0f} s"))
    except ExchangeMcpError as error:
        return Unanswered(read.source, error)
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise  # whoever asked is cancelled
        # Something inside the source was: let through, it would look like an answer that nobody waited for.
        return Unanswered(read.source, InternalError("reading this source was broken off"))
    except Exception:  # noqa: BLE001 - whatever went wrong, this source did not answer
        _log.exception("reading for a plan failed", source=read.source)
        return Unanswered(read.source, InternalError("an unexpected fault while reading this source"))
