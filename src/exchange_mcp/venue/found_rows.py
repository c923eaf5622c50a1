"""What the rows of a look-up say of an order that is sought. Pure: rows in, findings out, or `BadAnswerError`.

A row counts as ours only by exactly our client order id. One that may be ours and cannot be told is named as such.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final, cast

from exchange_mcp.model.client_ids import tag_of
from exchange_mcp.model.decimals import divide, from_wire
from exchange_mcp.model.errors import BadAnswerError
from exchange_mcp.model.findings import FoundOrder, Sought
from exchange_mcp.rules.client_ids import RowFields
from exchange_mcp.rules.private.declared import KEY
from exchange_mcp.venue.listing import at

Row = Mapping[str, Any]
_SECOND_MS: Final = 1000
_LONGEST_NAME: Final = 128
# The end of the year 9999; a time after it is in another unit, or is none.
_LATEST_MS: Final = 253_402_300_800_000


@dataclass(frozen=True, slots=True)
class Seen:
    """One row: the order or trade, when it came to be, and the order that a conditional one sent."""

    order: FoundOrder
    created_ms: int
    spawned: str | None = None


def rows_of(answer: object, path: str, shape: str) -> list[Row]:
    """The rows of an answer.

    Raises:
        BadAnswerError: there is no such list, or something else is in it.
    """
    value = at(answer, path) if path else answer
    if shape == "one":
        value = [value]
    if shape == "by name" and isinstance(value, Mapping):
        value = [
            {**cast("Row", row), KEY: name} if isinstance(row, Mapping) else row
            for name, row in cast("Mapping[str, object]", value).items()
        ]
    if not isinstance(value, list) or not all(
        isinstance(row, Mapping) for row in cast("list[object]", value)
    ):
        raise BadAnswerError("the answer has not its documented shape")
    return cast("list[Row]", value)


def seen(row: Row, fields: RowFields, market_id: str) -> Seen:
    """What a row says.

    Raises:
        BadAnswerError: it does not say which order it is, or when it came to be, or it is of another market.
    """
    if fields.symbol is not None and at(row, fields.symbol) != market_id:
        raise BadAnswerError("a row is of another market than was asked for")
    order_id, created = _name(row, fields.order_id), instant(at(row, fields.created), fields.time)
    if order_id is None or created is None:
        raise BadAnswerError("a row does not say which order it is, or when it was made")
    filled, cost = _number(row, fields.filled), _number(row, fields.cost)
    average = _number(row, fields.average)
    if average is None and filled and cost is not None:
        average = divide(cost, filled)
    updated = None if fields.updated is None else instant(at(row, fields.updated), fields.time)
    order = FoundOrder(
        order_id=order_id,
        client_order_id=_name(row, fields.client_id),
        status=_name(row, fields.status),
        side=_name(row, fields.side),
        amount=_number(row, fields.amount),
        filled=filled,
        average_price=average or None,
        updated_ms=updated,
    )
    return Seen(order, created, _name(row, fields.spawned))


def ours(rows: Iterable[Seen], sought: Sought) -> FoundOrder | None:
    """The order with exactly our client order id."""
    return next((row.order for row in rows if row.order.client_order_id == sought.client_order_id), None)


def unattributable(rows: Iterable[Seen], since_ms: int, spawned: Mapping[str, str]) -> tuple[FoundOrder, ...]:
    """The rows since then that no desk's id names; `spawned` names the orders that a desk's conditional orders sent."""
    return tuple(
        row.order
        for row in rows
        if row.created_ms >= since_ms
        and tag_of(row.order.client_order_id) is None
        and row.order.order_id not in spawned
    )


def spawned_by_desks(rows: Iterable[Seen]) -> dict[str, str]:
    """By the id of the order that it sent: the client order id of each conditional order of a desk."""
    return {
        row.spawned: row.order.client_order_id
        for row in rows
        if row.spawned and row.order.client_order_id and tag_of(row.order.client_order_id)
    }


def named(trades: Sequence[Seen], orders: Iterable[Seen], spawned: Mapping[str, str]) -> list[Seen]:
    """The trades, each with the client order id of its order, where that is known."""
    names = {row.order.order_id: row.order.client_order_id for row in orders} | dict(spawned)
    return [
        trade
        if trade.order.client_order_id
        else Seen(_called(trade.order, names.get(trade.order.order_id)), trade.created_ms)
        for trade in trades
    ]


def _called(order: FoundOrder, client_order_id: str | None) -> FoundOrder:
    return FoundOrder(
        order_id=order.order_id,
        client_order_id=client_order_id,
        side=order.side,
        amount=order.amount,
        average_price=order.average_price,
        updated_ms=order.updated_ms,
    )


def instant(value: object, kind: str) -> int | None:
    """UTC milliseconds of a time as a venue writes it; None where it is none."""
    if kind == "rfc3339":
        try:
            told = datetime.fromisoformat(value) if isinstance(value, str) else None
        except ValueError:
            told = None
        if told is None or told.tzinfo is None:
            return None
        since = told - datetime(1970, 1, 1, tzinfo=UTC)
        return since.days * 86_400_000 + since.seconds * 1000 + since.microseconds // 1000
    try:
        number = from_wire(value)
    except ValueError:
        return None
    if number is None or number <= 0:
        return None
    told_ms = int(number * _SECOND_MS) if kind == "seconds" else int(number)
    return told_ms if told_ms < _LATEST_MS else None


def _name(row: Row, path: str | None) -> str | None:
    """A text or whole number as text; None where there is none, an empty one, or one that no venue's id or word is."""
    value = None if path is None else at(row, path)
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    text = str(value)
    # It goes into the journal and before a person: no control or bidi characters, and no megabytes.
    return text if text.isprintable() and 0 < len(text) <= _LONGEST_NAME else None


def _number(row: Row, path: str | None) -> Decimal | None:
    value = None if path is None else at(row, path)
    try:
        return None if value in {None, ""} else from_wire(value)
    except (ValueError, TypeError):
        return None
