"""Through every tool's read, the digits of the answer are those of the wire: no float, no exponent, no lost zero."""

import re
from collections.abc import Awaitable, Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, Protocol, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exchange_mcp.model.coverage import Coverage
from exchange_mcp.model.decimals import text
from exchange_mcp.sim import SimulatedExchange
from exchange_mcp.tools.balances import GetBalance, get_balance
from exchange_mcp.tools.handed import ReadHanded
from exchange_mcp.tools.market_data import GetOrderbook, GetTicker, get_orderbook, get_ticker
from exchange_mcp.tools.open_orders import GetOpenOrders, get_open_orders
from exchange_mcp.tools.positions import GetPositions, get_positions
from exchange_mcp.venue.numbers import ExactNumbers, exact_json

from .opened import handed, opened, simulated

pytestmark = pytest.mark.anyio

A = TypeVar("A")

_EXPONENT = re.compile(r'"-?[0-9.]+[eE][+-]?[0-9]+"')


def _body(path: str, body: str) -> dict[str, object]:
    return {"kind": "body", "path": path, "body": body}


class _Data(Protocol):
    """What a read tool answers."""

    @property
    def coverage(self) -> Coverage: ...

    def model_dump_json(self) -> str: ...

    def model_dump(self, *, mode: str) -> dict[str, Any]: ...


async def _answer(
    sim: SimulatedExchange,
    cache: Path,
    tool: Callable[[A, ReadHanded], Awaitable[_Data]],
    arguments: A,
    bodies: Mapping[str, str],
) -> dict[str, Any]:
    """What the tool answers as JSON when the venue sends these bodies."""
    for path, body in bodies.items():
        sim.control.add_fault(_body(path, body))
    async with opened(simulated(sim), cache=cache) as venues:
        data = await tool(arguments, handed(venues))
    assert data.coverage.complete, data.coverage.gaps
    assert not _EXPONENT.search(data.model_dump_json())
    return data.model_dump(mode="json")


def _only(record: Mapping[str, Any], *names: str) -> tuple[Any, ...]:
    return tuple(record[name] for name in names)


# Totals by hand: 1.2345678901234500 + 0.00000001, 12345678901234567.00 + 1500, 100000000000000000000 + 0.0.
SPOT_ACCOUNT = """{"makerCommission":10,"takerCommission":10,"updateTime":1767268800000,"accountType":"SPOT",
"balances":[{"asset":"BTC","free":1.2345678901234500,"locked":1E-8},
{"asset":"USDT","free":"12345678901234567.00","locked":"1.50E+3"},
{"asset":"SHIB","free":100000000000000000000,"locked":0.0},
{"asset":"XRP","free":0.1000000000000000055511151231257827,"locked":"0.00000000"}]}"""
LINEAR_ACCOUNT = """{"assets":[{"asset":"USDT","walletBalance":"1","unrealizedProfit":0.0,
"marginBalance":98765432109876.543210,"maintMargin":"0","initialMargin":6.0240820165000000e3,
"availableBalance":"7645.5846667400000","updateTime":1767268800000}],"positions":[]}"""


async def test_balances(sim: SimulatedExchange, cache: Path) -> None:
    answer = await _answer(
        sim,
        cache,
        get_balance,
        GetBalance(),
        {"/api/v3/account": SPOT_ACCOUNT, "/fapi/v3/account": LINEAR_ACCOUNT},
    )
    assert [_only(row, "source", "asset", "free", "used", "total") for row in answer["balances"]] == [
        ("spot", "BTC", "1.2345678901234500", "0.00000001", "1.2345679001234500"),
        ("spot", "USDT", "12345678901234567.00", "1500", "12345678901236067.00"),
        ("spot", "SHIB", "100000000000000000000", "0.0", "100000000000000000000.0"),
        (
            "spot",
            "XRP",
            "0.1000000000000000055511151231257827",
            "0.00000000",
            "0.1000000000000000055511151231257827",
        ),
        ("linear", "USDT", "7645.5846667400000", "6024.0820165000000", "98765432109876.543210"),
    ]


POSITIONS = """[{"entryPrice":"104444.12345678900","breakEvenPrice":"104500","marginType":"cross",
"isAutoAddMargin":"false","isolatedMargin":"0.00000000","leverage":"10","liquidationPrice":54348.975171530,
"markPrice":1.0861765770586000e5,"maxNotionalValue":"20000000","positionAmt":"0.250","notional":"27154.41442646000",
"isolatedWallet":"0","symbol":"BTCUSDT","unRealizedProfit":"1043.4144264600","positionSide":"BOTH",
"updateTime":1767268800000},
{"entryPrice":3474.930,"breakEvenPrice":"0","marginType":"isolated","isAutoAddMargin":"false",
"isolatedMargin":"100.0","leverage":"5","liquidationPrice":"0","markPrice":"0.00000000",
"positionAmt":-3.500,"notional":"0","isolatedWallet":"0","symbol":"ETHUSDT","unRealizedProfit":-1.0E-8,
"positionSide":"SHORT","updateTime":1767268800001}]"""


