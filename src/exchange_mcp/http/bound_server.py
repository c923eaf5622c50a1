"""uvicorn on a socket that is bound already, without its signals, its access log and its own ways to bind.

uvicorn's `uds` would open a Unix socket to every user of the machine, whatever the umask, and leave it behind.
"""

import asyncio
import socket
import ssl
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import uvicorn

from exchange_mcp.http.connections import MOST_HEADER_BYTES, Connection, Doorkeeper, Handshake

if TYPE_CHECKING:
    from starlette.types import ASGIApp


def bounded(
    app: "ASGIApp", doorkeeper: Doorkeeper, *, patience_seconds: float, drain_seconds: int
) -> uvicorn.Config:
    """How this application is served: HTTP/1.1 alone, its connections as the doorkeeper says.

    Args:
        app: what answers.
        doorkeeper: how many connections, and how long one may wait for a request.
        patience_seconds: how long a connection without a request is kept after an answer.
        drain_seconds: how long the end waits for answers that are under way.
    """
    return uvicorn.Config(
        app,
        # A protocol is made by its class alone, so the class has what is its server's.
        http=type("ServedConnection", (Connection,), {"doorkeeper": doorkeeper}),
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        h11_max_incomplete_event_size=MOST_HEADER_BYTES,
        timeout_keep_alive=max(1, int(patience_seconds)),
        timeout_graceful_shutdown=drain_seconds,
    )


class BoundServer(uvicorn.Server):
    """One server on these sockets. Signals belong to whoever runs it.

    Attributes:
        on_startup: called once connections are taken.
    """

    def __init__(
        self, config: uvicorn.Config, *listeners: socket.socket, tls: ssl.SSLContext | None = None
    ) -> None:
        super().__init__(config)
        self._listeners = listeners
        self._tls = tls
        self.on_startup: Callable[[], None] = lambda: None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:  # noqa: ARG002 - its signature
        """Listen."""
        await self.lifespan.startup()
        loop = asyncio.get_running_loop()
        made: Any = self.config.http_protocol_class  # pyright: ignore[reportUnknownMemberType] - uvicorn types it loosely
        protocol: Callable[[], Connection] = partial(
            made,
            config=self.config,
            server_state=self.server_state,
            app_state=self.lifespan.state,
        )
        tls = self._tls
        accepted = protocol if tls is None else lambda: Handshake(protocol(), tls)
        backlog = self.config.backlog
        self.servers = [
            await loop.create_unix_server(accepted, sock=listener, backlog=backlog)
            if listener.family is socket.AF_UNIX
            else await loop.create_server(accepted, sock=listener, backlog=backlog)
            for listener in self._listeners
        ]
        self.started = True
        self.on_startup()

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Signals belong to whoever runs this."""
        yield
