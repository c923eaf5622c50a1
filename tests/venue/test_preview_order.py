"""preview_order over the simulated exchange: what is answered, what is refused by which code, and what is asked."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pytest

from exchange_mcp.model.errors import ErrorCode, ExchangeMcpError, InvalidArgumentError
from exchange_mcp.sim import SimulatedExchange
from exchange_mcp.tools.answers import Envelope, output_schema
from exchange_mcp.tools.preview_order import PreviewedOrder, PreviewOrder, preview_order
from tools.json_schema import violations

from .opened import handed, opened, simulated

pytestmark = pytest.mark.anyio

D = Decimal
E = ErrorCode
SPOT, PERPETUAL = "BTC/USDT", "BTC/USDT:USDT"

# One level of ten at 100,000 and two of 0.1 above, so that what an order costs is worked out by hand.
BOOK: Final = {
    "bids": [["99999.9", "0.1"], ["99990.0", "0.2"]],
    "asks": [["100000.1", "0.1"], ["100010.0", "0.2"]],
}
MARK: Final = {"symbol": "BTCUSDT", "markPrice": "100000", "lastPrice": "100000"}
# The long of sim/seeding.py, alone in its account: 12,500 in the wallet, 0.25 at 104,444, mark at 100,000.
ACCOUNT: Final = {
    "assets": [
        {
            "asset": "USDT",
            "marginBalance": "11389",
            "crossWalletBalance": "12500",
            "availableBalance": "8889",
        }
    ],
    "positions": [],
}


async def previewed(
    sim: SimulatedExchange,
    cache: Path,
    bodies: dict[str, object] | None = None,
    *,
    account: str | None = None,
    **order: Any,  # noqa: ANN401 - an order's parts
) -> PreviewedOrder:
    """The tool's answer, with these in the place of the venue's."""
    async with opened(simulated(sim), cache=cache) as venues:
        for path, body in {".*/depth": BOOK, **(bodies or {})}.items():
            sim.control.add_fault({"kind": "body", "path": path, "body": json.dumps(body)})
        return await preview_order(PreviewOrder(account=account, **order), handed(venues))


async def test_figures_of_a_contract_are_those_of_a_table_worked_by_hand(
    sim: SimulatedExchange, cache: Path
) -> None:
    bodies: dict[str, object] = {
        "/fapi/v1/premiumIndex": MARK,
        "/fapi/v1/ticker/24hr": MARK,
        "/fapi/v3/account": ACCOUNT,
        "/fapi/v1/openOrders": [],
        "/fapi/v1/openAlgoOrders": [],
    }
    answer = await previewed(sim, cache, bodies, symbol=PERPETUAL, side="sell", type="market", amount="0.25")
    told = answer.preview
    # 0.1 at 99,999.9 and 0.15 at 99,990: 9,999.99 + 14,998.5 = 24,998.49, on average 99,993.96.
    assert (told.notional, told.average_price) == (D("24998.49"), D("99993.96"))
    # The mid is 100,000; 6.04 of it is 0.604 basis points, which is never shown as less.
    assert (told.mid, told.slippage_bps) == (D("100000"), D("0.61"))
    # 5 basis points of 24,998.49.
    assert (told.fee, told.fee_asset, told.fee_source) == (D("12.499245"), "USDT", "the account's own rate")
    # 24,998.49 of 11,389, cut at the fourth decimal.
    assert told.notional_percent == D("219.4967")
    assert (told.effect, told.position, told.position_after) == ("closes", D("0.25"), D(0))
    # Closing realises 0.25 x (99,993.96 - 104,444) = -1,112.51; 12,500 less that and the fee is all free then.
    assert (told.free, told.free_after) == (D(8889), D("11374.990755"))
    # Were it kept: (12,500 + 0 - 0.25 x 104,444) / (0.25 x 0.004 - 0.25), at the first bracket, since 0.25 is worth
    # less than 50,000 there: 54,662.650602409..., never shown as farther off than it is.
    assert told.liquidation_price == D("54662.65060241")
    assert (told.liquidation_price_after, told.leverage, told.margin_mode) == (None, 10, "cross")
    assert (told.book_levels, told.book_levels_used, told.book_amount) == (2, 2, D("0.3"))
    assert answer.coverage.complete
    assert answer.account == "main"


async def test_the_answer_is_of_its_own_schema_and_the_lines_say_what_the_figures_say(
    sim: SimulatedExchange, cache: Path
) -> None:
    answer = await previewed(sim, cache, symbol=SPOT, side="buy", type="limit", amount="0.01", price="90000")
    sent = Envelope(data=answer).structured()
    assert violations(output_schema(PreviewedOrder), sent) == []
    assert sent["data"]["preview"]["notional"] == "900"
    text = "\n".join(answer.lines)
    assert "limit buy" in text
    assert "900 USDT" in text
    assert "limit 90000 USDT" in text


# Each bad input of its own, one a code; the simulated pair's grid is 0.00001 BTC and 0.01 USDT, its least worth 5 USDT.
REFUSED: Final[list[tuple[dict[str, Any], ErrorCode, str]]] = [
    ({"type": "market", "amount": "0"}, E.NUMBER_ZERO, "greater than 0"),
    ({"type": "market", "amount": "-1"}, E.NUMBER_NEGATIVE, "greater than 0"),
    ({"type": "market"}, E.AMOUNT_OR_COST, "exactly one"),
    ({"type": "market", "amount": "1", "cost": "5"}, E.AMOUNT_OR_COST, "exactly one"),
    ({"type": "market", "amount": "0.000015"}, E.AMOUNT_OFF_STEP, "0.00001 and 0.00002 BTC"),
    ({"type": "market", "amount": "0.000001"}, E.AMOUNT_TOO_SMALL, "the least is 0.00001"),
    ({"type": "market", "amount": "181"}, E.AMOUNT_TOO_LARGE, "the most is 180"),
    ({"type": "limit", "amount": "0.1"}, E.PRICE_MISSING, "needs one"),
    ({"type": "market", "amount": "0.1", "price": "1"}, E.PRICE_NOT_TAKEN, "has none"),
    (
        {"type": "limit", "amount": "0.1", "price": "100000.001"},
        *(E.PRICE_OFF_TICK, "100000 and 100000.01 USDT"),
    ),
    ({"type": "limit", "amount": "0.1", "price": "999999"}, E.PRICE_OUTSIDE_BAND, "too far from the average"),
    (
        {"type": "limit", "amount": "0.00001", "price": "90000"},
        E.NOTIONAL_TOO_SMALL,
        "less than the least of 5",
    ),
    (
        {"type": "stop_limit", "amount": "0.1", "price": "90000", "trigger_price": "90000"},
        *(E.TRIGGER_WRONG_SIDE, "above the last price"),
    ),
    ({"type": "market", "amount": "0.1", "reduce_only": True}, E.REDUCE_ONLY_NOT_TAKEN, "spot"),
    ({"type": "market", "amount": "5"}, E.BOOK_TOO_THIN, "0.3"),
]


@pytest.mark.parametrize(("order", "code", "told"), REFUSED, ids=[code.value for _, code, _ in REFUSED])
async def test_what_is_no_order_has_a_code_of_its_own_and_says_what_is_valid(
    sim: SimulatedExchange, cache: Path, order: dict[str, Any], code: ErrorCode, told: str
) -> None:
    with pytest.raises(ExchangeMcpError) as raised:
        await previewed(sim, cache, symbol=SPOT, side="buy", **order)
    assert raised.value.code is code
    assert told in raised.value.message
    assert raised.value.retry == "never"


async def test_an_empty_side_of_the_book_and_a_halted_market_are_refused(
    sim: SimulatedExchange, cache: Path
) -> None:
    with pytest.raises(ExchangeMcpError) as raised:
        await previewed(
            sim, cache, {".*/depth": {**BOOK, "asks": []}}, symbol=SPOT, side="buy", type="market", amount="1"
        )
    assert raised.value.code is E.BOOK_EMPTY
    with pytest.raises(ExchangeMcpError) as raised:
        await previewed(sim, cache, symbol="LUNA/USDT", side="buy", type="market", amount="10")
    assert raised.value.code is E.MARKET_NOT_TRADING


async def test_a_bad_order_costs_no_request_where_the_market_alone_can_tell(
    sim: SimulatedExchange, cache: Path
) -> None:
    with pytest.raises(ExchangeMcpError, match="price: a limit order needs one"):
        await previewed(sim, cache, symbol=SPOT, side="buy", type="limit", amount="0.1")
    assert sim.control.requests() == []


async def test_a_conditional_order_on_contracts_is_previewed_and_said_not_to_be_written(
    sim: SimulatedExchange, cache: Path
) -> None:
    answer = await previewed(
        *(sim, cache),
        symbol=PERPETUAL,
        side="sell",
        type="stop_market",
        amount="0.1",
        trigger_price="50000",
        reduce_only=True,
    )
    assert answer.preview.refused is not None
    assert answer.preview.refused.code is E.NOT_OFFERED_YET
    assert answer.preview.effect == "reduces"


async def test_without_a_book_a_limit_order_is_still_previewed_and_what_is_missing_is_named(
    sim: SimulatedExchange, cache: Path
) -> None:
    async with opened(simulated(sim), cache=cache) as venues:
        sim.control.add_fault(
            {"kind": "status", "status": 400, "path": ".*/depth", "body": '{"code":-1003,"msg":"Too much."}'}
        )
        order = PreviewOrder(symbol=SPOT, side="buy", type="limit", amount="0.1", price="90000")  # pyright: ignore[reportArgumentType] - as JSON gives it
        answer = await preview_order(order, handed(venues))
    assert (answer.preview.mid, answer.preview.average_price) == (None, answer.preview.average_price)
    assert answer.preview.mid is None
    assert any("mid" in unknown.figures for unknown in answer.preview.unknown)
    assert "order book" in {gap.source for gap in answer.coverage.gaps}
    assert not answer.coverage.complete


async def test_an_order_is_of_one_account(sim: SimulatedExchange, cache: Path) -> None:
    order = PreviewOrder(symbol=SPOT, side="buy", type="market", cost="50")  # pyright: ignore[reportArgumentType] - as JSON gives it
    openings = (simulated(sim), simulated(sim, "alt", key="reader-alt"))
    async with opened(*openings, cache=cache) as venues:
        with pytest.raises(InvalidArgumentError, match="there are: main, alt"):
            await preview_order(order, handed(venues))
    assert sim.control.requests() == []


async def test_a_hedged_account_is_previewed_and_said_not_to_be_written(
    sim: SimulatedExchange, cache: Path
) -> None:
    async with opened(simulated(sim, "alt", key="reader-alt"), cache=cache) as venues:
        order = PreviewOrder(symbol="ETH/USDT:USDT", side="buy", type="limit", amount="1", price="3400")  # pyright: ignore[reportArgumentType] - as JSON gives it
        answer = await preview_order(order, handed(venues))
    assert answer.preview.refused is not None
    assert answer.preview.refused.code is E.HEDGE_MODE
    assert (answer.preview.position_mode, answer.preview.effect) == ("hedge", "adds")
    assert not [entry for entry in sim.control.requests() if entry.is_write]
