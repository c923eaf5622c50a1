"""Spot orders in the venue's own wire format: what is accepted, what it does to the wallet, what is refused."""

import json
from decimal import Decimal

import pytest

from exchange_mcp.sim.digits import fixed
from exchange_mcp.sim.venue import Venue
from exchange_mcp.sim.wire import Request

from .clients import NOON_MS, Json
from .direct import SPOT, Direct

ORDER = "/api/v3/order"
DAY_MS = 86_400_000


@pytest.fixture
def venue() -> Direct:
    return Direct()


def limit(
    price: Decimal | int, quantity: str = "0.01", side: str = "BUY", **more: object
) -> dict[str, object]:
    terms = {"type": "LIMIT", "timeInForce": "GTC", "quantity": quantity, "price": fixed(Decimal(price), 2)}
    return {"symbol": "BTCUSDT", "side": side, **terms, **more}


def market(side: str = "BUY", **more: object) -> dict[str, object]:
    return {"symbol": "BTCUSDT", "side": side, "type": "MARKET", **more}


def stop(kind: str, side: str, price: Decimal, **more: object) -> dict[str, object]:
    terms = {"type": kind, "quantity": "0.01", "stopPrice": fixed(price, 2)}
    return {"symbol": "BTCUSDT", "side": side, **terms, **more}


def wallet(venue: Direct, asset: str) -> tuple[Decimal, Decimal]:
    rows = venue.ok("GET", "/api/v3/account")["balances"]
    row = next(row for row in rows if row["asset"] == asset)
    return Decimal(row["free"]), Decimal(row["locked"])


def book(venue: Direct, side: str) -> list[tuple[Decimal, Decimal]]:
    request = Request(SPOT, "GET", "/api/v3/depth", "symbol=BTCUSDT&limit=20")
    levels: Json = json.loads(Venue(venue.exchange).answer(request).body)
    return [(Decimal(price), Decimal(quantity)) for price, quantity in levels[side]]


def test_a_limit_order_below_the_market_rests_and_locks_what_it_may_cost(venue: Direct) -> None:
    free, locked = wallet(venue, "USDT")
    answer = venue.ok("POST", ORDER, **limit(90_000, "0.02"))
    assert (answer["status"], answer["executedQty"], answer["fills"]) == ("NEW", "0.00000000", [])
    # By hand: 0.02 * 90,000
    assert wallet(venue, "USDT") == (free - 1_800, locked + 1_800)


def test_a_cancel_gives_back_what_was_locked(venue: Direct) -> None:
    before = wallet(venue, "USDT")
    number = venue.ok("POST", ORDER, **limit(90_000))["orderId"]
    ended = venue.ok("DELETE", ORDER, symbol="BTCUSDT", orderId=number, newClientOrderId="the-cancel")
    assert (ended["status"], ended["clientOrderId"]) == ("CANCELED", "the-cancel")
    assert wallet(venue, "USDT") == before


def test_a_market_order_pays_the_books_prices_level_by_level_and_commission_in_what_it_gets(
    venue: Direct,
) -> None:
    (first, offered), (second, _) = book(venue, "asks")[:2]
    quantity = offered + Decimal("0.00003")
    usdt, _ = wallet(venue, "USDT")
    bitcoin, _ = wallet(venue, "BTC")
    account = venue.account
    account.spot["USDT"] += 1_000_000
    answer = venue.ok("POST", ORDER, **market(quantity=fixed(quantity)))
    cost = first * offered + second * Decimal("0.00003")
    assert answer["status"] == "FILLED"
    assert [(fill["price"], fill["qty"]) for fill in answer["fills"]] == [
        (fixed(first), fixed(offered)),
        (fixed(second), "0.00003000"),
    ]
    assert Decimal(answer["cummulativeQuoteQty"]) == cost
    commission = sum(Decimal(fill["commission"]) for fill in answer["fills"])
    # By the vendor's standard rate of 0.1 %, cut to eight decimals: 0.00003 * 0.001 = 0.00000003
    assert answer["fills"][1]["commission"] == "0.00000003"
    assert wallet(venue, "USDT")[0] == usdt + 1_000_000 - cost
    assert wallet(venue, "BTC")[0] == bitcoin + quantity - commission


