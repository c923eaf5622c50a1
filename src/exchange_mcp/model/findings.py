"""What was found when a write of ours was looked for at its venue: one answer a source, never a mixed word."""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum


class Says(StrEnum):
    """What one source says. No answer is not "not found"."""

    FOUND = "found"
    NOT_FOUND = "not_found"
    NO_ANSWER = "no_answer"


class Source(StrEnum):
    """Where an order can be seen."""

    CLIENT_ID = "client_id"
    OPEN_ORDERS = "open_orders"
    CONDITIONAL_ORDERS = "conditional_orders"
    CLOSED_ORDERS = "closed_orders"
    TRADES = "trades"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundOrder:
    """An order or trade as one source shows it.

    Attributes:
        client_order_id: as the venue has it; None where the source does not tell it (trades, at most venues).
        status: the venue's own word.
        amount, filled: in the venue's own unit. average_price: in quote.
        updated_ms: the venue's own time of its last change.
    """

    order_id: str | None
    client_order_id: str | None
    status: str | None = None
    side: str | None = None
    amount: Decimal | None = None
    filled: Decimal | None = None
    average_price: Decimal | None = None
    updated_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFinding:
    """What one source says of one plan.

    Attributes:
        order: the one with our client order id, where it says found.
        unattributable: what it shows since the dispatch, on this market, that may be ours and cannot be told
            (no client id, or none that names a desk): such a row forbids calling an order absent.
        detail: why there was no answer, for a person; holds no secret.
    """

    source: Source
    says: Says
    order: FoundOrder | None = None
    unattributable: tuple[FoundOrder, ...] = ()
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What every source of a venue said at one look.

    Attributes:
        client_order_id: of the plan that was looked for.
        venue_ms: the venue's time when the look began, UTC milliseconds.
        sources: one entry a source that the venue has for this market.
    """

    client_order_id: str
    venue_ms: int
    sources: tuple[SourceFinding, ...]

    @property
    def found(self) -> FoundOrder | None:
        """The order, from the first source that shows it under our client id."""
        return next((s.order for s in self.sources if s.says is Says.FOUND and s.order is not None), None)
