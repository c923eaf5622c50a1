"""USD-M orders in the venue's own wire format: positions, margin, leverage, and what is refused."""

from decimal import Decimal

import pytest

from exchange_mcp.sim.digits import fixed

from .clients import NOON_MS, Json
from .direct import Direct

ORDER = "/fapi/v1/order"
DAY_MS = 86_400_000


@pytest.fixture
def venue() -> Direct:
    return Direct()


@pytest.fixture
def hedged() -> Direct:
    return Direct(label="trader-alt")


def limit(price: Decimal, quantity: str = "0.010", side: str = "BUY", **more: object) -> dict[str, object]:
    terms = {"type": "LIMIT", "timeInForce": "GTC", "quantity": quantity, "price": fixed(price, 1)}
    return {"symbol": "BTCUSDT", "side": side, **terms, **more}


def market(side: str, quantity: str, symbol: str = "BTCUSDT", **more: object) -> dict[str, object]:
    terms = {"type": "MARKET", "quantity": quantity, "newOrderRespType": "RESULT"}
    return {"symbol": symbol, "side": side, **terms, **more}


def near(venue: Direct, share: str) -> Decimal:
    return venue.usdm_last() * Decimal(share)


def position(venue: Direct, symbol: str, side: str = "BOTH") -> Json:
    rows = venue.ok("GET", "/fapi/v2/positionRisk", symbol=symbol)
    return next(row for row in rows if row["positionSide"] == side)


def wallet(venue: Direct) -> Decimal:
    return Decimal(venue.ok("GET", "/fapi/v3/account")["totalWalletBalance"])


def test_a_market_order_fills_at_the_books_price_and_pays_the_takers_rate(venue: Direct) -> None:
    before = wallet(venue)
    answer = venue.ok("POST", ORDER, **market("BUY", "0.010"))
    best = venue.exchange.contract("BTCUSDT").tape.asks(NOON_MS, 1)[0].ticks * Decimal("0.1")
    assert (answer["status"], answer["avgPrice"]) == ("FILLED", fixed(best, 2))
    # 0.05 % of the notional, and nothing else: adding to a long realises no profit.
    assert before - wallet(venue) == best * Decimal("0.010") * Decimal("0.0005")


def test_what_is_added_moves_the_entry_price_to_the_mean(venue: Direct) -> None:
    entry = Decimal(position(venue, "BTCUSDT")["entryPrice"])
    price = Decimal(venue.ok("POST", ORDER, **market("BUY", "0.250"))["avgPrice"])
    after = position(venue, "BTCUSDT")
    # As much again as there was: half way between the two prices.
    assert after["positionAmt"] == "0.500"
    assert Decimal(after["entryPrice"]) == (entry + price) / 2


def test_what_is_closed_realises_its_profit_and_leaves_the_entry_price(venue: Direct) -> None:
    entry = Decimal(position(venue, "BTCUSDT")["entryPrice"])
    before = wallet(venue)
    price = Decimal(venue.ok("POST", ORDER, **market("SELL", "0.100"))["avgPrice"])
    after = position(venue, "BTCUSDT")
    assert (after["positionAmt"], Decimal(after["entryPrice"])) == ("0.150", entry)
    profit, commission = Decimal("0.1") * (price - entry), Decimal("0.1") * price * Decimal("0.0005")
    assert wallet(venue) - before == profit - commission
    [trade] = venue.ok("GET", "/fapi/v1/userTrades", symbol="BTCUSDT")
    assert (Decimal(trade["realizedPnl"]), Decimal(trade["commission"])) == (profit, commission)


def test_an_order_through_zero_turns_the_position_round_at_its_own_price(venue: Direct) -> None:
    price = venue.ok("POST", ORDER, **market("SELL", "0.300"))["avgPrice"]
    after = position(venue, "BTCUSDT")
    assert (after["positionAmt"], Decimal(after["entryPrice"])) == ("-0.050", Decimal(price))


