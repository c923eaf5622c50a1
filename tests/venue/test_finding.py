"""Looking for an order at the simulated exchange: what each source says of it, and what it says when it fails."""

import json
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from exchange_mcp.config.redaction import Redactor
from exchange_mcp.desk.absence import absence, absence_terms
from exchange_mcp.model.accounts import Account, AccountName, Environment, MarketType
from exchange_mcp.model.client_ids import DeskTag, new_client_order_id
from exchange_mcp.model.findings import Findings, FoundOrder, Says, Sought, Source
from exchange_mcp.model.plans import WirePlan, WireRequest
from exchange_mcp.model.writes import CancelOrder, OrderType, PlaceOrder
from exchange_mcp.rules.client_ids import order_ids
from exchange_mcp.rules.endpoints import EndpointClass
from exchange_mcp.sim import SimulatedExchange
from exchange_mcp.venue.client import fetch_catalogue, install
from exchange_mcp.venue.closed import ClosedVenue
from exchange_mcp.venue.egress import loading
from exchange_mcp.venue.finding import Finder
from exchange_mcp.venue.render import render
from exchange_mcp.venue.signed import ClientId
from exchange_mcp.venue.wire import Loopback
from faults.writers import (
    SPOT,
    SWAP,
    OffsetClock,
    a_limit,
    a_stop,
    allowed,
    client_of,
    planned,
    send,
    sought,
)

from .guarded import ALLOWED, READS
from .opened import opened, simulated

pytestmark = pytest.mark.anyio

OURS, ANOTHER_DESK = DeskTag("t3st0"), DeskTag("zzzzz")
PATHS = {
    Source.CLIENT_ID: ("/api/v3/order", "/fapi/v1/order"),
    Source.OPEN_ORDERS: ("/api/v3/openOrders", "/fapi/v1/openOrders"),
    Source.CONDITIONAL_ORDERS: ("", "/fapi/v1/openAlgoOrders"),
    Source.CLOSED_ORDERS: ("/api/v3/allOrders", "/fapi/v1/allOrders"),
    Source.CLOSED_CONDITIONAL_ORDERS: ("", "/fapi/v1/allAlgoOrders"),
    Source.TRADES: ("/api/v3/myTrades", "/fapi/v1/userTrades"),
}
SPOT_SOURCES = (Source.CLIENT_ID, Source.OPEN_ORDERS, Source.CLOSED_ORDERS, Source.TRADES)


def now_ms() -> int:
    return time.time_ns() // 1_000_000


class Numbered:
    """Entropy that never repeats and can be repeated."""

    def __init__(self) -> None:
        self._next = 0

    def token(self, size: int) -> bytes:
        self._next += 1
        return b"".join(((self._next >> (5 * place)) & 31).to_bytes(1, "big") for place in range(size))


ENTROPY = Numbered()


def an_id(tag: DeskTag = OURS) -> str:
    return new_client_order_id(tag, ENTROPY, 36)


@dataclass(slots=True)
class Desk:
    """A venue of one's own, a client with a trading key, and how one looks with it."""

    sim: SimulatedExchange
    clock: OffsetClock
    client: Any
    finder: Finder

    async def place(self, order: PlaceOrder) -> int:
        """Place it; the time that was signed."""
        self.client.options["timeDifference"] = -self.clock.ahead
        sent = await send(self.client, render(self.client, order, allowed(order)))
        assert sent.error is None
        assert sent.attempt is not None
        return sent.attempt.signed_ms or 0

    async def cancel(self, order: PlaceOrder) -> None:
        cancel = CancelOrder(symbol=order.symbol, client_order_id=order.client_order_id)
        assert (await send(self.client, render(self.client, cancel, allowed(cancel)))).error is None

    async def look(
        self, order: PlaceOrder, signed_ms: int | None = None, known: str | None = None
    ) -> Findings:
        self.client.options["timeDifference"] = -self.clock.ahead
        return await self.finder.find(sought(order, signed_ms or self.clock.now_ms(), known))

    def answers(self, source: Source, body: Any, *, symbol: str = SPOT, **more: Any) -> None:  # noqa: ANN401 - JSON
        """The venue answers this there."""
        path = PATHS[source][symbol == SWAP]
        text = body if isinstance(body, str) else json.dumps(body)
        self.sim.control.add_fault(
            {"method": "GET", "path": path, "kind": "status", "status": 200, "body": text, **more}
        )


