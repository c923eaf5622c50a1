"""What an account holds in derivatives."""

from typing import Literal

from exchange_mcp.model.decimals import Money
from exchange_mcp.model.frozen import Record
from exchange_mcp.model.instants import Instant
from exchange_mcp.model.venue_text import VenueText

Side = Literal["long", "short"]
MarginMode = Literal["cross", "isolated"]
PositionMode = Literal["one_way", "hedge"]

EffectClass = Literal["opens", "adds", "reduces", "closes", "flips"]
"""What an order does to the position it meets."""


class Position(Record):
    """One open position; a hedge-mode account has one row a side. What the venue did not send is None.

    Attributes:
        symbol: the unified symbol, or the venue's own id of a market that is not in its list of markets.
        amount: size in the base asset, without sign; `side` carries the direction. Where the venue counts contracts it
            is `contracts` times `contract_size`.
        contracts: size in the venue's contracts, of `contract_size` base each.
        entry_price, mark_price, liquidation_price: in the quote asset. Venues write a liquidation price of 0 or
            less where there is none; that one is None.
        unrealised_pnl, notional: in the settlement asset.
        hedge_mode: whether the row is one side of a hedge-mode account; None where the venue does not tell.
        updated: when the venue says it last changed.
    """

    account: str
    source: str
    symbol: VenueText
    side: Side
    amount: Money | None
    contracts: Money | None
    contract_size: Money | None
    entry_price: Money | None
    mark_price: Money | None
    liquidation_price: Money | None
    notional: Money | None
    leverage: Money | None
    margin_mode: MarginMode | None
    unrealised_pnl: Money | None
    hedge_mode: bool | None
    updated: Instant | None
