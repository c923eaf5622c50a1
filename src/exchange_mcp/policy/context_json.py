"""From JSON text to frozen records: strict, exact, and every fault with the path that it is at.

No key may be unknown, missing or there twice; an amount is text or a whole number, never a number with a point, which
JSON readers take for a float.
"""

import dataclasses
import json
import types
from collections.abc import Callable, Mapping
from decimal import Decimal
from enum import Enum
from functools import cache
from typing import Annotated, Any, Final, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from pydantic import BaseModel

from exchange_mcp.model.decimals import from_wire
from exchange_mcp.policy.figures import ascii_text

_T = TypeVar("_T")
_SEQUENCES: Final[dict[object, Callable[[list[Any]], Any]]] = {tuple: tuple, frozenset: frozenset}


class NotReadableError(ValueError):
    """The text is not what is expected; the message names the path and what would be right."""


def read_json(text: str, kind: type[_T]) -> _T:
    """The record of this type that the text is.

    Raises:
        NotReadableError: it is none.
    """
    return cast("_T", _decoded(document(text), kind, ""))


def document(text: str) -> Any:  # noqa: ANN401 - JSON is anything
    """What the JSON text says.

    Raises:
        NotReadableError: it is no JSON, names a key twice in one object, or has a number with a point.
    """
    try:
        return json.loads(text, object_pairs_hook=_once, parse_float=_no_float, parse_constant=_no_float)
    except NotReadableError:
        raise
    except RecursionError:
        raise NotReadableError("is nested too deeply") from None
    except ValueError as error:
        said = f"line {error.lineno}" if isinstance(error, json.JSONDecodeError) else "a number is too long"
        raise NotReadableError(f"is not valid JSON: {said}") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict[str, Any]()
    for name, value in pairs:
        if name in members:
            raise NotReadableError(f'has the key "{ascii_text(name, 40)}" twice in one object')
        members[name] = value
    return members


def _no_float(text: str) -> Any:  # noqa: ANN401 - never returns
    raise NotReadableError(
        f'has the number {ascii_text(text, 40)}, which is not exact; write it as text: "..."'
    )


def _decoded(value: object, kind: Any, path: str) -> object:  # noqa: ANN401, PLR0911 - a case a kind
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _decoded(value, arguments[0], path)
    if origin in {Union, types.UnionType}:
        if value is None and types.NoneType in arguments:
            return None
        (inner,) = (each for each in arguments if each is not types.NoneType)
        return _decoded(value, inner, path)
    if origin is Literal:
        return _one_of(value, arguments, path)
    if origin in _SEQUENCES:
        return _sequence(value, origin, arguments, path)
    if origin is Mapping or (isinstance(origin, type) and issubclass(origin, Mapping)):
        members = _object(value, path)
        return {name: _decoded(each, arguments[1], _at(path, _name(name))) for name, each in members.items()}
    return _scalar_or_record(value, getattr(kind, "__supertype__", kind), path)


def _sequence(value: object, origin: Any, arguments: tuple[Any, ...], path: str) -> object:  # noqa: ANN401 - types
    if not isinstance(value, list):
        raise _expected(path, "a list")
    values = cast("list[object]", value)
    is_row = origin is tuple and arguments[-1] is not Ellipsis
    kinds = list(arguments) if is_row else [arguments[0]] * len(values)
    if len(kinds) != len(values):
        raise _expected(path, f"a list of {len(kinds)}")
    decoded = [
        _decoded(each, kind, f"{path}[{i}]") for i, (each, kind) in enumerate(zip(values, kinds, strict=True))
    ]
    return _SEQUENCES[origin](decoded)


def _scalar_or_record(value: object, kind: type, path: str) -> object:
    if dataclasses.is_dataclass(kind) or issubclass(kind, BaseModel):
        return _record(value, kind, path)
    if issubclass(kind, Enum):
        return kind(_one_of(value, tuple(each.value for each in kind), path))
    if kind is Decimal:
        return _amount(value, path)
    if kind is int and isinstance(value, int) and not isinstance(value, bool):
        return value
    if kind in {str, bool} and isinstance(value, kind):
        return value
    raise _expected(path, {int: "a whole number", str: "text", bool: "true or false"}[kind])


def _amount(value: object, path: str) -> Decimal:
    try:
        number = from_wire(value)
    except ValueError:
        number = None
    if number is None:
        raise _expected(path, 'an amount as text, such as "0.015"')
    return number


def _one_of(value: object, known: tuple[object, ...], path: str) -> object:
    if isinstance(value, str) and value in known:
        return value
    raise _expected(path, " or ".join(f'"{each}"' for each in known))


def _record(value: object, kind: type, path: str) -> object:
    members = _object(value, path)
    fields, required = _fields(kind)
    for name in members:
        if name not in fields:
            raise NotReadableError(
                f"{path or 'it'} has the unknown key {_name(name)}; known: {', '.join(fields)}"
            )
    for name in required:
        if name not in members:
            raise NotReadableError(f"{_at(path, name)} is missing")
    decoded = {name: _decoded(each, fields[name], _at(path, name)) for name, each in members.items()}
    try:
        return kind(**decoded)
    except ValueError as error:
        said = str(error) if dataclasses.is_dataclass(kind) else "its parts contradict one another"
        raise NotReadableError(f"{path or 'it'}: {said}") from None


@cache
def _fields(kind: type) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The types of a record's fields by name, and the names that have no default."""
    hints = get_type_hints(kind, include_extras=True)
    if issubclass(kind, BaseModel):
        required = tuple(name for name, field in kind.model_fields.items() if field.is_required())
        return {name: hints[name] for name in kind.model_fields}, required
    fields: tuple[dataclasses.Field[Any], ...] = dataclasses.fields(cast("Any", kind))
    required = tuple(
        field.name
        for field in fields
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    )
    return {field.name: hints[field.name] for field in fields}, required


def _object(value: object, path: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise _expected(path, "an object")
    return cast("dict[str, object]", value)


def _at(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _name(name: str) -> str:
    return f'"{ascii_text(name, 40)}"'


def _expected(path: str, what: str) -> NotReadableError:
    return NotReadableError(f"{path or 'it'}: expected {what}")
