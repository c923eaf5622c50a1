"""Whether an order of ours is proved absent from its venue, over every look for it; or what is still missing.

Pure: the looks come from `OrderLookup.find`, the terms from the rules and from the claim. "Not found" alone proves
nothing: an order may arrive late, show late, be answered for by a look-up that does not work, or have been filled
and gone from the lists that were read.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from exchange_mcp.model.accounts import Environment
from exchange_mcp.model.findings import Findings, Says, Source
from exchange_mcp.model.plans import WirePlan
from exchange_mcp.model.writes import PlaceOrder
from exchange_mcp.rules.client_ids import OrderIds, order_ids

_LOOKS: Final = 2
SKEW_MS: Final = 2_000
"""How far a venue's clocks may be apart from one another, and from the time that it tells."""
# A wrong "does not exist" lasts a while, so that a second look at once would be wrong with the first.
_SPACING_MS: Final = 30_000
_SIM_SPACING_MS: Final = 2_000
# The least that any venue's look is made of, whatever the terms say.
_ALWAYS: Final = frozenset({Source.CLIENT_ID, Source.OPEN_ORDERS, Source.CLOSED_ORDERS, Source.TRADES})


class Condition(StrEnum):
    """What the proof of an absence needs, each of these."""

    NEVER_FOUND = "never_found"
    NOTHING_UNATTRIBUTABLE = "nothing_unattributable"
    LATE_REQUESTS_REFUSED = "late_requests_refused"
    DEADLINE_PASSED = "deadline_passed"
    EVERY_SOURCE_ANSWERED = "every_source_answered"
    LOOKUP_SHOWN = "lookup_shown"
    TWO_LOOKS = "two_looks"
    LOOKS_SPACED = "looks_spaced"
    TEST_CARD = "test_card"


@dataclass(frozen=True, slots=True, kw_only=True)
class AbsenceTerms:
    """What the proof depends on beside the looks.

    Attributes:
        client_order_id: of the order.
        latest_ms: venue time after which its request is refused, from the claim; UTC milliseconds.
        skew_ms: how far the venue's clocks may be apart from one another, and from the time that it tells.
        lag_ms: how late an order that exists may still be shown by a source.
        spacing_ms: how far two looks have to be apart.
        refuses_late: whether the venue is documented, or was shown, to refuse a request after its window.
        sources: those that have to answer.
        needs_card: whether this is a live venue, where a recorded test card has to show all this first.
        has_card: whether one did.
    """

    client_order_id: str
    latest_ms: int
    skew_ms: int
    lag_ms: int
    spacing_ms: int
    refuses_late: bool
    sources: frozenset[Source]
    needs_card: bool
    has_card: bool = False

    @property
    def first_look_ms(self) -> int:
        """The venue's time before which a look proves nothing."""
        return self.latest_ms + self.skew_ms + self.lag_ms


@dataclass(frozen=True, slots=True)
class Shortfall:
    """One condition that is not met, and why, as a sentence for a person."""

    condition: Condition
    sentence: str


@dataclass(frozen=True, slots=True)
class Absence:
    """The proof, or what it lacks: every condition that is missing, in the order of `Condition`."""

    missing: tuple[Shortfall, ...]

    @property
    def is_proved(self) -> bool:
        """Whether nothing is missing."""
        return not self.missing


def absence(looks: Iterable[Findings], terms: AbsenceTerms) -> Absence:
    """What the looks prove under these terms; their order does not matter, and looks for other orders do not count."""
    ours = [look for look in looks if look.client_order_id == terms.client_order_id]
    passed = [look for look in ours if look.venue_ms >= terms.first_look_ms]
    answered = [look for look in passed if not _silent(look, terms)]
    shown = _shown(ours, terms)
    failing: dict[Condition, str | None] = {
        Condition.NEVER_FOUND: _found(ours),
        Condition.NOTHING_UNATTRIBUTABLE: _unattributable(ours),
        Condition.LATE_REQUESTS_REFUSED: None
        if terms.refuses_late
        else "the venue is neither documented nor shown to refuse a request that comes late",
        Condition.DEADLINE_PASSED: None
        if passed
        else f"no look began {terms.skew_ms + terms.lag_ms} ms or more after the last moment at which the venue "
        "takes the request",
        Condition.EVERY_SOURCE_ANSWERED: None if answered else _unanswered(passed, terms),
        Condition.LOOKUP_SHOWN: None
        if shown
        else "in no whole look did the same look-up find an order that this account is known to have",
        Condition.TWO_LOOKS: None
        if len(shown) >= _LOOKS
        else f"{len(shown)} of {_LOOKS} looks with nothing missing found no order by its exact client order id",
        Condition.LOOKS_SPACED: None
        if shown and max(shown) - min(shown) >= terms.spacing_ms and len(shown) >= _LOOKS
        else f"no two such looks are {terms.spacing_ms} ms apart",
        Condition.TEST_CARD: None
        if terms.has_card or not terms.needs_card
        else "no recorded test card has shown on this live venue what the proof rests on",
    }
    return Absence(tuple(Shortfall(condition, why) for condition, why in failing.items() if why is not None))


