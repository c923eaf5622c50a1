"""What is free of base and quote on spot around an order."""

from decimal import Decimal
from typing import Final

from exchange_mcp.model.decimals import add, multiply, subtract
from exchange_mcp.model.terms import MarketTerms, Standing
from exchange_mcp.orders.expected import Expected
from exchange_mcp.orders.figures import Fee, Figures
from exchange_mcp.orders.planned import PlannedOrder
from exchange_mcp.orders.readings import Readings
from exchange_mcp.orders.wording import plain, shown

_ZERO: Final = Decimal(0)
_QUOTE: Final = ("free_placed", "free_after")


def around(planned: PlannedOrder, seen: Readings, expected: Expected | None, fee: Fee | None) -> Figures:
    """Both balances now, once the order is placed, and once it is filled.

    A buy that rests holds back amount times price in quote, a sale its amount in base; a fee in a third asset
    touches neither.
    """
    terms, standing, reasons = seen.terms, seen.standing, seen.reasons
    quote, base = standing.free_quote, standing.free_base
    reasons.say("the balance is not told", *(("free", *_QUOTE) if quote is None else ()))
    reasons.say("the balance is not told", *(("free_base", "free_base_after") if base is None else ()))
    if expected is None:
        reasons.say("what it would trade at is not known", *_QUOTE, "free_base_after")
        return Figures(free=quote, free_base=base)
    if fee is None:
        reasons.say("the fee is not known", *_QUOTE, "free_base_after")
    buys = planned.write.side == "buy"
    paid = _ZERO if fee is None or fee.asset != terms.quote else fee.quote
    paid_base = _ZERO if fee is None or fee.in_base is None else fee.in_base
    taken = expected.quote if not expected.rest else _ZERO if expected.taken is None else expected.taken.quote
    paid_at_once = paid if not expected.rest else _ZERO if fee is None or not paid else fee.at_once
    placed = after = base_after = None
    if quote is not None:
        # What a resting buy holds back is what it will cost; what a resting sale brings comes later.
        moved = expected.quote.copy_negate() if buys else expected.quote
        spent = expected.quote if expected.may_rest else taken
        at_once = spent.copy_negate() if buys else taken
        after = None if fee is None else subtract(add(quote, moved), paid)
        placed = None if fee is None else subtract(add(quote, at_once), paid_at_once)
    if base is not None and fee is not None:
        moved = expected.amount if buys else expected.amount.copy_negate()
        base_after = subtract(add(base, moved), paid_base)
    return Figures(
        free=quote,
        free_placed=placed,
        free_after=after,
        free_base=base,
        free_base_after=base_after,
        warnings=_short(planned, terms, standing, expected),
    )


def _short(
    planned: PlannedOrder, terms: MarketTerms, standing: Standing, expected: Expected
) -> tuple[str, ...]:
    free, needed, asset = standing.free_base, expected.amount, terms.base
    if planned.write.side == "buy":
        free, needed, asset = standing.free_quote, expected.quote, terms.quote
        if expected.rest and expected.price is not None:
            needed = add(
                multiply(expected.rest, expected.price),
                _ZERO if expected.taken is None else expected.taken.quote,
            )
    if free is None or needed <= free:
        return ()
    unit = plain(asset)
    return (
        f"{shown(needed)} {unit} are needed and {shown(free)} {unit} are free: the venue would refuse it",
    )
