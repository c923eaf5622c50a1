"""What an answer covers: which sources answered, which did not, and why. A gap is never an empty list."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from exchange_mcp.model.errors import ErrorCode, ExchangeMcpError, Retry
from exchange_mcp.model.frozen import Record
from exchange_mcp.model.instants import Instant
from exchange_mcp.model.venue_text import VenueText

T = TypeVar("T")


class Answered(Record):
    """One source of one account that answered in full, and when."""

    account: str
    venue: str
    environment: str
    source: VenueText
    as_of: Instant


class Gap(Record):
    """One source of one account that did not answer, and why."""

    account: str
    source: VenueText
    code: ErrorCode
    message: VenueText
    retry: Retry


class Coverage(Record):
    """What was asked and who answered. `complete` is true only without a gap."""

    complete: bool
    answered: tuple[Answered, ...]
    gaps: tuple[Gap, ...]


@dataclass(frozen=True, slots=True)
class SourceRead(Generic[T]):
    """One question to one source of an account, not asked yet.

    Awaiting `read()` asks it and gives the source's items, or raises an `ExchangeMcpError`.
    """

    source: str
    read: Callable[[], Awaitable[Sequence[T]]]


@dataclass(frozen=True, slots=True)
class Unread:
    """A source that cannot be asked at all, and why."""

    source: str
    error: ExchangeMcpError


@dataclass(frozen=True, slots=True)
class Sources(Generic[T]):
    """Every source that a question to an account has."""

    reads: tuple[SourceRead[T], ...]
    unread: tuple[Unread, ...] = ()
