from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from exchange_mcp.model.effects import Effect
from exchange_mcp.model.frozen import Record
from exchange_mcp.tools.handed import LocalHanded
from exchange_mcp.tools.spec import Arguments, Hint, Hints, ToolSpec, local_hints, read_hints


class NoArguments(Arguments):
    """Nothing."""


class LooseArguments(Arguments):
    """An input that would drop what it does not know."""

    model_config = ConfigDict(extra="ignore")


async def nothing(_: NoArguments, __: LocalHanded) -> Record:
    return Record()


LOCAL = ToolSpec(
    name="a_tool",
    title="A tool",
    description="What it answers.",
    arguments=NoArguments,
    data=Record,
    effect=Effect.LOCAL,
    hints=local_hints(read_only="It reads.", idempotent="It repeats."),
    commitment="nothing",
    handler=nothing,
)
READ = replace(LOCAL, effect=Effect.READ, hints=read_hints(idempotent="It repeats."))
WRITE_HINTS = Hints(
    read_only=Hint(value=False, reason="It acts."),
    destructive=Hint(value=True, reason="It cannot be undone."),
    idempotent=Hint(value=False, reason="A repeat acts again."),
    open_world=Hint(value=True, reason="It acts at an exchange."),
)
WRITE = replace(LOCAL, effect=Effect.WRITE, hints=WRITE_HINTS)


@pytest.mark.parametrize("spec", [LOCAL, READ, WRITE], ids=["local", "read", "write"])
def test_a_sound_declaration_of_each_effect_has_no_fault(spec: ToolSpec) -> None:
    assert spec.faults() == ()


FAULTY: Mapping[str, tuple[ToolSpec, dict[str, Any], str]] = {
    "camel case": (LOCAL, {"name": "aTool"}, "its name is not lower_snake_case of 3 to 48 letters"),
    "a digit": (LOCAL, {"name": "tool_2"}, "its name is not lower_snake_case of 3 to 48 letters"),
    "too short": (LOCAL, {"name": "ab"}, "its name is not lower_snake_case of 3 to 48 letters"),
    "too long": (LOCAL, {"name": "a" * 49}, "its name is not lower_snake_case of 3 to 48 letters"),
    "no title": (LOCAL, {"title": ""}, "it lacks a title or a description"),
    "no description": (LOCAL, {"description": ""}, "it lacks a title or a description"),
    "no commitment": (LOCAL, {"commitment": ""}, "it lacks its commitment"),
    "a commitment with a full stop": (LOCAL, {"commitment": "nothing."}, "it lacks its commitment"),
    "a hint without its reason": (
        LOCAL,
        {"hints": local_hints(read_only="", idempotent="It repeats.")},
        "a hint lacks its reason, one sentence",
    ),
    "a write that claims to be read-only": (
        WRITE,
        {
            "hints": replace(
                WRITE_HINTS,
                read_only=Hint(value=True, reason="It lies."),
                destructive=Hint(value=False, reason="It lies."),
            )
        },
        "a write tool is declared read-only",
    ),
    "a read that is not read-only": (
        READ,
        {"hints": replace(READ.hints, read_only=Hint(value=False, reason="It is modest."))},
        "a read tool is not declared read-only",
    ),
    "read-only and destructive": (
        LOCAL,
        {"hints": replace(LOCAL.hints, destructive=Hint(value=True, reason="It lies."))},
        "a read-only tool cannot be destructive",
    ),
    "a local tool in an open world": (
        LOCAL,
        {"hints": replace(LOCAL.hints, open_world=Hint(value=True, reason="It lies."))},
        "open-world hint and effect disagree",
    ),
    "a read tool in a closed world": (
        READ,
        {"hints": replace(READ.hints, open_world=Hint(value=False, reason="It lies."))},
        "open-world hint and effect disagree",
    ),
    "loose arguments": (LOCAL, {"arguments": LooseArguments}, "it accepts unknown arguments"),
}


@pytest.mark.parametrize(("sound", "change", "fault"), FAULTY.values(), ids=FAULTY)
def test_each_fault_of_a_declaration_is_named(sound: ToolSpec, change: dict[str, Any], fault: str) -> None:
    faulty = replace(sound, **change)
    assert faulty.faults() == (f"{faulty.name}: {fault}",)


def test_every_input_is_strict_and_frozen_by_inheritance() -> None:
    assert issubclass(Arguments, BaseModel)
    assert Arguments.model_config == {"extra": "forbid", "frozen": True, "strict": True}
