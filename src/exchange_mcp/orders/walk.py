"""What an order takes from a book that was read: walked level by level, exactly.

A book is what one answer showed, up to so many levels. A level with nothing in it is passed over; levels of one price
count each for itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Final

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.decimals import CONTEXT, divide, floor_to_step, multiply
from exchange_mcp.model.markets import OrderBook
from exchange_mcp.model.terms import MarketTerms

_ZERO: Final = Decimal(0)
_ONE: Final = Decimal(1)

Level = tuple[Decimal, Decimal]


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One side of a book that can be walked.

    Attributes:
        levels: price in quote and amount in the book's own unit, best first.
        unit: how much of the venue's unit one of the book's is.
        per_unit: base (quote where the market is inverse) that one of the book's units is.
    """

    levels: Sequence[Level]
    unit: Decimal
    per_unit: Decimal
    is_inverse: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """What was taken.

    Attributes:
        amount: in the venue's unit; quote: what it is worth, in quote; base: the same in base (cut at 18 decimals where
            the market is inverse).
        worst: the least favourable price of what was taken, highest: the highest; None where nothing was.
        levels: how many levels were touched.
        missing: what the book did not have, in the venue's unit, or in quote where a cost was walked.
    """

    amount: Decimal
    quote: Decimal
    base: Decimal
    worst: Decimal | None
    highest: Decimal | None
    levels: int
    missing: Decimal


def opposite(book: OrderBook, terms: MarketTerms, side: str) -> Side | None:
    """The levels that an order of this side trades with; None where it is not known what the book counts."""
    is_inverse = terms.market_type is MarketType.INVERSE
    levels = book.asks if side == "buy" else book.bids
    size = terms.contract_size
    if book.amount_unit == "contracts" and size is not None:
        return Side(levels=levels, unit=_ONE, per_unit=size, is_inverse=is_inverse)
    if book.amount_unit != "base" or is_inverse:
        return None
    if size is None:
        return Side(levels=levels, unit=_ONE, per_unit=_ONE, is_inverse=False)
    unit = divide(_ONE, size, places=60)
    return Side(levels=levels, unit=unit, per_unit=_ONE, is_inverse=False) if unit * size == 1 else None


def take_amount(side: Side, amount: Decimal, *, limit: Decimal | None = None, buys: bool = True) -> Walk:
    """Walk for an amount in the venue's unit, at no worse price than the limit."""
    with localcontext(CONTEXT):
        wanted = amount if side.unit == 1 else amount / side.unit
        rest, paid, base = wanted, _ZERO, _ZERO
        touched: list[Decimal] = []
        for price, offered in side.levels:
            if not rest or (limit is not None and (price > limit if buys else price < limit)):
                break
            if offered <= 0 or price <= 0:
                continue
            taken = min(offered, rest)
            rest -= taken
            touched.append(price)
            if side.is_inverse:
                base += divide(taken * side.per_unit, price)
            else:
                paid += taken * price
        got = wanted - rest
        paid = (got if side.is_inverse else paid) * side.per_unit
        highest = max(touched, default=None)
        return Walk(
            amount=got * side.unit,
            quote=paid,
            base=base if side.is_inverse else got * side.per_unit,
            worst=highest if buys else min(touched, default=None),
            highest=highest,
            levels=len(touched),
            missing=rest * side.unit,
        )


def take_cost(side: Side, cost: Decimal, *, step: Decimal) -> Walk:
    """Walk a spot book's asks for what a cost in quote buys; what is taken of a level stays on the amount's step."""
    with localcontext(CONTEXT):
        rest, got, count = cost, _ZERO, 0
        worst: Decimal | None = None
        is_through = False
        for price, offered in side.levels:
            if offered <= 0 or price <= 0:
                continue
            taken = offered
            if price * offered > rest:
                taken = divide(rest, price, places=60)
                is_through = True
            taken = floor_to_step(taken, step) if step and is_through else taken
            if taken:
                rest -= price * taken
                got += taken
                count += 1
                worst = price if worst is None else max(worst, price)
            if is_through or not rest:
                is_through = True
                break
        return Walk(
            amount=got,
            quote=cost - rest,
            base=got,
            worst=worst,
            highest=worst,
            levels=count,
            missing=_ZERO if is_through else rest,
        )


def seen(side: Side) -> Decimal:
    """How much the levels hold altogether, in the venue's unit."""
    with localcontext(CONTEXT):
        return multiply(sum((amount for _, amount in side.levels), _ZERO), side.unit)


def middle(book: OrderBook) -> Decimal | None:
    """The mean of the best bid and the best ask, None where a side is empty or the two are crossed."""
    if not book.bids or not book.asks or book.bids[0][0] >= book.asks[0][0] or book.bids[0][0] <= 0:
        return None
    with localcontext(CONTEXT):
        return (book.bids[0][0] + book.asks[0][0]) / 2


NOTHING: Final = Walk(
    amount=_ZERO, quote=_ZERO, base=_ZERO, worst=None, highest=None, levels=0, missing=_ZERO
)
"""What an order takes that does not trade at once."""
