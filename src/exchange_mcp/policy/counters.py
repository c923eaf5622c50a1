"""What has been done already, counted by whoever journals it: the limits over time are compared with it.

Counted are orders whose outcome is accepted, unknown or still to come, an unknown one at its worst case, and never
one that was proved rejected, absent or not sent.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from exchange_mcp.model.decimals import from_wire


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """The counts of one scope: of the desk, one of its accounts, or one market on all accounts. None is not known.

    Attributes:
        notional_24h: worst-case notional of the orders of the last 24 hours, by quote asset; those that the venue
            enforces as reduce-only are left out.
        orders_last_minute: orders placed in the last 60 seconds.
        open_orders: that rest at the venue, whoever placed them, conditional ones included.
        realised_pnl_24h: realised profit less loss of derivatives over the last 24 hours, with fees and funding,
            by settlement asset.

    Raises:
        ValueError: a count is negative, or an amount is no exact number.
    """

    notional_24h: Mapping[str, Decimal] | None = None
    orders_last_minute: int | None = None
    open_orders: int | None = None
    realised_pnl_24h: Mapping[str, Decimal] | None = None

    def __post_init__(self) -> None:
        counts = (self.orders_last_minute, self.open_orders)
        amounts = tuple((self.notional_24h or {}).values())
        for amount in (*amounts, *(self.realised_pnl_24h or {}).values()):
            from_wire(amount)
        if any(count is not None and count < 0 for count in counts) or any(amount < 0 for amount in amounts):
            raise ValueError("a count is not negative")


UNKNOWN: Final = Tally()
"""Nothing is known: every limit over time refuses."""

NOTHING_YET: Final = Tally(notional_24h={}, orders_last_minute=0, open_orders=0, realised_pnl_24h={})
"""Nothing has been done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """The tallies of the scopes that cover one write: the desk, its account, and its market on all accounts."""

    desk: Tally
    account: Tally
    symbol: Tally