def test_a_closed_position_is_gone(venue: Direct) -> None:
    venue.ok("DELETE", ORDER, symbol="BTCUSDT", orderId=open_orders(venue)[0])
    venue.ok("POST", ORDER, **market("SELL", "0.250", reduceOnly="true"))
    assert [row["symbol"] for row in venue.ok("GET", "/fapi/v3/positionRisk")] == ["ETHUSDT"]


def open_orders(venue: Direct, symbol: str = "BTCUSDT") -> list[int]:
    return [row["orderId"] for row in venue.ok("GET", "/fapi/v1/openOrders", symbol=symbol)]


def test_an_answer_that_only_acknowledges_does_not_tell_what_became_of_the_order(venue: Direct) -> None:
    terms = market("BUY", "0.010", newOrderRespType="ACK")
    answer = venue.ok("POST", ORDER, **terms)
    assert (answer["status"], answer["executedQty"], answer["avgPrice"]) == ("NEW", "0.000", "0.00")
    found = venue.ok("GET", ORDER, symbol="BTCUSDT", orderId=answer["orderId"])
    assert (found["status"], found["executedQty"]) == ("FILLED", "0.010")


def test_a_resting_order_needs_margin_for_its_notional_by_the_leverage(venue: Direct) -> None:
    before = Decimal(venue.ok("GET", "/fapi/v3/account")["totalOpenOrderInitialMargin"])
    price = Decimal(venue.ok("POST", ORDER, **limit(near(venue, "0.96"), "0.010"))["price"])
    after = Decimal(venue.ok("GET", "/fapi/v3/account")["totalOpenOrderInitialMargin"])
    # The account's leverage in this contract is 10.
    assert after - before == price * Decimal("0.010") / 10


def test_orders_and_trades_are_listed_oldest_first_and_can_be_narrowed(venue: Direct) -> None:
    numbers = [venue.ok("POST", ORDER, **market("BUY", "0.010"))["orderId"] for _ in range(3)]

    def listed(path: str, name: str, **narrowed: object) -> list[int]:
        return [row[name] for row in venue.ok("GET", path, symbol="BTCUSDT", **narrowed)]

    assert listed("/fapi/v1/allOrders", "orderId", orderId=numbers[0], limit=2) == numbers[:2]
    assert listed("/fapi/v1/allOrders", "orderId", limit=2) == numbers[1:]
    assert listed("/fapi/v1/userTrades", "orderId") == numbers
    assert listed("/fapi/v1/userTrades", "orderId", orderId=numbers[1]) == numbers[1:2]
    assert listed("/fapi/v1/allOrders", "orderId", startTime=NOON_MS + 1) == []
    assert venue.refusal("GET", "/fapi/v1/allOrders", limit=0)[0] == -1130
    assert venue.refusal("GET", "/fapi/v1/userTrades")[0] == -1102


def test_an_order_is_found_and_cancelled_by_number_and_by_the_clients_id(venue: Direct) -> None:
    terms = limit(near(venue, "0.96"), newClientOrderId="mine")
    number = venue.ok("POST", ORDER, **terms)["orderId"]
    assert venue.refusal("POST", ORDER, **terms) == (-4116, "ClientOrderId is duplicated.")
    by_client = venue.ok("GET", ORDER, symbol="BTCUSDT", origClientOrderId="mine")
    assert by_client == venue.ok("GET", ORDER, symbol="BTCUSDT", orderId=number)
    assert venue.ok("DELETE", ORDER, symbol="BTCUSDT", origClientOrderId="mine")["status"] == "CANCELED"
    assert venue.refusal("DELETE", ORDER, symbol="BTCUSDT", orderId=number) == (-2011, "Unknown order sent.")
    again = venue.ok("POST", ORDER, **terms)["orderId"]
    assert venue.ok("GET", ORDER, symbol="BTCUSDT", origClientOrderId="mine")["orderId"] == again > number


