"""From a grant to an outcome: re-check, get ready, claim, sign and send once, judge, record.

All waiting is over before the claim; nothing is between its commit and the send but the signature. A task that the
engine owns runs this, one write of an account at a time.
"""

import asyncio
import json

from exchange_mcp.config.logs import get_logger
from exchange_mcp.desk.drift import drift
from exchange_mcp.desk.intents import State
from exchange_mcp.desk.journal_errors import (
    ClaimRefusedError,
    ClockBehindError,
    JournalFullError,
    StateChangedError,
)
from exchange_mcp.desk.ports import Footing, Planned
from exchange_mcp.desk.records import Claim, Counted, Intent
from exchange_mcp.desk.station import Moment, Station
from exchange_mcp.desk.watch import Watch
from exchange_mcp.model.errors import ExchangeMcpError, JournalError
from exchange_mcp.model.outcomes import Evidence, Verdict
from exchange_mcp.model.plans import WirePlan
from exchange_mcp.model.trading import Ready

_log = get_logger(__name__)

# A claim that these refuse changed nothing, and the journal may well record that it lapsed.
_REFUSALS = (ClaimRefusedError, ClockBehindError, JournalFullError, StateChangedError)


class Dispatcher:
    """The dispatches of one account; `refusal` is why nothing more of it is claimed, None while it is."""

    def __init__(self, station: Station, watch: Watch) -> None:
        self._station = station
        self._watch = watch
        self.refusal: str | None = None

    async def dispatch(self, intent_id: str, nonce: str) -> None:
        """Send an approved intent by the grant of this nonce, or let the grant lapse and say why."""
        async with self._station.turn:
            for _ in range(self._station.pace.rechecks):
                intent = self._station.journal.intent(intent_id)
                if intent.state is not State.APPROVED:
                    return
                if self.refusal is not None:
                    self._lapse(intent_id, self.refusal)
                    return
                if await self._tried(intent, nonce):
                    return
            self._lapse(intent_id, "It could not be made ready within the time that a re-check is good for.")

    async def _tried(self, intent: Intent, nonce: str) -> bool:
        """Whether this intent is done with; False where its re-check grew too old while it was made ready."""
        station = self._station
        try:
            async with asyncio.timeout(station.pace.patience):
                if not station.is_watched():
                    await self._watch.sweep()
                checked_at = Moment.now(station.clock)
                now = await station.venue.recheck(intent.plan)
            fault = self._drifted(intent, now)
            if fault is not None:
                self._lapse(intent.id, fault)
                return True
            async with asyncio.timeout(station.pace.patience):
                ready = await station.venue.ready(intent.plan)
        except JournalError:
            raise
        except (ExchangeMcpError, TimeoutError) as error:
            reason = error.message if isinstance(error, ExchangeMcpError) else "it took too long"
            self._lapse(intent.id, f"It could not be made ready: {reason}")
            return True
        try:
            if checked_at.age(station.clock) > station.pace.recheck_age:
                return False
            if self.refusal is not None:
                self._lapse(intent.id, self.refusal)
                return True
            await self._claim_and_send(intent, now, nonce, ready)
            return True
        finally:
            await ready.release()

    def _drifted(self, intent: Intent, now: Planned) -> str | None:
        if now.plan.canonical() != intent.plan_text:
            return "What was read again is of another plan."
        if intent.is_reduce_only and not now.footing.is_reduce_enforced:
            # What a halt and an unknown let through rests on it.
            return "The venue does not hold this order to reducing."
        approved = Footing.of(json.loads(intent.preview_text)["footing"])
        return drift(approved, now.footing, self._station.pace.collar_bps)

    async def _claim_and_send(self, intent: Intent, now: Planned, nonce: str, ready: Ready) -> None:
        claimed = self._claimed(intent, now, nonce)
        if claimed is not None:
            self._settle(claimed, await self._sent(claimed, ready))

    def _claimed(self, intent: Intent, now: Planned, nonce: str) -> Intent | None:
        """The intent, claimed: committed before the first byte. None where the claim was refused."""
        station = self._station
        venue_ms, now_ms = station.venue.venue_ms(), station.clock.now_ms()
        claim = Claim(
            nonce=nonce,
            latest_ms=venue_ms + intent.plan.window_ms + station.pace.margin_ms,
            venue_ahead_ms=venue_ms - now_ms,
            policy_digest=station.limits.digest,
            recheck=now.footing.as_object(),
            worst_notional=now.footing.worst_case,
        )

        def admits(counted: Counted) -> str | None:
            ruling = station.limits.rule(now, counted, now_ms)
            return None if ruling.is_allowed else ruling.reason

        try:
            claimed = station.journal.claim(intent.id, claim, admits)
        except _REFUSALS as refusal:
            self._lapse(intent.id, refusal.message)
            return None
        station.moved(claimed)
        return claimed

    async def _sent(self, intent: Intent, ready: Ready) -> Evidence:
        """Send a claimed intent, once; what is raised on the way becomes evidence that says nothing of the wire."""
        try:
            async with asyncio.timeout(self._station.pace.send_patience):
                return await ready.send(self._plan(intent), self._latest_ms(intent))
        except asyncio.CancelledError as error:
            # Only ending the whole program cancels this task. The outcome is recorded first, as unknown.
            self._settle(intent, _nothing_known(intent, error))
            raise
        except Exception as error:  # noqa: BLE001 - whatever it was, something may have left
            _log.error("a send raised", intent=intent.id, error=type(error).__name__)
            return _nothing_known(intent, error)

    def _plan(self, intent: Intent) -> WirePlan:
        """What is sent: the journal's own text of the plan, read back, and nothing held in memory."""
        return intent.plan

    def _latest_ms(self, intent: Intent) -> int:
        if intent.latest_ms is None:
            raise RuntimeError(f"intent {intent.id} was claimed without a deadline")
        return intent.latest_ms

    def _settle(self, intent: Intent, evidence: Evidence) -> None:
        settled = self._station.journal.settle(intent.id, self._verdict(evidence), evidence)
        self._station.moved(settled)

    def _verdict(self, evidence: Evidence) -> Verdict:
        return self._station.judge(evidence)

    def _lapse(self, intent_id: str, reason: str) -> None:
        station = self._station
        if station.journal.intent(intent_id).state is State.APPROVED:
            station.moved(station.journal.lapse(intent_id, reason))


def _nothing_known(intent: Intent, error: BaseException) -> Evidence:
    plan = intent.plan
    return Evidence(
        venue=plan.venue,
        action=plan.action,
        url="",
        is_sent=True,
        exception=type(error).__name__,
        client_order_id=plan.client_order_id,
    )
