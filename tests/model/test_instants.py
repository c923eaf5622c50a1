from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from exchange_mcp.model.instants import LAST_MS, Instant, from_iso, iso

INSTANT = TypeAdapter[int](Instant)


@pytest.mark.parametrize(
    ("ms", "written"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (1_000_000_000_000, "2001-09-09T01:46:40.000Z"),  # the well-known billionth second
        (1_709_164_800_007, "2024-02-29T00:00:00.007Z"),  # 19 782 days of 86 400 s: a leap day
        (LAST_MS, "9999-12-31T23:59:59.999Z"),
    ],
)
def test_an_instant_is_written_in_utc_with_milliseconds(ms: int, written: str) -> None:
    assert iso(ms) == written
    assert INSTANT.dump_python(ms, mode="json") == written


@given(st.integers(0, LAST_MS))
def test_no_millisecond_is_lost(ms: int) -> None:
    assert (datetime.fromisoformat(iso(ms)) - datetime(1970, 1, 1, tzinfo=UTC)) == timedelta(milliseconds=ms)


@pytest.mark.parametrize("value", [-1, LAST_MS + 1, 1_764_522_535_123_456, 1.0, "0", True])
def test_what_cannot_be_an_instant_is_refused_when_it_is_read(value: object) -> None:
    with pytest.raises(ValidationError):
        INSTANT.validate_python(value, strict=True)


@pytest.mark.parametrize("ms", [0, 1, 999, 1_767_268_800_123, LAST_MS])
def test_an_instant_is_read_back_from_what_was_written(ms: int) -> None:
    assert from_iso(iso(ms)) == ms
    assert INSTANT.validate_json(INSTANT.dump_json(ms), strict=True) == ms


@pytest.mark.parametrize(
    "written", ["", "now", "2026-01-01", "2026-01-01T12:00:00Z", "2026-13-01T12:00:00.000Z", "1767268800123"]
)
def test_an_instant_written_in_another_way_is_refused(written: str) -> None:
    with pytest.raises(ValidationError):
        INSTANT.validate_python(written)
