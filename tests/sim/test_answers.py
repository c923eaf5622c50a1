"""Every endpoint, without a socket: the same state gives the same bytes, in the venue's number format."""

import json
import re
from collections.abc import Iterator
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exchange_mcp.sim.exchange import Exchange
from exchange_mcp.sim.routes import SignedRoute
from exchange_mcp.sim.signing import signature
from exchange_mcp.sim.venue import SITES, Venue
from exchange_mcp.sim.wire import Answer, Request

from .clients import NOON_MS, Counted, StillClock
from .direct import Direct

ENDPOINTS = [(host, path) for host, site in SITES.items() for method, path in site.routes if method == "GET"]
WANTS_SYMBOL = re.compile(
    r".*(depth|avgPrice|commission|commissionRate|allOrders|allAlgoOrders|myTrades|userTrades|/order)"
)
ABOUT_ONE_ORDER = re.compile(r".*/(order|algoOrder)")
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
NUMERIC = re.compile(r"[-+]?[0-9.]+([eE][-+]?[0-9]+)?")


def exchange(seed: int = 1, clock: StillClock | None = None) -> Exchange:
    return Exchange(seed=seed, clock=clock or StillClock(), accounts=3, entropy=Counted())


SHARED, TWIN = exchange(), exchange()


def ask(state: Exchange, host: str, path: str, *, label: str = "reader", query: str = "") -> Answer:
    if WANTS_SYMBOL.fullmatch(path) and not query:
        query = "symbol=BTCUSDT"
    key = state.keys.by_label()[label]
    orders = state.accounts[key.account].orders
    if path == "/api/v3/order":
        query += f"&orderId={orders.spot.open('BTCUSDT')[0].order_id}"
    if path == "/fapi/v1/order":
        query += f"&orderId={orders.futures.open('BTCUSDT')[0].order_id}"
    if path == "/fapi/v1/algoOrder":
        query = f"algoId={orders.algo.open('BTCUSDT')[0].order_id}"
    if isinstance(SITES[host].routes["GET", path], SignedRoute):
        query = f"{query}&" * bool(query) + f"timestamp={state.clock.now_ms()}"
        query += f"&signature={signature(key.secret, query)}"
    return Venue(state).answer(Request(host, "GET", path, query, api_key=key.api_key))


