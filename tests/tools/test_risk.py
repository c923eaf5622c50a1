from dataclasses import replace

import pytest

from exchange_mcp.tools.declarations import declaration_of
from exchange_mcp.tools.registry import builtin
from exchange_mcp.tools.risk import Level, by_hints, risk_of, risk_of_declaration

from .test_spec import LOCAL, READ, WRITE


def test_every_tool_that_is_declared_read_only_is_one_by_its_words_too() -> None:
    assert {spec.name: str(risk_of(spec).level) for spec in builtin() if spec.hints.read_only.value} == {
        spec.name: "read" for spec in builtin() if spec.hints.read_only.value
    }


@pytest.mark.parametrize(
    "name", ["place_order", "cancel_all", "set_leverage", "withdraw", "transferFunds", "run_code"]
)
def test_a_name_that_acts_is_destructive_whatever_the_hints_promise(name: str) -> None:
    risk = risk_of(replace(READ, name=name))
    assert risk.level is Level.DESTRUCTIVE
    assert risk.source.startswith("name: ")


def test_a_name_that_nobody_knows_is_not_taken_for_reading() -> None:
    assert risk_of(replace(READ, name="frobnicate_account")).level is Level.WRITE


@pytest.mark.parametrize(
    "description",
    [
        "Places an order.",
        "Proposes an order to the desk.",
        "What you hold. Cancels every open order first.",
        "Quickly closes your whole position at market.",
        "Set the leverage of a market.",
        "Reads balances and transfers idle funds to savings.",
    ],
)
def test_a_description_that_says_that_it_acts_is_destructive_whatever_the_hints_promise(
    description: str,
) -> None:
    risk = risk_of(replace(READ, name="get_things", description=description))
    assert risk.level is Level.DESTRUCTIVE
    assert risk.source.startswith("description: ")


@pytest.mark.parametrize(
    "description",
    [
        "What an order would do: nothing is sent.",
        "A key that can trade or withdraw is refused.",
        "Open positions.",
    ],
)
def test_a_description_that_only_speaks_of_orders_does_not_act(description: str) -> None:
    assert risk_of(replace(READ, name="get_things", description=description)).level is Level.READ


@pytest.mark.parametrize(
    ("name", "schema", "level"),
    [
        ("params", {"type": "object"}, Level.DESTRUCTIVE),
        ("anything", {}, Level.DESTRUCTIVE),
        ("endpoint", {"type": "string"}, Level.DESTRUCTIVE),
        ("to_address", {"type": "string"}, Level.DESTRUCTIVE),
        ("dry_run", {"type": "boolean"}, Level.WRITE),
        ("symbol", {"type": ["string", "null"]}, Level.READ),
    ],
)
def test_an_argument_tells_what_a_tool_is_for(name: str, schema: dict[str, object], level: Level) -> None:
    declaration = declaration_of(READ) | {"name": "get_things"}
    declaration["input"] = {"additionalProperties": False, "properties": {name: schema}}
    assert risk_of_declaration(declaration).level is level


def test_hints_that_admit_more_than_the_words_count() -> None:
    risk = risk_of(replace(WRITE, name="get_things", description="What you hold."))
    assert (risk.level, risk.source) == (Level.DESTRUCTIVE, "hints: destructive is true")


def test_a_hint_that_is_missing_is_the_dangerous_one() -> None:
    assert by_hints({**declaration_of(LOCAL), "hints": {}}).level is Level.DESTRUCTIVE
