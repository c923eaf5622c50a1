"""A proxy between real ccxt and the simulated exchange that cuts, swaps, delays and breaks what passes.

It takes TLS off on the one side and puts it on again on the other, so that it can cut at any byte of HTTP. Each request
is read whole before anything of it goes on, and each answer before anything of it comes back: what the venue did is
settled before the client learns of it, or never does.
"""

import asyncio
import socket
import ssl
import struct
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal, TypeVar

import trustme

from exchange_mcp.sim import SimulatedExchange
from exchange_mcp.venue.wire import Loopback

HOSTS = ("api.binance.com", "fapi.binance.com")


class At(Enum):
    """Each class of byte offset at which a message can be cut."""

    NOTHING = "nothing of it"
    FIRST_LINE = "half of its first line"
    HEADERS = "half of its headers"
    BODY = "its headers and nothing of its body"
    HALF = "half of its body"
    LAST = "all but its last byte"
    ALL = "all of it"

    def of(self, message: bytes) -> bytes:
        """As much of a message as passes."""
        line, head = message.index(b"\r\n"), message.index(b"\r\n\r\n") + 4
        ends = {
            At.NOTHING: 0,
            At.FIRST_LINE: line // 2,
            At.HEADERS: (line + head) // 2,
            At.BODY: head,
            At.HALF: (head + len(message)) // 2,
            At.LAST: len(message) - 1,
            At.ALL: len(message),
        }
        return message[: ends[self]]


Ending = Literal["closed", "reset", "half-closed", "left hanging"]


@dataclass(frozen=True, slots=True)
class Fault:
    """What happens to one request and its answer.

    Attributes:
        request, answer: how much of each passes.
        ending: what becomes of the client's connection then.
        instead: what the client is answered in the venue's place; `is_taken` says whether the venue acted before.
        is_late: the venue's clock passes the request's window while it is on its way.
    """

    request: At = At.ALL
    answer: At = At.ALL
    ending: Ending = "closed"
    instead: bytes | None = None
    is_taken: bool = True
    is_late: bool = False


@dataclass(slots=True, eq=False)
class FaultProxy:
    """The proxy, the fault in force, and the first line of each request that a client sent."""

    venue: SimulatedExchange
    loopback: Loopback
    pass_window: Callable[[], None]
    fault: Fault = field(default_factory=Fault)
    arrived: list[str] = field(default_factory=list[str])
    answered: asyncio.Event = field(default_factory=asyncio.Event)
    serving: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task, fault = asyncio.current_task(), self.fault
        assert task is not None
        self.serving.add(task)
        with suppress(asyncio.IncompleteReadError, ConnectionError, ssl.SSLError):
            request = await _message(reader)
            self.arrived.append(request.partition(b"\r\n")[0].decode())
            if fault.is_late:
                self.pass_window()
            answer = await self._of_venue(fault.request.of(request), request) if fault.is_taken else b""
            if answer or fault.instead is not None:
                writer.write(fault.answer.of(fault.instead or answer))
                await writer.drain()
            await self._end(fault.ending, reader, writer)
        writer.close()
        self.serving.discard(task)

    async def _of_venue(self, passed: bytes, request: bytes) -> bytes:
        """The venue's whole answer; nothing where it got too little to act on."""
        context = ssl.create_default_context(cadata=self.venue.ca_pem)
        host = request.lower().partition(b"host: ")[2].partition(b"\r\n")[0].decode()
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", self.venue.port, ssl=context, server_hostname=host
        )
        try:
            writer.write(passed)
            await writer.drain()
            return await _message(reader) if passed == request else b""
        finally:
            writer.close()
            with suppress(ConnectionError, ssl.SSLError):
                await writer.wait_closed()

    async def _end(self, ending: Ending, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = writer.get_extra_info("socket")
        self.answered.set()
        match ending:
            case "closed":
                pass
            case "reset":
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                writer.transport.abort()
            case "half-closed":
                connection.shutdown(socket.SHUT_WR)
                await reader.read()
            case "left hanging":
                await reader.read()

    async def settled(self) -> None:
        """Wait until every connection has ended."""
        while self.serving:
            await asyncio.wait(self.serving)


Kind = TypeVar("Kind", bound=FaultProxy)


async def _message(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    lines = head.decode("latin-1").lower().split("\r\n")
    length = next((line.partition(":")[2] for line in lines if line.startswith("content-length:")), "0")
    return head + await reader.readexactly(int(length))


@asynccontextmanager
async def proxied(
    venue: SimulatedExchange, pass_window: Callable[[], None], *, kind: type[Kind] = FaultProxy
) -> AsyncGenerator[Kind]:
    """The proxy, or one of another kind, before a venue that is served."""
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate = authority.issue_cert(*HOSTS)
    certificate.configure_cert(context)  # pyright: ignore[reportUnknownMemberType] - trustme also takes PyOpenSSL's
    proxy = kind(venue, Loopback(0, authority.cert_pem.bytes().decode()), pass_window)
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0, ssl=context)
    proxy.loopback = Loopback(server.sockets[0].getsockname()[1], proxy.loopback.ca_pem)
    try:
        yield proxy
    finally:
        server.close()
        await proxy.settled()
        await server.wait_closed()
