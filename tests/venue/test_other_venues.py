"""Venues beyond the supported ones: market data without a key, exact, unsigned, from the venue's own hosts."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from exchange_mcp.model.accounts import Account, AccountName, Environment, MarketType
from exchange_mcp.model.decimals import text
from exchange_mcp.model.errors import BadAnswerError, NotCoveredError, VenueRefusedError
from exchange_mcp.model.ports import ReadVenue
from exchange_mcp.rules.venues import VENUES, venue_rules
from exchange_mcp.venue.endpoints import table
from exchange_mcp.venue.opening import Opening, OpenVenues

from .canned import bitfinex, bitstamp, coincheck, krakenfutures, mexc
from .canned.case import Case, Market
from .loopback_venue import CannedVenue, canned
from .opened import MovedClock, opened

pytestmark = pytest.mark.anyio

CASES: Final = tuple(each.CASE for each in (bitstamp, krakenfutures, bitfinex, mexc, coincheck))


MARKETS: Final = [
    pytest.param(case, market, id=f"{case.venue} {market.symbol}")
    for case in CASES
    for market in case.markets
]


def account_at(venue: str) -> Account:
    """The account that a server without a file would have there."""
    rules = venue_rules(venue)
    assert rules is not None
    assert venue not in VENUES
    return Account(AccountName(venue), venue, Environment.LIVE, rules.default_market_types, has_key=False)


@asynccontextmanager
async def asked_at(case: Case, cache: Path) -> AsyncGenerator[tuple[ReadVenue, CannedVenue]]:
    async with canned(case.answers) as venue:
        opening = Opening(account_at(case.venue), loopback=venue.loopback, rate_limit=False)
        async with opened(opening, cache=cache) as venues:
            yield venues.venues[case.venue], venue


@pytest.mark.parametrize(("case", "market"), MARKETS)
async def test_a_ticker_has_every_digit_that_the_venue_sent(
    case: Case, market: Market, tmp_path: Path
) -> None:
    async with asked_at(case, tmp_path) as (venue, asked):
        (source,) = venue.ticker(market.symbol).reads
        (got,) = await source.read()
        figures = (got.last, got.bid, got.ask, got.high, got.low, got.base_volume, got.quote_volume)
        assert tuple(None if figure is None else text(figure) for figure in figures) == market.figures
        assert got.time == market.time
        assert asked.urls[-1] == market.ticker_url


@pytest.mark.parametrize(("case", "market"), MARKETS)
async def test_a_book_has_every_digit_is_sorted_as_numbers_and_says_what_it_counts(
    case: Case, market: Market, tmp_path: Path
) -> None:
    async with asked_at(case, tmp_path) as (venue, asked):
        (source,) = venue.order_book(market.symbol, 2).reads
        (book,) = await source.read()
        assert tuple((text(price), text(amount)) for price, amount in book.bids) == market.bids
        assert tuple((text(price), text(amount)) for price, amount in book.asks) == market.asks
        assert book.amount_unit == ("base" if market is case.spot else "unknown")
        assert book.contract_size is None
        assert asked.urls[-1] == market.book_url


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.venue)
async def test_only_the_venues_hosts_are_asked_and_nothing_is_signed(case: Case, tmp_path: Path) -> None:
    async with asked_at(case, tmp_path) as (venue, asked):
        for market in case.markets:
            for sources in (venue.ticker(market.symbol), venue.order_book(market.symbol, 2)):
                for source in sources.reads:
                    await source.read()
        assert set(asked.urls[: len(case.loading)]) == case.loading
        assert len(asked.urls) == len(case.loading) + 2 * len(case.markets)
        assert {request.host for request in asked.asked} <= table(case.venue).hosts
        assert {request.method for request in asked.asked} == {"GET"}
        assert not [request.url for request in asked.asked if request.is_signed]


@pytest.mark.parametrize(("case", "market"), MARKETS)
async def test_an_answer_with_nothing_in_it_is_an_error_and_never_an_empty_market(
    case: Case, market: Market, tmp_path: Path
) -> None:
    # Bitstamp's book has a time that ccxt asks for; without it ccxt takes the answer for a refusal.
    hollow = {market.book_url: case.hollow, market.ticker_url: case.hollow}
    async with asked_at(replace(case, answers={**case.answers, **hollow}), tmp_path) as (venue, _):
        for sources in (venue.order_book(market.symbol, 2), venue.ticker(market.symbol)):
            (source,) = sources.reads
            with pytest.raises((BadAnswerError, VenueRefusedError)):
                await source.read()


async def test_private_questions_are_not_asked(tmp_path: Path) -> None:
    async with asked_at(bitstamp.CASE, tmp_path) as (venue, asked):
        for sources in (venue.balances(), venue.open_orders(None), venue.positions()):
            assert not sources.reads
            assert {type(unread.error) for unread in sources.unread} == {NotCoveredError}
        assert not asked.urls


@pytest.mark.parametrize(
    ("venue", "unread", "source"), [("woofipro", "order_book", "order book"), ("dydx", "ticker", "ticker")]
)
async def test_what_ccxt_does_not_read_at_a_venue_is_said_and_not_asked(
    venue: str, unread: str, source: str, tmp_path: Path
) -> None:
    venues = OpenVenues([Opening(account_at(venue))], tmp_path, MovedClock())
    reads = venues.venues[venue]
    sources = {"ticker": reads.ticker("BTC/USD:USD"), "order_book": reads.order_book("BTC/USD:USD", 5)}
    (gap,) = sources[unread].unread
    assert not sources[unread].reads
    assert str(gap.error) == f"account {venue} has no {source}: ccxt reads none at {venue} without a key"
    assert [name for name, each in sources.items() if each.reads] == [
        name for name in sources if name != unread
    ]
    await venues.close()


def test_the_market_types_of_futures_alone_are_served_without_naming_them() -> None:
    assert account_at("binancecoinm").market_types == (MarketType.INVERSE,)
    assert account_at("krakenfutures").market_types == (MarketType.LINEAR,)
