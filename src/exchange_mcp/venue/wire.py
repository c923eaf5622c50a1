"""The HTTP session under a ccxt client: where names resolve to, whom it trusts, and what it never does.

A live account resolves names as the system does and trusts certifi's authorities. A simulated account
keeps the venue's live URLs; its resolver knows nothing but one port on loopback, and its only authority
is the simulator's, so it cannot reach the world.
"""

import socket
import ssl
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NoReturn, Self

import aiohttp
import certifi
from aiohttp.abc import AbstractResolver, ResolveResult

from exchange_mcp.model.errors import EgressBlockedError
from exchange_mcp.venue.attempts import CALL, Attempt, under_way
from exchange_mcp.venue.line import Line, OneConnection

# What ccxt passes along with a request; nothing else is: `ssl`, `params` or `middlewares` would change what is sent.
_OPTIONS: Final = frozenset({"data", "headers", "timeout", "proxy"})
# Of an answer, decompressed: some ten times the longest there is (binance's markets).
_ANSWER_BYTES: Final = 128 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Loopback:
    """Where a simulated exchange listens, and the authority (PEM) that signed its certificate."""

    port: int
    ca_pem: str


class LoopbackResolver(AbstractResolver):
    """Resolves every name to one port on 127.0.0.1."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def resolve(
        self,
        host: str,
        port: int = 0,  # noqa: ARG002 - the caller's port is what is replaced
        family: socket.AddressFamily = socket.AF_INET,  # noqa: ARG002 - as above
    ) -> list[ResolveResult]:
        """The one address there is."""
        return [
            ResolveResult(
                hostname=host,
                host="127.0.0.1",
                port=self._port,
                family=socket.AF_INET,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST,
            )
        ]

    async def close(self) -> None:
        """Nothing is held."""


@cache
def public_authorities() -> ssl.SSLContext:
    """Those of certifi, read once."""
    context = ssl.create_default_context(cafile=certifi.where())
    # Python takes SSLKEYLOGFILE from the environment: whoever reads that file reads keys and signatures.
    context.keylog_filename = None  # pyright: ignore[reportAttributeAccessIssue] - typeshed lacks None
    return context


def authorities(loopback: Loopback | None) -> ssl.SSLContext:
    """Whom a connection trusts."""
    if loopback is None:
        return public_authorities()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(cadata=loopback.ca_pem)
    return context


class Wire:
    """What ccxt uses as its aiohttp session: it sends the request that is under way, once, and nothing else.

    aiohttp by itself sends GET, PUT and DELETE again when a connection breaks, and follows redirects with key
    and signature (aiohttp/client.py, `_request`, 3.14.5). Here a second pass finds the first one's failure.
    Reads share their connections. A write has one of its own, which no bytes of an earlier answer wait on: a line
    that was opened for it, or one that is opened as it is sent.
    """

    def __init__(self, loopback: Loopback | None) -> None:
        # ccxt reads a session's default headers; ours has none.
        self.headers: dict[str, str] = {}
        self._loopback = loopback
        self.tls = authorities(loopback)
        self._reads: aiohttp.ClientSession | None = None
        self._writes: aiohttp.ClientSession | None = None
        self._lines: set[Line] = set()

    def _session(self, attempt: Attempt) -> aiohttp.ClientSession:
        # Sessions belong to the running loop, so they are made at the first request and not before.
        if attempt.token is None:
            self._reads = self._reads or self._pooled(is_kept=True)
            return self._reads
        if attempt.line is not None:
            return attempt.line.session
        self._writes = self._writes or self._pooled(is_kept=False)
        return self._writes

    async def line(self, origin: str) -> Line:
        """Open a connection to `origin` for one write that is to come; whoever asked for it closes it.

        Raises:
            aiohttp.ClientError, OSError, TimeoutError: it could not be opened; nothing was sent.
        """
        connector = OneConnection(ssl=self.tls, resolver=self._resolver())
        line = Line(origin, connector, self._over(connector), self._lines.discard)
        self._lines.add(line)
        try:
            await connector.open(origin)
        except BaseException:
            await line.close()
            raise
        return line

    def _resolver(self) -> LoopbackResolver | None:
        return None if self._loopback is None else LoopbackResolver(self._loopback.port)

    def _pooled(self, *, is_kept: bool) -> aiohttp.ClientSession:
        return self._over(
            aiohttp.TCPConnector(ssl=self.tls, resolver=self._resolver(), limit=32, force_close=not is_kept)
        )

    def _over(self, connector: aiohttp.TCPConnector) -> aiohttp.ClientSession:
        return aiohttp.ClientSession(
            connector=connector,
            request_class=_OneRequest,
            response_class=_BoundedAnswer,
            trust_env=False,
            cookie_jar=aiohttp.DummyCookieJar(),
        )

    def _request(self, method: str, url: Any, **options: Any) -> Any:  # noqa: ANN401 - aiohttp's own signature
        attempt = under_way()
        if attempt is None or not _is_of(attempt, method, url):
            _stopped("a request that did not pass the guard was stopped at the session")
        if options.get("proxy") is not None:
            _stopped("a proxy is refused: requests go to the venue itself")
        if not options.keys() <= _OPTIONS:
            _stopped(f"a request with {min(options.keys() - _OPTIONS)} was stopped at the session")
        options["allow_redirects"] = False
        return self._session(attempt).request(method, url, **options)

    def get(self, url: Any, **options: Any) -> Any:  # noqa: ANN401 - as above
        """Send a GET."""
        return self._request("GET", url, **options)

    def post(self, url: Any, **options: Any) -> Any:  # noqa: ANN401 - as above
        """Send a POST."""
        return self._request("POST", url, **options)

    def delete(self, url: Any, **options: Any) -> Any:  # noqa: ANN401 - as above
        """Send a DELETE."""
        return self._request("DELETE", url, **options)

    def put(self, url: Any, **options: Any) -> Any:  # noqa: ANN401 - as above
        """Send a PUT."""
        return self._request("PUT", url, **options)

    def ws_connect(self, *_: object, **__: object) -> NoReturn:
        """Refuse: WebSockets do not pass the guard."""
        _stopped("WebSockets are refused")

    async def close(self) -> None:
        """Close every connection."""
        for session in (self._reads, self._writes):
            if session is not None:
                await session.close()
        for line in tuple(self._lines):
            await line.close()
        self._reads = self._writes = None


def _is_of(attempt: Attempt, method: str, url: object) -> bool:
    # An empty query, as ccxt signs one at bybit, leaves no question mark in aiohttp's own URL.
    return (method, str(url)) == (attempt.method, attempt.url.removesuffix("?"))


def _stopped(reason: str) -> NoReturn:
    error = EgressBlockedError(reason)
    call = CALL.get()
    if call is not None:
        call.poison(error)
    raise error


class _OneRequest(aiohttp.ClientRequest):
    """The last place before the socket: a connection is there, and the request is about to be written to it."""

    async def send(self, conn: Any) -> aiohttp.ClientResponse:  # noqa: ANN401 - aiohttp's own
        attempt = under_way()
        if attempt is None or not _is_of(attempt, self.method, self.url):
            _stopped("a request that did not pass the guard was stopped at the socket")
        if not attempt.passes and not attempt.call.is_open:
            _stopped("a request whose call has ended was stopped at the socket")
        attempt.passes += 1
        if attempt.passes > 1:
            # aiohttp came a second time. What it learned the first time stands; nothing is sent again.
            raise attempt.failure or EgressBlockedError(
                "a second send of one request was stopped at the socket"
            )
        try:
            return await super().send(conn)
        except Exception as error:
            attempt.failure = error
            raise


class _BoundedAnswer(aiohttp.ClientResponse):
    """An answer: what became of it is kept, and it ends at a size that no true one has."""

    async def start(self, connection: Any) -> Self:  # noqa: ANN401 - aiohttp's own
        attempt = under_way()
        try:
            await super().start(connection)
        except Exception as error:
            if attempt is not None:
                attempt.failure = error
            raise
        if attempt is not None:
            attempt.status = self.status
        return self

    async def read(self) -> bytes:
        if self._body is None:
            parts: list[bytes] = []
            size = 0
            try:
                while part := await self.content.readany():
                    parts.append(part)
                    size += len(part)
                    if size > _ANSWER_BYTES:
                        raise aiohttp.ClientPayloadError(f"the answer is longer than {_ANSWER_BYTES} bytes")  # noqa: TRY301 - closed below
            except BaseException:
                self.close()
                raise
            self._body = b"".join(parts)
        return await super().read()
