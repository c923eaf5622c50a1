"""What a desk's venue takes to make a write ready, and from there to the venue's answer: one line of figures."""

import asyncio
import statistics
import time
from decimal import Decimal
from http import HTTPStatus
from pathlib import Path
from tempfile import TemporaryDirectory

from benches.parties import simulator
from exchange_mcp.cli.clock import SystemClock
from exchange_mcp.model.accounts import Account, AccountName, Environment, MarketType
from exchange_mcp.model.plans import PlannedMarket, WirePlan
from exchange_mcp.model.trading import TradingVenue
from exchange_mcp.model.writes import OrderType, PlaceOrder
from exchange_mcp.rules.trading import TRADING
from exchange_mcp.venue.opening import KeyMaterial, Opening
from exchange_mcp.venue.trading.opening import OpenTrading
from exchange_mcp.venue.wire import Loopback

# As many as the budget of ten seconds, so that none waits for a slot.
COUNT = TRADING["binance"].budget.writes


async def _plan(venue: TradingVenue, number: int) -> WirePlan:
    order = PlaceOrder(
        symbol="BTC/USDT",
        side="buy",
        type=OrderType.LIMIT,
        amount=Decimal("0.001"),
        price=Decimal("60000.00"),
        client_order_id=f"bench-{number}",
    )
    return WirePlan(
        venue="binance",
        account=venue.account.name,
        account_id=None,
        key_id=venue.key_id,
        environment=venue.account.environment,
        market=PlannedMarket(
            symbol="BTC/USDT", market_id="BTCUSDT", market_type=MarketType.SPOT, base="BTC", quote="USDT"
        ),
        write=order,
        request=await venue.render(order),
        window_ms=venue.window_ms,
    )


async def measured(folder: Path) -> tuple[list[float], list[float]]:
    """Milliseconds of each `ready` and of each `send` with its answer, one order after another.

    Raises:
        RuntimeError: an order was not accepted.
    """
    with simulator(folder / "sim") as running:
        key = running.rendezvous.keys["trader"]
        account = Account(AccountName("main"), "binance", Environment.SIM, (MarketType.SPOT,), has_key=True)
        fields = {"apiKey": key.api_key.reveal(), "secret": key.secret.reveal()}
        where = Loopback(running.rendezvous.port, running.rendezvous.ca_pem)
        opening = Opening(account, KeyMaterial("bench", fields), where, rate_limit=False)
        opened = OpenTrading([opening], folder / "cache", SystemClock())
        owner = asyncio.create_task(opened.run())
        readied, answered = list[float](), list[float]()
        try:
            venue = opened.trading["main"]
            for number in range(COUNT):
                plan = await _plan(venue, number)
                began = time.perf_counter()
                ready = await venue.ready(plan)
                had = time.perf_counter()
                evidence = await ready.send(plan, venue.venue_ms() + venue.window_ms + 1_000)
                ended = time.perf_counter()
                await ready.release()
                if evidence.status != HTTPStatus.OK:
                    raise RuntimeError(f"the simulated exchange did not take an order: {evidence}")
                if number:  # the first one loads the markets and measures the time
                    readied.append((had - began) * 1000)
                    answered.append((ended - had) * 1000)
        finally:
            owner.cancel()
            await asyncio.gather(owner, return_exceptions=True)
            await opened.close()
        return readied, answered


def main() -> None:
    """Print medians and worst."""
    with TemporaryDirectory() as folder:
        parts = asyncio.run(measured(Path(folder)))
    for name, figures in zip(("ready", "send and answer"), parts, strict=True):
        print(
            f"{name:16} median {statistics.median(figures):6.2f} ms   worst of {len(figures)} {max(figures):6.2f} ms"
        )


if __name__ == "__main__":
    main()
