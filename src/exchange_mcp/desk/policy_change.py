"""Which changes of a policy let more happen, and which less? In words, scope by scope and limit by limit.

A limit states nothing where it is left out, and what no scope states allows nothing. So a limit that is taken away
counts as more permissive, since another scope may state a wider one; a limit that is added is stricter, unless no scope
stated it before: then it allows what nothing allowed. Where the direction cannot be told, it is called more permissive.
"""

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any, Final, cast

from exchange_mcp.policy.figures import plain
from exchange_mcp.policy.policy import Policy
from exchange_mcp.policy.tables import AccountLimits, DeskLimits, Forbid, Limits, SymbolLimits

_FEWER_IS_MORE: Final = frozenset({"approvals"})
_FEWEST_APPROVALS: Final = 1

Said = tuple[bool, str]
"""Whether it lets more happen, and the change as a sentence."""


def policy_changes(before: Policy, now: Policy) -> Iterator[Said]:
    """Every change, each told once."""
    if before.reference != now.reference:
        yield True, f"amounts are in {now.reference}, and were in {before.reference}"
    stated = _stated(before)
    yield from _limits("[policy]", before.desk, now.desk, stated)
    yield from _scopes("policy.account.{}", before.accounts, now.accounts, AccountLimits(), stated)
    yield from _scopes('policy.symbol."{}"', before.symbols, now.symbols, SymbolLimits(), stated)
    yield from _forbidden(before.forbid, now.forbid)


def _stated(policy: Policy) -> frozenset[str]:
    """The limits that any scope states."""
    scopes: tuple[Limits, ...] = (policy.desk, *policy.accounts.values(), *policy.symbols.values())
    return frozenset(name for scope in scopes for name, value in scope if value is not None)


def _scopes(
    named: str,
    before: Mapping[Any, Limits],
    now: Mapping[Any, Limits],
    empty: Limits,
    stated: frozenset[str],
) -> Iterator[Said]:
    for name in (*now, *(name for name in before if name not in now)):
        place = f"[{named.format(name)}]"
        yield from _limits(place, before.get(name, empty), now.get(name, empty), stated)


def _limits(place: str, before: Limits, now: Limits, stated: frozenset[str]) -> Iterator[Said]:
    for name in type(now).model_fields:
        old: Any = getattr(before, name, None)
        new: Any = getattr(now, name, None)
        if name == "approvals":
            old, new = old or _FEWEST_APPROVALS, new or _FEWEST_APPROVALS
        if old == new or name == "reference":
            continue
        if isinstance(old, tuple) and isinstance(new, tuple):
            listed = cast("tuple[tuple[object, ...], tuple[object, ...]]", (old, new))
            yield from _lists(name, place, *listed)
        else:
            yield _one(name, place, old, new, is_new=name not in stated, of_desk=isinstance(now, DeskLimits))


def _one(name: str, place: str, old: Any, new: Any, *, is_new: bool, of_desk: bool) -> Said:  # noqa: ANN401, PLR0913 - each limit has a type of its own
    if old is None:
        return is_new and new is not False, f"{name} of {place} is {_said(new)}, and was not stated"
    if new is None:
        # No other scope can say which accounts may trade.
        allows_nothing = of_desk and name == "accounts"
        return not allows_nothing, f"{name} of {place} is not stated, and was {_said(old)}"
    is_more = new < old if name in _FEWER_IS_MORE else new > old
    return is_more, f"{name} of {place} is {_said(new)}, and was {_said(old)}"


def _lists(name: str, place: str, old: tuple[object, ...], new: tuple[object, ...]) -> Iterator[Said]:
    for is_more, verb, found in (
        (True, "also lists", [each for each in new if each not in old]),
        (False, "no longer lists", [each for each in old if each not in new]),
    ):
        if found:
            yield is_more, f"{name} of {place} {verb} {', '.join(str(each) for each in found)}"


def _forbidden(before: Iterable[Forbid], now: Iterable[Forbid]) -> Iterator[Said]:
    old, new = list(before), list(now)
    for entry in old:
        if entry not in new:
            yield True, f"this is no longer forbidden: {entry.reason} ({_conditions(entry)})"
    for entry in new:
        if entry not in old:
            yield False, f"this is forbidden now: {entry.reason} ({_conditions(entry)})"


def _conditions(entry: Forbid) -> str:
    named = ((name, value) for name, value in entry if name != "reason" and value is not None)
    return "; ".join(f"{name}: {_said(value)}" for name, value in named) or "everything"


def _said(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case Decimal():
            return plain(value)
        case tuple():
            return ", ".join(str(each) for each in cast("tuple[object, ...]", value)) or "empty"
        case _:
            return str(value)
