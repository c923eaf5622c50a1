"""Test cards: those that ship are whole, and run at a desk of the simulated exchange; what fails is said to fail."""

import json
import re
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import pytest

from exchange_mcp.cli.card_files import Card, Criterion, Step, cards
from exchange_mcp.cli.card_run import events_judged, judged
from exchange_mcp.cli.cards import ABSENCE_RESTS_ON, shows_absence
from whole_desk.desk import TOML, WholeDesk, whole_desk

from .launching import asked

ROOT: Final = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def desk() -> Generator[WholeDesk]:
    limits = TOML.replace('"BTC/USDT:USDT",', '"BTC/USDT:USDT", "SOL/USDT:USDT",')
    with whole_desk(toml=limits) as made:
        made.start()
        yield made


@pytest.fixture(scope="module")
def ran(desk: WholeDesk) -> dict[str, Any]:
    """The results of every card, by its id."""
    done = asked("cards", "run", "--account", "main", "--json", environ=desk.environ)
    assert done.exit_code == 0, done.stderr
    return {each["card"]: each for each in json.loads(done.stdout)["results"]}


def test_there_is_a_card_for_everything_that_was_never_tried() -> None:
    assert {card.id for card in cards()} == {
        *("order-place", "order-cancel", "leverage", "post-only", "reduce-only"),
        *("visibility-lag", "client-id-lookup", "deadline-refusal"),
    }


@pytest.mark.parametrize("card", cards(), ids=lambda card: card.id)
def test_a_card_says_all_that_a_person_needs(card: Card) -> None:
    assert card.prerequisites
    assert card.skip_when
    assert card.criteria
    assert (card.not_run_because is None) is bool(card.steps)
    names = [step.name for step in card.steps]
    assert len(set(names)) == len(names)
    for step in card.steps:
        assert step.expect
        assert step.of is None or names.index(step.of) < names.index(step.name)
    if card.steps:
        assert {criterion.step for criterion in card.criteria} <= set(names)


def test_the_page_of_the_cards_lists_each_of_them() -> None:
    page = (ROOT / "docs" / "cards" / "README.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^\| \[([a-z-]+)\]\(\1\.toml\) \|", page, re.MULTILINE)) == [
        card.id for card in cards()
    ]


def test_every_card_that_can_be_run_passes_on_the_simulated_exchange(ran: dict[str, Any]) -> None:
    assert set(ran) == {card.id for card in cards() if card.not_run_because is None}
    failed = {name: each["criteria"] for name, each in ran.items() if not each["passed"]}
    assert not failed


def test_each_step_was_a_write_of_the_desks(ran: dict[str, Any], desk: WholeDesk) -> None:
    assert ran
    placed = [step for card in cards() for step in card.steps if step.action == "place"]
    assert len(desk.placed()) == len(placed)


def test_results_are_kept_with_what_was_seen_and_shown_with_the_card(
    ran: dict[str, Any], desk: WholeDesk
) -> None:
    done = asked("cards", "show", "visibility-lag", "--json", environ=desk.environ)
    (result,) = json.loads(done.stdout)["results"]
    assert result == ran["visibility-lag"]
    assert (result["environment"], result["venue"]) == ("sim", "binance")
    assert "shown after" in result["criteria"]["first-is-shown"]["seen"]
    shown = asked("cards", "show", "visibility-lag", environ=desk.environ).stdout
    assert "result         passed at " in shown


def test_an_event_that_was_expected_and_did_not_come_is_a_criterion_that_fails(
    ran: dict[str, Any], desk: WholeDesk
) -> None:
    assert ran["leverage"]["criteria"]["log-of-four"] == {"holds": True, "seen": "all of them"}
    with desk.operator() as client:
        intent = next(each for each in client.intents().intents if each.action == "leverage")
        detail = client.intent(intent.id)
    step = next(card for card in cards() if card.id == "leverage").steps[0]
    unexpected = step.model_copy(update={"expect": ("settled", "claimed")})
    judgement = events_judged(unexpected, detail)
    assert (judgement.holds, judgement.seen) == (False, "missing: claimed")


def test_it_says_which_card_was_not_run_and_why(desk: WholeDesk) -> None:
    done = asked("cards", "run", "deadline-refusal", "--account", "main", environ=desk.environ)
    assert done.exit_code == 0
    assert "not run" in done.stdout
    assert "signs nothing that it would send too late" in done.stdout


def test_a_limit_that_denies_a_step_fails_the_card(desk: WholeDesk) -> None:
    text = desk.places.desk_file.read_text(encoding="utf-8")
    narrow = text.replace('"SOL/USDT:USDT", ', "")
    desk.places.desk_file.write_text(narrow, encoding="utf-8")
    desk.reload()
    desk.until(lambda status: status.closed is not None)
    desk.accept()
    desk.until(lambda status: status.closed is None and status.accounts[0].closed is None)
    done = asked("cards", "run", "leverage", "--account", "main", environ=desk.environ)
    assert done.exit_code == 1
    assert "FAIL" in done.stdout


def test_machine_absence_rests_on_three_cards_at_that_very_venue_and_environment() -> None:
    def record(card: str, *, passed: bool = True, environment: str = "live") -> dict[str, Any]:
        return {"card": card, "passed": passed, "venue": "binance", "environment": environment}

    every = [record(card) for card in ABSENCE_RESTS_ON]
    assert shows_absence(every, venue="binance", environment="live")
    assert not shows_absence(every[1:], venue="binance", environment="live")
    assert not shows_absence(every, venue="binance", environment="sandbox")
    assert not shows_absence(
        [*every, record("visibility-lag", passed=False)], venue="binance", environment="live"
    )
    assert set(ABSENCE_RESTS_ON) <= {card.id for card in cards()}


def test_a_criterion_whose_step_was_not_taken_does_not_hold() -> None:
    criterion = Criterion(id="is-placed", says="The order is placed.", step="rests", state="placed")
    assert not judged(criterion, None).holds


def test_a_card_with_a_member_too_many_is_none() -> None:
    with pytest.raises(ValueError, match="surprise"):
        Step.model_validate({"name": "rests", "surprise": 1})
