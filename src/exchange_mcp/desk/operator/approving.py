"""What an approver signs, made from the decision's own bytes: nothing is believed that can be worked out. Pure.

A desk that shows one thing and asks a signature for another, a preview of another order, or a part that cannot be read
is answered with `NotSignableError`: there is nothing to sign then, only something to look into.
"""

import json
import re
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from exchange_mcp.desk.operator import same_order
from exchange_mcp.desk.operator.messages import Decision, SignatureMessage, SignedMessage
from exchange_mcp.desk.ports import Footing
from exchange_mcp.desk.statements import Purpose, Statement, grant_body, sha256_of
from exchange_mcp.model.canonical import canonical_json
from exchange_mcp.model.plan_text import read_plan
from exchange_mcp.model.plans import WirePlan
from exchange_mcp.orders.preview import Preview
from exchange_mcp.orders.preview_text import read_preview
from exchange_mcp.orders.screen import lines
from exchange_mcp.orders.wording import plain

LONGEST_GRANT_MS: Final = 605_000
"""What `desk.toml` allows at most, and a little for two clocks."""

_NONCE: Final = re.compile(r"[0-9a-f]{32}")
_PARTS: Final = {"footing", "shown"}


class NotSignableError(Exception):
    """Why this is not signed, as a sentence for the approver."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decidable:
    """A decision that holds together, and the statement that approves it.

    Attributes:
        lines: the preview, as it is read. plan_digest: SHA-256 of the plan's text, in hex.
    """

    decision: Decision
    plan: WirePlan
    preview: Preview
    lines: tuple[str, ...]
    plan_digest: str
    statement: Statement


def read_decision(
    decision: Decision, *, intent_id: str, desk_id: str, policy_digest: str, now_ms: int
) -> Decidable:
    """What there is to decide on.

    Args:
        decision: as the desk handed it over.
        intent_id: of the intent that was asked to be opened.
        desk_id: of the desk that answers, as its status names it.
        policy_digest: of the policy in force, as its status names it.
        now_ms: UTC milliseconds.

    Raises:
        NotSignableError: a part of it is not what it is shown as, or cannot be read.
    """
    if decision.intent.id != intent_id:
        _refuse(f"the desk answered with another intent than {plain(intent_id)}")
    if decision.desk_id != desk_id:
        _refuse("the decision is of another desk than the one that answers here")
    _check_validity(decision, now_ms)
    plan = _plan(decision.plan_text)
    footing, preview = _preview(decision.preview_text)
    _check_view(decision, plan)
    try:
        same_order.check_request(plan)
        same_order.check_preview(plan, preview)
        same_order.check_footing(footing, preview)
        told = lines(preview)
    except ValueError as error:
        _refuse(str(error))
    _check_policy(decision.policy_text, policy_digest)
    return Decidable(
        decision=decision,
        plan=plan,
        preview=preview,
        lines=told,
        plan_digest=sha256_of(decision.plan_text),
        statement=Statement(
            purpose=Purpose.GRANT,
            desk_id=desk_id,
            nonce=decision.nonce,
            expires_ms=decision.expires_ms,
            body=grant_body(
                intent=intent_id,
                plan_text=decision.plan_text,
                preview_text=decision.preview_text,
                policy_digest=policy_digest,
            ),
        ),
    )


def signed_message(statement: Statement, signature: SignatureMessage) -> SignedMessage:
    """The statement by its parts, for the desk to build it again, with one signature over it."""
    return SignedMessage(
        purpose=statement.purpose,
        nonce=statement.nonce,
        expires_ms=statement.expires_ms,
        body=dict(statement.body),
        signature=signature,
    )


def _check_validity(decision: Decision, now_ms: int) -> None:
    if not _NONCE.fullmatch(decision.nonce):
        _refuse("the desk's nonce is none")
    if decision.expires_ms <= now_ms:
        _refuse("the time to decide on this preview is over; open it again")
    if decision.expires_ms - now_ms > LONGEST_GRANT_MS:
        _refuse("the approval would be valid for more than ten minutes")


def _plan(text: str) -> WirePlan:
    try:
        return read_plan(text)
    except (ValueError, RecursionError) as error:
        _refuse(f"the wire plan cannot be read: {plain(str(error))}")


def _preview(text: str) -> tuple[Footing, Preview]:
    try:
        recorded: dict[str, Any] = json.loads(text)
        if not isinstance(recorded, dict) or recorded.keys() != _PARTS or canonical_json(recorded) != text:  # pyright: ignore[reportUnnecessaryIsInstance] - the desk may send anything
            _refuse("the preview cannot be read: it is not written as the desk records one")
        footing = Footing.of(recorded["footing"])
        if canonical_json(footing.as_object()) != canonical_json(recorded["footing"]):
            _refuse("the preview cannot be read: the desk would compare with more than it shows")
        return footing, read_preview(recorded["shown"])
    except (ValueError, TypeError, RecursionError) as error:
        _refuse(f"the preview cannot be read: {plain(str(error))}")


def _check_view(decision: Decision, plan: WirePlan) -> None:
    """What the desk lists the intent as is what its plan is."""
    view = decision.intent
    for name, listed, planned in (
        ("account", view.account, plan.account),
        ("venue", view.venue, plan.venue),
        ("environment", view.environment, plan.environment.value),
        ("market", view.symbol, plan.market.symbol),
        ("action", view.action, plan.action),
    ):
        if plain(listed) != plain(planned):
            _refuse(f"the desk lists it under {name} {plain(listed)}, and its plan says {plain(planned)}")


def _check_policy(text: str, digest: str) -> None:
    try:
        is_policy = canonical_json(json.loads(text)) == text
    except (ValueError, TypeError, RecursionError):
        is_policy = False
    if not is_policy:
        _refuse("the policy's text cannot be read")
    if sha256_of(text) != digest:
        _refuse("the policy that would be signed is not the one that the desk says is in force")


def _refuse(why: str) -> NoReturn:
    raise NotSignableError(f"Not signed: {why}.")
