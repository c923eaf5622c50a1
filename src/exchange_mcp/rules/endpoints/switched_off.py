"""What ccxt would ask by itself inside a read, what we set so that it does not, and why. Pure data."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_EVERYWHERE: Final = {
    "load_markets": "ccxt loads all markets inside the first call of a method; our client gets them from the catalogue",
    "adjustForTimeDifference": "ccxt would ask the venue's clock and shift every signature by the answer",
    "maxRetriesOnFailure": "ccxt would send a failed request again, a write too",
}
_CURRENCIES: Final = "loading markets with a key would sign a request for every coin; nothing here uses one"
_KIND: Final = (
    "ccxt would ask for the kind of account inside its reads and take a failure for an answer; "
    "our own code asks it once"
)

SWITCHED_OFF: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "binance": MappingProxyType(
            {
                "fetchCurrencies": _CURRENCIES,
                "fetchMargins": "loading markets with a key would sign two requests about margin, not offered here",
                "leverageBrackets": (
                    "the first read of positions would ask for every bracket, which only serves figures not given here"
                ),
            }
        ),
        "bitget": MappingProxyType({"uta": _KIND}),
        "kucoin": MappingProxyType(
            {
                "fetchMarkets.fetchTickersFees": "loading markets would ask for every ticker to read fees from",
                "uta": _KIND,
            }
        ),
    }
)
"""By ccxt id and by ccxt's option; a dot leads into an option that is an object."""


def switched_off(venue: str) -> Mapping[str, str]:
    """Everything that is switched off at a venue, by ccxt's name for it, with the reason."""
    return MappingProxyType({**_EVERYWHERE, **SWITCHED_OFF.get(venue, {})})
