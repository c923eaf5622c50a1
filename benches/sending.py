"""What a desk's venue takes to make a write ready, and from there to the venue's answer."""

import asyncio
import time
from decimal import Decimal
from http import HTTPStatus
from pathlib import Path

from benches.figures import Figure, duration
from benches.parties import Simulator
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


async def sends(venue: Simulator, folder: Path) -> list[Figure]:
    """How long it takes to make each order ready, and from there to the venue's answer; one order after another.

    Raises:
        RuntimeError: an order was not accepted.
    """
    key = venue.rendezvous.keys["trader"]
    account = Account(AccountName("main"), "binance", Environment.SIM, (MarketType.SPOT,), has_key=True)
    fields = {"apiKey": key.api_key.reveal(), "secret": key.secret.reveal()}
    where = Loopback(venue.rendezvous.port, venue.rendezvous.ca_pem)
    opening = Opening(account, KeyMaterial("bench", fields), where, rate_limit=False)
    opened = OpenTrading([opening], folder / "cache", SystemClock())
    owner = asyncio.create_task(opened.run())
    readied, answered = list[float](), list[float]()
    try:
        trading = opened.trading["main"]
        for number in range(COUNT):
            plan = await _plan(trading, number)
            began = time.perf_counter()
            ready = await trading.ready(plan)
            had = time.perf_counter()
            evidence = await ready.send(plan, trading.venue_ms() + trading.window_ms + 1_000)
            ended = time.perf_counter()
            await ready.release()
            if evidence.status != HTTPStatus.OK:
                raise RuntimeError(f"the simulated exchange did not take an order: {evidence}")
            if number:  # the first one loads the markets and measures the time
                readied.append(had - began)
                answered.append(ended - had)
    finally:
        owner.cancel()
        await asyncio.gather(owner, return_exceptions=True)
        await opened.close()
    return [
        duration("getting ready to send", readied, limit=None, of="a line with TLS, a slot, the key's turn"),
        duration("send and answer", answered, limit=None, of="signed, sent once, the venue's answer read"),
    ]
