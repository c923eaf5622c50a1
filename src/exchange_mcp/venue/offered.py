"""What an exchange class of ccxt says that it offers: its title, its market types, and what it can be asked.

Read from the class alone, without a request: `has`, `features`, and what its options confine it to.
https://docs.ccxt.com/README?id=exchange-structure
"""

from collections.abc import Iterable
from typing import Any, Final, cast

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.rules.endpoints import Endpoint
from exchange_mcp.rules.other_venues import OtherVenue, OtherVenues
from exchange_mcp.rules.venues import VENUES
from exchange_mcp.venue.derivation import reached_by
from exchange_mcp.venue.endpoints import EndpointTable, keyless
from exchange_mcp.venue.snapshot import INSTALLED, take
from exchange_mcp.venue.sweep import Examined, exchange_class

_CONTRACTS: Final = ("swap", "future")
_SETTLED: Final = (MarketType.LINEAR, MarketType.INVERSE)


def other_venues_of(swept: Iterable[Examined]) -> OtherVenues:
    """The venues beyond the supported ones as a sweep finds them: what each offers, or why it is excluded."""
    swept = tuple(swept)
    kinds = {each.venue: exchange_class(each.venue) for each in swept if each.venue not in VENUES}
    reasons = {each.venue: each.reason for each in swept}
    tables = {venue: keyless(take(kind), reasons[venue]) for venue, kind in kinds.items()}
    return OtherVenues(
        ccxt=INSTALLED,
        venues={venue: offer(kinds[venue], rows) for venue, rows in tables.items() if rows.closed is None},
        excluded={venue: rows.closed for venue, rows in tables.items() if rows.closed is not None},
    )


def offer(kind: Any, rows: EndpointTable) -> OtherVenue:  # noqa: ANN401 - ccxt is untyped
    """What an exchange class offers, where `rows` may leave.

    Contracts of which ccxt does not tell how they settle count as linear.
    """
    exchange = kind()
    allowed = frozenset[Endpoint]().union(*rows.allowed.values())
    return OtherVenue(
        id=exchange.id,
        title=exchange.name,
        market_types=_market_types(exchange),
        has_ticker=bool(reached_by(kind, "fetch_ticker") & allowed),
        has_order_book=bool(reached_by(kind, "fetch_order_book") & allowed),
    )


def _market_types(exchange: Any) -> tuple[MarketType, ...]:  # noqa: ANN401 - ccxt is untyped
    types = {MarketType.SPOT} if exchange.has.get("spot") else set[MarketType]()
    traded = [kind for kind in _CONTRACTS if exchange.has.get(kind)]
    if traded:
        features: dict[str, Any] = exchange.describe().get("features") or {}
        settled = {
            market_type
            for kind in traded
            for market_type in _SETTLED
            if isinstance(told := features.get(kind), dict) and cast("dict[str, Any]", told).get(market_type)
        }
        types |= settled or {MarketType.LINEAR}
    return tuple(t for t in MarketType if t in types and _is_loaded(exchange, t))


def _is_loaded(exchange: Any, market_type: MarketType) -> bool:  # noqa: ANN401 - ccxt is untyped
    """Whether ccxt loads such markets: binance's futures are classes of their own, derived from one of everything."""
    named = exchange.safe_dict(exchange.options, "fetchMarkets", {}).get("types")
    if not isinstance(named, list):
        return True
    accepted = {market_type.value, *(() if market_type is MarketType.SPOT else _CONTRACTS)}
    return not accepted.isdisjoint(cast("list[str]", named))
