"""Public market data of the eight venues, without a key: exact, from that venue's hosts alone, unsigned."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from exchange_mcp.model.accounts import Account, AccountName, Environment
from exchange_mcp.model.decimals import text
from exchange_mcp.model.errors import BadAnswerError
from exchange_mcp.model.markets import OrderBook, Ticker
from exchange_mcp.model.ports import ReadVenue
from exchange_mcp.rules.venues import VENUES
from exchange_mcp.venue.opening import Opening

from .canned import binance, bitget, bybit, coinbase, gate, kraken, kucoin, okx
from .canned.case import Case, Market
from .loopback_venue import CannedVenue, canned
from .opened import opened

pytestmark = pytest.mark.anyio

CASES = {
    case.venue: case
    for case in (
        binance.CASE,
        bybit.CASE,
        okx.CASE,
        kraken.CASE,
        coinbase.CASE,
        kucoin.CASE,
        bitget.CASE,
        gate.CASE,
    )
}
MARKETS = [
    pytest.param(case, market, id=f"{case.venue} {market.symbol}")
    for case in CASES.values()
    for market in case.markets
]


@asynccontextmanager
async def _opened(case: Case, cache: Path) -> AsyncGenerator[tuple[ReadVenue, CannedVenue]]:
    """The venue's account as a server without a file would open it."""
    types = VENUES[case.venue].default_market_types
    account = Account(AccountName(case.venue), case.venue, Environment.LIVE, types, has_key=False)
    async with canned(case.answers) as venue:
        opening = Opening(account, loopback=venue.loopback, rate_limit=False)
        async with opened(opening, cache=cache) as venues:
            yield venues.venues[case.venue], venue


async def _ticker(venue: ReadVenue, symbol: str) -> Ticker:
    (source,) = venue.ticker(symbol).reads
    (ticker,) = await source.read()
    return ticker


async def _book(venue: ReadVenue, symbol: str) -> OrderBook:
    (source,) = venue.order_book(symbol, 2).reads
    (book,) = await source.read()
    return book


def test_every_supported_venue_has_a_case() -> None:
    assert set(CASES) == set(VENUES)


@pytest.mark.parametrize(("case", "market"), MARKETS)
async def test_a_ticker_has_every_digit_that_the_venue_sent(
    case: Case, market: Market, tmp_path: Path
) -> None:
    async with _opened(case, tmp_path) as (venue, asked):
        ticker = await _ticker(venue, market.symbol)
        figures = (
            ticker.last,
            ticker.bid,
            ticker.ask,
            ticker.high,
            ticker.low,
            ticker.base_volume,
            ticker.quote_volume,
        )
        assert tuple(None if figure is None else text(figure) for figure in figures) == market.figures
        assert ticker.time == market.time
        assert asked.urls[-1] == market.ticker_url


# What the venue sent, a fraction times a hundred; the others tell no change over 24 hours beside a ticker.
CHANGES = {
    "binance BTC/USDT": "-0.100",
    "binance BTC/USDT:USDT": "-0.098",
    "bybit BTC/USDT": "0.6800",
    "bybit BTC/USDT:USDT": "0.113000",
    "kucoin BTC/USDT": "1.4300",
    "bitget BTC/USDT": "0.32100",
    "bitget BTC/USDT:USDT": "1.2300",
    "gate BTC/USDT": "-1.180",
    "gate BTC/USDT:USDT": "4.43",
}


@pytest.mark.parametrize(("case", "market"), MARKETS)
async def test_the_change_is_the_one_over_24_hours_that_the_venue_tells_or_none(
    case: Case, market: Market, tmp_path: Path
) -> None:
    async with _opened(case, tmp_path) as (venue, _):
        change = (await _ticker(venue, market.symbol)).change_percent
    shown = None if change is None else text(change)
    assert shown == CHANGES.get(f"{case.venue} {market.symbol}")


