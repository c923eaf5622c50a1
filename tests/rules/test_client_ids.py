"""The rules on client order ids are whole, and what they say to ask can be asked."""

from pathlib import Path
from typing import Any

import ccxt.async_support as ccxt
import pytest

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.findings import Source
from exchange_mcp.rules.client_ids import ORDER_IDS, Gap, Listed, OrderIds, Unique, order_ids
from exchange_mcp.rules.client_ids.page import page
from exchange_mcp.rules.endpoints import Endpoint, EndpointClass
from exchange_mcp.rules.writing import ROUTES, PlaceRoute
from exchange_mcp.venue.endpoints import table

TRADING = ("binance", "bybit", "okx", "kraken", "coinbase", "kucoin", "bitget")
EVERY = [(venue, each) for venue in TRADING for each in ORDER_IDS[venue]]
NAMES = [f"{venue} {','.join(each.types)} {each.is_conditional}" for venue, each in EVERY]
every = pytest.mark.parametrize(("venue", "rules"), EVERY, ids=NAMES)


def test_the_seven_trading_venues_are_written_down_and_no_other() -> None:
    assert tuple(ORDER_IDS) == TRADING


@every
def test_every_statement_names_the_vendors_page(venue: str, rules: OrderIds) -> None:
    pages = [rules.ids.page, rules.window.page]
    assert all(page.startswith("https://") for page in pages), venue
    assert rules.lookups.lag_is_documented is False or rules.lookups.lag_page.startswith("https://")


@every
def test_a_deadline_that_is_not_sent_or_not_documented_is_no_deadline(venue: str, rules: OrderIds) -> None:
    window = rules.window
    if window.travels == "nowhere":
        assert (window.name, window.unit, window.refuses_late, window.is_sent) == (
            "",
            "none",
            False,
            False,
        ), venue
    else:
        assert window.name


@every
def test_every_look_has_the_sources_that_a_look_needs_or_says_why_not(venue: str, rules: OrderIds) -> None:
    lookups = rules.lookups
    assert {Source.CLIENT_ID, Source.OPEN_ORDERS, Source.CLOSED_ORDERS, Source.TRADES} <= set(lookups.sources)
    assert len(set(lookups.sources)) == len(lookups.sources)
    assert bool(lookups.exact) is not bool(lookups.exact_gap), venue
    assert all(each.why for each in lookups.lists if isinstance(each, Gap))


def asked(venue: str, call: str) -> Endpoint:
    """The endpoint that an implicit method of ccxt asks."""
    seen: list[Endpoint] = []
    kind: Any = getattr(ccxt, venue)

    class Recording(kind):
        async def request(self, path: str, api: Any, method: str, *_: object, **__: object) -> object:  # noqa: ANN401 - ccxt's
            seen.append(Endpoint(method, api if isinstance(api, str) else "/".join(api), path))
            return {}

    client: Any = Recording({})
    with pytest.raises(StopIteration):
        getattr(client, call)({}).__await__().send(None)
    (endpoint,) = seen
    return endpoint


@every
def test_everything_that_a_look_asks_is_a_reviewed_read(venue: str, rules: OrderIds) -> None:
    lookups = rules.lookups
    calls = [each.call for each in (*lookups.exact, *lookups.lists) if not isinstance(each, Gap)]
    calls += [] if lookups.clock is None else [lookups.clock[0]]
    calls += [] if lookups.by_order_id is None else [lookups.by_order_id.call]
    reads = table(venue).of(EndpointClass.READ, rules.types)
    assert [call for call in calls if asked(venue, call) not in reads] == []


@every
def test_a_list_that_may_be_cut_is_asked_for_with_its_size(venue: str, rules: OrderIds) -> None:
    lists = [each for each in rules.lookups.lists if isinstance(each, Listed)]
    assert all(each.size is not None for each in lists if each.limit is not None or each.since is not None), (
        venue
    )


def test_each_order_route_that_can_be_sent_reads_its_id_from_the_field_that_the_rules_name() -> None:
    routes = {
        endpoint: route.client_id
        for endpoint, route in ROUTES["binance"].items()
        if isinstance(route, PlaceRoute)
    }
    named = {endpoint: name for rules in ORDER_IDS["binance"] for endpoint, name in rules.ids.fields.items()}
    assert routes == named


@pytest.mark.parametrize(
    ("market_type", "is_conditional", "field"),
    [
        (MarketType.SPOT, False, "newClientOrderId"),
        (MarketType.SPOT, True, "newClientOrderId"),
        (MarketType.LINEAR, False, "newClientOrderId"),
        (MarketType.LINEAR, True, "clientAlgoId"),
    ],
)
def test_binance_is_written_down_for_all_that_is_traded_there(
    market_type: MarketType, *, is_conditional: bool, field: str
) -> None:
    rules = order_ids("binance", market_type, is_conditional=is_conditional)
    assert rules is not None
    assert set(rules.ids.fields.values()) == {field}
    assert rules.ids.unique is Unique.OPEN_ORDERS
    assert (rules.window.name, rules.window.refuses_late, rules.window.is_sent) == ("recvWindow", True, True)


def test_what_was_not_written_down_is_unknown() -> None:
    assert order_ids("gate", MarketType.SPOT, is_conditional=False) is None
    assert order_ids("binance", MarketType.INVERSE, is_conditional=False) is None
    assert order_ids("okx", MarketType.SPOT, is_conditional=True) is None


@pytest.mark.parametrize(
    ("venue", "wrong"),
    [
        ("binance", "a" * 37),
        ("binance", "with space"),
        ("bybit", "a.b"),
        ("okx", "a-b"),
        ("okx", "a" * 33),
        ("kraken", "a" * 19),
        ("kucoin", "a.b"),
        ("bitget", "a" * 65),
        ("coinbase", ""),
    ],
)
def test_an_id_that_a_venue_does_not_take_is_told(venue: str, wrong: str) -> None:
    assert not ORDER_IDS[venue][0].ids.takes(wrong)


def test_the_page_about_client_order_ids_is_the_rules() -> None:
    document = Path(__file__).parents[2] / "docs" / "order-ids.md"
    assert document.read_text(encoding="utf-8") == page()
