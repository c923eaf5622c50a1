"""Orders that rest at a venue."""

from typing import Literal

from exchange_mcp.model.decimals import Money
from exchange_mcp.model.frozen import Record
from exchange_mcp.model.instants import Instant
from exchange_mcp.model.venue_text import VenueText


class OpenOrder(Record):
    """One resting order, limit or conditional. What the venue did not send is None.

    Attributes:
        source: where it was read, such as `spot` or `linear conditional`.
        symbol: the unified symbol, or the venue's own id of a market that is not in its list of markets.
        type: the venue's order type in ccxt's words, such as limit, stop_market.
        price, trigger_price: in the quote asset; None where the order has none, which venues write as 0 or -1.
        amount, filled: in the base asset, or in contracts where `contracts` is true.
        remaining: `amount` less `filled`, where both are told.
        closes_position: a conditional order that closes whatever is open when it triggers; it has no amount.
    """

    account: str
    source: str
    symbol: VenueText
    id: VenueText
    client_order_id: VenueText | None
    side: Literal["buy", "sell"]
    type: VenueText | None
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
