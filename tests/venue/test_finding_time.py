"""Looking for an order where the venue's own time is missing, or is none: nothing is said that depends on it."""

from collections.abc import AsyncGenerator

import pytest

from exchange_mcp.model.findings import Says, Source
from exchange_mcp.sim import SimulatedExchange
from faults.writers import SPOT, SWAP, OffsetClock, a_limit

from .test_finding import Desk, a_desk, an_id, detail, now_ms, says

pytestmark = pytest.mark.anyio

TIMES = {SPOT: "/api/v3/time", SWAP: "/fapi/v1/time"}
FORGETS = {Source.CLIENT_ID, Source.CLOSED_ORDERS, Source.CLOSED_CONDITIONAL_ORDERS}


@pytest.fixture(scope="module")
async def venue() -> AsyncGenerator[Desk]:
    clock = OffsetClock(now_ms)
    async with SimulatedExchange(seed=1, clock=clock).serving() as sim, a_desk(sim, clock) as desk:
        yield desk


async def with_time(desk: Desk, body: str, symbol: str = SPOT, *, days_ago: int = 0) -> dict[Source, Says]:
    desk.sim.control.add_fault({"method": "GET", "path": TIMES[symbol], "kind": "body", "body": body})
    signed_ms = desk.clock.now_ms() - days_ago * 86_400_000
    findings = await desk.look(a_limit(symbol, an_id()), signed_ms)
    desk.sim.control.clear_faults()
    assert findings.venue_ms == 0
    assert all(detail(findings, each.source) for each in findings.sources if each.says is Says.NO_ANSWER)
    return says(findings)


@pytest.mark.parametrize(
    "told",
    ["1" + "0" * 30, "1" + "0" * 60, "1" + "0" * 400, "1764540000000000", '"1e40"', "-5", "0", "true", "[1]"],
)
async def test_a_time_that_is_none_is_not_believed_and_ends_no_look(venue: Desk, told: str) -> None:
    said = await with_time(venue, f'{{"serverTime":{told}}}')
    assert said[Source.OPEN_ORDERS] is Says.NOT_FOUND


@pytest.mark.parametrize("symbol", [SPOT, SWAP])
async def test_a_list_of_a_span_is_no_answer_where_nobody_knows_when_the_span_ends(
    venue: Desk, symbol: str
) -> None:
    said = await with_time(venue, "{}", symbol)
    spans = {Source.CLOSED_ORDERS, Source.CLOSED_CONDITIONAL_ORDERS, Source.TRADES} & said.keys()
    assert {said[each] for each in spans} == {Says.NO_ANSWER}


async def test_what_a_venue_may_have_forgotten_is_not_not_found_where_nobody_knows_how_old_it_is(
    venue: Desk,
) -> None:
    said = await with_time(venue, "{}", SWAP, days_ago=4)
    assert {said[each] for each in FORGETS} == {Says.NO_ANSWER}
