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


class Bell:
    """Those who wait for anything at all to be recorded. Rung in the loop's own thread; once closed, nobody waits."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Future[None]] = set()
        self._is_closed = False

    def ring(self) -> None:
        """Wake everybody."""
        waiting, self._waiting = self._waiting, set()
        for future in waiting:
            if not future.done():
                future.set_result(None)

    def close(self) -> None:
        """Wake everybody, and let nobody wait from now on."""
        self._is_closed = True
        self.ring()

    async def rung(self, seconds: float) -> bool:
        """Wait until it rings, at most so long; False where it is time to answer with what there is."""
        if self._is_closed or seconds <= 0:
            return False
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.add(future)
        try:
            async with asyncio.timeout(seconds):
                await future
        except TimeoutError:
            return False
        finally:
            self._waiting.discard(future)
        return not self._is_closed
