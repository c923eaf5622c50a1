"""A desk that is killed in the middle of a write never makes a second order of it; one that is broken is found out."""

from collections import Counter
from dataclasses import replace

import pytest

from .counted import FULL, LEAST, WANTED, Counted, Interval
from .kills import killed


def test_twenty_kills_in_every_interval_leave_no_second_order_and_no_unknown_one() -> None:
    counted = killed(20, seed=1)
    assert counted.kills == 20
    assert counted.venue_orders > 0
    assert counted.faults() == [], counted.lines()


def test_a_desk_that_sends_again_on_its_start_is_caught_at_the_venues_door() -> None:
    counted = killed(3, seed=1, breaks="resends_on_start", only=Interval.SEND_C4)
    assert counted.resent > 0, counted.lines()


def of_a_full_run(by: dict[Interval, int]) -> Counted:
    counts = Counter[Interval](by)
    return Counted(by=counts, intents=1, venue_orders=1, duplicates=0, orphans=0, unsettled=0, resent=0)


@pytest.mark.parametrize(
    "count", ["duplicates", "orphans", "unsettled", "resent", "unclaimed", "altered", "leaks"]
)
def test_a_run_with_any_of_what_must_not_be_fails_and_says_what(count: str) -> None:
    whole = of_a_full_run(dict.fromkeys(WANTED, FULL))
    assert replace(whole, **{count: 1}).faults() == [f"{count}=1"]
    (fault,) = replace(whole, log="broken at event 7").faults()
    assert "event 7" in fault


def test_a_full_run_with_too_few_kills_in_one_interval_fails() -> None:
    many: dict[Interval, int] = dict.fromkeys(WANTED, FULL)
    assert of_a_full_run(many).faults() == []
    (fault,) = of_a_full_run({**many, Interval.C3_SEND: LEAST - 1}).faults()
    assert "C3-send" in fault
