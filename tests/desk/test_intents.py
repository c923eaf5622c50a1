"""The table of intents against DESIGN.md's own drawing, written out here by hand."""

from itertools import product
from pathlib import Path
from typing import Final, get_args

import pytest

from exchange_mcp.desk.diagram import markdown
from exchange_mcp.desk.intents import (
    RESOLUTIONS,
    TRANSITIONS,
    Cause,
    State,
    UnlistedTransitionError,
    checked,
    ends_of,
)
from exchange_mcp.model.outcomes import Action

DOCUMENT: Final = Path(__file__).parents[2] / "docs" / "intents.md"

ANY: Final = {
    "proposed denied denied",
    "proposed declined declined",
    "proposed expired expired",
    "proposed retracted retracted",
    "proposed granted approved",
    "approved lapsed lapsed",
    "approved retracted retracted",
    "approved claimed dispatching",
    "dispatching settled accepted",
    "dispatching settled rejected",
    "dispatching settled not_sent",
    "dispatching settled unknown",
    "dispatching recovered unknown",
    "accepted read_back unknown",
}
OWN: Final[dict[Action, set[str]]] = {
    "place": {
        "accepted read_back placed",
        "unknown reconciled placed",
        "unknown reconciled absent",
        "unknown resolved placed",
        "unknown resolved absent",
        "absent found_late placed",
        "not_sent found_late placed",
        "rejected found_late placed",
    },
    "cancel": {
        "accepted read_back canceled",
        "accepted read_back too_late",
        "unknown reconciled canceled",
        "unknown reconciled too_late",
        "unknown reconciled absent",
        "unknown resolved canceled",
        "unknown resolved too_late",
        "unknown resolved absent",
    },
    "leverage": {
        "accepted read_back set",
        "accepted read_back not_set",
        "unknown reconciled set",
        "unknown reconciled not_set",
        "unknown resolved set",
        "unknown resolved not_set",
    },
}


def listed(action: Action, cause: Cause, start: State, end: State) -> bool:
    try:
        return checked(action, cause, start, end) is end
    except UnlistedTransitionError:
        return False


@pytest.mark.parametrize("action", get_args(Action))
def test_exactly_the_ways_that_the_design_draws_are_open(action: Action) -> None:
    open_ways = {
        f"{start} {cause} {end}"
        for start, cause, end in product(State, Cause, State)
        if listed(action, cause, start, end)
    }
    assert open_ways == ANY | OWN[action]


def test_what_is_not_listed_raises_and_names_both_ends() -> None:
    with pytest.raises(UnlistedTransitionError, match=r"place intent does not go from placed to unknown"):
        checked("place", Cause.RECONCILED, State.PLACED, State.UNKNOWN)


def test_nothing_leads_back_to_where_a_send_is_possible() -> None:
    into = [row.start for row in TRANSITIONS if State.DISPATCHING in row.ends]
    assert into == [State.APPROVED]
    assert [row.start for row in TRANSITIONS if State.APPROVED in row.ends] == [State.PROPOSED]
    assert not [row for row in TRANSITIONS if State.PROPOSED in row.ends]


def test_a_cancel_that_was_proved_not_to_have_happened_is_absent_and_its_order_never_is() -> None:
    assert ends_of("cancel", Cause.RECONCILED, State.UNKNOWN) == {
        State.CANCELED,
        State.TOO_LATE,
        State.ABSENT,
    }


def test_the_page_in_the_documents_is_drawn_from_the_table() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == markdown()


@pytest.mark.parametrize("action", get_args(Action))
def test_what_a_person_is_offered_to_say_of_an_unknown_is_what_the_table_lets_it_be_resolved_to(
    action: Action,
) -> None:
    ends = {end.value for end in ends_of(action, Cause.RESOLVED, State.UNKNOWN)}
    assert set(RESOLUTIONS[action]) <= ends
    # Of a cancel a person says how the order ended (docs/desk.md), and not whether the request was there.
    assert ends - set(RESOLUTIONS[action]) <= {"absent"}
