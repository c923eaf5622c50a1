"""How many writes a key may send in a while: a slot is taken before anything is signed, and waited for there alone.

ccxt's own limiter stands before reads only. What reads may use up leaves the venue's weight of writes free.
"""

from collections import deque
from collections.abc import Awaitable, Callable

import anyio

from exchange_mcp.model.ports import Clock
from exchange_mcp.rules.trading import WriteBudget


class Slots:
    """The slots of one key. Whoever takes one holds the key's turn, so nobody waits beside another."""

    def __init__(
        self,
        budget: WriteBudget,
        clock: Clock,
        *,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
    ) -> None:
        self._budget = budget
        self._clock = clock
        self._sleep = sleep
        self._taken: deque[float] = deque()

    async def take(self) -> float:
        """A slot, which `give_back` takes; waits as long as the budget is used up, and not at all otherwise."""
        span = self._budget.span_ms / 1000
        while True:
            now = self._clock.monotonic()
            while self._taken and self._taken[0] <= now - span:
                self._taken.popleft()
            if len(self._taken) < self._budget.writes:
                self._taken.append(now)
                return now
            await self._sleep(self._taken[0] + span - now)

    def give_back(self, slot: float) -> None:
        """Nothing was sent for it."""
        if slot in self._taken:
            self._taken.remove(slot)
