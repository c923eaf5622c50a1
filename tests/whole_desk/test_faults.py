"""The faults of single writes, through the whole desk: whatever a wire does, the desk is never wrongly certain.

What the venue never heard of is sent first, each on an asset of its own, and proved absent while the others go on.
"""

import tempfile
from collections.abc import Generator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from exchange_mcp.desk.operator.messages import IntentView
from faults.cases import EVERY
from faults.fault_proxy import Fault
from serving import simulated_exchange

from .between import Between, between
from .desk import WIDE_TOML, WholeDesk, short_place, whole_desk

SPOT, SWAP = "BTC/USDT", "BTC/USDT:USDT"
CASES: Final = {case.name: case.fault for case in EVERY}
# One of each kind: what is cut and how it ends, what is said instead of the venue. Each time the venue has acted.
ORDERS: Final = (
    (SWAP, "of the answer came all but its last byte, reset"),
    (SPOT, "of the answer came nothing of it, closed"),
    (SWAP, "of the answer came half of its headers, reset"),
    (SPOT, "of the answer came its headers and nothing of its body, half-closed"),
    (SPOT, "of the answer came all of it, reset"),
    (SPOT, "502 with a page, after the venue acted"),
    (SWAP, "503 that says unknown, after the venue acted"),
    (SPOT, "200 with garbage, after the venue acted"),
    (SWAP, "307 to elsewhere, after the venue acted"),
    (SWAP, "400 that timed out, after the venue acted"),
    (SPOT, "200 about another order, after the venue acted"),
    (SPOT, "204, after the venue acted"),
)
CANCELS: Final = ("of the answer came nothing of it, closed", "502 with a page, after the venue acted")
LOST_CANCEL: Final = "the venue got half of its headers, closed"
LEVERAGE: Final = "of the answer came nothing of it, reset"
LOST_LEVERAGE: Final = "502 with a page, and the venue never heard"
LOST_ORDERS: Final = (
    ("SOL/USDT", "the venue got half of its headers, closed"),
    ("XRP/USDT:USDT", "307 to elsewhere, and the venue never heard"),
    ("ETH/USDT:USDT", "the venue got nothing of it, reset"),
)
FAR: Final = {  # side, amount, price: what rests
    SPOT: ("buy", "0.001", "60000"),
    SWAP: ("buy", "0.002", "60000"),
    "ETH/USDT": ("sell", "0.01", "4000"),
    "ETH/USDT:USDT": ("buy", "0.05", "2900"),
    "SOL/USDT": ("buy", "0.1", "150"),
    "XRP/USDT:USDT": ("buy", "10", "1.9"),
}
FINAL: Final = ("placed", "absent", "rejected", "not_sent", "canceled", "too_late", "set", "not_set")


@dataclass(frozen=True, slots=True)
class Lost:
    """What the venue never heard of, as it was right after its one send; `resting` is what the cancel is for."""

    orders: Sequence[IntentView]
    cancel: IntentView
    resting: IntentView
    leverage: IntentView


class Through:
    """One desk with the proxy before its exchange, for every fault."""

    def __init__(self, desk: WholeDesk, proxy: Between) -> None:
        self.desk, self.proxy = desk, proxy
        self._before: dict[str, str] = {}

    def sent(self, name: str, intent: IntentView) -> IntentView:
        """The intent after its one send into this fault."""
        proxy, fault = self.proxy, CASES[name]
        sends, struck = len(proxy.writes), proxy.struck
        proxy.fault = fault
        self.desk.approve(intent.id)
        said = self.desk.settled(intent.id, "accepted", "unknown", *FINAL)
        proxy.fault = Fault()
        assert (len(proxy.writes) - sends, proxy.struck - struck) == (1, 1), name
        return said

    def order(self, symbol: str) -> IntentView:
        """An order far from the market, that rests."""
        side, amount, price = FAR[symbol]
        asset = symbol.partition("/")[0]
        wanted = {"symbol": symbol, "side": side, "type": "limit", "amount": amount, "price": price}
        intent = self.desk.propose(distinct_from=self._before.get(asset), **wanted)
        self._before[asset] = intent.id
        return intent

    def resting(self, symbol: str) -> IntentView:
        """One that the venue has, without any fault."""
        intent = self.order(symbol)
        self.desk.approve(intent.id)
        return self.desk.settled(intent.id, "placed")

    def cancel(self, symbol: str, order: IntentView) -> IntentView:
        """A cancel of it."""
        return self.desk.propose(action="cancel", symbol=symbol, order_id=order.order_id)

    def leverage(self, symbol: str, leverage: int) -> IntentView:
        """A change of leverage."""
        intent = self.desk.propose(action="leverage", symbol=symbol, leverage=leverage)
        assert intent.state == "proposed", intent
        return intent

    def found(self, intent: IntentView) -> list[dict[str, Any]]:
        """The orders of an intent, as the venue itself has them."""
        return [order for order in self.desk.placed() if order["client_order_id"] == intent.client_order_id]

    def leverages(self) -> list[str]:
        """The changes of leverage that the venue received and answered with success, by its own log."""
        requests = self.desk.sim.control.get("/__sim/requests").raise_for_status().json()["requests"]
        wanted = ("POST", "/fapi/v1/leverage", 200)
        return [
            each["query"] + each["body"]
            for each in requests
            if (each["method"], each["path"], each["status"]) == wanted
        ]