def test_what_is_unknown_can_be_neither_found_nor_cancelled(venue: Direct) -> None:
    for which in ({"orderId": 77}, {"origClientOrderId": "nobodys"}):
        assert venue.refusal("GET", ORDER, symbol="BTCUSDT", **which) == (-2013, "Order does not exist.")
        assert venue.refusal("DELETE", ORDER, symbol="BTCUSDT", **which)[0] == -2011
    assert venue.refusal("GET", ORDER, symbol="BTCUSDT")[0] == -1102


def test_an_order_that_ended_without_a_trade_is_forgotten_after_three_days(venue: Direct) -> None:
    untraded = venue.ok("POST", ORDER, **limit(near(venue, "0.96")))["orderId"]
    venue.ok("DELETE", ORDER, symbol="BTCUSDT", orderId=untraded)
    traded = venue.ok("POST", ORDER, **market("BUY", "0.010"))["orderId"]
    venue.clock.now += 3 * DAY_MS
    assert venue.ok("GET", ORDER, symbol="BTCUSDT", orderId=untraded)["status"] == "CANCELED"
    venue.clock.now += 1
    assert venue.refusal("GET", ORDER, symbol="BTCUSDT", orderId=untraded)[0] == -2013
    assert venue.ok("GET", ORDER, symbol="BTCUSDT", orderId=traded)["status"] == "FILLED"
    listed = [row["orderId"] for row in venue.ok("GET", "/fapi/v1/allOrders", symbol="BTCUSDT")]
    assert (untraded in listed, traded in listed) == (False, True)


def test_what_was_traded_is_forgotten_after_90_days_and_what_rests_is_not(venue: Direct) -> None:
    traded = venue.ok("POST", ORDER, **market("BUY", "0.010"))["orderId"]
    resting = open_orders(venue)[0]
    venue.clock.now += 90 * DAY_MS
    assert venue.ok("GET", ORDER, symbol="BTCUSDT", orderId=traded)["status"] == "FILLED"
    venue.clock.now += 1
    assert venue.refusal("GET", ORDER, symbol="BTCUSDT", orderId=traded)[0] == -2013
    assert venue.ok("GET", ORDER, symbol="BTCUSDT", orderId=resting)["status"] == "NEW"


def test_what_only_reduces_may_be_worth_less_than_the_minimum(venue: Direct) -> None:
    # 0.001 ETH are worth some 3 USDT, and the contract's minimum is 20.
    assert venue.refusal("POST", ORDER, **market("BUY", "0.001", "ETHUSDT"))[0] == -4164
    reducing = market("BUY", "0.001", "ETHUSDT", reduceOnly="true")
    assert venue.ok("POST", ORDER, **reducing)["status"] == "FILLED"


def test_a_wallet_says_when_it_last_changed(venue: Direct) -> None:
    def changed() -> int:
        return venue.ok("GET", "/fapi/v3/account")["assets"][0]["updateTime"]

    assert changed() < NOON_MS
    venue.ok("POST", ORDER, **market("BUY", "0.010"))
    assert changed() == NOON_MS


def test_an_order_that_has_to_rest_is_refused_where_it_would_trade_and_leaves_no_trace(
    venue: Direct,
) -> None:
    crossing = limit(near(venue, "1.01"), timeInForce="GTX", newClientOrderId="maker")
    assert venue.refusal("POST", ORDER, **crossing)[0] == -5022
    assert venue.refusal("GET", ORDER, symbol="BTCUSDT", origClientOrderId="maker")[0] == -2013
    resting = venue.ok("POST", ORDER, **crossing | {"price": fixed(near(venue, "0.96"), 1)})
    assert (resting["status"], resting["timeInForce"]) == ("NEW", "GTX")


