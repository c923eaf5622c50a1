"""Tasks that the desk owns: no caller can cancel one, and shutting down waits for those that must not be cut."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from exchange_mcp.config.logs import get_logger
from exchange_mcp.model.errors import ExchangeMcpError

_log = get_logger(__name__)


class OwnedTasks:
    """The tasks of one desk.

    `on_fault` is told of a task that failed with what nobody expected: the desk can no longer vouch for itself then.
    """

    def __init__(self, on_fault: Callable[[str], None]) -> None:
        self._on_fault = on_fault
        # In the order in which they began, so that ending them is the same every time.
        self._writes: dict[asyncio.Task[None], None] = {}
        self._reads: dict[asyncio.Task[None], None] = {}

    def must_end(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Run what shutting down has to wait for: a dispatch, from its re-check to its outcome."""
        self._start(work, name, self._writes)

    def may_be_cut(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Run what only reads, and what the next start begins anew."""
        self._start(work, name, self._reads)

    async def stop(self) -> None:
        """Wait for what has to end, then cut the rest; whoever waits for this being cancelled changes nothing."""
        while self._writes:
            await asyncio.wait(list(self._writes))
        for task in list(self._reads):
            task.cancel()
        if self._reads:
            await asyncio.wait(list(self._reads))

    def _start(
        self, work: Coroutine[Any, Any, None], name: str, tasks: dict[asyncio.Task[None], None]
    ) -> None:
        task = asyncio.get_running_loop().create_task(work, name=name)
        tasks[task] = None

        def ended(task: asyncio.Task[None]) -> None:
            del tasks[task]
            if not task.cancelled() and (error := task.exception()) is not None:
                _log.error("a task of the desk failed", task=name, exc_info=error)
                reason = error.message if isinstance(error, ExchangeMcpError) else type(error).__name__
                self._on_fault(f"{name} failed: {reason}")

        task.add_done_callback(ended)
