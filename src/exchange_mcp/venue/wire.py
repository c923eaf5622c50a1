"""The HTTP session under a ccxt client: where names resolve to, whom it trusts, and what it never does.

A live account resolves names as the system does and trusts certifi's authorities. A simulated account
keeps the venue's live URLs; its resolver knows nothing but one port on loopback, and its only authority
is the simulator's, so it cannot reach the world.
"""

import socket
import ssl
from dataclasses import dataclass
from functools import cache
from typing import Any

import aiohttp
import certifi
from aiohttp.abc import AbstractResolver, ResolveResult

from exchange_mcp.model.errors import EgressBlockedError
from exchange_mcp.venue.attempts import Attempt, under_way


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
def _public_authorities() -> ssl.SSLContext:
    return ssl.create_default_context(cafile=certifi.where())


def authorities(loopback: Loopback | None) -> ssl.SSLContext:
    """Whom a connection trusts."""
    if loopback is None:
        return _public_authorities()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(cadata=loopback.ca_pem)
    return context


class Wire:
    """What ccxt uses as its aiohttp session: it sends the request that is under way, once, and nothing else.

    aiohttp by itself sends GET, PUT and DELETE again when a connection breaks, and follows redirects with key
    and signature (aiohttp/client.py, `_request`, 3.14.5). Here a second pass finds the first one's failure.
    """

    def __init__(self, loopback: Loopback | None) -> None:
        # ccxt reads a session's default headers; ours has none.
        self.headers: dict[str, str] = {}
        self._loopback = loopback
        self.tls = authorities(loopback)
        self._connector: aiohttp.TCPConnector | None = None
        # Whether headers were sent has to be known of a write; to watch for it costs 0.04 ms a request.
        self._reads: aiohttp.ClientSession | None = None
        self._writes: aiohttp.ClientSession | None = None

    def _session(self, attempt: Attempt) -> aiohttp.ClientSession:
        # Sessions belong to the running loop, so they are made at the first request and not before.
        if self._connector is None or self._reads is None or self._writes is None:
            resolver = None if self._loopback is None else LoopbackResolver(self._loopback.port)
            self._connector = aiohttp.TCPConnector(ssl=self.tls, resolver=resolver, limit=32)
            seen = aiohttp.TraceConfig()
            seen.on_request_headers_sent.append(_headers_sent)
            self._reads, self._writes = _opened(self._connector, []), _opened(self._connector, [seen])
        return self._reads if attempt.token is None else self._writes

    def _request(self, method: str, url: Any, **options: Any) -> Any:  # noqa: ANN401 - aiohttp's own signature
        attempt = under_way()
        # An empty query, as ccxt signs one at bybit, leaves no question mark in aiohttp's own URL.
        if attempt is None or (method, str(url)) != (attempt.method, attempt.url.removesuffix("?")):
            raise EgressBlockedError("a request that did not pass the guard was stopped at the session")
        if options.get("proxy") is not None:
            raise EgressBlockedError("a proxy is refused: requests go to the venue itself")
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

    def ws_connect(self, *_: object, **__: object) -> None:
        """Refuse: WebSockets do not pass the guard."""
        raise EgressBlockedError("WebSockets are refused")

    async def close(self) -> None:
        """Close every connection."""
        for session in (self._reads, self._writes):
            if session is not None:
                await session.close()
        if self._connector is not None:
            await self._connector.close()
        self._connector = self._reads = self._writes = None


def _opened(connector: aiohttp.TCPConnector, traces: list[aiohttp.TraceConfig]) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(
        connector=connector,
        connector_owner=False,
        trust_env=False,
        cookie_jar=aiohttp.DummyCookieJar(),
        middlewares=(_once,),
        trace_configs=traces,
    )


async def _once(request: aiohttp.ClientRequest, send: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
    """The last layer before the socket: spend the token, send, and keep what came of it."""
    attempt = under_way()
    if attempt is None:
        raise EgressBlockedError("a request that did not pass the guard was stopped at the socket")
    attempt.passes += 1
    if attempt.passes > 1:
        # aiohttp came a second time. What it learned the first time stands; nothing is sent again.
        raise attempt.failure or EgressBlockedError("a second send of one request was stopped at the socket")
    if attempt.token is not None:
        if attempt.token.is_spent:
            raise EgressBlockedError("the one send of this write was spent before")
        attempt.token.is_spent = True
    try:
        response = await send(request)
    except Exception as error:
        attempt.failure = error
        raise
    attempt.status = response.status
    return response


async def _headers_sent(_session: object, _context: object, _parameters: object) -> None:
    attempt = under_way()
    if attempt is not None:
        attempt.headers_sent += 1