def next_look_ms(looks: Iterable[Findings], terms: AbsenceTerms) -> int:
    """The venue's time from which on the next look can be part of a proof, or complete it; UTC milliseconds."""
    shown = _shown((look for look in looks if look.client_order_id == terms.client_order_id), terms)
    return min(shown) + terms.spacing_ms if shown else terms.first_look_ms


def _shown(looks: Iterable[Findings], terms: AbsenceTerms) -> list[int]:
    """When each look began that is late enough and whole, and found a known order by the same look-up."""
    return [
        look.venue_ms
        for look in looks
        if look.venue_ms >= terms.first_look_ms and look.control is Says.FOUND and not _silent(look, terms)
    ]


def _found(looks: Sequence[Findings]) -> str | None:
    where = [each.source for look in looks for each in look.sources if each.says is Says.FOUND or each.order]
    return f"it was found in {_names(where)}" if where else None


def _unattributable(looks: Sequence[Findings]) -> str | None:
    where = [each.source for look in looks for each in look.sources if each.unattributable]
    return f"since the dispatch, {_names(where)} showed what may be it and cannot be told" if where else None


def _silent(look: Findings, terms: AbsenceTerms) -> frozenset[Source]:
    """The sources that had to say that it is not there, and did not."""
    unsure = {each.source for each in look.sources if each.says is Says.NO_ANSWER}
    return (terms.sources | _ALWAYS | unsure) - ({each.source for each in look.sources} - unsure)


def _unanswered(looks: Sequence[Findings], terms: AbsenceTerms) -> str:
    if not looks:
        return "no look after that moment was answered by every source"
    fewest = min((_silent(look, terms) for look in looks), key=len)
    return f"{_names(fewest)} gave no whole answer"


def _names(sources: Iterable[Source]) -> str:
    held = set(sources)
    return ", ".join(source.value.replace("_", " ") for source in Source if source in held)


def absence_terms(plan: WirePlan, latest_ms: int, *, has_card: bool = False) -> AbsenceTerms:
    """What the absence of a plan's order rests on, by the venue's rules; `latest_ms` is the claim's, in venue time.

    The simulated exchange answers out of the one store that its matching writes, so that nothing shows late there.

    Raises:
        ValueError: the plan places no order.
    """
    write = plan.write
    if not isinstance(write, PlaceOrder):
        raise ValueError(f"a plan of {plan.action} places no order")  # noqa: TRY004 - of the plan, not its type
    rules = order_ids(plan.venue, plan.market.market_type, is_conditional=write.type.has_trigger)
    return AbsenceTerms(
        client_order_id=write.client_order_id,
        latest_ms=latest_ms,
        skew_ms=SKEW_MS,
        lag_ms=lag_ms(plan, rules),
        spacing_ms=spacing_ms(plan),
        refuses_late=refuses_late(plan, rules),
        sources=frozenset() if rules is None else frozenset(rules.lookups.sources),
        needs_card=plan.environment is Environment.LIVE,
        has_card=has_card,
    )


def lag_ms(plan: WirePlan, rules: OrderIds | None) -> int:
    """How late a source may still show what there is."""
    return 0 if plan.environment is Environment.SIM or rules is None else rules.lookups.lag_ms


def spacing_ms(plan: WirePlan) -> int:
    """How far two looks have to be apart."""
    return _SIM_SPACING_MS if plan.environment is Environment.SIM else _SPACING_MS


def refuses_late(plan: WirePlan, rules: OrderIds | None) -> bool:
    """Whether the venue says that it refuses this plan's request after its window, and the window is sent."""
    return rules is not None and rules.window.refuses_late and rules.window.is_sent and plan.window_ms > 0
