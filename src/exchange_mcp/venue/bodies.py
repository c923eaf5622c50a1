"""A venue's answer as a value, or why it is none: bounded in size and depth, every name once, no exception.

Numbers that are not whole are kept apart from text and from whole numbers, so that no code can be mistaken for
another: a code of `-2019.0` is not the venue's.
"""

import json
import re
from typing import Any, Final, cast

LONGEST: Final = 1_000_000
"""Characters; some hundred times the longest answer to a write."""

_DEEPEST: Final = 32
# More digits than any id or amount has, and few enough to be read at once.
_MOST_DIGITS: Final = 40
# What every venue names its members by; anything else stands there to be taken for one of them.
_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
# What stands where bytes were no UTF-8.
_REPLACED: Final = "\ufffd"


class UnreadableError(ValueError):
    """Why an answer is no value: the end of a sentence that begins with "the answer"."""


class Fraction(str):
    """A number with a point or an exponent, as it was written."""

    __slots__ = ()


def members(body: str) -> dict[str, Any]:
    """The members of the object that the body is.

    Raises:
        UnreadableError: it is none that could be an answer to a write.
    """
    if len(body) > LONGEST:
        raise UnreadableError("is longer than any answer to a write")
    if not body.strip():
        raise UnreadableError("is empty")
    if _REPLACED in body:
        raise UnreadableError("holds bytes that are no text")
    value = _parsed(body)
    if not isinstance(value, dict):
        raise UnreadableError("is no JSON object")
    if _is_deep(cast("object", value)):
        raise UnreadableError("is nested deeper than any answer to a write")
    return cast("dict[str, Any]", value)


def _parsed(body: str) -> object:
    try:
        return json.loads(
            body,
            object_pairs_hook=_once,
            parse_int=_whole,
            parse_float=Fraction,
            parse_constant=_no_constant,
        )
    except RecursionError:
        raise UnreadableError("is nested deeper than any answer to a write") from None
    except UnreadableError:
        raise
    except ValueError:
        raise UnreadableError("is not whole JSON") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if not all(map(_NAME.fullmatch, found)):
        raise UnreadableError("has a name that no venue writes")
    if len({name.lower() for name in found}) != len(pairs):
        raise UnreadableError("has a name twice, and nobody knows which of the two counts")
    return found


def _whole(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError
    return int(digits)


def _no_constant(_: str) -> None:
    raise ValueError


def _is_deep(value: object) -> bool:
    level = [value]
    for _ in range(_DEEPEST):
        below: list[object] = []
        for each in level:
            if isinstance(each, dict):
                below.extend(cast("dict[str, object]", each).values())
            elif isinstance(each, list):
                below.extend(cast("list[object]", each))
        if not below:
            return False
        level = below
    return True
