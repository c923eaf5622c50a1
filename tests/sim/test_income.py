"""What a USD-M account earned and paid: an entry for the profit and one for the commission of each trade."""

from decimal import Decimal
from typing import Any

import pytest

from exchange_mcp.sim import SimulatedExchange

from .clients import NOON_MS, StillClock, binance, http

pytestmark = pytest.mark.anyio


async def entries(sim: SimulatedExchange, clock: StillClock, **asked: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - ccxt's
    async with http(sim.port, sim.ca_pem) as session:
        client = binance(session, sim, "trader", clock=clock)
        found: list[dict[str, Any]] = await client.fapiPrivateGetIncome(asked)
        return found


async def test_a_trade_that_closes_tells_its_profit_and_its_commission() -> None:
    clock = StillClock()
    async with SimulatedExchange(seed=1, clock=clock).serving() as sim:
        assert await entries(sim, clock) == []
        async with http(sim.port, sim.ca_pem) as session:
            client = binance(session, sim, "trader", clock=clock)
            asked = {"symbol": "BTCUSDT", "side": "SELL", "type": "MARKET", "quantity": "0.1"}
            await client.fapiPrivatePostOrder(asked)
            trades = await client.fapiPrivateGetUserTrades({"symbol": "BTCUSDT"})
        found = await entries(sim, clock)
        by_kind = {
            kind: [Decimal(e["income"]) for e in found if e["incomeType"] == kind]
            for kind in ("REALIZED_PNL", "COMMISSION")
        }
        assert by_kind["REALIZED_PNL"] == [Decimal(trade["realizedPnl"]) for trade in trades]
        assert by_kind["COMMISSION"] == [-Decimal(trade["commission"]) for trade in trades]
        assert {(e["symbol"], e["asset"], int(e["time"])) for e in found} == {("BTCUSDT", "USDT", NOON_MS)}
        # Page by page, of one kind, of another market, of later: what the page's parameters say.
        assert [await entries(sim, clock, limit=1, page=p) for p in (1, 2)] == [[found[0]], [found[1]]]
        assert {e["incomeType"] for e in await entries(sim, clock, incomeType="COMMISSION")} == {"COMMISSION"}
        assert await entries(sim, clock, symbol="ETHUSDT") == []
        assert await entries(sim, clock, startTime=NOON_MS + 1) == []
