"""From a symbol as a model writes it to a market that the venue lists."""

import difflib
import re
from collections.abc import Mapping
from typing import Any, Final

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.errors import UnknownSymbolError
from exchange_mcp.model.venue_text import visible
from exchange_mcp.venue.markets import Markets

_SUGGESTIONS: Final = 4
_UNIFIED: Final = re.compile(r"^(?P<base>[^/:]+)/(?P<quote>[^/:]+)(:(?P<settle>[^-:]+)(-.+)?)?$")


def market_type_of(symbol: str) -> MarketType | None:
    """The market type that a unified symbol's form names; None where it is not of that form.

    Source: https://docs.ccxt.com/README?id=contract-naming-conventions
    """
    match = _UNIFIED.match(symbol)
    if match is None:
        return None
    settle = match["settle"]
    if settle is None:
        return MarketType.SPOT
    return MarketType.INVERSE if settle == match["base"] else MarketType.LINEAR


def resolve(symbol: str, markets: Markets, venue: str) -> Mapping[str, Any]:
    """The market of this unified symbol.

    Raises:
        UnknownSymbolError: the venue lists none; the message names the nearest that it does list.
    """
    market = markets.get(symbol)
    if market is not None:
        return market
    near = nearest(symbol, markets)
    suggestion = f"; nearest: {', '.join(near)}" if near else ""
    raise UnknownSymbolError(f"{venue} lists no {visible(symbol, 64)!r}{suggestion}")


def nearest(symbol: str, markets: Markets) -> list[str]:
    """The listed symbols that the writer most likely meant, best first, at most four."""
    plain = _plain(symbol)
    same = [
        listed
        for listed, market in markets.items()
        if plain in {_plain(listed), _plain(str(market.get("id")))}
    ]
    base = symbol.upper().split("/", maxsplit=1)[0]
    close = difflib.get_close_matches(
        symbol.upper(), [s for s in markets if s[:1] == symbol[:1].upper()], n=_SUGGESTIONS
    )
    by_base = sorted((s for s in markets if s.startswith(f"{base}/")), key=lambda s: (len(s), s))
    return list(dict.fromkeys([*same, *close, *by_base]))[:_SUGGESTIONS]


def _plain(symbol: str) -> str:
    head, _, settle = symbol.upper().partition(":")
    plain = re.sub(r"[^A-Z0-9]", "", head)
    return plain.removesuffix("PERP").removesuffix("SWAP") if not settle else plain
