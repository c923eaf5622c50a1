"""What time it is at the venue: ours, and how far the venue's clock is ahead of it, measured again and again.

Requests are signed in the venue's time: a machine whose clock is wrong by seconds trades all the same, and the last
moment at which the venue takes a request is told by the clock that judges it.
"""

from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

import anyio

from exchange_mcp.config.logs import get_logger
from exchange_mcp.model.errors import BadAnswerError, ExchangeMcpError
from exchange_mcp.model.ports import Clock

_log = get_logger(__name__)

EVERY_SECONDS: Final = 30.0
RETRY_SECONDS: Final = 5.0
# How old the last measurement may be when a write is made ready.
_OLDEST_SECONDS: Final = 120.0
# Of so many, the one with the shortest way counts: half of the way there and back is how wrong it can be.
_KEPT: Final = 4
# Two clocks of one machine that ran apart this far: its time was set, or it slept.
_MOVED_MS: Final = 250
# The venue takes no timestamp that is more than a second ahead of it, so no measurement may be that wrong.
_WORST_MS: Final = 800


@dataclass(frozen=True, slots=True)
class _Measured:
    ahead_ms: int
    way_ms: float
    now_ms: int
    monotonic: float


class VenueClock:
    """The venue's time.

    Args:
        ask: asks the venue what time it is, once; UTC milliseconds.
        sleep: waits between two measurements.
    """

    def __init__(
        self,
        venue: str,
        clock: Clock,
        ask: Callable[[], Awaitable[int]],
        *,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
    ) -> None:
        self._venue = venue
        self._clock = clock
        self._ask = ask
        self._sleep = sleep
        self._measured: deque[_Measured] = deque(maxlen=_KEPT)
        self._asking = anyio.Lock()

    def now_ms(self) -> int:
        """The venue's time now as far as is known; ours before it was ever told."""
        ahead = min(self._measured, key=lambda each: each.way_ms).ahead_ms if self._measured else 0
        return self._clock.now_ms() + ahead

    async def fresh(self) -> None:
        """See that the time is known well enough to sign by; asks only where it is not.

        Raises:
            ExchangeMcpError: the venue does not tell its time.
        """
        if not self._is_fresh():
            async with self._asking:
                if not self._is_fresh():
                    await self._measure()

    async def own(self) -> None:
        """Measure again and again, until cancelled."""
        while True:
            try:
                async with self._asking:
                    await self._measure()
                wait = EVERY_SECONDS
            except ExchangeMcpError as error:
                _log.warning("the venue does not tell its time", venue=self._venue, reason=error.message)
                wait = RETRY_SECONDS
            await self._sleep(wait)

    def _is_fresh(self) -> bool:
        if not self._measured:
            return False
        last = self._measured[-1]
        age = self._clock.monotonic() - last.monotonic
        return age <= _OLDEST_SECONDS and not self._has_moved(last)

    def _has_moved(self, last: _Measured) -> bool:
        """Whether this machine's time was set, or stood still, since then."""
        age = self._clock.monotonic() - last.monotonic
        return abs(self._clock.now_ms() - last.now_ms - age * 1000) > _MOVED_MS

    async def _measure(self) -> None:
        began = self._clock.monotonic()
        told = await self._ask()
        ended, now_ms = self._clock.monotonic(), self._clock.now_ms()
        way_ms = (ended - began) * 1000
        if way_ms / 2 > _WORST_MS:
            raise BadAnswerError(
                f"{self._venue} took {way_ms:.0f} ms to tell its time: too long to sign by it"
            )
        if self._measured and self._has_moved(self._measured[-1]):
            # What was measured before was measured against another time.
            self._measured.clear()
        self._measured.append(_Measured(told - now_ms + round(way_ms / 2), way_ms, now_ms, ended))
