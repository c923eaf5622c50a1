"""From a proposal that somebody looks at to one grant of it: decisions, their signatures, and what voids them.

A decision is a fresh preview, journaled, with a nonce of the desk's own. What is signed is made again here, from the
journal's own bytes as they are at that moment; the text that came with a signature is only compared. Decisions live in
memory: after a restart whoever decides looks again.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from exchange_mcp.desk.approvers import Verifier, refused, verified
from exchange_mcp.desk.challenges import NONCE_BYTES
from exchange_mcp.desk.engine import Engine
from exchange_mcp.desk.intents import State
from exchange_mcp.desk.journal import Journal, Note
from exchange_mcp.desk.operator.messages import SignedMessage
from exchange_mcp.desk.ports import LimitRuling
from exchange_mcp.desk.records import Grant, Intent
from exchange_mcp.desk.register import Approver
from exchange_mcp.desk.statements import Purpose, Statement, grant_body, sha256_of
from exchange_mcp.desk.station import Moment
from exchange_mcp.model.canonical import canonical_json
from exchange_mcp.model.errors import ErrorCode, ProposalRefusedError
from exchange_mcp.model.ports import Clock, Entropy

_FRESH_SECONDS: Final = 1.0
"""How long one preview is given again to whoever opens the same proposal."""


@dataclass(frozen=True, slots=True)
class Signature:
    """One that was verified. `approver` is as enrolled then."""

    approver: Approver
    fields: Mapping[str, str]


@dataclass(slots=True, kw_only=True)
class OpenDecision:
    """One preview that is being decided on.

    Attributes:
        intent: as it was shown. ruling: what the limits say to this preview.
        policy_text: of the policy in force; policy_digest is of it.
        needed: how many distinct approvers it takes.
    """

    intent: Intent
    ruling: LimitRuling
    policy_text: str
    policy_digest: str
    nonce: str
    opened: Moment
    expires_ms: int
    needed: int
    signatures: dict[str, Signature] = field(default_factory=dict[str, Signature])

    def is_over(self, clock: Clock) -> bool:
        """Whether its time is up, by either of the machine's clocks: one that is set back gives nobody more of it."""
        return self.opened.age(clock) * 1000 >= self.expires_ms - self.opened.wall_ms


@dataclass(frozen=True, slots=True)
class Signing:
    """What one more signature led to: the approved intent, or how many there are of how many."""

    intent: Intent
    is_granted: bool
    collected: int
    needed: int


