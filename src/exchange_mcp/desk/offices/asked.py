"""What somebody asks for, read strictly into what can be planned; a cancel by intent becomes one of its order."""

import hashlib
from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import Field, ValidationError

from exchange_mcp.desk.intents import State
from exchange_mcp.desk.journal import Journal
from exchange_mcp.desk.journal_errors import NoSuchIntentError
from exchange_mcp.desk.records import Intent
from exchange_mcp.desk.repeats import About
from exchange_mcp.desk.trading.planning import action_of
from exchange_mcp.link.messages import Action
from exchange_mcp.model.accounts import AccountName
from exchange_mcp.model.canonical import canonical_json
from exchange_mcp.model.errors import ErrorCode, InvalidArgumentError, ProposalRefusedError
from exchange_mcp.model.frozen import Record
from exchange_mcp.model.unified_symbols import base_of
from exchange_mcp.orders.requests import CancelRequest, LeverageRequest, OrderRequest

Request = OrderRequest | CancelRequest | LeverageRequest

_NEVER_SENT: Final = frozenset({State.PROPOSED, State.APPROVED})
_HAS_ORDER: Final = frozenset({State.DISPATCHING, State.ACCEPTED, State.UNKNOWN, State.PLACED, State.ABSENT})


class CancelAsked(Record):
    """The cancel of one order, by the venue's id, ours, or the intent that made it."""

    symbol: Annotated[str, Field(min_length=1, max_length=64)]
    order_id: Annotated[str | None, Field(max_length=80)] = None
    client_order_id: Annotated[str | None, Field(max_length=80)] = None
    intent_id: Annotated[str | None, Field(pattern=r"^[0-9a-f]{32}$")] = None


_MODELS: Final[Mapping[str, type[Record]]] = {
    "place": OrderRequest,
    "cancel": CancelAsked,
    "leverage": LeverageRequest,
}


def asked(action: Action, request: Mapping[str, object]) -> Record:
    """The request, if it is exactly one of this action.

    Raises:
        InvalidArgumentError: a part is missing, unknown, or not of its form; the message names it.
    """
    try:
        read = _MODELS[action].model_validate(dict(request))
    except ValidationError as error:
        told = [
            f"{'.'.join(str(part) for part in each['loc'])[:60] or 'request'}: {each['msg'][:160]}"
            for each in error.errors(include_url=False, include_input=False, include_context=False)[:3]
        ]
        raise InvalidArgumentError("; ".join(told)) from None
    if isinstance(read, CancelAsked):
        named = [one for one in (read.order_id, read.client_order_id, read.intent_id) if one is not None]
        if len(named) != 1:
            raise InvalidArgumentError("a cancel names the order by exactly one of order id and intent id")
    return read


def digest_of(account: str, action: Action, request: Record) -> str:
    """What one proposal id may stand for, in hex."""
    said = {"account": account, "action": action, "request": request.model_dump(mode="json")}
    return hashlib.sha256(canonical_json(said).encode()).hexdigest()


def about(
    account: AccountName, request: Request, request_digest: str, distinct_from: str | None
) -> About | None:
    """The request in the terms of repeats; None where its symbol names no asset."""
    underlying = base_of(request.symbol)
    if underlying is None:
        return None
    order = request if isinstance(request, OrderRequest) else None
    return About(
        account=account,
        underlying=underlying,
        request_digest=request_digest,
        action=action_of(request),
        side=None if order is None else order.side,
        is_reduce_only=order is not None and order.reduce_only,
        distinct_from=distinct_from,
    )


def resolved(request: Record, journal: Journal, account: str, client: str | None) -> Request:
    """The request as it can be planned. `client` is who asks; None: the operator, who may name any intent.

    Raises:
        ProposalRefusedError: UNKNOWN_INTENT for another client's as for none, INTENT_MOVED_ON where it has no order.
        InvalidArgumentError: it is an intent of another account or market.
    """
    if not isinstance(request, CancelAsked):
        if isinstance(request, OrderRequest | LeverageRequest):
            return request
        raise InvalidArgumentError("what is asked for is no order, no cancel and no change of leverage")
    if request.intent_id is None:
        return CancelRequest(
            symbol=request.symbol, order_id=request.order_id, client_order_id=request.client_order_id
        )
    intent = own_intent(journal, request.intent_id, client)
    write = intent.plan.write
    if (intent.account, write.symbol) != (account, request.symbol):
        raise InvalidArgumentError(f"intent {intent.id} is of {write.symbol} on account {intent.account}")
    if intent.action != "place":
        raise InvalidArgumentError(f"intent {intent.id} is no order")
    if intent.state not in _HAS_ORDER:
        instead = "; retract it instead" if intent.state in _NEVER_SENT else ""
        raise ProposalRefusedError(
            ErrorCode.INTENT_MOVED_ON,
            f"intent {intent.id} is {intent.state}: it has no order at the venue{instead}",
            intent_id=intent.id,
        )
    return CancelRequest(symbol=request.symbol, client_order_id=intent.client_order_id)


def own_intent(journal: Journal, intent_id: str, client: str | None) -> Intent:
    """The intent, if it is this client's.

    Raises:
        ProposalRefusedError: UNKNOWN_INTENT, in the same words for another client's as for none.
    """
    try:
        intent = journal.intent(intent_id)
    except NoSuchIntentError:
        intent = None
    if intent is None or (client is not None and intent.client != client):
        raise ProposalRefusedError(
            ErrorCode.UNKNOWN_INTENT,
            "no intent of this client has this id",
            hint="Use an id that a proposal of yours was answered with.",
        )
    return intent
