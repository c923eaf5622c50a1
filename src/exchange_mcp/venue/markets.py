"""Which markets a venue has: loaded and refreshed by one task of its own, never inside a request.

ccxt loads markets in the task of whoever asks first, and that caller's deadline then fails everybody
else who waits (facts: ccxt/async_support/base/exchange.py, `load_markets`, 4.5.90). Here every caller only
waits for the owner's next attempt; giving up the waiting disturbs nobody.
"""

import gc
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import anyio
import anyio.to_thread

from exchange_mcp.config.logs import get_logger
from exchange_mcp.model.errors import ExchangeMcpError, InternalError, RateLimitedError
from exchange_mcp.model.ports import Clock
from exchange_mcp.venue.market_cache import MarketCache, MarketKey, StoredMarkets

_log = get_logger(__name__)

Markets = Mapping[str, Mapping[str, Any]]

_HOUR_MS: Final = 3_600_000
REFRESH_MS: Final = 6 * _HOUR_MS
OLDEST_MS: Final = 24 * _HOUR_MS
_BACKOFF_SECONDS: Final = (1.0, 2.0, 5.0, 15.0)
# Where nobody waits for markets, or the venue asks for fewer requests.
_PATIENT_SECONDS: Final = 60.0


class MarketCatalogue:
    """The markets of one venue and environment.

    Args:
        fetch: asks the venue for its markets; used by the owner's task alone.
        install: gives a catalogue to the clients that parse with it; runs in a worker thread.
    """

    def __init__(  # noqa: PLR0913 - its ports, all of them
        self,
        key: MarketKey,
        *,
        cache: MarketCache,
        clock: Clock,
        fetch: Callable[[], Awaitable[StoredMarkets]],
        install: Callable[[StoredMarkets], Markets],
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
    ) -> None:
        self._key = key
        self._cache = cache
        self._clock = clock
        self._fetch = fetch
        self._install = install
        self._markets: Markets | None = None
        self._loaded_ms = 0
        self._failure: ExchangeMcpError | None = None
        self._is_resting = False
        self._wanted = anyio.Event()
        self._attempted = anyio.Event()
        self._sleep = sleep

    @property
    def loaded_ms(self) -> int:
        """When the venue was last asked for its markets, UTC ms; 0 before that."""
        return self._loaded_ms

    async def ready(self) -> Markets:
        """The markets by unified symbol; waits for the owner's attempt where there are none yet.

        While the owner rests after a failed attempt, that failure is answered at once.

        Raises:
            ExchangeMcpError: the attempt failed, with the venue's reason.
        """
        if self._markets is None and not self._is_resting:
            attempted = self._attempted
            self._wanted.set()
            await attempted.wait()
        if self._markets is None:
            failure = self._failure or InternalError(f"the markets of {self._key.venue} are not loaded")
            # One error for many callers: their tracebacks must not pile up on it.
            raise failure.with_traceback(None)
        return self._markets

    async def own(self) -> None:
        """Load when first wanted, refresh when old, for ever. Runs in one task that no caller's deadline reaches."""
        await self._warm()
        failures = 0
        while True:
            if self._markets is None:
                await self._wanted.wait()
            else:
                await self._until_old()
            if await self._load():
                failures = 0
                continue
            # A storm of callers must not become a storm of requests.
            self._is_resting = True
            await self._sleep(self._rest(failures))
            self._is_resting = False
            failures += 1

    def _rest(self, failures: int) -> float:
        """How many seconds to leave the venue alone after one more failure."""
        seconds = _BACKOFF_SECONDS[min(failures, len(_BACKOFF_SECONDS) - 1)]
        is_urgent = self._markets is None and not isinstance(self._failure, RateLimitedError)
        return seconds if is_urgent else max(seconds, _PATIENT_SECONDS)

    async def _warm(self) -> None:
        try:
            stored = await anyio.to_thread.run_sync(
                lambda: self._cache.read(self._key, now_ms=self._clock.now_ms(), oldest_ms=OLDEST_MS)
            )
            if stored is not None:
                await self._adopt(stored)
        except Exception:  # noqa: BLE001 - a damaged cache is only a slower start
            _log.warning("the stored markets cannot be used", venue=self._key.venue, exc_info=True)

    async def _load(self) -> bool:
        self._wanted = anyio.Event()
        try:
            stored = await self._fetch()
            await self._adopt(stored)
        except ExchangeMcpError as error:
            self._failure = error
        except Exception:  # noqa: BLE001 - the owner of the markets must outlive every failure
            _log.exception("loading markets failed", venue=self._key.venue)
            self._failure = InternalError(f"loading the markets of {self._key.venue} failed unexpectedly")
        else:
            self._failure = None
            await self._keep(stored)
        if self._failure is not None:
            _log.warning("markets not loaded", venue=self._key.venue, error=self._failure.message)
        self._announce()
        return self._failure is None

    async def _adopt(self, stored: StoredMarkets) -> None:
        self._markets = await anyio.to_thread.run_sync(self._install, stored)
        self._loaded_ms = stored.loaded_ms
        # Markets are tens of thousands of objects that stay for hours, like all that was imported until now. A full
        # collection that looks at them holds everything up for a tenth of a second, and one in a few orders met one
        # between its re-check and its send. What is frozen needs no collector: it goes when nothing refers to it.
        gc.freeze()
        self._announce()

    def _announce(self) -> None:
        attempted, self._attempted = self._attempted, anyio.Event()
        attempted.set()

    async def _keep(self, stored: StoredMarkets) -> None:
        try:
            await anyio.to_thread.run_sync(self._cache.write, self._key, stored)
        except OSError as error:
            _log.warning("the markets cannot be stored", venue=self._key.venue, reason=error.strerror)
        except Exception:  # noqa: BLE001 - the same
            _log.exception("the markets cannot be stored", venue=self._key.venue)

    async def _until_old(self) -> None:
        age_ms = self._clock.now_ms() - self._loaded_ms
        await self._sleep(max(0, REFRESH_MS - age_ms) / 1000)
