"""What a model that asks again gets, by what became of its earlier asking."""

from collections.abc import Iterable

import pytest

from exchange_mcp.desk.intents import State
from exchange_mcp.desk.repeats import (
    Asked,
    Earlier,
    IsNew,
    IsRefused,
    IsSame,
    Refusal,
    RepeatLimits,
    Ruling,
    minutes_ago,
    rule,
)

NOW = 1_000_000_000
MINUTE = 60_000
DAY = 24 * 60 * MINUTE
LIMITS = RepeatLimits()

IN_THE_WAY = {
    State.PROPOSED,
    State.APPROVED,
    State.DISPATCHING,
    State.ACCEPTED,
    State.UNKNOWN,
    State.PLACED,
    State.ABSENT,
}


def asked(
    *,
    fingerprint: str = "f",
    action: str = "place",
    side: str | None = "buy",
    reduces: bool = False,
    distinct_from: str | None = None,
    pending: int = 0,
) -> Asked:
    return Asked(
        action=action,  # pyright: ignore[reportArgumentType] - one of the three
        fingerprint=fingerprint,
        side=side,
        is_reduce_only=reduces,
        distinct_from=distinct_from,
        pending=pending,
    )


def earlier(
    seq: int,
    state: State,
    *,
    fingerprint: str = "f",
    side: str | None = "buy",
    action: str = "place",
    age_ms: int = 4 * MINUTE,
) -> Earlier:
    return Earlier(
        id=f"i{seq}",
        seq=seq,
        action=action,  # pyright: ignore[reportArgumentType] - one of the three
        state=state,
        fingerprint=fingerprint,
        side=side,
        created_ms=NOW - age_ms,
        changed_ms=NOW - age_ms,
    )


def ruled(one: Asked, before: Iterable[Earlier] = ()) -> Ruling:
    return rule(one, list(before), NOW, LIMITS)


def refusal(ruling: Ruling) -> tuple[Refusal, str | None]:
    assert isinstance(ruling, IsRefused), ruling
    return ruling.reason, ruling.id


@pytest.mark.parametrize("state", sorted(IN_THE_WAY))
def test_the_same_again_is_the_intent_that_is_live_or_may_have_placed_something(state: State) -> None:
    assert ruled(asked(), [earlier(1, state)]) == IsSame("i1")


@pytest.mark.parametrize("state", sorted(set(State) - IN_THE_WAY - {State.DECLINED}))
def test_what_came_to_nothing_blocks_nothing(state: State) -> None:
    assert ruled(asked(), [earlier(1, state)]) == IsNew()


@pytest.mark.parametrize("state", sorted(IN_THE_WAY - {State.UNKNOWN}))
def test_the_same_at_a_moved_price_is_refused_and_names_the_intent_in_its_way(state: State) -> None:
    ruling = ruled(asked(fingerprint="moved"), [earlier(1, state)])
    assert refusal(ruling) == (Refusal.SIMILAR, "i1")
    assert isinstance(ruling, IsRefused)
    assert "4 minutes ago" in ruling.message
    assert ruling.reason.retry == "never"


@pytest.mark.parametrize(("age_ms", "is_new"), [(DAY - 1, False), (DAY, True)])
@pytest.mark.parametrize("state", [State.PLACED, State.ABSENT])
def test_what_placed_something_stands_in_the_way_for_a_day(
    state: State, age_ms: int, *, is_new: bool
) -> None:
    assert isinstance(ruled(asked(), [earlier(1, state, age_ms=age_ms)]), IsNew) is is_new


@pytest.mark.parametrize("state", [State.PROPOSED, State.ACCEPTED, State.UNKNOWN])
def test_what_is_live_stands_in_the_way_however_old(state: State) -> None:
    assert ruled(asked(), [earlier(1, state, age_ms=30 * DAY)]) == IsSame("i1")


def test_whoever_names_the_intent_in_the_way_gets_another_and_the_screen_is_told_of_it() -> None:
    first = earlier(1, State.PLACED)
    assert ruled(asked(distinct_from="i1"), [first]) == IsNew(similar=first)
    assert ruled(asked(fingerprint="moved", distinct_from="i1"), [first]) == IsNew(similar=first)


def test_a_second_order_whose_answer_was_lost_is_not_made_a_third_time() -> None:
    """It named the first; the second was placed, and nobody heard of it."""
    before = [earlier(1, State.PLACED), earlier(2, State.PLACED)]
    assert ruled(asked(distinct_from="i1"), before) == IsSame("i2")


def test_whoever_names_the_latest_need_not_name_what_it_was_distinct_from() -> None:
    before = [earlier(1, State.PLACED), earlier(2, State.PLACED)]
    assert isinstance(ruled(asked(distinct_from="i2"), before), IsNew)


