"""Time on the wire: UTC milliseconds inside, ISO 8601 text outside."""

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated, Final

from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

_WRITTEN: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")

# 9999-12-31T23:59:59.999Z. A venue that sends microseconds must fail where it is read, not where the answer
# is written.
LAST_MS: Final = 253_402_300_799_999


def iso(ms: int) -> str:
    """The UTC instant as ISO 8601 text with milliseconds, such as 2026-11-30T17:08:55.123Z."""
    moment = _EPOCH + timedelta(milliseconds=ms)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def from_iso(written: str) -> int:
    """The UTC milliseconds of what `iso` wrote.

    Raises:
        ValueError: it is written in another way, or is no instant.
    """
    if not _WRITTEN.fullmatch(written):
        raise ValueError("an instant is written as 2026-11-30T17:08:55.123Z")
    return (datetime.fromisoformat(written) - _EPOCH) // timedelta(milliseconds=1)


def _read(value: object) -> object:
    return from_iso(value) if isinstance(value, str) else value


Instant = Annotated[
    int,
    Field(ge=0, le=LAST_MS),
    BeforeValidator(_read),
    PlainSerializer(iso, return_type=str),
    WithJsonSchema({"type": "string"}),
]
"""UTC milliseconds since the epoch; ISO 8601 text in an answer, and read back from it. Until the year 9999."""
