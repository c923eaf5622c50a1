"""Time on the wire: UTC milliseconds inside, ISO 8601 text outside."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import PlainSerializer, WithJsonSchema


def iso(ms: int) -> str:
    """The UTC instant as ISO 8601 text with milliseconds, such as 2026-11-30T17:08:55.123Z."""
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


Instant = Annotated[int, PlainSerializer(iso, return_type=str), WithJsonSchema({"type": "string"})]
"""UTC milliseconds since the epoch; ISO 8601 text in an answer."""
