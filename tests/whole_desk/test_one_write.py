"""One write through the whole desk: proposed, approved, sent once, and found again whatever happened to the process."""

import json
import signal
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qsl

from exchange_mcp.desk.operator.messages import Decline

from .desk import WholeDesk

ORDERS = {"method": "POST", "path": "/api/v3/order"}


def sent(desk: WholeDesk) -> list[dict[str, Any]]:
    """The order requests that the venue received."""
    requests = desk.sim.control.get("/__sim/requests").raise_for_status().json()["requests"]
    return [each for each in requests if (each["method"], each["path"]) == ("POST", "/api/v3/order")]


def test_what_was_approved_is_what_the_venue_has(desk: WholeDesk) -> None:
    desk.start()
    order = {"symbol": "BTC/USDT", "side": "buy", "type": "limit", "amount": "0.00100", "price": "100000"}
    answer = desk.proposes("proposal-one", **order)
    assert answer.status_code == 200, answer.text
    intent_id = answer.json()["intent_id"]
    assert desk.proposes("proposal-one", **order).json()["intent_id"] == intent_id  # an answer was lost
    plan = json.loads(desk.open(intent_id).plan_text)
    desk.approve(intent_id)
    placed = desk.settled(intent_id, "placed")
    (found,) = desk.placed()
    assert (found["client_order_id"], str(found["id"])) == (placed.client_order_id, placed.order_id)
    assert (found["symbol"], found["side"], found["type"]) == ("BTCUSDT", "BUY", "LIMIT")
    assert (Decimal(found["quantity"]), Decimal(found["price"])) == (Decimal("0.001"), Decimal(100000))
    (request,) = sent(desk)
    of_signing = {"timestamp", "recvWindow", "signature"}
    received = {**dict(parse_qsl(request["query"])), **dict(parse_qsl(request["body"]))}
    approved = {name: str(value) for name, value in plan["request"]["parameters"].items()}
    assert {k: v for k, v in received.items() if k not in of_signing} == {
        k: v for k, v in approved.items() if k not in of_signing
    }


def test_a_start_after_a_kill_finds_every_state_as_it_was_and_sends_nothing(desk: WholeDesk) -> None:
    desk.start()
    waiting = desk.buy("0.01", symbol="ETH/USDT")
    placed = desk.buy("0.002")
    desk.approve(placed.id)
    desk.settled(placed.id, "placed")
    declined = desk.buy("0.01", symbol="ETH/USDT:USDT", side="sell")
    with desk.operator() as client:
        client.decline(declined.id, Decline(by="somebody"))
    desk.sim.fail(kind="hang", when="after", **ORDERS)
    lost = desk.propose(symbol="ETH/USDT", side="sell", type="limit", amount="0.01", price="4000")
    desk.approve(lost.id)
    desk.settled(lost.id, "dispatching")
    desk.kill()
    desk.sim.heal()
    assert desk.places.operator_socket.exists()
    desk.start()  # over the sockets that were left behind
    assert desk.settled(lost.id, "placed").order_id is not None
    states = {each: desk.intent(each.id).state for each in (waiting, placed, declined)}
    assert list(states.values()) == ["proposed", "placed", "declined"]
    assert len(sent(desk)) == len(desk.placed()) == 2


def test_the_end_waits_for_the_outcome_of_what_is_being_sent(desk: WholeDesk) -> None:
    desk.start()
    proposed = desk.buy()
    desk.sim.fail(kind="delay", ms=1500, **ORDERS)
    desk.approve(proposed.id)
    desk.settled(proposed.id, "dispatching")
    assert desk.stop(signal.SIGINT) == 0
    assert not desk.places.operator_socket.exists()
    assert not desk.places.proposal_socket.exists()
    desk.start()
    desk.settled(proposed.id, "placed")
    assert len(desk.placed()) == 1
