"""What seven vendors' answers prove, each written after the vendor's page."""

from collections import Counter

import pytest

from exchange_mcp.model.outcomes import Outcome
from exchange_mcp.rules.outcomes import ROUTES
from exchange_mcp.venue.verdict import judge

from .outcomes import ANSWERS
from .outcomes.answers import Answer, url_of


@pytest.mark.parametrize("answer", ANSWERS, ids=str)
def test_an_answer_proves_what_its_vendors_page_says_and_no_more(answer: Answer) -> None:
    assert judge(answer.evidence()).outcome is answer.proves


def test_there_are_at_least_150_error_answers_over_the_seven_venues() -> None:
    errors = Counter(answer.venue for answer in ANSWERS if answer.is_error)
    assert (
        errors.keys()
        == ROUTES.keys()
        == {"binance", "bybit", "okx", "kraken", "coinbase", "kucoin", "bitget"}
    )
    assert errors.total() >= 150
    assert min(errors.values()) >= 20


def test_the_answers_show_every_outcome_of_every_route() -> None:
    shown = {(answer.venue, answer.action, answer.proves) for answer in ANSWERS}
    for venue, routes in ROUTES.items():
        for route in routes:
            assert (venue, route.action, Outcome.UNKNOWN) in shown
            assert (venue, route.action, Outcome.REJECTED) in shown
            if any(each.acceptance for each in routes if each.action == route.action):
                assert (venue, route.action, Outcome.ACCEPTED) in shown


def test_no_answer_proves_anything_at_another_venue() -> None:
    certain = [
        (str(answer), route.market)
        for answer in ANSWERS
        for venue, routes in ROUTES.items()
        if venue != answer.venue
        for route in routes
        if judge(answer.evidence(venue=venue, url=url_of(route), action=route.action)).outcome
        is not Outcome.UNKNOWN
    ]
    assert certain == []


def test_no_answer_proves_anything_under_any_other_status_than_its_own() -> None:
    others = (201, 202, 204, 206, 301, 302, 307, 404, 409, 423, 451, 499, 500, 502, 503, 504, 520, 524)
    certain = [
        (str(answer), status)
        for answer in ANSWERS
        for status in others
        if status != answer.status and judge(answer.evidence(status=status)).outcome is not Outcome.UNKNOWN
    ]
    # The one code of Binance's USD-M page that is a failure with a 503, whatever status it came with here.
    assert {status for _, status in certain} <= {503}
    assert all("-1008" in named for named, _ in certain)
