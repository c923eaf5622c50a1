"""An intent and an event, as an operator sees them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from exchange_mcp.desk.offices.told import preview_lines
from exchange_mcp.desk.operator.messages import EventView, IntentView
from exchange_mcp.desk.records import Event, Intent
from exchange_mcp.model.canonical import canonical_json
from exchange_mcp.model.decimals import text
from exchange_mcp.model.writes import CancelOrder, PlaceOrder, SetLeverage, WriteRequest
from exchange_mcp.orders.screen import LABEL_WIDTH


def intent_view(intent: Intent) -> IntentView:
    """One intent in a list."""
    plan = intent.plan
    return IntentView(
        id=intent.id,
        seq=intent.seq,
        state=intent.state.value,
        action=intent.action,
        account=intent.account,
        environment=plan.environment.value,
        venue=intent.venue,
        symbol=plan.write.symbol,
        summary=summary(plan.write),
        effect=intent.effect,
        client=intent.client,
        origin=intent.origin.value,
        created_at=intent.created_ms,
        changed_at=intent.changed_ms,
        expires_at=intent.expires_ms,
        reason=intent.reason,
        client_order_id=intent.client_order_id,
        order_id=intent.order_id,
    )


def event_view(event: Event) -> EventView:
    """One event of the log."""
    return EventView(seq=event.seq, at=event.at_ms, kind=event.kind, text=event.text)


def summary(write: WriteRequest) -> str:
    """A write in one line."""
    match write:
        case PlaceOrder():
            size = f"for {text(write.cost)}" if write.amount is None and write.cost is not None else ""
            size = size or (text(write.amount) if write.amount is not None else "")
            trigger = "" if write.trigger_price is None else f" from {text(write.trigger_price)}"
            price = "" if write.price is None else f" at {text(write.price)}"
            extra = ", reduce-only" if write.is_reduce_only else ""
            return f"{write.type.value.replace('_', '-')} {write.side} {size} {write.symbol}{trigger}{price}{extra}"
        case CancelOrder():
            return f"cancel {write.order_id or write.client_order_id} on {write.symbol}"
        case SetLeverage():
            return f"leverage {write.leverage}x on {write.symbol}"


def changes(before: Mapping[str, Any], now_text: str) -> tuple[str, ...]:
    """What a fresh preview says otherwise than the one that was proposed, a sentence each.

    Raises:
        ValueError: one of them is no preview.
    """
    then = preview_lines(canonical_json(before))
    return tuple(_changes(_by_label(then), _by_label(preview_lines(now_text))))


def _changes(before: Mapping[str, Sequence[str]], now: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for label in [*now, *(label for label in before if label not in now)]:
        old, new = before.get(label, ()), now.get(label, ())
        if len(old) == len(new) == 1:
            if old != new:
                yield f"{label} was: {old[0]}; is now: {new[0]}"
            continue
        yield from (f"new {label}: {told}" for told in new if told not in old)
        yield from (f"no longer {label}: {told}" for told in old if told not in new)


def _by_label(written: Sequence[str]) -> dict[str, list[str]]:
    told: dict[str, list[str]] = {}
    for line in written:
        told.setdefault(line[:LABEL_WIDTH].strip(), []).append(line[LABEL_WIDTH:].strip())
    return told
