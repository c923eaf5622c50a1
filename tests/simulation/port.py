"""The desk's venue port over the model venue: what the engine sees of it, with the places where a process can die."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Final

from exchange_mcp.desk.absence import AbsenceTerms
from exchange_mcp.desk.ports import EffectTerms, Footing, Planned
from exchange_mcp.model.accounts import AccountName, Environment, MarketType
from exchange_mcp.model.client_ids import tag_of
from exchange_mcp.model.errors import VenueUnreachableError
from exchange_mcp.model.findings import Findings, FoundOrder, Says, Sought, Source, SourceFinding
from exchange_mcp.model.outcomes import Evidence
from exchange_mcp.model.plans import PlannedMarket, WirePlan, WireRequest
from exchange_mcp.model.trading import Effect, Ready, Sighting
from exchange_mcp.model.writes import CancelOrder, OrderType, PlaceOrder, SetLeverage, WriteRequest
from simulation.virtual import EPOCH_MS, Process
from simulation.world import LAG_S, Answer, Request, VenueOrder, World

ACCOUNT: Final = AccountName("main")
SPOT: Final = PlannedMarket(
    symbol="BTC/USDT", market_id="BTCUSDT", market_type=MarketType.SPOT, base="BTC", quote="USDT"
)
PERPETUAL: Final = replace(SPOT, symbol="BTC/USDT:USDT", market_type=MarketType.LINEAR, settle="USDT")
WINDOW_MS: Final = 5_000
_BASES: Final = {
    "private": "https://api.binance.com/api/v3",
    "fapiPrivate": "https://fapi.binance.com/fapi/v1",
}
READ_S: Final = 0.05
LISTS: Final = (Source.OPEN_ORDERS, Source.CLOSED_ORDERS, Source.TRADES)


@dataclass(frozen=True, slots=True)
class Wish:
    """What the model asks for."""

    type: OrderType = OrderType.LIMIT
    price: Decimal | None = Decimal(60_000)
    amount: Decimal = Decimal("0.01")
    is_reduce_only: bool = False


@dataclass(frozen=True, slots=True)
class CancelWish:
    """What the model asks for: the end of one order."""

    client_order_id: str


@dataclass(frozen=True, slots=True)
class LeverageWish:
    """What the model asks for: another leverage."""

    leverage: int


@dataclass(slots=True, eq=False)
class ModelVenue:
    """The port. `at` is called where a process can die; `stalls` are how long it stands still before each signature."""

    world: World
    process: Process
    at: Callable[[str], None] = lambda _: None
    clock_ms: int = 0
    stalls: list[float] = field(default_factory=list[float])
    longest_client_id: int = 36

    async def plan(self, request: object, client_order_id: str) -> Planned:
        await self._reads()
        write = _write(request, client_order_id)
        market = PERPETUAL if isinstance(write, SetLeverage) else SPOT
        plan = WirePlan(
            venue="binance",
            account=ACCOUNT,
            account_id="1001",
            key_id="key",
            environment=Environment.SIM,
            market=market,
            write=write,
            request=_rendered(write),
            window_ms=WINDOW_MS,
        )
        return self._planned(plan)

    async def recheck(self, plan: WirePlan) -> Planned:
        await self._reads()
        return self._planned(plan)

    def _planned(self, plan: WirePlan) -> Planned:
        return Planned(plan=plan, preview={"lines": []}, footing=self._footing(plan))

    def _footing(self, plan: WirePlan) -> Footing:
        write = plan.write
        is_order = isinstance(write, PlaceOrder)
        return Footing(
            effect=("reduces" if write.is_reduce_only else "opens") if is_order else None,
            position_mode=None,
            mid=Decimal(60_000) if is_order else None,
            worst_case=(write.amount or Decimal(0)) * (write.price or Decimal(60_000))
            if is_order
            else Decimal(0),
            is_reduce_enforced=is_order and write.is_reduce_only,
        )

    async def ready(self, plan: WirePlan) -> Ready:
        del plan
        await self._reads()
        return ModelReady(self)

    def venue_ms(self) -> int:
        self.process.alive()
        return self.world.now_ms() + self.clock_ms

    async def find(self, sought: Sought) -> Findings:
        began = self.venue_ms()
        await self._reads()
        orders = self.world.shown()
        since_s = (sought.signed_ms - EPOCH_MS) / 1000 - 1
        found = [o for o in orders if o.client_order_id == sought.client_order_id]
        known = sought.known or next(
            (o.client_order_id for o in orders if o not in found and o.client_order_id), None
        )
        sources = [self._finding(Source.CLIENT_ID, found, [])]
        for source in LISTS:
            listed = [o for o in orders if _lists(source, o)]
            strange = [o for o in listed if o.arrived_s >= since_s and tag_of(o.client_order_id) is None]
            sources.append(self._finding(source, [o for o in listed if o in found], strange))
        control = Says.NO_ANSWER
        if known is not None and self.world.answers(Source.CLIENT_ID.value):
            control = Says.FOUND if any(o.client_order_id == known for o in orders) else Says.NOT_FOUND
        self.at("looked")
        return Findings(
            client_order_id=sought.client_order_id, venue_ms=began, sources=tuple(sources), control=control
        )

    def _finding(self, source: Source, found: list[VenueOrder], strange: list[VenueOrder]) -> SourceFinding:
        if not self.world.answers(source.value):
            return SourceFinding(source=source, says=Says.NO_ANSWER, detail="no answer")
        return SourceFinding(
            source=source,
            says=Says.FOUND if found else Says.NOT_FOUND,
            order=_found(found[0]) if found else None,
            unattributable=tuple(_found(order) for order in strange),
        )

    def absence_terms(self, plan: WirePlan, latest_ms: int) -> AbsenceTerms:
        return AbsenceTerms(
            client_order_id=plan.client_order_id or "",
            latest_ms=latest_ms,
            skew_ms=1_000,
            lag_ms=round(LAG_S * 1000),
            spacing_ms=2_000,
            refuses_late=True,
            sources=frozenset({Source.CLIENT_ID, *LISTS}),
            needs_card=False,
        )

    def effect_terms(self, plan: WirePlan, latest_ms: int) -> EffectTerms:
        terms = self.absence_terms(plan, latest_ms)
        return EffectTerms(
            first_look_ms=terms.first_look_ms, spacing_ms=terms.spacing_ms, refuses_late=terms.refuses_late
        )

    async def seen(self, since_ms: int, symbols: frozenset[str]) -> tuple[Sighting, ...]:
        del symbols  # its lists tell every market
        await self._reads()
        if not all(self.world.answers(source.value) for source in (Source.OPEN_ORDERS, Source.CLOSED_ORDERS)):
            raise VenueUnreachableError("a source did not answer")
        return tuple(
            Sighting(
                order_id=o.order_id, client_order_id=o.client_order_id, market_id="BTCUSDT", placed_ms=placed
            )
            for o in self.world.shown()
            if (placed := EPOCH_MS + round(o.arrived_s * 1000)) >= since_ms
        )

    async def effect_of(self, plan: WirePlan) -> Effect:
        await self._reads()
        if not self.world.answers(Source.CLIENT_ID.value):
            return Effect.UNTOLD
        if isinstance(plan.write, SetLeverage):
            return Effect.DONE if self.world.leverage == plan.write.leverage else Effect.PENDING
        order = next((o for o in self.world.shown() if o.client_order_id == plan.client_order_id), None)
        if order is None:
            return Effect.UNTOLD
        return Effect.DONE if order.is_canceled else Effect.PENDING if order.is_open else Effect.TOO_LATE

    async def _reads(self) -> None:
        await asyncio.sleep(READ_S)
        self.process.alive()


@dataclass(slots=True, eq=False)
class ModelReady:
    """One send in hand."""

    venue: ModelVenue
    is_spent: bool = False

    async def send(self, plan: WirePlan, latest_ms: int) -> Evidence:
        venue, request = self.venue, plan.request
        venue.process.alive()
        if self.is_spent:
            return _evidence(plan, Answer(is_sent=False), is_token_spent=True)
        self.is_spent = True
        if venue.stalls:
            await asyncio.sleep(venue.stalls.pop(0))
        signed_ms = venue.venue_ms()
        if signed_ms + plan.window_ms > latest_ms:
            return _evidence(plan, Answer(is_sent=False, exception="EgressBlockedError"))
        under_way = asyncio.ensure_future(
            venue.world.send(
                Request(request.verb, request.path, request.parameters, signed_ms, plan.window_ms)
            )
        )
        await asyncio.sleep(0)
        venue.at("sent")
        return _evidence(plan, await under_way)

    async def release(self) -> None:
        """Nothing is held."""


def _evidence(plan: WirePlan, answer: Answer, *, is_token_spent: bool = False) -> Evidence:
    return Evidence(
        venue=plan.venue,
        action=plan.action,
        url=f"{_BASES[plan.request.api]}/{plan.request.path}",
        is_sent=answer.is_sent,
        is_token_spent=is_token_spent,
        status=answer.status,
        body=answer.body,
        exception=answer.exception,
        client_order_id=plan.client_order_id,
    )


def _write(request: object, client_order_id: str) -> WriteRequest:
    match request:
        case Wish():
            return PlaceOrder(
                symbol=SPOT.symbol,
                side="buy",
                type=request.type,
                amount=request.amount,
                price=request.price,
                client_order_id=client_order_id,
                is_reduce_only=request.is_reduce_only,
            )
        case CancelWish():
            return CancelOrder(symbol=SPOT.symbol, client_order_id=request.client_order_id)
        case LeverageWish():
            return SetLeverage(symbol=PERPETUAL.symbol, leverage=request.leverage)
        case _:
            raise TypeError(type(request).__name__)


def _rendered(write: WriteRequest) -> WireRequest:
    match write:
        case PlaceOrder():
            fields = {
                "symbol": "BTCUSDT",
                "side": "BUY",
                "type": write.type.value.upper(),
                "quantity": str(write.amount),
                "newClientOrderId": write.client_order_id,
                "newOrderRespType": "RESULT",
            }
            if write.price is not None:
                fields |= {"price": str(write.price), "timeInForce": "GTC"}
            return WireRequest(verb="POST", api="private", path="order", parameters=fields)
        case CancelOrder():
            fields = {"symbol": "BTCUSDT", "origClientOrderId": write.client_order_id or ""}
            return WireRequest(verb="DELETE", api="private", path="order", parameters=fields)
        case SetLeverage():
            wanted = {"symbol": "BTCUSDT", "leverage": write.leverage}
            return WireRequest(verb="POST", api="fapiPrivate", path="leverage", parameters=wanted)


def _lists(source: Source, order: VenueOrder) -> bool:
    return {
        Source.OPEN_ORDERS: order.is_open,
        Source.CLOSED_ORDERS: True,
        Source.TRADES: order.is_filled,
    }[source]


def _found(order: VenueOrder) -> FoundOrder:
    status = "CANCELED" if order.is_canceled else "NEW" if order.is_open else "FILLED"
    return FoundOrder(order_id=order.order_id, client_order_id=order.client_order_id, status=status)
