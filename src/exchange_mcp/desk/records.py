"""What goes into the journal and what comes out: plain records, decimals exact, times in UTC milliseconds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Final

from exchange_mcp.desk.intents import State
from exchange_mcp.desk.repeats import IsRefused
from exchange_mcp.model.accounts import AccountName
from exchange_mcp.model.outcomes import Action
from exchange_mcp.model.plan_text import read_plan
from exchange_mcp.model.plans import WirePlan
from exchange_mcp.model.positions import EffectClass


class Origin(StrEnum):
    """Which socket a proposal came in by."""

    CLIENT = "client"
    OPERATOR = "operator"


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What runs, as the first event of a journal and every later start say it; hex digests.

    Attributes:
        key_scopes: by account name, what its key was found to be able to do, as far as known.
    """

    version: str
    policy_digest: str
    matrix_digest: str
    key_scopes: Mapping[str, Mapping[str, object]] = field(default_factory=dict[str, Mapping[str, object]])


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A planned proposal, to be recorded before policy decides and before anyone sees it.

    Attributes:
        intent_id: ours, unguessable; whoever knows it was told.
        proposal_id: the proposer's, the same when it asks again because an answer was lost.
        request_digest: of what was asked; one proposal id with two of them is an error.
        preview: what the plan would do; anything that `canonical_json` takes.
        effect: None for a cancel or a leverage change.
        worst_notional: the most that it may cost, in `currency`; None where nothing is bought or sold.
        expires_ms: until when somebody may decide.
        distinct_from: an earlier intent that this one is knowingly not.
        note: what the proposer writes to the approver; untrusted, and no part of what is decided.
    """

    intent_id: str
    proposal_id: str
    client: str
    origin: Origin
    request_digest: str
    plan: WirePlan
    preview: Mapping[str, object]
    effect: EffectClass | None
    worst_notional: Decimal | None
    currency: str
    expires_ms: int
    distinct_from: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """What an approver signed, verified before it comes here; the journal keeps it and takes a nonce once."""

    approver: str
    nonce: str
    record: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """A verified approval of one plan and one preview under one policy, for a short time.

    Attributes:
        plan_digest, preview_digest, policy_digest: what was signed; they must be the intent's own.
        approvers: distinct names, as many as policy asked for.
        record: the signed text with its signatures, opaque here.
    """

    nonce: str
    plan_digest: str
    preview_digest: str
    policy_digest: str
    expires_ms: int
    approvers: tuple[str, ...]
    record: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What a claim states besides its intent.

    Attributes:
        nonce: of the grant that it spends.
        latest_ms: the last venue time at which the venue may still take the request.
        venue_ahead_ms: venue time minus our clock.
        policy_digest: of the policy in force now.
        recheck: what was read again just before, for the record.
        worst_notional: the most that the write may cost as read again, in the intent's currency; the larger of this
            and what was proposed is reserved.
    """

    nonce: str
    latest_ms: int
    venue_ahead_ms: int
    policy_digest: str
    recheck: Mapping[str, object] = field(default_factory=dict[str, object])
    worst_notional: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """What policy counts, as the journal has it. Unknown outcomes count at their worst case, however old.

    Attributes:
        notional_24h: by currency: claimed in the last 24 hours and not proved to have placed nothing; what the venue
            holds to reducing is left out, since it can always leave a position.
        orders_last_minute: claimed orders, whatever became of them.
        orders_24h: the same of the last 24 hours.
        in_flight: claimed, outcome not recorded yet. unknown: outcome not known.
    """

    notional_24h: Mapping[str, Decimal]
    orders_last_minute: int
    orders_24h: int
    in_flight: int
    unknown: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """The counters of everything that covers one write: its account, the whole desk, its market on all accounts."""

    account: Counters
    desk: Counters
    market: Counters


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """The durable record of one write, as it stands now.

    Attributes:
        seq: of the event that recorded it. changed_ms: when it came into this state.
        client_order_id: ours, of an order; None for a cancel or a leverage change.
        latest_ms: as claimed, venue time. order_id: the venue's own, once known.
        reason: why it is in this state, for a person.
        resolved_by, note: of the approver that resolved an unknown.
    """

    id: str
    seq: int
    proposal_id: str
    client: str
    origin: Origin
    request_digest: str
    account: AccountName
    venue: str
    key_id: str
    action: Action
    underlying: str
    market_id: str
    side: str | None
    effect: EffectClass | None
    is_reduce_only: bool
    fingerprint: str
    client_order_id: str | None
    plan_text: str
    plan_digest: str
    preview_text: str
    preview_digest: str
    worst_notional: Decimal | None
    currency: str
    distinct_from: str | None
    created_ms: int
    expires_ms: int
    state: State
    changed_ms: int
    policy_digest: str | None
    claimed_ms: int | None
    latest_ms: int | None
    order_id: str | None
    reason: str
    resolved_by: str | None
    note: str | None

    @property
    def plan(self) -> WirePlan:
        """The plan, read from its own text; that text is what was approved and what is sent."""
        return read_plan(self.plan_text)


@dataclass(frozen=True, slots=True)
class Taken:
    """The proposal is recorded. `similar_id` names the latest order like it, for the approver's screen."""

    intent: Intent
    similar_id: str | None = None
    similar_created_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Repeated:
    """It is this intent, proposed before."""

    intent: Intent


Proposed = Taken | Repeated | IsRefused


LONGEST_REASON: Final = 2_000
"""Of all that one halt stands for, in characters."""


@dataclass(frozen=True, slots=True)
class Halt:
    """A halt in force: of one account, or of the whole desk where `account` is None."""

    account: AccountName | None
    at_ms: int
    by: str
    reason: str

    @property
    def what(self) -> str:
        """What is halted, in words: the desk, or which account."""
        return "the desk" if self.account is None else f"account {self.account}"


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of the log. `text` is its canonical JSON; `hash` is hex and covers the text and `prev`."""

    seq: int
    at_ms: int
    kind: str
    intent: str | None
    text: str
    prev: str
    hash: str


@dataclass(frozen=True, slots=True)
class Head:
    """The last event: its number, hash and time; number 0 and `GENESIS_PREV` in a log that has none."""

    seq: int
    hash: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Identity:
    """Whose journal it is.

    Attributes:
        desk_id: random, for the life of the desk. tag: what its client order ids carry; a journal that is
            adopted gets another one. epoch: how often it was opened.
    """

    desk_id: str
    tag: str
    epoch: int


@dataclass(frozen=True, slots=True)
class Recovered:
    """What a start found and moved on: claimed without an outcome, and approved before the restart."""

    unknown: tuple[Intent, ...]
    lapsed: tuple[Intent, ...]
    expired: tuple[Intent, ...]
