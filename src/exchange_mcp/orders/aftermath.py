"""What stays behind after an order or a cancel: what rests on, what protects nothing then, what has no protection."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Final

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.decimals import CONTEXT, add
from exchange_mcp.model.terms import MarketTerms, Resting
from exchange_mcp.orders.wording import plain, shown

_MOST_NAMED: Final = 8
_ZERO: Final = Decimal(0)


def described(order: Resting, terms: MarketTerms) -> str:
    """A resting order in a few words."""
    kind = "order" if order.type is None else f"{order.type.value} order"
    size = (
        "all"
        if order.closes_position
        else "an amount not told"
        if order.amount is None
        else shown(order.amount)
    )
    parts = [f"{order.side} {size}"]
    if order.trigger_price is not None:
        parts.append(f"from {shown(order.trigger_price)}")
    if order.price is not None:
        parts.append(f"at {shown(order.price)}")
    if order.is_reduce_only or order.closes_position:
        parts.append("reduce-only")
    unit = "" if terms.contract_size is None else " (contracts)"
    return f"{kind} {plain(order.order_id)}, {' '.join(parts)}{unit}"


def is_protection(order: Resting, held: Decimal, terms: MarketTerms) -> bool:
    """Whether an order is a stop that gets out of what is held: it has a trigger and is on the other side."""
    if order.trigger_price is None and not order.closes_position:
        return False
    exits = order.side == ("sell" if held > 0 else "buy")
    may_reduce = order.is_reduce_only or order.closes_position or terms.market_type is MarketType.SPOT
    return bool(held) and exits and (may_reduce or order.type is None or order.type.has_trigger)


def after_order(resting: Iterable[Resting], before: Decimal, after: Decimal, terms: MarketTerms) -> list[str]:
    """What the market's other orders mean once the position went from `before` to `after` (venue's unit, signed)."""
    orders = list(resting)
    left: list[str] = []
    for order in orders:
        told = _after_change(order, before, after, terms)
        if told:
            left.append(f"{described(order, terms)}: {told}")
    named = left[:_MOST_NAMED]
    if len(left) > len(named):
        named.append(f"and {len(left) - len(named)} orders more of which the same can be said")
    if after and terms.market_type is not MarketType.SPOT:
        named.extend(uncovered(orders, after, terms))
    return named


def uncovered(orders: Iterable[Resting], held: Decimal, terms: MarketTerms) -> list[str]:
    """A sentence where stops do not cover what is held; none where they do."""
    stops = [order for order in orders if is_protection(order, held, terms)]
    if any(order.closes_position or order.amount is None for order in stops):
        return []
    covered = _ZERO
    for order in stops:
        covered = add(covered, order.amount or _ZERO)
    size = held.copy_abs()
    side = "long" if held > 0 else "short"
    if not stops:
        return [f"no stop protects the {side} position of {shown(size)}"]
    if covered < size:
        return [f"stops protect {shown(covered)} of the {side} position of {shown(size)}"]
    return []


def _after_change(order: Resting, before: Decimal, after: Decimal, terms: MarketTerms) -> str:
    direction = 1 if order.side == "buy" else -1
    reduces_before = bool(before) and (before > 0) is (direction < 0)
    reduces_after = bool(after) and (after > 0) is (direction < 0)
    only_reduces = order.is_reduce_only or order.closes_position
    if terms.market_type is MarketType.SPOT:
        too_much = order.side == "sell" and order.amount is not None and order.amount > max(after, _ZERO)
        return "stays, and would sell more than is left" if too_much else ""
    if only_reduces and not reduces_after:
        return "stays, and protects nothing then" if reduces_before else ""
    if not only_reduces and reduces_before and not reduces_after:
        return "stays, and would open or add to a position then"
    size = CONTEXT.abs(after)
    if reduces_after and order.amount is not None and order.amount > size and not order.closes_position:
        return (
            "stays, and is larger than what is left of the position"
            if only_reduces
            else "stays, and is larger than what is left: it would turn the position round"
        )
    return ""
