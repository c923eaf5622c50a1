"""A ccxt client of ours: exact numbers, our session, nothing loaded behind a caller's back."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final, cast
from urllib.parse import urlsplit

import ccxt.async_support as ccxt

from exchange_mcp.model.accounts import Environment, MarketType
from exchange_mcp.model.errors import BadAnswerError, InternalError
from exchange_mcp.rules.endpoints import Endpoint
from exchange_mcp.rules.venues import VENUES
from exchange_mcp.venue.addresses import Address, NoAddressError, learn, learn_public
from exchange_mcp.venue.egress import Guard
from exchange_mcp.venue.listed.binance import kept_of
from exchange_mcp.venue.market_cache import StoredMarkets
from exchange_mcp.venue.numbers import ExactNumbers
from exchange_mcp.venue.wire import Wire

VERSION: Final[str] = ccxt.__version__

REQUEST_MS: Final = 10_000
LOADING_MS: Final = 30_000

# What ccxt calls the market types when it fetches a catalogue, where it can be limited.
_TYPE_NAMES: Final[dict[str, dict[MarketType, tuple[str, ...]]]] = {
    "binance": {t: (t.value,) for t in MarketType},
    "bybit": {t: (t.value,) for t in MarketType},
    "okx": {
        MarketType.SPOT: ("spot",),
        MarketType.LINEAR: ("swap", "future"),
        MarketType.INVERSE: ("swap", "future"),
    },
    "kucoin": {
        MarketType.SPOT: ("spot",),
        MarketType.LINEAR: ("swap", "future", "contract"),
        MarketType.INVERSE: ("swap", "future", "contract"),
    },
    "bitget": {MarketType.SPOT: ("spot",), MarketType.LINEAR: ("swap",), MarketType.INVERSE: ("swap",)},
    "gate": {
        MarketType.SPOT: ("spot",),
        MarketType.LINEAR: ("swap", "future"),
        MarketType.INVERSE: ("swap", "future"),
    },
}


class Ours(Guard, ExactNumbers):
    """What a ccxt class gets in front of it."""

    async def load_markets(self, reload: bool = False, params: Any = None) -> Any:  # noqa: ANN401, ARG002, FBT001, FBT002 - ccxt's signature
        """Stand in for ccxt's: markets are the catalogue's business; a request never loads them."""
        markets = cast("Any", self).markets
        if not markets:
            raise InternalError(f"a request to {self.id} was made before its markets were known")
        return markets


def addresses(
    venue: str,
    environment: Environment,
    market_types: tuple[MarketType, ...],
    endpoints: Iterable[Endpoint],
    hosts: Collection[str],
) -> Mapping[Endpoint, Address]:
    """Where these endpoints are in this environment; those that do not exist there are left out.

    At a venue that is only read without a key, those that need one are left out too.

    Raises:
        NoAddressError: one of a supported venue's is not at a plain https address, or one is not at a reviewed host.
    """
    # Made up, enough to sign with: base64 as kraken's are, and without the padding that coinbase takes for a PEM.
    made_up = dict.fromkeys(("apiKey", "secret", "password"), "bWFkZXVw") if venue in VENUES else {}
    scratch = getattr(ccxt, venue)({**made_up, "options": _options(venue, market_types)})
    _enter(scratch, environment)
    found = learn(scratch, endpoints) if venue in VENUES else learn_public(scratch, endpoints)[0]
    for endpoint, address in found.items():
        if urlsplit(address.origin).netloc not in hosts:
            raise NoAddressError(f"{venue}: {endpoint} is at {address.origin}, which is not a reviewed host")
    return found


def make_client(  # noqa: PLR0913 - everything that a client is made of, once
    venue: str,
    environment: Environment,
    market_types: tuple[MarketType, ...],
    *,
    wire: Wire,
    places: Mapping[Endpoint, Address],
    credentials: Mapping[str, str] | None = None,
    timeout_ms: int = REQUEST_MS,
    rate_limit: bool = True,
) -> Any:  # noqa: ANN401 - ccxt is untyped
    """A client for one key, or for none, that can ask the endpoints in `places` and no other."""
    kind: Any = type(f"Ours{venue}", (Ours, getattr(ccxt, venue)), {"addresses": places})
    client = kind(
        {
            **(credentials or {}),
            "session": wire,
            "ssl_context": wire.tls,
            "aiohttp_trust_env": False,
            "timeout": timeout_ms,
            "enableRateLimit": rate_limit,
            # The default algorithm does not refill while idle: a lone call waits for the one before it.
            "rateLimiterAlgorithm": "rollingWindow",
            "rollingWindowSize": 60_000,
            "options": _options(venue, market_types),
        }
    )
    _enter(client, environment)
    return client


def _enter(client: Any, environment: Environment) -> None:  # noqa: ANN401 - ccxt is untyped
    if environment is Environment.SANDBOX:
        client.enable_demo_trading(True)  # noqa: FBT003 - ccxt's signature


def shut(client: Any) -> None:  # noqa: ANN401 - ccxt is untyped
    """Refuse every further request. ccxt's own `close` waits a quarter of a second for WebSockets that we have not."""
    client.closed_by_user = True
    client.session = None


