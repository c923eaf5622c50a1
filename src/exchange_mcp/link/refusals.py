"""From what the desk says went wrong to an error of the model, which names what it is about in its message."""

from collections.abc import Iterator
from functools import cache

from exchange_mcp.link.messages import ErrorMessage
from exchange_mcp.model.errors import (
    DESK_CODES,
    ORDER_CODES,
    PROPOSAL_CODES,
    DeskError,
    ErrorBody,
    ErrorCode,
    ExchangeMcpError,
    OrderRefusedError,
    ProposalRefusedError,
)
from exchange_mcp.model.venue_text import visible

_LONGEST = 2000


def refusal(said: ErrorMessage, *, proposal_id: str | None = None) -> ExchangeMcpError:
    """The error that the desk answered, with the ids of the intent and the proposal in its message.

    `proposal_id` is what was sent; what an answer says in its place is not repeated.
    """
    body = said.error
    error = _error(body, _about(visible(body.message, _LONGEST), said.intent_id, proposal_id), said.intent_id)
    error.retry = body.retry
    return error


def _about(message: str, intent_id: str | None, proposal_id: str | None) -> str:
    ids = [
        f"{what} {visible(each, 64)}"
        for what, each in (("intent", intent_id), ("proposal", proposal_id))
        if each is not None and each not in message
    ]
    return f"{message} ({', '.join(ids)})" if ids else message


def _error(body: ErrorBody, message: str, intent_id: str | None) -> ExchangeMcpError:
    hint = visible(body.hint, _LONGEST)
    if body.code in ORDER_CODES:
        return OrderRefusedError(body.code, message, hint=hint)
    if body.code in PROPOSAL_CODES:
        return ProposalRefusedError(body.code, message, hint=hint, intent_id=intent_id)
    if body.code in DESK_CODES:
        return DeskError(body.code, message, hint=hint)
    return _classes()[body.code](message, hint=hint)


@cache
def _classes() -> dict[ErrorCode, type[ExchangeMcpError]]:
    """The class of every code that has one of its own."""
    return {each.code: each for each in _descendants(ExchangeMcpError) if "code" in vars(each)}


def _descendants(root: type[ExchangeMcpError]) -> Iterator[type[ExchangeMcpError]]:
    for each in root.__subclasses__():
        yield each
        yield from _descendants(each)
