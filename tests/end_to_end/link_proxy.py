"""What may happen on the proposal socket: a proxy between serve and the desk loses, holds or repeats messages.

A message is lost in silence: whoever sent it hears nothing, and nothing is closed. A fault strikes once.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Literal

_HEAD_END = b"\r\n\r\n"


class Kind(StrEnum):
    """Which message."""

    PROPOSAL = "a proposal, on its way to the desk"
    TAKEN = "the desk's answer to a proposal"
    STATE = "the desk's answer to whoever reads an intent"
    ANY_ANSWER = "any answer"


Fault = Literal["lose", "hold", "repeat", "another version"]


@dataclass
class LinkProxy:
    """The proxy, and what is about to happen.

    Attributes:
        struck: set when the armed fault has struck. released: set it to let go of what is held.
        delivered: set when what was held has arrived.
    """

    target: Path
    armed: tuple[Kind, Fault] | None = None
    struck: asyncio.Event = field(default_factory=asyncio.Event)
    released: asyncio.Event = field(default_factory=asyncio.Event)
    delivered: asyncio.Event = field(default_factory=asyncio.Event)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set["asyncio.Task[None]"])

    def arm(self, kind: Kind, fault: Fault) -> None:
        """Let this happen to the next message of this kind."""
        self.armed = (kind, fault)
        self.struck, self.released, self.delivered = asyncio.Event(), asyncio.Event(), asyncio.Event()

    def _fault(self, *kinds: Kind) -> Fault | None:
        if self.armed is None or self.armed[0] not in kinds:
            return None
        (_, fault), self.armed = self.armed, None
        self.struck.set()
        return fault

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection of serve's."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while request := await _message(reader):
                await self._pass(request, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self._tasks.discard(task)
            writer.close()

    async def stop(self) -> None:
        """Let everything go that is under way."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _pass(self, request: bytes, writer: asyncio.StreamWriter) -> None:
        line = request.split(b"\r\n", 1)[0]
        is_proposal, is_read = b"POST /v1/proposals " in line, line.startswith(b"GET /v1/intents/")
        on_way = self._fault(Kind.PROPOSAL) if is_proposal else None
        # What happens to a proposal on its way happens though its sender is gone by then.
        released, delivered = self.released, self.delivered
        if on_way == "lose":
            return
        if on_way == "hold":
            await released.wait()
        answers = await asyncio.gather(*[self._asked(request) for _ in range(2 if on_way == "repeat" else 1)])
        delivered.set()
        kinds = {(True, False): (Kind.TAKEN,), (False, True): (Kind.STATE,)}.get((is_proposal, is_read), ())
        fault = self._fault(*kinds, Kind.ANY_ANSWER)
        answer = answers[0]
        if fault == "lose":
            return
        if fault == "hold":
            await self.released.wait()
        if fault == "another version":
            answer = answer.replace(b"x-exchange-mcp-protocol: 1", b"x-exchange-mcp-protocol: 2")
        writer.write(answer * (2 if fault == "repeat" else 1))
        await writer.drain()

    async def _asked(self, request: bytes) -> bytes:
        """The desk's answer: where it takes no more at the moment, the next one, since that is not what is tried."""
        while _is_busy(answer := await self._once(request)):
            pass
        return answer

    async def _once(self, request: bytes) -> bytes:
        reader, writer = await asyncio.open_unix_connection(str(self.target))
        try:
            writer.write(request)
            return await _message(reader)
        finally:
            writer.close()


def _is_busy(answer: bytes) -> bool:
    head, _, body = answer.partition(_HEAD_END)
    return b" 503 " in head.split(b"\r\n", 1)[0] and b'"code":"BUSY"' in body


async def _message(reader: asyncio.StreamReader) -> bytes:
    """One request or answer, whole; nothing where the connection ended before it."""
    try:
        head = await reader.readuntil(_HEAD_END)
    except asyncio.IncompleteReadError as ended:
        return ended.partial
    length = 0
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            length = int(line.partition(b":")[2])
    return head + await reader.readexactly(length)


@asynccontextmanager
async def proxied(path: Path, target: Path) -> AsyncGenerator[LinkProxy]:
    """The proxy at this socket, until the block ends."""
    proxy = LinkProxy(target)
    server = await asyncio.start_unix_server(proxy.serve, path)
    try:
        yield proxy
    finally:
        server.close()
        await proxy.stop()
