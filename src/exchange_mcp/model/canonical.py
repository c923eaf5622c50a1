"""The one JSON text of a value, so that what is shown, signed, journaled and compared is the same everywhere."""

import json
from collections.abc import Mapping
from decimal import Decimal

from exchange_mcp.model.decimals import text


def canonical_json(value: object) -> str:
    """The one JSON text of a value: sorted keys, no spaces, ASCII, decimals as plain text, no floats.

    Raises:
        TypeError: a float, or anything else that JSON has no exact form for.
    """
    return json.dumps(
        _plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    )


def _plain(value: object) -> object:
    match value:
        case None | bool() | int() | str():
            return value
        case Decimal():
            return text(value)
        case Mapping():
            return {str(key): _plain(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - a mapping of anything
        case list() | tuple():
            return [_plain(item) for item in value]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - a list of anything
        case _:
            raise TypeError(f"a {type(value).__name__} has no canonical form")
