"""As many items as the venue sent rows, or a named gap: no row is hidden, relabelled or completed by guessing."""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import anyio
import pytest

from exchange_mcp.model.coverage import Sources
from exchange_mcp.model.errors import BadAnswerError, ErrorCode, ExchangeMcpError, NotCoveredError
from exchange_mcp.model.ports import ReadVenue
from exchange_mcp.sim import SimulatedExchange
from exchange_mcp.venue.listing import MOST_AT_ONCE
from exchange_mcp.venue.numbers import MOST_CHARACTERS
from exchange_mcp.venue.opening import KeyMaterial

from .opened import client_of, opened, simulated

pytestmark = pytest.mark.anyio

Row = Mapping[str, object]

# The fields of https://developers.binance.com/docs/binance-spot-api-docs/rest-api/account-endpoints
# and https://developers.binance.com/docs/derivatives/usds-margined-futures/trade/rest-api
ORDER: Final[Row] = {
    "symbol": "BTCUSDT",
    "orderId": 7,
    "clientOrderId": "abc",
    "price": "84827.66000000",
    "origQty": "0.05000000",
    "executedQty": "0.01000000",
    "cummulativeQuoteQty": "848.27",
    "status": "NEW",
    "timeInForce": "GTC",
    "type": "LIMIT",
    "side": "BUY",
    "stopPrice": "0.00000000",
    "time": 1722062678998,
    "updateTime": 1722062679999,
}
POSITION: Final[Row] = {
    "symbol": "BTCUSDT",
    "positionSide": "BOTH",
    "positionAmt": "0.250",
    "entryPrice": "104444.0",
    "markPrice": "108939.7",
    "unRealizedProfit": "1123.92",
    "liquidationPrice": "54523.2",
    "notional": "27234.9",
    "leverage": "10",
    "marginType": "cross",
    "updateTime": 1722062678998,
}
MARGIN: Final[Row] = {
    "asset": "USDT",
    "walletBalance": "100",
    "marginBalance": "100",
    "availableBalance": "100",
    "initialMargin": "0",
    "updateTime": 1722062678998,
}
ACCOUNT, ORDERS, TICKER, BOOK = (
    "/api/v3/account",
    "/api/v3/openOrders",
    "/api/v3/ticker/24hr",
    "/api/v3/depth",
)
USDM, RISK, ALGO = "/fapi/v3/account", "/fapi/v2/positionRisk", "/fapi/v1/openAlgoOrders"


def _with(row: Row, **told: object) -> Row:
    return {**row, **told}


def _without(row: Row, *names: str) -> Row:
    return {name: value for name, value in row.items() if name not in names}


def _balances(venue: ReadVenue) -> Sources[Any]:
    return venue.balances()


def _positions(venue: ReadVenue) -> Sources[Any]:
    return venue.positions()


def _orders(venue: ReadVenue) -> Sources[Any]:
    return venue.open_orders(None)


def _orders_of_bitcoin(venue: ReadVenue) -> Sources[Any]:
    return venue.open_orders("BTC/USDT")


def _ticker(venue: ReadVenue) -> Sources[Any]:
    return venue.ticker("BTC/USDT")


def _book(venue: ReadVenue) -> Sources[Any]:
    return venue.order_book("BTC/USDT", 5)


Question = Callable[[ReadVenue], Sources[Any]]
QUESTIONS: Final[Mapping[str, tuple[Question, str]]] = {
    ACCOUNT: (_balances, "spot"),
    USDM: (_balances, "linear"),
    RISK: (_positions, "linear"),
    ORDERS: (_orders, "spot"),
    ALGO: (_orders, "linear conditional"),
    TICKER: (_ticker, "ticker"),
    BOOK: (_book, "order book"),
}


async def _read(
    sim: SimulatedExchange, cache: Path, path: str, body: object, question: Question | None = None
) -> Sequence[Any]:
    """What the one source says when the venue answers this."""
    asked, name = QUESTIONS[path]
    async with opened(simulated(sim), cache=cache) as venues:
        sim.control.add_fault(
            {"kind": "body", "path": path, "body": body if isinstance(body, str) else json.dumps(body)}
        )
        found = (question or asked)(venues.venues["main"]).reads
        (read,) = [read for read in found if read.source == name]
        return await read.read()


