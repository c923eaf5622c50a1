import copy
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any

import pytest
from pydantic import Field

from exchange_mcp.tools.declarations import declaration_of, digest_of, widened
from exchange_mcp.tools.registry import builtin
from exchange_mcp.tools.spec import Arguments

from .test_spec import LOCAL, WRITE


class Some(Arguments):
    """Arguments of every kind that a tool of ours has."""

    symbol: Annotated[str, Field(max_length=64, pattern=r"^[A-Z]+$")]
    levels: Annotated[int, Field(ge=2, le=50)] = 10
    is_quick: bool = False


BEFORE = json.loads(json.dumps(declaration_of(replace(WRITE, arguments=Some))))
Change = Callable[[dict[str, Any]], None]


def changed(change: Change) -> str | None:
    now = copy.deepcopy(BEFORE)
    change(now)
    return widened(BEFORE, now)


def argument(name: str, **words: object) -> Change:
    def change(declaration: dict[str, Any]) -> None:
        schema = declaration["input"]["properties"].setdefault(name, {})
        for word, value in words.items():
            if value is None:
                schema.pop(word)
            else:
                schema[word] = value

    return change


def part(name: str, value: object) -> Change:
    return lambda declaration: declaration.update({name: value})


def hint(name: str, *, value: bool) -> Change:
    return lambda declaration: declaration["hints"].update({name: value})


WIDER: list[tuple[Change, str]] = [
    (hint("readOnly", value=True), "hint readOnly is true"),
    (hint("destructive", value=False), "hint destructive is false"),
    (hint("idempotent", value=True), "hint idempotent is true"),
    (hint("openWorld", value=False), "hint openWorld is false"),
    (lambda d: d["hints"].pop("destructive"), "hint destructive is null"),
    (part("effect", "read"), "effect is read"),
    (part("name", "b_tool"), "another tool"),
    (part("description", "Places any order."), "description is another one"),
    (part("commitment", "something else"), "commitment is another one"),
    (argument("note", type="string"), "argument note is new"),
    (argument("levels", maximum=51), "maximum is 51"),
    (argument("levels", maximum=None), "maximum is null"),
    (argument("levels", minimum=1), "minimum is 1"),
    (argument("levels", minimum=None), "minimum is null"),
    (argument("levels", type=["integer", "null"]), 'takes "null" as well'),
    (argument("levels", default=20), "default is another one"),
    (argument("levels", type=None), "its type is open"),
    (argument("is_quick", default=True), "default is another one"),
    (argument("symbol", maxLength=65), "maxLength is 65"),
    (argument("symbol", pattern="^.*$"), "pattern is another one"),
    (argument("symbol", pattern=None), "pattern is another one"),
    (argument("symbol", description="also a wallet"), "description is another one"),
    (lambda d: d["input"].update(required=[]), "symbol is not required any more"),
    (lambda d: d["input"].pop("required"), "symbol is not required any more"),
    (lambda d: d["input"].update(additionalProperties=True), "unknown ones are taken"),
    (lambda d: d["input"].pop("additionalProperties"), "unknown ones are taken"),
    (part("input", "none"), "unknown ones are taken"),
]
NARROWER: list[Change] = [
    lambda _: None,
    argument("levels", maximum=49, minimum=3),
    argument("symbol", maxLength=63),
    argument("symbol", minLength=1),
    lambda d: d["input"]["properties"].pop("levels"),
    lambda d: d["input"].update(required=["symbol", "levels"]),
    part("title", "Another title"),
    part("output", {}),
]


@pytest.mark.parametrize(("change", "said"), WIDER)
def test_whatever_a_declaration_takes_or_promises_beyond_the_one_before_is_named(
    change: Change, said: str
) -> None:
    assert said in (changed(change) or "")


@pytest.mark.parametrize("change", NARROWER)
def test_what_is_narrower_or_about_the_answer_alone_is_no_widening(change: Change) -> None:
    assert changed(change) is None


def test_a_choice_that_is_added_is_named_and_one_that_is_taken_away_is_not() -> None:
    few, more = declaration_of(LOCAL), declaration_of(LOCAL)
    few["input"]["properties"] = {"side": {"enum": ["buy"]}}
    more["input"]["properties"] = {"side": {"enum": ["buy", "sell"]}}
    assert widened(few, more) == 'argument side: takes "sell" as well'
    assert widened(more, few) is None


def test_arguments_of_any_name_are_wider_where_they_take_another_form_or_what_was_described() -> None:
    def taking(rest: object, **properties: object) -> dict[str, Any]:
        schema = {"type": "object", "properties": properties, "additionalProperties": rest}
        return {**BEFORE, "input": schema}

    text, number = {"type": "string"}, {"type": "integer"}
    assert widened(taking(text), taking(number)) == "its arguments: unknown ones are taken"
    assert widened(taking(text), taking({})) == "its arguments: unknown ones are taken"
    assert widened(taking(text, side=number), taking(text)) == "argument side takes whatever is given"
    assert widened(taking(text, side=number), taking(text, side=number)) is None
    assert widened(taking(text), taking(text)) is None


def test_every_tool_has_a_digest_of_its_own_that_a_journal_can_give_back() -> None:
    declarations = [declaration_of(spec) for spec in builtin()]
    digests = [digest_of(each) for each in declarations]
    assert len(set(digests)) == len(digests)
    assert [digest_of(json.loads(json.dumps(each))) for each in declarations] == digests


def test_what_a_client_is_shown_of_a_tool_changes_its_digest() -> None:
    before = digest_of(declaration_of(LOCAL))
    for other in (
        replace(LOCAL, description="Other."),
        replace(LOCAL, title="Other"),
        replace(LOCAL, arguments=Some),
    ):
        assert digest_of(declaration_of(other)) != before
