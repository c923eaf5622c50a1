"""What a history came to, by the orders at the venue and what the journals say of them; and the sum of many."""

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, field

from exchange_mcp.desk.intents import State
from exchange_mcp.desk.journal import Journal
from exchange_mcp.desk.records import Intent
from exchange_mcp.model.writes import SetLeverage
from simulation.grid import Lookups, Others
from simulation.story import TARGET, Desk, Story, is_waiting
from simulation.world import Fate, VenueOrder

RULED_OUT = frozenset({State.ABSENT, State.NOT_SENT, State.REJECTED})
# Nothing of these ever reaches the venue's book, and the desk is not told.
_WITHOUT_AN_ORDER = frozenset({Fate.LOST, Fate.REFUSED_LOST, Fate.REFUSED_5XX})
_UNFINISHED = frozenset({State.PROPOSED, State.APPROVED, State.DISPATCHING, State.ACCEPTED})


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one history came to.

    Attributes:
        duplicates: orders at the venue that nobody wanted: more than were asked for, claimed after a halt, or other
            than the journal says.
        false_absent: intents called rejected, not sent or absent whose order is at the venue.
        stuck: intents that are neither final nor wait for a named person; every sure absence that was not proved
            counts too, and a desk that refuses.
        undetected: second desks and restored journals that the desk did not notice.
        head: of the journals' event chains.
    """

    duplicates: int
    false_absent: int
    stuck: int
    undetected: int
    absent_proved: int
    lied_found_late: int
    lied_extra: int
    asked_person: int
    states: Counter[str]
    head: str

    @property
    def is_caught(self) -> bool:
        """Whether the orders at the venue, or a false "absent", show that the engine is broken."""
        return self.duplicates > 0 or self.false_absent > 0


def judged(story: Story) -> Verdict:
    """What a history that was told came to."""
    journals = story.shelf.journals()
    # The same intent may stand in a journal and in its copy; what the journal that lived longest says counts.
    intents = {intent.id: (intent, journal) for journal in journals for intent in journal.recent(1000)}
    ours = [order for order in story.world.orders if not order.is_by_hand]
    by_id: dict[str | None, list[VenueOrder]] = {}
    for order in ours:
        by_id.setdefault(order.client_order_id, []).append(order)
    lied = [order for order in ours if order.is_late]
    honest = len(ours) - len(lied)
    duplicates = max(0, honest - story.wanted) + _after_halt(journals, by_id) + _altered(ours, intents)
    ruled_out = {i.id for j in journals for i in _ever(j, RULED_OUT)}
    false_absent = sum(
        _is_false(intent, by_id.get(intent.client_order_id, []), was_ruled_out=intent.id in ruled_out)
        for intent, _ in intents.values()
    )
    claimed = [intent for intent, _ in intents.values() if intent.claimed_ms is not None]
    if len(claimed) == 1:
        # Of two, the venue's state does not tell which one brought it about.
        false_absent += _is_false_effect(story, claimed[0])
    found_late = sum(
        intent.state is State.PLACED and any(o.is_late for o in by_id.get(intent.client_order_id, []))
        for intent, _ in intents.values()
        if intent.id in ruled_out
    )
    return Verdict(
        duplicates=duplicates,
        false_absent=false_absent,
        stuck=_stuck(story, intents, ours),
        undetected=_undetected(story, ours),
        absent_proved=sum(intent.state is State.ABSENT for intent, _ in intents.values()),
        lied_found_late=found_late,
        lied_extra=len(lied) if len(ours) > story.wanted else 0,
        asked_person=sum(is_waiting(journal, intent) for intent, journal in intents.values()),
        states=Counter(intent.state.value for intent, _ in intents.values()),
        head=" ".join(journal.head().hash for journal in journals),
    )


def _after_halt(journals: tuple[Journal, ...], by_id: dict[str | None, list[VenueOrder]]) -> int:
    """Orders at the venue that a journal claimed after it recorded a halt; no halt is lifted in these histories."""
    count = 0
    for journal in journals:
        is_halted = False
        for event in journal.events():
            if event.kind == "halted":
                is_halted = True
            elif event.kind == "claimed" and is_halted and event.intent is not None:
                count += len(by_id.get(journal.intent(event.intent).client_order_id, []))
    return count


def _altered(ours: list[VenueOrder], intents: dict[str, tuple[Intent, Journal]]) -> int:
    """Orders at the venue that are not, field by field, what a journal holds; one that none holds counts as well."""
    recorded = {
        intent.client_order_id: json.loads(intent.plan_text)["request"]["parameters"]
        for intent, _ in intents.values()
    }
    return sum(dict(order.fields) != recorded.get(order.client_order_id) for order in ours)


def _ever(journal: Journal, states: frozenset[State]) -> list[Intent]:
    moved = [event for event in journal.events() if event.intent is not None and '"to":' in event.text]
    ids = {event.intent for event in moved if json.loads(event.text)["body"].get("to") in states}
    return [intent for intent in journal.recent(1000) if intent.id in ids]


def _is_false(intent: Intent, orders: list[VenueOrder], *, was_ruled_out: bool) -> bool:
    """Whether the order of an intent that was ruled out is there. Of one that only a lie brought, the end counts."""
    if any(not order.is_late for order in orders):
        return was_ruled_out
    return bool(orders) and intent.state in RULED_OUT


def _is_false_effect(story: Story, intent: Intent) -> bool:
    """Whether a cancel or a leverage is called done and is not, or the other way round."""
    world = story.world
    if story.scenario.lies or intent.action == "place":
        return False
    if intent.action == "cancel":
        is_done = next(order for order in world.orders if order.client_order_id == TARGET).is_canceled
        return (intent.state is State.CANCELED) != is_done and intent.state in RULED_OUT | {State.CANCELED}
    write = intent.plan.write
    is_done = isinstance(write, SetLeverage) and world.leverage == write.leverage
    return (intent.state is State.SET) != is_done and intent.state in RULED_OUT | {State.SET, State.NOT_SET}


def _stuck(story: Story, intents: dict[str, tuple[Intent, Journal]], ours: list[VenueOrder]) -> int:
    desk, s = story.desk, story.scenario
    if desk is None or desk.process.is_dead:
        return 1
    unfinished = sum(
        intent.state in _UNFINISHED or (intent.state is State.UNKNOWN and not is_waiting(journal, intent))
        for intent, journal in intents.values()
        if journal is desk.journal.real
    )
    is_sure = (
        s.fate in _WITHOUT_AN_ORDER
        and s.others is Others.NONE
        and s.lookups is not Lookups.DEAF
        and not any(order.is_late for order in ours)
    )
    missed = sum(intent.state is State.UNKNOWN for intent, _ in intents.values()) if is_sure else 0
    has_fault = bool(story.faults())
    return unfinished + missed + has_fault


def _undetected(story: Story, ours: list[VenueOrder]) -> int:
    """Whether a second desk, or an old journal, met an order of another hand and did not halt."""
    desk, second, s = story.desk, story.second, story.scenario
    if desk is None or desk.process.is_dead or not ours:
        return 0
    met = {
        Others.RESTORED: [desk],
        Others.RESTORED_LATER: [desk],
        Others.CLONE: [second],
        Others.OTHER_DESK: [second],
    }.get(s.others, [])
    return sum(
        1
        for each in met
        if each is not None
        and any(order.client_order_id not in _claimed(each) for order in ours)
        and not each.journal.real.halts()
    )


def _claimed(desk: Desk) -> set[str | None]:
    """The client order ids of what a desk's own journal says it sent."""
    return {
        intent.client_order_id for intent in desk.journal.real.recent(1000) if intent.claimed_ms is not None
    }


