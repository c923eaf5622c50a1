"""What would the policy say to this request? Planned, previewed and decided as it would be; nothing is sent.

Everything that it takes is a context: what was read of the market and the account, prices, counters, and the moment.
"""

from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

from exchange_mcp.config.schema import ACCOUNT_NAME
from exchange_mcp.model.accounts import AccountName
from exchange_mcp.model.markets import OrderBook
from exchange_mcp.model.terms import MarketTerms, Reference, Standing
from exchange_mcp.orders.change_previews import preview_cancel, preview_leverage
from exchange_mcp.orders.changing import plan_cancel, plan_leverage
from exchange_mcp.orders.placing import plan_order
from exchange_mcp.orders.planned import Planned
from exchange_mcp.orders.preview import Preview
from exchange_mcp.orders.previewing import preview_order
from exchange_mcp.orders.requests import CancelRequest, LeverageRequest, OrderRequest
from exchange_mcp.policy.asked import proposed
from exchange_mcp.policy.context_json import NotReadableError
from exchange_mcp.policy.counters import Counters
from exchange_mcp.policy.decide import decide
from exchange_mcp.policy.decision import Decision
from exchange_mcp.policy.figures import Price, ascii_text
from exchange_mcp.policy.policy import Policy

Request = OrderRequest | CancelRequest | LeverageRequest

_REQUESTS: Final[dict[str, type[Request]]] = {
    "place": OrderRequest,
    "cancel": CancelRequest,
    "leverage": LeverageRequest,
}
# Nothing is sent, so it is nobody's.
_CLIENT_ORDER_ID: Final = "explained"


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """All that a decision takes besides the policy and the request.

    Attributes:
        account: the operator's name of it.
        terms, reference, standing, book: of the market and of the account in it, as they were read.
        quoted_at_ms: when the book was received. now_ms: the moment of deciding. UTC milliseconds of one clock.
        prices: that state other quotes in the policy's reference currency.
        counters: what has been done already.
        assumed: what was not read but assumed; unread: what could not be read. A sentence each, shown with the answer.
    """

    account: AccountName
    terms: MarketTerms
    reference: Reference
    standing: Standing
    book: OrderBook | None
    quoted_at_ms: int | None
    now_ms: int
    prices: tuple[Price, ...]
    counters: Counters
    assumed: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not ACCOUNT_NAME.fullmatch(self.account):
            raise ValueError("the name of an account has 1 to 32 of a-z, 0-9, _ and -")


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """A decision, the preview that it is about, and what both stand on."""

    preview: Preview
    decision: Decision
    context: Context


def request_of(document: Any) -> Request:  # noqa: ANN401 - JSON is anything
    """The request that a JSON document is; `action` says which kind, "place" where it is left out.

    Raises:
        NotReadableError: it is none.
        ValueError: a part is missing, unknown or of another form (pydantic's ValidationError).
    """
    if not isinstance(document, dict):
        raise NotReadableError("expected an object")
    parts: dict[str, Any] = dict(document)  # pyright: ignore[reportUnknownArgumentType] - JSON's keys are text
    kind = _REQUESTS.get(str(parts.pop("action", "place")))
    if kind is None:
        raise NotReadableError('action: expected "place", "cancel" or "leverage"')
    return kind.model_validate(parts)


def known_keys(error: ValidationError) -> list[str]:
    """The keys of the kind of request that was not of its form."""
    kind = next(each for each in _REQUESTS.values() if each.__name__ == error.title)
    return ["action", *kind.model_fields]


def explain(policy: Policy, request: Request, context: Context) -> Explained:
    """The decision on a request, as a desk with this policy would take it.

    Raises:
        OrderRefusedError: the request cannot be planned, or not be previewed.
        NotReadableError: the context is about another market.
    """
    if request.symbol != context.terms.symbol:
        about = ascii_text(context.terms.symbol, 64)
        raise NotReadableError(f"symbol: the context's terms are about {about}, and the order is not")
    planned, preview = _previewed(request, context)
    asked = proposed(
        planned,
        preview,
        account=context.account,
        terms=context.terms,
        book=context.book,
        quoted_at_ms=context.quoted_at_ms,
    )
    decision = decide(policy, asked, context.counters, context.prices, context.now_ms)
    return Explained(preview=preview, decision=decision, context=context)


def _previewed(request: Request, context: Context) -> tuple[Planned, Preview]:
    terms, standing = context.terms, context.standing
    match request:
        case OrderRequest():
            order = plan_order(request, terms, context.reference, standing, client_order_id=_CLIENT_ORDER_ID)
            return order, preview_order(order, terms, context.reference, standing, context.book)
        case CancelRequest():
            cancel = plan_cancel(request, terms, standing)
            return cancel, preview_cancel(cancel, terms, standing)
        case LeverageRequest():
            leverage = plan_leverage(request, terms, standing)
            return leverage, preview_leverage(leverage, terms, context.reference, standing)
