"""What became of a write whose outcome is not known: by reading alone, and never by guessing.

An order that is found is placed. One that is not found is absent only where `absence` proves it. What cannot be
proved waits for a named person; the looking goes on meanwhile, for an order may turn up.
"""

import asyncio
from itertools import count

from exchange_mcp.desk.absence import Absence, Condition, absence, next_look_ms
from exchange_mcp.desk.intents import State
from exchange_mcp.desk.journal import Note
from exchange_mcp.desk.looking import effect_of, look_for
from exchange_mcp.desk.read_back import DONE
from exchange_mcp.desk.records import Intent
from exchange_mcp.desk.station import Station
from exchange_mcp.model.findings import Findings
from exchange_mcp.model.trading import Effect

# Looking longer does not mend these.
_HOPELESS = frozenset(
    {Condition.NOTHING_UNATTRIBUTABLE, Condition.LATE_REQUESTS_REFUSED, Condition.TEST_CARD}
)

# By how little a venue's time may be read differently for a look than before it; one that is early counts for nothing.
_AFTER_MS = 100


class Reconciler:
    """The unknown outcomes of one account; `asked` are those that wait for a person, and what is not proved of each."""

    def __init__(self, station: Station) -> None:
        self._station = station
        self._looks: dict[str, list[Findings]] = {}
        self._pending_ms: dict[str, list[int]] = {}
        self.asked: dict[str, str] = {}

    async def run(self, intent_id: str) -> None:
        """Look until it is known, ever more seldom; ask for a person once looking alone will not decide soon."""
        station, late = self._station, 0
        first_look_ms = self._first_look_ms(station.journal.intent(intent_id))
        for number in count(1):
            await asyncio.sleep(self._wait(intent_id, number))
            late += station.venue.venue_ms() >= first_look_ms
            missing = await self.look(intent_id)
            if missing is None:
                return
            is_hopeless = bool(_HOPELESS & {shortfall.condition for shortfall in missing.missing})
            is_spent = late >= station.pace.proof_looks and number > len(station.pace.looks)
            if is_spent or (is_hopeless and number >= station.pace.hopeless_looks):
                self._ask(intent_id, missing)

    def _wait(self, intent_id: str, number: int) -> float:
        """How long until the next look; neither the first one that can be part of a proof nor the last is overslept."""
        pace = self._station.pace
        if intent_id in self.asked:
            return pace.slow_look
        wait = pace.looks[min(number, len(pace.looks)) - 1]
        due_ms = self._due_ms(self._station.journal.intent(intent_id)) - self._station.venue.venue_ms()
        due = (due_ms + _AFTER_MS) / 1000
        return min(wait, max(due, pace.looks[0])) if due > 0 else wait

    def _due_ms(self, intent: Intent) -> int:
        """The venue's time from which on the next look can bring the proof further."""
        venue, latest_ms = self._station.venue, _latest_ms(intent)
        if intent.action == "place":
            return next_look_ms(self._looks.get(intent.id, ()), venue.absence_terms(intent.plan, latest_ms))
        terms, seen = venue.effect_terms(intent.plan, latest_ms), self._pending_ms.get(intent.id)
        return seen[0] + terms.spacing_ms if seen else terms.first_look_ms

    def _first_look_ms(self, intent: Intent) -> int:
        """The venue's time from which on a look can be part of a proof."""
        venue, latest_ms = self._station.venue, _latest_ms(intent)
        if intent.action == "place":
            return venue.absence_terms(intent.plan, latest_ms).first_look_ms
        return venue.effect_terms(intent.plan, latest_ms).first_look_ms

    async def look(self, intent_id: str) -> Absence | None:
        """Look once, and move the intent on where that decides; what is still missing, None once it is not unknown."""
        intent = self._station.journal.intent(intent_id)
        if intent.state is not State.UNKNOWN:
            return None
        if intent.action != "place":
            return await self._look_at_effect(intent)
        findings = await self._find(intent)
        if self._station.journal.intent(intent_id).state is not State.UNKNOWN:
            return None
        self._looks.setdefault(intent_id, []).append(findings)
        self._station.journal.report(intent_id, findings)
        found = findings.found
        if found is not None:
            self._moved(intent, State.PLACED, "it was found at the venue", found.order_id)
            return None
        proof = self._proof(intent, self._looks[intent_id])
        if proof.is_proved:
            self._moved(intent, State.ABSENT, "every condition of the proof of absence holds", None)
            return None
        return proof

    async def _find(self, intent: Intent) -> Findings:
        return await look_for(self._station, intent)

    def _proof(self, intent: Intent, looks: list[Findings]) -> Absence:
        return absence(looks, self._station.venue.absence_terms(intent.plan, _latest_ms(intent)))

    async def _look_at_effect(self, intent: Intent) -> Absence | None:
        """A cancel or a leverage: done, too late, or still pending when it cannot act any more, so not done."""
        station = self._station
        began_ms = station.venue.venue_ms()
        effect = await effect_of(station, intent)
        if station.journal.intent(intent.id).state is not State.UNKNOWN:
            return None
        match effect:
            case Effect.DONE:
                self._moved(intent, DONE[intent.action], "the venue shows it", None)
                return None
            case Effect.TOO_LATE:
                self._moved(intent, State.TOO_LATE, "the order had ended before the cancel", None)
                return None
            case Effect.UNTOLD:
                return Absence(())
            case Effect.PENDING:
                pass
        terms = station.venue.effect_terms(intent.plan, _latest_ms(intent))
        seen = self._pending_ms.setdefault(intent.id, [])
        if began_ms >= terms.first_look_ms:
            seen.append(began_ms)
        if terms.refuses_late and seen and seen[-1] - seen[0] >= terms.spacing_ms:
            end = State.ABSENT if intent.action == "cancel" else State.NOT_SET
            self._moved(intent, end, "it has had no effect, and can have none any more", None)
            return None
        return Absence(())

    def _ask(self, intent_id: str, missing: Absence) -> None:
        reasons = "; ".join(shortfall.sentence for shortfall in missing.missing) or "the venue does not tell"
        if intent_id not in self.asked:
            self.asked[intent_id] = reasons
            self._station.journal.record(Note.NEEDS_PERSON, {"missing": reasons}, intent_id)

    def _moved(self, intent: Intent, state: State, reason: str, order_id: str | None) -> None:
        station = self._station
        looks = [look.venue_ms for look in self._looks.get(intent.id, [])] or self._pending_ms.get(
            intent.id, []
        )
        station.moved(
            station.journal.reconcile(
                intent.id, state, proof={"looks_ms": looks}, reason=reason, order_id=order_id
            )
        )

    def forget(self, intent_id: str) -> None:
        """Hold nothing of an intent that is not unknown any more, whoever decided it."""
        for held in (self._looks, self._pending_ms, self.asked):
            held.pop(intent_id, None)


def _latest_ms(intent: Intent) -> int:
    if intent.latest_ms is None:
        raise RuntimeError(f"intent {intent.id} was never claimed")
    return intent.latest_ms
