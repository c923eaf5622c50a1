"""When a plan no longer means what was approved."""

from dataclasses import replace
from decimal import Decimal

import pytest

from exchange_mcp.desk.drift import drift
from exchange_mcp.desk.ports import Footing

APPROVED = Footing(effect="opens", position_mode="one_way", mid=Decimal(60_000), worst_case=Decimal(600))
COLLAR = Decimal(50)


# 50 basis points of 60,000 are 300.
@pytest.mark.parametrize(
    ("mid", "is_drift"),
    [
        ("60300", False),
        ("59700", False),
        ("60300.01", True),
        ("59699.99", True),
        ("0", True),
        ("-60000", True),
    ],
)
def test_the_mid_may_move_by_exactly_the_collar_and_no_further(mid: str, is_drift: bool) -> None:  # noqa: FBT001 - a table
    assert (drift(APPROVED, replace(APPROVED, mid=Decimal(mid)), COLLAR) is not None) is is_drift


def test_what_is_as_it_was_has_not_drifted() -> None:
    assert drift(APPROVED, APPROVED, COLLAR) is None
    cancel = Footing(effect=None, position_mode=None, mid=None, worst_case=Decimal(0))
    assert drift(cancel, cancel, COLLAR) is None


@pytest.mark.parametrize(
    "changed",
    [
        {"effect": "adds"},
        {"effect": None},
        {"position_mode": "hedge"},
        {"position_mode": None},
        {"mid": None},
        {"is_reduce_enforced": True},
        {"leverage": 20},
        {"margin_mode": "isolated"},
        {"key_fault": "expired"},
    ],
)
def test_whatever_else_changed_appeared_or_vanished_is_drift_and_is_said(changed: dict[str, object]) -> None:
    now = replace(APPROVED, **changed)  # pyright: ignore[reportArgumentType] - of the footing's fields
    assert drift(APPROVED, now, COLLAR)


def test_a_quote_that_was_not_there_at_the_approval_is_no_quote_to_compare_with() -> None:
    assert drift(replace(APPROVED, mid=None), APPROVED, COLLAR)


def test_a_footing_is_read_back_from_the_journal_as_it_was() -> None:
    recorded = {name: str(v) if isinstance(v, Decimal) else v for name, v in APPROVED.as_object().items()}
    assert Footing.of(recorded) == APPROVED
    for name in recorded:
        with pytest.raises(ValueError, match="no footing"):
            Footing.of({key: value for key, value in recorded.items() if key != name})
