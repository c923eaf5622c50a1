"""Trading with an unmodified ccxt over loopback: what its unified methods send, and what they make of answers."""

from collections.abc import AsyncGenerator
from decimal import Decimal

import aiohttp
import pytest

from exchange_mcp.sim import SimulatedExchange

from .clients import Ccxt, StillClock, binance, ccxt

pytestmark = pytest.mark.anyio

PAIR, CONTRACT = "BTC/USDT", "BTC/USDT:USDT"
BOTH = pytest.mark.parametrize("symbol", [PAIR, CONTRACT])


@pytest.fixture
def clock(fresh: SimulatedExchange) -> StillClock:
    assert isinstance(fresh.clock, StillClock)
    return fresh.clock


@pytest.fixture
async def trader(
    fresh: SimulatedExchange, fresh_session: aiohttp.ClientSession, clock: StillClock
) -> AsyncGenerator[Ccxt]:
    client = binance(fresh_session, fresh, "trader", clock=clock)
    await client.load_markets()
    yield client
    await client.close()


async def price(client: Ccxt, symbol: str, share: float) -> float:
    return (await client.fetch_ticker(symbol))["last"] * share


@BOTH
async def test_a_limit_order_lives_from_placing_to_cancelling(trader: Ccxt, symbol: str) -> None:
    at = await price(trader, symbol, 0.96)
    placed = await trader.create_order(symbol, "limit", "buy", 0.01, at, {"clientOrderId": "mine"})
    assert (placed["status"], placed["clientOrderId"], placed["filled"]) == ("open", "mine", 0)
    for found in (
        await trader.fetch_order(placed["id"], symbol),
        await trader.fetch_order(None, symbol, {"clientOrderId": "mine"}),
        (await trader.fetch_open_orders(symbol))[-1],
        (await trader.fetch_orders(symbol))[-1],
    ):
        assert (found["id"], found["price"], found["amount"], found["status"]) == (
            placed["id"],
            placed["price"],
            0.01,
            "open",
        )
    assert (await trader.cancel_order(placed["id"], symbol))["status"] == "canceled"
    assert (await trader.fetch_order(placed["id"], symbol))["status"] == "canceled"
    with pytest.raises(ccxt.OrderNotFound, match="-2011"):
        await trader.cancel_order(None, symbol, {"clientOrderId": "mine"})


@BOTH
async def test_a_market_order_is_closed_with_its_trade(trader: Ccxt, symbol: str) -> None:
    placed = await trader.create_order(symbol, "market", "buy", 0.01)
    assert (placed["status"], placed["filled"], placed["remaining"]) == ("closed", 0.01, 0)
    assert [order["id"] for order in await trader.fetch_closed_orders(symbol)] == [placed["id"]]
    [trade] = await trader.fetch_my_trades(symbol)
    assert (trade["order"], trade["side"], trade["takerOrMaker"]) == (placed["id"], "buy", "taker")
    assert trade["price"] == placed["average"]
    # 0.1 % of the 0.01 BTC bought on spot; 0.05 % of the notional, in USDT, on the contract
    fee = (0.00001, "BTC") if symbol == PAIR else (trade["cost"] * 0.0005, "USDT")
    assert (trade["fee"]["cost"], trade["fee"]["currency"]) == (pytest.approx(fee[0]), fee[1])


@BOTH
async def test_ccxt_names_what_is_refused(trader: Ccxt, symbol: str) -> None:
    at = await price(trader, symbol, 0.96)
    await trader.create_order(symbol, "limit", "buy", 0.01, at, {"clientOrderId": "mine"})
    with pytest.raises(ccxt.InvalidOrder, match=r"-2010|-4116"):
        await trader.create_order(symbol, "limit", "buy", 0.01, at, {"clientOrderId": "mine"})
    with pytest.raises(ccxt.InsufficientFunds, match="insufficient"):
        await trader.create_order(symbol, "limit", "buy", 9, at)
    with pytest.raises(ccxt.OrderNotFound, match="-2013"):
        await trader.fetch_order("77", symbol)
    too_small = ccxt.BadRequest if symbol == PAIR else ccxt.InvalidOrder
    with pytest.raises(too_small, match=r"-1013|-4164"):
        await trader.create_order(symbol, "limit", "buy", 0.00001 if symbol == PAIR else 0.001, 50_000)


