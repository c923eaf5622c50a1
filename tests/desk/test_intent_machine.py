"""Whatever is asked of the journal in whatever order, with crashes in between, it agrees with a simple model.

The model knows states by name and nothing else. Every step is tried on both; what the model forbids must raise and
leave no trace. At the end the log is followed from its beginning by the verifier that auditors use.
"""

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from exchange_mcp.audit.verify import verify
from exchange_mcp.desk.intents import State
from exchange_mcp.desk.records import Signed, Taken
from exchange_mcp.desk.repeats import RepeatLimits
from exchange_mcp.model.errors import JournalError
from exchange_mcp.model.findings import FoundOrder
from exchange_mcp.model.outcomes import Outcome

from .memory_disk import MemoryDisk
from .proposals import (
    MAIN,
    POLICY,
    admits,
    buy,
    claim_of,
    evidence,
    grant_of,
    plan,
    proposal,
    signed,
    verdict,
)
from .virtual import HandClock, SeededEntropy

if TYPE_CHECKING:
    from collections.abc import Callable

BASES: Final = ("BTC", "ETH")
MOVES: Final = (
    "permit",
    "deny",
    "grant",
    "decline",
    "retract",
    "lapse",
    "claim",
    "settle",
    "read_back",
    "reconcile",
    "resolve",
    "found_late",
)
# From where each is allowed, and where it may lead: written anew, not read from the product's table.
ALLOWED: Final = {
    "permit": {"proposed": {"proposed"}},
    "deny": {"proposed": {"denied"}},
    "grant": {"proposed": {"approved"}},
    "decline": {"proposed": {"declined"}},
    "retract": {"proposed": {"retracted"}, "approved": {"retracted"}},
    "lapse": {"approved": {"lapsed"}},
    "claim": {"approved": {"dispatching"}},
    "settle": {"dispatching": {"accepted", "rejected", "not_sent", "unknown"}},
    "read_back": {"accepted": {"placed", "unknown"}},
    "reconcile": {"unknown": {"placed", "absent"}},
    "resolve": {"unknown": {"placed", "absent"}},
    "found_late": {"absent": {"placed"}, "not_sent": {"placed"}, "rejected": {"placed"}},
}
ENDS: Final = st.sampled_from(["placed", "absent", "unknown", "accepted", "rejected", "not_sent"])


