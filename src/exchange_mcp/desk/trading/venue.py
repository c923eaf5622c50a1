"""`desk.ports.DeskVenue` over a trading venue: reads, plans, previews and renders; what is sent is the venue's part."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from exchange_mcp.desk import absence
from exchange_mcp.desk.absence import AbsenceTerms
from exchange_mcp.desk.ports import EffectTerms, Footing
from exchange_mcp.desk.ports import Planned as DeskPlanned
from exchange_mcp.desk.trading import proofs
from exchange_mcp.desk.trading.limits import PolicyLimits
from exchange_mcp.desk.trading.planning import Request, planned, request_from, request_of
from exchange_mcp.desk.trading.reading import Reading, read
from exchange_mcp.model.accounts import AccountName, MarketType
from exchange_mcp.model.errors import ErrorCode, OrderRefusedError
from exchange_mcp.model.findings import Findings, Sought
from exchange_mcp.model.plans import WirePlan, WireRequest
from exchange_mcp.model.ports import Clock, ReadVenue
from exchange_mcp.model.trading import Effect, Ready, Sighting, TradingVenue
from exchange_mcp.model.writes import CancelOrder, PlaceOrder, WriteRequest
from exchange_mcp.orders.planned import Origin, Planned, wire_plan
from exchange_mcp.orders.preview import CancelPreview, LeveragePreview, OrderPreview, Preview

_NOTHING: Final = Decimal(0)
# A cancel and a leverage have no client order id of their own.
_UNUSED: Final = "unused"
_LOOK: Final = "get_open_orders tells which orders are open. Nothing was sent."


class TradingDeskVenue:
    """One account's venue, as the engine uses it.

    Args:
        venue: of the account.
        readings: of every account of the desk, this one included: some limits count over all of them.
        limits: the policy in force decides what has to be read.
        clock: our own.
        has_card: whether a recorded test card has shown, for this live venue, what machine absence rests on.
    """

    def __init__(
        self,
        venue: TradingVenue,
        *,
        readings: Mapping[AccountName, ReadVenue],
        limits: PolicyLimits,
        clock: Clock,
        has_card: bool = False,
    ) -> None:
        self._venue = venue
        self._readings = readings
        self._limits = limits
        self._clock = clock
        self._has_card = has_card
        self.longest_client_id = venue.longest_client_id

    async def plan(self, request: object, client_order_id: str) -> DeskPlanned:
        """Read what the request needs, plan it with this client order id, preview it, and render it.

        Raises:
            OrderRefusedError: it breaks a rule of the market, or this version does not write it, or there is nothing
                to cancel.
            KeyRefusedError, KeyUnconfirmedError: the key may not be used.
            ExchangeMcpError: something that decides could not be read; the message names it.
        """
        asked = request_from(request)
        found = await self._read(asked)
        if found.key_fault is not None:
            raise found.key_fault
        write, preview = planned(asked, found.seen, client_order_id)
        made = self._planned(write, preview, found, await self._venue.render(write.write))
        if isinstance(preview, CancelPreview) and preview.order is None:
            await self._check_there(made.plan)
        return made

    async def _check_there(self, plan: WirePlan) -> None:
        """See that there is something to cancel, where the open orders do not show it: they may lag.

        Raises:
            OrderRefusedError: ORDER_ENDED; ORDER_NOT_FOUND, of the venue's own id alone: an order that is named by
                ours may turn up yet.
        """
        write, symbol = plan.write, plan.market.symbol
        if not isinstance(write, CancelOrder):
            return
        effect = await self._venue.effect_of(plan)
        named = f"order {write.order_id or write.client_order_id} of {symbol}"
        if effect in {Effect.DONE, Effect.TOO_LATE}:
            how = "is cancelled already" if effect is Effect.DONE else "has ended already, filled or expired"
            raise OrderRefusedError(
                ErrorCode.ORDER_ENDED, f"{named} {how}: there is nothing to cancel", hint=_LOOK
            )
        if effect is Effect.UNTOLD and write.order_id is not None:
            raise OrderRefusedError(
                ErrorCode.ORDER_NOT_FOUND,
                f"{named} is not among the open orders, and the venue tells nothing of it",
                hint=_LOOK,
            )

    async def recheck(self, plan: WirePlan) -> DeskPlanned:
        """The journaled plan, planned again by where account and market stand now, and rendered again.

        The plan that is given back differs where anything of what would be sent does. A key that may not be used any
        more is told by the footing.

        Raises:
            ExchangeMcpError: it could not be read, or as things are it is no plan any more; the message says why.
        """
        asked = request_of(plan)
        found, request = await asyncio.gather(self._read(asked), self._venue.render(plan.write))
        write, preview = planned(asked, found.seen, _client_order_id(plan.write))
        if write.write == plan.write:
            write = _saying(write, plan.write)
        else:
            request = await self._venue.render(write.write)
        return self._planned(write, preview, found, request)

    async def _read(self, asked: Request) -> Reading:
        return await read(self._venue, asked, self._limits.policy, self._readings, self._clock)

    def _planned(self, write: Planned, preview: Preview, found: Reading, request: WireRequest) -> DeskPlanned:
        venue = self._venue
        account = venue.account
        origin = Origin(
            venue=account.venue,
            account=account.name,
            account_id=venue.account_id(),
            key_id=venue.key_id,
            environment=account.environment,
        )
        return DeskPlanned(
            plan=wire_plan(write, request, origin, window_ms=venue.window_ms),
            preview=preview.model_dump(),
            footing=self._footing(write, preview, found),
            subject=found.subject(write, preview),
        )

    def _footing(self, write: Planned, preview: Preview, found: Reading) -> Footing:
        standing = found.seen.standing
        key_fault = None if found.key_fault is None else found.key_fault.message
        match preview:
            case OrderPreview():
                worst = preview.worst_cost
                quote = found.seen.terms.quote
                return Footing(
                    effect=preview.effect,
                    position_mode=standing.position_mode,
                    mid=preview.mid,
                    worst_case=None
                    if worst is None
                    else found.in_reference(worst, quote, self._clock.now_ms()),
                    is_reduce_enforced=preview.reduce_only
                    and standing.position_mode == "one_way"
                    and write.market.market_type is not MarketType.SPOT,
                    leverage=standing.leverage,
                    margin_mode=standing.margin_mode,
                    key_fault=key_fault,
                )
            case CancelPreview():
                return Footing(
                    effect=None,
                    position_mode=standing.position_mode,
                    mid=None,
                    worst_case=_NOTHING,
                    key_fault=key_fault,
                )
            case LeveragePreview():
                return Footing(
                    effect=None,
                    position_mode=standing.position_mode,
                    mid=None,
                    worst_case=_NOTHING,
                    leverage=standing.leverage,
                    margin_mode=standing.margin_mode,
                    key_fault=key_fault,
                )

    # What the venue and its rules say, unchanged.

    async def ready(self, plan: WirePlan) -> Ready:
        """Wait for all that a send waits for."""
        return await self._venue.ready(plan)

    def venue_ms(self) -> int:
        """The venue's time now as far as known, UTC milliseconds; without asking."""
        return self._venue.venue_ms()

    async def find(self, sought: Sought) -> Findings:
        """What each source says of one order of ours; nothing is raised."""
        return await self._venue.find(sought)

    async def seen(self, since_ms: int, symbols: frozenset[str]) -> tuple[Sighting, ...]:
        """Every order of this key that can be seen, as far as it was placed since then."""
        return await self._venue.seen(since_ms, symbols)

    async def effect_of(self, plan: WirePlan) -> Effect:
        """What a cancel or a change of leverage has come to; nothing is raised."""
        return await self._venue.effect_of(plan)

    def absence_terms(self, plan: WirePlan, latest_ms: int) -> AbsenceTerms:
        """What the proof of an order's absence depends on; on a live venue it lacks a card until one was recorded."""
        return absence.absence_terms(plan, latest_ms, has_card=self._has_card)

    def effect_terms(self, plan: WirePlan, latest_ms: int) -> EffectTerms:
        """What it takes to call a cancel or a change of leverage without effect; likewise."""
        return proofs.effect_terms(plan, latest_ms, has_card=self._has_card)


def _client_order_id(write: WriteRequest) -> str:
    return write.client_order_id if isinstance(write, PlaceOrder) else _UNUSED


def _saying(write: Planned, same: WriteRequest) -> Planned:
    """The same write by the digits of the journal: 0.10 and 0.1 are one amount, and two texts."""
    values: dict[str, Any] = {"write": same}
    return replace(write, **values)
