"""What USD-M positions need and when they are liquidated: the vendor's formulas. Pure.

Maintenance margin, maintenance amount and liquidation price (cross margin, one-way and hedge mode):
https://www.binance.com/en/support/faq/b3c689c1f50a44cabb3a84e663b81d93
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from exchange_mcp.sim.digits import ZERO


@dataclass(frozen=True, slots=True)
class Bracket:
    """One notional bracket: from `floor` (included) to `cap`, in USDT."""

    number: int
    max_leverage: int
    floor: Decimal
    cap: Decimal
    rate: Decimal
    amount: Decimal

    def maintenance(self, notional: Decimal) -> Decimal:
        """Return the maintenance margin of a position of that notional, in USDT."""
        return notional * self.rate - self.amount


@dataclass(frozen=True, slots=True)
class Leg:
    """One side of a position: its direction (1 long, -1 short), size in the base asset, and entry price."""

    direction: int
    size: Decimal
    entry: Decimal


def brackets(rows: Iterable[tuple[int, int, str]]) -> tuple[Bracket, ...]:
    """Build a bracket table from (cap in USDT, maximum leverage, maintenance rate) rows.

    The maintenance amount of level n is floor(n) * (rate(n) - rate(n-1)) + amount(n-1), by the vendor's page.
    """
    table: list[Bracket] = []
    floor, previous, amount = ZERO, ZERO, ZERO
    for number, (cap, max_leverage, text) in enumerate(rows, start=1):
        rate = Decimal(text)
        amount += floor * (rate - previous)
        table.append(Bracket(number, max_leverage, floor, Decimal(cap), rate, amount))
        floor, previous = Decimal(cap), rate
    return tuple(table)


def bracket_of(table: Sequence[Bracket], notional: Decimal) -> Bracket:
    """Return the bracket that a notional falls into; above the last cap, the last one."""
    return next((level for level in table if notional < level.cap), table[-1])


def max_notional(table: Sequence[Bracket], leverage: int) -> Decimal:
    """Return the largest notional, in USDT, that a leverage allows."""
    return max(level.cap for level in table if level.max_leverage >= leverage)


def liquidation_price(
    legs: Sequence[Leg],
    table: Sequence[Bracket],
    *,
    mark: Decimal,
    equity: Decimal,
) -> Decimal | None:
    """Return the mark price at which a cross-margined symbol is liquidated, or None where there is none.

    Args:
        legs: the sides held in this symbol (one in one-way mode, up to two in hedge mode).
        table: the symbol's brackets.
        mark: the mark price now, from which the first bracket is taken.
        equity: the cross wallet balance, less the maintenance margin of all other symbols, plus their
            unrealised profit, in USDT.

    The bracket is taken again at the price found, until it stays, as the vendor's page asks.
    """
    levels = [bracket_of(table, leg.size * mark) for leg in legs]
    price = _solve(legs, levels, equity)
    for _ in table:
        if price is None or price <= 0:
            return None
        levels_there = [bracket_of(table, leg.size * price) for leg in legs]
        if levels_there == levels:
            break
        levels = levels_there
        price = _solve(legs, levels, equity)
    return price


def _solve(legs: Sequence[Leg], levels: Sequence[Bracket], equity: Decimal) -> Decimal | None:
    numerator = equity
    denominator = ZERO
    for leg, level in zip(legs, levels, strict=True):
        numerator += level.amount - leg.direction * leg.size * leg.entry
        denominator += leg.size * level.rate - leg.direction * leg.size
    return numerator / denominator if denominator else None