async def test_a_spot_market_order_can_name_its_cost(trader: Ccxt) -> None:
    placed = await trader.create_market_buy_order_with_cost(PAIR, 250)
    assert 248 < placed["cost"] <= 250


@BOTH
async def test_a_post_only_order_rests_or_is_refused(trader: Ccxt, symbol: str) -> None:
    low, high = await price(trader, symbol, 0.96), await price(trader, symbol, 1.01)
    placed = await trader.create_order(symbol, "limit", "buy", 0.01, low, {"postOnly": True})
    assert (await trader.fetch_order(placed["id"], symbol))["postOnly"] is True
    with pytest.raises((ccxt.InvalidOrder, ccxt.OrderImmediatelyFillable), match=r"immediately match|-5022"):
        await trader.create_order(symbol, "limit", "buy", 0.01, high, {"postOnly": True})


async def test_a_spot_stop_is_sent_as_the_venue_calls_it(trader: Ccxt) -> None:
    at = await price(trader, PAIR, 0.96)
    market = await trader.create_order(PAIR, "market", "sell", 0.01, None, {"stopLossPrice": at})
    limit = await trader.create_order(PAIR, "limit", "sell", 0.01, at, {"stopLossPrice": at})
    kinds = [(await trader.fetch_order(order["id"], PAIR))["info"]["type"] for order in (market, limit)]
    assert kinds == ["STOP_LOSS", "STOP_LOSS_LIMIT"]


async def test_a_conditional_order_has_a_life_of_its_own(trader: Ccxt) -> None:
    at = await price(trader, CONTRACT, 0.9)
    terms = {"triggerPrice": at, "reduceOnly": True, "clientOrderId": "guard"}
    placed = await trader.create_order(CONTRACT, "market", "sell", 0.1, None, terms)
    assert (placed["status"], placed["clientOrderId"], placed["reduceOnly"]) == ("open", "guard", True)
    by_number = await trader.fetch_order(placed["id"], CONTRACT, {"trigger": True})
    by_client = await trader.fetch_order(None, CONTRACT, {"trigger": True, "clientOrderId": "guard"})
    assert by_number == by_client == placed
    assert placed["id"] in [
        order["id"] for order in await trader.fetch_open_orders(CONTRACT, params={"trigger": True})
    ]
    with pytest.raises(ccxt.OrderNotFound):
        await trader.fetch_order(placed["id"], CONTRACT)
    await trader.cancel_order(placed["id"], CONTRACT, {"trigger": True})
    [*_, last] = await trader.fetch_orders(CONTRACT, params={"trigger": True})
    assert (last["id"], last["status"]) == (placed["id"], "canceled")


async def test_a_stop_that_would_trigger_at_once_is_refused(trader: Ccxt) -> None:
    at = await price(trader, CONTRACT, 1.01)
    with pytest.raises(ccxt.OrderImmediatelyFillable, match="-2021"):
        await trader.create_order(CONTRACT, "market", "sell", 0.1, None, {"triggerPrice": at})


async def test_an_order_that_only_reduces_is_refused_without_a_position(trader: Ccxt) -> None:
    with pytest.raises(ccxt.InvalidOrder, match="-2022"):
        await trader.create_order("SOL/USDT:USDT", "market", "sell", 1, None, {"reduceOnly": True})


async def test_a_leverage_is_set_and_read_back(trader: Ccxt) -> None:
    await trader.set_leverage(7, CONTRACT)
    assert (await trader.fetch_leverage(CONTRACT))["longLeverage"] == 7
    with pytest.raises(ccxt.BadRequest, match="-4028"):
        await trader.set_leverage(100, "XRP/USDT:USDT")


async def test_a_hedged_account_is_traded_by_leg(
    fresh: SimulatedExchange, fresh_session: aiohttp.ClientSession, clock: StillClock
) -> None:
    client = binance(fresh_session, fresh, "trader-alt", clock=clock)
    await client.create_order("ETH/USDT:USDT", "market", "buy", 0.1, None, {"hedged": True})
    await client.create_order(
        "ETH/USDT:USDT", "market", "buy", 0.3, None, {"hedged": True, "reduceOnly": True}
    )
    rows = await client.fetch_positions(["ETH/USDT:USDT"])
    # 2.0 long and 0.8 short at the opening
    assert [(row["side"], row["contracts"]) for row in rows] == [("long", 2.1), ("short", 0.5)]
    await client.close()


