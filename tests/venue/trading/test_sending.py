"""What a desk sends through its venue: exactly the plan, once, in time, over a line of its own; or nothing."""

from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from exchange_mcp.model.outcomes import Outcome
from exchange_mcp.model.writes import WriteRequest
from exchange_mcp.sim import SimulatedExchange
from exchange_mcp.venue.verdict import judge

from .traded import (
    BTC,
    PERPETUAL,
    a_cancel,
    a_leverage,
    a_limit,
    a_market,
    a_stop,
    planned,
    sent,
    traders,
    trading,
)

pytestmark = pytest.mark.anyio

_SIGNING = {"timestamp", "recvWindow", "signature"}

WRITES: list[WriteRequest] = [
    a_limit("t-limit-1"),
    a_limit("t-limit-2", PERPETUAL),
    a_market("t-market-1"),
    a_market("t-market-2", PERPETUAL),
    a_stop("t-stop-1"),
    a_cancel("t-limit-1"),
    a_cancel("t-limit-2", PERPETUAL),
    a_cancel("t-stop-1", PERPETUAL, is_conditional=True),
    a_leverage(9),
]


async def test_every_kind_of_write_arrives_as_it_was_planned_field_by_field(
    sim: SimulatedExchange, cache: Path
) -> None:
    async with trading(traders(sim), cache=cache) as opened:
        venue = opened.trading["main"]
        for write in WRITES:
            plan = await planned(venue, write)
            sim.control.clear_requests()
            evidence = await sent(venue, plan)
            assert judge(evidence).outcome is Outcome.ACCEPTED, (write, evidence)
            (entry,) = [each for each in sim.control.requests() if each.method != "GET"]
            arrived = dict(parse_qsl(entry.query) + parse_qsl(entry.body))
            assert arrived["recvWindow"] == str(venue.window_ms)
            told = {name: value for name, value in arrived.items() if name not in _SIGNING}
            assert told == {
                name: str(value).lower() if isinstance(value, bool) else str(value)
                for name, value in plan.request.parameters.items()
            }
    assert BTC