def test_an_order_that_is_all_or_nothing_is_refused_and_one_that_is_immediate_expires(venue: Direct) -> None:
    beyond = limit(near(venue, "0.99"))
    assert venue.refusal("POST", ORDER, **beyond | {"timeInForce": "FOK"})[0] == -5021
    answer = venue.ok("POST", ORDER, **beyond | {"timeInForce": "IOC", "newOrderRespType": "RESULT"})
    assert (answer["status"], answer["executedQty"]) == ("EXPIRED", "0.000")


def test_an_order_that_only_reduces_is_refused_where_there_is_nothing_to_reduce(venue: Direct) -> None:
    refused = (-2022, "ReduceOnly Order is rejected.")
    # Long in BTC, short in ETH, nothing in SOL.
    assert venue.refusal("POST", ORDER, **market("BUY", "0.010", reduceOnly="true")) == refused
    assert venue.refusal("POST", ORDER, **market("SELL", "0.010", "ETHUSDT", reduceOnly="true")) == refused
    assert venue.refusal("POST", ORDER, **market("SELL", "1", "SOLUSDT", reduceOnly="true")) == refused


def test_an_order_that_only_reduces_takes_no_more_than_there_is(venue: Direct) -> None:
    answer = venue.ok("POST", ORDER, **market("SELL", "0.400", reduceOnly="true"))
    assert (answer["status"], answer["executedQty"]) == ("EXPIRED", "0.250")
    assert position(venue, "BTCUSDT")["positionAmt"] == "0.000"


def test_an_order_that_only_reduces_ends_with_the_position(venue: Direct) -> None:
    resting = venue.ok("POST", ORDER, **limit(near(venue, "1.04"), side="SELL", reduceOnly="true"))["orderId"]
    venue.ok("POST", ORDER, **market("SELL", "0.100"))
    assert resting in open_orders(venue)
    venue.ok("POST", ORDER, **market("SELL", "0.150"))
    assert venue.ok("GET", ORDER, symbol="BTCUSDT", orderId=resting)["status"] == "EXPIRED"


def test_a_hedged_account_trades_each_leg_on_its_own(hedged: Direct) -> None:
    hedged.ok("POST", ORDER, **market("BUY", "0.100", "ETHUSDT", positionSide="LONG"))
    hedged.ok("POST", ORDER, **market("BUY", "0.300", "ETHUSDT", positionSide="SHORT"))
    legs = [position(hedged, "ETHUSDT", side)["positionAmt"] for side in ("LONG", "SHORT")]
    # The opening is 2.000 long and 0.800 short.
    assert legs == ["2.100", "-0.500"]


def test_the_exit_of_a_leg_cannot_open_the_other_side(hedged: Direct) -> None:
    terms = market("SELL", "1.00", "SOLUSDT", positionSide="LONG")
    assert hedged.refusal("POST", ORDER, **terms) == (-2022, "ReduceOnly Order is rejected.")


def test_legs_and_position_mode_have_to_fit(venue: Direct, hedged: Direct) -> None:
    words = "Order's position side does not match user's setting."
    assert venue.refusal("POST", ORDER, **market("BUY", "0.010", positionSide="LONG")) == (-4061, words)
    assert hedged.refusal("POST", ORDER, **market("BUY", "0.010")) == (-4061, words)
    assert venue.refusal("POST", ORDER, **market("BUY", "0.010", positionSide="UP"))[0] == -4060
    flagged = market("SELL", "0.100", "ETHUSDT", positionSide="LONG", reduceOnly="true")
    assert hedged.refusal("POST", ORDER, **flagged)[0] == -1106


def test_an_order_that_the_wallet_does_not_cover_is_refused(venue: Direct) -> None:
    # Some 12,500 USDT at a leverage of 10 cover no 2 BTC of some 100,000 USDT each.
    assert venue.refusal("POST", ORDER, **market("BUY", "2")) == (-2019, "Margin is insufficient.")
    assert venue.refusal("POST", ORDER, **limit(near(venue, "0.96"), "2"))[0] == -2019


