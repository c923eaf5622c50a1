"""Is this proposal a new one? A model that lost an answer asks again, and at the price of the moment. Pure.

The journal asks this inside the transaction that records the proposal, over every earlier intent of the same
account and underlying that can matter, so that two proposals cannot both be the first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from exchange_mcp.desk.intents import LIVE, MAY_HAVE_PLACED, State
from exchange_mcp.model.accounts import AccountName
from exchange_mcp.model.errors import Retry
from exchange_mcp.model.outcomes import Action

# Whatever is in another state has no say in whether a proposal is new.
MATTERS: Final = LIVE | MAY_HAVE_PLACED | {State.DECLINED}


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatLimits:
    """How long and how many.

    Attributes:
        window_ms: how long an intent that placed something, or may have, stays in the way of a repeat.
        decline_pause_ms: how long what a person declined is not asked again.
        most_pending: undecided proposals a client.
    """

    window_ms: int = 86_400_000
    decline_pause_ms: int = 600_000
    most_pending: int = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked, as far as it decides whether it is new.

    Attributes:
        side: None where it is no order.
        is_reduce_only: whether the venue itself holds the order to reducing.
        distinct_from: the id of an earlier intent that the proposer knows and says this one is not.
        pending: undecided proposals of the same client now.
    """

    action: Action
    fingerprint: str
    side: str | None
    is_reduce_only: bool
    distinct_from: str | None
    pending: int


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a request is about, as far as its own words say it, without its venue.

    Attributes:
        request_digest: of those words, in hex. underlying: the base asset. The others are as in `Asked`.
    """

    account: AccountName
    underlying: str
    request_digest: str
    action: Action
    side: str | None
    is_reduce_only: bool
    distinct_from: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """An earlier intent of the same account and underlying; `seq` orders them by when they were proposed."""

    id: str
    seq: int
    action: Action
    state: State
    fingerprint: str
    side: str | None
    created_ms: int
    changed_ms: int


class Refusal(StrEnum):
    """Why a proposal is not taken."""

    SIMILAR = "similar"
    UNKNOWN = "unknown"
    PENDING = "pending"
    DECLINED = "declined"

    @property
    def retry(self) -> Retry:
        """What the proposer may do: only what an unknown blocks is worth asking again after reconciling."""
        return "after_reconcile" if self is Refusal.UNKNOWN else "never"


@dataclass(frozen=True, slots=True)
class IsNew:
    """It is a new proposal. `similar` is the latest order like it, for the approver's screen."""

    similar: Earlier | None = None


@dataclass(frozen=True, slots=True)
class IsSame:
    """It is that earlier intent, asked for again."""

    id: str


@dataclass(frozen=True, slots=True)
class IsRefused:
    """It is not taken; `id` is the intent in its way, if one is, and `until_ms` when the pause ends."""

    reason: Refusal
    message: str
    id: str | None = None
    until_ms: int | None = None


Ruling = IsNew | IsSame | IsRefused


def rule(asked: Asked, earlier: Sequence[Earlier], now_ms: int, limits: RepeatLimits) -> Ruling:
    """What a proposal is, given what came before it on the same account and underlying.

    Naming an intent in `distinct_from` covers every similar one proposed before it, for whoever proposed that
    one knew of them. What was proposed after it was not covered: its answer may be the one that was lost.
    """
    in_the_way = sorted(
        (one for one in earlier if _stands_in_the_way(one, asked, now_ms, limits)), key=lambda one: one.seq
    )
    named = next((one.seq for one in in_the_way if one.id == asked.distinct_from), None)
    uncovered = [one for one in in_the_way if named is None or one.seq > named]
    same = next((one for one in reversed(uncovered) if one.fingerprint == asked.fingerprint), None)
    if same is not None:
        return IsSame(same.id)
    blocked = blocked_by_unknown(asked, earlier)
    if blocked is None and uncovered:
        return _similar(uncovered[-1], now_ms)
    return (
        blocked
        or _declined(asked, earlier, now_ms, limits)
        or _pending(asked, limits)
        or IsNew(in_the_way[-1] if in_the_way else None)
    )


