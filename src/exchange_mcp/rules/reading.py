"""What a good answer to a read looks like, so that a bad one is never taken for an empty account.

ccxt parses an HTML page, `{}` or a cut-off body into empty balances and books without a word. Any answer
must be a JSON object or array; where a list in it would be rendered as "nothing there", the list itself
must be present.
"""

from typing import Final, cast

from exchange_mcp.model.accounts import MarketType

# (venue, ccxt api section, path) -> the member that must be a list, or "" where the answer itself must be one.
# Spot: https://developers.binance.com/docs/binance-spot-api-docs/rest-api/account-endpoints
# USD-M: https://developers.binance.com/docs/derivatives/usds-margined-futures/account/rest-api
#        https://developers.binance.com/docs/derivatives/usds-margined-futures/trade/rest-api
_LISTS: Final[dict[tuple[str, str, str], tuple[str, ...]]] = {
    ("binance", "public", "exchangeInfo"): ("symbols",),
    ("binance", "public", "depth"): ("bids", "asks"),
    ("binance", "private", "account"): ("balances",),
    ("binance", "private", "openOrders"): ("",),
    ("binance", "fapiPublic", "exchangeInfo"): ("symbols",),
    ("binance", "fapiPublic", "depth"): ("bids", "asks"),
    ("binance", "fapiPrivateV3", "account"): ("assets",),
    ("binance", "fapiPrivateV2", "positionRisk"): ("",),
    ("binance", "fapiPrivate", "openOrders"): ("",),
    ("binance", "fapiPrivate", "openAlgoOrders"): ("",),
    ("binance", "dapiPublic", "exchangeInfo"): ("symbols",),
    ("binance", "dapiPublic", "depth"): ("bids", "asks"),
}


def _member(answer: dict[str, object] | list[object], name: str) -> object:
    if not name:
        return answer
    return None if isinstance(answer, list) else answer.get(name)


def fault(venue: str, api: str, path: str, answer: object) -> str | None:
    """What is wrong with the shape of an answer, as "an answer that …"; None where nothing is."""
    if not isinstance(answer, dict | list):
        return "an answer that is not JSON"
    members = cast("dict[str, object] | list[object]", answer)
    for member in _LISTS.get((venue, api, path), ()):
        if not isinstance(_member(members, member), list):
            return f"an answer to {path} without its list{f' of {member}' if member else ''}"
    return None


# The depths that a venue's book request takes, where it does not take any number.
# binance USD-M: https://developers.binance.com/docs/derivatives/usds-margined-futures/market-data/rest-api/Order-Book
# binance COIN-M: https://developers.binance.com/docs/derivatives/coin-margined-futures/market-data/rest-api/Order-Book
# kucoin: https://www.kucoin.com/docs-new/rest/spot-trading/market-data/get-part-orderbook
# bitget: https://www.bitget.com/api-doc/contract/market/Get-Merge-Depth
_FUTURES_DEPTHS: Final = (5, 10, 20, 50, 100)
_DEPTHS: Final[dict[tuple[str, MarketType], tuple[int, ...]]] = {
    ("binance", MarketType.LINEAR): _FUTURES_DEPTHS,
    ("binance", MarketType.INVERSE): _FUTURES_DEPTHS,
    **{("kucoin", market_type): (20, 100) for market_type in MarketType},
    ("bitget", MarketType.LINEAR): (1, 5, 15, 50),
    ("bitget", MarketType.INVERSE): (1, 5, 15, 50),
}


def book_depth(venue: str, market_type: MarketType, levels: int) -> int:
    """The smallest depth that the venue's book request takes and that holds `levels`."""
    depths = _DEPTHS.get((venue, market_type), ())
    return next((depth for depth in depths if depth >= levels), levels)