def leaves(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        for inner in cast("dict[str, object]", value).values():
            yield from leaves(inner)
    elif isinstance(value, list):
        for inner in cast("list[object]", value):
            yield from leaves(inner)
    else:
        yield value


@pytest.mark.parametrize(("host", "path"), ENDPOINTS)
def test_every_endpoint_answers_in_json_with_plain_numbers(host: str, path: str) -> None:
    # Only the main account has an order of every kind on this pair.
    others = () if ABOUT_ONE_ORDER.fullmatch(path) else ("reader-alt", "reader-acct3")
    for label in ("reader", *others):
        answer = ask(SHARED, host, path, label=label)
        assert answer.status == 200
        parsed: object = json.loads(answer.body, parse_float=str, parse_int=str)
        for leaf in leaves(parsed):
            # Also what came as a JSON number is a text here, exponent and all.
            if isinstance(leaf, str) and NUMERIC.fullmatch(leaf):
                assert NUMBER.fullmatch(leaf), leaf


@pytest.mark.parametrize(("host", "path"), ENDPOINTS)
def test_the_same_seed_and_clock_give_the_same_answer(host: str, path: str) -> None:
    assert ask(SHARED, host, path) == ask(TWIN, host, path)


def test_another_seed_gives_other_prices_and_another_moment_gives_later_ones() -> None:
    later = StillClock(NOON_MS + 60_000)
    answers = {
        ask(state, "api.binance.com", "/api/v3/ticker/price").body
        for state in (exchange(1), exchange(2), exchange(1, later))
    }
    assert len(answers) == 3


def test_the_positions_of_a_moment_follow_its_mark_prices() -> None:
    clock = StillClock()
    state = exchange(clock=clock)
    before = ask(state, "fapi.binance.com", "/fapi/v3/positionRisk")
    clock.now += 3_600_000
    assert ask(state, "fapi.binance.com", "/fapi/v3/positionRisk") != before


def test_spot_quotes_carry_eight_decimals() -> None:
    parsed: object = json.loads(ask(exchange(), "api.binance.com", "/api/v3/depth").body)
    quotes = [leaf for leaf in leaves(parsed) if isinstance(leaf, str)]
    assert len(quotes) == 400
    assert all(len(quote.partition(".")[2]) == 8 for quote in quotes)


def test_usdm_quotes_carry_the_contracts_precision() -> None:
    body = ask(exchange(), "fapi.binance.com", "/fapi/v1/depth", query="symbol=1000PEPEUSDT&limit=5").body
    parsed = cast("dict[str, list[list[str]]]", json.loads(body))
    assert all(re.fullmatch(r"0\.\d{7}", price) and amount.isdigit() for price, amount in parsed["bids"])


def test_an_endpoint_that_breaks_answers_as_the_venue_does(monkeypatch: pytest.MonkeyPatch) -> None:
    state = exchange()

    def breaks(_symbol: str) -> None:
        raise RuntimeError("broken on purpose")

    monkeypatch.setattr(state, "spot", breaks)
    answer = ask(state, "api.binance.com", "/api/v3/depth")
    assert (answer.status, json.loads(answer.body)["code"]) == (500, -1000)


@given(query=st.text(st.characters(max_codepoint=255), max_size=60), host=st.sampled_from(sorted(SITES)))
@settings(max_examples=60, deadline=None)
def test_no_query_breaks_the_venue(query: str, host: str) -> None:
    venue = Venue(SHARED)
    key = SHARED.keys.by_label()["reader"].api_key
    for method, path in SITES[host].routes:
        answer = venue.answer(Request(host, method, path, query, api_key=key))
        assert answer.status in {200, 400, 401}


@given(symbols=st.text(max_size=40))
@settings(max_examples=100, deadline=None)
def test_no_list_of_symbols_breaks_the_venue(symbols: str) -> None:
    venue = Venue(SHARED)
    quoted = symbols.replace("&", "%26").replace("+", "%2B")
    for query in (
        f"symbols={quoted}",
        f"permissions={quoted}",
        f'symbols=["{quoted}"]',
        f'permissions=["{quoted}"]',
    ):
        answer = venue.answer(Request("api.binance.com", "GET", "/api/v3/exchangeInfo", query))
        assert answer.status in {200, 400}


NAMES = ("symbol", "side", "type", "timeInForce", "quantity", "quoteOrderQty", "price", "stopPrice")
MORE = ("triggerPrice", "positionSide", "reduceOnly", "closePosition", "algoType", "orderId", "algoId")
WORDS = (
    "BTCUSDT",
    "ETHBTC",
    "BUY",
    "SELL",
    "LIMIT",
    "MARKET",
    "STOP_LOSS",
    "STOP",
    "STOP_MARKET",
    "GTC",
    "FOK",
)
VALUES = st.one_of(
    st.sampled_from((*WORDS, "true", "BOTH", "CONDITIONAL", "0", "1", "0.01", "100000", "9" * 20, "9.9e9")),
    st.decimals(0, 10**20 - 1, places=20).map(lambda number: f"{number:f}"),
    st.text(max_size=5),
)


@given(sent=st.dictionaries(st.sampled_from(NAMES + MORE), VALUES, max_size=9))
@settings(max_examples=300, deadline=None)
def test_no_signed_order_breaks_the_venue(sent: dict[str, str]) -> None:
    venue = Direct()
    valid = {"symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "timeInForce": "GTC"}
    for method, path in (
        ("POST", "/api/v3/order"),
        ("POST", "/fapi/v1/order"),
        ("POST", "/fapi/v1/algoOrder"),
        ("GET", "/api/v3/order"),
        ("DELETE", "/fapi/v1/algoOrder"),
    ):
        for params in (sent, valid | sent):
            status, _ = venue.send(method, path, **params)
            assert status in {200, 400}
