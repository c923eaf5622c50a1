"""What planning gives: a write on the venue's grid and what is known about it; with a captured request, a wire plan."""

from dataclasses import dataclass
from decimal import Decimal

from exchange_mcp.model.accounts import AccountName, Environment
from exchange_mcp.model.errors import ErrorCode, OrderRefusedError
from exchange_mcp.model.plans import PlannedMarket, WirePlan, WireRequest
from exchange_mcp.model.terms import MarketTerms, Resting
from exchange_mcp.model.writes import CancelOrder, PlaceOrder, SetLeverage


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a write that can be previewed will not be done."""

    code: ErrorCode
    reason: str

    def error(self) -> OrderRefusedError:
        """The error that a write is answered with."""
        return OrderRefusedError(self.code, self.reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedOrder:
    """An order on the venue's grid; it says exactly what was asked.

    Attributes:
        base_amount: the amount in base; None where the order says a cost, or the market is inverse.
        quote_amount: the cost in quote; on an inverse market, contracts times contract size.
        unchecked: rules that could not be checked because a figure was not told, a sentence each.
        refusal: why it may be previewed and not written; None where nothing stands against a write.
    """

    write: PlaceOrder
    market: PlannedMarket
    base_amount: Decimal | None
    quote_amount: Decimal | None
    unchecked: tuple[str, ...] = ()
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCancel:
    """A cancel, and the order that it would end: None where that is not among the open ones, or those are not told."""

    write: CancelOrder
    market: PlannedMarket
    order: Resting | None
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedLeverage:
    """A change of leverage."""

    write: SetLeverage
    market: PlannedMarket
    unchecked: tuple[str, ...] = ()
    refusal: Refusal | None = None


Planned = PlannedOrder | PlannedCancel | PlannedLeverage


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """For which account, with which key, a plan is made; the parts are those of `WirePlan`."""

    venue: str
    account: AccountName
    account_id: str | None
    key_id: str
    environment: Environment


def planned_market(terms: MarketTerms) -> PlannedMarket:
    """The market of these terms, as a plan names it."""
    return PlannedMarket(
        symbol=terms.symbol,
        market_id=terms.market_id,
        market_type=terms.market_type,
        base=terms.base,
        quote=terms.quote,
        settle=terms.settle,
        contract_size=terms.contract_size,
    )


def wire_plan(planned: Planned, request: WireRequest, origin: Origin, *, window_ms: int) -> WirePlan:
    """The plan of exactly this request; its `digest()` is what is approved and compared.

    Raises:
        OrderRefusedError: what was planned may be previewed only (HEDGE_MODE, NOT_OFFERED_YET).
    """
    if planned.refusal is not None:
        raise planned.refusal.error()
    return WirePlan(
        venue=origin.venue,
        account=origin.account,
        account_id=origin.account_id,
        key_id=origin.key_id,
        environment=origin.environment,
        market=planned.market,
        write=planned.write,
        request=request,
        window_ms=window_ms,
    )