@BOTH
async def test_a_reader_places_nothing(
    fresh: SimulatedExchange, fresh_session: aiohttp.ClientSession, clock: StillClock, symbol: str
) -> None:
    client = binance(fresh_session, fresh, "reader", clock=clock)
    with pytest.raises(ccxt.AuthenticationError, match="-2015"):
        await client.create_order(symbol, "market", "buy", 0.01)
    assert {record.source for record in fresh.control.orders()} == {"seed"}
    await client.close()


async def test_the_venues_record_of_orders_has_every_one_that_it_accepted(
    fresh: SimulatedExchange, trader: Ccxt, clock: StillClock
) -> None:
    at = await price(trader, PAIR, 0.96)
    await trader.create_order(PAIR, "limit", "buy", 0.01, at, {"clientOrderId": "one"})
    await trader.create_order(CONTRACT, "market", "sell", 0.02, None, {"clientOrderId": "two"})
    terms = {"triggerPrice": await price(trader, CONTRACT, 0.999), "clientOrderId": "three"}
    await trader.create_order(CONTRACT, "market", "sell", 0.03, None, terms)
    with pytest.raises(ccxt.InvalidOrder):
        await trader.create_order(PAIR, "limit", "buy", 0.01, at, {"clientOrderId": "one"})
    clock.now += 3_600_000  # within this hour the contract falls by more than a thousandth
    sent = [record for record in fresh.control.orders("main") if record.source != "seed"]
    assert [(record.market, record.type, record.quantity, record.source) for record in sent] == [
        ("spot", "LIMIT", "0.01000000", "api"),
        ("usdm", "MARKET", "0.020", "api"),
        ("usdm", "MARKET", "0.030", "algo"),
        ("usdm-algo", "STOP_MARKET", "0.030", "api"),
    ]
    assert [record.client_order_id for record in sent if record.source == "api"] == ["one", "two", "three"]
    assert [record.status for record in sent[1:]] == ["FILLED", "FILLED", "FINISHED"]
    assert {record.account for record in fresh.control.orders()} == {"main", "alt"}


async def test_the_log_counts_what_was_asked_for_by_the_clients_id(
    fresh: SimulatedExchange, trader: Ccxt
) -> None:
    fresh.control.clear_requests()
    await trader.create_order(PAIR, "market", "buy", 0.01, None, {"clientOrderId": "one"})
    terms = {"triggerPrice": await price(trader, CONTRACT, 0.9), "clientOrderId": "two"}
    await trader.create_order(CONTRACT, "market", "sell", 0.01, None, terms)
    await trader.cancel_order(None, CONTRACT, {"trigger": True, "clientOrderId": "two"})
    at = await price(trader, PAIR, 0.96)
    placed = await trader.create_order(PAIR, "limit", "buy", 0.01, at, {"clientOrderId": "three"})
    cancel = {"symbol": "BTCUSDT", "origClientOrderId": placed["clientOrderId"], "newClientOrderId": "end"}
    await trader.privateDeleteOrder(cancel)
    writes = [entry for entry in fresh.control.requests() if entry.is_write]
    assert [(entry.method, entry.client_order_id, entry.symbol, entry.side) for entry in writes] == [
        ("POST", "one", "BTCUSDT", "BUY"),
        ("POST", "two", "BTCUSDT", "SELL"),
        ("DELETE", "two", "BTCUSDT", None),
        ("POST", "three", "BTCUSDT", "BUY"),
        ("DELETE", "three", "BTCUSDT", None),
    ]
    assert "signature=*" in writes[0].body
    assert fresh.keys["trader"].secret not in str(writes)
    reads = [entry for entry in fresh.control.requests() if not entry.is_write]
    assert {(entry.client_order_id, entry.symbol) for entry in reads} == {(None, None)}


async def test_margins_after_a_trade_follow_the_vendors_formula(trader: Ccxt) -> None:
    await trader.create_order(CONTRACT, "market", "buy", 0.1)
    row = next(row for row in await trader.fapiPrivateV3GetPositionRisk() if row["symbol"] == "BTCUSDT")
    notional = Decimal("0.350") * Decimal(row["markPrice"])
    assert Decimal(row["positionAmt"]) == Decimal("0.350")
    assert abs(Decimal(row["positionInitialMargin"]) - notional / 10) < Decimal("0.00000001")
    # Below 50,000 USDT: the first bracket, 0.4 %.
    assert abs(Decimal(row["maintMargin"]) - notional * Decimal("0.004")) < Decimal("0.00000001")
