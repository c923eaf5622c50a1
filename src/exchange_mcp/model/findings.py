"""What was found when a write of ours was looked for at its venue: one answer a source, never a mixed word."""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from exchange_mcp.model.plans import PlannedMarket, WirePlan
from exchange_mcp.model.writes import PlaceOrder, checked_id


class Says(StrEnum):
    """What one source says. No answer is not "not found"."""

    FOUND = "found"
    NOT_FOUND = "not_found"
    NO_ANSWER = "no_answer"


class Source(StrEnum):
    """Where an order can be seen. The closed lists may show open orders too."""

    CLIENT_ID = "client_id"
    OPEN_ORDERS = "open_orders"
    CONDITIONAL_ORDERS = "conditional_orders"
    CLOSED_ORDERS = "closed_orders"
    CLOSED_CONDITIONAL_ORDERS = "closed_conditional_orders"
    TRADES = "trades"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """An order of ours that is looked for.

    Attributes:
        client_order_id: ours, exactly.
        signed_ms: the timestamp in its signed request, UTC milliseconds.
        is_conditional: whether it waits for a trigger; some venues keep such orders apart.
        known: another client order id of this account that this venue surely has, on the same market and of the same
            kind; by it the look-up is shown to work. None where none is known: then one is taken from the lists.

    Raises:
        ValueError: an id that cannot be part of a request, or a `known` that is the one that is sought.
    """

    market: PlannedMarket
    client_order_id: str
    signed_ms: int
    is_conditional: bool = False
    known: str | None = None

    def __post_init__(self) -> None:
        checked_id(self.client_order_id)
        if self.known is not None and checked_id(self.known) == self.client_order_id:
            raise ValueError("a look-up is not shown to work by the order that it looks for")

    @classmethod
    def of(cls, plan: WirePlan, signed_ms: int, known: str | None = None) -> "Sought":
        """The order of a plan.

        Raises:
            ValueError: the plan places no order.
        """
        if not isinstance(plan.write, PlaceOrder):
            raise ValueError(f"a plan of {plan.action} places no order")  # noqa: TRY004 - of the plan, not its type
        return cls(
            market=plan.market,
            client_order_id=plan.write.client_order_id,
            signed_ms=signed_ms,
            is_conditional=plan.write.type.has_trigger,
            known=known,
        )


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
        order: the one with exactly our client order id, where it says found.
        unattributable: what it shows since the dispatch, on this market, that may be ours and cannot be told
            (no client id, or none that names a desk): such a row forbids calling an order absent. It is told also
            where the source gave no whole answer.
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
        client_order_id: of the order that was looked for.
        venue_ms: the venue's time when the look began, UTC milliseconds; 0, before every deadline, if it did not tell.
        sources: one entry a source that the venue has for this market.
        control: what the look-up by exact client id said, in this look, of an order that this account surely has.
            Only where it is found does its "not found" mean anything.
    """

    client_order_id: str
    venue_ms: int
    sources: tuple[SourceFinding, ...]
    control: Says = Says.NO_ANSWER

    @property
    def found(self) -> FoundOrder | None:
        """The order, from the first source that shows it under our client id."""
        return next((s.order for s in self.sources if s.says is Says.FOUND and s.order is not None), None)
