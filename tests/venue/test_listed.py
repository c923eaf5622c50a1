"""What an order is held to: Binance's filters as its pages document them, and the exact part of ccxt's structure."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pytest

from exchange_mcp.model.errors import BadAnswerError, ExchangeMcpError, NotCoveredError
from exchange_mcp.model.terms import AmountGrid, MarketTerms, NotionalGrid, PriceBand, PriceGrid
from exchange_mcp.model.writes import OrderType
from exchange_mcp.sim import SimulatedExchange
from exchange_mcp.venue.listed import binance, market_terms

from .opened import opened, simulated
from .test_public_data import CASES
from .test_public_data import _opened as opened_case  # pyright: ignore[reportPrivateUsage] - how a canned venue is opened

pytestmark = pytest.mark.anyio

D = Decimal
TICK_SIZE, SIGNIFICANT_DIGITS = 4, 3  # ccxt/base/decimal_to_precision.py
ALL: Final = frozenset(OrderType)

# The examples of https://github.com/binance/binance-spot-api-docs/blob/master/filters.md, one of each kind.
SPOT: Final[dict[str, dict[str, Any]]] = {
    "PRICE_FILTER": {"minPrice": "0.00000100", "maxPrice": "100000.00000000", "tickSize": "0.00000100"},
    "PERCENT_PRICE_BY_SIDE": {
        "bidMultiplierUp": "1.2",
        "bidMultiplierDown": "0.2",
        "askMultiplierUp": "5",
        "askMultiplierDown": "0.8",
        "avgPriceMins": 1,
    },
    "LOT_SIZE": {"minQty": "0.00100000", "maxQty": "100000.00000000", "stepSize": "0.00100000"},
    "NOTIONAL": {
        "minNotional": "10.00000000",
        "applyMinToMarket": False,
        "maxNotional": "10000.00000000",
        "applyMaxToMarket": False,
        "avgPriceMins": 5,
    },
    "ICEBERG_PARTS": {"limit": 10},
    "MARKET_LOT_SIZE": {"minQty": "0.00100000", "maxQty": "100000.00000000", "stepSize": "0.00100000"},
    "MAX_NUM_ORDERS": {"maxNumOrders": 25},
    "MAX_NUM_ALGO_ORDERS": {"maxNumAlgoOrders": 5},
    "MAX_POSITION": {"maxPosition": "10.00000000"},
}
# https://developers.binance.com/docs/derivatives/usds-margined-futures/common-definition
USDM: Final[dict[str, dict[str, Any]]] = {
    "PRICE_FILTER": {"minPrice": "556.80", "maxPrice": "4529764", "tickSize": "0.10"},
    "LOT_SIZE": {"minQty": "0.001", "maxQty": "1000", "stepSize": "0.001"},
    "MARKET_LOT_SIZE": {"minQty": "0.001", "maxQty": "120", "stepSize": "0.001"},
    "MAX_NUM_ORDERS": {"limit": 200},
    "MAX_NUM_ALGO_ORDERS": {"limit": 10},
    "MIN_NOTIONAL": {"notional": "100"},
    "PERCENT_PRICE": {"multiplierUp": "1.0500", "multiplierDown": "0.9500", "multiplierDecimal": "4"},
}


def row(filters: dict[str, dict[str, Any]], **told: object) -> dict[str, Any]:
    """A row of exchangeInfo with these filters."""
    listed = [{"filterType": name, **values} for name, values in filters.items()]
    return {"status": "TRADING", "filters": listed, **told}


def spot(filters: dict[str, dict[str, Any]], **told: object) -> MarketTerms:
    """What is made of a pair's row, once through the store of markets."""
    types = ["LIMIT", "LIMIT_MAKER", "MARKET", "STOP_LOSS", "STOP_LOSS_LIMIT", "TAKE_PROFIT"]
    kept = binance.kept_of(row(filters, **{"orderTypes": types, "quoteOrderQtyMarketAllowed": True, **told}))
    names = {"id": "BTCUSDT", "symbol": "BTC/USDT", "base": "BTC", "quote": "USDT", "settle": None}
    return binance.terms({**names, "spot": True, "info": json.loads(json.dumps(kept))})


