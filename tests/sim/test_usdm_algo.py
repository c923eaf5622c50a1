"""Conditional USD-M orders in the venue's own wire format: waiting, triggered, finished, refused."""

from decimal import Decimal

import pytest

from exchange_mcp.sim.digits import fixed

from .clients import NOON_MS, Json
from .direct import Direct

ALGO = "/fapi/v1/algoOrder"
ORDER = "/fapi/v1/order"


@pytest.fixture
def venue() -> Direct:
    # In the hour after noon this seed's price goes both up and down.
    return Direct(seed=4)


def stop(
    trigger: Decimal, side: str = "SELL", kind: str = "STOP_MARKET", **more: object
) -> dict[str, object]:
    terms = {"algoType": "CONDITIONAL", "type": kind, "triggerPrice": fixed(trigger, 1)}
    if "closePosition" not in more:
        terms["quantity"] = "0.010"
    return {"symbol": "BTCUSDT", "side": side, **terms, **more}


def moves(venue: Direct, *, by: int, within_ms: int = 3_600_000) -> tuple[Decimal, int]:
    """Return a price so many ticks away, and the first moment of the hour at which the contract trades there."""
    tape = venue.exchange.contract("BTCUSDT").tape
    ticks = tape.last(venue.clock.now) + by
    start = venue.clock.now
    at = next(
        moment
        for moment in range(start + 1, start + within_ms)
        if (tape.last(moment) >= ticks if by > 0 else tape.last(moment) <= ticks)
    )
    return ticks * Decimal("0.1"), at


def amount(venue: Direct) -> str:
    return venue.ok("GET", "/fapi/v2/positionRisk", symbol="BTCUSDT")[0]["positionAmt"]


def found(venue: Direct, algo_id: int) -> Json:
    return venue.ok("GET", ALGO, algoId=algo_id)


def test_a_stop_waits_until_the_price_is_there_and_then_sells_at_the_market(venue: Direct) -> None:
    trigger, at = moves(venue, by=-50)
    algo_id = venue.ok("POST", ALGO, **stop(trigger))["algoId"]
    venue.clock.now = at - 1
    assert (found(venue, algo_id)["algoStatus"], amount(venue)) == ("NEW", "0.250")
    venue.clock.now = at + 5_000
    after = found(venue, algo_id)
    assert (after["algoStatus"], after["triggerTime"], amount(venue)) == ("FINISHED", at, "0.240")
    sent = venue.ok("GET", ORDER, symbol="BTCUSDT", orderId=after["actualOrderId"])
    assert (sent["type"], sent["origType"], sent["status"]) == ("MARKET", "STOP_MARKET", "FILLED")
    assert (sent["time"], sent["avgPrice"]) == (at, after["actualPrice"])


def test_a_take_profit_waits_on_the_other_side(venue: Direct) -> None:
    trigger, at = moves(venue, by=50)
    algo_id = venue.ok("POST", ALGO, **stop(trigger, kind="TAKE_PROFIT_MARKET"))["algoId"]
    venue.clock.now = at
    assert (found(venue, algo_id)["algoStatus"], amount(venue)) == ("FINISHED", "0.240")


def test_a_stop_with_a_price_sends_a_limit_order_that_may_rest(venue: Direct) -> None:
    trigger, at = moves(venue, by=-50)
    algo_id = venue.ok("POST", ALGO, **stop(trigger, kind="STOP", price=fixed(trigger * 2, 1)))["algoId"]
    venue.clock.now = at
    after = found(venue, algo_id)
    # Sold at twice the price: nobody pays that now, but the order is there.
    assert (after["algoStatus"], amount(venue)) == ("TRIGGERED", "0.250")
    sent = venue.ok("GET", ORDER, symbol="BTCUSDT", orderId=after["actualOrderId"])
    assert (sent["type"], sent["status"], sent["price"]) == ("LIMIT", "NEW", after["price"])
    venue.ok("DELETE", ORDER, symbol="BTCUSDT", orderId=sent["orderId"])
    assert found(venue, algo_id)["algoStatus"] == "FINISHED"


