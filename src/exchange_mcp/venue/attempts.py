"""One call, one request on its way, and what was seen of it. The evidence from which an outcome is concluded."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from exchange_mcp.venue.line import Line


@dataclass(slots=True, eq=False)
class Call:
    """One call and whether it still runs.

    Attributes:
        purpose: for messages, such as "read".
        is_open: until the call ends; nothing is sent for it afterwards, however far the request had come.
        pending: its requests that have not ended.
        failure: what fails the call when it ends, also where ccxt swallowed the exception.
    """

    purpose: str
    is_open: bool = field(default=True, kw_only=True)
    pending: int = field(default=0, kw_only=True)
    failure: Exception | None = field(default=None, kw_only=True)

    def poison(self, error: Exception) -> None:
        """Fail the call when it ends, by the first of such errors."""
        self.failure = self.failure or error


@dataclass(slots=True, eq=False)
class SendToken:
    """Permission to put one write on the wire, once. It is spent before the request is handed to a connection."""

    is_spent: bool = False


@dataclass(slots=True, eq=False)
class Attempt:
    """What was seen of one request.

    Attributes:
        method, url: what was signed; the URL holds the signature and must not be shown.
        call: for whom it is sent.
        token: set for a write.
        line: the connection that was opened for it; None where one is opened as it is sent.
        passes: how often it was handed to a connection; from the second time on it is stopped there.
        status, body: of the answer, as far as one came; the body as text, undecodable bytes replaced.
        failure: what the connection raised.
        credentials: of a write, the values of what its fields and headers name as such, its signature among them.
        signed_ms, window_ms: the timestamp in the signed request, and how long the venue honours it.
    """

    method: str
    url: str = field(repr=False)
    call: Call = field(repr=False)
    token: SendToken | None = None
    line: "Line | None" = field(default=None, repr=False)
    passes: int = 0
    status: int | None = None
    body: str | None = field(default=None, repr=False)
    failure: Exception | None = None
    credentials: tuple[str, ...] = field(default=(), repr=False)
    signed_ms: int | None = None
    window_ms: int | None = None

    @property
    def is_on_wire(self) -> bool:
        """Whether anything of this request may have reached the venue."""
        return self.passes > 0


CALL: ContextVar[Call | None] = ContextVar("call", default=None)
"""The call that is under way, if one is; `egress` sets it."""

_UNDER_WAY: ContextVar[Attempt | None] = ContextVar("attempt", default=None)


def under_way() -> Attempt | None:
    """The request that the running task is sending, if it is."""
    return _UNDER_WAY.get()


@contextmanager
def sending(attempt: Attempt) -> Generator[None]:
    """The session sends this one request inside the block, and no other."""
    token = _UNDER_WAY.set(attempt)
    try:
        yield
    finally:
        _UNDER_WAY.reset(token)
