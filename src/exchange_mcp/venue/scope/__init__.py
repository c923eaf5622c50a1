"""What may this API key do? One module a venue: the one request that asks, and what its answer tells. Pure; no I/O.

An answer is read by what the vendor's page describes and nothing else. What it does not say, says in another form, or
says with a word that nobody has read, is unknown: never denied, and never an error.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from exchange_mcp.model.scopes import KeyScope
from exchange_mcp.model.venue_text import visible
from exchange_mcp.venue.scope import binance, bitget, bybit, coinbase, gate, kraken, kucoin, okx
from exchange_mcp.venue.scope.question import ScopeQuestion

__all__ = ["QUESTIONS", "ScopeQuestion", "scope_of", "without_question"]

QUESTIONS: Final[Mapping[str, ScopeQuestion]] = MappingProxyType(
    {
        "binance": binance.QUESTION,
        "bybit": bybit.QUESTION,
        "okx": okx.QUESTION,
        "kraken": kraken.QUESTION,
        "coinbase": coinbase.QUESTION,
        "kucoin": kucoin.QUESTION,
        "bitget": bitget.QUESTION,
        "gate": gate.QUESTION,
    }
)
"""How each supported venue is asked, by ccxt id."""


def scope_of(venue: str, raw: object, *, own_key: str | None = None, asked: int | None = None) -> KeyScope:
    """What a venue's raw answer says of a key. It never raises: whatever is odd is unknown.

    `own_key` is the public part of our key, for venues that answer about several; it is never shown. `asked` is when
    the venue was asked, in UTC milliseconds.
    """
    question = QUESTIONS.get(venue)
    scope = without_question(venue) if question is None else question.parse(raw, own_key)
    return scope.model_copy(update={"asked": asked})


def without_question(venue: str) -> KeyScope:
    """The scope of a key at a venue where nobody knows how to ask: unknown, with the reason."""
    return KeyScope.unknown(
        visible(venue), f"how to ask {visible(venue)} what a key may do is not known in this version"
    )