def test_a_stop_that_follows_the_mark_price_does_not_look_at_trades(venue: Direct) -> None:
    contract = venue.exchange.contract("BTCUSDT")
    mark, last = contract.mark.price(NOON_MS), venue.usdm_last()
    assert mark != last
    between = (mark + last) / 2
    side = "SELL" if last < between < mark else "BUY"
    # On the trades' side already, on the mark price's not yet.
    assert venue.refusal("POST", ALGO, **stop(between, side)) == (-2021, "Order would immediately trigger.")
    assert venue.ok("POST", ALGO, **stop(between, side, workingType="MARK_PRICE"))["algoStatus"] == "NEW"


def test_a_stop_on_the_mark_price_is_triggered_when_the_mark_price_is_there(venue: Direct) -> None:
    mark = venue.exchange.contract("BTCUSDT").mark
    trigger = (mark.price(NOON_MS) - 3).quantize(Decimal("0.1"))
    at = next(ms for ms in range(NOON_MS + 1, NOON_MS + 3_600_000) if mark.price(ms) <= trigger)
    algo_id = venue.ok("POST", ALGO, **stop(trigger, workingType="MARK_PRICE"))["algoId"]
    venue.clock.now = at - 1
    assert found(venue, algo_id)["algoStatus"] == "NEW"
    venue.clock.now = at
    assert found(venue, algo_id)["triggerTime"] == at


def test_a_stop_that_closes_the_position_takes_all_of_it(venue: Direct) -> None:
    trigger, at = moves(venue, by=-50)
    algo_id = venue.ok("POST", ALGO, **stop(trigger, closePosition="true"))["algoId"]
    venue.clock.now = at
    assert (found(venue, algo_id)["algoStatus"], amount(venue)) == ("FINISHED", "0.000")


def test_a_stop_without_a_position_to_close_expires(venue: Direct) -> None:
    trigger, at = moves(venue, by=-50)
    algo_id = venue.ok("POST", ALGO, **stop(trigger, closePosition="true"))["algoId"]
    venue.ok("POST", ORDER, symbol="BTCUSDT", side="SELL", type="MARKET", quantity="0.250")
    venue.clock.now = at
    assert (found(venue, algo_id)["algoStatus"], amount(venue)) == ("EXPIRED", "0.000")


def test_a_stop_whose_order_is_refused_is_rejected(venue: Direct) -> None:
    trigger, at = moves(venue, by=50)
    # 50 BTC are more than the wallet covers, which is looked at when the order is sent.
    algo_id = venue.ok("POST", ALGO, **stop(trigger, "BUY", quantity="50"))["algoId"]
    venue.clock.now = at
    after = found(venue, algo_id)
    assert (after["algoStatus"], after["actualOrderId"], amount(venue)) == ("REJECTED", "", "0.250")


def test_what_happens_in_between_happens_in_the_order_of_time(venue: Direct) -> None:
    first, first_at = moves(venue, by=-30)
    second, second_at = moves(venue, by=-60)
    assert first_at < second_at
    later = venue.ok("POST", ALGO, **stop(second, quantity="0.200"))["algoId"]
    sooner = venue.ok("POST", ALGO, **stop(first, closePosition="true"))["algoId"]
    venue.clock.now = second_at + 1_000
    # The close takes all first, so the later one opens a short.
    assert (found(venue, sooner)["triggerTime"], found(venue, later)["triggerTime"]) == (first_at, second_at)
    assert amount(venue) == "-0.200"


def test_a_conditional_order_is_found_and_cancelled_by_either_id(venue: Direct) -> None:
    trigger = venue.usdm_last() * Decimal("0.9")
    placed = venue.ok("POST", ALGO, **stop(trigger, clientAlgoId="mine"))
    assert venue.refusal("POST", ALGO, **stop(trigger, clientAlgoId="mine"))[0] == -4116
    assert venue.ok("GET", ALGO, clientAlgoId="mine") == placed
    ended = venue.ok("DELETE", ALGO, clientAlgoId="mine")
    # https://developers.binance.com/docs/derivatives/usds-margined-futures/trade/rest-api/Cancel-Algo-Order
    assert ended == {"algoId": placed["algoId"], "clientAlgoId": "mine", "code": "200", "msg": "success"}
    assert found(venue, placed["algoId"])["algoStatus"] == "CANCELED"
    assert venue.refusal("DELETE", ALGO, algoId=placed["algoId"]) == (-2011, "Unknown order sent.")
    assert venue.ok("POST", ALGO, **stop(trigger, clientAlgoId="mine"))["algoId"] > placed["algoId"]
    # In small letters, as the page on cancelling has it.
    assert venue.ok("DELETE", ALGO, clientalgoid="mine")["msg"] == "success"