@asynccontextmanager
async def a_desk(sim: SimulatedExchange, clock: OffsetClock) -> AsyncGenerator[Desk]:
    async with client_of(sim, Loopback(sim.port, sim.ca_pem)) as client:
        with loading(ALLOWED[EndpointClass.MARKETS]):
            install(client, await fetch_catalogue(client, 0))
        yield Desk(sim, clock, client, a_finder(client))


def a_finder(client: Any, *, has_key: bool = True, types: tuple[MarketType, ...] = ()) -> Finder:  # noqa: ANN401 - ccxt
    types = types or (MarketType.SPOT, MarketType.LINEAR)
    account = Account(AccountName("main"), "binance", Environment.SIM, types, has_key=has_key)
    return Finder(account, client, READS, Redactor(), turn=nullcontext())


@pytest.fixture(scope="module")
async def venue() -> AsyncGenerator[Desk]:
    clock = OffsetClock(now_ms)
    async with SimulatedExchange(seed=1, clock=clock).serving() as sim, a_desk(sim, clock) as desk:
        yield desk


@pytest.fixture
def desk(venue: Desk) -> Generator[Desk]:
    venue.sim.control.clear_requests()
    yield venue
    venue.sim.control.clear_faults()


def says(findings: Findings) -> dict[Source, Says]:
    return {each.source: each.says for each in findings.sources}


def rows(findings: Findings, source: Source) -> tuple[FoundOrder, ...]:
    return next(each.unattributable for each in findings.sources if each.source is source)


def detail(findings: Findings, source: Source) -> str:
    return next(each.detail for each in findings.sources if each.source is source)


def a_market(client_order_id: str, symbol: str = SPOT) -> PlaceOrder:
    return PlaceOrder(
        symbol=symbol,
        side="buy",
        type=OrderType.MARKET,
        amount=Decimal("0.002"),
        client_order_id=client_order_id,
    )


@pytest.mark.parametrize(
    ("order", "sources"),
    [
        (a_limit(SPOT, an_id()), SPOT_SOURCES),
        (a_limit(SWAP, an_id()), tuple(Source)),
        (a_stop(an_id()), tuple(Source)),
    ],
    ids=["spot", "contract", "stop"],
)
async def test_an_order_that_is_not_there_is_not_found_anywhere_and_the_look_up_is_shown_to_work(
    desk: Desk, order: PlaceOrder, sources: tuple[Source, ...]
) -> None:
    before = desk.clock.now_ms()
    findings = await desk.look(order)
    assert says(findings) == dict.fromkeys(sources, Says.NOT_FOUND)
    assert findings.control is Says.FOUND
    assert before <= findings.venue_ms <= desk.clock.now_ms()
    assert not any(each.unattributable for each in findings.sources)


@pytest.mark.parametrize(
    "order",
    [a_limit(SPOT, an_id()), a_limit(SWAP, an_id()), a_stop(an_id())],
    ids=["spot", "contract", "stop"],
)
async def test_a_desks_id_is_rendered_into_the_field_that_the_rules_name(
    desk: Desk, order: PlaceOrder
) -> None:
    rendered = render(desk.client, order, allowed(order))
    market_type = planned(order.symbol).market_type
    rules = order_ids("binance", market_type, is_conditional=order.type.has_trigger)
    assert rules is not None
    name = rules.ids.fields[rendered.rendered.endpoint]
    assert rendered.client_id == ClientId(name, order.client_order_id)
    assert rendered.rendered.fields()[name] == order.client_order_id
    assert rules.ids.takes(order.client_order_id)


