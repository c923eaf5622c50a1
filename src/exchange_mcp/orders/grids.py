"""Which values a venue takes: multiples of a step between two bounds, and the nearest of them to any value.

Sources: https://github.com/binance/binance-spot-api-docs/blob/master/filters.md (a rule of 0 is switched off) and
https://developers.binance.com/docs/derivatives/usds-margined-futures/common-definition (steps from the minimum).
"""

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from exchange_mcp.model.decimals import CONTEXT, add, multiply, subtract
from exchange_mcp.model.terms import AmountGrid, MarketTerms
from exchange_mcp.model.writes import OrderType

_ZERO: Final = Decimal(0)


@dataclass(frozen=True, slots=True)
class Grid:
    """The values from `least` to `most`, both included and above zero, that are whole steps away from `origin`.

    A step of zero is no step; a bound of None or zero is no bound.
    """

    step: Decimal
    least: Decimal | None = None
    most: Decimal | None = None
    origin: Decimal = _ZERO

    def is_on_step(self, value: Decimal) -> bool:
        """Whether a value is whole steps away from the origin, whatever the bounds."""
        return not self.step or not CONTEXT.remainder(subtract(value, self.origin), self.step)

    def is_too_small(self, value: Decimal) -> bool:
        """Whether a value is below the lower bound."""
        return bool(self.least) and value < (self.least or _ZERO)

    def is_too_large(self, value: Decimal) -> bool:
        """Whether a value is above the upper bound."""
        return bool(self.most) and value > (self.most or _ZERO)

    def smallest(self) -> Decimal | None:
        """The smallest valid value; None where no value is valid, or where there is neither step nor bound."""
        if self.least:
            return self._within(self._ceiling(self.least))
        if not self.step:
            return None
        first = self._ceiling(_ZERO)
        return self._within(first if first > 0 else add(first, self.step))

    def largest(self) -> Decimal | None:
        """The largest valid value; None where no value is valid, or where there is no upper bound."""
        return self._within(self._floor(self.most)) if self.most else None

    def below(self, value: Decimal) -> Decimal | None:
        """The largest valid value that is not above this one, None where there is none."""
        return self._within(self._floor(min(value, self.most) if self.most else value))

    def above(self, value: Decimal) -> Decimal | None:
        """The smallest valid value that is not below this one, None where there is none."""
        least = self.smallest()
        return self._within(self._ceiling(value if least is None else max(value, least)))

    def scaled(self, factor: Decimal) -> "Grid":
        """The same grid in another unit, of which `factor` make one of this one."""
        return Grid(
            multiply(self.step, factor),
            None if self.least is None else multiply(self.least, factor),
            None if self.most is None else multiply(self.most, factor),
            multiply(self.origin, factor),
        )

    def meeting(self, other: "Grid") -> "Grid | None":
        """The grid of the values that are on both, None where no value can be on both steps."""
        least = max(self.least or _ZERO, other.least or _ZERO)
        tops = [most for most in (self.most, other.most) if most]
        met = _steps_of_both(self, other)
        return None if met is None else Grid(met[0], least, min(tops) if tops else None, met[1])

    def _floor(self, value: Decimal) -> Decimal:
        if not self.step:
            return value
        over = CONTEXT.remainder(subtract(value, self.origin), self.step)
        return subtract(value, over if over >= 0 else add(over, self.step))

    def _ceiling(self, value: Decimal) -> Decimal:
        floor = self._floor(value)
        return floor if floor == value else add(floor, self.step)

    def _within(self, value: Decimal) -> Decimal | None:
        outside = value <= 0 or self.is_too_small(value) or self.is_too_large(value)
        return None if outside else value


def amount_grid(terms: MarketTerms, kind: OrderType) -> Grid | None:
    """The valid amounts of an order of this type, in the venue's own unit; None where no amount can be valid."""
    grid = _amounts(terms.amount)
    if not kind.has_price and terms.market_amount is not None:
        return grid.meeting(_amounts(terms.market_amount))
    return grid


def price_grid(terms: MarketTerms) -> Grid:
    """The valid prices and trigger prices, in quote."""
    prices = terms.price
    return Grid(prices.tick, prices.least, prices.most, prices.origin)


def _amounts(grid: AmountGrid) -> Grid:
    return Grid(grid.step, grid.least, grid.most, grid.origin)


def _steps_of_both(one: Grid, other: Grid) -> tuple[Decimal, Decimal] | None:
    """Step and origin of what is on both: two arithmetic progressions meet in one, or nowhere."""
    if not one.step or not other.step:
        stepped = one if one.step else other
        return stepped.step, stepped.origin
    if one.step == other.step and one.origin == other.origin:
        return one.step, one.origin
    places = max(_places(n) for n in (one.step, one.origin, other.step, other.origin))
    step_1, from_1, step_2, from_2 = (
        int(CONTEXT.scaleb(n, places)) for n in (one.step, one.origin, other.step, other.origin)
    )
    common = math.gcd(step_1, step_2)
    if (from_2 - from_1) % common:
        return None
    turns = (from_2 - from_1) // common * pow(step_1 // common, -1, step_2 // common) % (step_2 // common)
    step = step_1 // common * step_2
    first = (from_1 + turns * step_1) % step
    return CONTEXT.scaleb(Decimal(step), -places), CONTEXT.scaleb(Decimal(first), -places)


def _places(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0
