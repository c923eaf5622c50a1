"""A line: one connection that is opened ahead of one write, for it alone, and closed after it.

Everything that takes time is over when it is open: the name is resolved, the TLS handshake is done. Nothing was ever
sent or received on it, so that no earlier answer can be taken for that of the write. It goes to no pool.
"""

from collections.abc import Awaitable, Callable
from ssl import SSLContext
from typing import Any, Final

import aiohttp
from aiohttp.abc import AbstractResolver
from aiohttp.client_reqrep import ClientRequest, ConnectionKey
from aiohttp.connector import Connection
from yarl import URL

from exchange_mcp.model.errors import EgressBlockedError
from exchange_mcp.venue.attempts import under_way

OPENING_SECONDS: Final = 10.0


class OneConnection(aiohttp.TCPConnector):
    """Opens one connection and hands it out once; there is never another."""

    def __init__(self, *, ssl: SSLContext, resolver: AbstractResolver | None) -> None:
        super().__init__(ssl=ssl, resolver=resolver, limit=1, force_close=True)  # pyright: ignore[reportUnknownMemberType] - aiohttp's own
        self._held: Connection | None = None
        self._is_of: ConnectionKey | None = None

    async def open(self, origin: str) -> None:
        """Connect to `origin`, such as https://api.binance.com.

        Raises:
            aiohttp.ClientError, OSError, TimeoutError: it could not be done.
        """
        request = ClientRequest("GET", URL(origin), loop=self._loop)
        timeout = aiohttp.ClientTimeout(connect=OPENING_SECONDS, sock_connect=OPENING_SECONDS)
        self._is_of = request.connection_key
        self._held = await super().connect(request, [], timeout)

    async def connect(
        self,
        req: ClientRequest,
        traces: Any,  # noqa: ANN401, ARG002 - aiohttp's own
        timeout: aiohttp.ClientTimeout,  # noqa: ARG002, ASYNC109 - aiohttp's own; nothing is waited for
    ) -> Connection:
        """Give the connection to the request, the first time.

        Raises:
            aiohttp.ClientConnectionError: the venue closed it, or sent what nobody asked for; nothing was sent.
            EgressBlockedError: it is of another place, or was used; then what the first use met is raised.
        """
        held, self._held = self._held, None
        if held is None:
            raise _again()
        if req.connection_key != self._is_of:
            held.close()
            raise EgressBlockedError("a line to one place was asked to carry a request to another")
        protocol = held.protocol
        if held.closed or protocol is None or protocol.should_close:
            held.close()
            raise aiohttp.ClientConnectionError("the line was closed, or spoke, before anything was sent")
        return held

    def drop(self) -> None:
        """Close the connection if nothing used it."""
        held, self._held = self._held, None
        if held is not None:
            held.close()


class Line:
    """An open line. `session` sends over it; `close` ends it, used or not, however often it is called."""

    def __init__(
        self,
        origin: str,
        connector: OneConnection,
        session: aiohttp.ClientSession,
        closed: Callable[["Line"], None],
    ) -> None:
        self.origin = origin
        self.session = session
        self._connector = connector
        self._closed = closed

    def close(self) -> Awaitable[None]:
        """End it; the connection is closed at once, the rest once this is awaited."""
        self._connector.drop()
        self._closed(self)
        return self.session.close()


def _again() -> Exception:
    """What a second request over one line meets: aiohttp came again by itself, or the line is spent."""
    attempt = under_way()
    if attempt is not None and attempt.passes:
        attempt.passes += 1
        if attempt.failure is not None:
            return attempt.failure
    return EgressBlockedError("a line carries one request, and it was carried")