@pytest.mark.parametrize("symbol", [SPOT, SWAP])
async def test_a_resting_order_is_found_by_its_id_among_the_open_and_among_all(
    desk: Desk, symbol: str
) -> None:
    order = a_limit(symbol, an_id())
    findings = await desk.look(order, await desk.place(order))
    found = {source for source, said in says(findings).items() if said is Says.FOUND}
    assert found == {Source.CLIENT_ID, Source.OPEN_ORDERS, Source.CLOSED_ORDERS}
    assert findings.found is not None
    assert (findings.found.client_order_id, findings.found.status, findings.found.amount) == (
        order.client_order_id,
        "NEW",
        Decimal("0.002"),
    )
    await desk.cancel(order)


async def test_a_stop_is_found_where_the_venue_keeps_stops(desk: Desk) -> None:
    order = a_stop(an_id())
    findings = await desk.look(order, await desk.place(order))
    found = {source for source, said in says(findings).items() if said is Says.FOUND}
    assert found == {Source.CLIENT_ID, Source.CONDITIONAL_ORDERS, Source.CLOSED_CONDITIONAL_ORDERS}
    assert findings.control is Says.FOUND


@pytest.mark.parametrize("symbol", [SPOT, SWAP])
async def test_an_order_that_was_filled_and_is_gone_from_the_open_ones_is_found_in_the_others(
    desk: Desk, symbol: str
) -> None:
    order = a_market(an_id(), symbol)
    findings = await desk.look(order, await desk.place(order))
    assert says(findings)[Source.OPEN_ORDERS] is Says.NOT_FOUND
    found = {source for source, said in says(findings).items() if said is Says.FOUND}
    assert found == {Source.CLIENT_ID, Source.CLOSED_ORDERS, Source.TRADES}
    assert findings.found is not None
    assert findings.found.filled == Decimal("0.002")
    assert (findings.found.average_price or 0) > 0


async def test_an_order_whose_id_was_used_again_after_it_was_filled_is_still_found(desk: Desk) -> None:
    used = an_id()
    first = a_market(used)
    signed_ms = await desk.place(first)
    again = a_limit(SPOT, used)
    await desk.place(again)  # Binance takes the id of a filled order once more
    findings = await desk.look(first, signed_ms)
    assert {each for each, said in says(findings).items() if said is not Says.FOUND} == set()
    await desk.cancel(again)


async def test_an_order_that_is_placed_between_two_looks_is_never_absent(desk: Desk) -> None:
    order = a_limit(SPOT, an_id())
    signed_ms = desk.clock.now_ms()
    first = await desk.look(order, signed_ms)
    assert first.found is None
    await desk.place(order)
    second = await desk.look(order, signed_ms)
    await desk.cancel(order)
    third = await desk.look(order, signed_ms)
    terms = absence_terms(_plan(order), latest_ms=0)
    assert second.found is not None
    assert third.found is not None
    assert not absence([first, second, third], terms).is_proved


async def test_another_desks_order_is_neither_ours_nor_a_row_that_cannot_be_told(desk: Desk) -> None:
    order, other = a_limit(SPOT, an_id()), a_limit(SPOT, an_id(ANOTHER_DESK))
    signed_ms = desk.clock.now_ms()
    await desk.place(other)
    findings = await desk.look(order, signed_ms)
    assert set(says(findings).values()) == {Says.NOT_FOUND}
    assert not any(each.unattributable for each in findings.sources)
    await desk.cancel(other)


