"""From configured accounts to venues that can be asked: one client a key, one catalogue a venue and environment."""

import asyncio
import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import anyio

from exchange_mcp.model.accounts import Account, Environment, MarketType
from exchange_mcp.model.errors import InternalError
from exchange_mcp.model.ports import Clock, OrderLookup, ReadVenue
from exchange_mcp.model.scopes import Role
from exchange_mcp.rules.endpoints import Endpoint, EndpointClass
from exchange_mcp.venue.addresses import Address, NoAddressError
from exchange_mcp.venue.client import (
    LOADING_MS,
    REQUEST_MS,
    VERSION,
    addresses,
    fetch_catalogue,
    install,
    make_client,
    shut,
)
from exchange_mcp.venue.closed import ClosedVenue
from exchange_mcp.venue.egress import loading
from exchange_mcp.venue.endpoints import EndpointTable, table
from exchange_mcp.venue.failures import meaning
from exchange_mcp.venue.key_watch import KeyWatch
from exchange_mcp.venue.keys import KeyCare, watch
from exchange_mcp.venue.market_cache import MarketCache, MarketKey, StoredMarkets
from exchange_mcp.venue.markets import MarketCatalogue, Markets
from exchange_mcp.venue.numbers import MOST_OF_MARKETS
from exchange_mcp.venue.reads import CcxtReadVenue
from exchange_mcp.venue.repeating import Sleep, repeated
from exchange_mcp.venue.watched import WatchedVenue
from exchange_mcp.venue.wire import Loopback, Wire


@dataclass(frozen=True, slots=True)
class KeyMaterial:
    """A key in the form that ccxt takes, and a name for it that is not secret."""

    key_id: str
    fields: Mapping[str, str] = field(repr=False)

    def digest(self) -> bytes:
        """Tells two keys apart by everything in them: a wrong secret must not take the right one's place."""
        return hashlib.sha256(repr(sorted(self.fields.items())).encode()).digest()


@dataclass(frozen=True, slots=True)
class Opening:
    """One account to open. `loopback` is set for simulated accounts and for no other.

    `accept_unverified` is the operator's reason for using a live key that its venue does not vouch for; `may_transfer`
    says that the operator named the account as one whose desk key may move money between its own wallets.
    """

    account: Account
    key: KeyMaterial | None = None
    loopback: Loopback | None = None
    instance: str = ""
    rate_limit: bool = True
    accept_unverified: str | None = None
    may_transfer: bool = False


@dataclass(frozen=True, slots=True)
class Opened:
    """What one account is made of: its client, which others with the same key share, and who looks after it."""

    opening: Opening
    client: Any
    wire: Wire
    catalogue: MarketCatalogue
    rows: EndpointTable
    reading: WatchedVenue
    watch: KeyWatch | None


