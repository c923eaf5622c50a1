"""The engine against the grid, in virtual time, and broken engines against the parts of it where they show."""

from dataclasses import replace

import pytest

from simulation.figures import figures, history, killed, report, run, simulated
from simulation.grid import AXES, Again, Asks, Crash, Halt, Kind, Lookups, Others, Scenario, first
from simulation.mutants import MUTANTS, Mutant
from simulation.shelf import Shelf
from simulation.story import Story
from simulation.tally import judged
from simulation.world import Fate

HISTORIES = 250
HISTORIES_A_MUTANT = 6
SEED = 1

PLAIN = Scenario(
    number=0,
    fate=Fate.ACCEPTED,
    asks=Asks.ONCE,
    crash=Crash.NEVER,
    again=Again.NEVER,
    lookups=Lookups.WORK,
    others=Others.NONE,
    kind=Kind.LIMIT,
    halt=Halt.NEVER,
    transit_s=0.02,
    lag_s=0.0,
    late="soon",
    lies=False,
    stall_s=0.0,
    clock_ms=0,
)


def test_no_history_ends_in_a_duplicate_a_false_absence_or_a_dead_end() -> None:
    tally = simulated(first(HISTORIES, SEED), SEED)
    assert not tally.examples
    assert tally.is_clean
    assert tally.scenarios == HISTORIES
    # A grid that proved nothing absent, placed nothing or asked nobody would show nothing.
    assert tally.absent_proved > HISTORIES // 20
    assert tally.states["placed"] > HISTORIES // 10
    assert tally.asked_person > 0


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_broken_engine_is_caught_by_orders_at_the_venue_or_a_false_absence(mutant: Mutant) -> None:
    assert killed(mutant, HISTORIES_A_MUTANT) > 0


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_the_engine_as_it_is_passes_where_a_broken_one_is_caught(mutant: Mutant) -> None:
    points = [mutant.placed(scenario) for scenario in first(HISTORIES_A_MUTANT, 5)]
    assert not simulated(points, 5).examples


def test_every_broken_engine_that_the_design_names_is_there_and_is_whole_again_afterwards() -> None:
    names = {mutant.name for mutant in MUTANTS}
    assert len(names) == len(MUTANTS) == 15
    for mutant in MUTANTS:
        seams = mutant.seams()
        before = [getattr(owner, name) for owner, name, _ in seams]
        with mutant.broken():
            assert [getattr(owner, name) for owner, name, _ in seams] != before
        assert [getattr(owner, name) for owner, name, _ in seams] == before


def test_the_same_seed_makes_the_same_event_chains_and_another_seed_others() -> None:
    points = first(12, 2)
    chains = [simulated(points, seed).chain for seed in (2, 2, 3)]
    assert chains[0] == chains[1] != chains[2]


def test_every_value_of_every_axis_is_among_the_histories_that_a_test_run_tells() -> None:
    points = first(HISTORIES, SEED)
    for axis, values in AXES:
        assert {getattr(point, axis) for point in points} == set(values)


@pytest.mark.parametrize("lookups", [Lookups.WORK, Lookups.OUTAGE, Lookups.LONG_OUTAGE, Lookups.BLIND])
@pytest.mark.parametrize("fate", [Fate.LOST, Fate.REFUSED_LOST, Fate.REFUSED_5XX, Fate.LATE])
def test_where_every_condition_of_the_proof_holds_an_unknown_ends_absent_without_a_person(
    fate: Fate, lookups: Lookups
) -> None:
    for crash in (Crash.NEVER, Crash.SENT, Crash.AFTER_LOOK):
        verdict = history(replace(PLAIN, fate=fate, lookups=lookups, crash=crash, late="minutes"), SEED)
        assert verdict.states == {"absent": 1}, verdict
        assert not verdict.stuck


@pytest.mark.parametrize("again", Again)
@pytest.mark.parametrize("crash", [crash for crash in Crash if crash is not Crash.NEVER])
def test_the_desk_dies_where_a_scenario_says_so_and_nothing_is_sent_twice(crash: Crash, again: Again) -> None:
    # An answer that is lost and a market order: a second send would be filled a second time.
    scenario = replace(
        PLAIN, fate=Fate.ACCEPTED_LOST, kind=Kind.MARKET, crash=crash, again=again, asks=Asks.SAME
    )
    if crash is Crash.AFTER_C4:
        scenario = replace(scenario, transit_s=4.0)
    shelf = Shelf()
    story = Story(scenario, "crash", shelf)
    story.loop.run_history(story.tell())
    verdict = judged(story)
    assert story.crashes == [1, 2][again is not Again.NEVER] or again is Again.AFTER_LOOK
    assert verdict.duplicates == verdict.false_absent == verdict.stuck == 0
    assert story.world.sends <= 1
    shelf.close()


@pytest.mark.parametrize("late", ["soon", "minutes", "hours"])
def test_a_venue_that_takes_a_request_after_its_deadline_is_found_out_and_the_account_halts(
    late: str,
) -> None:
    shelf = Shelf()
    story = Story(replace(PLAIN, fate=Fate.LATE, late=late, lies=True), "late", shelf)
    story.loop.run_history(story.tell())
    assert judged(story).lied_found_late == 1
    (journal,) = shelf.journals()
    assert journal.halts()
    shelf.close()


@pytest.mark.parametrize("others", [Others.CLONE, Others.OTHER_DESK, Others.RESTORED, Others.RESTORED_LATER])
def test_a_second_desk_or_an_old_journal_on_the_key_is_noticed_and_sends_nothing(others: Others) -> None:
    for asks in (Asks.SAME, Asks.MOVED, Asks.ANSWER_LOST):
        verdict = history(replace(PLAIN, others=others, asks=asks), SEED)
        assert verdict.undetected == verdict.duplicates == 0
        assert verdict.states["placed"] + verdict.states["lapsed"] >= 1


def test_a_deliberate_second_order_that_names_the_first_is_placed() -> None:
    shelf = Shelf()
    story = Story(replace(PLAIN, asks=Asks.SECOND), "second", shelf)
    story.loop.run_history(story.tell())
    assert story.wanted == 2
    assert sum(not order.is_by_hand for order in story.world.orders) == 2
    shelf.close()


def test_the_figures_end_in_one_line_and_a_failure_is_told_by_the_exit_code(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simulation.figures.MUTANTS", MUTANTS[:1])
    assert run(12, SEED) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("scenarios=12 duplicates=0 false_absent=0 stuck=0 absent_proved=")
    assert last.endswith(" mutants=1/1")
    with MUTANTS[2].broken():
        assert run(12, SEED) == 1
    tally = simulated(first(5, SEED), SEED)
    assert "mutants=0/1" in figures(tally, [0])
    assert list(report(tally, [0], 8))
