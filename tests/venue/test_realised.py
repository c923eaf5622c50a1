"""What derivatives realised: every entry that is a result of trading, exact, from all pages, or an error."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from exchange_mcp.model.errors import BadAnswerError, ExchangeMcpError, NotCoveredError
from exchange_mcp.model.readings import Realised
from exchange_mcp.sim import SimulatedExchange

from .opened import INVERSE, LINEAR, NOON_MS, SPOT, opened, simulated

pytestmark = pytest.mark.anyio

PATH = "/fapi/v1/income"


def entry(kind: str = "REALIZED_PNL", **changed: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """An entry as the page shows one."""
    return {
        "symbol": "BTCUSDT",
        "incomeType": kind,
        "income": "-1.25000000",
        "asset": "USDT",
        "info": kind,
        "time": NOON_MS,
        "tranId": 9689322392,
        "tradeId": "2059192",
    } | changed


async def read(sim: SimulatedExchange, cache: Path, *rows: object) -> list[Realised]:
    """What is made of an answer."""
    async with opened(simulated(sim), cache=cache) as venues:
        sim.control.add_fault({"kind": "body", "path": PATH, "body": json.dumps(rows)})
        (source,) = venues.venues["main"].realised(NOON_MS).reads
        return list(await source.read())


async def test_results_of_trading_count_and_transfers_and_rebates_do_not(
    sim: SimulatedExchange, cache: Path
) -> None:
    counted = ["REALIZED_PNL", "COMMISSION", "FUNDING_FEE", "INSURANCE_CLEAR", "DELIVERED_SETTELMENT"]
    others = [
        "TRANSFER",
        "WELCOME_BONUS",
        "COMMISSION_REBATE",
        "API_REBATE",
        "REFERRAL_KICKBACK",
        "COIN_SWAP_DEPOSIT",
    ]
    found = await read(sim, cache, *(entry(kind) for kind in (*counted, *others)))
    assert found == [
        Realised(symbol="BTC/USDT:USDT", asset="USDT", amount=Decimal("-1.25"), at_ms=NOON_MS)
    ] * len(counted)


async def test_an_amount_without_a_market_and_one_of_a_market_that_is_gone_count_as_well(
    sim: SimulatedExchange, cache: Path
) -> None:
    found = await read(
        sim, cache, entry("FUNDING_FEE", symbol="", asset="BNB"), entry(symbol="GONEUSDT", tranId=1)
    )
    assert [(each.symbol, each.asset) for each in found] == [(None, "BNB"), ("GONEUSDT", "USDT")]


async def test_an_entry_that_came_on_two_pages_counts_once_and_two_alike_count_twice(
    sim: SimulatedExchange, cache: Path
) -> None:
    assert len(await read(sim, cache, entry(), entry(), entry(tranId=1))) == 2


@pytest.mark.parametrize("missing", ["income", "asset", "time"])
async def test_an_entry_that_does_not_say_all_is_no_answer(
    sim: SimulatedExchange, cache: Path, missing: str
) -> None:
    with pytest.raises(BadAnswerError):
        await read(sim, cache, {k: v for k, v in entry().items() if k != missing})


async def test_a_list_without_an_end_is_no_answer(sim: SimulatedExchange, cache: Path) -> None:
    with pytest.raises(NotCoveredError, match="20000"):
        await read(sim, cache, *(entry(tranId=i) for i in range(1000)))
    asked = [request.query for request in sim.control.requests() if request.path == PATH]
    assert len(asked) == 20
    assert [f"page={page}&" in f"{query}&" for page, query in enumerate(asked, start=1)] == [True] * 20
    assert all(f"startTime={NOON_MS}" in query for query in asked)


async def test_a_venue_that_does_not_answer_is_an_error_and_not_nothing(
    sim: SimulatedExchange, cache: Path
) -> None:
    async with opened(simulated(sim), cache=cache) as venues:
        body = '{"code":-1003,"msg":"Too much."}'
        sim.control.add_fault({"kind": "status", "status": 400, "path": PATH, "body": body})
        (source,) = venues.venues["main"].realised(NOON_MS).reads
        with pytest.raises(ExchangeMcpError):
            await source.read()


async def test_spot_realises_nothing_and_what_cannot_be_read_is_named(
    sim: SimulatedExchange, cache: Path
) -> None:
    spot = simulated(sim, "spot", types=(SPOT,))
    coin = simulated(sim, "coin", types=(SPOT, LINEAR, INVERSE))
    keyless = simulated(sim, "keyless", key=None)
    async with opened(spot, coin, keyless, cache=cache) as venues:
        told = {name: venue.realised(NOON_MS) for name, venue in venues.venues.items()}
    assert (told["spot"].reads, told["spot"].unread) == ((), ())
    assert [each.source for each in told["coin"].reads] == ["realised (linear)"]
    assert [each.source for each in told["coin"].unread] == ["realised (inverse)"]
    assert (told["keyless"].reads, len(told["keyless"].unread)) == ((), 1)
