"""A preview's recorded JSON is read back to the same preview, or not at all."""

import json
from typing import Any

import pytest

from exchange_mcp.orders.change_previews import preview_cancel, preview_leverage
from exchange_mcp.orders.changing import plan_cancel, plan_leverage
from exchange_mcp.orders.preview import Preview
from exchange_mcp.orders.preview_text import read_preview
from exchange_mcp.orders.requests import CancelRequest, LeverageRequest

from .made import FLAT, INVERSE, LINEAR, REFERENCE, SPOT, SPOT_STANDING, asked, holding, long, previewed, stop

LONG = holding(long("0.5"), resting=(stop(),))
PREVIEWS: list[Preview] = [
    previewed(asked(type="market", cost="1000"), SPOT, SPOT_STANDING),
    previewed(asked(type="limit", amount="0.1", price="99000.0", post_only=True), LINEAR, LONG),
    previewed(asked(type="market", side="sell", cost="1000"), INVERSE, holding(long("3"))),
    preview_cancel(
        plan_cancel(CancelRequest(symbol="x", order_id="7"), SPOT, SPOT_STANDING), SPOT, SPOT_STANDING
    ),
    preview_cancel(
        plan_cancel(CancelRequest(symbol="x", order_id=stop().order_id), LINEAR, LONG), LINEAR, LONG
    ),
    preview_leverage(
        plan_leverage(LeverageRequest(symbol="x", leverage=3), LINEAR, FLAT), LINEAR, REFERENCE, FLAT
    ),
]


@pytest.mark.parametrize("preview", PREVIEWS, ids=lambda preview: preview.action)
def test_every_kind_of_preview_is_read_back_as_it_was(preview: Preview) -> None:
    assert read_preview(json.loads(preview.canonical())) == preview


@pytest.mark.parametrize(
    "changed",
    [
        {"fee_rebate": "1"},
        {"amount": "1e-1"},
        {"amount": 1},
        {"side": "BUY"},
        {"action": "transfer"},
        {"as_of": 5},
        {"as_of": "2026-01-01T12:00:00Z"},
        {"as_of": "2026-13-01T12:00:00.000Z"},
        {"market": None},
        {"reduce_only": 1},
    ],
    ids=str,
)
def test_another_field_or_another_kind_of_value_is_no_preview(changed: dict[str, Any]) -> None:
    recorded = json.loads(PREVIEWS[1].canonical())
    with pytest.raises(ValueError, match="not a preview"):
        read_preview({**recorded, **changed})


def test_a_missing_figure_is_no_preview() -> None:
    recorded = json.loads(PREVIEWS[0].canonical())
    for name in recorded:
        with pytest.raises(ValueError, match="not a preview"):
            read_preview({key: value for key, value in recorded.items() if key != name})
