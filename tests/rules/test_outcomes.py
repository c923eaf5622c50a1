"""The tables of outcomes are in order: every entry has a page, and no code is two things."""

import pytest

from exchange_mcp.rules.outcomes import ROUTES, UNTOLD
from exchange_mcp.rules.outcomes.shapes import Route
from exchange_mcp.rules.venues import VENUES

EVERY = [(venue, route) for venue, routes in ROUTES.items() for route in routes]


def test_the_venues_are_known_ones_and_each_says_what_is_not_known() -> None:
    assert ROUTES.keys() == UNTOLD.keys()
    assert ROUTES.keys() <= VENUES.keys()


@pytest.mark.parametrize(("venue", "route"), EVERY, ids=lambda value: getattr(value, "market", value))
def test_every_entry_has_its_vendors_page(venue: str, route: Route) -> None:
    vendor = {"bybit": "bybit-exchange"}.get(venue, venue)
    pages = {entry.page for codes in route.codes for entry in codes.definite.values()}
    pages |= {
        entry.page
        for codes in route.codes
        for entry in (*codes.ambiguous.values(), *codes.duplicate.values())
    }
    if route.acceptance is not None:
        pages.add(route.acceptance.page)
    assert pages
    for page in pages:
        assert page.startswith("https://")
        assert vendor in page.split("/")[2]


@pytest.mark.parametrize(("venue", "route"), EVERY, ids=lambda value: getattr(value, "market", value))
def test_no_code_is_a_refusal_and_a_doubt_unless_messages_tell_them_apart(venue: str, route: Route) -> None:
    assert venue
    for codes in route.codes:
        doubts = {**codes.ambiguous, **codes.duplicate}
        for code in codes.definite.keys() & doubts.keys():
            assert codes.definite[code].words is not None
            assert doubts[code].words is not None
        assert not codes.ambiguous.keys() & codes.duplicate.keys()


def test_a_refusal_never_comes_with_success_or_a_servers_own_error_but_where_a_page_says_so() -> None:
    """Every venue but Binance says no with a 200 too; for each of the others a page names status and code."""
    odd = {
        (venue, code, status)
        for venue, route in EVERY
        for codes in route.codes
        for code, refusal in codes.definite.items()
        for status in refusal.statuses
        if not (status == 200 and venue != "binance") and status not in {400, 401, 403, 405, 410}
    }
    assert odd == {("binance", -1008, 503), ("binance", -1015, 429), ("okx", "50011", 429)}


def test_one_place_and_action_has_one_route() -> None:
    places = [
        (venue, route.action, host, route.path.pattern) for venue, route in EVERY for host in route.hosts
    ]
    assert len(set(places)) == len(places)
