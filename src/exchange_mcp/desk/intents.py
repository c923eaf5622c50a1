"""The states of an intent and every way from one to another: one table. Pure; what is not listed raises.

`docs/intents.md` is drawn from this table, and a test says so.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from exchange_mcp.model.outcomes import Action


class State(StrEnum):
    """Where an intent stands."""

    PROPOSED = "proposed"
    DENIED = "denied"
    DECLINED = "declined"
    EXPIRED = "expired"
    RETRACTED = "retracted"
    APPROVED = "approved"
    LAPSED = "lapsed"
    DISPATCHING = "dispatching"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    NOT_SENT = "not_sent"
    UNKNOWN = "unknown"
    PLACED = "placed"
    ABSENT = "absent"
    CANCELED = "canceled"
    TOO_LATE = "too_late"
    SET = "set"
    NOT_SET = "not_set"


class Cause(StrEnum):
    """What moves an intent on; each is also the kind of the event that says so."""

    DENIED = "denied"
    DECLINED = "declined"
    EXPIRED = "expired"
    RETRACTED = "retracted"
    GRANTED = "granted"
    LAPSED = "lapsed"
    CLAIMED = "claimed"
    SETTLED = "settled"
    RECOVERED = "recovered"
    READ_BACK = "read_back"
    RECONCILED = "reconciled"
    RESOLVED = "resolved"
    FOUND_LATE = "found_late"


class UnlistedTransitionError(Exception):
    """The table has no such transition; whoever asked for it is wrong, and nothing was changed."""


@dataclass(frozen=True, slots=True)
class Transition:
    """From `start`, this cause may lead to each of `ends`, for intents of these actions.

    Attributes:
        meaning: when it happens, for the documents.
    """

    cause: Cause
    start: State
    ends: tuple[State, ...]
    meaning: str
    actions: tuple[Action, ...] = ("place", "cancel", "leverage")


_PLACE: Final[tuple[Action, ...]] = ("place",)
_CANCEL: Final[tuple[Action, ...]] = ("cancel",)
_LEVERAGE: Final[tuple[Action, ...]] = ("leverage",)

TRANSITIONS: Final = (
    Transition(Cause.DENIED, State.PROPOSED, (State.DENIED,), "policy forbids it, or permits it nowhere"),
    Transition(Cause.DECLINED, State.PROPOSED, (State.DECLINED,), "a person said no"),
    Transition(Cause.EXPIRED, State.PROPOSED, (State.EXPIRED,), "nobody decided in time"),
    Transition(Cause.RETRACTED, State.PROPOSED, (State.RETRACTED,), "its proposer took it back"),
    Transition(Cause.GRANTED, State.PROPOSED, (State.APPROVED,), "approvers signed this plan and preview"),
    Transition(Cause.RETRACTED, State.APPROVED, (State.RETRACTED,), "its proposer took it back"),
    Transition(
        Cause.LAPSED,
        State.APPROVED,
        (State.LAPSED,),
        "effect or quote drifted, the policy changed, a halt, a restart, or the grant's time was up",
    ),
    Transition(
        Cause.CLAIMED,
        State.APPROVED,
        (State.DISPATCHING,),
        "grant spent, limits reserved, no halt; committed before the first byte",
    ),
    Transition(
        Cause.SETTLED,
        State.DISPATCHING,
        (State.ACCEPTED, State.REJECTED, State.NOT_SENT, State.UNKNOWN),
        "the verdict on the one send",
    ),
    Transition(
        Cause.RECOVERED, State.DISPATCHING, (State.UNKNOWN,), "a restart found it so; it is never sent again"
    ),
    Transition(
        Cause.READ_BACK,
        State.ACCEPTED,
        (State.PLACED, State.UNKNOWN),
        "looked for at the venue after it was accepted",
        _PLACE,
    ),
    Transition(
        Cause.READ_BACK,
        State.ACCEPTED,
        (State.CANCELED, State.TOO_LATE, State.UNKNOWN),
        "the order's state after the cancel was accepted",
        _CANCEL,
    ),
    Transition(
        Cause.READ_BACK,
        State.ACCEPTED,
        (State.SET, State.NOT_SET, State.UNKNOWN),
        "the leverage after the change was accepted",
        _LEVERAGE,
    ),
    *(
        transition
        for cause, meaning in (
            (Cause.RECONCILED, "proved by reading"),
            (Cause.RESOLVED, "an approver says so, with a note"),
        )
        for transition in (
            Transition(cause, State.UNKNOWN, (State.PLACED, State.ABSENT), meaning, _PLACE),
            Transition(
                cause, State.UNKNOWN, (State.CANCELED, State.TOO_LATE, State.ABSENT), meaning, _CANCEL
            ),
            Transition(cause, State.UNKNOWN, (State.SET, State.NOT_SET), meaning, _LEVERAGE),
        )
    ),
    *(
        Transition(
            Cause.FOUND_LATE,
            start,
            (State.PLACED,),
            "the order turned up all the same, and the account halts",
            _PLACE,
        )
        for start in (State.ABSENT, State.NOT_SENT, State.REJECTED)
    ),
)

_EDGES: Final = frozenset(
    (action, row.cause, row.start, end) for row in TRANSITIONS for action in row.actions for end in row.ends
)

# Undecided, on its way, or with an outcome that is not known.
LIVE: Final = frozenset({State.PROPOSED, State.APPROVED, State.DISPATCHING, State.ACCEPTED, State.UNKNOWN})

# Whose order is at the venue, or may turn up there yet; it stays in the way of a repeat for a day.
MAY_HAVE_PLACED: Final = frozenset({State.PLACED, State.ABSENT})


def checked(action: Action, cause: Cause, start: State, end: State) -> State:
    """The state `end`, if the table lists this way to it.

    Raises:
        UnlistedTransitionError: it does not.
    """
    if (action, cause, start, end) not in _EDGES:
        raise UnlistedTransitionError(f"a {action} intent does not go from {start} to {end} by {cause}")
    return end


def ends_of(action: Action, cause: Cause, start: State) -> frozenset[State]:
    """Every state that this cause may lead to from here; empty where it leads nowhere."""
    return frozenset(end for a, c, s, end in _EDGES if (a, c, s) == (action, cause, start))


RESOLUTIONS: Final = {
    "place": ("placed", "absent"),
    "cancel": ("canceled", "too_late"),
    "leverage": ("set", "not_set"),
}
"""What a person can say became of an unknown, by its action: that it took effect, and that it did not."""
