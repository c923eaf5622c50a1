"""Orders that rest at a venue."""

from typing import Literal

from exchange_mcp.model.decimals import Money
from exchange_mcp.model.frozen import Record
from exchange_mcp.model.instants import Instant
from exchange_mcp.model.venue_text import VenueText


class OpenOrder(Record):
    """One resting order, limit or conditional.

    Attributes:
        source: where it was read, such as `spot` or `linear conditional`.
        type: the venue's order type in ccxt's words, such as limit, stop_market.
        price, trigger_price: in the quote asset; None where the order has none.
        amount, filled, remaining: in the base asset, or in contracts where `contracts` is true.
        closes_position: a conditional order that closes whatever is open when it triggers; it has no amount.
    """

    account: str
    source: str
    symbol: str
    id: VenueText
    client_order_id: VenueText | None
    side: Literal["buy", "sell"]
    type: VenueText
    price: Money | None
    trigger_price: Money | None
    amount: Money | None
    filled: Money | None
    remaining: Money | None
    contracts: bool
    reduce_only: bool | None
    closes_position: bool | None
    post_only: bool | None
    time_in_force: VenueText | None
    position_side: Literal["long", "short"] | None
    created: Instant | None
