"""Faults that take their time: an answer that never comes, and a request that comes too late."""

import tempfile
import threading
import time
from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest

from exchange_mcp.desk.operator.messages import IntentView
from exchange_mcp.rules.trading import TRADING
from faults.cases import HANGING
from serving import simulated_exchange

from .between import Between, between
from .desk import WholeDesk, short_place, whole_desk

HANGS: Final = {case.name: case.fault for case in HANGING}
SPOT: Final = {"symbol": "BTC/USDT", "side": "buy", "type": "limit", "amount": "0.001", "price": "60000"}
SWAP: Final = {"symbol": "ETH/USDT:USDT", "side": "buy", "type": "limit", "amount": "0.05", "price": "2900"}


@pytest.fixture
def through() -> Generator[tuple[WholeDesk, Between]]:
    """A desk with the proxy before its exchange."""
    with ExitStack() as held:
        base = Path(held.enter_context(tempfile.TemporaryDirectory(prefix="xf", dir=short_place())))
        proxy, sim = held.enter_context(between(held.enter_context(simulated_exchange(base)), base))
        desk = held.enter_context(whole_desk(sim=sim))
        desk.start()
        yield desk, proxy


def approved(desk: WholeDesk, request: dict[str, str]) -> IntentView:
    """An order that is on its way."""
    intent = desk.propose(**request)
    desk.approve(intent.id)
    return desk.settled(intent.id, "dispatching")


def test_an_order_that_the_venue_took_and_never_answered_is_found_and_not_sent_again(
    through: tuple[WholeDesk, Between],
) -> None:
    desk, proxy = through
    proxy.fault = HANGS["no answer in time, after the venue acted"]
    intent = approved(desk, SWAP)
    unknown = desk.settled(intent.id, "unknown", "accepted", "rejected", "not_sent", "absent")
    assert unknown.state == "unknown", unknown
    placed = desk.settled(intent.id, "placed")
    (order,) = desk.placed()
    assert (order["client_order_id"], str(order["id"])) == (intent.client_order_id, placed.order_id)
    assert proxy.ids == [intent.client_order_id]


def test_an_order_that_comes_after_its_window_is_refused_by_the_venue_and_the_desk_says_so(
    through: tuple[WholeDesk, Between],
) -> None:
    desk, proxy = through
    proxy.held = held = threading.Event()
    intent = approved(desk, SPOT)
    late = time.monotonic() + TRADING["binance"].window_ms / 1000
    desk.until(lambda _: proxy.holding and time.monotonic() > late)
    assert desk.intent(intent.id).state == "dispatching"
    held.set()
    refused = desk.settled(intent.id, "rejected", "unknown", "placed", "accepted", "absent")
    assert (refused.state, "-1021" in refused.reason) == ("rejected", True), refused
    assert desk.placed() == []
    assert proxy.ids == [intent.client_order_id]
