"""Which venues this version supports, which others it reads, and which accounts can exist at them.

Pure data and one pure decision over it. Endpoints, order ids and error codes of a venue live in modules of
their own.
"""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from exchange_mcp.model.accounts import Environment, MarketType
from exchange_mcp.rules.other_venues import other_venues

_SPOT = (MarketType.SPOT,)
_SPOT_AND_LINEAR = (MarketType.SPOT, MarketType.LINEAR)
_ALL = (MarketType.SPOT, MarketType.LINEAR, MarketType.INVERSE)


@dataclass(frozen=True, slots=True)
class VenueRules:
    """What one venue offers, as far as this version uses it.

    `id` is the ccxt id. The other tuples are subsets of `market_types`: what an account gets that names no
    market types, what the venue's practice system has, what our simulated exchange has, and where
    private reads exist in this version. `needs_passphrase` says that a key has a third part; `has_ticker` and
    `has_order_book`, what can be read of its markets.
    """

    id: str
    title: str
    market_types: tuple[MarketType, ...]
    default_market_types: tuple[MarketType, ...]
    sandbox_market_types: tuple[MarketType, ...] = ()
    sim_market_types: tuple[MarketType, ...] = ()
    has_private_reads: tuple[MarketType, ...] = ()
    needs_passphrase: bool = False
    has_ticker: bool = True
    has_order_book: bool = True


VENUES: Mapping[str, VenueRules] = MappingProxyType(
    {
        rules.id: rules
        for rules in (
            VenueRules(
                id="binance",
                title="Binance",
                market_types=_ALL,  # linear is USD-M, inverse is COIN-M
                default_market_types=_SPOT_AND_LINEAR,
                sandbox_market_types=_SPOT_AND_LINEAR,  # its demo mode: https://developers.binance.com/docs/binance-spot-api-docs/demo-mode
                sim_market_types=_SPOT_AND_LINEAR,
                has_private_reads=_SPOT_AND_LINEAR,
            ),
            VenueRules("bybit", "Bybit", _ALL, _SPOT_AND_LINEAR, has_private_reads=_ALL),
            VenueRules("okx", "OKX", _ALL, _SPOT_AND_LINEAR, has_private_reads=_ALL, needs_passphrase=True),
            VenueRules("kraken", "Kraken", _SPOT, _SPOT, has_private_reads=_SPOT),
            VenueRules("coinbase", "Coinbase", _SPOT, _SPOT, has_private_reads=_SPOT),
            VenueRules(
                "kucoin", "KuCoin", _ALL, _SPOT_AND_LINEAR, has_private_reads=_ALL, needs_passphrase=True
            ),
            VenueRules(
                "bitget", "Bitget", _ALL, _SPOT_AND_LINEAR, has_private_reads=_ALL, needs_passphrase=True
            ),
            VenueRules("gate", "Gate", _ALL, _SPOT_AND_LINEAR, has_private_reads=_ALL),
        )
    }
)
"""The supported venues by ccxt id."""


def venue_rules(venue: str) -> VenueRules | None:
    """What a venue offers here: all of a supported one, live market data of any other that can be read, or None."""
    other = None if venue in VENUES else other_venues().venues.get(venue)
    if other is None:
        return VENUES.get(venue)
    usual = tuple(t for t in other.market_types if t in _SPOT_AND_LINEAR)
    return VenueRules(
        other.id,
        other.title,
        other.market_types,
        usual or other.market_types,
        has_ticker=other.has_ticker,
        has_order_book=other.has_order_book,
    )


def check_account(
    venue: str, environment: Environment, market_types: Sequence[MarketType], *, has_key: bool
) -> str | None:
    """Why no such account can exist in this version, as one sentence; None if it can."""
    rules = venue_rules(venue)
    if rules is None:
        return other_venues().excluded.get(venue) or _unknown(venue)
    offered = {
        Environment.LIVE: rules.market_types,
        Environment.SANDBOX: rules.sandbox_market_types,
        Environment.SIM: rules.sim_market_types,
    }[environment]
    if not offered:
        return f"{rules.title} has no {environment} environment here; {_where_it_exists(environment)}"
    absent = [market_type for market_type in market_types if market_type not in offered]
    if absent:
        return (
            f'market type {_quoted(absent)} does not exist at {rules.title} in environment "{environment}"; '
            f"it has {_quoted(offered)}"
        )
    if has_key and not any(market_type in rules.has_private_reads for market_type in market_types):
        return f"a key is of no use here: {_where_keys_are_read()}; leave the key out to read market data"
    return None


def _unknown(venue: str) -> str:
    others = other_venues()
    near = difflib.get_close_matches(venue, (*VENUES, *others.venues, *others.excluded), n=1, cutoff=0.75)
    meant = f' (did you mean "{near[0]}"?)' if near else ""
    return (
        f'venue "{venue}" is not known{meant}; supported: {", ".join(VENUES)}, '
        f"and {len(others.venues)} others for market data"
    )


def _where_it_exists(environment: Environment) -> str:
    venues = [
        rules.id
        for rules in VENUES.values()
        if (rules.sandbox_market_types if environment is Environment.SANDBOX else rules.sim_market_types)
    ]
    return f'"{environment}" exists for {", ".join(venues)} only'


def _where_keys_are_read() -> str:
    places = [
        f"{rules.id} ({', '.join(rules.has_private_reads)})"
        for rules in VENUES.values()
        if rules.has_private_reads
    ]
    return f"private reads exist for {', '.join(places)} only in this version"


def _quoted(market_types: Sequence[MarketType]) -> str:
    return ", ".join(f'"{market_type}"' for market_type in market_types)
