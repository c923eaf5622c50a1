"""Every venue beyond the supported ones: what ships about it, and that all its market data asks has an address."""

import asyncio
import time
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import pytest

from exchange_mcp.model.accounts import Account, AccountName, Environment, MarketType
from exchange_mcp.rules.endpoints import WRITES, Endpoint, EndpointClass
from exchange_mcp.rules.other_venues import other_venues
from exchange_mcp.rules.venues import VENUES, venue_rules
from exchange_mcp.venue.addresses import Address, learn_public
from exchange_mcp.venue.client import addresses
from exchange_mcp.venue.endpoints import EndpointTable, table
from exchange_mcp.venue.offered import other_venues_of
from exchange_mcp.venue.opening import Opening, OpenVenues
from exchange_mcp.venue.snapshot import shipped, shipped_text, take
from exchange_mcp.venue.sweep import Examined, exchange_class

from .opened import MovedClock
from .test_endpoints_asked import SPOT, SWAP, described, ended

OTHERS: Final = other_venues()
READING: Final = (EndpointClass.READ, EndpointClass.MARKETS)
# Their markets come with ccxt's class; coincheck's ticker is of BTC/JPY alone.
BUILT_IN: Final = {"bit2c", "coincheck", "coinspot", "paymium"}
ASKS_NOTHING: Final = {*((venue, "fetch_markets") for venue in BUILT_IN), ("coincheck", "fetch_ticker")}
SYMBOLS: Final = {MarketType.SPOT: SPOT, MarketType.LINEAR: SWAP, MarketType.INVERSE: SWAP}


@pytest.fixture(scope="module")
def tables() -> dict[str, EndpointTable]:
    return {venue: table(venue) for venue in OTHERS.venues}


def allowed(rows: EndpointTable) -> frozenset[Endpoint]:
    return frozenset[Endpoint]().union(*rows.allowed.values())


def account_at(venue: str) -> Account:
    rules = venue_rules(venue)
    assert rules is not None
    return Account(AccountName(venue), venue, Environment.LIVE, rules.market_types, has_key=False)


async def asked_by(venue: str) -> dict[str, set[Endpoint]]:
    """By question, what ccxt asks first when it has no key."""

    class Recording(exchange_class(venue)):
        async def fetch2(
            self, path: str, api: str | list[str] = "public", method: str = "GET", *_: object, **__: object
        ) -> object:
            self.asked.add(Endpoint(method, "/".join([api] if isinstance(api, str) else api), path))
            return {}

        async def load_markets(self, *_: object) -> object:
            return self.markets

        def market(self, symbol: str) -> object:
            return self.safe_market_structure(described(symbol))

    client: Any = Recording({"enableRateLimit": False})
    client.markets = {SPOT: described(SPOT), SWAP: described(SWAP)}
    symbols = {SYMBOLS[t] for t in OTHERS.venues[venue].market_types}
    calls: dict[str, list[tuple[object, ...]]] = {"fetch_markets": [()]}
    if OTHERS.venues[venue].has_ticker:
        calls["fetch_ticker"] = [(symbol,) for symbol in symbols]
    if OTHERS.venues[venue].has_order_book:
        calls["fetch_order_book"] = [(symbol,) for symbol in symbols]
    found: dict[str, set[Endpoint]] = {}
    for method, arguments in calls.items():
        client.asked = found[method] = set[Endpoint]()
        for each in arguments:
            await ended(getattr(client, method)(*each))
    await client.close()
    return found


async def all_asked() -> dict[str, dict[str, set[Endpoint]]]:
    found = await asyncio.gather(*map(asked_by, OTHERS.venues))
    return dict(zip(OTHERS.venues, found, strict=True))


def test_what_ships_is_what_a_sweep_finds(swept: dict[str, Examined]) -> None:
    assert other_venues_of(tuple(swept.values())) == OTHERS
    assert not OTHERS.venues.keys() & VENUES.keys()
    assert len(OTHERS.venues) + len(OTHERS.excluded) + len(VENUES) == len(swept)


def test_what_a_class_reaches_ships_as_it_would_be_derived_again() -> None:
    different = [venue for venue in OTHERS.venues if shipped_text(venue) != str(take(exchange_class(venue)))]
    assert not different


