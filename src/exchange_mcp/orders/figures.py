"""What an order does to an account, in one set of figures: fee, balances, entry and liquidation price."""

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Fee:
    """What the fills cost.

    Attributes:
        quote: in quote, or in the settlement asset where the market is inverse.
        asset: in which it is paid.
        in_base: the same in base, where it is paid in that.
        at_once: the part, in quote, of what is filled at once.
    """

    quote: Decimal
    asset: str
    in_base: Decimal | None
    at_once: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """An account's figures around an order; the names are those of `OrderPreview`."""

    free: Decimal | None = None
    free_placed: Decimal | None = None
    free_after: Decimal | None = None
    free_base: Decimal | None = None
    free_base_after: Decimal | None = None
    entry_price_after: Decimal | None = None
    liquidation_price: Decimal | None = None
    liquidation_price_after: Decimal | None = None
    warnings: tuple[str, ...] = ()