@dataclass(slots=True)
class _Turn:
    """Who previews one proposal at the moment, and how many have or want to."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0


def approvals_in(details: Mapping[str, Any]) -> int:
    """How many approvers the limits ask for, by what they said; one where they did not say."""
    told = details.get("approvals")
    return told if isinstance(told, int) and not isinstance(told, bool) and told > 1 else 1


class Decisions:
    """The decisions of one desk, at most one for each intent.

    Args:
        grant_ms: how long a decision, and the grant that comes of it, may be used.
    """

    def __init__(
        self,
        journal: Journal,
        clock: Clock,
        entropy: Entropy,
        kinds: Mapping[str, Verifier],
        grant_ms: int,
    ) -> None:
        self._journal = journal
        self._clock = clock
        self._entropy = entropy
        self._kinds = kinds
        self._grant_ms = grant_ms
        self._open: dict[str, OpenDecision] = {}
        self._turns: dict[str, _Turn] = {}

    async def open(
        self, engine: Engine, policy_text: str, policy_digest: str, intent_id: str
    ) -> OpenDecision:
        """The decision on an intent: a new one with a fresh preview, unless one is under way or a second old.

        Raises:
            ProposalRefusedError: INTENT_MOVED_ON: it does not wait for a decision, or the policy changed since the
                limits decided. JournalError, ExchangeMcpError: as `Engine.review`.
        """
        self._forget_the_past()
        async with self._turn(intent_id):
            intent = self._awaiting(self._journal.intent(intent_id), policy_digest)
            held = self._open.get(intent_id)
            if (
                held is not None
                and self._is_current(held, intent, policy_digest)
                and (held.signatures or held.opened.age(self._clock) < _FRESH_SECONDS)
            ):
                return held
            if sha256_of(policy_text) != policy_digest:
                raise refused("the policy's text is not the one that is in force")
            reviewed = await engine.review(intent_id)
            intent = self._awaiting(reviewed.intent, policy_digest)
            now = Moment.now(self._clock)
            decision = OpenDecision(
                intent=intent,
                ruling=reviewed.ruling,
                policy_text=policy_text,
                policy_digest=policy_digest,
                nonce=self._entropy.token(NONCE_BYTES).hex(),
                opened=now,
                expires_ms=min(now.wall_ms + self._grant_ms, intent.expires_ms),
                needed=max(self.needed(intent_id), approvals_in(reviewed.ruling.details)),
            )
            self._open[intent_id] = decision
            return decision

    def needed(self, intent_id: str) -> int:
        """How many approvers it takes by what the limits said when they decided."""
        return approvals_in(self._journal.permitted(intent_id))

    def signed_by(self, decision: OpenDecision) -> tuple[str, ...]:
        """Whose signatures count: of those who are still enrolled, with the same key."""
        enrolled = {approver.name: approver for approver in self._journal.approvers()}
        return tuple(
            name
            for name, signature in decision.signatures.items()
            if name in enrolled and _is_same_key(enrolled[name], signature.approver)
        )

    def sign(self, engine: Engine, policy_digest: str, message: SignedMessage) -> Signing:
        """Take one signature; with the last that is needed, the grant goes to the engine. Nothing is awaited.

        Raises:
            DeskError: SIGNATURE_REFUSED, with nothing done. ExchangeMcpError: the engine takes no grant now.
        """
        decision = next((one for one in self._open.values() if one.nonce == message.nonce), None)
        if decision is None:
            raise refused(
                "what it is over was opened again since, was decided, or is not of this run of the desk"
            )
        intent = self._journal.intent(decision.intent.id)
        statement = self._statement(decision, intent, policy_digest, message)
        approver = self._journal.approver(message.signature.approver)
        found = verified(self._kinds, approver, statement.hash(), message.signature.fields)
        if approver is None:
            raise refused("nobody of that name is enrolled as an approver")
        if approver.name in self.signed_by(decision):
            raise refused(
                f"{approver.name} signed this already; it takes {decision.needed} different approvers"
            )
        if found.counter is not None and found.counter > (approver.counter or 0):
            self._journal.count_approver(approver.name, found.counter)
        signature = Signature(approver, dict(message.signature.fields))
        kept = {"approver": approver.name, "nonce": decision.nonce, "of": statement.canonical()}
        self._journal.record(Note.SIGNATURE, kept, intent.id)
        decision.signatures[approver.name] = signature
        names = self.signed_by(decision)
        if len(names) < decision.needed:
            return Signing(intent, is_granted=False, collected=len(names), needed=decision.needed)
        grant = self._grant(decision, statement, intent, names)
        self.forget(intent.id)  # before: if the engine takes no grant now, it is opened and signed afresh
        approved = engine.approve(intent.id, grant)
        return Signing(approved, is_granted=True, collected=len(names), needed=decision.needed)

    def forget(self, intent_id: str) -> None:
        """Nothing that was opened of this intent can be signed any more."""
        self._open.pop(intent_id, None)

    def _statement(
        self, decision: OpenDecision, intent: Intent, policy_digest: str, message: SignedMessage
    ) -> Statement:
        """What has to have been signed, from what the desk holds now.

        Raises:
            DeskError: SIGNATURE_REFUSED: something is another than when it was shown, or than what came says.
        """
        if decision.is_over(self._clock):
            raise refused("its time is over")
        if intent.state is not State.PROPOSED:
            raise refused(f"intent {intent.id} is {intent.state} and waits for no decision")
        shown = decision.intent
        for what, now, then in (
            ("plan", intent.plan_text, shown.plan_text),
            ("preview", intent.preview_text, shown.preview_text),
            ("policy", policy_digest, decision.policy_digest),
            ("policy", intent.policy_digest, decision.policy_digest),
        ):
            if now != then:
                raise refused(f"the {what} is another one than when it was opened")
        body = grant_body(
            intent=intent.id,
            plan_text=intent.plan_text,
            preview_text=intent.preview_text,
            policy_digest=policy_digest,
        )
        if message.body != body:
            unlike = sorted(
                name for name in {*body, *message.body} if body.get(name) != message.body.get(name)
            )
            raise refused(f"it says another {', '.join(unlike)[:80]} than the desk shows")
        if message.expires_ms != decision.expires_ms:
            raise refused("it says another expiry than the desk gave")
        return Statement(
            purpose=Purpose.GRANT,
            desk_id=self._journal.desk.desk_id,
            nonce=decision.nonce,
            expires_ms=decision.expires_ms,
            body=body,
        )

    def _grant(
        self, decision: OpenDecision, statement: Statement, intent: Intent, names: tuple[str, ...]
    ) -> Grant:
        record = {
            "statement": statement.canonical(),
            "signatures": [
                {
                    "approver": name,
                    "kind": decision.signatures[name].approver.kind,
                    "public": decision.signatures[name].approver.public,
                    "fields": decision.signatures[name].fields,
                }
                for name in names
            ],
        }
        return Grant(
            nonce=decision.nonce,
            plan_digest=sha256_of(intent.plan_text),
            preview_digest=sha256_of(intent.preview_text),
            policy_digest=decision.policy_digest,
            expires_ms=decision.expires_ms,
            approvers=names,
            record=canonical_json(record),
        )

    def _awaiting(self, intent: Intent, policy_digest: str) -> Intent:
        if intent.state is not State.PROPOSED:
            raise ProposalRefusedError(
                ErrorCode.INTENT_MOVED_ON,
                f"intent {intent.id} is {intent.state} and waits for no decision: {intent.reason}",
                intent_id=intent.id,
            )
        if intent.policy_digest != policy_digest:
            raise ProposalRefusedError(
                ErrorCode.INTENT_MOVED_ON,
                f"intent {intent.id} was not decided by the policy that is in force; it has to be proposed again",
                intent_id=intent.id,
            )
        return intent

    def _is_current(self, decision: OpenDecision, intent: Intent, policy_digest: str) -> bool:
        return (
            not decision.is_over(self._clock)
            and decision.policy_digest == policy_digest
            and (decision.intent.plan_text, decision.intent.preview_text)
            == (intent.plan_text, intent.preview_text)
        )

    def _forget_the_past(self) -> None:
        self._open = {key: one for key, one in self._open.items() if not one.is_over(self._clock)}

    @asynccontextmanager
    async def _turn(self, intent_id: str) -> AsyncGenerator[None]:
        """One after another. Kept while anybody has it or waits: a lock is free for a moment between two of them."""
        turn = self._turns.setdefault(intent_id, _Turn())
        turn.users += 1
        try:
            async with turn.lock:
                yield
        finally:
            turn.users -= 1
            if not turn.users:
                del self._turns[intent_id]


def _is_same_key(one: Approver, other: Approver) -> bool:
    return (one.kind, one.public) == (other.kind, other.public)
