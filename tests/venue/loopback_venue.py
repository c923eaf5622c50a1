"""A venue of canned answers: a small HTTPS server on loopback that says what each host and path was asked."""

import asyncio
import json
import ssl
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Final
from urllib.parse import urlsplit

import trustme

from exchange_mcp.venue.wire import Loopback

NOT_FOUND: Final = (404, "<html>no such page</html>")

# What a signed request carries at one or the other of the eight venues.
_SIGNED: Final = (
    "x-mbx-apikey",
    "x-bapi-",
    "ok-access-",
    "api-key",
    "api-sign",
    "kc-api-",
    "cb-access-",
    "access-key",
    "access-sign",
    "authorization",
    "key",
    "sign",
)


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it arrived."""

    method: str
    host: str
    target: str
    headers: Mapping[str, str]

    @property
    def url(self) -> str:
        """Host, path and query."""
        return f"{self.host}{self.target}"

    @property
    def is_signed(self) -> bool:
        """Whether it carries a key or a signature anywhere."""
        in_headers = any(name.startswith(_SIGNED) for name in self.headers)
        return in_headers or "signature" in self.target.lower()


@dataclass(slots=True)
class CannedVenue:
    """Answers by `host/path?query`, or by `host/path` for any query. Whatever is not canned is a 404 page."""

    answers: Mapping[str, str]
    loopback: Loopback = field(init=False)
    asked: list[Asked] = field(default_factory=list[Asked])
    connections: int = 0

    @property
    def urls(self) -> list[str]:
        """What was asked for so far, in order."""
        return [asked.url for asked in self.asked]

    def _answer(self, asked: Asked) -> tuple[int, str]:
        whole = self.answers.get(asked.url) or self.answers.get(asked.url.partition("?")[0])
        return NOT_FOUND if whole is None else (200, whole)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection until the client leaves it."""
        self.connections += 1
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                await self._one(reader, writer)
        writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.rstrip().split("\r\n")
        method, target, _ = first.split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        await reader.readexactly(int(headers.get("content-length", "0")))
        asked = Asked(method, headers["host"], target, headers)
        self.asked.append(asked)
        status, body = self._answer(asked)
        kind = "application/json" if status == 200 else "text/html"
        content = body.encode()
        head = f"HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {len(content)}\r\n\r\n"
        writer.write(head.encode() + content)
        await writer.drain()


def hosts_of(answers: Iterable[str]) -> list[str]:
    """The hosts that a venue of these answers is."""
    return list(dict.fromkeys(urlsplit(f"https://{url}").hostname or "" for url in answers))


@cache
def _certified(hosts: tuple[str, ...]) -> tuple[ssl.SSLContext, str]:
    """What to serve these hosts with, and the authority (PEM) that says so; making them takes longer than a test."""
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate = authority.issue_cert(*hosts)
    certificate.configure_cert(context)  # pyright: ignore[reportUnknownMemberType] - trustme also takes PyOpenSSL's
    return context, authority.cert_pem.bytes().decode()


@asynccontextmanager
async def canned(answers: Mapping[str, object]) -> AsyncGenerator[CannedVenue]:
    """Serve answers: text byte for byte, anything else as JSON."""
    context, authority = _certified(tuple(hosts_of(answers)))
    venue = CannedVenue(
        {url: body if isinstance(body, str) else json.dumps(body) for url, body in answers.items()}
    )
    server = await asyncio.start_server(venue.serve, "127.0.0.1", 0, ssl=context)
    venue.loopback = Loopback(server.sockets[0].getsockname()[1], authority)
    try:
        yield venue
    finally:
        server.close()
        await server.wait_closed()