class OpenVenues:
    """The venues of every configured account.

    `run` owns the catalogues and must run for as long as the venues are asked; `close` ends every
    connection. `accepted` holds the digests of what the operator accepted that another ccxt does; `sleep`
    waits between two attempts of a read. Making one may parse ccxt's source: not on an event loop.
    No client of these knows where a write would go: `classes` are all that it can ask.
    """

    classes: ClassVar[frozenset[EndpointClass]] = frozenset({EndpointClass.READ, EndpointClass.SCOPE})
    role: ClassVar[Role] = Role.SERVE

    def __init__(  # noqa: PLR0913 - its ports
        self,
        openings: Sequence[Opening],
        cache_directory: Path,
        clock: Clock,
        *,
        accepted: Collection[str] = (),
        sleep: Sleep = asyncio.sleep,
        care: KeyCare | None = None,
    ) -> None:
        self._sleep = sleep
        self._accepted = accepted
        self._care = care or KeyCare()
        self._watches: list[KeyWatch] = []
        self._cache = MarketCache(cache_directory)
        self._clock = clock
        self._clients: list[tuple[Any, Wire]] = []
        self._opened: dict[str, Opened] = {}
        self._catalogues: list[MarketCatalogue] = []
        self._venues: dict[str, WatchedVenue | ClosedVenue] = {}
        for place in dict.fromkeys(map(_place_of, openings)):
            self._open([opening for opening in openings if _place_of(opening) == place])
        self._venues = {o.account.name: self._venues[o.account.name] for o in openings}

    @property
    def venues(self) -> Mapping[str, ReadVenue]:
        """By account name, in the order of the configuration."""
        return self._venues

    @property
    def lookups(self) -> Mapping[str, OrderLookup]:
        """The same, as far as they look for an order of ours."""
        return self._venues

    async def run(self) -> None:
        """Keep every catalogue, and watch every key, until cancelled."""
        async with anyio.create_task_group() as group:
            for catalogue in self._catalogues:
                group.start_soon(catalogue.own)
            for each in self._watches:
                group.start_soon(each.own)

    async def close(self) -> None:
        """Close every connection."""
        for client, wire in self._clients:
            shut(client)
            await wire.close()

    def _open(self, openings: Sequence[Opening]) -> None:
        first, sleep = openings[0], self._sleep
        for opening in openings:
            _must_stay(opening)
        venue, environment = first.account.venue, first.account.environment
        wanted = {t for opening in openings for t in opening.account.market_types}
        types = tuple(t for t in MarketType if t in wanted)
        rows = table(venue, self._accepted)
        loads = rows.of(EndpointClass.MARKETS, types)
        scope = rows.of(EndpointClass.SCOPE, types)
        asked = frozenset[Endpoint]().union(*(rows.of(cls, types) for cls in self.classes))
        places: Mapping[Endpoint, Address] = {}
        refusal = rows.closed
        try:
            places = addresses(venue, environment, types, loads | asked, rows.hosts)
        except NoAddressError as error:
            refusal = str(error)
        if refusal is not None:
            closed = {o.account.name: ClosedVenue(o.account, refusal, rows.change) for o in openings}
            self._venues = {**self._venues, **closed}
            return
        loads_only = {endpoint: place for endpoint, place in places.items() if endpoint in loads}
        loader, _ = self._client(first, types, loads_only, timeout_ms=LOADING_MS)
        loader.most_characters = MOST_OF_MARKETS
        clients = {
            key and key.digest(): self._client(opening, types, places, key=key)
            for key, opening in {(o.key and o.key.digest()): (o.key, o) for o in openings}.values()
        }

        def share(stored: StoredMarkets) -> Markets:
            markets: Markets = install(loader, stored)
            for client, _ in clients.values():
                client.set_markets_from_exchange(loader)
            return markets

        catalogue = MarketCatalogue(
            MarketKey(venue, environment, tuple(types), VERSION, first.instance),
            cache=self._cache,
            clock=self._clock,
            fetch=lambda: repeated(lambda: self._fetched(loader, loads), sleep=sleep),
            install=share,
        )
        self._catalogues.append(catalogue)
        for opening in openings:
            client, wire = clients[opening.key and opening.key.digest()]
            reads = rows.of(EndpointClass.READ, opening.account.market_types)
            reading = CcxtReadVenue(opening.account, client, catalogue, endpoints=reads, sleep=sleep)
            watched = self._watch(opening, client, scope)
            venue_ = WatchedVenue(reading, watched)
            self._venues[opening.account.name] = venue_
            self._opened[opening.account.name] = Opened(
                opening, client, wire, catalogue, rows, venue_, watched
            )

    def _watch(self, opening: Opening, client: Any, scope: frozenset[Endpoint]) -> KeyWatch | None:  # noqa: ANN401 - ccxt is untyped
        if opening.key is None:
            return None
        watched = watch(
            opening.account,
            client,
            scope,
            self._clock,
            self._care,
            role=self.role,
            accept_unverified=opening.accept_unverified,
            may_transfer=opening.may_transfer,
        )
        self._watches.append(watched)
        return watched

    async def _fetched(self, loader: Any, loads: frozenset[Endpoint]) -> StoredMarkets:  # noqa: ANN401 - ccxt is untyped
        try:
            with loading(loads):
                return await fetch_catalogue(loader, self._clock.now_ms())
        except Exception as error:
            raise meaning(error, str(loader.id)) from error

    def _client(
        self,
        opening: Opening,
        types: tuple[MarketType, ...],
        places: Mapping[Endpoint, Address],
        *,
        key: KeyMaterial | None = None,
        timeout_ms: int = REQUEST_MS,
    ) -> tuple[Any, Wire]:
        wire = Wire(opening.loopback)
        client = make_client(
            opening.account.venue,
            opening.account.environment,
            types,
            wire=wire,
            places=places,
            credentials=None if key is None else key.fields,
            timeout_ms=timeout_ms,
            rate_limit=opening.rate_limit,
        )
        self._clients.append((client, wire))
        return client, wire


def _must_stay(opening: Opening) -> None:
    # Without a loopback, a simulated account's key and requests would go to the live venue.
    if opening.account.environment is Environment.SIM and opening.loopback is None:
        raise InternalError(f"{opening.account.name}: a simulated account without a loopback is not opened")


def _place_of(opening: Opening) -> tuple[str, str, str]:
    return (opening.account.venue, opening.account.environment, opening.instance)
