"""The writes that are sent through the proxy, and what the venue itself says became of each."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from exchange_mcp.model.accounts import Environment, MarketType
from exchange_mcp.model.findings import Sought
from exchange_mcp.model.plans import PlannedMarket
from exchange_mcp.model.writes import CancelOrder, OrderType, PlaceOrder, SetLeverage, WriteRequest
from exchange_mcp.rules.endpoints import EndpointClass
from exchange_mcp.sim import SimulatedExchange
from exchange_mcp.venue.client import addresses, make_client, shut
from exchange_mcp.venue.endpoints import table
from exchange_mcp.venue.wire import Loopback, Wire
from exchange_mcp.venue.writes import Sent, cancel_order, place_order, set_leverage
from venue.guarded import ALLOWED, EVERYTHING, TYPES

IN_2100_MS = 4_102_444_800_000
SPOT, SWAP = "BTC/USDT", "BTC/USDT:USDT"


def planned(symbol: str) -> PlannedMarket:
    """A market as the simulated exchange lists it."""
    is_spot = symbol == SPOT
    return PlannedMarket(
        symbol=symbol,
        market_id="BTCUSDT",
        market_type=MarketType.SPOT if is_spot else MarketType.LINEAR,
        base="BTC",
        quote="USDT",
        settle=None if is_spot else "USDT",
    )


@dataclass
class OffsetClock:
    """A venue's clock: that of the machine, and as far ahead of it as it was moved."""

    base: Callable[[], int]
    ahead: int = 0

    def now_ms(self) -> int:
        return self.base() + self.ahead


@asynccontextmanager
async def client_of(
    sim: SimulatedExchange,
    loopback: Loopback,
    markets_of: Any = None,  # noqa: ANN401 - ccxt is untyped
    label: str = "trader",
) -> AsyncGenerator[Any]:
    """A guarded client with a key of the simulated exchange, over any way to it."""
    key, wire = sim.keys[label], Wire(loopback)
    client = make_client(
        "binance",
        Environment.SIM,
        TYPES,
        wire=wire,
        places=addresses("binance", Environment.SIM, TYPES, EVERYTHING, table("binance").hosts),
        credentials={"apiKey": key.api_key, "secret": key.secret},
        rate_limit=False,
    )
    if markets_of is not None:
        client.set_markets_from_exchange(markets_of)
    try:
        yield client
    finally:
        shut(client)
        await wire.close()


def a_limit(symbol: str, client_order_id: str, amount: str = "0.002") -> PlaceOrder:
    """A buy far below the market."""
    return PlaceOrder(
        symbol=symbol,
        side="buy",
        type=OrderType.LIMIT,
        amount=Decimal(amount),
        price=Decimal("60000.0"),
        client_order_id=client_order_id,
    )


def a_stop(client_order_id: str) -> PlaceOrder:
    """A protective stop far below the market."""
    return PlaceOrder(
        symbol=SWAP,
        side="sell",
        type=OrderType.STOP_MARKET,
        amount=Decimal("0.1"),
        trigger_price=Decimal("60000.0"),
        client_order_id=client_order_id,
        is_reduce_only=True,
    )


def sought(write: PlaceOrder, signed_ms: int, known: str | None = None) -> Sought:
    """The order of a write."""
    return Sought(
        market=planned(write.symbol),
        client_order_id=write.client_order_id,
        signed_ms=signed_ms,
        is_conditional=write.type.has_trigger,
        known=known,
    )


def allowed(write: WriteRequest) -> Any:  # noqa: ANN401 - a set of endpoints
    """The endpoints that this write may use."""
    match write:
        case PlaceOrder():
            return ALLOWED[EndpointClass.ORDER]
        case CancelOrder():
            return ALLOWED[EndpointClass.CANCEL]
        case SetLeverage():
            return ALLOWED[EndpointClass.LEVERAGE]


async def send(client: Any, rendered: Any) -> Sent:  # noqa: ANN401 - as above
    """Send it by the function of its kind."""
    functions = {PlaceOrder: place_order, CancelOrder: cancel_order, SetLeverage: set_leverage}
    return await functions[type(rendered.request)](
        client, rendered, allowed(rendered.request), latest_ms=IN_2100_MS
    )


def orders(sim: SimulatedExchange, client_order_id: str) -> list[str]:
    """The status of every order that the venue ever took under this id."""
    return [each.status for each in sim.control.orders("main") if each.client_order_id == client_order_id]


def leverage(sim: SimulatedExchange) -> int:
    """What is in force on the contract."""
    return sim.exchange.accounts["main"].leverage["BTCUSDT"]