UNREADABLE: Final[Sequence[tuple[str, object]]] = [
    (ACCOUNT, {"balances": [{"coin": "BTC", "free": "1", "locked": "0"}]}),
    (ACCOUNT, {"balances": [None, None]}),
    (ACCOUNT, {"balances": ["BTC", "ETH"]}),
    (ACCOUNT, {"balances": [{"asset": "BTC", "free": None, "locked": None}]}),
    (ACCOUNT, {"balances": [{"asset": "BTC", "free": True, "locked": "0"}]}),
    (ACCOUNT, '{"balances":[{"asset":"BTC","free":"5","locked":"0"}],"balances":[]}'),
    (ACCOUNT, '{"balances":[{"asset":"BTC","free":"5","free":"0","locked":"0"}]}'),
    (USDM, {"assets": [{"coin": "USDT", "walletBalance": "100"}]}),
    (USDM, {"assets": [None]}),
    (USDM, {"assets": [_without(MARGIN, "marginBalance", "availableBalance", "initialMargin")]}),
    (RISK, [None]),
    (RISK, [POSITION, None]),
    (RISK, POSITION),
    (RISK, [{"s": "BTCUSDT", "pa": "1"}]),
    (RISK, [_without(POSITION, "symbol")]),
    (RISK, [_without(POSITION, "positionAmt")]),
    (RISK, [_without(POSITION, "positionSide")]),
    (RISK, [_with(POSITION, positionSide="LONG", positionAmt="-1")]),
    (RISK, [_with(POSITION, positionSide="SHORT")]),
    (RISK, [_with(POSITION, entryPrice="-5")]),
    (ORDERS, [None]),
    (ORDERS, "[{}]"),
    (ORDERS, [ORDER, "x"]),
    (ORDERS, [_without(ORDER, "symbol")]),
    (ORDERS, [_with(ORDER, symbol=None)]),
    (ORDERS, [_without(ORDER, "orderId")]),
    (ORDERS, [_without(ORDER, "side")]),
    (ORDERS, [_with(ORDER, price=True)]),
    (ORDERS, [_with(ORDER, price=["1"])]),
    (ORDERS, [_with(ORDER, price="-5")]),
    (ORDERS, [_with(ORDER, origQty="-1")]),
    (ORDERS, [_with(ORDER, executedQty="0.06")]),
    (ALGO, {"total": 1, "orders": [ORDER]}),
    (BOOK, {"bids": [["100", "1"]], "asks": [["90", "1"]]}),
    (BOOK, {"bids": [["3", "-1"]], "asks": [["4", "1"]]}),
    (BOOK, {"bids": ["12", "34"], "asks": ["56"]}),
    (BOOK, {"bids": [None], "asks": [["4", "1"]]}),
]


@pytest.mark.parametrize(("path", "body"), UNREADABLE, ids=lambda value: json.dumps(value)[:70])
async def test_a_row_that_cannot_be_told_is_a_gap_and_never_missing(
    sim: SimulatedExchange, cache: Path, path: str, body: object
) -> None:
    with pytest.raises(BadAnswerError):
        await _read(sim, cache, path, body)


@pytest.mark.parametrize(
    ("path", "body", "rows"),
    [
        (ACCOUNT, {"balances": [{"asset": "BTC", "free": n, "locked": "0"} for n in "51"]}, 2),
        (ACCOUNT, {"balances": [{"asset": name, "free": "1"} for name in ("INFO", "info", "free")]}, 3),
        (USDM, {"assets": [_with(MARGIN, updateTime=0)]}, 1),
        (RISK, [_without(POSITION, "entryPrice"), _with(POSITION, symbol="ETHUSDT", entryPrice=None)], 2),
        (RISK, [POSITION, POSITION], 2),
        (RISK, [_with(POSITION, notional="0"), _without(POSITION, "notional", "leverage", "markPrice")], 2),
        (ORDERS, [ORDER, _with(ORDER, orderId=8, type=None), _with(ORDER, status="CANCELED")], 3),
    ],
)
async def test_every_row_is_an_item(
    sim: SimulatedExchange, cache: Path, path: str, body: object, rows: int
) -> None:
    assert len(await _read(sim, cache, path, body)) == rows


async def test_what_a_row_does_not_tell_is_null_beside_what_it_does(
    sim: SimulatedExchange, cache: Path
) -> None:
    position, *_ = await _read(sim, cache, RISK, [_without(POSITION, "entryPrice")])
    assert (position.entry_price, str(position.amount), str(position.mark_price)) == (
        None,
        "0.250",
        "108939.7",
    )
    sim.control.clear_faults()
    rows = [
        _without(ORDER, "executedQty", "type", "time"),
        _without(_with(ORDER, status="FILLED"), "origQty"),
        # ccxt would give a market order the average price that it works out
        _with(ORDER, type="MARKET", price="0.0"),
    ]
    unfilled, unsized, market = await _read(sim, cache, ORDERS, rows)
    assert (unfilled.filled, unfilled.remaining, unfilled.type, unfilled.created) == (None,) * 4
    assert (unsized.amount, unsized.remaining, str(unsized.filled)) == (None, None, "0.01000000")
    assert (market.price, market.type) == (None, "market")