def test_nothing_that_needs_a_key_or_writes_may_leave(tables: dict[str, EndpointTable]) -> None:
    for venue, rows in tables.items():
        assert rows.closed is None
        assert not any(rows.allowed[cls] for cls in EndpointClass if cls not in READING)
        assert set(rows.refused) == WRITES
        assert not rows.needs_key.keys() & allowed(rows)
        assert rows.needs_key.keys() <= {each for cls in READING for each in rows.derived_only[cls]}
        reached = shipped(venue).reached
        assert (
            allowed(rows) | rows.needs_key.keys()
            == reached[EndpointClass.READ] | reached[EndpointClass.MARKETS]
        )


def test_all_that_market_data_asks_has_an_address_over_https_at_the_venues_hosts(
    tables: dict[str, EndpointTable],
) -> None:
    places = 0
    asked = 0
    questions = asyncio.run(all_asked())
    for venue, rows in tables.items():
        found = addresses(
            venue, Environment.LIVE, OTHERS.venues[venue].market_types, allowed(rows), rows.hosts
        )
        assert found.keys() == allowed(rows)
        assert {urlsplit(address.origin).scheme for address in found.values()} == {"https"}
        assert {urlsplit(address.origin).netloc for address in found.values()} <= rows.hosts
        places += len(found)
        for question, requests in questions[venue].items():
            assert requests or (venue, question) in ASKS_NOTHING
            assert requests <= found.keys(), (venue, question)
            asked += len(requests)
    needs_key = sum(len(rows.needs_key) for rows in tables.values())
    print(  # noqa: T201 - these figures are what the test is asked to show
        f"\n{len(tables)} venues beyond the supported ones: {places} requests may leave, {needs_key} need a key; "
        f"{asked} kinds of request load markets and read tickers and books"
    )


@pytest.mark.anyio
async def test_a_client_of_every_venue_can_be_built_at_once(tmp_path: Path) -> None:
    started = time.perf_counter()
    venues = OpenVenues([Opening(account_at(venue)) for venue in OTHERS.venues], tmp_path, MovedClock())
    seconds = time.perf_counter() - started
    assert list(venues.venues) == list(OTHERS.venues)
    await venues.close()
    print(f"\n{len(venues.venues)} venues opened in {seconds:.2f} s")  # noqa: T201 - as above


def test_contracts_of_which_ccxt_does_not_tell_how_they_settle_count_as_linear() -> None:
    exchange = exchange_class("bitstamp")()
    assert exchange.has["swap"]
    assert not any(exchange.features["swap"].values())
    assert OTHERS.venues["bitstamp"].market_types == (MarketType.SPOT, MarketType.LINEAR)


def test_a_venue_whose_markets_need_a_key_is_excluded_by_that_reason() -> None:
    # https://docs.alpaca.markets/reference/get-v2-assets-1 asks for two headers with a key.
    reason = (
        "alpaca is excluded: its list of markets cannot be read without a key (GET trader/private v2/assets)"
    )
    assert OTHERS.excluded["alpaca"] == reason
    assert table("alpaca").closed == reason
    assert not any(table("alpaca").allowed.values())


class Signing:
    """A class of ccxt that signs everything without a key, somewhere."""

    id = "made-up"

    def __init__(self, url: str) -> None:
        self._url = url

    def sign(self, path: str, *_: object) -> dict[str, str]:
        return {"url": self._url + path}


READ: Final = Endpoint("GET", "public", "ticker")


@pytest.mark.parametrize("url", ["https://venue.example/", "https://venue.example:8443/"])
def test_a_host_may_have_a_port_of_its_own(url: str) -> None:
    found, others = learn_public(Signing(url), [READ])
    assert found[READ].is_of(f"{url}ticker?a=1")
    assert not found[READ].is_of("https://venue.example:444/ticker")
    assert not others


@pytest.mark.parametrize(
    "url",
    ["http://venue.example/", "https://user@venue.example/", "https://{hostname}/", "wss://venue.example/"],
)
def test_an_address_that_is_not_plain_https_is_left_out_with_the_reason(url: str) -> None:
    found, others = learn_public(Signing(url), [READ])
    assert not found
    assert others[READ] == "made-up: GET public ticker is not at a plain https address"


def test_a_list_in_a_path_is_one_segment_and_climbs_nowhere() -> None:
    found, _ = learn_public(exchange_class("bitfinex")(), [Endpoint("GET", "public", "conf/{config}")])
    (address,) = found.values()
    assert isinstance(address, Address)
    base = f"{address.origin}/v2/conf"
    assert address.is_of(f"{base}/pub:info:pair,pub:list:pair:margin")
    for escape in ("..", "../auth/w/withdraw", "a/b", "a%2fb", "", "a" * 201):
        assert not address.is_of(f"{base}/{escape}")