def rule_unplanned(
    about: About, earlier: Sequence[Earlier], now_ms: int, limits: RepeatLimits
) -> IsSame | IsRefused | None:
    """What a proposal that cannot be planned is known to be: the same again, or blocked by what is unknown.

    In place of a fingerprint, `earlier` has the digest of each request's words: where two differ, that says nothing.
    """
    asked = Asked(
        action=about.action,
        fingerprint=about.request_digest,
        side=about.side,
        is_reduce_only=about.is_reduce_only,
        distinct_from=about.distinct_from,
        pending=0,
    )
    ruling = rule(asked, earlier, now_ms, limits)
    return ruling if isinstance(ruling, IsSame) else blocked_by_unknown(asked, earlier)


def blocked_by_unknown(asked: Asked, earlier: Sequence[Earlier]) -> IsRefused | None:
    """The refusal of whatever could add to an outcome that is unknown, the leverage included.

    Cancels remain, and orders that the venue itself holds to reducing. An order that merely would reduce, by
    the position as it was read, is not one of them: the unknown order may have changed that position.
    """
    if asked.action == "cancel" or asked.is_reduce_only:
        return None
    unknown = next((one for one in earlier if one.state is State.UNKNOWN), None)
    if unknown is None:
        return None
    return IsRefused(
        Refusal.UNKNOWN,
        f"the outcome of intent {unknown.id} is not known yet; until it is, nothing that could add to it is"
        " taken on this account and asset",
        id=unknown.id,
    )


def _stands_in_the_way(one: Earlier, asked: Asked, now_ms: int, limits: RepeatLimits) -> bool:
    if asked.action != "place":  # a state to be reached: done again it is the same, unless it is under way
        return one.fingerprint == asked.fingerprint and one.state in LIVE
    is_similar = one.action == "place" and one.side == asked.side
    if not is_similar:
        return False
    return one.state in LIVE or (one.state in MAY_HAVE_PLACED and now_ms - one.changed_ms < limits.window_ms)


def _similar(one: Earlier, now_ms: int) -> IsRefused:
    return IsRefused(
        Refusal.SIMILAR,
        f"intent {one.id} is an order on the same account, asset and side, proposed"
        f" {minutes_ago(one.created_ms, now_ms)} and now {one.state}; to add another, name it in distinct_from",
        id=one.id,
    )


def minutes_ago(then_ms: int, now_ms: int) -> str:
    """The age in whole minutes: "4 minutes ago"."""
    minutes = max(0, now_ms - then_ms) // 60_000
    return f"{minutes} minute{'' if minutes == 1 else 's'} ago"


def _declined(
    asked: Asked, earlier: Sequence[Earlier], now_ms: int, limits: RepeatLimits
) -> IsRefused | None:
    declined = [
        one for one in earlier if one.state is State.DECLINED and one.fingerprint == asked.fingerprint
    ]
    latest = max(declined, key=lambda one: one.changed_ms, default=None)
    if latest is None or now_ms - latest.changed_ms >= limits.decline_pause_ms:
        return None
    until_ms = latest.changed_ms + limits.decline_pause_ms
    seconds = (until_ms - now_ms + 999) // 1000
    return IsRefused(
        Refusal.DECLINED,
        f"a person declined intent {latest.id}; the same is not asked again for another {seconds} s",
        id=latest.id,
        until_ms=until_ms,
    )


def _pending(asked: Asked, limits: RepeatLimits) -> IsRefused | None:
    if asked.pending < limits.most_pending:
        return None
    return IsRefused(
        Refusal.PENDING,
        f"{asked.pending} proposals of this client wait for a decision already; retract one or wait",
    )