@pytest.mark.parametrize("symbol", [SPOT, SWAP])
async def test_an_order_placed_by_hand_since_is_named_as_one_that_cannot_be_told(
    desk: Desk, symbol: str
) -> None:
    order, by_hand = a_limit(symbol, an_id()), a_market("web_7f3a", symbol)
    signed_ms = desk.clock.now_ms()
    await desk.place(by_hand)
    findings = await desk.look(order, signed_ms)
    assert set(says(findings).values()) == {Says.NOT_FOUND}
    assert [each.client_order_id for each in rows(findings, Source.CLOSED_ORDERS)] == ["web_7f3a"]
    assert rows(findings, Source.TRADES)
    assert not absence([findings], absence_terms(_plan(order), 0)).is_proved
    # Long before, it says nothing of ours.
    desk.clock.ahead += 60_000
    later = await desk.look(order)
    assert not any(each.unattributable for each in later.sources)


async def test_a_trade_of_an_order_from_before_the_dispatch_is_told_by_asking_for_its_order(
    desk: Desk,
) -> None:
    by_hand = a_limit(SPOT, "web_old")
    await desk.place(by_hand)
    desk.client.options["timeDifference"] = -desk.clock.ahead
    (resting,) = [row for row in desk.sim.control.orders("main") if row.client_order_id == "web_old"]
    await desk.cancel(by_hand)  # so that no list since then shows it
    desk.clock.ahead += 60_000
    now = desk.clock.now_ms()
    trade = {
        "symbol": "BTCUSDT",
        "id": 1,
        "orderId": resting.id,
        "price": "60000",
        "qty": "0.002",
        "time": now,
    }
    desk.answers(Source.TRADES, [trade])
    findings = await desk.look(a_limit(SPOT, an_id()), now)
    assert says(findings)[Source.TRADES] is Says.NOT_FOUND
    assert rows(findings, Source.TRADES) == ()
    desk.sim.control.clear_faults()
    desk.answers(Source.TRADES, [{**trade, "orderId": 5}])
    stranger = await desk.look(a_limit(SPOT, an_id()), now)
    assert [each.order_id for each in rows(stranger, Source.TRADES)] == ["5"]


@pytest.mark.parametrize("symbol", [SPOT, SWAP])
@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "status", "status": 503, "body": "<html>"},
        {"kind": "body", "body": ""},
        {"kind": "body", "body": "{}"},
        {"kind": "body", "body": '[{"symbol":"BTCUSDT"}]'},
        {"kind": "body", "body": '[{"symbol":"BTCUSDT","orderId":1,"algoId":1,"time":17'},
        {"kind": "status", "status": 204, "body": ""},
        {"kind": "status", "status": 400, "body": '{"code":-1021,"msg":"Timestamp for this request"}'},
        {"kind": "status", "status": 401, "body": '{"code":-2015,"msg":"Invalid API-key"}'},
        {"kind": "close"},
    ],
    ids=["503", "empty", "object", "rows without an id", "cut", "204", "clock", "key", "closed"],
)
async def test_a_source_that_fails_gives_no_answer_and_takes_no_other_with_it(
    desk: Desk, symbol: str, fault: dict[str, object]
) -> None:
    order = a_limit(symbol, an_id())
    sources = SPOT_SOURCES if symbol == SPOT else tuple(Source)
    for failing in sources:
        desk.sim.control.clear_faults()
        desk.sim.control.add_fault({"method": "GET", "path": PATHS[failing][symbol == SWAP], **fault})
        findings = await desk.look(order)
        expected = {each: Says.NO_ANSWER if each is failing else Says.NOT_FOUND for each in sources}
        assert says(findings) == expected
        assert detail(findings, failing)
        if failing is Source.CLIENT_ID:
            assert findings.control is Says.NO_ANSWER


async def test_after_a_rate_limit_nothing_more_is_asked(desk: Desk) -> None:
    desk.answers(Source.CLOSED_ORDERS, {"code": -1003, "msg": "Too many requests."}, status=429)
    findings = await desk.look(a_limit(SPOT, an_id()))
    assert says(findings) == {
        Source.CLIENT_ID: Says.NO_ANSWER,
        Source.OPEN_ORDERS: Says.NOT_FOUND,
        Source.CLOSED_ORDERS: Says.NO_ANSWER,
        Source.TRADES: Says.NO_ANSWER,
    }
    assert findings.control is Says.NO_ANSWER
    asked = [entry.path for entry in desk.sim.control.requests()]
    assert asked == ["/api/v3/time", "/api/v3/openOrders", "/api/v3/allOrders"]
    assert detail(findings, Source.TRADES).startswith("it was not asked")