def perpetual(filters: dict[str, dict[str, Any]]) -> MarketTerms:
    """The same of a contract's row."""
    kept = binance.kept_of(row(filters, orderTypes=["LIMIT", "MARKET", "STOP", "STOP_MARKET", "TAKE_PROFIT"]))
    names = {"id": "BTCUSDT", "symbol": "BTC/USDT:USDT", "base": "BTC", "quote": "USDT", "settle": "USDT"}
    return binance.terms({**names, "spot": False, "linear": True, "contractSize": "1", "info": kept})


def test_a_pair_is_held_to_every_filter_that_its_page_documents() -> None:
    terms = spot(SPOT)
    assert terms.amount == AmountGrid(step=D("0.001"), least=D("0.001"), most=D(100000))
    assert terms.market_amount == AmountGrid(step=D("0.001"), least=D("0.001"), most=D(100000))
    assert terms.price == PriceGrid(tick=D("0.000001"), least=D("0.000001"), most=D(100000))
    assert terms.notional == NotionalGrid(
        least=D(10),
        most=D(10000),
        applies_to_market=False,
        most_applies_to_market=False,
        reference="average",
    )
    assert terms.band == PriceBand(
        reference="average",
        minutes=1,
        buy_least=D("0.2"),
        buy_most=D("1.2"),
        sell_least=D("0.8"),
        sell_most=D(5),
    )
    assert (terms.max_orders, terms.max_conditional_orders, terms.max_position) == (25, 5, D(10))
    assert (terms.order_types, terms.takes_cost, terms.is_trading) == (ALL, True, True)
    assert (terms.contract_size, terms.settle, terms.max_leverage) == (None, None, None)


def test_a_contract_is_held_to_every_filter_that_its_page_documents_and_counts_from_the_least() -> None:
    terms = perpetual(USDM)
    assert terms.amount == AmountGrid(step=D("0.001"), least=D("0.001"), most=D(1000), origin=D("0.001"))
    assert terms.market_amount is not None
    assert terms.market_amount.most == D(120)
    assert terms.price == PriceGrid(tick=D("0.1"), least=D("556.8"), most=D(4529764), origin=D("556.8"))
    assert terms.notional == NotionalGrid(
        least=D(100), most=None, reduce_only_is_exempt=True, reference="mark"
    )
    assert terms.band == PriceBand(reference="mark", buy_most=D("1.05"), sell_least=D("0.95"))
    assert (terms.max_orders, terms.max_conditional_orders) == (200, 10)
    assert (terms.order_types, terms.takes_cost, terms.contract_size, terms.settle) == (
        ALL,
        False,
        None,
        "USDT",
    )


def test_a_figure_of_zero_switches_its_rule_off() -> None:
    off = {"minQty": "0.00000000", "maxQty": "180.00000000", "stepSize": "0.00000000"}
    prices = {"minPrice": "0.00000000", "maxPrice": "0.00000000", "tickSize": "0.01"}
    terms = spot({**SPOT, "MARKET_LOT_SIZE": off, "PRICE_FILTER": prices})
    assert terms.market_amount == AmountGrid(step=D(0), least=None, most=D(180))
    assert terms.price == PriceGrid(tick=D("0.01"), least=None, most=None)


