"""The journal: every method is one transaction, the change and its event together, or neither.

It is called directly and blocks for a few milliseconds; each commit is on the disk when the method returns.
What may follow from what is `intents`; what is a repeat is `repeats`; both are asked inside the transaction.
Times are UTC milliseconds and never run backwards from one event to the next.
"""

from collections.abc import Mapping
from dataclasses import asdict
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import Connection, select

from exchange_mcp.desk import halting, proposing, repeats
from exchange_mcp.desk.claiming import (
    Admits,
    check_deadline,
    check_doubt,
    check_grant,
    check_halts,
    check_limits,
    check_room,
)
from exchange_mcp.desk.intents import Cause, State
from exchange_mcp.desk.journal_errors import ConflictError, NotRecoveredError
from exchange_mcp.desk.looks import evidence_values
from exchange_mcp.desk.mark import MarkStore
from exchange_mcp.desk.reading import INTENT_BY_PROPOSAL, intent_from, state_is_in, swept_name
from exchange_mcp.desk.records import (
    Claim,
    Event,
    Grant,
    Intent,
    Proposal,
    Proposed,
    Recovered,
    Repeated,
    Signed,
    Taken,
)
from exchange_mcp.desk.registering import Registering
from exchange_mcp.desk.schema import intents, state_fact
from exchange_mcp.model.accounts import AccountName
from exchange_mcp.model.canonical import canonical_json
from exchange_mcp.model.findings import Findings, FoundOrder
from exchange_mcp.model.outcomes import Evidence, Verdict
from exchange_mcp.model.ports import Clock

_LEFT: Final = select(intents).where(state_is_in([State.DISPATCHING, State.APPROVED])).order_by(intents.c.seq)


class Note(StrEnum):
    """Events that change no intent; each is the kind of its event."""

    UNPLANNED = "unplanned"
    POLICY = "policy"
    KEY_SCOPE = "key_scope"
    CONFIGURATION = "configuration"
    VENUE = "venue"
    NEEDS_PERSON = "needs_person"
    TURNED_AWAY = "turned_away"
    CREDENTIAL_REFUSED = "credential_refused"
    SIGNATURE = "signature"
    SIGNATURE_REFUSED = "signature_refused"
    PASSPHRASE_FAILED = "passphrase_failed"  # noqa: S105 - the kind of an event


# Whoever is not trusted can cause these; they may not take the room that outcomes need.
_FROM_OUTSIDE: Final = frozenset(
    {
        Note.UNPLANNED,
        Note.TURNED_AWAY,
        Note.CREDENTIAL_REFUSED,
        Note.SIGNATURE_REFUSED,
        Note.PASSPHRASE_FAILED,
    }
)


