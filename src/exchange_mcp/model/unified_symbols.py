"""What a unified symbol's form says: base, quote, and how the market settles.

Source: https://docs.ccxt.com/README?id=contract-naming-conventions
"""

import re
from typing import Final

from exchange_mcp.model.accounts import MarketType

UNIFIED: Final = re.compile(
    r"^(?P<base>[^/:]+)/(?P<quote>[^/:]+)(:(?P<settle>[^-:]+)(?P<expiry>-.+)?)?$",
)


def base_of(symbol: str) -> str | None:
    """The base asset that a unified symbol names; None where it is not of that form."""
    match = UNIFIED.match(symbol)
    return None if match is None else match["base"]


def market_type_of(symbol: str) -> MarketType | None:
    """The market type that a unified symbol's form names; None where it is not of that form."""
    match = UNIFIED.match(symbol)
    if match is None:
        return None
    settle = match["settle"]
    if settle is None:
        return MarketType.SPOT
    return MarketType.INVERSE if settle == match["base"] else MarketType.LINEAR
