"""A re-check at the desk: everything that a plan rests on, read again and planned again, against its slowest read."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from benches.figures import Figure, ratio
from benches.parties import Simulator
from exchange_mcp.cli.clock import SystemClock
from exchange_mcp.desk.trading.limits import PolicyLimits
from exchange_mcp.desk.trading.opening import desk_venues
from exchange_mcp.desk.trading.situation import LEVELS
from exchange_mcp.desk.trading.venue import TradingDeskVenue
from exchange_mcp.model.accounts import Account, AccountName, Environment, MarketType
from exchange_mcp.model.ports import ReadVenue
from exchange_mcp.orders.requests import OrderRequest
from exchange_mcp.policy.loading import judge_policy
from exchange_mcp.policy.policy import Policy
from exchange_mcp.venue.opening import KeyMaterial, Opening
from exchange_mcp.venue.trading.opening import OpenTrading
from exchange_mcp.venue.wire import Loopback

ROUNDS: Final = 60
WARM: Final = 5
# One round trip deep: a second one after the book's would take it beyond this.
MOST_RATIO: Final = 2.0

_MAIN: Final = AccountName("main")
_POLICY: Final[dict[str, Any]] = {
    "reference": "USDT",
    "accounts": ["main"],
    "symbols": ["BTC/USDT", "BTC/USDT:USDT"],
    "order_types": ["limit"],
    "max_order_notional": 1_000,
    "max_daily_notional": 5_000,
    "max_price_distance_percent": Decimal(50),
    "max_open_orders": 100,
    "max_orders_per_minute": 100,
    "max_leverage": 20,
    "max_daily_loss": 1_000,
}


async def rechecks(venue: Simulator, folder: Path) -> list[Figure]:
    """Of a spot and of a contract order, in turn with the book alone, which is the slowest of what is read."""
    figures: list[Figure] = []
    async with _opened(venue, folder) as (desk, reading):
        for symbol in ("BTC/USDT", "BTC/USDT:USDT"):
            request = OrderRequest.model_validate(
                {"symbol": symbol, "side": "buy", "type": "limit", "amount": "0.002", "price": "90000"}
            )
            plan = (await desk.plan(request, "bench0001")).plan

            async def book(symbol: str = symbol) -> None:
                (source,) = reading.order_book(symbol, LEVELS).reads
                await source.read()

            rounds: list[tuple[float, float]] = []
            for number in range(ROUNDS + WARM):
                pair = (await _timed(lambda plan=plan: desk.recheck(plan)), await _timed(book))
                if number >= WARM:
                    rounds.append(pair)
            figures.append(ratio(f"a re-check, {symbol}", rounds, limit=MOST_RATIO, against="the book alone"))
    return figures


async def _timed(call: Callable[[], Awaitable[object]]) -> float:
    since = time.perf_counter()
    await call()
    return time.perf_counter() - since


@asynccontextmanager
async def _opened(venue: Simulator, folder: Path) -> AsyncGenerator[tuple[TradingDeskVenue, ReadVenue]]:
    key = venue.rendezvous.keys["trader"]
    account = Account(_MAIN, "binance", Environment.SIM, (MarketType.SPOT, MarketType.LINEAR), has_key=True)
    opening = Opening(
        account=account,
        key=KeyMaterial("trader", {"apiKey": key.api_key.reveal(), "secret": key.secret.reveal()}),
        loopback=Loopback(venue.rendezvous.port, venue.rendezvous.ca_pem),
        instance="bench",
        rate_limit=False,
    )
    clock, limits = SystemClock(), PolicyLimits(_policy())
    opened = OpenTrading((opening,), folder / "cache", clock)
    owner = asyncio.create_task(opened.run())
    try:
        trading = opened.trading[_MAIN]
        yield desk_venues((trading,), limits, clock)[_MAIN], trading.reading
    finally:
        owner.cancel()
        with suppress(asyncio.CancelledError):
            await owner
        await opened.close()


def _policy() -> Policy:
    outcome = judge_policy(_POLICY, configured=None)
    if not isinstance(outcome, Policy):
        raise TypeError(f"the bench's policy: {outcome}")
    return outcome