@pytest.fixture(scope="module")
def through() -> Generator[Through]:
    with ExitStack() as held:
        base = Path(held.enter_context(tempfile.TemporaryDirectory(prefix="xf", dir=short_place())))
        proxy, sim = held.enter_context(between(held.enter_context(simulated_exchange(base)), base))
        desk = held.enter_context(whole_desk(sim=sim, toml=WIDE_TOML))
        desk.start()
        yield Through(desk, proxy)


@pytest.fixture(scope="module", autouse=True)
def lost(through: Through) -> Lost:
    """Sent before anything else is. No absence is proved where no look-up was shown to find what is there."""
    resting = through.resting("ETH/USDT")
    for symbol, _ in LOST_ORDERS:
        through.resting(symbol)
    return Lost(
        orders=[through.sent(name, through.order(symbol)) for symbol, name in LOST_ORDERS],
        cancel=through.sent(LOST_CANCEL, through.cancel("ETH/USDT", resting)),
        resting=resting,
        leverage=through.sent(LOST_LEVERAGE, through.leverage("1000PEPE/USDT:USDT", 8)),
    )


def test_an_order_into_any_fault_is_one_order_and_what_the_desk_says_of_it_is_so(through: Through) -> None:
    for symbol, name in ORDERS:
        intent = through.order(symbol)
        through.sent(name, intent)
        settled = through.desk.settled(intent.id, *FINAL)
        (found,) = through.found(intent)
        assert (settled.state, settled.order_id) == ("placed", str(found["id"])), (name, settled)


def test_a_cancel_into_a_fault_says_what_became_of_the_order(through: Through) -> None:
    for name in CANCELS:
        placed = through.resting(SPOT)
        cancel = through.cancel(SPOT, placed)
        through.sent(name, cancel)
        settled = through.desk.settled(cancel.id, *FINAL)
        (found,) = through.found(placed)
        assert (found["status"], settled.state) == ("CANCELED", "canceled"), (name, settled, found)


def test_a_leverage_into_a_fault_says_what_is_in_force(through: Through) -> None:
    intent = through.leverage(SWAP, 9)
    through.sent(LEVERAGE, intent)
    assert through.desk.settled(intent.id, *FINAL).state == "set"
    (change,) = through.leverages()
    assert "symbol=BTCUSDT" in change
    assert "leverage=9" in change


def test_what_the_venue_never_heard_of_is_proved_so_and_was_sent_once(through: Through, lost: Lost) -> None:
    for intent in (*lost.orders, lost.cancel, lost.leverage):
        assert intent.state == "unknown", intent
    for intent in lost.orders:
        assert through.desk.settled(intent.id, *FINAL).state == "absent"
        assert through.found(intent) == []
    assert through.desk.settled(lost.cancel.id, *FINAL).state == "absent"
    (resting,) = through.found(lost.resting)
    assert resting["status"] == "NEW"
    assert through.desk.settled(lost.leverage.id, *FINAL).state == "not_set"
    assert not any("1000PEPE" in change for change in through.leverages())
    assert max(map(through.proxy.ids.count, through.proxy.ids)) == 1


def test_what_was_proved_absent_may_be_asked_for_again_and_is_another_order(
    through: Through, lost: Lost
) -> None:
    through.desk.settled(lost.orders[0].id, *FINAL)
    assert through.resting(LOST_ORDERS[0][0]).state == "placed"
