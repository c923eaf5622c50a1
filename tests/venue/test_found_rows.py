"""What rows say of an order that is sought, whatever a venue sends."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.client_ids import DeskTag, new_client_order_id
from exchange_mcp.model.errors import BadAnswerError
from exchange_mcp.model.findings import FoundOrder
from exchange_mcp.rules.client_ids import ORDER_IDS, Exact, Listed, RowFields, order_ids
from exchange_mcp.venue.found_rows import (
    Seen,
    instant,
    named,
    rows_of,
    seen,
    spawned_by_desks,
    unattributable,
)

FIELDS = [
    each.fields
    for venue in ORDER_IDS.values()
    for rules in venue
    for each in (*rules.lookups.exact, *rules.lookups.lists)
    if isinstance(each, Exact | Listed)
]
NAMES = sorted(
    {
        name
        for fields in FIELDS
        for name in (
            fields.order_id,
            fields.client_id,
            fields.symbol,
            fields.created,
            fields.updated,
            fields.amount,
        )
        if name
    }
)
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.sampled_from(
        ["", "BTCUSDT", "1", "1767268800000", "-1", "1e999", "NaN", "2026-01-01T00:00:00Z", "2026-01-01"]
    ),
    st.text(max_size=8),
    st.lists(st.none(), max_size=2),
    st.dictionaries(st.text(max_size=3), st.none(), max_size=2),
)
ROWS = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=8)


class Zeros:
    """Entropy that is none."""

    def token(self, size: int) -> bytes:
        return bytes(size)


OF_A_DESK = new_client_order_id(DeskTag("abcde"), Zeros(), 36)


@settings(max_examples=200, deadline=None)
@given(row=ROWS, fields=st.sampled_from(FIELDS))
def test_a_row_says_which_order_it_is_and_since_when_or_is_a_bad_answer(
    row: dict[str, Any], fields: RowFields
) -> None:
    try:
        told = seen(row, fields, "BTCUSDT")
    except BadAnswerError:
        return
    assert told.order.order_id
    assert told.created_ms > 0
    assert told.order.client_order_id != ""


@settings(max_examples=150, deadline=None)
@given(
    answer=st.one_of(VALUES, st.lists(VALUES, max_size=3), st.dictionaries(st.just("data"), VALUES)),
    path=st.sampled_from(["", "data", "data.list"]),
    shape=st.sampled_from(["one", "list", "by name"]),
)
def test_an_answer_is_rows_or_a_bad_answer(answer: object, path: str, shape: str) -> None:
    try:
        rows = rows_of(answer, path, shape)
    except BadAnswerError:
        return
    assert all(isinstance(row, dict) for row in rows)


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        (1767268800000, "ms", 1767268800000),
        ("1767268800000", "ms", 1767268800000),
        ("1767268800.9999", "seconds", 1767268800999),
        ("2026-01-01T12:00:00.5Z", "rfc3339", 1767268800500),
        ("2026-01-01T14:00:00+02:00", "rfc3339", 1767268800000),
        ("2026-01-01T12:00:00", "rfc3339", None),
        (0, "ms", None),
        (True, "ms", None),
        ("x", "seconds", None),
        (None, "ms", None),
    ],
)
def test_an_instant_is_told_in_the_way_of_its_venue(value: object, kind: str, expected: int | None) -> None:
    assert instant(value, kind) == expected


def a_row(
    order_id: str, client_order_id: str | None, created_ms: int = 100, spawned: str | None = None
) -> Seen:
    return Seen(FoundOrder(order_id=order_id, client_order_id=client_order_id), created_ms, spawned)


def test_an_order_that_a_desks_triggered_stop_sent_is_the_desks() -> None:
    # Binance makes up the client order id of the order that a conditional one sends, and names it by actualOrderId.
    rules = order_ids("binance", MarketType.LINEAR, is_conditional=True)
    assert rules is not None
    row = {
        "algoId": 5,
        "clientAlgoId": OF_A_DESK,
        "symbol": "BTCUSDT",
        "createTime": 100,
        "actualOrderId": "77",
    }
    stop = seen(row, rules.lookups.exact[0].fields, "BTCUSDT")
    spawned = spawned_by_desks([stop])
    assert spawned == {"77": OF_A_DESK}
    sent = a_row("77", "made-up-by-the-venue")
    assert unattributable([sent], 0, spawned) == ()
    (trade,) = named([a_row("77", None)], [sent], spawned)
    assert trade.order.client_order_id == OF_A_DESK
    by_hand = a_row("5", "web_1", spawned="78")
    assert spawned_by_desks([by_hand]) == {}
    assert unattributable([a_row("78", "made-up")], 0, {}) == (a_row("78", "made-up").order,)


def test_a_row_from_before_is_not_ours_whoever_placed_it() -> None:
    rows = [a_row("1", None, 99), a_row("2", None, 100), a_row("3", OF_A_DESK, 100)]
    assert [row.order_id for row in unattributable(rows, 100, {})] == ["2"]


def test_the_average_price_is_told_or_follows_from_what_was_paid() -> None:
    rules = order_ids("binance", MarketType.SPOT, is_conditional=False)
    assert rules is not None
    row = {
        "orderId": 1,
        "symbol": "BTCUSDT",
        "time": 1,
        "executedQty": "0.5",
        "cummulativeQuoteQty": "21000.25",
    }
    order = seen(row, rules.lookups.exact[0].fields, "BTCUSDT").order
    assert order.average_price == Decimal("42000.5")
    nothing = {**row, "executedQty": "0.0", "cummulativeQuoteQty": "0.0"}
    assert seen(nothing, rules.lookups.exact[0].fields, "BTCUSDT").order.average_price is None


@pytest.mark.parametrize("odd", ["x" * 129, "a\u202eb", "a\x1b[31m", "a\nb", "a\u200b", "\ud800"])
def test_a_name_that_no_venue_writes_names_nothing(odd: str) -> None:
    fields = RowFields(order_id="id", client_id="client", symbol=None, created="at", status="is", side="side")
    row: dict[str, Any] = {"id": "1", "client": odd, "at": 1_767_268_800_000, "is": odd, "side": odd}
    order = seen(row, fields, "").order
    assert (order.client_order_id, order.status, order.side) == (None, None, None)
    with pytest.raises(BadAnswerError, match="which order"):
        seen({**row, "id": odd}, fields, "")
