"""Asking a venue again after a failure that is safe to repeat: reads only, few times, with jitter.

Timeouts and answers that are too long are not repeated (they would only come again) and neither are rate limits (the
venue asked for less). The caller's deadline stands above all of this: it cancels the waiting.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_random_exponential

from exchange_mcp.model.errors import BadAnswerError, VenueUnavailableError, VenueUnreachableError
from exchange_mcp.venue.failures import TimedOutError, TooLongError

T = TypeVar("T")

Sleep = Callable[[float], Awaitable[None]]

ATTEMPTS: Final = 3
_REPEATABLE: Final = (VenueUnreachableError, VenueUnavailableError, BadAnswerError)


def _is_repeatable(error: BaseException) -> bool:
    return isinstance(error, _REPEATABLE) and not isinstance(error, TimedOutError | TooLongError)


async def repeated(ask: Callable[[], Awaitable[T]], *, sleep: Sleep = asyncio.sleep) -> T:
    """The first good answer of at most three attempts, or the last attempt's error."""
    try:
        return await ask()  # nearly always enough, and then tenacity costs nothing
    except Exception as error:
        if not _is_repeatable(error):
            raise
        return await _again(ask, error, sleep)


async def _again(ask: Callable[[], Awaitable[T]], failure: Exception, sleep: Sleep) -> T:
    failed: Exception | None = failure
    retrying = AsyncRetrying(
        stop=stop_after_attempt(ATTEMPTS),
        wait=wait_random_exponential(multiplier=0.2, max=2),
        retry=retry_if_exception(_is_repeatable),
        sleep=sleep,
        reraise=True,
    )

    async def attempt() -> T:
        nonlocal failed
        if failed is not None:  # the attempt that was already made
            first, failed = failed, None
            raise first
        return await ask()

    return await retrying(attempt)