def test_a_market_order_may_name_what_it_spends(venue: Direct) -> None:
    (best, _), *_ = book(venue, "asks")
    answer = venue.ok("POST", ORDER, **market(quoteOrderQty="100"))
    # As many steps of 0.00001 BTC as 100 USDT buy at the best price.
    bought = Decimal(100) / best // Decimal("0.00001") * Decimal("0.00001")
    assert Decimal(answer["executedQty"]) == Decimal(answer["origQty"]) == bought
    assert (answer["status"], answer["origQuoteOrderQty"]) == ("FILLED", "100.00000000")


def test_what_is_spent_level_by_level_is_no_more_than_was_named(venue: Direct) -> None:
    venue.account.spot["USDT"] += 1_000_000
    answer = venue.ok("POST", ORDER, **market(quoteOrderQty="500000"))
    assert len(answer["fills"]) > 1
    # One step of 0.00001 BTC more would cost more than that.
    assert 499_998 < Decimal(answer["cummulativeQuoteQty"]) <= 500_000


def test_an_order_may_cost_all_that_is_free_and_not_a_cent_more(venue: Direct) -> None:
    venue.account.spot["USDT"] = venue.account.orders.locked("USDT") + 900
    assert venue.refusal("POST", ORDER, **limit(Decimal("90000.01")))[0] == -2010
    # By hand: 0.01 * 90,000
    assert venue.ok("POST", ORDER, **limit(90_000))["status"] == "NEW"
    assert wallet(venue, "USDT")[0] == 0


def test_a_market_order_may_name_what_it_earns(venue: Direct) -> None:
    free, _ = wallet(venue, "USDT")
    answer = venue.ok("POST", ORDER, **market("SELL", quoteOrderQty="100"))
    earned = Decimal(answer["cummulativeQuoteQty"])
    assert 98 < earned <= 100
    assert wallet(venue, "USDT")[0] == free + earned - Decimal(answer["fills"][0]["commission"])


def test_a_limit_order_above_the_market_takes_what_crosses_and_rests_for_the_rest(venue: Direct) -> None:
    (first, offered), *_ = book(venue, "asks")
    venue.account.spot["USDT"] += 1_000_000
    answer = venue.ok("POST", ORDER, **limit(first, fixed(offered + Decimal("0.5"))))
    assert (answer["status"], answer["executedQty"]) == ("PARTIALLY_FILLED", fixed(offered))
    resting = venue.ok("GET", "/api/v3/openOrders", symbol="BTCUSDT")[-1]
    assert (resting["orderId"], resting["status"]) == (answer["orderId"], "PARTIALLY_FILLED")


def test_what_an_immediate_order_does_not_get_at_once_it_gives_up(venue: Direct) -> None:
    (first, offered), *_ = book(venue, "asks")
    venue.account.spot["USDT"] += 1_000_000
    terms = limit(first, fixed(offered + Decimal("0.5")), timeInForce="IOC")
    answer = venue.ok("POST", ORDER, **terms)
    assert (answer["status"], answer["executedQty"]) == ("EXPIRED", fixed(offered))


def test_an_order_that_is_all_or_nothing_gets_nothing_where_not_all_is_there(venue: Direct) -> None:
    (first, offered), *_ = book(venue, "asks")
    venue.account.spot["USDT"] += 1_000_000
    terms = limit(first, fixed(offered + Decimal("0.5")), timeInForce="FOK")
    before = wallet(venue, "USDT")
    answer = venue.ok("POST", ORDER, **terms)
    assert (answer["status"], answer["executedQty"]) == ("EXPIRED", "0.00000000")
    assert wallet(venue, "USDT") == before
    assert venue.ok("POST", ORDER, **terms | {"quantity": fixed(offered)})["status"] == "FILLED"


