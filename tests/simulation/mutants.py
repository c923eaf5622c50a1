"""Broken engines. Each is the production engine with one seam of it replaced, and a promise of it gone.

A mutant counts as caught only by orders at the venue or a false "absent", never by what it says of itself. Each
names the part of the grid where it can show; the figure says how many scenarios of that part caught it.
"""

from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

from exchange_mcp.desk import journal as journal_module
from exchange_mcp.desk import repeats
from exchange_mcp.desk.absence import Absence
from exchange_mcp.desk.dispatcher import Dispatcher
from exchange_mcp.desk.engine import Ask, Engine
from exchange_mcp.desk.ports import Planned
from exchange_mcp.desk.reconciler import Reconciler
from exchange_mcp.desk.records import Intent, Recovered
from exchange_mcp.desk.watch import Watch
from exchange_mcp.model.client_ids import tag_of
from exchange_mcp.model.findings import Findings, Says, Source
from exchange_mcp.model.outcomes import Evidence, Outcome, Verdict
from exchange_mcp.model.plans import WirePlan
from exchange_mcp.model.trading import Ready, Sighting
from simulation.grid import Asks, Crash, Halt, Kind, Lookups, Others, Scenario
from simulation.world import Fate

_Seams = tuple[tuple[Any, str, Any], ...]
_AGAIN: Final = (Asks.SAME, Asks.MOVED, Asks.ANSWER_LOST, Asks.MUCH_LATER)
_PLAIN: Final[Mapping[str, tuple[object, ...]]] = {
    "others": (Others.NONE,),
    "halt": (Halt.NEVER,),
    "stall_s": (0.0,),
    "lies": (False,),
    "crash": (Crash.NEVER,),
    "lookups": (Lookups.WORK,),
    "kind": (Kind.LIMIT, Kind.MARKET),
}
_SILENT: Final = (Fate.ACCEPTED_LOST, Fate.ACCEPTED_RESET, Fate.ACCEPTED_HUNG, Fate.ACCEPTED_5XX)


