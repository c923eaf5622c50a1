"""Whether an account's key may be used: asked of the venue at the start, again and again, and after any doubt.

One check is under way at a time. A key that the venue says can do too much, or whose question the venue
refuses, stops its account at once. A venue that does not answer leaves a key that was verified a while ago in
use for the grace period, and no longer.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

import anyio

from exchange_mcp.config.logs import get_logger
from exchange_mcp.model.errors import (
    AuthenticationFailedError,
    ExchangeMcpError,
    InternalError,
    KeyRefusedError,
    KeyUnconfirmedError,
    PermissionMissingError,
    VenueRefusedError,
)
from exchange_mcp.model.ports import Clock
from exchange_mcp.model.scopes import KeyScope, KeyVerdict

_log = get_logger(__name__)

# The venue answered, and its answer is no: this is not silence, and no grace covers it.
_REFUSALS: Final = (AuthenticationFailedError, PermissionMissingError, VenueRefusedError)


@dataclass(frozen=True, slots=True)
class Pace:
    """How often a key is checked, in seconds.

    Attributes:
        every: between two checks.
        grace: how long a verified key may go unconfirmed.
        retry: until the next check where the venue did not answer.
        least: between two checks, whatever happens.
    """

    every: float = 300.0
    grace: float = 900.0
    retry: float = 15.0
    least: float = 3.0


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a key: the last scope that was told, what follows from it, and when it was told (UTC ms)."""

    scope: KeyScope
    verdict: KeyVerdict
    as_of: int


class KeyWatch:
    """Watches one account's key.

    Args:
        ask: puts the question to the venue; raises an `ExchangeMcpError` where there is no answer.
        judge: what follows from an answer, for this account.
        unanswered: what is known of a key whose venue has never answered.
        jitter: a factor around 1, drawn anew for each wait, so that accounts do not ask in step.
    """

    def __init__(  # noqa: PLR0913 - its ports
        self,
        account: str,
        *,
        ask: Callable[[], Awaitable[KeyScope]],
        judge: Callable[[KeyScope], KeyVerdict],
        unanswered: Callable[[str], KeyScope],
        clock: Clock,
        pace: Pace,
        jitter: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
    ) -> None:
        self._account = account
        self._ask = ask
        self._judge = judge
        self._unanswered = unanswered
        self._clock = clock
        self._pace = pace
        self._jitter = jitter
        self._sleep = sleep
        self._known: Known | None = None
        self._refusal: str | None = None
        self._silence: str | None = None
        self._checked = anyio.Event()
        self._asking = anyio.Lock()
        self._doubt = anyio.Event()

    async def own(self) -> None:
        """Check now, then again and again, until cancelled. Runs in one task that no caller's deadline reaches."""
        while True:
            self._doubt = anyio.Event()
            await self._check()
            self._checked.set()
            wait = (self._pace.every if self._silence is None else self._pace.retry) * self._jitter()
            # However often the key is doubted, the venue is left alone for a moment between two questions.
            await self._sleep(min(wait, self._pace.least))
            await self._until_doubt(max(0.0, wait - self._pace.least))

    def doubt(self) -> None:
        """The venue refused the key in a read: ask at once what it may still do."""
        self._doubt.set()

    async def permit(self) -> None:
        """Wait for the first check, and let the caller read if the key may be used.

        Raises:
            KeyRefusedError: it may not, with the permission and how to remove it.
        """
        await self._checked.wait()
        if self._refusal is not None:
            raise KeyRefusedError(f"account {self._account}: {self._refusal}")
        known = self._known
        if known is None:
            known = self._from_silence()
        elif self._silence is not None and self._clock.now_ms() - known.as_of > self._pace.grace * 1000:
            minutes = round((self._clock.now_ms() - known.as_of) / 60_000)
            raise KeyUnconfirmedError(
                f"account {self._account}: what its key may do was last told {minutes} minutes ago; {self._silence}"
            )
        if not known.verdict.accepted:
            raise KeyRefusedError(
                f"account {self._account}: {'; '.join(known.verdict.reasons)}", hint=known.verdict.remedy
            )

    async def confirmed(self, oldest_ms: int) -> KeyScope:
        """What the key may do, told at `oldest_ms` (our clock) or later: asked again where the last answer is older.

        Here no grace counts, and no refusal of a moment ago is taken for an answer.

        Raises:
            KeyRefusedError, KeyUnconfirmedError: the key may not be used, or its venue does not tell.
        """
        await self._checked.wait()
        if self._known is None or self._known.as_of < oldest_ms or not self._is_good():
            await self._check(oldest_ms)
        await self.permit()
        if self._known is None or self._known.as_of < oldest_ms:
            raise KeyUnconfirmedError(
                f"account {self._account}: {self._silence or 'its key is not confirmed'}"
            )
        return self._known.scope

    def refusal(self) -> str | None:
        """Why the key may not be used, as far as is known now; None if it may. Nothing is asked or waited for."""
        if self._refusal is not None:
            return self._refusal
        if self._known is None:
            return "what its key may do was not told yet"
        return None if self._known.verdict.accepted else "; ".join(self._known.verdict.reasons)

    @property
    def account_id(self) -> str | None:
        """The venue's own id of the account, where it told one."""
        return None if self._known is None else self._known.scope.account_id

    def _is_good(self) -> bool:
        return self._silence is None and self.refusal() is None

    async def known(self) -> Known:
        """What is known of the key, refused or not; waits for the first check."""
        await self._checked.wait()
        known = self._known or self._from_silence()
        if self._refusal is None:
            return known
        # The venue refuses the key now, whatever it told before.
        refused = known.verdict.model_copy(update={"accepted": False, "reasons": (self._refusal,)})
        return Known(known.scope, refused, known.as_of)

    def _from_silence(self) -> Known:
        scope = self._unanswered(self._silence or self._refusal or "the venue has not answered")
        return Known(scope, self._judge(scope), self._clock.now_ms())

    async def _check(self, oldest_ms: int | None = None) -> None:
        """Ask, one at a time; where `oldest_ms` is given, not if another's answer came since then meanwhile."""
        async with self._asking:
            is_told = oldest_ms is not None and self._known is not None and self._known.as_of >= oldest_ms
            if not (is_told and self._is_good()):
                await self._asked()

    async def _asked(self) -> None:
        before = None if self._known is None else self._known.verdict.accepted
        try:
            scope = await self._ask()
        except _REFUSALS as error:
            self._refusal, self._silence = error.message, None
            _log.warning("the key is refused by its venue", account=self._account, reason=error.message)
            return
        except ExchangeMcpError as error:
            self._silence = error.message
            _log.warning("the key's scope is not told", account=self._account, reason=error.message)
            return
        except Exception:  # noqa: BLE001 - the watch must outlive every failure
            _log.exception("asking for the key's scope failed", account=self._account)
            self._silence = InternalError("an unexpected fault while asking what the key may do").message
            return
        self._refusal = self._silence = None
        self._known = Known(scope, self._judge(scope), self._clock.now_ms())
        verdict = self._known.verdict
        if verdict.accepted != before:
            report = _log.info if verdict.accepted else _log.warning
            report(
                "key checked", account=self._account, accepted=verdict.accepted, reasons=list(verdict.reasons)
            )
        for warning in verdict.warnings if before is None else ():
            _log.warning("key", account=self._account, warning=warning)

    async def _until_doubt(self, seconds: float) -> None:
        async with anyio.create_task_group() as group:

            async def pause() -> None:
                await self._sleep(seconds)
                group.cancel_scope.cancel()

            group.start_soon(pause)
            await self._doubt.wait()
            group.cancel_scope.cancel()