TICKER_ROW: Final[Row] = {
    "symbol": "BTCUSDT",
    "priceChange": "10.00",
    "priceChangePercent": "0.093",
    "weightedAvgPrice": "1",
    "lastPrice": "108942.57",
    "bidPrice": "108942.56",
    "bidQty": "1",
    "askPrice": "108942.57",
    "openPrice": "108932.57",
    "highPrice": "110000",
    "lowPrice": "100000",
    "volume": "5",
    "quoteVolume": "7",
    "closeTime": 1722062678998,
}


@pytest.mark.parametrize(
    ("row", "name", "shown"),
    [
        (_without(TICKER_ROW, "lastPrice"), "last", None),
        (_without(TICKER_ROW, "priceChangePercent"), "change_percent", None),
        (_with(TICKER_ROW, priceChangePercent="0.000"), "change_percent", "0.000"),
        (_with(TICKER_ROW, bidPrice="0.00000000"), "bid", "0.00000000"),
        (_with(TICKER_ROW, lowPrice="0.00"), "low", "0.00"),
        (_without(TICKER_ROW, "quoteVolume"), "quote_volume", None),
    ],
)
async def test_a_ticker_is_not_completed_from_its_other_figures(
    sim: SimulatedExchange, cache: Path, row: Row, name: str, shown: str | None
) -> None:
    (ticker,) = await _read(sim, cache, TICKER, row)
    assert ticker.model_dump(mode="json")[name] == shown


@pytest.mark.parametrize(
    "body",
    [
        _with(TICKER_ROW, symbol="ETHUSDT"),
        _without(TICKER_ROW, "symbol"),
        [_with(TICKER_ROW, symbol="ETHUSDT"), TICKER_ROW],
        _with(TICKER_ROW, lastPrice=True),
        _with(TICKER_ROW, lastPrice=["1"]),
    ],
    ids=lambda body: json.dumps(body)[-60:],
)
async def test_a_ticker_of_another_market_or_without_a_number_is_a_bad_answer(
    sim: SimulatedExchange, cache: Path, body: object
) -> None:
    with pytest.raises(BadAnswerError):
        await _read(sim, cache, TICKER, body)


@pytest.mark.parametrize("named", ["ETHUSDT", "ZZZ", "btcusdt", None])
async def test_another_markets_order_is_never_shown_under_the_symbol_that_was_asked(
    sim: SimulatedExchange, cache: Path, named: str | None
) -> None:
    with pytest.raises(BadAnswerError):
        await _read(sim, cache, ORDERS, [ORDER, _with(ORDER, symbol=named)], _orders_of_bitcoin)


def _without_bitcoin(cache: Path, place: Path, kind: str) -> None:
    """Store the markets anew, without the one of this kind that the venue calls BTCUSDT."""
    (file,) = cache.iterdir()
    stored = json.loads(file.read_text(encoding="utf-8"))
    whole = stored["markets"]
    stored["markets"] = [m for m in whole if not (m["id"] == "BTCUSDT" and m[kind])]
    assert len(stored["markets"]) == len(whole) - 1
    (place / file.name).write_text(json.dumps(stored), encoding="utf-8")


@pytest.mark.parametrize(
    ("kind", "question"), [("linear", _positions), ("linear", _orders), ("spot", _orders)]
)
async def test_what_is_not_listed_has_the_venues_own_name_and_never_another_markets_symbol(
    sim: SimulatedExchange, cache: Path, tmp_path: Path, kind: str, question: Question
) -> None:
    _without_bitcoin(cache, tmp_path, kind)
    async with opened(simulated(sim), cache=tmp_path) as venues:
        (read,) = [read for read in question(venues.venues["main"]).reads if read.source == kind]
        symbols = {row.symbol for row in await read.read()}
    assert "BTCUSDT" in symbols
    assert not symbols & {"BTC/USDT", "BTC/USDT:USDT"}
    assert not [entry for entry in sim.control.requests() if entry.path.endswith("exchangeInfo")]


LONG: Final = "A\u202eB" + "x" * 5000


async def test_a_markets_name_is_cut_and_shows_what_is_hidden(sim: SimulatedExchange, cache: Path) -> None:
    (position,) = await _read(sim, cache, RISK, [_with(POSITION, symbol=LONG)])
    sim.control.clear_faults()
    (order,) = await _read(sim, cache, ORDERS, [_with(ORDER, symbol=LONG)])
    for symbol in (position.symbol, order.symbol):
        assert symbol.startswith(r"A\u{202e}B")
        assert len(symbol) < 200