@dataclass(frozen=True, slots=True)
class Mutant:
    """A broken engine.

    Attributes:
        seams: what is replaced, where, and by what. where: the part of the grid, by axis.
    """

    name: str
    seams: Callable[[], _Seams]
    where: Mapping[str, tuple[object, ...]]

    @contextmanager
    def broken(self) -> Generator[None]:
        """Inside the block, the engine is broken."""
        with ExitStack() as stack:
            for owner, name, other in self.seams():
                stack.enter_context(_replaced(owner, name, other))
            yield

    def placed(self, scenario: Scenario) -> Scenario:
        """The scenario, moved into the part of the grid where this can show; where in it, its number decides."""
        moved: dict[str, Any] = {
            axis: values[scenario.number // 7 % len(values)]
            for axis, values in (_PLAIN | dict(self.where)).items()
        }
        return replace(scenario, **moved)


@contextmanager
def _replaced(owner: Any, name: str, other: Any) -> Generator[None]:  # noqa: ANN401 - any seam
    before = getattr(owner, name)
    setattr(owner, name, other)
    try:
        yield
    finally:
        setattr(owner, name, before)


def _production(owner: Any, name: str) -> Any:  # noqa: ANN401 - any seam
    return getattr(owner, name)


def _nothing(*_: object) -> None:
    """Do nothing, find nothing wrong."""


def _send_before_journal() -> _Seams:
    async def claim_and_send(self: Any, intent: Intent, now: Planned, nonce: str, ready: Ready) -> None:  # noqa: ANN401 - a Dispatcher, from inside
        latest_ms = self._station.venue.venue_ms() + intent.plan.window_ms + self._station.pace.margin_ms
        evidence = await ready.send(intent.plan, latest_ms)
        claimed = self._claimed(intent, now, nonce)
        if claimed is not None:
            self._settle(claimed, evidence)

    return ((Dispatcher, "_claim_and_send", claim_and_send),)


def _resend_on_timeout() -> _Seams:
    sent = _production(Dispatcher, "_sent")

    async def again(self: Any, intent: Intent, ready: Ready) -> Evidence:  # noqa: ANN401 - as above
        evidence = await sent(self, intent, ready)
        if evidence.is_sent and evidence.status is None:
            other = await self._station.venue.ready(intent.plan)
            evidence = await other.send(intent.plan, self._station.venue.venue_ms() + 60_000)
        return evidence

    return ((Dispatcher, "_sent", again),)


def _timeout_is_failed() -> _Seams:
    verdict = _production(Dispatcher, "_verdict")

    def failed(self: Dispatcher, evidence: Evidence) -> Verdict:
        said = verdict(self, evidence)
        return replace(said, outcome=Outcome.REJECTED) if said.outcome is Outcome.UNKNOWN else said

    return ((Dispatcher, "_verdict", failed),)


def _not_found_is_rejected() -> _Seams:
    proof = _production(Reconciler, "_proof")

    def enough(self: Reconciler, intent: Intent, looks: list[Findings]) -> Absence:
        by_id = next(s for s in looks[-1].sources if s.source is Source.CLIENT_ID)
        return Absence(()) if by_id.says is Says.NOT_FOUND else proof(self, intent, looks)

    return ((Reconciler, "_proof", enough),)


def _resend_on_boot() -> _Seams:
    def take_up(self: Any, recovered: Recovered) -> None:  # noqa: ANN401 - an Engine, from inside
        async def again(intent: Intent) -> None:
            venue = self._hands[intent.account].station.venue
            ready = await venue.ready(intent.plan)
            await ready.send(intent.plan, venue.venue_ms() + 60_000)

        for intent in recovered.unknown:
            self._tasks.must_end(again(intent), "again")

    return ((Engine, "_take_up", take_up),)


def _dedup_live_only() -> _Seams:
    return ((repeats, "MAY_HAVE_PLACED", frozenset[object]()),)


def _exact_fingerprint_only() -> _Seams:
    stands = _production(repeats, "_stands_in_the_way")

    def exact(one: Any, asked: Any, now_ms: int, limits: Any) -> bool:  # noqa: ANN401 - as in repeats
        return one.fingerprint == asked.fingerprint and stands(one, asked, now_ms, limits)

    return ((repeats, "_stands_in_the_way", exact),)


def _deadline_at_claim() -> _Seams:
    def later(self: Dispatcher, intent: Intent) -> int:
        del self
        return (intent.latest_ms or 0) + 600_000

    return ((Dispatcher, "_latest_ms", later),)


def _absent_is_final() -> _Seams:
    return ((Watch, "_found_late", _nothing),)


def _probe_failure_swallowed() -> _Seams:
    find = _production(Reconciler, "_find")

    async def swallowed(self: Reconciler, intent: Intent) -> Findings:
        findings = await find(self, intent)
        sources = tuple(
            replace(s, says=Says.NOT_FOUND) if s.says is Says.NO_ANSWER else s for s in findings.sources
        )
        control = Says.FOUND if findings.control is Says.NO_ANSWER else findings.control
        return replace(findings, sources=sources, control=control)

    return ((Reconciler, "_find", swallowed),)


def _halt_outside_claim() -> _Seams:
    drifted = _production(Dispatcher, "_drifted")

    def halted_before(self: Any, intent: Intent, now: Planned) -> str | None:  # noqa: ANN401 - as above
        is_halted = self._station.journal.halt_of(intent.account) is not None
        return "halted" if is_halted else drifted(self, intent, now)

    return ((journal_module, "check_halts", _nothing), (Dispatcher, "_drifted", halted_before))


def _restored_journal() -> _Seams:
    saw = _production(Watch, "_saw")

    def trusting(self: Any, sighting: Sighting) -> None:  # noqa: ANN401 - a Watch, from inside
        journal = self._station.journal
        intent = journal.intent_of_order(sighting.client_order_id or "")
        is_ours = tag_of(sighting.client_order_id) == journal.desk.tag
        if not is_ours or (intent is not None and intent.claimed_ms is not None):
            saw(self, sighting)

    return ((Watch, "_saw", trusting),)


def _second_desk() -> _Seams:
    saw = _production(Watch, "_saw")

    def blind(self: Any, sighting: Sighting) -> None:  # noqa: ANN401 - as above
        if tag_of(sighting.client_order_id) == self._station.journal.desk.tag:
            saw(self, sighting)

    return ((Watch, "_saw", blind),)


def _read_is_received() -> _Seams:
    read = Engine.read

    def noted(self: Any, intent_id: str) -> Intent:  # noqa: ANN401 - as above
        self.heard = [*getattr(self, "heard", []), intent_id]
        return read(self, intent_id)

    def known(self: Any, ask: Ask) -> str | None:  # noqa: ANN401 - as above
        return ask.distinct_from or next(reversed(getattr(self, "heard", [])), None)

    return ((Engine, "read", noted), (Engine, "_distinct_from", known))


def _adds_a_field() -> _Seams:
    plan = _production(Dispatcher, "_plan")

    def more(self: Dispatcher, intent: Intent) -> WirePlan:
        own = plan(self, intent)
        request = replace(own.request, parameters={**own.request.parameters, "newOrderRespType": "FULL"})
        return replace(own, request=request)

    return ((Dispatcher, "_plan", more),)


MUTANTS: Final = (
    Mutant(
        "send before journal",
        _send_before_journal,
        {"crash": (Crash.SENT, Crash.BEFORE_C3), "asks": _AGAIN, "fate": _SILENT},
    ),
    Mutant("re-send on timeout", _resend_on_timeout, {"fate": _SILENT, "kind": (Kind.MARKET,)}),
    Mutant("timeout means failed", _timeout_is_failed, {"fate": _SILENT}),
    Mutant(
        "not-found means rejected",
        _not_found_is_rejected,
        {"fate": (Fate.ACCEPTED_RESET,), "transit_s": (2.0, 4.0)},
    ),
    Mutant(
        "re-send on boot",
        _resend_on_boot,
        {"crash": (Crash.SENT, Crash.BEFORE_C4), "fate": _SILENT, "kind": (Kind.MARKET,)},
    ),
    Mutant("dedup on live states only", _dedup_live_only, {"asks": _AGAIN}),
    Mutant(
        "fingerprint with price only",
        _exact_fingerprint_only,
        {"asks": (Asks.MOVED, Asks.BOTH, Asks.ANSWER_LOST_MOVED)},
    ),
    Mutant(
        "deadline taken at the claim",
        _deadline_at_claim,
        {"stall_s": (20.0,), "fate": (Fate.ACCEPTED_RESET,), "transit_s": (4.0,), "lag_s": (2.5,)},
    ),
    Mutant(
        "absent is final",
        _absent_is_final,
        {"lies": (True,), "fate": (Fate.LATE,), "late": ("soon", "minutes")},
    ),
    Mutant(
        "probe failure swallowed",
        _probe_failure_swallowed,
        {"lookups": (Lookups.OUTAGE, Lookups.LONG_OUTAGE), "fate": _SILENT},
    ),
    Mutant("halt read outside the claim", _halt_outside_claim, {"halt": (Halt.AT_CLAIM,), "fate": _SILENT}),
    Mutant(
        "restored journal",
        _restored_journal,
        {"others": (Others.RESTORED, Others.RESTORED_LATER, Others.CLONE), "asks": _AGAIN},
    ),
    Mutant("second desk", _second_desk, {"others": (Others.OTHER_DESK,), "asks": _AGAIN}),
    Mutant(
        "read counts as received",
        _read_is_received,
        {"asks": (Asks.ANSWER_LOST, Asks.ANSWER_LOST_MOVED), "fate": (Fate.ACCEPTED, *_SILENT)},
    ),
    Mutant("the venue adds a field", _adds_a_field, {"fate": _SILENT}),
)
"""Every one that the design names."""
