"""Recording a proposal and its approval: what is written, and what must fit. Each is a part of one transaction."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import Connection, bindparam, func, or_, select

from exchange_mcp.desk import repeats
from exchange_mcp.desk.entry import Entry, legible
from exchange_mcp.desk.intents import LIVE, Cause, State
from exchange_mcp.desk.journal_errors import ConflictError, StateChangedError
from exchange_mcp.desk.reading import intent_from, state_is_in
from exchange_mcp.desk.records import Grant, Intent, Proposal
from exchange_mcp.desk.schema import intents, remarks
from exchange_mcp.model.canonical import canonical_json
from exchange_mcp.model.decimals import text
from exchange_mcp.model.writes import PlaceOrder

_PENDING: Final = (
    select(func.count())
    .select_from(intents)
    .where(
        intents.c.client == bindparam("client"),
        intents.c.expires_ms > bindparam("now_ms"),
        state_is_in([State.PROPOSED]),
    )
)
_ABOUT: Final = select(
    intents.c.id,
    intents.c.seq,
    intents.c.action,
    intents.c.state,
    intents.c.fingerprint,
    intents.c.side,
    intents.c.created_ms,
    intents.c.changed_ms,
).where(
    intents.c.account == bindparam("account"),
    intents.c.underlying == bindparam("underlying"),
    state_is_in([*repeats.MATTERS]),
    or_(state_is_in([*LIVE]), intents.c.changed_ms > bindparam("since_ms")),
)
_ABOUT_IN_WORDS: Final = _ABOUT.with_only_columns(
    *(column for column in _ABOUT.selected_columns if column.name != "fingerprint"),
    intents.c.request_digest.label("fingerprint"),
)
_REMARK: Final = remarks.insert()
_OVERDUE: Final = select(intents).where(
    state_is_in([State.PROPOSED]), intents.c.expires_ms <= bindparam("now_ms")
)


def digest_of(text_: str) -> str:
    """SHA-256 of a text, hex."""
    return hashlib.sha256(text_.encode()).hexdigest()


def expect(intent: Intent, state: State) -> None:
    """See that the intent is in this state.

    Raises:
        StateChangedError: it is not.
    """
    if intent.state is not state:
        raise StateChangedError(f"intent {intent.id} is {intent.state}, not {state}")


def same_proposal(intent: Intent, proposal: Proposal) -> Intent:
    """The intent that this proposal id became, if the same was asked then.

    Raises:
        ConflictError: something else was asked under this id, or somebody else asked.
    """
    if (intent.client, intent.request_digest) != (proposal.client, proposal.request_digest):
        raise ConflictError(f"proposal {proposal.proposal_id} was made before, and asked for something else")
    return intent


def rule(entry: Entry, proposal: Proposal, limits: repeats.RepeatLimits) -> repeats.Ruling:
    """Whether a proposal is a new one, over what is recorded at this moment."""
    plan = proposal.plan
    since_ms = _since_ms(entry.now_ms, limits)
    about = {"account": plan.account, "underlying": plan.underlying, "since_ms": since_ms}
    pending = {"client": proposal.client, "now_ms": entry.now_ms}
    order = plan.write if isinstance(plan.write, PlaceOrder) else None
    return repeats.rule(
        repeats.Asked(
            action=plan.action,
            fingerprint=plan.fingerprint(),
            side=None if order is None else order.side,
            is_reduce_only=order is not None and order.is_reduce_only,
            distinct_from=proposal.distinct_from,
            pending=entry.connection.execute(_PENDING, pending).scalar_one(),
        ),
        [_earlier(row) for row in entry.connection.execute(_ABOUT, about).mappings()],
        entry.now_ms,
        limits,
    )


def rule_unplanned(
    connection: Connection, about: repeats.About, now_ms: int, limits: repeats.RepeatLimits
) -> repeats.IsSame | repeats.IsRefused | None:
    """As `repeats.rule_unplanned`, over what is recorded at this moment."""
    market = {"account": about.account, "underlying": about.underlying}
    rows = connection.execute(_ABOUT_IN_WORDS, {**market, "since_ms": _since_ms(now_ms, limits)}).mappings()
    return repeats.rule_unplanned(about, [_earlier(row) for row in rows], now_ms, limits)


def _since_ms(now_ms: int, limits: repeats.RepeatLimits) -> int:
    return now_ms - max(limits.window_ms, limits.decline_pause_ms)


def _earlier(row: Mapping[Any, Any]) -> repeats.Earlier:
    values: dict[str, Any] = dict(row)
    values["state"] = State(row["state"])
    return repeats.Earlier(**values)


def refusal_body(proposal: Proposal, ruling: repeats.IsRefused) -> dict[str, object]:
    """What the log says of a proposal that was not taken."""
    return {
        "proposal_id": proposal.proposal_id,
        "client": proposal.client,
        "request_digest": proposal.request_digest,
        "account": proposal.plan.account,
        "underlying": proposal.plan.underlying,
        "fingerprint": proposal.plan.fingerprint(),
        "reason": ruling.reason,
    }


def recorded(entry: Entry, proposal: Proposal) -> Intent:
    """Write a new intent and its event."""
    plan, plan_text = proposal.plan, proposal.plan.canonical()
    preview_text = canonical_json(proposal.preview)
    order = plan.write if isinstance(plan.write, PlaceOrder) else None
    told: dict[str, object] = {
        "proposal_id": proposal.proposal_id,
        "client": proposal.client,
        "origin": proposal.origin,
        "request_digest": proposal.request_digest,
        "plan_digest": digest_of(plan_text),
        "preview_digest": digest_of(preview_text),
        "effect": proposal.effect,
        "worst_notional": None if proposal.worst_notional is None else text(proposal.worst_notional),
        "currency": proposal.currency,
        "expires_ms": proposal.expires_ms,
        "distinct_from": proposal.distinct_from,
        "fingerprint": plan.fingerprint(),
    }
    read = {"plan": json.loads(plan_text), "preview": json.loads(preview_text)}
    note = None if proposal.note is None else legible(proposal.note)
    event = entry.append("proposed", proposal.intent_id, {**told, **read, "note": note})
    intent = entry.add(
        {
            **told,
            "id": proposal.intent_id,
            "seq": event.seq,
            "account": plan.account,
            "venue": plan.venue,
            "key_id": plan.key_id,
            "action": plan.action,
            "underlying": plan.underlying,
            "market_id": plan.market.market_id,
            "side": None if order is None else order.side,
            "is_reduce_only": order is not None and order.is_reduce_only,
            "client_order_id": None if order is None else order.client_order_id,
            "plan_text": plan_text,
            "preview_text": preview_text,
            "created_ms": entry.now_ms,
            "changed_ms": entry.now_ms,
            "state": State.PROPOSED,
            "policy_digest": None,
            "claimed_ms": None,
            "latest_ms": None,
            "order_id": None,
            "reason": "waiting for a decision",
            "resolved_by": None,
            "note": None,
        }
    )
    if note is not None:
        entry.connection.execute(_REMARK, {"intent": intent.id, "text": note})
    return intent


def check_fit(grant: Grant, intent: Intent, now_ms: int) -> None:
    """See that a grant is of this intent as it stands, and in time.

    Raises:
        ConflictError: it is not.
    """
    for what, granted, own in (
        ("plan", grant.plan_digest, intent.plan_digest),
        ("preview", grant.preview_digest, intent.preview_digest),
        ("policy", grant.policy_digest, intent.policy_digest),
    ):
        if granted != own:
            raise ConflictError(f"the grant is of another {what} than intent {intent.id}")
    if now_ms >= intent.expires_ms:
        raise ConflictError(f"the time to decide intent {intent.id} is over")
    if now_ms >= grant.expires_ms:
        raise ConflictError("the grant's own time is over")
    if not grant.approvers or len(set(grant.approvers)) != len(grant.approvers):
        raise ConflictError("a grant names each of its approvers once")


def expired(entry: Entry) -> tuple[Intent, ...]:
    """End what nobody decided in time."""
    rows = entry.connection.execute(_OVERDUE, {"now_ms": entry.now_ms}).mappings().all()
    reason = "nobody decided in time"
    return tuple(
        entry.move(intent_from(row), Cause.EXPIRED, State.EXPIRED, {}, reason=reason) for row in rows
    )
