"""An absence is proved by all of its conditions, and by nothing less."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exchange_mcp.desk.absence import AbsenceTerms, Condition, absence, absence_terms
from exchange_mcp.model.accounts import AccountName, Environment, MarketType
from exchange_mcp.model.findings import Findings, FoundOrder, Says, Source, SourceFinding
from exchange_mcp.model.plans import PlannedMarket, WirePlan, WireRequest
from exchange_mcp.model.writes import CancelOrder, OrderType, PlaceOrder, WriteRequest

OURS = "xmabcde0000000000000000000000aa"[:30]
EVERY = tuple(Source)
LATEST, SKEW, LAG, SPACING = 1_000_000, 2_000, 60_000, 30_000
FIRST = LATEST + SKEW + LAG
TERMS = AbsenceTerms(
    client_order_id=OURS,
    latest_ms=LATEST,
    skew_ms=SKEW,
    lag_ms=LAG,
    spacing_ms=SPACING,
    refuses_late=True,
    sources=frozenset(EVERY),
    needs_card=True,
    has_card=True,
)
A_ROW = FoundOrder(order_id="7", client_order_id=None)
OUR_ROW = FoundOrder(order_id="8", client_order_id=OURS)


def look(venue_ms: int, **changed: SourceFinding | None) -> Findings:
    """A look that proves what one can: nothing there, at any source, and the look-up shown to work."""
    sources = {each: SourceFinding(source=each, says=Says.NOT_FOUND) for each in EVERY}
    for name, finding in changed.items():
        if finding is None:
            del sources[Source(name)]
        else:
            sources[Source(name)] = finding
    return Findings(
        client_order_id=OURS, venue_ms=venue_ms, sources=tuple(sources.values()), control=Says.FOUND
    )


PROVING = (look(FIRST), look(FIRST + SPACING))


def missing(looks: tuple[Findings, ...], terms: AbsenceTerms = TERMS) -> set[Condition]:
    return {each.condition for each in absence(looks, terms).missing}


def test_two_clean_spaced_looks_after_the_deadline_prove_an_absence() -> None:
    assert absence(PROVING, TERMS).is_proved


def test_their_order_does_not_matter() -> None:
    assert absence(PROVING[::-1], TERMS).is_proved


def said(source: Source, says: Says, **more: object) -> SourceFinding:
    return SourceFinding(source=source, says=says, **more)  # pyright: ignore[reportArgumentType] - by name


Looks = tuple[Findings, ...]
BREAKS: dict[str, tuple[Callable[[], tuple[Looks, AbsenceTerms]], Condition]] = {
    "it was found once, also before the deadline": (
        lambda: ((*PROVING, look(5, trades=said(Source.TRADES, Says.FOUND, order=OUR_ROW))), TERMS),
        Condition.NEVER_FOUND,
    ),
    "a source names it and calls it not found": (
        lambda: ((*PROVING, look(5, trades=said(Source.TRADES, Says.NOT_FOUND, order=OUR_ROW))), TERMS),
        Condition.NEVER_FOUND,
    ),
    "a row that cannot be told, in a look that does not count otherwise": (
        lambda: (
            (
                *PROVING,
                look(5, open_orders=said(Source.OPEN_ORDERS, Says.NO_ANSWER, unattributable=(A_ROW,))),
            ),
            TERMS,
        ),
        Condition.NOTHING_UNATTRIBUTABLE,
    ),
    "a venue that takes late requests": (
        lambda: (PROVING, replace(TERMS, refuses_late=False)),
        Condition.LATE_REQUESTS_REFUSED,
    ),
    "no look": (lambda: ((), TERMS), Condition.DEADLINE_PASSED),
    "looks a millisecond before the deadline and its lag": (
        lambda: ((look(FIRST - 1), look(FIRST - 1)), TERMS),
        Condition.DEADLINE_PASSED,
    ),
    "a venue that did not tell its time": (lambda: ((look(0), look(0)), TERMS), Condition.DEADLINE_PASSED),
    "one look": (lambda: ((look(FIRST),), TERMS), Condition.TWO_LOOKS),
    "one look that counts and one before the deadline": (
        lambda: ((look(FIRST - SPACING), look(FIRST)), TERMS),
        Condition.TWO_LOOKS,
    ),
    "the same look twice": (lambda: ((look(FIRST), look(FIRST)), TERMS), Condition.LOOKS_SPACED),
    "looks a millisecond too close": (
        lambda: ((look(FIRST), look(FIRST + SPACING - 1)), TERMS),
        Condition.LOOKS_SPACED,
    ),
    "no recorded test card on a live venue": (
        lambda: (PROVING, replace(TERMS, has_card=False)),
        Condition.TEST_CARD,
    ),
    "looks for another order": (
        lambda: (tuple(replace(each, client_order_id="another") for each in PROVING), TERMS),
        Condition.TWO_LOOKS,
    ),
    "a control that was not found": (
        lambda: (tuple(replace(each, control=Says.NOT_FOUND) for each in PROVING), TERMS),
        Condition.LOOKUP_SHOWN,
    ),
    "no control": (
        lambda: (tuple(replace(each, control=Says.NO_ANSWER) for each in PROVING), TERMS),
        Condition.LOOKUP_SHOWN,
    ),
    "a control in one of two looks": (
        lambda: ((PROVING[0], replace(PROVING[1], control=Says.NO_ANSWER)), TERMS),
        Condition.TWO_LOOKS,
    ),
}


@pytest.mark.parametrize("name", BREAKS)
def test_a_history_that_lacks_one_condition_proves_nothing_and_names_it(name: str) -> None:
    history, condition = BREAKS[name]
    looks, terms = history()
    assert condition in missing(looks, terms)


@pytest.mark.parametrize("source", EVERY)
def test_a_source_that_gave_no_answer_or_was_not_asked_proves_nothing(source: Source) -> None:
    for finding in (said(source, Says.NO_ANSWER), None):
        looks = tuple(look(each.venue_ms, **{source.value: finding}) for each in PROVING)
        assert Condition.EVERY_SOURCE_ANSWERED in missing(looks)


def test_the_sources_that_every_venue_has_are_needed_whatever_the_terms_say() -> None:
    looks = tuple(look(each.venue_ms, client_id=None) for each in PROVING)
    assert Condition.EVERY_SOURCE_ANSWERED in missing(looks, replace(TERMS, sources=frozenset()))


def test_a_source_that_answers_twice_and_once_not_at_all_gave_no_answer() -> None:
    unsure = (*PROVING[0].sources, said(Source.TRADES, Says.NO_ANSWER))
    looks = (replace(PROVING[0], sources=unsure), PROVING[1])
    assert Condition.TWO_LOOKS in missing(looks)


def test_what_failed_before_is_forgotten_once_two_later_looks_prove_it() -> None:
    rate_limited = look(FIRST - 10, trades=said(Source.TRADES, Says.NO_ANSWER, detail="too many requests"))
    assert absence((rate_limited, *PROVING), TERMS).is_proved


def test_every_condition_that_is_missing_is_a_sentence() -> None:
    lacking = absence((), replace(TERMS, refuses_late=False, has_card=False)).missing
    assert [each.condition for each in lacking] == [
        Condition.LATE_REQUESTS_REFUSED,
        Condition.DEADLINE_PASSED,
        Condition.EVERY_SOURCE_ANSWERED,
        Condition.LOOKUP_SHOWN,
        Condition.TWO_LOOKS,
        Condition.LOOKS_SPACED,
        Condition.TEST_CARD,
    ]
    assert all(len(each.sentence.split()) > 4 for each in lacking)


def test_every_condition_can_be_missing_alone_or_with_those_that_follow_from_it() -> None:
    named = set[Condition]().union(*(missing(*history()) for history, _ in BREAKS.values()))
    silent = tuple(look(each.venue_ms, trades=None) for each in PROVING)
    assert named | missing(silent) == set(Condition)


FINDINGS = st.builds(
    SourceFinding,
    source=st.sampled_from(Source),
    says=st.sampled_from(Says),
    order=st.sampled_from([None, None, None, OUR_ROW]),
    unattributable=st.sampled_from([(), (), (), (A_ROW,)]),
)
LOOKS = st.builds(
    Findings,
    client_order_id=st.sampled_from([OURS, OURS, OURS, "another"]),
    venue_ms=st.sampled_from([0, LATEST, FIRST - 1, FIRST, FIRST + 1, FIRST + SPACING, FIRST + 2 * SPACING]),
    sources=st.one_of(st.just(PROVING[0].sources), st.lists(FINDINGS, max_size=8).map(tuple)),
    control=st.sampled_from(Says),
)


@settings(max_examples=200, deadline=None)
@given(
    looks=st.lists(LOOKS, max_size=6),
    refuses_late=st.booleans(),
    has_card=st.booleans(),
    needs_card=st.booleans(),
)
def test_no_history_that_lacks_any_one_condition_is_a_proof(
    looks: list[Findings], *, refuses_late: bool, has_card: bool, needs_card: bool
) -> None:
    terms = replace(TERMS, refuses_late=refuses_late, has_card=has_card, needs_card=needs_card)
    # The conditions once more, said in another way than the code says them.
    ours = [each for each in looks if each.client_order_id == OURS]
    rows = [row for each in ours for row in each.sources]
    clean = sorted(
        each.venue_ms
        for each in ours
        if each.venue_ms >= FIRST
        and each.control is Says.FOUND
        and all(row.says is Says.NOT_FOUND for row in each.sources)
        and {row.source for row in each.sources} == set(Source)
    )
    holds = (
        not any(row.says is Says.FOUND or row.order or row.unattributable for row in rows)
        and len(clean) > 1
        and clean[-1] - clean[0] >= SPACING
        and refuses_late
        and (has_card or not needs_card)
    )
    assert absence(looks, terms).is_proved is holds


@settings(max_examples=150, deadline=None)
@given(
    source=st.sampled_from(Source),
    place=st.integers(0, 1),
    says=st.sampled_from([Says.FOUND, Says.NO_ANSWER]),
)
def test_one_answer_that_is_another_than_not_found_breaks_a_proof(
    source: Source, place: int, says: Says
) -> None:
    looks = list(PROVING)
    looks[place] = look(looks[place].venue_ms, **{source.value: said(source, says)})
    assert not absence(looks, TERMS).is_proved


def planned(
    environment: Environment,
    *,
    venue: str = "binance",
    write: WriteRequest | None = None,
    window_ms: int = 10_000,
) -> WirePlan:
    order = PlaceOrder(
        symbol="BTC/USDT",
        side="buy",
        type=OrderType.LIMIT,
        amount=Decimal(1),
        price=Decimal(1),
        client_order_id=OURS,
    )
    return WirePlan(
        venue=venue,
        account=AccountName("main"),
        account_id=None,
        key_id="k",
        environment=environment,
        market=PlannedMarket(
            symbol="BTC/USDT", market_id="BTCUSDT", market_type=MarketType.SPOT, base="BTC", quote="USDT"
        ),
        write=write or order,
        request=WireRequest(verb="POST", api="private", path="order", parameters={}),
        window_ms=window_ms,
    )


def test_terms_follow_from_the_plan_and_its_venues_rules() -> None:
    live = absence_terms(planned(Environment.LIVE), LATEST)
    assert (live.lag_ms, live.refuses_late, live.needs_card, live.has_card) == (600_000, True, True, False)
    assert live.sources == {Source.CLIENT_ID, Source.OPEN_ORDERS, Source.CLOSED_ORDERS, Source.TRADES}
    sim = absence_terms(planned(Environment.SIM), LATEST)
    assert (sim.lag_ms, sim.refuses_late, sim.needs_card) == (0, True, False)


@pytest.mark.parametrize(
    ("venue", "window_ms"),
    # ccxt sends no deadline to kraken and okx, coinbase has none, and a plan without a window has no last moment.
    [("kraken", 10_000), ("okx", 10_000), ("coinbase", 10_000), ("nowhere", 10_000), ("binance", 0)],
)
def test_a_request_without_a_deadline_is_never_too_late(venue: str, window_ms: int) -> None:
    plan = planned(Environment.SIM, venue=venue, window_ms=window_ms)
    assert Condition.LATE_REQUESTS_REFUSED in missing(PROVING, absence_terms(plan, LATEST))


def test_what_is_no_order_cannot_be_absent() -> None:
    cancel = CancelOrder(symbol="BTC/USDT", order_id="1")
    with pytest.raises(ValueError, match="a plan of cancel places no order"):
        absence_terms(planned(Environment.SIM, write=cancel), LATEST)
