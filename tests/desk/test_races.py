"""Two processes that write to one file, as if there were no lock between them: each step has one winner."""

import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Final

from exchange_mcp.desk.intents import State
from exchange_mcp.desk.repeats import RepeatLimits

from .on_disk import opened
from .proposals import approved, buy, plan, proposal

ROUNDS: Final = 30

# Each goes through the same claims as fast as it can; both start when both are there.
RACER: Final = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from desk.memory_disk import OPENING
from desk.proposals import admits, claim_of
from desk.virtual import HandClock, MemoryMark, SeededEntropy
from exchange_mcp.desk.dialect import durable_engine
from exchange_mcp.desk.journal import Journal
from exchange_mcp.desk.journal_errors import StateChangedError

journal = Journal(durable_engine(Path(sys.argv[2])).connect(), clock=HandClock(), mark=MemoryMark())
journal._is_recovered = True
intents = [journal.intent(f"i{number}") for number in range(1, int(sys.argv[3]) + 1)]
print("ready", flush=True)
sys.stdin.readline()
for intent in intents:
    try:
        journal.claim(intent.id, claim_of(intent), admits)
        print(intent.id, flush=True)
    except StateChangedError:
        pass
"""


def test_of_two_processes_exactly_one_claims_each_intent(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    journal._limits = RepeatLimits(most_pending=ROUNDS)  # pyright: ignore[reportPrivateUsage] - many at once
    for number in range(1, ROUNDS + 1):
        approved(journal, proposal(number, plan=plan(buy(number), base=f"A{number}")))
    head = journal.head()
    journal.abandon()
    arguments = [str(Path(__file__).parents[1]), str(tmp_path / "desk" / "journal.db"), str(ROUNDS)]
    racers = [
        subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-c", RACER, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for racer in racers:
        assert racer.stdout is not None
        assert racer.stdout.readline() == "ready\n", racer.communicate()
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("go\n")
        racer.stdin.flush()
    done = [racer.communicate(timeout=60) for racer in racers]
    assert [(racer.returncode, errors) for racer, (_, errors) in zip(racers, done, strict=True)] == [
        (0, "")
    ] * 2
    wins = Counter(line for output, _ in done for line in output.split())
    assert wins == Counter(f"i{number}" for number in range(1, ROUNDS + 1))
    again = opened(tmp_path)
    assert len(again.unknown()) == ROUNDS
    claims = [event for event in again.events(head.seq) if event.kind == "claimed"]
    assert len(claims) == ROUNDS
    assert {intent.state for intent in again.live()} == {State.UNKNOWN}
    again.close()
    print(f"\nclaims raced for: {ROUNDS}, won: {[len(output.split()) for output, _ in done]}")  # noqa: T201 - the figure, for whoever asks with -s
