"""JSON as the desk takes it: one meaning, or none. Duplicate members, fractions and broken text are refused. Pure.

Two readers of one text may differ on a member that stands there twice, or on a fraction; a person who approves and
the venue must not be two such readers.
"""

import json
from collections.abc import Sequence
from typing import Any, Final, TypeVar, cast

from pydantic import ValidationError

from exchange_mcp.model.errors import InvalidArgumentError
from exchange_mcp.model.frozen import Record
from exchange_mcp.model.venue_text import visible

_MOST_DEEP: Final = 16
_MOST_DIGITS: Final = 15
_MOST_FAULTS: Final = 5
_MOST_NAME: Final = 64

_RecordT = TypeVar("_RecordT", bound=Record)


def record_of(body: bytes, model: type[_RecordT]) -> _RecordT:
    """The record that this body says.

    Raises:
        InvalidArgumentError: it is no JSON object of this form; names the members and repeats no value.
    """
    try:
        parsed = json.loads(
            body.decode("utf-8", "strict"),
            object_pairs_hook=_members,
            parse_float=_fraction,
            parse_constant=_fraction,
            parse_int=_integer,
        )
        text = json.dumps(parsed, ensure_ascii=False).encode()  # a lone surrogate is no text
        depth = _depth(parsed)
    except InvalidArgumentError:
        raise
    except (ValueError, RecursionError):
        raise InvalidArgumentError("the body is not JSON in UTF-8") from None
    if not isinstance(parsed, dict):
        raise InvalidArgumentError("the body is not a JSON object")
    if depth > _MOST_DEEP:
        raise InvalidArgumentError(f"the body is nested deeper than {_MOST_DEEP}")
    try:
        return model.model_validate_json(text)
    except ValidationError as error:
        raise refused(error) from None


def refused(error: ValidationError) -> InvalidArgumentError:
    """What is wrong with it, member by member, without a value."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    said = [f"{_place(fault['loc'])}: {fault['msg'].lower()}" for fault in faults[:_MOST_FAULTS]]
    more = len(faults) - len(said)
    return InvalidArgumentError("; ".join(said) + (f"; and {more} more" if more > 0 else ""))


def _place(loc: Sequence[int | str]) -> str:
    return visible(".".join(map(str, loc)), _MOST_NAME) if loc else "the body"


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise InvalidArgumentError("a member stands twice in one object")
    return found


def _fraction(_: str) -> Any:  # noqa: ANN401 - it never returns
    raise InvalidArgumentError(
        "a number with a fraction or an exponent stands there; amounts are decimal text"
    )


def _integer(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise InvalidArgumentError("an integer is too long; amounts are decimal text")
    return int(text)


def _depth(value: object) -> int:
    """How many objects and lists lie in each other; the parser refuses what would be too deep for this."""
    match value:
        case dict():
            inner = list(cast("dict[str, object]", value).values())
        case list():
            inner = cast("list[object]", value)
        case _:
            return 0
    return 1 + max(map(_depth, inner), default=0)
