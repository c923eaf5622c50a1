"""What a proposer is told of its intent: for every state one sentence of what comes next, from one table."""

import json
from collections.abc import Mapping, Sequence
from typing import Final

from exchange_mcp.desk.intents import LIVE, State
from exchange_mcp.desk.records import Intent
from exchange_mcp.desk.repeats import minutes_ago
from exchange_mcp.link.messages import IntentMessage
from exchange_mcp.model.errors import ErrorCode
from exchange_mcp.orders.preview_text import read_preview
from exchange_mcp.orders.screen import lines

NEXT: Final[Mapping[State, str]] = {
    State.PROPOSED: "A person decides. Nothing is sent until then; do not propose it again, ask get_intent.",
    State.DENIED: "Nothing was sent. The operator's limits forbid it; propose something within them.",
    State.DECLINED: "Nothing was sent. A person said no; ask for the same again only if you are told to.",
    State.EXPIRED: "Nothing was sent. Nobody decided in time; propose it again if it is still wanted.",
    State.RETRACTED: "Nothing was sent. It was taken back.",
    State.APPROVED: "It is approved and about to be sent, once; ask get_intent for the outcome.",
    State.LAPSED: (
        "Nothing was sent. What was approved did not hold any more; look at the reason, and propose it again if it is"
        " still wanted."
    ),
    State.DISPATCHING: "It is being sent; ask get_intent for the outcome, and do not propose it again.",
    State.ACCEPTED: "The venue took it; the desk is looking for it there. Ask get_intent.",
    State.REJECTED: "The venue refused it, nothing is placed; correct what the reason names before asking again.",
    State.NOT_SENT: "Nothing reached the venue; propose it again if it is still wanted.",
    State.UNKNOWN: (
        "Whether it took effect is not known yet. Do not propose it again: the desk is looking for it, and get_intent"
        " says when it is known."
    ),
    State.PLACED: "It is at the venue. To read how it stands there, ask for the open orders.",
    State.ABSENT: "It was proved not to be at the venue; propose it again if it is still wanted.",
    State.CANCELED: "The order is cancelled.",
    State.TOO_LATE: "The order had ended before the cancel reached it; read what it did.",
    State.SET: "The leverage is set.",
    State.NOT_SET: "The leverage is as it was; propose the change again if it is still wanted.",
}

UNREADABLE: Final = "this preview cannot be shown"


def preview_lines(preview_text: str) -> tuple[str, ...]:
    """A recorded preview, as an approver reads it.

    Raises:
        ValueError: it is no preview.
    """
    return lines(read_preview(json.loads(preview_text)["shown"]))


def approval_sentence(approvers: Sequence[str], needed: int) -> str:
    """Who can approve, and where."""
    names = (", " if needed > 1 else " or ").join(approvers) or "nobody"
    who = (
        f"a signature of {names}"
        if needed == 1
        else f"{needed} of {names}, each with a signature of their own"
    )
    short = "" if len(approvers) >= needed else f" (only {len(approvers)} enrolled, so it cannot be approved)"
    where = "in a terminal there with exchange-mcp approvals, or in the desk's console"
    return f"It takes {who}{short}, at the desk: {where}."


def intent_message(  # noqa: PLR0913 - all that is told beside the intent
    intent: Intent,
    *,
    approvers: Sequence[str],
    needed: int,
    similar: Intent | None,
    now_ms: int,
    repeated: bool = False,
    denied_as: ErrorCode | None = None,
) -> IntentMessage:
    """The intent, as its proposer may see it."""
    waits = intent.state is State.PROPOSED
    try:
        shown = preview_lines(intent.preview_text)
    except (ValueError, KeyError, TypeError):
        shown = (UNREADABLE,)
    return IntentMessage(
        intent_id=intent.id,
        proposal_id=intent.proposal_id,
        account=intent.account,
        action=intent.action,
        symbol=intent.plan.write.symbol,
        state=intent.state.value,
        is_final=intent.state not in LIVE,
        reason=intent.reason,
        next=NEXT[intent.state],
        approval=approval_sentence(approvers, needed) if waits else None,
        approvals_needed=needed,
        created_at=intent.created_ms,
        changed_at=intent.changed_ms,
        expires_at=intent.expires_ms,
        plan_digest=intent.plan_digest,
        preview_lines=shown,
        client_order_id=intent.client_order_id,
        order_id=intent.order_id,
        similar=None if similar is None else _similar(similar, intent, now_ms),
        repeated=repeated,
        denied_as=denied_as,
    )


def _similar(other: Intent, own: Intent, now_ms: int) -> str:
    # An id is only for whoever was told it.
    which = (
        f"intent {other.id}"
        if other.client == own.client
        else "an order that was not proposed by this client"
    )
    return f"{which}, {minutes_ago(other.created_ms, now_ms)}"
