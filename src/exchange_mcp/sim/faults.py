"""What may go wrong on purpose: rules that replace or hold back an answer. The one place for faults."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar, cast

from exchange_mcp.sim.wire import Answer, Request


@dataclass(frozen=True, slots=True)
class Replace:
    """Answer this instead."""

    answer: Answer


@dataclass(frozen=True, slots=True)
class Delay:
    """Answer as always, but so many milliseconds later; other requests do not wait."""

    ms: int


@dataclass(frozen=True, slots=True, eq=False)
class Hang:
    """Do not answer until the rule is removed; then answer as always."""

    released: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(frozen=True, slots=True)
class Close:
    """Close the connection without an answer."""


Effect: TypeAlias = Replace | Delay | Hang | Close


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultRule:
    """Which requests a fault hits: all, or those of a host, a method, or a path (matched in full).

    Attributes:
        is_after: whether the venue acts first, and only its answer is lost, late or another.
    """

    effect: Effect
    is_after: bool = False
    host: str | None = None
    method: str | None = None
    path: re.Pattern[str] | None = None
    times: int | None = None

    def hits(self, request: Request) -> bool:
        """Say whether a request is meant, however often the rule already struck."""
        return (
            self.host in {None, request.host}
            and self.method in {None, request.method}
            and (self.path is None or self.path.fullmatch(request.path) is not None)
        )


class Faults:
    """The rules in force; of those that hit, the one that was added first strikes."""

    def __init__(self) -> None:
        self._rules: list[tuple[FaultRule, int]] = []
        self._hangs: list[Hang] = []

    def add(self, rule: FaultRule) -> None:
        """Put a rule in force."""
        self._rules.append((rule, 0))
        if isinstance(rule.effect, Hang):
            self._hangs.append(rule.effect)

    def clear(self) -> None:
        """Remove every rule, and let go whatever hangs."""
        self._rules.clear()
        for hang in self._hangs:
            hang.released.set()
        self._hangs.clear()

    def strike(self, request: Request) -> FaultRule | None:
        """Return the rule that hits a request, and count it."""
        for index, (rule, struck) in enumerate(self._rules):
            if rule.hits(request) and (rule.times is None or struck < rule.times):
                self._rules[index] = (rule, struck + 1)
                return rule
        return None


_FIELDS = {
    "status": {"status", "body", "content_type", "headers"},
    "body": {"body", "content_type", "headers"},
    "delay": {"ms"},
    "hang": set[str](),
    "close": set[str](),
}
_BEFORE, _AFTER = "before", "after"
_STATUSES = range(200, 600)
_Kind = TypeVar("_Kind")


def parse(fields: Mapping[str, object]) -> FaultRule:
    """Read a rule as the control endpoint takes it.

    `kind` is one of status (with `status`, `body`, `content_type`, `headers`), body (the same without status:
    a 200 with that text, byte for byte), delay (`ms`), hang and close; `host`, `method`, `path` and `times`
    narrow it. `when` says whether it strikes `before` the venue acts, which then never does unless the answer
    was only held back, or `after` it. Raises ValueError for anything else.
    """
    kind = _field(fields, "kind", str, "")
    if kind not in _FIELDS:
        raise ValueError(f"kind is one of {', '.join(_FIELDS)}, not {kind!r}")
    unknown = fields.keys() - _FIELDS[kind] - {"kind", "when", "host", "method", "path", "times"}
    if unknown:
        raise ValueError(f"a fault of kind {kind} has no {', '.join(sorted(unknown))}")
    when = _field(fields, "when", str, _BEFORE)
    if when not in {_BEFORE, _AFTER}:
        raise ValueError(f"when is {_BEFORE} or {_AFTER}, not {when!r}")
    path = _optional(fields, "path", str)
    try:
        pattern = None if path is None else re.compile(path)
    except re.error as error:
        raise ValueError(f"path is not a regular expression: {error}") from None
    times = _optional(fields, "times", int)
    return FaultRule(
        effect=_effect(kind, fields),
        is_after=when == _AFTER,
        host=_optional(fields, "host", str),
        method=_optional(fields, "method", str),
        path=pattern,
        times=None if times is None else _at_least(1, "times", times),
    )


def _effect(kind: str, fields: Mapping[str, object]) -> Effect:
    if kind == "delay":
        return Delay(_at_least(0, "ms", _field(fields, "ms", int, 0)))
    if kind == "hang":
        return Hang()
    if kind == "close":
        return Close()
    status = _field(fields, "status", int, 500 if kind == "status" else 200)
    if status not in _STATUSES:
        raise ValueError(f"status is between {_STATUSES[0]} and {_STATUSES[-1]}, not {status}")
    headers = _field(fields, "headers", dict, {})
    return Replace(
        Answer(
            status,
            _field(fields, "body", str, "").encode(),
            _field(fields, "content_type", str, "application/json"),
            {str(name): str(value) for name, value in headers.items()},
        )
    )


def _at_least(least: int, name: str, value: int) -> int:
    if value < least:
        raise ValueError(f"{name} is at least {least}, not {value}")
    return value


def _field(fields: Mapping[str, object], name: str, kind: type[_Kind], default: _Kind) -> _Kind:
    value = _optional(fields, name, kind)
    return default if value is None else value


def _optional(fields: Mapping[str, object], name: str, kind: type[_Kind]) -> _Kind | None:
    value = fields.get(name)
    if value is not None and (not isinstance(value, kind) or isinstance(value, bool)):
        raise ValueError(f"{name} is of type {kind.__name__}, unlike {value!r}")
    return cast("_Kind | None", value)
