"""A door on a real Unix socket in this process, and ways to talk to it."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import httpx

from exchange_mcp.desk.apps.door import Door
from exchange_mcp.desk.apps.serving import Serving
from exchange_mcp.desk.sockets import bind_operator
from exchange_mcp.link.messages import BASE_URL, HOST, PROTOCOL, PROTOCOL_HEADER

HEADERS = {PROTOCOL_HEADER: str(PROTOCOL)}
HEAD = f"Host: {HOST}\r\n{PROTOCOL_HEADER}: {PROTOCOL}\r\n".encode()


@dataclass
class Served:
    """A door that takes connections."""

    path: Path
    serving: Serving

    def http(self, credential: str | None = None) -> httpx.AsyncClient:
        """A client as ours are."""
        shown = {} if credential is None else {"Authorization": f"Bearer {credential}"}
        return httpx.AsyncClient(
            # Without TLS there is nothing to verify, and loading the authorities takes longer than most tests.
            transport=httpx.AsyncHTTPTransport(uds=str(self.path), verify=False),
            base_url=BASE_URL,
            headers={**HEADERS, **shown},
            timeout=20,
        )

    async def raw(self, request: bytes, *, seconds: float = 10) -> bytes:
        """All that comes back for these bytes until the desk closes, or has answered once."""
        reader, writer = await asyncio.open_unix_connection(str(self.path))
        try:
            writer.write(request)
            with anyio.fail_after(seconds):
                return await _answer(reader, has_body=not request.startswith(b"HEAD "))
        finally:
            writer.close()


async def _answer(reader: asyncio.StreamReader, *, has_body: bool) -> bytes:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as ended:
        return ended.partial
    except ConnectionResetError:
        return b""
    lines = [line.lower() for line in head.split(b"\r\n")]
    length = next((int(line[15:]) for line in lines if line.startswith(b"content-length:")), 0)
    return head + (await reader.readexactly(length) if has_body else b"")


def post(path: str, body: bytes, *, more: bytes = b"") -> bytes:
    """A POST as bytes."""
    return (
        b"POST "
        + path.encode()
        + b" HTTP/1.1\r\n"
        + HEAD
        + more
        + b"Content-Type: application/json\r\nContent-Length: "
        + str(len(body)).encode()
        + b"\r\n\r\n"
        + body
    )


def status_of(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def error_of(answer: httpx.Response | bytes) -> dict[str, Any]:
    """The error of a refusal."""
    text = answer.split(b"\r\n\r\n", 1)[1] if isinstance(answer, bytes) else answer.content
    return json.loads(text)["error"]


@asynccontextmanager
async def served(
    directory: Path, door: Door, *, ending: Callable[[], None] | None = None
) -> AsyncGenerator[Served]:
    """The door behind a socket, from the moment that it takes connections."""
    bound = bind_operator(directory / "s" / "s.sock")
    serving = Serving(door, bound.listener, ending=ending or door.stop)
    up = anyio.Event()
    try:
        with anyio.fail_after(30):
            async with anyio.create_task_group() as group:

                async def run() -> None:
                    await serving.run(ready=up.set)

                group.start_soon(run)
                await up.wait()
                try:
                    yield Served(bound.path, serving)
                finally:
                    serving.stop()
    finally:
        bound.close()