async def test_positions(sim: SimulatedExchange, cache: Path) -> None:
    answer = await _answer(sim, cache, get_positions, GetPositions(), {"/fapi/v2/positionRisk": POSITIONS})
    fields = (
        "symbol",
        "side",
        "amount",
        "contracts",
        "entry_price",
        "mark_price",
        "liquidation_price",
        "notional",
        "leverage",
        "unrealised_pnl",
        "hedge_mode",
        "margin_mode",
    )
    assert [_only(row, *fields) for row in answer["positions"]] == [
        (
            "BTC/USDT:USDT",
            "long",
            "0.250",
            "0.250",
            "104444.12345678900",
            "108617.65770586000",
            "54348.975171530",
            "27154.41442646000",
            "10",
            "1043.4144264600",
            False,
            "cross",
        ),
        # A mark price of 0 is what the venue sent; a liquidation price of 0 is its way to tell none.
        (
            "ETH/USDT:USDT",
            "short",
            "3.500",
            "3.500",
            "3474.930",
            "0.00000000",
            None,
            "0",
            "5",
            "-0.000000010",
            True,
            "isolated",
        ),
    ]


SPOT_ORDERS = """[{"symbol":"BTCUSDT","orderId":12345678901234567890,"orderListId":-1,"clientOrderId":"a",
"price":97123.456789012340,"origQty":"1.50E-7","executedQty":1e-8,"cummulativeQuoteQty":"0.00097123",
"status":"PARTIALLY_FILLED","timeInForce":"GTC","type":"LIMIT","side":"BUY","stopPrice":"0.00000000",
"icebergQty":"0.00000000","time":1767268800000,"updateTime":1767268800000,"isWorking":true,
"origQuoteOrderQty":"0.00000000"}]"""
LINEAR_ORDERS = """[{"avgPrice":"0.00000","clientOrderId":"b","cumQuote":"0","executedQty":"0.000",
"orderId":2,"origQty":12.500,"origType":"LIMIT","price":"90129.300000000000","reduceOnly":true,"side":"SELL",
"positionSide":"BOTH","status":"NEW","stopPrice":"0","closePosition":false,"symbol":"BTCUSDT",
"time":1767268800000,"timeInForce":"GTX","type":"LIMIT","updateTime":1767268800000,"workingType":"CONTRACT_PRICE",
"priceProtect":false}]"""
ALGO_ORDERS = """[{"algoId":3,"clientAlgoId":"c","algoType":"CONDITIONAL","orderType":"STOP","symbol":"BTCUSDT",
"side":"SELL","positionSide":"BOTH","timeInForce":"GTC","quantity":"0.100","algoStatus":"NEW",
"triggerPrice":86948.3000,"price":"8.6900E+4","icebergQuantity":null,"selfTradePreventionMode":"NONE",
"workingType":"MARK_PRICE","priceMatch":"NONE","closePosition":false,"priceProtect":false,"reduceOnly":true,
"createTime":1767268800000,"updateTime":1767268800000,"triggerTime":0,"goodTillDate":0}]"""


async def test_open_orders(sim: SimulatedExchange, cache: Path) -> None:
    answer = await _answer(
        sim,
        cache,
        get_open_orders,
        GetOpenOrders(),
        {
            "/api/v3/openOrders": SPOT_ORDERS,
            "/fapi/v1/openOrders": LINEAR_ORDERS,
            "/fapi/v1/openAlgoOrders": ALGO_ORDERS,
        },
    )
    fields = ("id", "price", "trigger_price", "amount", "filled", "remaining", "reduce_only", "post_only")
    assert [_only(row, *fields) for row in answer["orders"]] == [
        (
            "12345678901234567890",
            "97123.456789012340",
            None,
            "0.000000150",
            "0.00000001",
            "0.000000140",
            None,
            False,
        ),
        ("2", "90129.300000000000", None, "12.500", "0.000", "12.500", True, True),
        ("3", "86900", "86948.3000", "0.100", None, None, True, False),
    ]


TICKER = """{"symbol":"BTCUSDT","priceChange":-94.99999800,"priceChangePercent":-0.1000,
"weightedAvgPrice":"97000","prevClosePrice":"1","lastPrice":97123.456789012340,"lastQty":"1",
"bidPrice":9.7123450000000000e4,"bidQty":"1","askPrice":"97123.460000000000","askQty":"1","openPrice":"1",
"highPrice":1.00E+5,"lowPrice":"1E-8","volume":12345678901234567890,"quoteVolume":1234567890123456.7890,
"openTime":1767182400000,"closeTime":1767268800000,"firstId":1,"lastId":2,"count":2}"""