@dataclass(slots=True)
class Tally:
    """The sum of many histories; `chain` runs over their heads in order, so that one other history changes it."""

    scenarios: int = 0
    duplicates: int = 0
    false_absent: int = 0
    stuck: int = 0
    undetected: int = 0
    absent_proved: int = 0
    lied_found_late: int = 0
    lied_extra: int = 0
    asked_person: int = 0
    chain: str = ""
    states: Counter[str] = field(default_factory=Counter[str])
    examples: list[str] = field(default_factory=list[str])

    def add(self, verdict: Verdict, scenario: object) -> None:
        """Count one history more."""
        self.scenarios += 1
        self._sum(verdict)
        self.states += verdict.states
        self.chain = hashlib.sha256(f"{self.chain}{verdict.head}".encode()).hexdigest()
        if verdict.is_caught or verdict.stuck or verdict.undetected:
            self.examples.append(f"{verdict} in {scenario}")

    def merge(self, other: "Tally") -> None:
        """Count the histories that another tally counted after these."""
        self.scenarios += other.scenarios
        self._sum(other)
        self.states += other.states
        self.chain = hashlib.sha256(f"{self.chain}{other.chain}".encode()).hexdigest()
        self.examples += other.examples

    def _sum(self, other: "Verdict | Tally") -> None:
        for name in (
            *("duplicates", "false_absent", "stuck", "undetected", "absent_proved"),
            *("lied_found_late", "lied_extra", "asked_person"),
        ):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def is_clean(self) -> bool:
        """Whether nothing went wrong."""
        return not (self.duplicates or self.false_absent or self.stuck or self.undetected)