def test_older_forms_of_two_filters_mean_the_same() -> None:
    older = {
        name: values for name, values in SPOT.items() if name not in {"NOTIONAL", "PERCENT_PRICE_BY_SIDE"}
    }
    terms = spot(
        {
            **older,
            "PERCENT_PRICE": {"multiplierUp": "1.3000", "multiplierDown": "0.7000", "avgPriceMins": 0},
            "MIN_NOTIONAL": {"minNotional": "0.00100000", "applyToMarket": True, "avgPriceMins": 0},
        }
    )
    # "avgPriceMins is the number of minutes the average price is calculated over. 0 means the last price is used."
    assert terms.band == PriceBand(
        reference="last",
        buy_least=D("0.7"),
        buy_most=D("1.3"),
        sell_least=D("0.7"),
        sell_most=D("1.3"),
    )
    assert terms.notional == NotionalGrid(
        least=D("0.001"), most=None, applies_to_market=True, most_applies_to_market=True, reference="last"
    )


def test_without_a_rule_there_is_none_and_without_grids_there_are_no_terms() -> None:
    bare = {name: SPOT[name] for name in ("PRICE_FILTER", "LOT_SIZE")}
    terms = spot(bare)
    assert (terms.notional, terms.band, terms.max_orders, terms.market_amount) == (None, None, None, None)
    for missing in bare:
        with pytest.raises(BadAnswerError, match="without"):
            spot({name: values for name, values in bare.items() if name != missing})
    with pytest.raises(BadAnswerError, match="without the step"):
        spot({**bare, "LOT_SIZE": {**SPOT["LOT_SIZE"], "stepSize": "0.00"}})


@pytest.mark.parametrize("value", ["-1", "NaN", "1e999", "ten", ["1"]], ids=repr)
def test_a_figure_that_is_none_is_a_bad_answer(value: object) -> None:
    with pytest.raises(BadAnswerError):
        spot({**SPOT, "LOT_SIZE": {**SPOT["LOT_SIZE"], "maxQty": value}})


@pytest.mark.parametrize("info", [{}, {"rules": ""}, {"rules": "[]"}, {"rules": '{"filters":[1]}'}], ids=repr)
def test_a_stored_row_without_its_filters_is_a_bad_answer(info: dict[str, str]) -> None:
    with pytest.raises(BadAnswerError, match="without the filters"):
        binance.terms({"id": "X", "symbol": "X/Y", "base": "X", "quote": "Y", "spot": True, "info": info})


@pytest.mark.parametrize("status", ["BREAK", "HALT", "END_OF_DAY", None])
def test_only_what_says_so_is_trading(status: str | None) -> None:
    assert not spot(SPOT, status=status).is_trading


async def test_the_simulated_venues_rules_come_through_the_store_of_markets_and_back(
    sim: SimulatedExchange, tmp_path: Path
) -> None:
    found: list[MarketTerms] = []
    for _ in range(2):
        async with opened(simulated(sim), cache=tmp_path) as venues:
            sim.control.clear_requests()
            for symbol in ("BTC/USDT", "LUNA/USDT", "BTC/USDT:USDT"):
                (source,) = venues.venues["main"].terms(symbol).reads
                found += await source.read()
    assert found[:3] == found[3:]
    assert [entry.path for entry in sim.control.requests()] == []
    pair, halted, contract = found[:3]
    # sim/catalogue.py and sim/limits.py, by hand.
    assert (pair.amount.step, pair.amount.most, pair.price.tick) == (D("0.00001"), D(9000), D("0.01"))
    assert (contract.amount.step, contract.amount.most, contract.price.tick) == (
        D("0.001"),
        D(1000),
        D("0.1"),
    )
    assert (pair.is_trading, halted.is_trading) == (True, False)


