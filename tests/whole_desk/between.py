"""The fault proxy of the single writes, between a whole desk and its exchange: in a thread, and patient.

What is no write passes, over connections that stay. A write meets the fault in force, and `watch` hears of it at each
stage, in the proxy's own thread and before anything else happens.
"""

import asyncio
import json
import re
import ssl
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar, cast

from exchange_mcp.config.owner_only import write_owner_only
from faults.fault_proxy import Fault, FaultProxy, proxied
from serving import Sim

if TYPE_CHECKING:
    from exchange_mcp.sim import SimulatedExchange

WRITES: Final = (
    b"POST /api/v3/order ", b"DELETE /api/v3/order", b"POST /fapi/v1/order ", b"DELETE /fapi/v1/order",
    b"POST /fapi/v1/leverage",
)  # fmt: skip


Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]
_HOST: Final = re.compile(rb"(?im)^host: *([^\s:]+)")
_CLIENT_ID: Final = re.compile(rb"newClientOrderId=([^&\s]+)")
_CLOSING_SECONDS: Final = 1.0
_DRAINING_SECONDS: Final = 10.0
_HOLDING_SECONDS: Final = 30.0


class Stage(Enum):
    """How far a write has come."""

    BEGUN = "its first line arrived"
    TAKEN = "the venue answered"
    GIVEN = "the answer was given"


@dataclass(frozen=True)
class _Upstream:
    """What the proxy needs of the exchange: where it listens, and whom to trust there."""

    port: int
    ca_pem: str


@dataclass(slots=True, eq=False)
class Between(FaultProxy):
    """The proxy.

    Attributes:
        writes: the first line of each that arrived. ids: the client order id of each that came whole and has one.
        struck: how many met a fault.
        held: while there is one, a write that came whole waits for it before the venue hears of it.
        holding: how many are waiting so.
    """

    watch: Callable[[Stage], None] = lambda _: None
    writes: list[str] = field(default_factory=list[str])
    ids: list[str] = field(default_factory=list[str])
    struck: int = 0
    held: threading.Event | None = None
    holding: int = 0
    _context: ssl.SSLContext | None = None
    _idle: dict[bytes, list[Connection]] = field(default_factory=dict[bytes, list[Connection]])
    _moved: threading.Condition = field(default_factory=threading.Condition)

    def drained(self, since: int) -> bool:
        """Whether a write came, beyond so many; known as soon as one has, or as nobody is connected any more.

        To be asked once the client is dead: what it sent before is still on its way through the sockets.
        """
        with self._moved:
            assert self._moved.wait_for(
                lambda: len(self.writes) > since or not self.serving, timeout=_DRAINING_SECONDS
            )
            return len(self.writes) > since

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.serving.add(task)
        try:
            with suppress(asyncio.IncompleteReadError, ConnectionError, ssl.SSLError, asyncio.CancelledError):
                while await self._passed(reader, writer):
                    pass
        finally:
            writer.close()
            try:
                async with asyncio.timeout(_CLOSING_SECONDS):
                    await writer.wait_closed()
            except (TimeoutError, ConnectionError, ssl.SSLError):  # whoever was killed closes nothing
                writer.transport.abort()
            with self._moved:
                self.serving.discard(task)
                self._moved.notify_all()

    async def _passed(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Whether the connection stays after one request."""
        line = await reader.readuntil(b"\r\n")
        is_write = line.startswith(WRITES)
        fault, held = (self.fault, self.held) if is_write else (Fault(), None)
        if is_write:
            with self._moved:
                self.writes.append(line.decode())
                self._moved.notify_all()
            self.watch(Stage.BEGUN)
        request = line + await _rest(reader)
        if is_write and (named := _CLIENT_ID.search(request)) is not None:
            self.ids.append(named[1].decode())
        if is_write and fault.is_late:
            self.pass_window()
        if held is not None:
            self.holding += 1
            await asyncio.to_thread(held.wait, _HOLDING_SECONDS)
            self.holding -= 1
        if not is_write:
            answer = await self._read(request)
        else:
            answer = await self._of_venue(fault.request.of(request), request) if fault.is_taken else b""
        if is_write:
            self.watch(Stage.TAKEN)
        if answer or fault.instead is not None:
            writer.write(fault.answer.of(fault.instead or answer))
            await writer.drain()
        if not is_write:
            return True
        self.watch(Stage.GIVEN)
        if fault == Fault():
            return True
        self.struck += 1
        await self._end(fault.ending, reader, writer)
        return False

    async def _read(self, request: bytes) -> bytes:
        """The venue's whole answer to what is no write, over a connection that is there already, or over another."""
        host = _HOST.search(request)
        assert host is not None
        idle = self._idle.setdefault(host[1], [])
        while idle:
            with suppress(asyncio.IncompleteReadError, ConnectionError, ssl.SSLError):
                return await self._asked(idle.pop(), host[1], request)
        self._context = self._context or ssl.create_default_context(cadata=self.venue.ca_pem)
        opened = await asyncio.open_connection(
            "127.0.0.1", self.venue.port, ssl=self._context, server_hostname=host[1].decode()
        )
        return await self._asked(opened, host[1], request)

    async def _asked(self, connection: Connection, host: bytes, request: bytes) -> bytes:
        reader, writer = connection
        try:
            writer.write(request)
            await writer.drain()
            answer = await reader.readuntil(b"\r\n")
            answer += await _rest(reader)
        except BaseException:
            writer.transport.abort()
            raise
        self._idle[host].append(connection)
        return answer

    def leave(self) -> None:
        """Close what is kept open towards the venue."""
        for _, writer in (each for kept in self._idle.values() for each in kept):
            writer.transport.abort()


async def _rest(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    lines = head.decode("latin-1").lower().split("\r\n")
    length = next((line.partition(":")[2] for line in lines if line.startswith("content-length:")), "0")
    return head + await reader.readexactly(int(length))


Kind = TypeVar("Kind", bound=Between)


@contextmanager
def between(sim: Sim, directory: Path, kind: type[Kind] = Between) -> Generator[tuple[Kind, Sim]]:
    """The proxy, or one of another kind, and the exchange as it is found behind it."""
    ready, published = threading.Event(), dict(sim.published())
    upstream = cast("SimulatedExchange", _Upstream(published["port"], published["ca_pem"]))
    made: list[Kind] = []
    stops: list[Callable[[], object]] = []

    async def run() -> None:
        loop, stopped = asyncio.get_running_loop(), asyncio.Event()
        async with proxied(upstream, lambda: None, kind=kind) as proxy:
            made.append(proxy)
            stops.append(lambda: loop.call_soon_threadsafe(stopped.set))
            ready.set()
            await stopped.wait()
            for task in list(proxy.serving):
                task.cancel()
            await proxy.settled()
            proxy.leave()
            await asyncio.sleep(0)  # what was cut off is closed in the loop's next turn

    thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
    thread.start()
    assert ready.wait(30)
    (proxy,) = made
    found = directory / "between.json"
    told = {**published, "port": proxy.loopback.port, "ca_pem": proxy.loopback.ca_pem}
    write_owner_only(found, json.dumps(told).encode())
    try:
        yield proxy, Sim(found, sim.control)
    finally:
        stops[0]()
        thread.join(30)
