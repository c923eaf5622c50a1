"""What an account holds."""

from exchange_mcp.model.decimals import Money
from exchange_mcp.model.frozen import Record
from exchange_mcp.model.venue_text import VenueText


class Balance(Record):
    """One asset in one wallet, in units of that asset. What the venue did not tell is None, never zero.

    `used` is the sum of what the venue tells as held; `total` is `free` and `used` together where it tells no total.
    """

    account: str
    source: str
    asset: VenueText
    free: Money | None
    used: Money | None
    total: Money | None
