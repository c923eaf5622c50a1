"""One request on its way, and what was seen of it. The evidence from which an outcome is concluded."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field


@dataclass(slots=True, eq=False)
class SendToken:
    """Permission to put one write on the wire, once. Whoever finds it spent may conclude only: something is out."""

    is_spent: bool = False


@dataclass(slots=True, eq=False)
class Attempt:
    """What was seen of one request.

    Attributes:
        method, url: what was signed; the URL holds the signature and must not be shown.
        token: set for a write.
        passes: how often the HTTP client came to send it; the second time it is stopped.
        headers_sent: how often a write's headers were put on a connection; not watched for a read.
        status, body: of the answer, as far as one came; the body as text, undecodable bytes replaced.
        failure: what the connection raised.
        signed_ms, window_ms: the timestamp in the signed request, and how long the venue honours it.
    """

    method: str
    url: str = field(repr=False)
    token: SendToken | None = None
    passes: int = 0
    headers_sent: int = 0
    status: int | None = None
    body: str | None = field(default=None, repr=False)
    failure: Exception | None = None
    signed_ms: int | None = None
    window_ms: int | None = None

    @property
    def is_on_wire(self) -> bool:
        """Whether anything of this write may have reached the venue."""
        return self.headers_sent > 0


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