def test_an_order_that_only_makes_is_refused_where_it_would_take(venue: Direct) -> None:
    (ask, _), *_ = book(venue, "asks")
    maker = {"symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT_MAKER", "quantity": "0.01"}
    assert venue.refusal("POST", ORDER, **maker, price=fixed(ask)) == (
        -2010,
        "Order would immediately match and take.",
    )
    resting = venue.ok("POST", ORDER, **maker, price=fixed(ask - Decimal("0.01")))
    # Without newOrderRespType this type is answered with ACK: no status.
    assert resting.keys() == {"symbol", "orderId", "orderListId", "clientOrderId", "transactTime"}


def test_answers_have_the_documented_fields(venue: Direct) -> None:
    # https://github.com/binance/binance-spot-api-docs/blob/master/rest-api.md, the examples of New order
    acknowledged = {"symbol", "orderId", "orderListId", "clientOrderId", "transactTime"}
    result = acknowledged | {"price", "origQty", "executedQty", "origQuoteOrderQty", "cummulativeQuoteQty"}
    result |= {"status", "timeInForce", "type", "side", "workingTime", "selfTradePreventionMode"}
    shapes = [
        venue.ok("POST", ORDER, **market(quantity="0.001", newOrderRespType=shape)).keys()
        for shape in ("ACK", "RESULT", "FULL")
    ]
    assert shapes == [acknowledged, result, result | {"fills"}]


def test_an_order_is_found_by_the_venues_number_and_by_the_clients_id(venue: Direct) -> None:
    number = venue.ok("POST", ORDER, **limit(90_000, newClientOrderId="mine"))["orderId"]
    by_number = venue.ok("GET", ORDER, symbol="BTCUSDT", orderId=number)
    by_client = venue.ok("GET", ORDER, symbol="BTCUSDT", origClientOrderId="mine")
    assert by_number == by_client
    assert (by_number["clientOrderId"], by_number["price"]) == ("mine", "90000.00000000")


def test_a_client_id_is_taken_while_its_order_is_open_and_free_again_after(venue: Direct) -> None:
    terms = limit(90_000, newClientOrderId="mine")
    first = venue.ok("POST", ORDER, **terms)["orderId"]
    assert venue.refusal("POST", ORDER, **terms) == (-2010, "Duplicate order sent.")
    venue.ok("DELETE", ORDER, symbol="BTCUSDT", origClientOrderId="mine")
    second = venue.ok("POST", ORDER, **market(quantity="0.01", newClientOrderId="mine"))["orderId"]
    third = venue.ok("POST", ORDER, **terms)["orderId"]
    assert first < second < third
    assert venue.ok("GET", ORDER, symbol="BTCUSDT", origClientOrderId="mine")["orderId"] == third


def test_an_order_without_a_client_id_is_given_one(venue: Direct) -> None:
    ids = [venue.ok("POST", ORDER, **limit(90_000))["clientOrderId"] for _ in range(2)]
    assert len(set(ids)) == 2
    assert [len(client_id) for client_id in ids] == [22, 22]


@pytest.mark.parametrize("which", [{"orderId": 77}, {"origClientOrderId": "nobodys"}])
def test_what_is_unknown_can_be_neither_found_nor_cancelled(venue: Direct, which: dict[str, object]) -> None:
    assert venue.refusal("GET", ORDER, symbol="BTCUSDT", **which) == (-2013, "Order does not exist.")
    assert venue.refusal("DELETE", ORDER, symbol="BTCUSDT", **which) == (-2011, "Unknown order sent.")


def test_an_order_is_not_found_under_another_pair(venue: Direct) -> None:
    number = venue.ok("POST", ORDER, **limit(90_000))["orderId"]
    assert venue.refusal("GET", ORDER, symbol="ETHUSDT", orderId=number)[0] == -2013


def test_what_is_over_cannot_be_cancelled_but_can_be_found(venue: Direct) -> None:
    number = venue.ok("POST", ORDER, **market(quantity="0.01"))["orderId"]
    assert venue.refusal("DELETE", ORDER, symbol="BTCUSDT", orderId=number)[0] == -2011
    assert venue.ok("GET", ORDER, symbol="BTCUSDT", orderId=number)["status"] == "FILLED"


