"""A tool's declaration: its name, what it takes and gives, what it may do, and why each hint is true."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from exchange_mcp.model.callers import Scope
from exchange_mcp.model.effects import Effect
from exchange_mcp.model.frozen import Record

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

NAME: Final = re.compile(r"^[a-z][a-z_]{2,47}$")


class Arguments(Record):
    """The root of every tool's input: unknown arguments and coerced types are errors."""


@dataclass(frozen=True, slots=True)
class Hint:
    """One MCP annotation hint and the sentence that makes it true."""

    value: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Hints:
    """The four hints of MCP's ToolAnnotations, all set.

    Source: MCP specification 2025-11-25, schema, ToolAnnotations.
    """

    read_only: Hint
    destructive: Hint
    idempotent: Hint
    open_world: Hint


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool.

    Attributes:
        description: what it answers, for the model; the commitment is appended to it on the wire.
        arguments, data: the input model, and the model of `data` in the answer's envelope.
        commitment: what a call leaves behind that the four hints cannot say, or "nothing".
        handler: called with a validated `arguments` and what the effect entitles it to (`handed`).
        deadline_seconds: the tool's own deadline; None takes the server's.
        asks_desk: whether a tool of effect local is answered from the desk's records, and not from this process alone.
    """

    name: str
    title: str
    description: str
    arguments: type[Arguments]
    data: type[Record]
    effect: Effect
    hints: Hints
    commitment: str
    # Each handler takes its own types of both; who calls it pairs them by `arguments` and `effect`.
    handler: "Callable[[Any, Any], Awaitable[Record]]"
    deadline_seconds: float | None = None
    asks_desk: bool = False

    @property
    def scope(self) -> Scope:
        """What a client has to be allowed in order to see and to call it: whatever is not read-only needs trade."""
        is_reading = self.hints.read_only.value and self.effect is not Effect.WRITE
        return Scope.READ if is_reading else Scope.TRADE

    def faults(self) -> tuple[str, ...]:
        """What is wrong with this declaration, a sentence each; empty where it may be served."""
        hints = self.hints
        every = (hints.read_only, hints.destructive, hints.idempotent, hints.open_world)
        rules = (
            (bool(NAME.fullmatch(self.name)), "its name is not lower_snake_case of 3 to 48 letters"),
            (bool(self.title and self.description), "it lacks a title or a description"),
            (all(hint.reason.endswith(".") for hint in every), "a hint lacks its reason, one sentence"),
            (bool(self.commitment) and not self.commitment.endswith("."), "it lacks its commitment"),
            (
                hints.read_only.value <= (self.effect is not Effect.WRITE),
                "a write tool is declared read-only",
            ),
            (
                hints.read_only.value or self.effect is not Effect.READ,
                "a read tool is not declared read-only",
            ),
            (
                not (hints.read_only.value and hints.destructive.value),
                "a read-only tool cannot be destructive",
            ),
            (
                hints.open_world.value == (self.effect is not Effect.LOCAL),
                "open-world hint and effect disagree",
            ),
            (
                not self.asks_desk or self.effect is Effect.LOCAL,
                "it is answered from the desk's records and yet not local",
            ),
            (self.arguments.model_config.get("extra") == "forbid", "it accepts unknown arguments"),
        )
        return tuple(f"{self.name}: {fault}" for holds, fault in rules if not holds)


_LOCAL_REASON: Final = "It is answered from this process alone; no venue is asked."
_READ_REASON: Final = "Its handler is handed read-only venues, which have no member that writes."


def local_hints(*, read_only: str, idempotent: str) -> Hints:
    """The hints of a tool that only reads this process's own state, with its reasons."""
    return Hints(
        read_only=Hint(value=True, reason=read_only),
        destructive=Hint(value=False, reason="It changes nothing."),
        idempotent=Hint(value=True, reason=idempotent),
        open_world=Hint(value=False, reason=_LOCAL_REASON),
    )


def read_hints(*, idempotent: str) -> Hints:
    """The hints of a tool that reads venues."""
    return Hints(
        read_only=Hint(value=True, reason=_READ_REASON),
        destructive=Hint(value=False, reason="It changes nothing at the venue."),
        idempotent=Hint(value=True, reason=idempotent),
        open_world=Hint(value=True, reason="It asks exchanges over the network."),
    )
