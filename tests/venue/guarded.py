"""A guarded binance client that may ask everything that is reviewed, over a wire of the test's."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from exchange_mcp.model.accounts import Environment, MarketType
from exchange_mcp.rules.endpoints import Endpoint, EndpointClass
from exchange_mcp.venue.addresses import learn
from exchange_mcp.venue.client import addresses, make_client, shut
from exchange_mcp.venue.egress import Guard
from exchange_mcp.venue.endpoints import table
from exchange_mcp.venue.numbers import ExactNumbers
from exchange_mcp.venue.wire import Loopback, Wire

HOSTS = ("api.binance.com", "fapi.binance.com", "dapi.binance.com")
TYPES = (MarketType.SPOT, MarketType.LINEAR)
KEY = {"apiKey": "test-api-key", "secret": "test-secret"}

ALLOWED: Mapping[EndpointClass, frozenset[Endpoint]] = table("binance").allowed
READS = ALLOWED[EndpointClass.READ]
EVERYTHING: frozenset[Endpoint] = frozenset[Endpoint]().union(*ALLOWED.values())


def market(symbol: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - a ccxt structure
    """A market of steps 0.00001 and ticks 0.01, as ccxt holds it."""
    base, _, rest = symbol.partition("/")
    quote = rest.partition(":")[0]
    is_swap = ":" in symbol
    kinds = ["LIMIT", "MARKET", "STOP_LOSS", "STOP_LOSS_LIMIT", "LIMIT_MAKER", "STOP", "STOP_MARKET"]
    return {
        "id": base + quote,
        "symbol": symbol,
        "base": base,
        "quote": quote,
        "baseId": base,
        "quoteId": quote,
        "settle": quote if is_swap else None,
        "type": "swap" if is_swap else "spot",
        "spot": not is_swap,
        "swap": is_swap,
        "future": False,
        "option": False,
        "margin": False,
        "contract": is_swap,
        "linear": True if is_swap else None,
        "inverse": False if is_swap else None,
        "contractSize": "1" if is_swap else None,
        "active": True,
        "precision": {"amount": "0.00001", "price": "0.01"},
        "limits": {},
        "info": {"orderTypes": kinds},
        **more,
    }


@asynccontextmanager
async def guarded(
    loopback: Loopback, *, endpoints: frozenset[Endpoint] = EVERYTHING, venue: str = "binance"
) -> AsyncGenerator[Any]:
    """The client, with markets and a made-up key."""
    wire = Wire(loopback)
    places = addresses(venue, Environment.SIM, TYPES, endpoints, table(venue).hosts)
    client = make_client(
        venue, Environment.SIM, TYPES, wire=wire, places=places, credentials=KEY, rate_limit=False
    )
    client.set_markets([market("BTC/USDT"), market("BTC/USDT:USDT")])
    try:
        yield client
    finally:
        shut(client)
        await wire.close()


@asynccontextmanager
async def bare(exchange: type, loopback: Loopback, endpoints: frozenset[Endpoint]) -> AsyncGenerator[Any]:
    """A guarded client of any ccxt class that may ask these endpoints."""
    made_up = {"apiKey": "k", "secret": "s", "password": "p"}
    wire = Wire(loopback)
    kind: Any = type(
        "Guarded", (Guard, ExactNumbers, exchange), {"addresses": learn(exchange(made_up), endpoints)}
    )
    client = kind({**made_up, "session": wire, "ssl_context": wire.tls})
    try:
        yield client
    finally:
        shut(client)
        await wire.close()
