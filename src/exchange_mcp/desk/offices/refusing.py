"""Why a proposal is not taken, in a code and a sentence, without an id that the asker was never told."""

from collections.abc import Mapping
from typing import Final

from exchange_mcp.desk.journal import Journal
from exchange_mcp.desk.records import Intent
from exchange_mcp.desk.repeats import IsRefused, Refusal
from exchange_mcp.model.errors import ErrorCode, ProposalRefusedError
from exchange_mcp.policy.decision import Rule

CODES: Final[Mapping[Refusal, ErrorCode]] = {
    Refusal.SIMILAR: ErrorCode.SIMILAR_ORDER,
    Refusal.UNKNOWN: ErrorCode.BLOCKED_BY_UNKNOWN,
    Refusal.PENDING: ErrorCode.TOO_MANY_PENDING,
    Refusal.DECLINED: ErrorCode.DECLINED_BEFORE,
}

DENIED: Final[Mapping[str, ErrorCode]] = {rule: ErrorCode(f"POLICY_{rule.upper()}") for rule in Rule}
"""The code of every limit that can deny."""

_WITHOUT_ID: Final[Mapping[Refusal, str]] = {
    Refusal.SIMILAR: "an order on the same account, asset and side was proposed by somebody else within a day; only who"
    " proposed that one can add to it",
    Refusal.UNKNOWN: "the outcome of somebody else's intent on the same account and asset is not known yet; until it"
    " is, nothing that could add to it is taken",
    Refusal.DECLINED: "a person declined the same a short while ago; it is not asked again for some minutes",
}


def refusal(ruling: IsRefused, *, may_know: bool) -> ProposalRefusedError:
    """The error of a proposal that the journal refused; `may_know`: the asker was told the id that is in its way."""
    message = ruling.message if may_know else _WITHOUT_ID.get(ruling.reason, ruling.message)
    return ProposalRefusedError(CODES[ruling.reason], message, intent_id=ruling.id if may_know else None)


def repeats_another() -> ProposalRefusedError:
    """The same was proposed by somebody else, whose intent is not shown."""
    return ProposalRefusedError(ErrorCode.SIMILAR_ORDER, _WITHOUT_ID[Refusal.SIMILAR])


def denied_as(journal: Journal, intent: Intent) -> ErrorCode:
    """The code of the limit that denied this intent: of the first, where several did."""
    first = next(iter(journal.denied(intent.id).get("denied_by", ())), "")
    return DENIED.get(first, ErrorCode.POLICY_DENIED)


def denial(journal: Journal, intent: Intent) -> ProposalRefusedError:
    """The error of an intent that the limits denied."""
    return ProposalRefusedError(
        denied_as(journal, intent),
        f"the operator's limits deny it: {intent.reason}",
        hint="Propose something within the limits, or ask the operator to change them.",
        intent_id=intent.id,
    )
