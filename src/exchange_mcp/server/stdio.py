"""Serving one client over stdin and stdout, and ending in order.

stdout carries MCP frames and nothing else: the caller takes the real stdout away before anything is
imported (`exchange_mcp.cli.entry`) and passes it in as `wire`.
"""

import os
from collections.abc import Callable, Coroutine
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server.stdio import stdio_server

from exchange_mcp.config.logs import get_logger
from exchange_mcp.server.signals import obey
from exchange_mcp.server.unreadable import Readable

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

_log = get_logger(__name__)

# The Python client waits two seconds before it kills.
_CLOSING_SECONDS = 1.5


async def serve(
    server: "Server[Any]",
    wire: int,
    *,
    background: Callable[[], Coroutine[Any, Any, None]],
    close: Callable[[], Coroutine[Any, Any, None]],
    reload: Callable[[], Coroutine[Any, Any, None]],
) -> None:
    """Serve until stdin ends, SIGTERM or SIGINT; then close what is open and end the process with code 0.

    Args:
        server: what answers.
        wire: the file descriptor of the client's end of stdout.
        background: runs beside the server from the moment that it serves.
        close: releases what the background opened; bounded here.
        reload: called on SIGHUP.
    """

    async def finish(reason: str) -> None:
        with anyio.CancelScope(shield=True), anyio.move_on_after(_CLOSING_SECONDS):
            await close()
        _log.info("stopped", reason=reason)
        # The SDK's reader thread sits in a read of stdin that nothing but the end of the process interrupts.
        os._exit(0)

    output = _Wire(TextIOWrapper(os.fdopen(wire, "wb", closefd=False), encoding="utf-8"), finish)
    async with anyio.create_task_group() as group:
        await group.start(obey, finish, reload)
        group.start_soon(background)
        async with stdio_server(stdout=output) as (incoming, outgoing):
            readable = Readable(incoming, outgoing)
            await server.run(readable, outgoing, server.create_initialization_options())
        await finish("end of input")


class _Wire(anyio.AsyncFile[str]):
    """The client's end of stdout. A client that is gone ends the process: the SDK's reader would keep it for ever."""

    def __init__(self, file: TextIOWrapper, finish: Callable[[str], Coroutine[Any, Any, None]]) -> None:
        super().__init__(file)
        self._finish = finish

    async def write(self, b: str) -> int:
        """Take text, and send what exceeds the buffer."""
        try:
            return await super().write(b)
        except OSError:
            await self._finish("the client is gone")
            return 0

    async def flush(self) -> None:
        """Send what was taken."""
        try:
            await super().flush()
        except OSError:
            await self._finish("the client is gone")
