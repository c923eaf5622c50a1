"""Where a venue tells what an account has realised, so that a limit on losses can be measured. Pure data.

No venue tells a realised profit or loss of spot: a spot trade exchanges assets, and what it was bought for is not
kept. Of derivatives, only those are here whose answer this version relies on.
"""

from collections.abc import Mapping
from types import MappingProxyType

from exchange_mcp.model.accounts import MarketType

REALISED_PNL: Mapping[str, Mapping[MarketType, str]] = MappingProxyType(
    {
        "binance": MappingProxyType(
            {
                MarketType.LINEAR: "https://developers.binance.com/docs/derivatives/usds-margined-futures/account/"
                "rest-api/Get-Income-History",
            }
        ),
    }
)
"""By ccxt id and market type: the page of the venue that describes the answer."""


def tells_realised_pnl(venue: str | None, market_type: MarketType) -> bool:
    """Whether realised losses of these markets can be measured; of an unknown venue, whether at any."""
    if venue is None:
        return any(market_type in told for told in REALISED_PNL.values())
    return market_type in REALISED_PNL.get(venue, {})