def test_what_is_unknown_can_be_neither_found_nor_cancelled(venue: Direct) -> None:
    assert venue.refusal("GET", ALGO, algoId=77) == (-2013, "Order does not exist.")
    assert venue.refusal("DELETE", ALGO, clientAlgoId="nobodys")[0] == -2011
    assert venue.refusal("GET", ALGO)[0] == -1102


def test_every_conditional_order_is_listed_and_only_the_waiting_ones_as_open(venue: Direct) -> None:
    trigger = venue.usdm_last() * Decimal("0.9")
    numbers = [venue.ok("POST", ALGO, **stop(trigger))["algoId"] for _ in range(3)]
    venue.ok("DELETE", ALGO, algoId=numbers[0])
    every = [row["algoId"] for row in venue.ok("GET", "/fapi/v1/allAlgoOrders", symbol="BTCUSDT")]
    waiting = [row["algoId"] for row in venue.ok("GET", "/fapi/v1/openAlgoOrders", symbol="BTCUSDT")]
    assert (every[-3:], waiting[-2:]) == (numbers, numbers[1:])
    from_the_second = venue.ok("GET", "/fapi/v1/allAlgoOrders", symbol="BTCUSDT", algoId=numbers[1])
    assert [row["algoId"] for row in from_the_second] == numbers[1:]


def test_a_cancelled_conditional_order_is_forgotten_after_three_days(venue: Direct) -> None:
    algo_id = venue.ok("POST", ALGO, **stop(venue.usdm_last() * Decimal("0.8")))["algoId"]
    venue.ok("DELETE", ALGO, algoId=algo_id)
    venue.clock.now += 3 * 86_400_000 + 1
    assert venue.refusal("GET", ALGO, algoId=algo_id)[0] == -2013


def test_only_so_many_conditional_orders_may_wait(venue: Direct) -> None:
    trigger = venue.usdm_last() * Decimal("0.9")
    # One waits already; a contract allows 10.
    for _ in range(9):
        venue.ok("POST", ALGO, **stop(trigger))
    assert venue.refusal("POST", ALGO, **stop(trigger)) == (-4045, "Reach max stop order limit.")


@pytest.mark.parametrize(
    ("bent", "code"),
    [
        ({"algoType": "VP"}, -1130),
        ({"type": "LIMIT"}, -1116),
        ({"triggerPrice": "0"}, -4006),
        ({"triggerPrice": "9000000"}, -4007),
        ({"triggerPrice": "90000.05"}, -4014),
        ({"triggerPrice": "90000.005"}, -1111),
        ({"quantity": "0.0001"}, -1111),
        ({"quantity": "101"}, -4005),
        ({"closePosition": "true"}, -4137),
        ({"type": "STOP", "closePosition": "true", "price": "90000"}, -4136),
        ({"type": "STOP"}, -1102),
        ({"type": "STOP", "price": "0"}, -4001),
        ({"price": "90000"}, -1106),
        ({"workingType": "INDEX_PRICE"}, -1130),
        ({"positionSide": "LONG"}, -4061),
    ],
)
def test_a_conditional_order_that_breaks_a_rule_is_refused_with_its_code(
    venue: Direct, bent: dict[str, object], code: int
) -> None:
    before = venue.account.orders.algo.every()
    assert venue.refusal("POST", ALGO, **stop(Decimal(90_000)) | bent)[0] == code
    assert venue.account.orders.algo.every() == before


def test_a_hedged_account_closes_one_leg() -> None:
    venue = Direct(label="trader-alt")
    tape = venue.exchange.contract("ETHUSDT").tape
    ticks = tape.last(NOON_MS) - 20
    at = next(ms for ms in range(NOON_MS + 1, NOON_MS + 3_600_000) if tape.last(ms) <= ticks)
    terms = stop(Decimal(1), closePosition="true", positionSide="LONG") | {
        "symbol": "ETHUSDT",
        "triggerPrice": fixed(ticks * Decimal("0.01"), 2),
    }
    venue.ok("POST", ALGO, **terms)
    venue.clock.now = at
    legs = venue.ok("GET", "/fapi/v2/positionRisk", symbol="ETHUSDT")
    assert [(leg["positionSide"], leg["positionAmt"]) for leg in legs] == [
        ("LONG", "0.000"),
        ("SHORT", "-0.800"),
    ]
