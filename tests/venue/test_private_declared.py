"""What is declared about private reads: all of it may leave, none of it writes, and nothing of a venue is left out."""

from collections.abc import Iterator
from typing import Any, Final

import pytest

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.rules.endpoints import REVIEWED, WRITES, EndpointClass
from exchange_mcp.rules.private import PRIVATE
from exchange_mcp.rules.private.declared import EachListed, Source
from exchange_mcp.rules.venues import VENUES
from exchange_mcp.venue.account_types import CLASSIC_BYBIT, QUESTIONS, Question
from exchange_mcp.venue.derivation import implicit
from exchange_mcp.venue.endpoints import table
from exchange_mcp.venue.listing import MOST_ROWS
from exchange_mcp.venue.sweep import exchange_class

# The kinds of account that the vendors' pages know, where a venue has more than one; see `account_types`.
KINDS: Final = {
    "bybit": {"unified", "unified 1"},
    "kucoin": {"classic", "classic low", "unified"},
    "bitget": {"classic", "unified"},
    "gate": {"classic", "unified", "unified spot"},
}


def _sources(venue: str) -> Iterator[Source[Any]]:
    reads = PRIVATE[venue]
    yield from (*reads.balances, *reads.positions, *reads.orders)


def _questions(question: Question | None) -> Iterator[Question]:
    if question is not None:
        yield question
        for following in question.follow_up.values():
            yield from _questions(following)


def _calls(venue: str) -> set[str]:
    calls = {source.call for source in _sources(venue)}
    calls |= {source.each.call for source in _sources(venue) if isinstance(source.each, EachListed)}
    return calls | {question.call for question in _questions(QUESTIONS.get(venue))}


def test_every_supported_venue_is_declared_and_says_where_its_reads_exist() -> None:
    assert set(PRIVATE) == set(VENUES)
    for venue, rules in VENUES.items():
        held = {kind for source in _sources(venue) for kind in source.types}
        assert held == set(rules.has_private_reads)
    assert VENUES["binance"].has_private_reads == (MarketType.SPOT, MarketType.LINEAR)
    assert all(
        rules.has_private_reads == rules.market_types for rules in VENUES.values() if rules.id != "binance"
    )


@pytest.mark.parametrize("venue", PRIVATE)
def test_every_request_is_a_reviewed_read_of_the_types_that_it_is_made_for(venue: str) -> None:
    endpoints = implicit(exchange_class(venue))
    allowed = table(venue).allowed
    written = {line.endpoint for line in REVIEWED[venue] if line.cls in WRITES}
    for call in _calls(venue):
        assert endpoints[call] in allowed[EndpointClass.READ], call
        assert endpoints[call] not in written
        assert endpoints[call].verb == ("POST" if venue == "kraken" else "GET")
    for source in _sources(venue):
        reviewed = {
            kind
            for line in REVIEWED[venue]
            if line.endpoint == endpoints[source.call] and line.cls is EndpointClass.READ
            for kind in line.market_types
        }
        assert set(source.types) <= reviewed, source


@pytest.mark.parametrize("venue", PRIVATE)
def test_every_kind_of_account_has_its_balances_positions_and_orders_of_every_market_type(venue: str) -> None:
    assert (venue in QUESTIONS) == (venue in KINDS)
    for kind in KINDS.get(venue, {""}):
        for sources in (PRIVATE[venue].balances, PRIVATE[venue].positions, PRIVATE[venue].orders):
            of_kind = [source for source in sources if not source.kinds or kind in source.kinds]
            held = {market_type for source in of_kind for market_type in source.types}
            wanted = set(VENUES[venue].has_private_reads)
            assert held == (wanted - {MarketType.SPOT} if sources is PRIVATE[venue].positions else wanted)
            # Nothing is asked twice under two names.
            assert len({source.name for source in of_kind}) == len(of_kind)


@pytest.mark.parametrize("venue", KINDS)
def test_only_kinds_that_the_venue_can_be_are_named(venue: str) -> None:
    assert {kind for source in _sources(venue) for kind in source.kinds} <= KINDS[venue]
    assert CLASSIC_BYBIT not in KINDS["bybit"]


@pytest.mark.parametrize("venue", PRIVATE)
def test_a_page_is_a_whole_part_of_what_is_read(venue: str) -> None:
    assert all(MOST_ROWS % source.page.size == 0 for source in _sources(venue) if source.page is not None)


@pytest.mark.parametrize("venue", PRIVATE)
def test_a_gap_is_declared_with_its_reason(venue: str) -> None:
    gaps = {source.name: source.gap for source in _sources(venue) if source.gap}
    assert set(gaps) == ({"spot", "spot stop", "contracts stop"} if venue == "kucoin" else set())