class Journal(Registering):
    """One desk's journal, open for writing. Made by `opening.open_journal`.

    Every method that writes raises `JournalError`; unless it is an `UncertainWriteError`, nothing was changed.

    Args:
        limits: what counts as a repeat, and for how long; the rest as `writing.JournalWrites` takes it.
    """

    def __init__(
        self,
        connection: Connection,
        *,
        clock: Clock,
        mark: MarkStore,
        machine: str = "",
        limits: repeats.RepeatLimits | None = None,
    ) -> None:
        super().__init__(connection, clock=clock, mark=mark, machine=machine)
        self._limits = limits or repeats.RepeatLimits()
        self._is_recovered = False

    # A proposal, until it is decided.

    def propose(self, proposal: Proposal) -> Proposed:
        """C1: record a planned proposal, unless it is an earlier one again or something stands in its way.

        A proposal id that was recorded is answered with its intent, whatever became of it.

        Raises:
            ConflictError: the proposal id was used for something else, or an id is taken.
            JournalFullError: it would take the room that the outcome of what is under way needs.
            ClockBehindError: as `claim`.
        """
        with self._entry(is_timed=True) as entry:
            row = (
                entry.connection.execute(INTENT_BY_PROPOSAL, {"key": proposal.proposal_id}).mappings().first()
            )
            if row is not None:
                return Repeated(proposing.same_proposal(intent_from(row), proposal))
            if proposal.expires_ms <= entry.now_ms:
                raise ConflictError("the proposal's time to be decided is over before it began")
            ruling = proposing.rule(entry, proposal, self._limits)
            match ruling:
                case repeats.IsSame():
                    return Repeated(entry.intent(ruling.id))
                case repeats.IsRefused():
                    check_room(entry)
                    entry.append("refused", ruling.id, proposing.refusal_body(proposal, ruling))
                    return ruling
                case repeats.IsNew():
                    check_room(entry)
                    similar = ruling.similar
                    intent = proposing.recorded(entry, proposal)
                    return Taken(
                        intent,
                        similar_id=None if similar is None else similar.id,
                        similar_created_ms=None if similar is None else similar.created_ms,
                    )

    def known(self, about: repeats.About) -> Repeated | repeats.IsRefused | None:
        """What a request that cannot be planned is known to be: an earlier one again, or blocked. Records nothing."""
        with self._reading():
            ruling = proposing.rule_unplanned(self._connection, about, self._clock.now_ms(), self._limits)
        return Repeated(self.intent(ruling.id)) if isinstance(ruling, repeats.IsSame) else ruling

    def decide(
        self,
        intent_id: str,
        *,
        is_permitted: bool,
        policy_digest: str,
        decision: Mapping[str, object],
        reason: str,
    ) -> Intent:
        """Record what policy decided; what it denies ends as DENIED."""
        with self._entry() as entry:
            intent = entry.intent(intent_id)
            body = {"policy_digest": policy_digest, "decision": decision, "reason": reason}
            if not is_permitted:
                return entry.move(
                    intent, Cause.DENIED, State.DENIED, body, policy_digest=policy_digest, reason=reason
                )
            proposing.expect(intent, State.PROPOSED)
            entry.append("permitted", intent.id, body)
            return entry.change(intent, policy_digest=policy_digest)

    def show(self, intent_id: str, preview: Mapping[str, object]) -> Intent:
        """Record the fresh preview that an approver is shown; a grant is of this one from now on."""
        with self._entry() as entry:
            intent = entry.intent(intent_id)
            proposing.expect(intent, State.PROPOSED)
            text = canonical_json(preview)
            digest = proposing.digest_of(text)
            entry.append("shown", intent.id, {"preview": preview, "preview_digest": digest})
            return entry.change(intent, preview_text=text, preview_digest=digest)

    def grant(self, intent_id: str, grant: Grant) -> Intent:
        """C2: record a verified approval.

        Raises:
            ConflictError: it is of another plan, preview or policy than the intent's, its time or the
                proposal's is up, nobody signed it, or its nonce was used before.
            StateChangedError: the intent is not waiting for a decision. ClockBehindError: as `claim`.
        """
        with self._entry(is_timed=True) as entry:
            intent = entry.intent(intent_id)
            proposing.expect(intent, State.PROPOSED)
            proposing.check_fit(grant, intent, entry.now_ms)
            digests = {
                "plan_digest": grant.plan_digest,
                "preview_digest": grant.preview_digest,
                "policy_digest": grant.policy_digest,
                "expires_ms": grant.expires_ms,
            }
            entry.sign(grant.nonce, "grant", intent=intent.id, **digests)
            return entry.move(
                intent,
                Cause.GRANTED,
                State.APPROVED,
                {"nonce": grant.nonce, "approvers": grant.approvers, "record": grant.record, **digests},
                reason=f"approved by {', '.join(grant.approvers)}",
            )

    def decline(self, intent_id: str, *, by: str, note: str = "") -> Intent:
        """A person said no."""
        with self._entry() as entry:
            body = {"by": by, "note": note}
            reason = f"declined by {by}"
            return entry.move(entry.intent(intent_id), Cause.DECLINED, State.DECLINED, body, reason=reason)

    def retract(self, intent_id: str, *, client: str) -> Intent:
        """Its proposer takes a proposal back.

        Raises:
            ConflictError: another client proposed it. StateChangedError: it is decided, or on its way.
        """
        with self._entry() as entry:
            intent = entry.intent(intent_id)
            if intent.client != client:
                raise ConflictError(f"intent {intent.id} was proposed by another client")
            return entry.move(
                intent, Cause.RETRACTED, State.RETRACTED, {"by": client}, reason="retracted by its proposer"
            )

    def expire_due(self) -> tuple[Intent, ...]:
        """End every proposal whose time to be decided is up."""
        with self._entry() as entry:
            return proposing.expired(entry)

    def lapse(self, intent_id: str, reason: str) -> Intent:
        """An approval does not hold any more; `reason` is for a person."""
        with self._entry() as entry:
            return entry.move(
                entry.intent(intent_id), Cause.LAPSED, State.LAPSED, {"reason": reason}, reason=reason
            )

    # A write, from its claim to its end.

    def claim(self, intent_id: str, claim: Claim, admits: Admits) -> Intent:
        """C3: the one transaction after which one request may be sent, committed when this returns.

        In it: the halts, the state, the grant and that it was not spent, the policy, that nothing on the same
        account and asset is in doubt, the deadline, the limits with this write counted at its worst, and
        room on the disk for the outcome.

        Args:
            intent_id: an approved one.
            claim: what is claimed.
            admits: asked inside the transaction with what is counted before this write.

        Raises:
            ClaimRefusedError: a condition does not hold; `reason` says which.
            StateChangedError: the intent is not approved.
            JournalFullError: there would be no room for its outcome.
            ClockBehindError: this machine's clock is behind the last event.
            NotRecoveredError: `recover` was not called yet.
        """
        if not self._is_recovered:
            raise NotRecoveredError("the journal was not recovered since it was opened")
        with self._entry(is_timed=True) as entry:
            intent = entry.intent(intent_id)
            check_halts(entry, intent)
            proposing.expect(intent, State.APPROVED)
            check_grant(entry, intent, claim)
            check_doubt(entry, intent)
            check_deadline(entry, claim)
            check_limits(entry, intent, admits)
            check_room(entry)
            entry.spend(claim.nonce)
            bounds = [worst for worst in (intent.worst_notional, claim.worst_notional) if worst is not None]
            reserved = max(bounds, default=None)
            return entry.move(
                intent,
                Cause.CLAIMED,
                State.DISPATCHING,
                {**asdict(claim), "reserved": reserved, "currency": intent.currency},
                worst_notional=reserved,
                claimed_ms=entry.now_ms,
                latest_ms=claim.latest_ms,
                policy_digest=claim.policy_digest,
                reason="being sent",
            )

    def settle(self, intent_id: str, verdict: Verdict, evidence: Evidence) -> Intent:
        """C4: record what the send proved, with all that was seen, before anybody is told."""
        with self._entry() as entry:
            body = {"verdict": asdict(verdict), "evidence": evidence_values(evidence)}
            return entry.move(
                entry.intent(intent_id),
                Cause.SETTLED,
                State(verdict.outcome.value),
                body,
                order_id=verdict.order_id,
                reason=verdict.reason,
            )

    def read_back(
        self,
        intent_id: str,
        end: State,
        *,
        proof: Mapping[str, object],
        reason: str,
        order_id: str | None = None,
    ) -> Intent:
        """Record what an accepted write was found to have come to."""
        seen = {"proof": proof, "reason": reason, "order_id": order_id}
        return self._looked(Cause.READ_BACK, intent_id, end, seen)

    def reconcile(
        self,
        intent_id: str,
        end: State,
        *,
        proof: Mapping[str, object],
        reason: str,
        order_id: str | None = None,
    ) -> Intent:
        """Record what reading proved of an unknown write. `proof` is the ground, as plain values."""
        seen = {"proof": proof, "reason": reason, "order_id": order_id}
        return self._looked(Cause.RECONCILED, intent_id, end, seen)

    def found_late(self, intent_id: str, order: FoundOrder, reason: str) -> Intent:
        """An order that was proved not to be there is there: record it, and halt its account, in one."""
        with self._entry() as entry:
            intent = entry.move(
                entry.intent(intent_id),
                Cause.FOUND_LATE,
                State.PLACED,
                {"order": asdict(order), "reason": reason},
                order_id=order.order_id,
                reason=reason,
            )
            halting.halt(entry, intent.account, by="desk", reason=f"intent {intent.id}: {reason}")
            return intent

    def resolve(self, intent_id: str, end: State, signed: Signed, note: str) -> Intent:
        """An approver says what became of an unknown write.

        Raises:
            ConflictError: the note is empty, or the signature was used before.
        """
        if not note.strip():
            raise ConflictError("who resolves an unknown says in a note why")
        with self._entry() as entry:
            intent = entry.intent(intent_id)
            entry.sign(signed.nonce, "resolve", intent=intent.id, spent_ms=entry.now_ms)
            return entry.move(
                intent,
                Cause.RESOLVED,
                end,
                {"signed": asdict(signed), "note": note},
                resolved_by=signed.approver,
                note=note,
                reason=f"resolved by {signed.approver}: {note}",
            )

    def report(self, intent_id: str, findings: Findings) -> Event:
        """Record one look at the venue; what follows from it is another transaction."""
        with self._entry() as entry:
            return entry.append("findings", entry.intent(intent_id).id, {"findings": asdict(findings)})

    def recover(self) -> Recovered:
        """What a start does before anything else: nothing that was claimed or approved goes on by itself.

        DISPATCHING becomes UNKNOWN, APPROVED becomes LAPSED, an overdue proposal EXPIRED, in one transaction.
        """
        with self._entry() as entry:
            rows = entry.connection.execute(_LEFT).mappings().all()
            unknown: list[Intent] = []
            lapsed: list[Intent] = []
            for intent in map(intent_from, rows):
                if intent.state is State.DISPATCHING:
                    reason = "the desk stopped before the outcome was recorded"
                    unknown.append(entry.move(intent, Cause.RECOVERED, State.UNKNOWN, {}, reason=reason))
                else:
                    reason = "the desk was restarted"
                    body = {"reason": reason}
                    lapsed.append(entry.move(intent, Cause.LAPSED, State.LAPSED, body, reason=reason))
            expired = proposing.expired(entry)
        self._is_recovered = True
        return Recovered(tuple(unknown), tuple(lapsed), expired)

    # The desk.

    def halt(self, account: AccountName | None, *, by: str, reason: str) -> Event:
        """Stop one account, or the desk (None). Needs no signature; again is a further reason of the same halt."""
        with self._entry() as entry:
            return halting.halt(entry, account, by=by, reason=reason)

    def resume(self, account: AccountName | None, signed: Signed, *, reason: str) -> Event:
        """Lift one halt; the desk's leaves its accounts' in force, and the other way round. `reason` as `halts` tells.

        Raises:
            ConflictError: it is not halted, or for another reason by now, or the signature was used before.
        """
        with self._entry() as entry:
            return halting.lift(entry, account, signed, reason=reason)

    def stranger(self, account: AccountName, client_order_id: str, detail: str) -> bool:
        """An order at the venue carries a desk's tag: halt the account, unless this journal made it.

        Returns:
            Whether it is one that this journal neither made nor saw before.
        """
        with self._entry() as entry:
            return halting.see_stranger(entry, account, client_order_id, detail)

    def swept(self, account: AccountName, until_ms: int) -> None:
        """Keep until when, in venue time, every order on this account's key was seen.

        It is no event: a log would be nothing else. What is lost of it is looked at again.
        """
        with self._entry() as entry:
            state_fact(entry.connection, swept_name(account), str(until_ms))

    def record(self, note: Note, body: Mapping[str, object], intent_id: str | None = None) -> Event:
        """Record something that changes no intent."""
        with self._entry() as entry:
            if note in _FROM_OUTSIDE:
                check_room(entry)
            return entry.append(note, intent_id, body)

    def _looked(self, cause: Cause, intent_id: str, end: State, seen: Mapping[str, Any]) -> Intent:
        with self._entry() as entry:
            intent = entry.intent(intent_id)
            known = seen["order_id"] or intent.order_id
            body = {**seen, "order_id": known}
            return entry.move(intent, cause, end, body, order_id=known, reason=seen["reason"])