def test_a_cancel_can_be_for_untouched_orders_alone(venue: Direct) -> None:
    number = venue.ok("POST", ORDER, **limit(90_000))["orderId"]
    which = {"symbol": "BTCUSDT", "orderId": number}
    refused = venue.refusal("DELETE", ORDER, **which, cancelRestrictions="ONLY_PARTIALLY_FILLED")
    assert refused == (-2011, "Order was not canceled due to cancel restrictions.")
    assert venue.refusal("DELETE", ORDER, **which, cancelRestrictions="SOME")[0] == -1145
    assert venue.ok("DELETE", ORDER, **which, cancelRestrictions="ONLY_NEW")["status"] == "CANCELED"


def test_an_order_that_ended_without_a_trade_is_archived_after_90_days(venue: Direct) -> None:
    number = venue.ok("POST", ORDER, **limit(90_000))["orderId"]
    venue.ok("DELETE", ORDER, symbol="BTCUSDT", orderId=number)
    venue.clock.now += 90 * DAY_MS
    assert venue.ok("GET", ORDER, symbol="BTCUSDT", orderId=number)["status"] == "CANCELED"
    venue.clock.now += 1
    assert venue.refusal("GET", ORDER, symbol="BTCUSDT", orderId=number)[0] == -2026


@pytest.mark.parametrize(
    ("path", "hours"),
    [
        ("/api/v3/allOrders", 24),
        ("/api/v3/myTrades", 24),
        ("/fapi/v1/allOrders", 168),
        ("/fapi/v1/allAlgoOrders", 168),
        ("/fapi/v1/userTrades", 168),
    ],
)
def test_a_list_is_told_for_so_long_a_time_at_once_and_no_longer(
    venue: Direct, path: str, hours: int
) -> None:
    # https://developers.binance.com/docs/binance-spot-api-docs/errors, -1127; the hours are each endpoint's own.
    span_ms = hours * 3_600_000
    asked = {"symbol": "BTCUSDT", "startTime": NOON_MS - span_ms}
    assert isinstance(venue.ok("GET", path, **asked, endTime=NOON_MS), list)
    refusal = venue.refusal("GET", path, **asked, endTime=NOON_MS + 1)
    assert refusal == (-1127, f"More than {hours} hours between startTime and endTime.")


def test_all_orders_and_trades_are_listed_oldest_first_and_can_be_narrowed(venue: Direct) -> None:
    numbers: list[int] = []
    for _ in range(3):
        numbers.append(venue.ok("POST", ORDER, **market(quantity="0.01"))["orderId"])
        venue.clock.now += 1_000

    def orders(**narrowed: object) -> list[int]:
        return [row["orderId"] for row in venue.ok("GET", "/api/v3/allOrders", symbol="BTCUSDT", **narrowed)]

    trades = venue.ok("GET", "/api/v3/myTrades", symbol="BTCUSDT")
    assert orders()[-3:] == [trade["orderId"] for trade in trades] == numbers
    assert orders(limit=2) == numbers[1:]
    assert orders(orderId=numbers[0], limit=2) == numbers[:2]
    assert orders(startTime=NOON_MS + 1, endTime=NOON_MS + 1_000) == numbers[1:2]

    def trade_ids(**narrowed: object) -> list[int]:
        return [row["id"] for row in venue.ok("GET", "/api/v3/myTrades", symbol="BTCUSDT", **narrowed)]

    ids = [trade["id"] for trade in trades]
    assert trade_ids(fromId=ids[1]) == ids[1:]
    assert trade_ids(orderId=numbers[1]) == ids[1:2]
    assert venue.ok("GET", "/api/v3/myTrades", symbol="ETHUSDT") == []


