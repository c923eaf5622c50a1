"""One application on its sockets, from the first connection to the last."""

from collections.abc import Callable
from socket import socket
from typing import TYPE_CHECKING, Final

from exchange_mcp.http.bound_server import BoundServer, bounded
from exchange_mcp.http.connections import Doorkeeper

if TYPE_CHECKING:
    from starlette.types import ASGIApp

MOST_CONNECTIONS: Final = 128
_HEADER_SECONDS: Final = 10.0
_DRAIN_SECONDS: Final = 10


class Serving:
    """An application on sockets that are bound; whoever connects has some seconds for a complete request.

    Args:
        app: what answers.
        listeners: closed at the end.
        ending: called first when it is to stop, to end what waits.
    """

    def __init__(self, app: "ASGIApp", *listeners: socket, ending: Callable[[], None]) -> None:
        doorkeeper = Doorkeeper(most=MOST_CONNECTIONS, header_seconds=_HEADER_SECONDS)
        config = bounded(app, doorkeeper, patience_seconds=_HEADER_SECONDS, drain_seconds=_DRAIN_SECONDS)
        self._server = BoundServer(config, *listeners)
        self._ending = ending

    async def run(self, *, ready: Callable[[], None] = lambda: None) -> None:
        """Serve until `stop`, then let answers that are under way end within some seconds."""
        self._server.on_startup = ready
        await self._server.serve()

    def stop(self) -> None:
        """Take no more connections."""
        self._ending()
        self._server.should_exit = True
