"""Telling connected clients that the list of tools is another one, in both protocol eras.

A client of 2026-07-28 listens on a stream of its own (subscriptions/listen); one of 2025-11-25 is told on its session.
The SDK sends neither by itself, and knows of no list of sessions.
"""

from typing import TYPE_CHECKING, Any, Final

import anyio
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged

from exchange_mcp.config.logs import get_logger

if TYPE_CHECKING:
    from mcp.server.connection import Connection
    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

_log = get_logger(__name__)

_MOST_LISTENERS: Final = 1024
_SECONDS_A_SESSION: Final = 1.0


class News:
    """Whoever may be told, for as long as they are connected."""

    def __init__(self) -> None:
        self._bus = InMemorySubscriptionBus()
        # A listener needs no backlog: that the list changed twice is no more news than once.
        self.listen = ListenHandler(self._bus, max_subscriptions=_MOST_LISTENERS, max_buffered_events=8)
        self._sessions: dict[int, Connection] = {}

    async def remember(self, ctx: "ServerRequestContext[Any]", call_next: "CallNext") -> "HandlerResult":
        """The server's middleware: a session can be told from the moment that it is initialized until it ends."""
        if ctx.method == "notifications/initialized":
            session = ctx.session
            # There is no public way to a session outside of its requests, nor to learn of its end.
            connection = session._connection  # noqa: SLF001 - as above  # pyright: ignore[reportPrivateUsage] - as above
            self._sessions[id(connection)] = connection
            connection.exit_stack.callback(self._sessions.pop, id(connection), None)
        return await call_next(ctx)

    async def tools_changed(self) -> None:
        """Tell every client; one that does not take the news in time holds nobody up."""
        await self._bus.publish(ToolsListChanged())
        async with anyio.create_task_group() as group:
            for connection in list(self._sessions.values()):
                group.start_soon(self._tell, connection)

    async def _tell(self, connection: "Connection") -> None:
        try:
            with anyio.move_on_after(_SECONDS_A_SESSION):
                await connection.send_tool_list_changed()
        except Exception:  # noqa: BLE001 - a session that ends meanwhile raises what it likes
            _log.debug("a session could not be told that the tools changed", exc_info=True)

    def close(self) -> None:
        """End every listening stream, as the protocol says."""
        self.listen.close()
