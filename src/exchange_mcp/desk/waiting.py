"""Whoever waits for an intent to move on. Going away changes nothing for anybody else."""

import asyncio

from exchange_mcp.desk.records import Intent


class Waiters:
    """Those who wait, by intent."""

    def __init__(self) -> None:
        self._waiting: dict[str, list[asyncio.Future[Intent]]] = {}

    def tell(self, intent: Intent) -> None:
        """Wake everybody who waits for this intent."""
        for future in self._waiting.pop(intent.id, []):
            if not future.done():
                future.set_result(intent)

    async def moved(self, intent_id: str) -> Intent:
        """The intent, as soon as it comes into another state than now."""
        future: asyncio.Future[Intent] = asyncio.get_running_loop().create_future()
        waiting = self._waiting.setdefault(intent_id, [])
        waiting.append(future)
        try:
            return await future
        finally:
            if future in waiting:
                waiting.remove(future)