def spot_row(**changed: object) -> dict[str, object]:
    return {
        "symbol": "BTCUSDT",
        "orderId": 1,
        "clientOrderId": an_id(),
        "time": now_ms() + 10**9,
        "updateTime": now_ms() + 10**9,
        **changed,
    }


@pytest.mark.parametrize("count", [999, 1000])
async def test_a_page_of_as_many_rows_as_were_asked_for_may_lack_one_and_is_no_answer(
    desk: Desk, count: int
) -> None:
    desk.answers(Source.CLOSED_ORDERS, [spot_row(orderId=each + 1) for each in range(count)])
    findings = await desk.look(a_limit(SPOT, an_id()))
    expected = Says.NO_ANSWER if count == 1000 else Says.NOT_FOUND
    assert says(findings)[Source.CLOSED_ORDERS] is expected


async def test_a_full_page_still_tells_what_is_on_it(desk: Desk) -> None:
    order = a_limit(SPOT, an_id())
    page = [spot_row(orderId=each + 1) for each in range(1000)]
    page[5]["clientOrderId"] = "web_1"
    desk.answers(Source.CLOSED_ORDERS, page)
    findings = await desk.look(order)
    assert says(findings)[Source.CLOSED_ORDERS] is Says.NO_ANSWER
    assert [each.client_order_id for each in rows(findings, Source.CLOSED_ORDERS)] == ["web_1"]
    desk.sim.control.clear_faults()
    page[7]["clientOrderId"] = order.client_order_id
    desk.answers(Source.CLOSED_ORDERS, page)
    assert says(await desk.look(order))[Source.CLOSED_ORDERS] is Says.FOUND


@pytest.mark.parametrize(
    "answer",
    [
        {"status": 500, "body": '{"code":-2013,"msg":"Order does not exist."}'},
        {"status": 200, "body": '{"code":-2013,"msg":"Order does not exist."}'},
        {
            "status": 400,
            "body": '{"code":-2026,"msg":"Order was canceled or expired and has been archived."}',
        },
        {"status": 400, "body": '{"code":-2011,"msg":"Unknown order sent."}'},
        {"status": 400, "body": '{"code":"x","code":-2013}'},
        {"status": 400, "body": '{"code":-2013,"msg":"Order does not exist.","orderId":7}'},
        {"status": 400, "body": '[{"code":-2013}]'},
        {"status": 404, "body": "<html>-2013</html>"},
        {"status": 200, "body": "[]"},
    ],
    ids=["500", "200", "archived", "unknown", "twice", "beside an order", "in a list", "page", "list"],
)
async def test_only_the_code_and_the_status_that_the_rules_name_say_that_an_order_is_not_there(
    desk: Desk, answer: dict[str, object]
) -> None:
    desk.sim.control.add_fault({"method": "GET", "path": "/api/v3/order", "kind": "status", **answer})
    findings = await desk.look(a_limit(SPOT, an_id()))
    assert says(findings)[Source.CLIENT_ID] is Says.NO_ANSWER


@pytest.mark.parametrize(
    "changed",
    [{"clientOrderId": "xm"}, {"clientOrderId": None}, {"clientOrderId": "UPPER"}, {"symbol": "ETHUSDT"}],
    ids=["another's", "none", "in capitals", "of another market"],
)
async def test_a_row_that_is_not_exactly_ours_is_not_ours(desk: Desk, changed: dict[str, object]) -> None:
    order = a_limit(SPOT, an_id())
    if changed.get("clientOrderId") == "UPPER":
        changed = {"clientOrderId": order.client_order_id.upper()}
    row = spot_row(clientOrderId=order.client_order_id) | changed
    for source in (Source.CLIENT_ID, Source.OPEN_ORDERS):
        desk.answers(source, row if source is Source.CLIENT_ID else [row])
    findings = await desk.look(order)
    assert findings.found is None
    assert says(findings)[Source.CLIENT_ID] is Says.NO_ANSWER
    assert says(findings)[Source.OPEN_ORDERS] is Says.NO_ANSWER or rows(findings, Source.OPEN_ORDERS)