def test_a_name_of_something_else_opens_nothing() -> None:
    before = [earlier(1, State.PLACED), earlier(2, State.DENIED), earlier(3, State.PLACED, side="sell")]
    for name in ("i2", "i3", "nobody", ""):
        assert ruled(asked(distinct_from=name), before) == IsSame("i1")


def test_the_other_side_is_not_similar() -> None:
    assert isinstance(ruled(asked(side="sell", fingerprint="s"), [earlier(1, State.PLACED)]), IsNew)


@pytest.mark.parametrize("state", [State.CANCELED, State.TOO_LATE, State.SET, State.ABSENT])
@pytest.mark.parametrize("action", ["cancel", "leverage"])
def test_a_cancel_or_a_leverage_that_is_over_can_be_asked_again(action: str, state: State) -> None:
    before = [earlier(1, state, action=action, side=None)]
    assert isinstance(ruled(asked(action=action, side=None), before), IsNew)


@pytest.mark.parametrize("action", ["cancel", "leverage"])
@pytest.mark.parametrize("state", [State.PROPOSED, State.DISPATCHING, State.UNKNOWN])
def test_a_cancel_or_a_leverage_under_way_is_that_one(action: str, state: State) -> None:
    assert ruled(asked(action=action, side=None), [earlier(1, state, action=action, side=None)]) == IsSame(
        "i1"
    )


@pytest.mark.parametrize(
    "one",
    [
        asked(fingerprint="moved"),
        asked(fingerprint="moved", distinct_from="i1"),
        asked(fingerprint="other", side="sell"),
        asked(fingerprint="lev", action="leverage", side=None),
    ],
    ids=["moved", "named", "other side", "leverage"],
)
@pytest.mark.parametrize("action", ["place", "cancel", "leverage"])
def test_nothing_that_could_add_to_an_unknown_is_taken(one: Asked, action: str) -> None:
    unknown = earlier(1, State.UNKNOWN, action=action, side="buy" if action == "place" else None)
    ruling = ruled(one, [unknown])
    assert refusal(ruling) == (Refusal.UNKNOWN, "i1")
    assert isinstance(ruling, IsRefused)
    assert ruling.reason.retry == "after_reconcile"


@pytest.mark.parametrize(
    "one",
    [
        asked(fingerprint="c", action="cancel", side=None),
        asked(fingerprint="r", side="sell", reduces=True),
    ],
    ids=["cancel", "venue-enforced reduce"],
)
def test_cancels_and_venue_enforced_reduces_remain_beside_an_unknown(one: Asked) -> None:
    assert isinstance(ruled(one, [earlier(1, State.UNKNOWN)]), IsNew)


@pytest.mark.parametrize(("age_ms", "is_new"), [(599_999, False), (600_000, True)])
def test_what_a_person_declined_is_not_asked_again_for_ten_minutes(age_ms: int, *, is_new: bool) -> None:
    ruling = ruled(asked(), [earlier(1, State.DECLINED, age_ms=age_ms)])
    assert isinstance(ruling, IsNew) is is_new
    if not is_new:
        assert refusal(ruling) == (Refusal.DECLINED, "i1")
        assert isinstance(ruling, IsRefused)
        assert ruling.until_ms == NOW + 1


def test_a_decline_pauses_exactly_what_was_declined() -> None:
    assert isinstance(ruled(asked(fingerprint="other"), [earlier(1, State.DECLINED, age_ms=0)]), IsNew)


@pytest.mark.parametrize(("pending", "is_new"), [(2, True), (3, False), (4, False)])
def test_a_client_has_at_most_three_proposals_pending(pending: int, *, is_new: bool) -> None:
    ruling = ruled(asked(pending=pending))
    assert isinstance(ruling, IsNew) is is_new
    if not is_new:
        assert refusal(ruling) == (Refusal.PENDING, None)


def test_a_repeat_is_answered_even_where_nothing_new_would_be_taken() -> None:
    before = [earlier(1, State.PROPOSED), earlier(2, State.UNKNOWN, side="sell", fingerprint="x")]
    assert ruled(asked(pending=3), before) == IsSame("i1")


@pytest.mark.parametrize(
    ("age_ms", "words"),
    [
        (-5, "0 minutes ago"),
        (59_999, "0 minutes ago"),
        (60_000, "1 minute ago"),
        (7_199_999, "119 minutes ago"),
    ],
)
def test_ages_are_in_whole_minutes(age_ms: int, words: str) -> None:
    assert minutes_ago(NOW - age_ms, NOW) == words
