"""What an order does to the position it meets, and what is held then. Amounts are in the venue's own unit.

One-way: a position has a sign, long above zero; an order opens, adds, reduces, closes or flips it, and reduce-only
never takes it through zero. Hedge: an order opens or adds to its own side's leg, buy to the long and sell to the short
one; reduce-only, it reduces or closes the other leg. Spot: what is held of the base asset, on order included, is the
position; less than the smallest order counts as nothing, and a sale can neither flip nor open.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.decimals import add, multiply, subtract
from exchange_mcp.model.positions import EffectClass
from exchange_mcp.model.terms import Held, MarketTerms, Standing

_ZERO: Final = Decimal(0)
_ONE: Final = Decimal(1)
_MINUS_ONE: Final = Decimal(-1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A position before an order and after it is filled, in the venue's own unit; a short is negative.

    Attributes:
        effect, before, after: None where they cannot be told, and `why` says so.
        moved: how much of the order there is to fill; less than asked where reduce-only ends it.
        leg: in hedge mode, the one that the order is for.
    """

    effect: EffectClass | None
    before: Decimal | None
    after: Decimal | None
    moved: Decimal | None
    why: str = ""
    leg: str | None = None


def signed_position(standing: Standing) -> Decimal | None:
    """The position in one-way mode, a short negative; in hedge mode the sum of both legs; None where not told."""
    if standing.held is None:
        return None
    total = _ZERO
    for held in standing.held:
        total = add(total, _signed(held))
    return total


def leg_that_is_reduced(standing: Standing, side: str) -> Held | None:
    """The position, or the leg in hedge mode, that a reduce-only order of this side makes smaller."""
    wanted = "long" if side == "sell" else "short"
    return next((h for h in standing.held or () if h.side == wanted and h.amount > 0), None)


def change(  # noqa: PLR0913 - an order's side, size and flag
    terms: MarketTerms,
    standing: Standing,
    *,
    side: str,
    amount: Decimal | None,
    is_reduce_only: bool,
    smallest: Decimal | None,
) -> Change:
    """What an order of this amount does once it is filled.

    Args:
        terms: of the market.
        standing: of the account there.
        side: buy or sell.
        amount: in the venue's own unit; None where a cost was asked for and the book does not tell what it buys.
        is_reduce_only: whether the venue lets it only reduce.
        smallest: the smallest order that the venue takes: on spot, less than that counts as nothing held.
    """
    if amount is None:
        return Change(
            effect=None, before=None, after=None, moved=None, why="how much the cost buys is not known"
        )
    if terms.market_type is MarketType.SPOT:
        return _spot(standing, side, amount, smallest)
    if standing.held is None or standing.position_mode is None:
        return Change(
            effect=None,
            before=None,
            after=None,
            moved=amount,
            why="the position or the position mode is not told",
        )
    if standing.position_mode == "hedge":
        return _hedge(standing, side, amount, is_reduce_only=is_reduce_only)
    return _one_way(signed_position(standing) or _ZERO, side, amount, is_reduce_only=is_reduce_only)


def _one_way(before: Decimal, side: str, amount: Decimal, *, is_reduce_only: bool) -> Change:
    direction = _ONE if side == "buy" else _MINUS_ONE
    if before == 0 or (before > 0) is (direction > 0):
        effect: EffectClass = "opens" if before == 0 else "adds"
        return Change(
            effect=effect, before=before, after=add(before, multiply(amount, direction)), moved=amount
        )
    size = before.copy_abs()
    moved = min(amount, size) if is_reduce_only else amount
    effect = "reduces" if moved < size else "closes" if moved == size else "flips"
    return Change(effect=effect, before=before, after=add(before, multiply(moved, direction)), moved=moved)


def _hedge(standing: Standing, side: str, amount: Decimal, *, is_reduce_only: bool) -> Change:
    leg = ("short" if side == "buy" else "long") if is_reduce_only else "long" if side == "buy" else "short"
    held = next((h.amount for h in standing.held or () if h.side == leg), _ZERO)
    sign = _ONE if leg == "long" else _MINUS_ONE
    if is_reduce_only:
        moved = min(amount, held)
        after = subtract(held, moved)
        effect: EffectClass = "closes" if after == 0 else "reduces"
    else:
        moved, after = amount, add(held, amount)
        effect = "adds" if held else "opens"
    return Change(
        effect=effect, before=multiply(held, sign), after=multiply(after, sign), moved=moved, leg=leg
    )


def _spot(standing: Standing, side: str, amount: Decimal, smallest: Decimal | None) -> Change:
    if standing.free_base is None:
        return Change(effect=None, before=None, after=None, moved=amount, why="the balance is not told")
    if standing.locked_base is None:
        why = "how much of the balance orders hold back is not told"
        return Change(effect=None, before=None, after=None, moved=amount, why=why)
    before = add(standing.free_base, standing.locked_base)
    least = _ZERO if smallest is None else smallest
    if side == "buy":
        is_nothing = before < least or before == 0
        effect: EffectClass = "opens" if is_nothing else "adds"
        return Change(effect=effect, before=before, after=add(before, amount), moved=amount)
    after = subtract(before, amount)
    effect = "closes" if after < least or after <= 0 else "reduces"
    return Change(effect=effect, before=before, after=after, moved=amount)


def _signed(held: Held) -> Decimal:
    return held.amount if held.side == "long" else held.amount.copy_negate()