def test_a_loss_that_an_order_would_open_with_has_to_be_covered_too(venue: Direct) -> None:
    book = venue.exchange.margin(venue.account, NOON_MS)
    mark = venue.exchange.contract("BTCUSDT").mark.price(NOON_MS)

    def quantity(price: Decimal) -> str:
        # At a leverage of 10, nine tenths of what is left for the initial margin.
        return fixed(book.left * 10 * Decimal("0.9") / price, 3)

    high, low = (mark * Decimal("1.04")).quantize(Decimal("0.1")), near(venue, "0.96")
    # Bought at 1.04 times the mark price, 0.04 / 1.04 of ten times that margin are lost at once: 38 %.
    assert venue.refusal("POST", ORDER, **limit(high, quantity(high)))[0] == -2019
    assert venue.ok("POST", ORDER, **limit(low, quantity(low)))["status"] == "NEW"


def test_a_position_above_what_the_leverage_allows_is_refused(venue: Direct) -> None:
    venue.account.wallet["USDT"] += 10**8
    venue.ok("POST", "/fapi/v1/leverage", symbol="BTCUSDT", leverage=125)
    # At 125 times the first bracket is the last: 50,000 USDT, and the long is worth half of that.
    assert venue.refusal("POST", ORDER, **market("BUY", "0.250"))[0] == -2027


def test_a_leverage_is_read_back_and_moves_the_margin_at_once(venue: Direct) -> None:
    before = Decimal(position(venue, "BTCUSDT")["notional"])
    answer = venue.ok("POST", "/fapi/v1/leverage", symbol="BTCUSDT", leverage=20)
    # The fourth bracket, up to 10,000,000 USDT, is the last that allows 20 times.
    assert answer == {"leverage": 20, "maxNotionalValue": "10000000", "symbol": "BTCUSDT"}
    [config] = venue.ok("GET", "/fapi/v1/symbolConfig", symbol="BTCUSDT")
    assert (config["leverage"], config["maxNotionalValue"]) == (20, "10000000")
    row = next(row for row in venue.ok("GET", "/fapi/v3/positionRisk") if row["symbol"] == "BTCUSDT")
    assert row["positionInitialMargin"] == fixed(before / 20)


@pytest.mark.parametrize(
    ("symbol", "leverage", "refusal"),
    [
        ("BTCUSDT", 126, (-4028, "Leverage 126 is not valid.")),
        ("BTCUSDT", 0, (-4028, "Leverage 0 is not valid.")),
        # The minor contracts' first bracket allows 75 times.
        ("XRPUSDT", 76, (-4028, "Leverage 76 is not valid.")),
        ("NOPE", 5, (-1121, "Invalid symbol.")),
        # Margin without any leverage: more than the wallet holds.
        ("BTCUSDT", 1, (-2028, "Leverage is smaller than permitted: insufficient margin balance.")),
    ],
)
def test_a_leverage_that_cannot_be_is_refused_and_changes_nothing(
    venue: Direct, symbol: str, leverage: int, refusal: tuple[int, str]
) -> None:
    before = venue.ok("GET", "/fapi/v1/symbolConfig")
    assert venue.refusal("POST", "/fapi/v1/leverage", symbol=symbol, leverage=leverage) == refusal
    assert venue.ok("GET", "/fapi/v1/symbolConfig") == before


def test_a_position_too_large_for_a_leverage_is_refused_it(venue: Direct) -> None:
    venue.account.wallet["USDT"] += 10**6
    venue.ok("POST", ORDER, **market("BUY", "1.000"))
    # 1.25 BTC are worth more than the 50,000 USDT that 125 times allow.
    assert venue.refusal("POST", "/fapi/v1/leverage", symbol="BTCUSDT", leverage=125)[0] == -2027


