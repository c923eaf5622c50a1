"""From a symbol as a model writes it to a market that the venue lists."""

import difflib
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.errors import UnknownSymbolError
from exchange_mcp.model.unified_symbols import UNIFIED, market_type_of
from exchange_mcp.model.venue_text import visible
from exchange_mcp.rules.private.declared import Source
from exchange_mcp.venue.markets import Markets

_SUGGESTIONS: Final = 4
# How many letters of a base name it well enough to be looked for inside of others, as PEPE is in 1000PEPE.
_TELLING: Final = 3
# Kraken's and KuCoin's futures' name for Bitcoin, with Kraken's prefix for a currency.
_TICKER_OF_OLD: Final = re.compile("^X?XBT")


def may_hold(symbol: str, source: Source[Any]) -> bool:
    """Whether a source can hold something of this symbol; a symbol of no known form may be anywhere."""
    match, named = UNIFIED.match(symbol), market_type_of(symbol)
    if match is None or named is None:
        return True
    return (
        named in source.types
        and source.settle in {None, match["settle"]}
        and source.dated in {None, match["expiry"] is not None}
    )


def market_named(
    client: Any,  # noqa: ANN401 - ccxt is untyped
    identifier: str,
    types: Sequence[MarketType],
) -> Mapping[str, Any] | None:
    """The listed market of these types that the venue calls so.

    ccxt takes another market type's where the venue's own name for both is one (ccxt/base/exchange.py, `safe_market`).
    """
    # Kraken has a second name for each market.
    others: Mapping[str, Any] = client.options.get("marketsByAltname") or {}
    named = list(client.markets_by_id.get(identifier) or [])
    named += [others[identifier]] if identifier in others else []
    return next((market for market in named if market_type_of(str(market["symbol"])) in types), None)


def resolve(symbol: str, markets: Markets, venue: str) -> Mapping[str, Any]:
    """The market of this unified symbol.

    Raises:
        UnknownSymbolError: the venue lists none; the message names the nearest that it does list.
    """
    market = markets.get(symbol)
    if market is not None:
        return market
    near = nearest(symbol, markets)
    suggestion = f"; nearest: {', '.join(visible(each, 64) for each in near)}" if near else ""
    # Letters that are not ASCII are spelled out: a look-alike would read as the symbol that is listed.
    raise UnknownSymbolError(f"{venue} lists no {visible(symbol, 64)!a}{suggestion}")


def nearest(symbol: str, markets: Markets) -> list[str]:
    """The listed symbols that the writer most likely meant, best first, at most four.

    First what is the same but for its punctuation, in the unified form or in the venue's own; then what has
    the same base and quote; then what is spelled alike; then what has the same base.
    """
    letters = _letters(symbol)
    pair = _letters(symbol.partition(":")[0]).removesuffix("PERP").removesuffix("SWAP")
    base = _letters(re.split(r"[^A-Za-z0-9]", symbol.strip(), maxsplit=1)[0])
    same = [
        listed
        for listed, market in markets.items()
        if letters in {_letters(listed), _letters(str(market.get("id")))}
    ]
    same_pair = [listed for listed in markets if pair == _letters(listed.partition(":")[0])]
    alike = [
        listed
        for listed in markets
        if listed[:1] == letters[:1] or (len(base) >= _TELLING and base in _base_of(listed))
    ]
    close = difflib.get_close_matches(
        _TICKER_OF_OLD.sub("BTC", symbol.strip().upper()), alike, n=_SUGGESTIONS
    )
    same_base = sorted((s for s in markets if _base_of(s) == base), key=lambda s: (len(s), s))
    found = [*same, *same_pair, *close, *same_base] if letters else []
    return list(dict.fromkeys(found))[:_SUGGESTIONS]


def _letters(symbol: str) -> str:
    """The symbol without case and punctuation, and with Bitcoin by one name."""
    return _TICKER_OF_OLD.sub("BTC", re.sub(r"[^A-Z0-9]", "", symbol.upper()))


def _base_of(listed: str) -> str:
    return listed.partition("/")[0]
