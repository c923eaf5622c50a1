"""The faults of single writes, through the whole desk: whatever a wire does, the desk is never wrongly certain."""

import tempfile
from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import pytest

from exchange_mcp.desk.operator.messages import IntentView
from faults.cases import EVERY, Case
from faults.fault_proxy import Fault
from serving import simulated_exchange

from .between import Between, between
from .desk import TOML, WholeDesk, _base, whole_desk  # pyright: ignore[reportPrivateUsage] - one of this package

SPOT, SWAP = "BTC/USDT", "ETH/USDT:USDT"
CASES: Final = {case.name: case for case in EVERY}
# One of each kind: what is cut and how it ends, what is said instead of the venue and whether it acted.
ORDERS: Final = (
    (SPOT, "the venue got half of its headers, closed"),
    (SWAP, "of the answer came all but its last byte, reset"),
    (SPOT, "of the answer came nothing of it, closed"),
    (SWAP, "of the answer came half of its headers, reset"),
    (SPOT, "of the answer came its headers and nothing of its body, half-closed"),
    (SWAP, "of the answer came all but its last byte, closed"),
    (SPOT, "of the answer came all of it, reset"),
    (SPOT, "502 with a page, after the venue acted"),
    (SWAP, "503 that says unknown, after the venue acted"),
    (SPOT, "200 with garbage, after the venue acted"),
    (SWAP, "307 to elsewhere, after the venue acted"),
    (SWAP, "400 that timed out, after the venue acted"),
    (SPOT, "200 about another order, after the venue acted"),
    (SPOT, "204, after the venue acted"),
)
CANCELS: Final = (
    "of the answer came nothing of it, closed",
    "502 with a page, after the venue acted",
    "the venue got half of its headers, closed",
)
LEVERAGES: Final = ("of the answer came nothing of it, reset", "502 with a page, and the venue never heard")
FINAL: Final = ("placed", "absent", "rejected", "not_sent", "canceled", "too_late", "set", "not_set")


@pytest.fixture(scope="module")
def through() -> Generator[tuple[WholeDesk, Between]]:
    """One desk with the proxy before its exchange, for every case."""
    toml = TOML.replace("max_orders_per_minute = 30", "max_orders_per_minute = 600")
    toml = toml.replace("with_position = false", "with_position = true")
    toml = toml.replace("max_daily_notional = 50000", "max_daily_notional = 5000000")
    with ExitStack() as held:
        base = Path(held.enter_context(tempfile.TemporaryDirectory(prefix="xf", dir=_base())))
        proxy, sim = held.enter_context(between(held.enter_context(simulated_exchange(base)), base))
        desk = held.enter_context(whole_desk(sim=sim, toml=toml))
        desk.start()
        yield desk, proxy


def written(desk: WholeDesk, proxy: Between, case: Case, intent: IntentView) -> IntentView:
    """The intent after one send into this fault, as soon as something is certain of it again."""
    sends, struck = len(proxy.writes), proxy.struck
    proxy.fault = case.fault
    desk.approve(intent.id)
    desk.settled(intent.id, "accepted", "unknown", *FINAL)
    proxy.fault = Fault()
    assert (len(proxy.writes) - sends, proxy.struck - struck) == (1, case.fault != Fault()), case.name
    settled = desk.settled(intent.id, *FINAL)
    assert len(proxy.writes) - sends == 1, f"{case.name}: sent again"
    return settled


def of(desk: WholeDesk, intent: IntentView) -> list[dict[str, Any]]:
    """The orders of an intent, as the venue itself has them."""
    return [order for order in desk.placed() if order["client_order_id"] == intent.client_order_id]


def taken(desk: WholeDesk, path: str) -> int:
    """How many requests to this path the venue received and answered with success, by its own log."""
    requests = desk.sim.control.get("/__sim/requests").raise_for_status().json()["requests"]
    return sum(
        1 for each in requests if (each["method"], each["path"], each["status"]) == ("POST", path, 200)
    )


def order(desk: WholeDesk, symbol: str, before: str | None) -> IntentView:
    """An order far from the market, that rests."""
    side, amount, price = {
        SPOT: ("buy", "0.001", "60000"),
        SWAP: ("buy", "0.05", "2900"),
        "ETH/USDT": ("sell", "0.01", "4000"),
    }[symbol]
    return desk.propose(
        distinct_from=before, symbol=symbol, side=side, type="limit", amount=amount, price=price
    )


def test_an_order_into_any_fault_is_one_order_at_most_and_what_the_desk_says_of_it_is_so(
    through: tuple[WholeDesk, Between],
) -> None:
    desk, proxy = through
    before: dict[str, str] = {}
    for symbol, name in ORDERS:
        case = CASES[name]
        intent = order(desk, symbol, before.get(symbol))
        before[symbol] = intent.id
        settled = written(desk, proxy, case, intent)
        found = of(desk, intent)
        assert (len(found), settled.state) in {(1, "placed"), (0, "absent"), (0, "not_sent")}, (name, settled)
        if found:
            assert settled.order_id == str(found[0]["id"])


def test_a_cancel_into_a_fault_says_what_became_of_the_order(through: tuple[WholeDesk, Between]) -> None:
    desk, proxy = through
    before = None
    for name in CANCELS:
        resting = order(desk, "ETH/USDT", before)
        before = resting.id
        desk.approve(resting.id)
        placed = desk.settled(resting.id, "placed")
        cancel = desk.propose(action="cancel", symbol="ETH/USDT", order_id=placed.order_id)
        settled = written(desk, proxy, CASES[name], cancel)
        (found,) = of(desk, placed)
        assert (found["status"] == "CANCELED") == (settled.state == "canceled"), (name, settled, found)


def test_a_leverage_into_a_fault_says_what_is_in_force(through: tuple[WholeDesk, Between]) -> None:
    desk, proxy = through
    ends: list[str] = []
    for leverage, name in zip((9, 8), LEVERAGES, strict=True):
        before = taken(desk, "/fapi/v1/leverage")
        intent = desk.propose(action="leverage", symbol="BTC/USDT:USDT", leverage=leverage)
        assert intent.state == "proposed", intent
        settled = written(desk, proxy, CASES[name], intent)
        is_set = taken(desk, "/fapi/v1/leverage") > before
        assert settled.state == ("set" if is_set else "not_set"), (name, settled)
        ends.append(settled.state)
    assert ends == ["set", "not_set"]