@pytest.mark.parametrize(
    ("kind", "side", "share"),
    [
        ("STOP_LOSS", "SELL", "0.99"),
        ("STOP_LOSS", "BUY", "1.01"),
        ("TAKE_PROFIT", "SELL", "1.01"),
        ("TAKE_PROFIT", "BUY", "0.99"),
    ],
)
def test_a_stop_waits_on_its_own_side_of_the_market_and_is_refused_on_the_other(
    venue: Direct, kind: str, side: str, share: str
) -> None:
    last = venue.spot_last()
    waiting = venue.ok("POST", ORDER, **stop(kind, side, last * Decimal(share), newOrderRespType="RESULT"))
    assert (waiting["status"], waiting["workingTime"]) == ("NEW", -1)
    found = venue.ok("GET", ORDER, symbol="BTCUSDT", orderId=waiting["orderId"])
    assert (found["isWorking"], found["stopPrice"]) == (False, waiting["stopPrice"])
    other_side = last * (2 - Decimal(share))
    refused = venue.refusal("POST", ORDER, **stop(kind, side, other_side))
    assert refused == (-2010, "Order would trigger immediately.")


def test_a_stop_that_buys_locks_what_it_would_cost_at_its_stop_price(venue: Direct) -> None:
    _, locked = wallet(venue, "USDT")
    venue.ok("POST", ORDER, **stop("STOP_LOSS", "BUY", Decimal(110_000)))
    # By hand: 0.01 * 110,000
    assert wallet(venue, "USDT")[1] == locked + 1_100


REFUSALS = [
    # https://github.com/binance/binance-spot-api-docs/blob/master/filters.md with the pair's own exchangeInfo
    pytest.param({"price": "90000.001"}, -1013, "Filter failure: PRICE_FILTER", id="off the tick of 0.01"),
    pytest.param({"price": "0"}, -1013, "Filter failure: PRICE_FILTER", id="no price"),
    pytest.param({"price": "1000000.01"}, -1013, "Filter failure: PRICE_FILTER", id="above the maximum"),
    pytest.param({"price": "900000"}, -1013, "Filter failure: PERCENT_PRICE_BY_SIDE", id="5 times the price"),
    pytest.param({"price": "9000"}, -1013, "Filter failure: PERCENT_PRICE_BY_SIDE", id="a fifth of it"),
    pytest.param({"quantity": "0.000015"}, -1013, "Filter failure: LOT_SIZE", id="off the step of 0.00001"),
    pytest.param({"quantity": "0"}, -1013, "Filter failure: LOT_SIZE", id="no quantity"),
    pytest.param({"quantity": "9001"}, -1013, "Filter failure: LOT_SIZE", id="above 9,000"),
    pytest.param({"quantity": "0.00005"}, -1013, "Filter failure: NOTIONAL", id="4.50 of at least 5 USDT"),
    pytest.param({"quantity": "101"}, -1013, "Filter failure: NOTIONAL", id="9,090,000 of at most 9,000,000"),
    pytest.param({"quantity": "0.010000001"}, -1111, "Parameter 'quantity' has too much precision.", id="9"),
    pytest.param({"price": "9.000000001"}, -1111, "Parameter 'price' has too much precision.", id="9 places"),
    pytest.param({"symbol": "LUNAUSDT", "price": "0.4"}, -1013, "Market is closed.", id="halted"),
    pytest.param({"symbol": "NOPE"}, -1121, "Invalid symbol.", id="no pair"),
    pytest.param({"side": "HOLD"}, -1117, "Invalid side.", id="no side"),
    pytest.param({"type": "WISH"}, -1116, "Invalid orderType.", id="no type"),
    pytest.param({"timeInForce": "GTX"}, -1115, "Invalid timeInForce.", id="a futures time in force"),
    pytest.param({"stopPrice": "1"}, -1106, "Parameter 'stopPrice' sent when not required.", id="a stop"),
    pytest.param(
        {"quoteOrderQty": "1"}, -1106, "Parameter 'quoteOrderQty' sent when not required.", id="a cost"
    ),
    pytest.param({"newOrderRespType": "ALL"}, -1130, None, id="no such answer"),
    pytest.param({"selfTradePreventionMode": "ALL"}, -1130, None, id="no such prevention"),
    pytest.param({"quantity": "1e-2"}, -1100, None, id="an exponent"),
    pytest.param({"quantity": "-1"}, -1100, None, id="a negative quantity"),
    pytest.param({"newClientOrderId": "with blank"}, -1100, None, id="a client id with a blank"),
    pytest.param({"newClientOrderId": "x" * 37}, -1100, None, id="a client id of 37 letters"),
    pytest.param({"colour": "red"}, -1104, None, id="a parameter that is not known"),
    pytest.param(
        {"quantity": "0.5"},
        -2010,
        "Account has insufficient balance for requested action.",
        id="45,000 USDT of some 14,000",
    ),
]