class Machine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.clock = HandClock()
        self.disk = MemoryDisk()
        self.limits = RepeatLimits(most_pending=1000)
        self.journal = self.disk.open(self.clock, SeededEntropy(), limits=self.limits)
        self.journal.recover()
        self.states: dict[str, str] = {}
        self.bases: dict[str, str] = {}
        self.permitted: set[str] = set()
        self.is_halted = False
        self.signatures = 0

    def teardown(self) -> None:
        self.each_intent_was_claimed_at_most_once_and_none_while_halted()
        self.the_log_verifies_as_it_is_exported()
        self.journal.abandon()
        self.disk.close()

    @rule(base=st.sampled_from(BASES), amount=st.sampled_from(["1", "2"]))
    def propose(self, base: str, amount: str) -> None:
        number = len(self.states) + 1
        asked = proposal(
            number,
            plan=plan(buy(number, amount=amount), base=base),
            request_digest=f"{number}",
            expires_ms=self.clock.ms + 3_600_000,
        )
        answer = self.journal.propose(asked)
        live = {"proposed", "approved", "dispatching", "accepted", "unknown", "placed", "absent"}
        blocks = any(self.bases[i] == base and state in live for i, state in self.states.items())
        if isinstance(answer, Taken):
            assert not blocks
            self.states[answer.intent.id] = "proposed"
            self.bases[answer.intent.id] = base
        else:
            declined = any(self.bases[i] == base and s == "declined" for i, s in self.states.items())
            assert blocks or declined

    @precondition(lambda self: self.states)
    @rule(data=st.data(), move=st.sampled_from(MOVES), end=ENDS)
    def anything(self, data: st.DataObject, move: str, end: str) -> None:
        self._try(data.draw(st.sampled_from(sorted(self.states))), move, end)

    @precondition(lambda self: self._movable())
    @rule(data=st.data())
    def advance(self, data: st.DataObject) -> None:
        """A step that is open, for most of what is asked at random is not."""
        chosen = data.draw(st.sampled_from(self._movable()))
        state = self.states[chosen]
        move = data.draw(st.sampled_from([move for move in MOVES if state in ALLOWED[move]]))
        self._try(chosen, move, data.draw(st.sampled_from(sorted(ALLOWED[move][state]))))

    def _movable(self) -> list[str]:
        return [i for i, s in self.states.items() if any(s in ways for ways in ALLOWED.values())]

    def _try(self, chosen: str, move: str, end: str) -> None:
        head = self.journal.head()
        expected = self._expected(chosen, move, end)
        try:
            self._do(chosen, move, end)
        except JournalError:
            assert expected is None
            assert self.journal.head() == head
            return
        assert expected is not None
        self.states[chosen] = expected
        if move == "permit":
            self.permitted.add(chosen)
        if move == "found_late":
            self.is_halted = True

    @rule(is_halt=st.booleans())
    def halt_or_resume(self, *, is_halt: bool) -> None:
        if is_halt:
            self.journal.halt(MAIN, by="ada", reason="drill")
            self.is_halted = True
        elif self.is_halted:
            (halt,) = self.journal.halts()
            self.journal.resume(MAIN, self._signed(), reason=halt.reason)
            self.is_halted = False

    @rule()
    def crash(self) -> None:
        self.journal.abandon()
        self.journal = self.disk.open(self.clock, SeededEntropy(), limits=self.limits)
        self.journal.recover()
        for intent_id, state in self.states.items():
            self.states[intent_id] = {"dispatching": "unknown", "approved": "lapsed"}.get(state, state)

    @rule(ms=st.sampled_from([1, 1000]))
    def wait(self, ms: int) -> None:
        self.clock.ms += ms

    @invariant()
    def journal_and_model_agree(self) -> None:
        recorded = {intent.id: intent.state.value for intent in self.journal.recent(1000)}
        assert recorded == self.states
        assert (self.journal.halt_of(MAIN) is not None) == self.is_halted

    def each_intent_was_claimed_at_most_once_and_none_while_halted(self) -> None:
        claims: Counter[str | None] = Counter()
        is_halted = False
        for event in self.journal.events():
            if event.kind in {"halted", "resumed"}:
                is_halted = event.kind == "halted"
            if event.kind == "claimed":
                assert not is_halted
                claims[event.intent] += 1
        assert set(claims.values()) <= {1}

    def the_log_verifies_as_it_is_exported(self) -> None:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "log.jsonl"
            path.write_text("".join(f"{line}\n" for line in self.journal.export()))
            assert verify(path).count == self.journal.head().seq

    def _expected(self, chosen: str, move: str, end: str) -> str | None:
        ends = ALLOWED[move].get(self.states[chosen], set[str]())
        if move == "grant" and chosen not in self.permitted:
            return None
        if move == "claim":
            base = self.bases[chosen]
            in_doubt = any(
                self.bases[i] == base and s in {"unknown", "dispatching"}
                for i, s in self.states.items()
                if i != chosen
            )
            if self.is_halted or in_doubt:
                return None
        if len(ends) == 1:
            return next(iter(ends)) if move not in {"read_back", "reconcile", "resolve"} else None
        return end if end in ends else None

    def _do(self, chosen: str, move: str, end: str) -> None:
        journal, intent = self.journal, self.journal.intent(chosen)
        decided: dict[str, Any] = {"policy_digest": POLICY, "decision": {}, "reason": "r"}
        seen: dict[str, Any] = {"proof": {}, "reason": "r"}
        moves: dict[str, Callable[[], object]] = {
            "permit": lambda: journal.decide(chosen, is_permitted=True, **decided),
            "deny": lambda: journal.decide(chosen, is_permitted=False, **decided),
            "grant": lambda: journal.grant(chosen, grant_of(intent, expires_ms=self.clock.ms + 10_000_000)),
            "decline": lambda: journal.decline(chosen, by="ada"),
            "retract": lambda: journal.retract(chosen, client="claude"),
            "lapse": lambda: journal.lapse(chosen, "drifted"),
            "claim": lambda: journal.claim(chosen, claim_of(intent, latest_ms=self.clock.ms + 1), admits),
            "settle": lambda: self._settle(chosen, end),
            "read_back": lambda: journal.read_back(chosen, State(end), **seen),
            "reconcile": lambda: journal.reconcile(chosen, State(end), **seen),
            "resolve": lambda: journal.resolve(chosen, State(end), self._signed(), "seen"),
            "found_late": lambda: journal.found_late(
                chosen, FoundOrder(order_id="v", client_order_id="c"), "seen"
            ),
        }
        moves[move]()

    def _settle(self, chosen: str, end: str) -> None:
        if end not in set(Outcome):
            raise JournalError("a send has no such outcome")
        self.journal.settle(chosen, verdict(Outcome(end)), evidence())

    def _signed(self) -> Signed:
        self.signatures += 1
        return signed(f"s{self.signatures}")


Machine.TestCase.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
TestIntents = Machine.TestCase
