"""What becomes of resting orders while nobody looks."""

from decimal import Decimal

from exchange_mcp.sim.digits import fixed

from .clients import NOON_MS, Json
from .direct import Direct

SEED = 4
"""In the hour after noon this seed's bitcoin goes both up and down."""

SPOT_ORDER, USDM_ORDER = "/api/v3/order", "/fapi/v1/order"
CENT = Decimal("0.01")


def sold_above(venue: Direct, ticks: int, quantity: str = "0.01") -> tuple[Json, Decimal]:
    price = venue.spot_last() + ticks * CENT
    terms = {"symbol": "BTCUSDT", "side": "SELL", "type": "LIMIT", "timeInForce": "GTC"}
    return venue.ok("POST", SPOT_ORDER, **terms, quantity=quantity, price=fixed(price, 2)), price


def first_at(venue: Direct, price: Decimal) -> int:
    tape = venue.exchange.spot("BTCUSDT").tape
    ticks = int(price / CENT)
    return next(at for at in range(NOON_MS + 1, NOON_MS + 3_600_000) if tape.last(at) >= ticks)


def test_a_resting_order_is_filled_as_a_maker_when_the_price_first_gets_there() -> None:
    venue = Direct(seed=SEED)
    placed, price = sold_above(venue, 1_000)
    at = first_at(venue, price)
    venue.clock.now = at - 1
    assert venue.ok("GET", SPOT_ORDER, symbol="BTCUSDT", orderId=placed["orderId"])["status"] == "NEW"
    venue.clock.now = at + 60_000
    [trade] = venue.ok("GET", "/api/v3/myTrades", symbol="BTCUSDT")
    assert (trade["time"], trade["price"], trade["qty"], trade["isMaker"]) == (
        at,
        fixed(price),
        "0.01000000",
        True,
    )
    # Commission of 0.1 % in what a sale earns.
    assert trade["commission"] == fixed(price * Decimal("0.01") * Decimal("0.001"))


def test_what_is_looked_at_often_and_what_is_looked_at_once_ends_the_same() -> None:
    often, once = Direct(seed=SEED), Direct(seed=SEED)
    for venue in (often, once):
        for ticks in (500, 1_000, 2_000, 90_000):
            sold_above(venue, ticks)
    for _ in range(60):
        often.clock.now += 60_000
        often.ok("GET", "/api/v3/account")
    once.clock.now = often.clock.now
    assert often.ok("GET", "/api/v3/account") == once.ok("GET", "/api/v3/account")
    orders = [venue.ok("GET", "/api/v3/allOrders", symbol="BTCUSDT") for venue in (often, once)]
    assert orders[0] == orders[1]
    assert len(often.ok("GET", "/api/v3/myTrades", symbol="BTCUSDT")) == 3


def test_a_stop_sells_at_the_market_of_the_moment_at_which_it_is_triggered() -> None:
    venue = Direct(seed=SEED)
    price = venue.spot_last() - 10
    terms = {"symbol": "BTCUSDT", "side": "SELL", "type": "STOP_LOSS", "quantity": "0.01"}
    number = venue.ok("POST", SPOT_ORDER, **terms, stopPrice=fixed(price, 2))["orderId"]
    tape = venue.exchange.spot("BTCUSDT").tape
    at = next(ms for ms in range(NOON_MS + 1, NOON_MS + 3_600_000) if tape.last(ms) * CENT <= price)
    venue.clock.now += 3_600_000
    after = venue.ok("GET", SPOT_ORDER, symbol="BTCUSDT", orderId=number)
    assert (after["status"], after["workingTime"], after["isWorking"]) == ("FILLED", at, True)
    best = tape.bids(at, 1)[0].ticks * CENT
    assert Decimal(after["cummulativeQuoteQty"]) == best * Decimal("0.01")


def test_a_stop_with_a_price_rests_at_its_price_once_it_is_triggered() -> None:
    venue = Direct(seed=SEED)
    price = venue.spot_last() - 10
    terms = {"symbol": "BTCUSDT", "side": "SELL", "type": "STOP_LOSS_LIMIT", "timeInForce": "GTC"}
    terms |= {"quantity": "0.01", "stopPrice": fixed(price, 2), "price": fixed(price * 2, 2)}
    number = venue.ok("POST", SPOT_ORDER, **terms)["orderId"]
    venue.clock.now += 3_600_000
    after = venue.ok("GET", SPOT_ORDER, symbol="BTCUSDT", orderId=number)
    assert (after["status"], after["isWorking"], after["executedQty"]) == ("NEW", True, "0.00000000")


def test_a_stop_that_buys_spends_no_more_than_there_is() -> None:
    venue = Direct(seed=SEED)
    trigger = venue.spot_last() + 10
    # All of the wallet at the trigger price, and more than the best offer: the market asks for more than that.
    venue.account.spot["USDT"] = venue.account.orders.locked("USDT") + 5 * trigger
    terms = {"symbol": "BTCUSDT", "side": "BUY", "type": "STOP_LOSS", "quantity": "5"}
    number = venue.ok("POST", SPOT_ORDER, **terms, stopPrice=fixed(trigger, 2))["orderId"]
    venue.clock.now += 3_600_000
    after = venue.ok("GET", SPOT_ORDER, symbol="BTCUSDT", orderId=number)
    assert after["status"] == "EXPIRED"
    assert Decimal("4.9") < Decimal(after["executedQty"]) < 5
    # What is left buys not one step of 0.00001 BTC more.
    assert 0 <= venue.account.free("USDT") < 2


def test_a_resting_order_that_only_reduces_takes_what_is_left_of_the_position() -> None:
    venue = Direct(seed=SEED)
    terms = {"symbol": "BTCUSDT", "side": "SELL", "timeInForce": "GTC", "reduceOnly": "true"}
    price = fixed(venue.usdm_last() + 5, 1)
    resting = venue.ok("POST", USDM_ORDER, **terms, type="LIMIT", quantity="0.250", price=price)["orderId"]
    market = {"symbol": "BTCUSDT", "side": "SELL", "type": "MARKET", "quantity": "0.100"}
    venue.ok("POST", USDM_ORDER, **market)
    venue.clock.now += 3_600_000
    after = venue.ok("GET", USDM_ORDER, symbol="BTCUSDT", orderId=resting)
    # By hand: 0.250 long, less 0.100
    assert (after["status"], after["executedQty"]) == ("EXPIRED", "0.150")


def test_what_was_due_before_a_write_has_happened_when_the_write_is_done() -> None:
    venue = Direct(seed=SEED)
    placed, price = sold_above(venue, 1_000)
    venue.clock.now = first_at(venue, price)
    which = {"symbol": "BTCUSDT", "orderId": placed["orderId"]}
    assert venue.refusal("DELETE", SPOT_ORDER, **which) == (-2011, "Unknown order sent.")


def test_a_resting_contract_order_is_filled_with_the_makers_rate() -> None:
    venue = Direct(seed=SEED)
    price = venue.usdm_last() + 5
    terms = {"symbol": "BTCUSDT", "side": "SELL", "type": "LIMIT", "timeInForce": "GTC"}
    venue.ok("POST", USDM_ORDER, **terms, quantity="0.010", price=fixed(price, 1))
    venue.clock.now += 3_600_000
    [trade] = venue.ok("GET", "/fapi/v1/userTrades", symbol="BTCUSDT")
    assert (trade["price"], trade["maker"]) == (fixed(price, 2), True)
    # 0.02 % of the notional
    assert trade["commission"] == fixed(price * Decimal("0.010") * Decimal("0.0002"))
