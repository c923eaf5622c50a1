"""Many histories and their figures: the grid with the engine as it is, and a part of it with each broken one."""

import logging
import time
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Final

from simulation.grid import Scenario, first
from simulation.mutants import MUTANTS, Mutant
from simulation.shelf import Shelf
from simulation.story import Story
from simulation.tally import Tally, Verdict, judged

CHUNK: Final = 250
"""Histories a task of a process; the figures do not depend on how many processes there are."""

MUTANT_SEED: Final = 5
MOST_EXAMPLES: Final = 5


def history(scenario: Scenario, seed: int) -> Verdict:
    """Tell one history and judge it."""
    shelf = Shelf()
    try:
        story = Story(scenario, str(seed), shelf)
        story.loop.run_history(story.tell())
        return judged(story)
    finally:
        shelf.close()


def simulated(scenarios: Iterable[Scenario], seed: int) -> Tally:
    """Tell many and count."""
    tally = Tally()
    with _quietly():
        for scenario in scenarios:
            tally.add(history(scenario, seed), scenario)
    return tally


def killed(mutant: Mutant, count: int) -> int:
    """How many of so many histories, in the part of the grid where it can show, catch a broken engine."""
    with _quietly(), mutant.broken():
        return sum(
            history(mutant.placed(scenario), MUTANT_SEED).is_caught for scenario in first(count, MUTANT_SEED)
        )


@dataclass(frozen=True, slots=True)
class _Part:
    scenarios: Sequence[Scenario]
    seed: int


def _told(part: _Part) -> Tally:
    return simulated(part.scenarios, part.seed)


def _broken(job: tuple[int, int]) -> int:
    index, count = job
    return killed(MUTANTS[index], count)


def run(scenarios: int, seed: int, processes: int = 1) -> int:
    """Print the figures of a run; 1 where the engine failed or a broken one passed."""
    began = time.monotonic()
    points = first(scenarios, seed)
    parts = [_Part(points[at : at + CHUNK], seed) for at in range(0, len(points), CHUNK)]
    each = min(60, max(12, scenarios // 300))
    jobs = [(index, each) for index in range(len(MUTANTS))]
    if processes > 1:
        with get_context("fork").Pool(processes) as pool:
            tallies = pool.map(_told, parts, chunksize=1)
            kills = pool.map(_broken, jobs, chunksize=1)
    else:
        tallies, kills = [_told(part) for part in parts], [_broken(job) for job in jobs]
    total = Tally()
    for tally in tallies:
        total.merge(tally)
    for line in report(total, kills, each):
        print(line)  # noqa: T201 - the figures are what it is run for
    print(f"seconds: {time.monotonic() - began:.0f}, processes: {processes}, seed: {seed}")  # noqa: T201 - as above
    print(figures(total, kills))  # noqa: T201 - as above
    return 0 if total.is_clean and all(kills) else 1


def report(total: Tally, kills: Sequence[int], each: int) -> Iterable[str]:
    """What the one line leaves out."""
    for example in total.examples[:MOST_EXAMPLES]:
        yield f"WRONG: {example}"
    for mutant, count in zip(MUTANTS, kills, strict=True):
        yield f"broken engine: {mutant.name}: caught by {count} of {each} histories"
    yield "outcomes: " + ", ".join(f"{state} {count}" for state, count in sorted(total.states.items()))
    yield f"asked a person: {total.asked_person}; second desks and old journals not noticed: {total.undetected}"
    yield f"orders beyond what was wanted that only a venue's lie about its deadline made: {total.lied_extra}"
    yield f"event chains: {total.chain}"


def figures(total: Tally, kills: Sequence[int]) -> str:
    """The one line."""
    return (
        f"scenarios={total.scenarios} duplicates={total.duplicates} false_absent={total.false_absent}"
        f" stuck={total.stuck} absent_proved={total.absent_proved} lied_found_late={total.lied_found_late}"
        f" mutants={sum(map(bool, kills))}/{len(kills)}"
    )


@contextmanager
def _quietly() -> Generator[None]:
    """The desk's log of histories that are meant to go wrong is nobody's reading."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)