async def test_a_list_that_shows_what_is_older_than_was_asked_for_is_no_answer(desk: Desk) -> None:
    # A venue that does not heed the time may have cut what is newer.
    desk.answers(Source.CLOSED_ORDERS, [spot_row(time=1_600_000_000_000, updateTime=1_600_000_000_001)])
    findings = await desk.look(a_limit(SPOT, an_id()))
    assert says(findings)[Source.CLOSED_ORDERS] is Says.NO_ANSWER


async def test_the_control_is_the_order_that_is_known_and_is_asked_in_the_same_way(desk: Desk) -> None:
    known, order = a_limit(SPOT, an_id()), a_limit(SPOT, an_id())
    await desk.place(known)
    assert (await desk.look(order, known=known.client_order_id)).control is Says.FOUND
    assert (await desk.look(order, known=an_id())).control is Says.NOT_FOUND
    await desk.cancel(known)


async def test_without_any_order_to_know_there_is_no_control(desk: Desk) -> None:
    for source in (Source.OPEN_ORDERS, Source.CLOSED_ORDERS):
        desk.answers(source, [])
    findings = await desk.look(a_limit(SPOT, an_id()))
    assert findings.control is Says.NO_ANSWER
    assert set(says(findings).values()) == {Says.NOT_FOUND}


async def test_an_order_so_old_that_the_venue_may_have_forgotten_it_is_not_not_found(desk: Desk) -> None:
    four_days_ago = desk.clock.now_ms() - 4 * 86_400_000
    # USD-M forgets an order that ended without a trade after three days; spot keeps it for ninety.
    linear = says(await desk.look(a_limit(SWAP, an_id()), four_days_ago))
    forgets = {Source.CLIENT_ID, Source.CLOSED_ORDERS, Source.CLOSED_CONDITIONAL_ORDERS}
    assert {each for each, said in linear.items() if said is Says.NO_ANSWER} == forgets
    spot = says(await desk.look(a_limit(SPOT, an_id()), four_days_ago))
    assert set(spot.values()) == {Says.NOT_FOUND}


async def test_a_long_time_is_asked_for_in_spans_that_the_venue_takes_and_a_longer_one_is_no_answer(
    desk: Desk,
) -> None:
    day_ms = 86_400_000
    await desk.look(a_limit(SPOT, an_id()), desk.clock.now_ms() - 4 * day_ms)
    asked = [entry.query for entry in desk.sim.control.requests() if entry.path == "/api/v3/myTrades"]
    spans = [
        {
            name: int(value)
            for name, _, value in (pair.partition("=") for pair in query.split("&"))
            if name.endswith("Time")
        }
        for query in asked
    ]
    assert len(spans) == 5
    assert all(0 < span["endTime"] - span["startTime"] < day_ms for span in spans)
    assert all(later["startTime"] == span["endTime"] + 1 for span, later in pairwise(spans))
    long_ago = says(await desk.look(a_limit(SPOT, an_id()), desk.clock.now_ms() - 30 * day_ms))
    assert {long_ago[Source.CLOSED_ORDERS], long_ago[Source.TRADES]} == {Says.NO_ANSWER}


