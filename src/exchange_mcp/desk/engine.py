"""The desk's engine: proposals in, at most one send each, and nothing forgotten. It owns every task it starts.

Callers only ask and wait. One that goes away, is cancelled or crashes changes nothing: a proposal stays until it is
decided, expires or is retracted, and a send with its record runs in a task of the engine's own.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace

from exchange_mcp.config.logs import get_logger
from exchange_mcp.desk.dispatcher import Dispatcher
from exchange_mcp.desk.intents import State
from exchange_mcp.desk.journal import Journal, Note
from exchange_mcp.desk.journal_errors import UnrecordedHaltError
from exchange_mcp.desk.pace import Pace
from exchange_mcp.desk.ports import DeskVenue, Judge, LimitRuling, Limits, Planned
from exchange_mcp.desk.read_back import ReadBack
from exchange_mcp.desk.reconciler import Reconciler
from exchange_mcp.desk.records import (
    Grant,
    Intent,
    Origin,
    Proposal,
    Proposed,
    Recovered,
    Repeated,
    Signed,
    Taken,
)
from exchange_mcp.desk.repeats import About
from exchange_mcp.desk.station import Station
from exchange_mcp.desk.tasks import OwnedTasks
from exchange_mcp.desk.waiting import Waiters
from exchange_mcp.desk.watch import Watch
from exchange_mcp.model.accounts import AccountName
from exchange_mcp.model.client_ids import desk_tag, new_client_order_id
from exchange_mcp.model.errors import (
    ExchangeMcpError,
    JournalError,
    KeyRefusedError,
    StoppingError,
    UnknownAccountError,
    WritesClosedError,
)
from exchange_mcp.model.ports import Clock, Entropy

_log = get_logger(__name__)
_ID_BYTES = 16
# What a start has to look at.
_LEFT = (State.PROPOSED, State.ACCEPTED, State.UNKNOWN, State.ABSENT)
_UNDECIDED = frozenset({State.PROPOSED, State.APPROVED, State.DISPATCHING})


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What a client asks for.

    Attributes:
        proposal_id: the client's own, minted before it first asks, and the same when it asks again for want of an
            answer.
        request: what the account's venue plans from. request_digest: of it, in hex.
        distinct_from: an earlier intent that this is knowingly not.
        about: the request in the journal's terms, by which a repeat is known even where it cannot be planned.
        note: what it writes to the approver.
    """

    proposal_id: str
    client: str
    account: AccountName
    request: object
    request_digest: str
    origin: Origin = Origin.CLIENT
    distinct_from: str | None = None
    about: About | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A proposal with the preview that is shown now, and what the limits say to that."""

    intent: Intent
    ruling: LimitRuling


class _Hands:
    """What works for one account."""

    def __init__(self, station: Station) -> None:
        self.station = station
        self.watch = Watch(station)
        self.dispatcher = Dispatcher(station, self.watch)
        self.read_back = ReadBack(station)
        self.reconciler = Reconciler(station)


class Engine:
    """The engine over one journal.

    `expires_ms` is how long a proposal waits for a decision; `unopened` are accounts that the desk holds and has no
    venue for, each with the reason.
    """

    def __init__(  # noqa: PLR0913 - its ports
        self,
        *,
        journal: Journal,
        venues: Mapping[AccountName, DeskVenue],
        limits: Limits,
        judge: Judge,
        clock: Clock,
        entropy: Entropy,
        pace: Pace | None = None,
        expires_ms: int = 600_000,
        unopened: Mapping[AccountName, str] | None = None,
    ) -> None:
        self._journal = journal
        self._limits = limits
        self._clock = clock
        self._entropy = entropy
        self._pace = pace or Pace()
        self._expires_ms = expires_ms
        self._unopened = unopened or {}
        self._waiters = Waiters()
        self._tasks = OwnedTasks(self._failed)
        self._fault: str | None = None
        self._stopped_by: str | None = None
        self._hands = {
            account: _Hands(
                Station(
                    account=account,
                    venue=venue,
                    journal=journal,
                    limits=limits,
                    judge=judge,
                    clock=clock,
                    pace=self._pace,
                    tasks=self._tasks,
                    moved=self._moved,
                )
            )
            for account, venue in venues.items()
        }

    # Starting and stopping.

    def start(self) -> None:
        """Take up what the last run left; each account opens for writes once its own past was looked at. Sends nothing.

        Raises:
            JournalError: the journal takes no record.
        """
        self._take_up(self._journal.recover())
        for hands in self._hands.values():
            self._tasks.may_be_cut(self._open(hands), f"opening {hands.station.account}")
        self._tasks.may_be_cut(self._expire(), "expiry")
        self._tasks.may_be_cut(self._checkpoints(), "checkpoints")

    def _take_up(self, recovered: Recovered) -> None:
        """Say what the last run left. Nothing of it is sent: what was on its way is looked for."""
        for intent in recovered.unknown:
            _log.warning("claimed before the restart, outcome unknown", intent=intent.id)
        for intent in recovered.lapsed:
            _log.warning("approved before the restart, lapsed", intent=intent.id)

    async def stop(self, reason: str = "The desk is being shut down.") -> None:
        """Take nothing more, wait for every send that is under way to be recorded, then end."""
        self._stopped_by = reason
        for hands in self._hands.values():
            hands.dispatcher.refusal = hands.dispatcher.refusal or reason
        await self._tasks.stop()

    async def _open(self, hands: _Hands) -> None:
        """Look at the past of one account, and then accept its writes."""
        station, undecided = hands.station, list[Intent]()
        watched_since_ms = self._clock.now_ms() - self._pace.watched_ms
        for intent in self._journal.in_states(*_LEFT, account=station.account):
            match intent.state:
                case State.ACCEPTED:
                    await hands.read_back.run(intent.id)
                case State.UNKNOWN:
                    if await hands.reconciler.look(intent.id) is not None:
                        self._follow(hands, intent)
                case State.ABSENT:
                    if intent.changed_ms >= watched_since_ms:
                        self._follow(hands, intent)
                case _:
                    undecided.append(intent)
        await self._first_sweep(hands)
        for intent in undecided:
            if intent.policy_digest is None:
                await self._decide_late(hands, intent)
        station.closed = None
        self._tasks.may_be_cut(hands.watch.run(), f"watch over {station.account}")

    async def _first_sweep(self, hands: _Hands) -> None:
        """See everything on the key, however often its venue has to be asked."""
        while True:
            try:
                await hands.watch.sweep()
            except JournalError:
                raise
            except ExchangeMcpError as error:
                hands.station.closed = _unseen(error)
                await asyncio.sleep(self._pace.sweep)
            else:
                return

    async def _decide_late(self, hands: _Hands, intent: Intent) -> None:
        """Let the limits decide on what was recorded by a desk that died before they could."""
        try:
            planned = await hands.station.venue.recheck(intent.plan)
        except JournalError:
            raise
        except ExchangeMcpError as error:
            _log.warning("a proposal is left to expire", intent=intent.id, error=error.message)
            return
        if self._journal.intent(intent.id).state is State.PROPOSED:
            self._decided(intent, planned)

    # What clients ask.

    async def propose(self, ask: Ask) -> Proposed:
        """Record what a client asks for (C1) and let the limits decide; or the intent that it asked for before.

        Raises:
            WritesClosedError, StoppingError: no write is accepted at the moment.
            UnknownAccountError: the desk does not hold this account.
            JournalError: the journal takes no record.
            ExchangeMcpError: it cannot be planned, and is not known to be a repeat or in the way of an unknown outcome.
        """
        hands = self._accepting(ask.account)
        before = self._journal.intent_of_proposal(ask.proposal_id)
        if before is not None and (before.client, before.request_digest) == (ask.client, ask.request_digest):
            return Repeated(before)
        venue = hands.station.venue
        client_order_id = new_client_order_id(
            desk_tag(self._journal.desk.tag), self._entropy, venue.longest_client_id
        )
        try:
            planned = await venue.plan(ask.request, client_order_id)
        except ExchangeMcpError as error:
            self._journal.record(Note.UNPLANNED, _unplanned(ask, error))
            known = None if ask.about is None else self._journal.known(ask.about)
            if known is None:
                raise
            return known
        self._accepting(ask.account)
        proposed = self._journal.propose(
            Proposal(
                intent_id=self._entropy.token(_ID_BYTES).hex(),
                proposal_id=ask.proposal_id,
                client=ask.client,
                origin=ask.origin,
                request_digest=ask.request_digest,
                plan=planned.plan,
                preview=_preview(planned),
                effect=planned.footing.effect,
                worst_notional=planned.footing.worst_case,
                currency=self._limits.currency,
                expires_ms=self._clock.now_ms() + self._expires_ms,
                distinct_from=self._distinct_from(ask),
                note=ask.note,
            )
        )
        if not isinstance(proposed, Taken):
            return proposed
        return replace(proposed, intent=self._decided(proposed.intent, planned))

    def _distinct_from(self, ask: Ask) -> str | None:
        """What the client says it knows. That an answer was given, or read, says nothing of whether it arrived."""
        return ask.distinct_from

    def _decided(self, intent: Intent, planned: Planned) -> Intent:
        now_ms = self._clock.now_ms()
        ruling = self._limits.rule(planned, self._journal.counted(intent, now_ms), now_ms)
        decided = self._journal.decide(
            intent.id,
            is_permitted=ruling.is_allowed,
            policy_digest=self._limits.digest,
            decision=ruling.details,
            reason=ruling.reason,
        )
        self._moved(decided)
        return decided

    async def present(self, intent_id: str) -> Intent:
        """Preview a proposal afresh and record that preview, which is what an approver sees and a grant binds.

        Raises:
            JournalError: it is not waiting for a decision. ExchangeMcpError: it could not be previewed.
        """
        return (await self.review(intent_id)).intent

    async def review(self, intent_id: str) -> Reviewed:
        """As `present`, and what the limits would say to it now; they say it again, and it counts, in the claim."""
        intent = self._journal.intent(intent_id)
        planned = await self._accepting(intent.account).station.venue.recheck(intent.plan)
        if planned.plan.canonical() != intent.plan_text:
            raise WritesClosedError(f"the venue would be sent another request than intent {intent_id} says")
        shown, now_ms = self._journal.show(intent_id, _preview(planned)), self._clock.now_ms()
        return Reviewed(shown, self._limits.rule(planned, self._journal.counted(shown, now_ms), now_ms))

    def retract(self, intent_id: str, client: str) -> Intent:
        """Take back what this client proposed, while nothing of it was sent.

        Raises:
            JournalError: it is not this client's, or has gone too far.
        """
        retracted = self._journal.retract(intent_id, client=client)
        self._moved(retracted)
        return retracted

    def read(self, intent_id: str) -> Intent:
        """The intent as it stands; reading changes nothing and counts as nothing.

        Raises:
            JournalError: there is no such intent, or the journal cannot be read.
        """
        return self._journal.intent(intent_id)

    async def outcome(self, intent_id: str) -> Intent:
        """The intent, as soon as its outcome is recorded (C4), or it ended without being sent.

        Raises:
            JournalError: there is no such intent.
        """
        return await self._past(intent_id, _UNDECIDED)

    async def settled(self, intent_id: str) -> Intent:
        """The intent, as soon as it has an outcome and an accepted one was read back; raises as `outcome`."""
        return await self._past(intent_id, _UNDECIDED | {State.ACCEPTED})

    async def _past(self, intent_id: str, states: frozenset[State]) -> Intent:
        intent = self._journal.intent(intent_id)
        while intent.state in states:
            intent = await self._waiters.moved(intent_id)
        return intent

    # What people decide. Signatures were verified before they come here.

    def approve(self, intent_id: str, grant: Grant) -> Intent:
        """Record a verified grant (C2) and dispatch in a task of the engine's own.

        Raises:
            WritesClosedError, StoppingError: no write is accepted at the moment.
            JournalError: the grant does not fit, or is spent, or the intent was decided before.
        """
        hands = self._accepting(self._journal.intent(intent_id).account)
        approved = self._journal.grant(intent_id, grant)
        self._moved(approved)
        self._tasks.must_end(hands.dispatcher.dispatch(intent_id, grant.nonce), f"dispatch of {intent_id}")
        return approved

    def decline(self, intent_id: str, by: str, note: str = "") -> Intent:
        """Record that a person said no."""
        declined = self._journal.decline(intent_id, by=by, note=note)
        self._moved(declined)
        return declined

    def resolve(self, intent_id: str, state: State, note: str, signed: Signed) -> Intent:
        """Record what an approver says became of an unknown."""
        resolved = self._journal.resolve(intent_id, state, signed, note)
        self._moved(resolved)
        return resolved

    def halt(self, account: AccountName | None, by: str, reason: str) -> None:
        """Stop every claim of one account, or of the desk; in force from its commit on.

        Raises:
            UnknownAccountError: the desk holds no such account, so that nothing would be stopped.
            UnrecordedHaltError: it is not recorded; what it was to stop is stopped until a restart.
        """
        if account is not None and account not in self._hands and account not in self._unopened:
            raise UnknownAccountError(
                f"the desk holds no account {account}; nothing is halted",
                hint="exchange-mcp status has the names.",
            )
        try:
            self._journal.halt(account, by=by, reason=reason)
        except JournalError as error:
            # Somebody wants it to stop now; a disk that has room again in a minute is no consent.
            self._failed(f"A halt could not be recorded: {error.message}")
            raise UnrecordedHaltError(error) from None

    def waiting(self) -> Mapping[str, str]:
        """The unknown intents that wait for a person to resolve them, and what could not be proved of each."""
        return {
            intent_id: reason
            for hands in self._hands.values()
            for intent_id, reason in hands.reconciler.asked.items()
        }

    @property
    def fault(self) -> str | None:
        """Why this engine accepts no more writes, whatever happens; None where it does."""
        return self._fault

    def closed(self, account: AccountName) -> str | None:
        """Why no write of this account is accepted at the moment; None where it is."""
        hands = self._hands.get(account)
        if hands is None:
            return self._unopened.get(account, "The desk does not hold it.")
        return self._fault or hands.station.closed

    # Inside.

    def _accepting(self, account: AccountName) -> _Hands:
        hands = self._hands.get(account)
        if hands is None and account in self._unopened:
            raise WritesClosedError(f"no write of {account} is accepted: {self._unopened[account]}")
        if hands is None:
            raise UnknownAccountError(f"the desk holds no account {account}")
        if self._stopped_by is not None:
            raise StoppingError(self._stopped_by)
        reason = self._fault or hands.station.closed
        if reason is not None:
            raise WritesClosedError(f"no write of {account} is accepted: {reason}")
        return hands

    def _moved(self, intent: Intent) -> None:
        self._waiters.tell(intent)
        hands = self._hands.get(intent.account)
        if hands is not None:
            if intent.state is not State.UNKNOWN:
                hands.reconciler.forget(intent.id)
            self._follow(hands, intent)

    def _follow(self, hands: _Hands, intent: Intent) -> None:
        """Start what an intent in this state needs next."""
        match intent.state:
            case State.ACCEPTED:
                self._tasks.may_be_cut(hands.read_back.run(intent.id), f"read back of {intent.id}")
            case State.UNKNOWN:
                self._tasks.may_be_cut(hands.reconciler.run(intent.id), f"reconciling {intent.id}")
            case State.ABSENT if intent.action == "place":
                self._tasks.may_be_cut(hands.watch.follow(intent.id), f"watch for {intent.id}")
            case _:
                pass

    async def _expire(self) -> None:
        while True:
            await asyncio.sleep(self._pace.tick)
            for intent in self._journal.expire_due():
                self._moved(intent)

    async def _checkpoints(self) -> None:
        while True:
            await asyncio.sleep(self._pace.checkpoint)
            self._journal.checkpoint_if_due()

    def _failed(self, what: str) -> None:
        # Whatever it was, an outcome may be unrecorded; the next start finds it and looks.
        self._fault = f"{what}; the desk has to be restarted."
        for hands in self._hands.values():
            hands.dispatcher.refusal = self._fault
        _log.error("the desk accepts no more writes", reason=self._fault)


def _unseen(error: ExchangeMcpError) -> str:
    """Why an account stays closed after the start."""
    if isinstance(error, KeyRefusedError):
        return f"{error.message} {error.next_step}"
    return f"Its venue did not answer after the start: {error.message}"


def _preview(planned: Planned) -> dict[str, object]:
    return {"footing": planned.footing.as_object(), "shown": planned.preview}


def _unplanned(ask: Ask, error: ExchangeMcpError) -> dict[str, object]:
    return {
        "proposal_id": ask.proposal_id,
        "client": ask.client,
        "account": ask.account,
        "request_digest": ask.request_digest,
        "code": error.code,
    }
