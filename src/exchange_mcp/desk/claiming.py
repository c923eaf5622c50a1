"""The conditions of a claim, each read inside the claim's own transaction. Every one that fails raises."""

from collections.abc import Callable
from typing import Final

from sqlalchemy import bindparam, select

from exchange_mcp.desk.dialect import HEADROOM_BYTES, free_bytes
from exchange_mcp.desk.entry import Entry
from exchange_mcp.desk.intents import State
from exchange_mcp.desk.journal_errors import ClaimRefusal, ClaimRefusedError, JournalFullError
from exchange_mcp.desk.proposing import digest_of
from exchange_mcp.desk.reading import counted_of, halts_of, state_is_in
from exchange_mcp.desk.records import Claim, Counted, Intent, Origin
from exchange_mcp.desk.schema import intents

Admits = Callable[[Counted], str | None]
"""Given what is counted of all that covers it: why the limits do not admit it, or None. Pure."""

_IN_DOUBT: Final = (
    select(intents.c.id, intents.c.state)
    .where(
        intents.c.account == bindparam("account"),
        intents.c.underlying == bindparam("underlying"),
        intents.c.id != bindparam("own"),
        state_is_in([State.UNKNOWN, State.DISPATCHING]),
    )
    .limit(1)
)


def goes_through_halts(intent: Intent) -> bool:
    """Whether a halt lets this through: an operator's cancel, or order that the venue itself holds to reducing."""
    return intent.origin is Origin.OPERATOR and (intent.action == "cancel" or intent.is_reduce_only)


def check_halts(entry: Entry, intent: Intent) -> None:
    """See that nothing is halted, or that this is what a halt lets through."""
    halt = next((h for h in halts_of(entry.connection) if h.account in {None, intent.account}), None)
    if halt is not None and not goes_through_halts(intent):
        raise ClaimRefusedError(ClaimRefusal.HALTED, f"{halt.what} is halted by {halt.by}: {halt.reason}")


def check_grant(entry: Entry, intent: Intent, claim: Claim) -> None:
    """See that the grant is of this very plan, preview and policy, in time, and not spent."""
    grant = entry.nonce(claim.nonce)
    if grant is None or (grant["purpose"], grant["intent"]) != ("grant", intent.id):
        raise ClaimRefusedError(ClaimRefusal.GRANT, f"no grant of intent {intent.id} has this nonce")
    if grant["spent_ms"] is not None:
        raise ClaimRefusedError(ClaimRefusal.GRANT, "the grant was spent before")
    if entry.now_ms >= grant["expires_ms"]:
        raise ClaimRefusedError(ClaimRefusal.GRANT, "the grant's time is over")
    own = (intent.plan_digest, intent.preview_digest)
    if own != (grant["plan_digest"], grant["preview_digest"]) or digest_of(intent.plan_text) != own[0]:
        raise ClaimRefusedError(ClaimRefusal.GRANT, "the grant is of another plan or preview")
    if claim.policy_digest != grant["policy_digest"]:
        raise ClaimRefusedError(ClaimRefusal.POLICY, "the policy is another one than at the approval")


def check_doubt(entry: Entry, intent: Intent) -> None:
    """See that nothing else on the same account and asset is on its way or unknown."""
    if intent.action == "cancel" or intent.is_reduce_only:
        return
    about = {"account": intent.account, "underlying": intent.underlying, "own": intent.id}
    row = entry.connection.execute(_IN_DOUBT, about).first()
    if row is not None:
        raise ClaimRefusedError(
            ClaimRefusal.UNKNOWN, f"intent {row.id} on the same account and asset is {row.state}"
        )


def check_deadline(entry: Entry, claim: Claim) -> None:
    """See that the venue's time has not reached the last moment at which the request may be sent."""
    if entry.now_ms + claim.venue_ahead_ms >= claim.latest_ms:
        raise ClaimRefusedError(ClaimRefusal.DEADLINE, "the deadline of the request has passed")


def check_limits(entry: Entry, intent: Intent, admits: Admits) -> None:
    """See that the limits admit it, with what is counted at this moment."""
    why_not = admits(counted_of(entry.connection, entry.now_ms, intent))
    if why_not is not None:
        raise ClaimRefusedError(ClaimRefusal.LIMITS, why_not)


def check_room(entry: Entry) -> None:
    """See that the outcome of what is sent can be recorded; what clients ask meanwhile may not take its room."""
    room = free_bytes(entry.connection)
    if room is not None and room < HEADROOM_BYTES:
        raise JournalFullError(
            f"the journal has room for {room} bytes; {HEADROOM_BYTES} are kept free for outcomes"
        )
