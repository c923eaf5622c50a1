"""From what a model writes to a market, or to the nearest real ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.errors import UnknownSymbolError
from exchange_mcp.model.unified_symbols import market_type_of
from exchange_mcp.venue.markets import Markets
from exchange_mcp.venue.symbols import nearest, resolve


def _markets(**ids: str) -> Markets:
    return {symbol: {"symbol": symbol, "id": identifier} for symbol, identifier in ids.items()}


BINANCE = _markets(
    **{
        "BTC/USDT": "BTCUSDT",
        "BTC/USDC": "BTCUSDC",
        "BTC/FDUSD": "BTCFDUSD",
        "ETH/USDT": "ETHUSDT",
        "ETH/BTC": "ETHBTC",
        "SOL/USDT": "SOLUSDT",
        "BTC/USDT:USDT": "BTCUSDT",
        "ETH/USDT:USDT": "ETHUSDT",
        "BTC/USDT:USDT-260327": "BTCUSDT_260327",
        "BTC/USD:BTC": "BTCUSD_PERP",
        "1000PEPE/USDT:USDT": "1000PEPEUSDT",
    }
)
KRAKEN = _markets(**{"BTC/USD": "XXBTZUSD", "ETH/USD": "XETHZUSD", "SOL/USD": "SOLUSD"})
OKX = _markets(**{"BTC/USDT": "BTC-USDT", "BTC/USDT:USDT": "BTC-USDT-SWAP"})


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("BTCUSDT", "BTC/USDT"),
        ("btcusdt", "BTC/USDT"),
        ("btc/usdt", "BTC/USDT"),
        ("BTC-USDT", "BTC/USDT"),
        ("BTC_USDT", "BTC/USDT"),
        ("BTC USDT", "BTC/USDT"),
        ("BTC/USDT ", "BTC/USDT"),
        ("btc/usdt:usdt", "BTC/USDT:USDT"),
        ("BTC/USDT:USDT ", "BTC/USDT:USDT"),
        ("BTC-USDT-PERP", "BTC/USDT:USDT"),
        ("BTCUSDT_260327", "BTC/USDT:USDT-260327"),
        ("BTC/USDT:USDT-260327 ", "BTC/USDT:USDT-260327"),
        ("BTCUSD_PERP", "BTC/USD:BTC"),
        ("PEPE/USDT:USDT", "1000PEPE/USDT:USDT"),
        ("1000PEPEUSDT", "1000PEPE/USDT:USDT"),
        ("ETH/BTC:BTC", "ETH/BTC"),
        ("BTC/USDT:BTC", "BTC/USDT"),
        ("BTC/USD", "BTC/USD:BTC"),
        ("BTCUSD", "BTC/USD:BTC"),
        ("BTC", "BTC/USDT"),
        ("ETH/USD", "ETH/USDT"),
        ("bitcoin/BTC/USDT", "BTC/USDT"),
    ],
)
def test_the_nearest_symbol_is_what_was_meant(written: str, meant: str) -> None:
    assert meant in nearest(written, BINANCE)[:2]


@pytest.mark.parametrize(
    ("written", "markets", "meant"),
    [
        ("XBT/USD", KRAKEN, "BTC/USD"),
        ("XBTUSD", KRAKEN, "BTC/USD"),
        ("XXBTZUSD", KRAKEN, "BTC/USD"),
        ("BTC/USDT", KRAKEN, "BTC/USD"),
        ("BTC-USDT-SWAP", OKX, "BTC/USDT:USDT"),
        ("BTC-USDT", OKX, "BTC/USDT"),
    ],
)
def test_venues_own_ways_of_writing_are_understood(written: str, markets: Markets, meant: str) -> None:
    assert nearest(written, markets)[0] == meant


@pytest.mark.parametrize(
    ("symbol", "named"),
    [
        ("BTC/USDT", MarketType.SPOT),
        ("BTC/USDT:USDT", MarketType.LINEAR),
        ("BTC/USDT:USDT-260327", MarketType.LINEAR),
        ("BTC/USD:BTC", MarketType.INVERSE),
        ("BTC/USD:BTC-260327", MarketType.INVERSE),
        ("1000PEPE/USDT:USDT", MarketType.LINEAR),
        ("ETH/BTC:BTC", MarketType.LINEAR),
        ("BTCUSDT", None),
        ("BTC-USDT", None),
        ("", None),
        ("/", None),
        ("BTC/", None),
        ("BTC/USDT:", None),
        ("BTC/USDT/EUR", None),
    ],
)
def test_the_form_of_a_symbol_names_its_market_type(symbol: str, named: MarketType | None) -> None:
    assert market_type_of(symbol) is named


def test_a_listed_symbol_is_its_market_and_nothing_else_is() -> None:
    assert resolve("BTC/USDT", BINANCE, "binance")["id"] == "BTCUSDT"
    for other in ("BTCUSDT", "btc/usdt", "BTC/USDT ", ""):
        with pytest.raises(UnknownSymbolError):
            resolve(other, BINANCE, "binance")


def test_an_unknown_symbol_is_answered_with_the_venue_and_the_nearest() -> None:
    with pytest.raises(UnknownSymbolError) as raised:
        resolve("BTCUSDT", BINANCE, "binance")
    assert raised.value.message.startswith("binance lists no 'BTCUSDT'; nearest: BTC/USDT, BTC/USDT:USDT")
    with pytest.raises(UnknownSymbolError) as raised:
        resolve("ZZZZ/QQQQ", BINANCE, "binance")
    assert raised.value.message == "binance lists no 'ZZZZ/QQQQ'"


def test_a_look_alike_of_a_listed_symbol_does_not_read_as_the_listed_one() -> None:
    with pytest.raises(UnknownSymbolError) as raised:
        resolve("\u0412TC/USDT", BINANCE, "binance")
    assert raised.value.message.startswith(r"binance lists no '\u0412TC/USDT'")


def test_what_is_hidden_in_an_unknown_symbol_is_shown_and_cut() -> None:
    with pytest.raises(UnknownSymbolError) as raised:
        resolve("BTC\u202e/USDT" + "x" * 500, BINANCE, "binance")
    assert "\u202e" not in raised.value.message
    assert len(raised.value.message) < 300


def test_of_three_thousand_markets_the_nearest_are_still_the_right_ones() -> None:
    many = dict(BINANCE)
    for number in range(3_000):
        many[f"BT{number}C/USDT"] = {"symbol": f"BT{number}C/USDT", "id": f"BT{number}CUSDT"}
    assert nearest("BTC/USDTT", many)[0] == "BTC/USDT"


@given(st.text(max_size=80), st.sampled_from([BINANCE, KRAKEN, OKX, {}]))
def test_no_text_breaks_the_search_and_only_listed_symbols_are_named(written: str, markets: Markets) -> None:
    market_type_of(written)
    near = nearest(written, markets)
    assert len(near) <= 4
    assert len(set(near)) == len(near)
    assert set(near) <= set(markets)
    if written not in markets:
        with pytest.raises(UnknownSymbolError):
            resolve(written, markets, "binance")


def test_a_listed_name_is_cut_and_shows_what_is_hidden_where_it_is_suggested() -> None:
    listed = _markets(**{"BTC\u202e" + "/USDT" + "x" * 500: "odd"})
    with pytest.raises(UnknownSymbolError) as raised:
        resolve("odd", listed, "binance")
    assert r"nearest: BTC\u{202e}/USDT" in raised.value.message
    assert len(raised.value.message) < 200
