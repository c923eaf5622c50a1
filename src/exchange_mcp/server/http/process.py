"""The process that serves over HTTP: its signals, its background, and its end."""

from collections.abc import Callable, Coroutine
from typing import Any, Final

import anyio

from exchange_mcp.config.logs import get_logger
from exchange_mcp.server.http.serving import HttpServing, quiet_libraries
from exchange_mcp.server.signals import obey

_log = get_logger(__name__)

_CLOSING_SECONDS: Final = 3.0


async def serve(
    serving: HttpServing,
    *,
    background: Callable[[], Coroutine[Any, Any, None]],
    close: Callable[[], Coroutine[Any, Any, None]],
    reload: Callable[[], Coroutine[Any, Any, None]],
) -> None:
    """Serve until SIGTERM or SIGINT, then let what is open end within its bounds, and return.

    `background` runs beside it from the moment that connections are taken, `close` releases what that opened, and
    `reload` is called on SIGHUP.
    """
    quiet_libraries()

    async def stop(reason: str) -> None:
        _log.info("stopping", reason=reason)
        serving.stop()

    async with anyio.create_task_group() as group:
        await group.start(obey, stop, reload)

        def ready() -> None:
            _log.info("serving", url=serving.url)
            group.start_soon(background)

        await serving.run(ready=ready)
        with anyio.CancelScope(shield=True), anyio.move_on_after(_CLOSING_SECONDS):
            await close()
        group.cancel_scope.cancel()
    _log.info("stopped")