@pytest.mark.parametrize(("case", "market"), MARKETS)
async def test_a_book_has_every_digit_in_base_and_is_sorted(
    case: Case, market: Market, tmp_path: Path
) -> None:
    async with _opened(case, tmp_path) as (venue, asked):
        book = await _book(venue, market.symbol)
        assert tuple((text(price), text(amount)) for price, amount in book.bids) == market.bids
        assert tuple((text(price), text(amount)) for price, amount in book.asks) == market.asks
        assert book.amount_unit == "base"
        assert (None if book.contract_size is None else text(book.contract_size)) == market.contract_size
        assert asked.urls[-1] == market.book_url


@pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.venue)
async def test_markets_and_reads_cost_these_unsigned_gets_and_no_others(case: Case, tmp_path: Path) -> None:
    async with _opened(case, tmp_path) as (venue, asked):
        for market in case.markets:
            await _ticker(venue, market.symbol)
            await _book(venue, market.symbol)
        reads = [url for market in case.markets for url in (market.ticker_url, market.book_url)]
        assert set(asked.urls[: len(case.loading)]) == case.loading
        assert asked.urls[len(case.loading) :] == reads
        assert {request.method for request in asked.asked} == {"GET"}
        assert not [request.url for request in asked.asked if request.is_signed]


@pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.venue)
async def test_markets_from_disk_read_as_those_from_the_venue(case: Case, tmp_path: Path) -> None:
    async with _opened(case, tmp_path) as (venue, _):
        first = await _book(venue, case.markets[0].symbol)
    async with _opened(case, tmp_path) as (venue, asked):
        for market in case.markets:
            await _ticker(venue, market.symbol)
        assert await _book(venue, case.markets[0].symbol) == first
        assert not case.loading & set(asked.urls)


@pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.venue)
async def test_a_catalogue_that_comes_in_part_is_no_catalogue(case: Case, tmp_path: Path) -> None:
    for url in sorted(case.loading):
        if url == coinbase.UNUSED:
            continue
        cut = replace(case, answers={**case.answers, url: case.hollow})
        async with _opened(cut, tmp_path) as (venue, _):
            with pytest.raises(BadAnswerError):
                await _ticker(venue, case.markets[0].symbol)
    assert not list(tmp_path.iterdir())  # noqa: ASYNC240 - a folder of a test


@pytest.mark.parametrize(("case", "market"), MARKETS)
async def test_a_book_without_a_side_is_a_bad_answer_and_never_an_empty_one(
    case: Case, market: Market, tmp_path: Path
) -> None:
    cut = replace(case, answers={**case.answers, market.book_url: case.hollow})
    async with _opened(cut, tmp_path) as (venue, asked):
        with pytest.raises(BadAnswerError):
            await _book(venue, market.symbol)
        assert asked.urls.count(market.book_url) == 3


def _without(value: object, names: frozenset[str]) -> object:
    """The JSON value without any member of these names."""
    if isinstance(value, dict):
        members = cast("dict[str, object]", value)
        return {name: _without(content, names) for name, content in members.items() if name not in names}
    return [_without(row, names) for row in cast("list[object]", value)] if isinstance(value, list) else value


@pytest.mark.parametrize("side", [frozenset({"bids", "b"}), frozenset({"asks", "a"})], ids=["bids", "asks"])
@pytest.mark.parametrize(("case", "market"), MARKETS)
async def test_a_book_that_lost_one_side_is_a_bad_answer(
    case: Case, market: Market, side: frozenset[str], tmp_path: Path
) -> None:
    url = market.book_url if market.book_url in case.answers else market.book_url.partition("?")[0]
    whole = case.answers[url]
    parsed = json.loads(whole) if isinstance(whole, str) else whole
    cut = replace(case, answers={**case.answers, url: _without(parsed, side)})
    async with _opened(cut, tmp_path) as (venue, _):
        with pytest.raises(BadAnswerError, match="without its list of"):
            await _book(venue, market.symbol)


@pytest.mark.parametrize(("case", "market"), MARKETS)
async def test_a_ticker_without_a_price_is_a_bad_answer(case: Case, market: Market, tmp_path: Path) -> None:
    cut = replace(case, answers={**case.answers, market.ticker_url: case.hollow})
    async with _opened(cut, tmp_path) as (venue, _):
        with pytest.raises(BadAnswerError):
            await _ticker(venue, market.symbol)
