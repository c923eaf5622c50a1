"""What the policy is asked about: one write, as far as its limits need it. Made from a plan and its preview.

What is not known is None, and None never helps: a limit that needs it refuses, a forbid that turns on it matches.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal

from exchange_mcp.model.accounts import AccountName, MarketType
from exchange_mcp.model.outcomes import Action
from exchange_mcp.model.positions import EffectClass
from exchange_mcp.model.writes import OrderType

# A notional is a product of an amount, a price and a contract size. Larger ones are no money, and would not fit the
# exact context once they are converted.
_MOST_DIGITS: Final = 130


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """One write as the policy sees it. Amounts and prices are in the market's quote asset.

    Attributes:
        side, type: of an order to be placed; None otherwise.
        effect: what the order does to the position; None where that is not known, or the write is no order.
        is_venue_enforced_reduce_only: the venue itself will not let it open anything.
        expected_notional: what it is worth at the expected price; only shown.
        worst_notional: what it is worth at the worst price; None where nothing bounds that.
        worst_price: the limit price, or the last level that a market order reaches in the book; None where nothing
            bounds it.
        trigger_price: of a stop.
        mid, quoted_at_ms: between best bid and ask, and when that was received; UTC milliseconds.
        leverage_asked: of a change of leverage. leverage_set: of the market, as it is.
        has_position: whether a position is open in the market; of a derivative.
        is_protective: whether the order that a cancel ends is a reduce-only stop.

    Raises:
        ValueError: a part is missing that the action always has, or a figure is no finite amount.
    """

    action: Action
    account: AccountName
    symbol: str
    market_type: MarketType
    base: str
    quote: str
    side: Literal["buy", "sell"] | None = None
    type: OrderType | None = None
    effect: EffectClass | None = None
    is_venue_enforced_reduce_only: bool = False
    expected_notional: Decimal | None = None
    worst_notional: Decimal | None = None
    worst_price: Decimal | None = None
    trigger_price: Decimal | None = None
    mid: Decimal | None = None
    quoted_at_ms: int | None = None
    leverage_asked: int | None = None
    leverage_set: int | None = None
    has_position: bool | None = None
    is_protective: bool | None = None

    def __post_init__(self) -> None:
        if self.action == "place" and (self.side is None or self.type is None):
            raise ValueError("an order has a side and a type")
        if self.action == "leverage" and self.leverage_asked is None:
            raise ValueError("a change of leverage names the leverage")
        if self.is_venue_enforced_reduce_only and (
            self.action != "place" or self.market_type is MarketType.SPOT
        ):
            raise ValueError("only an order for a derivative is enforced as reduce-only")
        for number in (self.expected_notional, self.worst_notional):
            _check(number, least_is_allowed=True)
        for number in (self.worst_price, self.trigger_price, self.mid):
            _check(number, least_is_allowed=False)

    @property
    def is_derivative(self) -> bool:
        """Whether it is about a market with leverage and positions."""
        return self.market_type is not MarketType.SPOT

    @property
    def is_reducing_stop(self) -> bool:
        """Whether it is a stop that the position caps, because the venue enforces reduce-only."""
        return self.is_venue_enforced_reduce_only and self.type is not None and self.type.has_trigger


def _check(number: Decimal | None, *, least_is_allowed: bool) -> None:
    if number is None:
        return
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int) or abs(exponent) > _MOST_DIGITS or number.adjusted() > _MOST_DIGITS:
        raise ValueError("a figure of an order is a finite number of sane length")
    if number < 0 or (number == 0 and not least_is_allowed):
        raise ValueError("notionals are not negative, and prices are greater than 0")