# By hand, from the rows in `canned`: step, least, most, tick, least notional, contract size, highest leverage.
OTHERS: Final = {
    "bybit BTC/USDT": ("0.000001", "0.000011", "83", "0.1", "5", None, None),
    "bybit BTC/USDT:USDT": ("0.001", "0.001", "1190.000", "0.10", None, None, 100),
    "okx BTC/USDT": ("0.00000001", "0.00001", "9999999999", "0.1", None, None, None),
    "okx BTC/USDT:USDT": ("0.01", "0.01", "9999999999", "0.1", None, "0.01", 10),
    "kraken BTC/USD": ("0.00000001", "0.00005", None, "0.1", "0.5", None, None),
    "coinbase BTC/USD": ("0.00000001", "0.00000001", "3400", "0.01", "1", None, None),
    "kucoin BTC/USDT": ("0.00000001", "0.00001", "10000000000", "0.1", "0.1", None, None),
    "kucoin BTC/USDT:USDT": ("1", "1", "1000000", "0.1", None, "0.001", 125),
    "bitget BTC/USDT:USDT": ("0.0001", "0.0001", None, "0.1", "5", None, 150),
    "gate BTC/USDT": ("0.000001", "0.000001", None, "0.1", "3", None, None),
    "gate BTC/USDT:USDT": ("1", "1", "1000000", "0.1", None, "0.0001", 100),
}


@pytest.mark.parametrize("named", OTHERS)
async def test_at_the_other_venues_it_is_what_their_rows_say_and_nothing_more(
    named: str, tmp_path: Path
) -> None:
    venue, symbol = named.split()
    async with opened_case(CASES[venue], tmp_path) as (asked, _):
        (source,) = asked.terms(symbol).reads
        (terms,) = await source.read()
    least_notional = None if terms.notional is None else terms.notional.least
    figures = (terms.amount.step, terms.amount.least, terms.amount.most, terms.price.tick, least_notional)
    step, least, most, tick, notional, size, leverage = OTHERS[named]
    expected = [None if text is None else D(text) for text in (step, least, most, tick, notional)]
    assert list(figures) == expected
    assert terms.contract_size == (None if size is None else D(size))
    assert terms.max_leverage == leverage
    assert (terms.band, terms.max_orders, terms.takes_cost) == (None, None, False)
    assert terms.order_types == {OrderType.MARKET, OrderType.LIMIT}


async def test_a_limit_that_moves_with_the_price_is_none_of_the_list(tmp_path: Path) -> None:
    # ccxt works gate's out from the mark price at which the list was read: 97290.26 less and plus a half of it.
    async with opened_case(CASES["gate"], tmp_path) as (asked, _):
        (source,) = asked.terms("BTC/USDT:USDT").reads
        (terms,) = await source.read()
    assert (terms.price.least, terms.price.most) == (None, None)


STRUCTURE: Final[dict[str, Any]] = {
    "id": "X",
    "symbol": "BTC/USD:BTC",
    "base": "BTC",
    "quote": "USD",
    "settle": "BTC",
    "inverse": True,
    "contractSize": "1",
    "active": None,
    "precision": {"amount": "1", "price": "0.5"},
    "limits": {},
}


def test_a_contract_of_one_dollar_is_no_amount_in_base() -> None:
    terms = market_terms("bybit", STRUCTURE, TICK_SIZE)
    assert (terms.contract_size, terms.is_trading, terms.notional) == (D(1), True, None)


@pytest.mark.parametrize(
    ("venue", "changed", "mode", "why"),
    [
        ("bybit", {"precision": {"amount": None, "price": "0.5"}}, TICK_SIZE, "on which grid"),
        ("bybit", {"precision": {"amount": "1", "price": "0"}}, TICK_SIZE, "on which grid"),
        ("bybit", {}, SIGNIFICANT_DIGITS, "on which grid"),
        ("bybit", {"contractSize": None}, TICK_SIZE, "size of a contract"),
        ("deribit", {}, TICK_SIZE, "what an amount of BTC/USD:BTC counts"),
        ("bybit", {"precision": {"amount": 0.1, "price": "0.5"}}, TICK_SIZE, "float"),
    ],
    ids=["no step", "no tick", "digits", "no size", "not compared", "float"],
)
def test_what_is_not_told_exactly_gives_no_terms(
    venue: str, changed: dict[str, Any], mode: int, why: str
) -> None:
    with pytest.raises(ExchangeMcpError, match=why) as caught:
        market_terms(venue, {**STRUCTURE, **changed}, mode)
    assert isinstance(caught.value, NotCoveredError | BadAnswerError)
