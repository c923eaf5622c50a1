"""Time on the wire: UTC milliseconds inside, ISO 8601 text outside."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Final

from pydantic import Field, PlainSerializer, WithJsonSchema

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

# 9999-12-31T23:59:59.999Z. A venue that sends microseconds must fail where it is read, not where the answer
# is written.
LAST_MS: Final = 253_402_300_799_999


def iso(ms: int) -> str:
    """The UTC instant as ISO 8601 text with milliseconds, such as 2026-11-30T17:08:55.123Z."""
    moment = _EPOCH + timedelta(milliseconds=ms)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def from_iso(written: str) -> int:
    """What `iso` wrote, in UTC milliseconds.

    Raises:
        ValueError: it is not written so.
    """
    ms = (datetime.fromisoformat(written) - _EPOCH) // timedelta(milliseconds=1)
    if iso(ms) != written:
        raise ValueError(f"not a moment as it is written here: {written[:40]}")
    return ms


Instant = Annotated[
    int,
    Field(ge=0, le=LAST_MS),
    PlainSerializer(iso, return_type=str),
    WithJsonSchema({"type": "string"}),
]
"""UTC milliseconds since the epoch; ISO 8601 text in an answer. Until the year 9999."""
