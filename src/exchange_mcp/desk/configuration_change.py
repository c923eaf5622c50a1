"""What is different between two texts of `desk.toml`, in words: what became more permissive first, then line by line.

Whoever accepts a configuration signs its digest; this is what is read before. Nothing here decides anything.
"""

import difflib
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Final, cast

from exchange_mcp.config.desk_tables import ConsoleTable, DeskTable
from exchange_mcp.config.schema import CacheTable, KeysTable, LogTable, Table
from exchange_mcp.desk.policy_change import policy_changes
from exchange_mcp.model.decimals import INPUT_PATTERN
from exchange_mcp.model.venue_text import visible
from exchange_mcp.policy.document import plain_decimal
from exchange_mcp.policy.loading import judge_policy
from exchange_mcp.policy.policy import Policy


class Direction(StrEnum):
    """Whether a change lets more happen; what cannot be told counts as more."""

    MORE = "More permissive:"
    LESS = "Stricter:"
    OTHER = "Otherwise different:"


@dataclass(frozen=True, slots=True)
class Change:
    """One change in words."""

    direction: Direction
    sentence: str


Document = Mapping[str, object]

# Larger numbers let more happen or wait longer; of a truth, true does.
_WIDER: Final = frozenset(
    {
        ("desk", "expires_seconds"),
        ("desk", "grant_seconds"),
        ("desk", "scripted_approver"),
        ("console", "type_above"),
        ("keys", "check_seconds"),
        ("keys", "grace_seconds"),
    }
)
_HARMLESS: Final = frozenset(
    {("log", "format"), ("log", "level"), ("cache", "directory"), ("console", "port")}
)
_ACCEPTANCES: Final = ("accept_unverified", "may_transfer", "accept_unmatched")
_MODELS: Final[Mapping[str, type[Table]]] = {
    "desk": DeskTable,
    "console": ConsoleTable,
    "keys": KeysTable,
    "log": LogTable,
    "cache": CacheTable,
}
_NUMBER: Final = re.compile(INPUT_PATTERN)


def configuration_difference(before: str | None, now: str) -> tuple[str, ...]:
    """What an approver reads before signing `now`, a line each; every invisible character is spelled out.

    Args:
        before: the text that was accepted last; None where none was.
        now: the text as it stands. Of a text with faults, what changed is told by its lines.
    """
    if before == now:
        return ("Nothing is different.",)
    if before is None:
        return ("Nothing was accepted before. The whole file is new:", "", *_diff("", now))
    changes = list(_changes(before, now))
    lines: list[str] = []
    for direction in Direction:
        said = [
            f"  {visible(each.sentence, len(each.sentence))}"
            for each in changes
            if each.direction is direction
        ]
        lines += [direction.value, *said, ""] if said else []
    if not changes:
        lines += ["What is decided by it is the same; comments, order or spaces are different.", ""]
    return (*lines, *_diff(before, now))


def _diff(before: str, now: str) -> Iterator[str]:
    # Split at line feeds alone: whatever else breaks lines is shown as what it is.
    old, new = before.split("\n"), now.split("\n")
    for line in difflib.unified_diff(old, new, "accepted", "now", lineterm=""):
        yield visible(line, len(line))


def _changes(before: str, now: str) -> Iterator[Change]:
    old, new = _document(before), _document(now)
    if old is None or new is None:
        yield Change(Direction.MORE, "one of the two is not TOML: read the lines below")
        return
    yield from _policy_changes(old, new)
    yield from _account_changes(_table(old, "accounts"), _table(new, "accounts"))
    for name in _MODELS:
        yield from _setting_changes(name, _table(old, name), _table(new, name))
    for name in sorted((old.keys() ^ new.keys()) - {*_MODELS, "accounts", "policy"}):
        yield Change(Direction.MORE, f"{name}: was added or removed")


def _policy_changes(old: Document, new: Document) -> Iterator[Change]:
    before, now = (judge_policy(each.get("policy"), configured=None) for each in (old, new))
    if not isinstance(before, Policy) or not isinstance(now, Policy):
        if old.get("policy") != new.get("policy"):
            yield Change(
                Direction.MORE, "the policy changed in a way that cannot be told: read the lines below"
            )
        return
    for is_more, sentence in policy_changes(before, now):
        yield Change(Direction.MORE if is_more else Direction.LESS, sentence)


def _account_changes(old: Document, new: Document) -> Iterator[Change]:
    for name in (name for name in new if name not in old):
        yield Change(Direction.MORE, f"account {name} is added: {_described(_table(new, name))}")
    for name in (name for name in old if name not in new):
        yield Change(Direction.LESS, f"account {name} is removed")
    for name in (name for name in new if name in old and new[name] != old[name]):
        yield from _within_account(name, _table(old, name), _table(new, name))


def _within_account(name: str, old: Document, new: Document) -> Iterator[Change]:
    for key in (key for key in (*new, *(k for k in old if k not in new)) if old.get(key) != new.get(key)):
        if key in _ACCEPTANCES and key not in new:
            yield Change(Direction.LESS, f"account {name}: {key} is no longer accepted")
        elif key in _ACCEPTANCES:
            yield Change(Direction.MORE, f"account {name}: {key} is accepted, because: {new[key]}")
        elif key in {"key", "sim_key", "rendezvous"}:
            yield Change(Direction.MORE, f"account {name} uses another key: {key} changed")
        else:
            sentence = f"account {name}: {key} is {_said(new.get(key))}, and was {_said(old.get(key))}"
            yield Change(Direction.MORE, sentence)


def _setting_changes(table: str, old: Document, new: Document) -> Iterator[Change]:
    for key in (key for key in (*new, *(k for k in old if k not in new)) if old.get(key) != new.get(key)):
        sentence = f"{key} of [{table}] is {_said(new.get(key))}, and was {_said(old.get(key))}"
        yield Change(_direction(table, key, old.get(key), new.get(key)), sentence)


def _direction(table: str, key: str, old: object, new: object) -> Direction:
    if (table, key) in _HARMLESS:
        return Direction.OTHER
    if (table, key) == ("desk", "proposal_group") and new is None:
        return Direction.LESS
    before, after = (_number(table, key, value) for value in (old, new))
    if (table, key) in _WIDER and before is not None and after is not None:
        return Direction.MORE if after > before else Direction.LESS
    return Direction.MORE


def _number(table: str, key: str, value: object) -> Decimal | None:
    """The value, or the one that counts where nothing is stated, as a number."""
    model = _MODELS[table].model_fields
    stated = model[key].default if value is None and key in model else value
    match stated:
        case bool() | int() | Decimal():
            return Decimal(stated)
        case float():
            return Decimal(str(stated))
        case str() if _NUMBER.fullmatch(stated):
            return Decimal(stated)
        case _:
            return None


def _described(account: Document) -> str:
    return ", ".join(_said(account.get(key)) for key in ("venue", "environment") if key in account)


def _said(value: object) -> str:
    if value is None:
        return "not stated"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ", ".join(_said(each) for each in cast("list[object]", value)) or "empty"
    return str(value)


def _document(text: str) -> Document | None:
    try:
        return tomllib.loads(text, parse_float=plain_decimal)
    except (ValueError, RecursionError):
        return None


def _table(document: Document, name: str) -> Document:
    inner = document.get(name)
    return cast("Document", inner) if isinstance(inner, dict) else {}