# https://developers.binance.com/docs/binance-spot-api-docs/rest-api/general-api-information
RESTRICTED: Final = json.dumps(
    {
        "code": 0,
        "msg": "Service unavailable from a restricted location according to 'b. Eligibility' in "
        "https://www.binance.com/en/terms. Please contact customer service.",
    }
)


async def test_a_place_that_is_not_served_is_told_with_the_venues_reason_and_not_asked_again(
    sim: SimulatedExchange, cache: Path
) -> None:
    async with opened(simulated(sim), cache=cache) as venues:
        sim.control.add_fault(
            {
                "kind": "status",
                "path": TICKER,
                "status": 451,
                "body": RESTRICTED,
                "content_type": "application/json",
            }
        )
        (source,) = _ticker(venues.venues["main"]).reads
        with pytest.raises(
            ExchangeMcpError, match="Service unavailable from a restricted location"
        ) as raised:
            await source.read()
    assert (raised.value.code, raised.value.retry) == (ErrorCode.VENUE_REFUSED, "never")
    assert [entry.path for entry in sim.control.requests()] == [TICKER]


@pytest.mark.parametrize("symbols", [[{}], [None], ["BTCUSDT"], [{"symbol": None, "status": "TRADING"}]])
async def test_a_junk_list_of_markets_is_a_bad_answer(
    sim: SimulatedExchange, tmp_path: Path, symbols: list[object]
) -> None:
    sim.control.add_fault(
        {"kind": "body", "path": "/api/v3/exchangeInfo", "body": json.dumps({"symbols": symbols})}
    )
    async with opened(simulated(sim), cache=tmp_path) as venues:
        (source,) = _ticker(venues.venues["main"]).reads
        with pytest.raises(BadAnswerError):
            await source.read()


@pytest.mark.parametrize("names", [("right", "wrong"), ("wrong", "right")])
async def test_a_wrong_secret_beside_the_right_one_of_the_same_key_fails_its_account_alone(
    sim: SimulatedExchange, cache: Path, names: tuple[str, str]
) -> None:
    right = simulated(sim, "right")
    assert right.key is not None
    typo = KeyMaterial(right.key.key_id, {**right.key.fields, "secret": "X" * 64})
    wrong = replace(simulated(sim, "wrong"), key=typo)
    by_name = {"right": right, "wrong": wrong}
    async with opened(*(by_name[name] for name in names), cache=cache) as venues:
        assert await venues.venues["right"].balances().reads[0].read()
        with pytest.raises(ExchangeMcpError) as raised:
            await venues.venues["wrong"].balances().reads[0].read()
    assert raised.value.code is ErrorCode.KEY_REFUSED


def _many(count: int, size: int) -> str:
    """So many orders, in so many bytes each."""
    rows = [_with(ORDER, orderId=number) for number in range(count)]
    padding = size - len(json.dumps(rows[-1], separators=(",", ":"))) - 12
    return json.dumps([_with(row, filler="x" * max(0, padding)) for row in rows], separators=(",", ":"))


async def test_others_have_their_turn_while_a_long_list_is_turned_into_records(
    sim: SimulatedExchange, cache: Path
) -> None:
    body = _many(MOST_AT_ONCE, 600)
    assert len(body) > 2_900_000
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await anyio.lowlevel.checkpoint()

    at_row: list[int] = []
    async with opened(simulated(sim), cache=cache) as venues:
        sim.control.add_fault({"kind": "body", "path": ORDERS, "body": body})
        venue = venues.venues["main"]
        client = client_of(venue)
        parse = client.parse_order

        def parse_order(row: object, market: object) -> object:
            at_row.append(turns)
            return parse(row, market)

        client.parse_order = parse_order
        (read,) = [r for r in _orders(venue).reads if r.source == "spot"]
        async with anyio.create_task_group() as group:
            group.start_soon(other)
            assert len(await read.read()) == len(at_row) == MOST_AT_ONCE
            group.cancel_scope.cancel()
    # A hundred rows take about ten milliseconds.
    assert max(Counter(at_row).values()) <= 100


async def test_a_list_of_more_rows_than_are_read_is_a_named_gap(sim: SimulatedExchange, cache: Path) -> None:
    with pytest.raises(
        NotCoveredError, match=f"more than the {MOST_AT_ONCE} rows that are read: name a symbol"
    ):
        await _read(sim, cache, ORDERS, _many(MOST_AT_ONCE + 1, 100))


async def test_an_answer_that_is_too_long_is_a_bad_answer_and_not_asked_for_again(
    sim: SimulatedExchange, cache: Path
) -> None:
    body = "[" + " " * MOST_CHARACTERS + "]"
    with pytest.raises(BadAnswerError, match="more than 8388608 characters"):
        await _read(sim, cache, ORDERS, body)
    assert [entry.path for entry in sim.control.requests()] == [ORDERS]