async def test_ticker(sim: SimulatedExchange, cache: Path) -> None:
    answer = await _answer(
        sim, cache, get_ticker, GetTicker(symbol="BTC/USDT"), {"/api/v3/ticker/24hr": TICKER}
    )
    (ticker,) = answer["tickers"]
    fields = ("last", "bid", "ask", "high", "low", "change_percent", "base_volume", "quote_volume")
    assert _only(ticker, *fields) == (
        "97123.456789012340",
        "97123.450000000000",
        "97123.460000000000",
        "100000",
        "0.00000001",
        "-0.1000",
        "12345678901234567890",
        "1234567890123456.7890",
    )


# As text, 9999.9 would sort above 97123.4, 1E+5 below 97123.5, and 1e-8 nowhere.
BOOK = """{"lastUpdateId":1,"bids":[["9999.9","2.000"],["97123.45000000",1.2345678901234500],[1e-8,"1"]],
"asks":[["1E+5",1e-8],["97123.46000000","12345678901234567890"],[97123.460000000001,"0.10"]]}"""


async def test_books_are_exact_and_best_first(sim: SimulatedExchange, cache: Path) -> None:
    answer = await _answer(
        sim, cache, get_orderbook, GetOrderbook(symbol="BTC/USDT", levels=3), {"/api/v3/depth": BOOK}
    )
    (book,) = answer["books"]
    assert book["bids"] == [
        ["97123.45000000", "1.2345678901234500"],
        ["9999.9", "2.000"],
        ["0.00000001", "1"],
    ]
    assert book["asks"] == [
        ["97123.46000000", "12345678901234567890"],
        ["97123.460000000001", "0.10"],
        ["100000", "0.00000001"],
    ]


async def test_a_level_that_is_not_a_number_is_no_book(sim: SimulatedExchange, cache: Path) -> None:
    for bad in ('["abc","1"]', '[null,"1"]', '["1"]', "{}", '["1e999999999","1"]', '["Infinity","1"]'):
        sim.control.clear_faults()
        sim.control.add_fault(_body("/api/v3/depth", f'{{"lastUpdateId":1,"bids":[{bad}],"asks":[]}}'))
        async with opened(simulated(sim), cache=cache) as venues:
            (source,) = venues.venues["main"].order_book("BTC/USDT", 3).reads
            with pytest.raises(Exception, match="sent a"):
                await source.read()


@pytest.mark.parametrize("value", ["abc", "1,5", "0x1", "Infinity", "1e999999999", "--1"])
async def test_a_balance_that_is_not_a_number_is_a_gap(
    sim: SimulatedExchange, cache: Path, value: str
) -> None:
    sim.control.add_fault(
        _body("/api/v3/account", f'{{"balances":[{{"asset":"BTC","free":"{value}","locked":"1"}}]}}')
    )
    async with opened(simulated(sim), cache=cache) as venues:
        data = await get_balance(GetBalance(), handed(venues))
    (gap,) = data.coverage.gaps
    assert (gap.source, gap.code) == ("spot", "BAD_ANSWER")


_WIRE = st.decimals(allow_nan=False, allow_infinity=False, places=None, min_value=-(10**30), max_value=10**30)


@given(_WIRE)
def test_a_json_number_keeps_its_digits(number: Decimal) -> None:
    written = format(number, "f")
    parsed = exact_json(f"[{written}]")[0]
    assert str(parsed) == written if "." in written else int(written) == parsed


@given(
    st.decimals(min_value=0, max_value=10**20, places=18),
    st.decimals(min_value=0, max_value=10**20, places=8),
)
def test_a_level_keeps_its_digits(price: Decimal, amount: Decimal) -> None:
    level = ExactNumbers().parse_order_book_bid_ask([text(price), text(amount)])
    assert [text(part) for part in level if part is not None] == [text(price), text(amount)]


@pytest.mark.parametrize(
    "body", ["", "<html>", "{", "[1", '{"a":NaN}', '{"a":Infinity}', "[" * 100_000, " {}", "1"]
)
def test_what_is_not_json_is_no_answer(body: str) -> None:
    assert ExactNumbers().parse_json(body) is None


@pytest.mark.parametrize("number", ["1e999999999", '"1e999999999"', '"-.5E+99999"', '["1","9e-10000"]'])
def test_a_number_with_an_absurd_exponent_is_no_answer(number: str) -> None:
    assert ExactNumbers().parse_json(f'{{"a":{{"b":[{number}]}}}}') is None


def test_an_order_id_that_looks_like_such_a_number_is_fine() -> None:
    body = '{"orderId":"618297015431598e12345678","e1234":"x1e1234","tid":["1e9999"]}'
    assert ExactNumbers().parse_json(body) == {
        "orderId": "618297015431598e12345678",
        "e1234": "x1e1234",
        "tid": ["1e9999"],
    }
