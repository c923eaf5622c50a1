"""Venues as the desk opens them, over the simulated exchange, and plans as a desk makes them."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.plans import PlannedMarket, WirePlan
from exchange_mcp.model.trading import TradingVenue
from exchange_mcp.model.writes import CancelOrder, OrderType, PlaceOrder, SetLeverage, WriteRequest
from exchange_mcp.sim import SimulatedExchange
from exchange_mcp.sim.clock import SystemClock
from exchange_mcp.venue.keys import KeyCare
from exchange_mcp.venue.opening import Opening
from exchange_mcp.venue.trading.opening import OpenTrading
from venue.opened import LINEAR, SPOT, simulated

BTC, PERPETUAL = "BTC/USDT", "BTC/USDT:USDT"


@dataclass
class MachineClock:
    """The machine's clock as the desk has it, and as far off as a test sets it."""

    off_ms: int = 0
    asked: list[int] = field(default_factory=list[int])

    def now_ms(self) -> int:
        return SystemClock().now_ms() + self.off_ms

    def monotonic(self) -> float:
        return asyncio.get_running_loop().time()


def traders(
    sim: SimulatedExchange,
    name: str = "main",
    *,
    key: str = "trader",
    types: tuple[MarketType, ...] = (SPOT, LINEAR),
    may_transfer: bool = False,
) -> Opening:
    """An account of the desk's."""
    opening = simulated(sim, name, key=key, types=types)
    return Opening(
        opening.account, opening.key, opening.loopback, opening.instance, may_transfer=may_transfer
    )


@asynccontextmanager
async def trading(
    *openings: Opening,
    cache: Path,
    clock: Any = None,  # noqa: ANN401 - any clock
    spare: Callable[[float], Awaitable[None]] = asyncio.sleep,
    care: KeyCare | None = None,
) -> AsyncGenerator[OpenTrading]:
    """The venues of these accounts, owned and closed as the desk does."""
    opened = OpenTrading(openings, cache, clock or MachineClock(), spare=spare, care=care)
    owner = asyncio.create_task(opened.run())
    try:
        yield opened
    finally:
        owner.cancel()
        with suppress(asyncio.CancelledError):
            await owner
        await opened.close()


def market(symbol: str) -> PlannedMarket:
    """A market as the simulated exchange lists it."""
    base, _, rest = symbol.partition("/")
    quote, _, settle = rest.partition(":")
    return PlannedMarket(
        symbol=symbol,
        market_id=base + quote,
        market_type=LINEAR if settle else SPOT,
        base=base,
        quote=quote,
        settle=settle or None,
    )


async def planned(venue: TradingVenue, write: WriteRequest) -> WirePlan:
    """The plan of a write, as a desk makes it."""
    return WirePlan(
        venue=venue.account.venue,
        account=venue.account.name,
        account_id=venue.account_id(),
        key_id=venue.key_id,
        environment=venue.account.environment,
        market=market(write.symbol),
        write=write,
        request=await venue.render(write),
        window_ms=venue.window_ms,
    )


def a_limit(client_order_id: str, symbol: str = BTC, price: str = "60000.0") -> PlaceOrder:
    """A buy that rests, unless told another price."""
    return PlaceOrder(
        symbol=symbol,
        side="buy",
        type=OrderType.LIMIT,
        amount=Decimal("0.002"),
        price=Decimal(price),
        client_order_id=client_order_id,
    )


def a_market(client_order_id: str, symbol: str = BTC, amount: str = "0.002") -> PlaceOrder:
    """A buy at what the book gives."""
    return PlaceOrder(
        symbol=symbol,
        side="buy",
        type=OrderType.MARKET,
        amount=Decimal(amount),
        client_order_id=client_order_id,
    )


def a_stop(client_order_id: str) -> PlaceOrder:
    """A protective stop far below the market."""
    return PlaceOrder(
        symbol=PERPETUAL,
        side="sell",
        type=OrderType.STOP_MARKET,
        amount=Decimal("0.1"),
        trigger_price=Decimal("60000.0"),
        client_order_id=client_order_id,
        is_reduce_only=True,
    )


def a_cancel(client_order_id: str, symbol: str = BTC, *, is_conditional: bool = False) -> CancelOrder:
    """Of the order with this id."""
    return CancelOrder(symbol=symbol, client_order_id=client_order_id, is_conditional=is_conditional)


def a_leverage(leverage: int) -> SetLeverage:
    """Of the perpetual."""
    return SetLeverage(symbol=PERPETUAL, leverage=leverage)


def latest(venue: TradingVenue) -> int:
    """The deadline that a claim of this moment states."""
    return venue.venue_ms() + venue.window_ms + 1_000


async def sent(venue: TradingVenue, plan: WirePlan) -> Any:  # noqa: ANN401 - evidence
    """Make it ready, send it, give everything back."""
    ready = await venue.ready(plan)
    try:
        return await ready.send(plan, latest(venue))
    finally:
        await ready.release()
