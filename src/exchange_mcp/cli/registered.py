"""A running server as `exchange-mcp reload` finds it: where it says that it runs, and how its reloads ended."""

import os
from contextlib import ExitStack
from pathlib import Path

from exchange_mcp.config.logs import get_logger
from exchange_mcp.config.running import Outcome, Server, announced, tell_outcome
from exchange_mcp.server.running import Running

_log = get_logger(__name__)


class Registered:
    """`Running`, announced for as long as it runs. That it cannot be announced is logged; it serves all the same.

    Args:
        running: what runs.
        directory: where running servers are announced.
        reached: how clients reach it.
        source: the configuration file, if there is one.
    """

    def __init__(self, running: Running, directory: Path, reached: str, source: Path | None) -> None:
        self._running = running
        self._directory = directory
        self._server = Server(
            pid=os.getpid(), reached=reached, config=None if source is None else str(source)
        )
        self._announcement = ExitStack()
        self._reloads = 0

    async def run(self) -> None:
        """Announce it, and run until cancelled."""
        try:
            self._announcement.enter_context(announced(self._directory, self._server))
        except OSError as error:
            _log.warning("exchange-mcp reload will not find this server", reason=str(error))
        try:
            await self._running.run()
        finally:
            self._announcement.close()

    async def close(self) -> None:
        """Take the announcement back, and answer nobody any more."""
        self._announcement.close()
        await self._running.close()

    async def reload(self) -> None:
        """Read the configuration again, and leave how that ended where it is looked for."""
        outcome = await self._running.reload()
        self._reloads += 1
        told = Outcome(number=self._reloads, faults=outcome.faults, tools_changed=outcome.tools_changed)
        try:
            tell_outcome(self._directory, self._server.pid, told)
        except OSError as error:
            _log.warning("how the reload ended could not be written down", reason=str(error))