def _options(venue: str, market_types: tuple[MarketType, ...]) -> dict[str, Any]:
    names = _TYPE_NAMES.get(venue)
    types = list(dict.fromkeys(name for t in market_types for name in names[t])) if names else None
    options: dict[str, Any] = {"maxRetriesOnFailure": 0, "adjustForTimeDifference": False}
    options |= {} if types is None else {"fetchMarkets": {"types": types}}
    if venue == "binance":
        # Signed calls that loading markets would make with a key: not needed, and not a read of ours.
        options |= {"fetchCurrencies": False, "fetchMargins": False}
        # Leverage brackets serve figures that we do not give; without this every first read fetches them.
        options |= {"leverageBrackets": {}, "fetchOpenOrders": {"warnWithoutSymbol": False}}
    if venue in {"kucoin", "bitget"}:
        # Without this, ccxt asks for the account's kind inside its reads and takes a failure for an answer; the kind is
        # our own code's question (`account_types`), and market data does not depend on it.
        options["uta"] = False
    if venue == "kucoin":
        options["fetchMarkets"] |= {"fetchTickersFees": False}
    return options


async def fetch_catalogue(client: Any, now_ms: int) -> StoredMarkets:  # noqa: ANN401 - ccxt is untyped
    """Ask the venue for its markets, without a key."""
    markets = await client.fetch_markets()
    if not markets:
        raise BadAnswerError(f"{client.id} sent a list of markets without a market")
    if not all(_is_market(market) for market in markets):
        raise BadAnswerError(f"{client.id} sent a list of markets with something else in it")
    helpers = client.options.get("marketHelperProps", [])
    return StoredMarkets(
        markets=[{**market, "info": _info(client.id, market["info"])} for market in markets],
        options={name: client.options[name] for name in helpers if client.options.get(name) is not None},
        loaded_ms=now_ms,
    )


def _is_market(market: Any) -> bool:  # noqa: ANN401 - whatever ccxt made of a row
    if not isinstance(market, dict):
        return False
    named = cast("dict[str, Any]", market)
    return all(isinstance(named.get(name), str) and named[name] for name in ("id", "symbol", "base"))


def _info(venue: str, info: Any) -> Any:  # noqa: ANN401 - a venue's own JSON
    """What ccxt's parsers and our terms of a market need of the raw row; binance's is most of the download."""
    return kept_of(info) if venue == "binance" else info


def install(client: Any, stored: StoredMarkets) -> Any:  # noqa: ANN401 - ccxt is untyped
    """Give a client its markets; the same stored catalogue may be given to many."""
    helpers = client.options.get("marketHelperProps", [])
    client.options.update({name: value for name, value in stored.options.items() if name in helpers})
    client.set_markets(stored.markets)
    return client.markets
