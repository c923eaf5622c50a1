"""What a linear position needs and when it is liquidated: Binance's published formulas for USD-M. Money is in quote.

Initial margin: notional / leverage, https://www.binance.com/en/support/faq/87fa7ee33b574f7084d42bd2ce2e463b; resting
orders count by the side that would make the larger position, position notional at the mark price
(max(|notional + bids|, |notional - asks|) / leverage).
Maintenance margin and liquidation price: https://www.binance.com/en/support/faq/b3c689c1f50a44cabb3a84e663b81d93
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from exchange_mcp.model.decimals import add, divide, divide_up, multiply, subtract
from exchange_mcp.model.terms import Bracket

_ZERO: Final = Decimal(0)
_ONE: Final = Decimal(1)


def initial_margin(notional: Decimal, bids: Decimal, asks: Decimal, leverage: int) -> Decimal:
    """What a one-way position and its market's resting orders need together, rounded up at the eighth decimal.

    Args:
        notional: of the position at the mark price, a short negative.
        bids: what the resting buy orders are worth that may add to it.
        asks: the same of the sell orders.
        leverage: of the market.
    """
    largest = max(notional.copy_abs(), add(notional, bids).copy_abs(), subtract(notional, asks).copy_abs())
    return divide_up(largest, Decimal(leverage), places=8)


def liquidation_price(
    amount: Decimal, entry: Decimal, balance: Decimal, brackets: Sequence[Bracket]
) -> Decimal | None:
    """The mark price at which a one-way position is liquidated; None where no price above zero is.

    At that price what stands behind the position equals its maintenance margin:
    (balance + deduction - side x size x entry) / (size x rate - side x size), with the bracket that the position is
    worth there; above the last cap the last one.

    Args:
        amount: in base, a short negative; not zero.
        entry: its entry price.
        balance: cross: the cross wallet balance, less the maintenance margin of all other positions, plus their
            unrealised profit. Isolated: what is set apart for the position.
        brackets: of the market, ascending.

    Returns: with eight decimals, rounded towards the side from which the price comes: too early rather than too late.
    """
    size = amount.copy_abs()
    side = _ONE if amount > 0 else _ONE.copy_negate()
    behind = subtract(balance, multiply(side, multiply(size, entry)))
    for number, bracket in enumerate(brackets):
        denominator = multiply(size, subtract(bracket.rate, side))
        if not denominator:
            continue
        numerator = add(behind, bracket.deduction)
        price = (divide_up if amount > 0 else divide)(numerator, denominator, places=8)
        if price <= 0:
            continue
        worth = multiply(size, divide(numerator, denominator))
        is_last = number == len(brackets) - 1
        if bracket.floor <= worth and (is_last or worth <= bracket.cap):
            return price
    return None


def is_never_liquidated(amount: Decimal, entry: Decimal, balance: Decimal) -> bool:
    """Whether what stands behind a position covers all that it can lose: a long one that falls to nothing."""
    return amount > 0 and balance >= multiply(amount, entry)


def largest_notional(brackets: Sequence[Bracket], leverage: int) -> Decimal | None:
    """The largest position that a leverage allows, in quote; None where no bracket allows that leverage."""
    caps = [bracket.cap for bracket in brackets if bracket.max_leverage >= leverage]
    return max(caps) if caps else None