@pytest.mark.parametrize(("bent", "code", "words"), REFUSALS)
def test_an_order_that_breaks_a_rule_is_refused_with_its_code_and_leaves_nothing(
    venue: Direct, bent: dict[str, object], code: int, words: str | None
) -> None:
    before = (wallet(venue, "USDT"), venue.account.orders.spot.every())
    found = venue.refusal("POST", ORDER, **limit(90_000) | bent)
    assert found == (code, words or found[1])
    assert (wallet(venue, "USDT"), venue.account.orders.spot.every()) == before


@pytest.mark.parametrize(
    ("terms", "code"),
    [
        ({"quantity": "181"}, -1013),
        ({"quoteOrderQty": "4.99"}, -1013),
        ({}, -1102),
        ({"quantity": "1", "quoteOrderQty": "9"}, -1128),
        ({"quantity": "0.01", "price": "9"}, -1106),
        ({"quantity": "0.01", "timeInForce": "GTC"}, -1106),
        ({"quantity": "1"}, -2010),
    ],
)
def test_a_market_order_that_breaks_a_rule_is_refused_with_its_code(
    venue: Direct, terms: dict[str, object], code: int
) -> None:
    assert venue.refusal("POST", ORDER, **market() | terms)[0] == code


@pytest.mark.parametrize("missing", ["symbol", "side", "type", "timeInForce", "quantity", "price"])
def test_what_a_limit_order_must_have_is_named_where_it_is_missing(venue: Direct, missing: str) -> None:
    terms = limit(90_000)
    del terms[missing]
    code, words = venue.refusal("POST", ORDER, **terms)
    assert code == -1102
    assert f"'{missing}'" in words


def test_only_so_many_orders_and_stops_may_be_open(venue: Direct) -> None:
    venue.account.spot["USDT"] += 10**6
    # One is open already; 5 stops and 200 orders are what the pair's filters allow.
    for _ in range(5):
        venue.ok("POST", ORDER, **stop("STOP_LOSS", "BUY", Decimal(110_000)))
    refused = venue.refusal("POST", ORDER, **stop("STOP_LOSS", "BUY", Decimal(110_000)))
    assert refused == (-1013, "Filter failure: MAX_NUM_ALGO_ORDERS")
    for _ in range(194):
        venue.ok("POST", ORDER, **limit(50_000, "0.001"))
    assert venue.refusal("POST", ORDER, **limit(50_000)) == (-1013, "Filter failure: MAX_NUM_ORDERS")


@pytest.mark.parametrize("label", ["reader", "reader-alt"])
def test_a_key_that_may_only_read_writes_nothing(label: str) -> None:
    venue = Direct(label=label)
    refused = (-2015, "Invalid API-key, IP, or permissions for action.")
    assert venue.refusal("POST", ORDER, **market(quantity="0.01")) == refused
    assert venue.refusal("DELETE", ORDER, symbol="BTCUSDT", orderId=1) == refused
    assert venue.refusal("GET", ORDER, symbol="BTCUSDT", orderId=1)[0] == -2013


@pytest.mark.parametrize(("age", "window"), [(5_001, None), (101, 100), (-1_000, None)])
def test_a_write_that_comes_too_late_or_too_early_is_not_done(
    venue: Direct, age: int, window: int | None
) -> None:
    stamped = {"timestamp": NOON_MS - age, **({"recvWindow": window} if window else {})}
    assert venue.refusal("POST", ORDER, **limit(90_000), **stamped)[0] == -1021
    assert [order.source for order in venue.account.orders.spot.every()] == ["seed", "seed"]
