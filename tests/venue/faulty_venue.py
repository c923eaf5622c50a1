"""A venue that does to each request as a test says: a small HTTPS server on loopback that counts what arrives."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import trustme

from exchange_mcp.venue.wire import Loopback

DROP = b""
"""Read the request and close the connection without a word."""

Behaviour = Callable[[str], bytes]
"""From a request's first line, such as "GET /api/v3/time HTTP/1.1", to the bytes that answer it."""


def says(status: int, body: str = "{}", *headers: str) -> bytes:
    """One whole answer."""
    content = body.encode()
    lines = [f"HTTP/1.1 {status} X", f"content-length: {len(content)}", "content-type: application/json"]
    return "\r\n".join([*lines, *headers, "", ""]).encode() + content


@dataclass(slots=True)
class FaultyVenue:
    """What arrived, as "GET /path" without the query, the bodies, and the client's port of each."""

    behaviour: Behaviour
    loopback: Loopback
    arrived: list[str] = field(default_factory=list[str])
    bodies: list[str] = field(default_factory=list[str])
    connections: list[int] = field(default_factory=list[int])
    serving: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection until the client leaves it, or it is dropped."""
        task = asyncio.current_task()
        assert task is not None
        self.serving.add(task)
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                first = head.partition("\r\n")[0]
                length = next(
                    (
                        line.partition(":")[2]
                        for line in head.split("\r\n")
                        if line.lower().startswith("content-length:")
                    ),
                    "0",
                )
                self.bodies.append((await reader.readexactly(int(length))).decode())
                method, target, _ = first.split(" ")
                self.connections.append(writer.get_extra_info("peername")[1])
                self.arrived.append(f"{method} {target.partition('?')[0]}")
                answer = self.behaviour(first)
                if answer == DROP:
                    break
                writer.write(answer)
                await writer.drain()
        writer.close()


@asynccontextmanager
async def faulty(
    behaviour: Behaviour, *hosts: str, kind: type[FaultyVenue] = FaultyVenue
) -> AsyncGenerator[FaultyVenue]:
    """Serve these hosts."""
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate = authority.issue_cert(*hosts)
    certificate.configure_cert(context)  # pyright: ignore[reportUnknownMemberType] - trustme also takes PyOpenSSL's
    venue = kind(behaviour, Loopback(0, authority.cert_pem.bytes().decode()))
    server = await asyncio.start_server(venue.serve, "127.0.0.1", 0, ssl=context)
    venue.loopback = Loopback(server.sockets[0].getsockname()[1], venue.loopback.ca_pem)
    try:
        yield venue
    finally:
        server.close()
        await server.wait_closed()
        if venue.serving:
            await asyncio.wait(venue.serving, timeout=1)
