"""How much a tool can do, judged twice: by its hints, and by its name, description and arguments as if it had none.

The second judgement trusts no hint. It can be fooled by somebody who wants to fool it; what it is for is the tool
whose hints were copied from another one, or forgotten. The riskier judgement counts.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Final, cast

from exchange_mcp.tools.declarations import Declaration, declaration_of

if TYPE_CHECKING:
    from exchange_mcp.tools.spec import ToolSpec


class Level(IntEnum):
    """What a call can do at most: tell, change something that can be changed back, or act for good."""

    READ = 0
    WRITE = 1
    DESTRUCTIVE = 2

    def __str__(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Risk:
    """A level, and what in the declaration says so."""

    level: Level
    source: str


# The first word of a name is its verb.
_READING_VERBS: Final = frozenset(
    {"get", "list", "find", "read", "show", "search", "describe", "explain", "preview", "calculate", "count"}
    | {"fetch", "check", "compare", "estimate", "verify"}
)
_ACTING_VERBS: Final = frozenset(
    {"place", "create", "submit", "send", "post", "buy", "sell", "open", "close", "cancel", "amend", "edit"}
    | {
        "modify",
        "replace",
        "set",
        "change",
        "adjust",
        "execute",
        "run",
        "trade",
        "swap",
        "convert",
        "liquidate",
    }
    | {
        "withdraw",
        "transfer",
        "deposit",
        "move",
        "pay",
        "borrow",
        "repay",
        "lend",
        "stake",
        "redeem",
        "delete",
    }
    | {"remove", "revoke", "approve", "grant", "sign", "resume", "call", "request", "batch", "bulk"}
)

# What a sentence says that a tool does: a verb that opens it, bare or in the third person, or in the third person
# anywhere before a thing of the trade.
_THINGS: Final = r"(?:orders?|positions?|leverage|trades?|funds?|money|coins?|balances?|margin|assets?)"
_DOES: Final = (
    r"(?:plac|creat|submit|send|post|buy|sell|open|clos|cancel|amend|edit|modif|replac|set|chang|adjust|execut|trad"
    r"|swap|convert|liquidat|withdraw|transfer|mov|pay|borrow|repay|delet|remov|propos)"
)
_OPENING: Final = re.compile(
    rf"(?:^|[.:;]\s+)({_DOES}(?:e|es|s|y|ies)?)\s+(?:an?|the|one|all|every|your|this|its|money|funds?|leverage)\b",
    re.IGNORECASE,
)
_ANYWHERE: Final = re.compile(
    rf"(?<!not )(?<!never )\b({_DOES}(?:es|s|ies))\s+(?:\w+\s+){{0,3}}{_THINGS}\b", re.IGNORECASE
)
_RETRACTING: Final = re.compile(
    r"(?:^|[.:;]\s+)(takes? back|retracts?|updates?|adds?|stores?|marks?)\b", re.IGNORECASE
)

_FREE_FORM: Final = re.compile(
    r"^(params?|parameters|options|extra|payload|body|headers?|endpoint|url|path|method)$"
)
_ADDRESSED: Final = re.compile(r"(^|_)(address|destination|recipient|beneficiary|iban)(_|$)")
_CONFIRMED: Final = re.compile(
    r"^(confirm(ed)?|force|dry_run|distinct_from|idempotency_key|client_order_id)$"
)


def risk_of(spec: "ToolSpec") -> Risk:
    """What the tool can do at most, by the riskier of both judgements; by its hints where they agree."""
    return risk_of_declaration(declaration_of(spec))


def risk_of_declaration(declaration: Declaration) -> Risk:
    """The same, of a declaration as it was recorded."""
    judged = [by_hints(declaration), *_by_words(declaration)]
    return max(judged, key=lambda risk: risk.level)  # the first of equals: the hints


def by_hints(declaration: Declaration) -> Risk:
    """By the hints and the effect alone; a hint that is missing is the dangerous one, as MCP has it.

    Source: MCP specification 2025-11-25, schema, ToolAnnotations.
    """
    hints = cast("Mapping[str, object]", declaration.get("hints") or {})
    if hints.get("readOnly") is True:
        return Risk(Level.READ, "hints: readOnly is true")
    if hints.get("destructive") is False:
        return Risk(Level.WRITE, "hints: readOnly is false, destructive is false")
    return Risk(Level.DESTRUCTIVE, "hints: destructive is true")


def _by_words(declaration: Declaration) -> Iterator[Risk]:
    yield _by_name(str(declaration.get("name", "")))
    yield from _by_description(str(declaration.get("description", "")))
    yield from _by_arguments(cast("Mapping[str, Any]", declaration.get("input") or {}))


def _by_name(name: str) -> Risk:
    verb = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().partition("_")[0]
    if verb in _ACTING_VERBS:
        return Risk(Level.DESTRUCTIVE, f"name: {verb!r} acts")
    if verb in _READING_VERBS:
        return Risk(Level.READ, f"name: {verb!r} reads")
    return Risk(Level.WRITE, f"name: {verb!r} is not known to read only")


def _by_description(description: str) -> Iterator[Risk]:
    for pattern, level in (
        (_OPENING, Level.DESTRUCTIVE),
        (_ANYWHERE, Level.DESTRUCTIVE),
        (_RETRACTING, Level.WRITE),
    ):
        found = pattern.search(description)
        if found:
            yield Risk(level, f"description: {found.group(1).lower()!r}")


def _by_arguments(schema: Mapping[str, Any]) -> Iterator[Risk]:
    if schema.get("additionalProperties", True) is not False:
        yield Risk(Level.DESTRUCTIVE, "arguments: unknown ones are taken")
    for name, argument in cast("Mapping[str, Mapping[str, Any]]", schema.get("properties") or {}).items():
        kinds = argument.get("type", "object")
        if "object" in ([kinds] if isinstance(kinds, str) else kinds) or _FREE_FORM.search(name):
            yield Risk(Level.DESTRUCTIVE, f"arguments: {name!r} is of free form")
        elif _ADDRESSED.search(name):
            yield Risk(Level.DESTRUCTIVE, f"arguments: {name!r} says where something goes")
        elif _CONFIRMED.search(name):
            yield Risk(Level.WRITE, f"arguments: {name!r} makes sense for what acts")
