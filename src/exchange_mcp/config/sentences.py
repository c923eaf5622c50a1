"""From pydantic's findings to sentences: what stands there, what would be right, and never a secret."""

import difflib
import re
from collections.abc import Container, Iterable, Iterator, Mapping

from pydantic import ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from exchange_mcp.config.faults import KeyPath
from exchange_mcp.config.schema import (
    CacheTable,
    HttpTable,
    KeysTable,
    KeyTable,
    LimitsTable,
    LogTable,
    SecretReference,
    Table,
)

# Echoed is what stands in fields of words and numbers; anywhere else, or if longer, it may be a key.
_SHOWN_FIELDS = {
    "venue",
    "environment",
    "market_types",
    "format",
    "level",
    *LimitsTable.model_fields,
    *KeysTable.model_fields,
    *HttpTable.model_fields,
}
_SHOWN_TEXT = re.compile(r"[A-Za-z0-9_.-]{1,20}")
_SHOWN_BITS = 64
_SECRET_WORDS = re.compile(r"(api_?)?(key|secret)|private_?key|pass(word|phrase)|token", re.IGNORECASE)
OWN_SENTENCE = "sentence"
"""The type of a pydantic error whose message is the sentence."""
_OWN_SENTENCES = {"variable", "path", "literal_secret", "reference", "address", OWN_SENTENCE}
_REFERENCE = '{ env = "NAME" }, { file = "~/PATH" } or { keyring = "NAME" }'
_TABLES: dict[str | int, type[Table]] = {
    "limits": LimitsTable,
    "log": LogTable,
    "keys": KeysTable,
    "http": HttpTable,
    "cache": CacheTable,
    "key": KeyTable,
    **dict.fromkeys(KeyTable.model_fields, SecretReference),
}


def sentences(
    error: ValidationError,
    table: type[Table],
    place: KeyPath = (),
    *,
    shown: Container[str] = _SHOWN_FIELDS,
    inner: Mapping[str | int, type[Table]] = _TABLES,
) -> Iterator[tuple[KeyPath, str]]:
    """Each finding about `table`, which stands at `place`: the path that it concerns, and a sentence.

    What stands in the fields `shown` is repeated if it is short; they hold no secret. `inner` are the tables that
    stand in this one, by their names.
    """
    details = error.errors(include_url=False)
    meant = {
        (*detail["loc"][:-1], _meant_instead_of(detail, *_field(detail, table, inner))) for detail in details
    }
    for detail in details:
        # A misspelt key is one fault; that the key it stands for is missing is not a second one.
        if detail["type"] != "missing" or detail["loc"] not in meant:
            yield (*place, *detail["loc"]), _sentence(detail, *_field(detail, table, inner), shown)


def _meant_instead_of(detail: ErrorDetails, key: str, fields: Mapping[str, FieldInfo]) -> str | None:
    return _nearest(key, fields) if detail["type"] == "extra_forbidden" else None


def _field(
    detail: ErrorDetails, table: type[Table], inner: Mapping[str | int, type[Table]]
) -> tuple[str, dict[str, FieldInfo]]:
    """The key that is concerned, and its table's fields; an element of a list is judged as the list."""
    names = [part for part in detail["loc"] if isinstance(part, str)]
    return names[-1], (inner[names[-2]] if len(names) > 1 else table).model_fields


def _nearest(key: str, known: Iterable[str]) -> str | None:
    return next(iter(difflib.get_close_matches(key, known, n=1)), None)


def _unknown_key(key: str, known: Iterable[str]) -> str:
    if "key" in known and _SECRET_WORDS.fullmatch(key):
        return "unknown key; the parts of a key stand, by reference, in [accounts.NAME.key]"
    nearest = _nearest(key, known)
    if nearest is not None:
        return f'unknown key; did you mean "{nearest}"?'
    return f"unknown key; known here: {', '.join(known)}"


def _sentence(detail: ErrorDetails, key: str, fields: Mapping[str, FieldInfo], shown: Container[str]) -> str:
    if detail["type"] in _OWN_SENTENCES:
        return detail["msg"]
    if detail["type"] == "extra_forbidden":
        return _unknown_key(key, fields)
    expected = f"expected {fields[key].description or _REFERENCE}"
    if detail["type"] == "missing":
        return f"is missing; {expected}"
    return expected + (_instead(detail["input"]) if key in shown else "")


def _instead(value: object) -> str:
    if not isinstance(value, str | int | float):
        return ""
    if isinstance(value, int) and value.bit_length() > _SHOWN_BITS:  # Python refuses to write out the largest
        return ""
    shown = str(value).lower() if isinstance(value, bool) else str(value)
    if not _SHOWN_TEXT.fullmatch(shown):
        return ""
    return f', not "{shown}"' if isinstance(value, str) else f", not {shown}"
