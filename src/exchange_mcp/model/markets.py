"""What a venue's market shows: its last price and its order book."""

from exchange_mcp.model.decimals import Money
from exchange_mcp.model.frozen import Record
from exchange_mcp.model.instants import Instant
from exchange_mcp.model.venue_text import VenueText


class Ticker(Record):
    """The state of one market over the last 24 hours.

    Prices are in the quote asset; `base_volume` and `quote_volume` count 24 hours; `change_percent` is the
    24-hour change in per cent, a hundred times the venue's fraction where it tells one. Each is what the venue sent,
    None where it did not or where what it tells is of another period. `time` is the venue's own.
    """

    account: str
    symbol: VenueText
    last: Money | None
    bid: Money | None
    ask: Money | None
    high: Money | None
    low: Money | None
    change_percent: Money | None
    base_volume: Money | None
    quote_volume: Money | None
    time: Instant | None


class OrderBook(Record):
    """The best levels of one market's book, as [price in quote, amount in base] pairs, best first.

    `amount_unit` says what the amounts count: "base" is the base asset, "contracts" are of `contract_size` each,
    "unknown" is whatever the venue counts: then they compare with each other and with nothing else.
    """

    account: str
    symbol: VenueText
    bids: tuple[tuple[Money, Money], ...]
    asks: tuple[tuple[Money, Money], ...]
    levels: int
    amount_unit: str
    contract_size: Money | None
    time: Instant | None