async def test_a_clock_that_is_ahead_as_far_as_the_venue_takes_hides_no_order(desk: Desk) -> None:
    order = a_limit(SPOT, an_id())
    desk.client.options["timeDifference"] = -desk.clock.ahead - 900
    sent = await send(desk.client, render(desk.client, order, allowed(order)))
    assert sent.attempt is not None
    signed_ms = sent.attempt.signed_ms or 0
    assert sent.error is None
    assert signed_ms > desk.clock.now_ms()
    findings = await desk.look(order, signed_ms)
    assert says(findings)[Source.CLOSED_ORDERS] is Says.FOUND
    await desk.cancel(order)


async def test_a_clock_that_is_off_makes_every_signed_source_silent(desk: Desk) -> None:
    order = a_limit(SPOT, an_id())
    desk.client.options["timeDifference"] = -desk.clock.ahead - 5_000
    findings = await desk.finder.find(sought(order, desk.clock.now_ms()))
    assert set(says(findings).values()) == {Says.NO_ANSWER}
    assert findings.venue_ms > 0


async def test_a_venue_that_does_not_tell_its_time_leaves_it_at_zero(desk: Desk) -> None:
    desk.sim.control.add_fault(
        {"method": "GET", "path": "/api/v3/time", "kind": "body", "body": '{"serverTime":"x"}'}
    )
    order = a_limit(SPOT, an_id())
    findings = await desk.look(order, await desk.place(order))
    assert findings.venue_ms == 0
    assert findings.found is not None
    await desk.cancel(order)


async def test_an_account_without_a_key_or_without_the_market_is_silent_and_asks_nothing(desk: Desk) -> None:
    for finder in (a_finder(desk.client, has_key=False), a_finder(desk.client, types=(MarketType.LINEAR,))):
        findings = await finder.find(sought(a_limit(SPOT, an_id()), 1))
        assert says(findings) == dict.fromkeys(SPOT_SOURCES, Says.NO_ANSWER)
    assert desk.sim.control.requests() == []


async def test_an_opened_venue_looks_only_with_a_key_that_may_be_used(
    sim: SimulatedExchange, cache: Path
) -> None:
    order = a_limit(SPOT, an_id())
    async with opened(simulated(sim), cache=cache) as venues:
        findings = await venues.lookups["main"].find(sought(order, now_ms()))
    assert says(findings) == dict.fromkeys(SPOT_SOURCES, Says.NOT_FOUND)
    # This is the half that only reads: a key that can trade is not used at all.
    async with opened(simulated(sim, key="trader"), cache=cache) as venues:
        findings = await venues.lookups["main"].find(sought(order, now_ms()))
    assert says(findings) == dict.fromkeys(SPOT_SOURCES, Says.NO_ANSWER)
    assert "a key that can trade" in detail(findings, Source.CLIENT_ID)


async def test_a_venue_where_nothing_may_leave_is_silent_and_says_why() -> None:
    account = Account(AccountName("main"), "binance", Environment.LIVE, (MarketType.SPOT,), has_key=True)
    findings = await ClosedVenue(account, "nothing may leave", None).find(sought(a_limit(SPOT, an_id()), 1))
    assert says(findings) == dict.fromkeys(SPOT_SOURCES, Says.NO_ANSWER)
    assert {each.detail for each in findings.sources} == {"nothing may leave"}


@pytest.mark.parametrize(
    "change", [{"client_order_id": "a/b"}, {"known": "../x"}, {"known": "same", "client_order_id": "same"}]
)
async def test_what_could_not_be_a_request_is_not_sought(change: dict[str, str]) -> None:
    whole: dict[str, Any] = {"market": planned(SPOT), "client_order_id": "a", "signed_ms": 1, **change}
    with pytest.raises(ValueError, match=r"order id|look-up"):
        Sought(**whole)


def _plan(order: PlaceOrder) -> WirePlan:
    return WirePlan(
        venue="binance",
        account=AccountName("main"),
        account_id=None,
        key_id="k",
        environment=Environment.SIM,
        market=planned(order.symbol),
        write=order,
        request=WireRequest(verb="POST", api="private", path="order", parameters={}),
        window_ms=10_000,
    )