REFUSALS = [
    # https://developers.binance.com/docs/derivatives/usds-margined-futures/error-code, with exchangeInfo
    pytest.param(
        {"quantity": "0.0105"}, (-1111, "Precision is over the maximum defined for this asset."), id="4"
    ),
    pytest.param({"quantity": "0"}, (-4003, "Quantity less than or equal to zero."), id="no quantity"),
    pytest.param({"quantity": "1001"}, (-4005, "Quantity greater than max quantity."), id="above 1,000"),
    pytest.param({"price": "100000.001"}, (-1111, None), id="a price with 3 decimals"),
    pytest.param({"price": "100000.05"}, (-4014, "Price not increased by tick size."), id="off the tick"),
    pytest.param({"price": "0"}, (-4001, "Price less than or equal to zero."), id="no price"),
    pytest.param({"price": "5000000"}, (-4002, "Price greater than max price."), id="above the maximum"),
    pytest.param({"price": "150000"}, (-4016, None), id="1.05 times the mark price"),
    pytest.param({"price": "60000", "side": "SELL"}, (-4024, None), id="0.95 times the mark price"),
    pytest.param({"quantity": "0.001", "price": "90000"}, (-4164, None), id="90 of at least 100 USDT"),
    pytest.param({"type": "STOP_MARKET"}, (-4120, None), id="a conditional order"),
    pytest.param({"type": "WISH"}, (-1116, "Invalid orderType."), id="no type"),
    pytest.param({"timeInForce": "SOON"}, (-1115, "Invalid timeInForce."), id="no time in force"),
    pytest.param({"side": "HOLD"}, (-1117, "Invalid side."), id="no side"),
    pytest.param({"reduceOnly": "maybe"}, (-1130, None), id="neither true nor false"),
    pytest.param({"symbol": "NOPE"}, (-1121, "Invalid symbol."), id="no contract"),
]


@pytest.mark.parametrize(("bent", "refusal"), REFUSALS)
def test_an_order_that_breaks_a_rule_is_refused_with_its_code_and_leaves_nothing(
    venue: Direct, bent: dict[str, object], refusal: tuple[int, str | None]
) -> None:
    before = (wallet(venue), venue.account.orders.futures.every(), venue.account.positions)
    code, words = venue.refusal("POST", ORDER, **limit(Decimal(100_000)) | bent)
    assert (code, words) == (refusal[0], refusal[1] or words)
    assert (wallet(venue), venue.account.orders.futures.every(), venue.account.positions) == before


def test_a_market_order_is_bound_by_the_market_lot_size(venue: Direct) -> None:
    venue.account.wallet["USDT"] += 10**9
    # The contract's maximum is 1,000 for a limit order and 100 for a market order.
    assert venue.refusal("POST", ORDER, **market("BUY", "100.001"))[0] == -4005


def test_only_so_many_orders_may_be_open(venue: Direct) -> None:
    venue.account.wallet["USDT"] += 10**7
    # One is open already; a contract allows 200.
    for _ in range(199):
        venue.ok("POST", ORDER, **limit(near(venue, "0.96"), "0.002"))
    refused = venue.refusal("POST", ORDER, **limit(near(venue, "0.96"), "0.002"))
    assert refused == (-2025, "Reach max open order limit.")


@pytest.mark.parametrize("path", [ORDER, "/fapi/v1/algoOrder", "/fapi/v1/leverage"])
def test_a_key_that_may_only_read_writes_nothing(path: str) -> None:
    venue = Direct(label="reader")
    assert venue.refusal("POST", path, symbol="BTCUSDT", leverage=5)[0] == -2015


def test_a_write_that_comes_too_late_is_not_done(venue: Direct) -> None:
    late = {"timestamp": NOON_MS - 5_001}
    assert venue.refusal("POST", ORDER, **market("BUY", "0.010"), **late)[0] == -1021
    assert position(venue, "BTCUSDT")["positionAmt"] == "0.250"
