"""From a parsed answer to a record: what is missing stays missing, and what makes no sense is refused."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.errors import BadAnswerError
from exchange_mcp.model.markets import OrderBook
from exchange_mcp.model.orders import OpenOrder
from exchange_mcp.model.positions import Position
from exchange_mcp.rules.private.declared import BalanceFields, PositionFields
from exchange_mcp.rules.reading import book_depth
from exchange_mcp.rules.tickers import TickerFields, ticker_fields
from exchange_mcp.rules.venues import VENUES
from exchange_mcp.venue import answers
from exchange_mcp.venue.terms import positive

SPOT = {"id": "BTCUSDT", "symbol": "BTC/USDT", "contract": False, "linear": None, "contractSize": None}
LINEAR = {"symbol": "BTC/USDT:USDT", "contract": True, "linear": True, "contractSize": "0.01"}
INVERSE = {"symbol": "BTC/USD:BTC", "contract": True, "linear": False, "contractSize": "100"}
LEVEL = [Decimal("97000.10"), Decimal("2.50")]


def _book(market: dict[str, Any], **sides: object) -> OrderBook:
    return answers.order_book({"bids": [LEVEL], "asks": [], **sides}, market, "main", 5)


def test_a_spot_book_is_in_base() -> None:
    assert _book(SPOT).bids == ((Decimal("97000.10"), Decimal("2.50")),)
    assert (_book(SPOT).amount_unit, _book(SPOT).contract_size) == ("base", None)


def test_levels_that_come_as_text_are_sorted_as_numbers() -> None:
    book = _book(SPOT, bids=[["9999.90", "1"], ["97000.10", "2.50"]], asks=[["100000", "1"], ["97001", "3"]])
    assert [str(price) for price, _ in book.bids] == ["97000.10", "9999.90"]
    assert [str(price) for price, _ in book.asks] == ["97001", "100000"]


def test_where_nobody_read_what_contracts_count_amounts_are_as_sent() -> None:
    book = answers.order_book({"bids": [LEVEL], "asks": []}, LINEAR, "main", 5, is_known=False)
    assert [str(amount) for _, amount in book.bids] == ["2.50"]
    assert (book.amount_unit, book.contract_size) == ("unknown", None)


def test_linear_contracts_become_base_and_inverse_ones_stay_contracts() -> None:
    # 2.50 contracts of 0.01 BTC are 0.0250 BTC; an inverse contract is 100 USD, which no amount of BTC is.
    assert [str(amount) for _, amount in _book(LINEAR).bids] == ["0.0250"]
    assert (_book(LINEAR).amount_unit, str(_book(LINEAR).contract_size)) == ("base", "0.01")
    assert [str(amount) for _, amount in _book(INVERSE).bids] == ["2.50"]
    assert (_book(INVERSE).amount_unit, str(_book(INVERSE).contract_size)) == ("contracts", "100")


def test_contracts_of_unknown_size_stay_contracts() -> None:
    unknown = {**LINEAR, "contractSize": None}
    assert _book(unknown).amount_unit == "contracts"
    order = _resting(_order(amount="3"), unknown)
    assert (order.contracts, order.amount) == (True, Decimal(3))
    position = _shown(_position(), unknown)
    assert (position.amount, str(position.contracts)) == (None, "2.500")


@pytest.mark.parametrize(
    "sides",
    [
        {"bids": None},
        {"bids": [], "asks": []},
        {"bids": [[None, Decimal(1)]]},
        {"bids": [["one", "1"]]},
        {"bids": [[1.0, 1.0]]},
        {"bids": [["-1", "1"]]},
        {"bids": [["1", "-1"]]},
        {"bids": [["2", "1"]], "asks": [["1.9", "1"]]},
        {"bids": [["2", "1"]], "asks": [["2.0", "1"]]},
    ],
    ids=str,
)
def test_a_book_without_its_sides_or_with_a_float_or_that_crosses_is_a_bad_answer(
    sides: dict[str, object],
) -> None:
    with pytest.raises(BadAnswerError):
        _book(SPOT, **sides)


def _ticker(**told: object) -> dict[str, object]:
    row = {"s": "BTCUSDT", "l": "1.0", "r": "-0.0123", "v": "5", **told}
    return {"symbol": "X/Y", "last": "9", "percentage": "9", "timestamp": 5, "info": row}


TICKER = TickerFields(
    market="s", last="l", bid="b.0", ask="a", high="h", low="w", ratio="r", base_volume="v", unknown="nan"
)


def test_a_ticker_has_what_the_venues_row_says_and_nothing_that_was_worked_out() -> None:
    shown = answers.ticker(_ticker(b=["0.00", "7"], h="0.0", v="nan"), SPOT, "main", TICKER)
    assert (shown.symbol, str(shown.last), str(shown.bid), str(shown.high)) == (
        "BTC/USDT",
        "1.0",
        "0.00",
        "0.0",
    )
    # A hundred times -0.0123.
    assert (str(shown.change_percent), shown.time) == ("-1.2300", 5)
    assert (shown.ask, shown.low, shown.base_volume, shown.quote_volume) == (None,) * 4


@pytest.mark.parametrize("bad", [float("1.5"), True, "abc", "NaN", "Infinity", ["1"], {"a": "1"}, "-1"])
@pytest.mark.parametrize("name", ["l", "h", "v"])
def test_a_figure_of_a_ticker_that_is_no_exact_number_is_a_bad_answer(name: str, bad: object) -> None:
    with pytest.raises(BadAnswerError, match="the venue's"):
        answers.ticker(_ticker(**{name: bad}), SPOT, "main", TICKER)


@pytest.mark.parametrize("named", ["ETHUSDT", "btcusdt", None, "", 1])
def test_a_ticker_of_another_market_is_a_bad_answer(named: object) -> None:
    with pytest.raises(BadAnswerError, match="not told to be of BTC/USDT"):
        answers.ticker(_ticker(s=named), SPOT, "main", TICKER)


def test_a_ticker_needs_one_price_and_no_more() -> None:
    assert answers.ticker(_ticker(l=None, a="2"), SPOT, "main", TICKER).last is None
    with pytest.raises(BadAnswerError, match="without a price"):
        answers.ticker(_ticker(l=None), SPOT, "main", TICKER)


def test_of_a_venue_whose_page_nobody_read_only_what_stands_in_its_row_is_shown() -> None:
    parsed: dict[str, object] = {
        "last": "97.10",
        "bid": "97.00",
        "high": "98",
        "percentage": "1.5",
        "baseVolume": "5",
        "info": {"prices": [{"last": "97.10"}, "97.00"], "high": 98, "volume": 5, "ask": True},
    }
    shown = answers.ticker(parsed, SPOT, "main", None)
    assert [str(each) for each in (shown.last, shown.bid, shown.high, shown.base_volume)] == [
        "97.10",
        "97.00",
        "98",
        "5",
    ]
    assert (shown.change_percent, shown.ask) == (None, None)
    assert answers.ticker(parsed, SPOT, "main", None, is_known=False).base_volume is None


# okx: https://www.okx.com/docs-v5/en/#order-book-trading-market-data-get-ticker
# bybit: https://bybit-exchange.github.io/docs/v5/market/tickers
# kraken: https://docs.kraken.com/api/docs/rest-api/get-ticker-information
@pytest.mark.parametrize(
    ("venue", "market_type", "volumes"),
    [
        ("okx", MarketType.SPOT, ("vol24h", "volCcy24h")),
        ("okx", MarketType.LINEAR, ("volCcy24h", None)),
        ("bybit", MarketType.LINEAR, ("volume24h", "turnover24h")),
        ("bybit", MarketType.INVERSE, ("turnover24h", "volume24h")),
        ("kraken", MarketType.SPOT, ("v.1", None)),
    ],
)
def test_what_each_venue_counts_as_base_and_quote_is_known(
    venue: str, market_type: MarketType, volumes: tuple[str | None, str | None]
) -> None:
    fields = ticker_fields(venue, market_type)
    assert fields is not None
    assert (fields.base_volume, fields.quote_volume) == volumes


@pytest.mark.parametrize("venue", ["kraken", "okx", "coinbase"])
def test_a_change_since_another_time_than_24_hours_ago_is_not_given(venue: str) -> None:
    fields = ticker_fields(venue, MarketType.SPOT)
    assert fields is not None
    assert (fields.percent, fields.ratio) == (None, None)


def test_every_supported_venue_has_its_fields_and_others_have_none() -> None:
    for venue, rules in VENUES.items():
        assert all(ticker_fields(venue, market_type) is not None for market_type in rules.market_types)
    assert ticker_fields("bitstamp", MarketType.SPOT) is None


FIELDS = PositionFields(
    market="id",
    size="size",
    side="side",
    sides={"Buy": "long", "Sell": "short"},
    signed=frozenset({"net"}),
    hedge="mode",
    hedges={"one": False, "two": True},
    margin="margin",
    margins={"crossed": "cross"},
    entry="entry",
    mark="mark",
    liquidation="liquidation",
    notional="value",
    leverage="leverage",
    pnl="pnl",
    updated="at",
)


def _position(**told: object) -> dict[str, object]:
    return {"id": "BTCUSDT", "side": "Buy", "size": "2.500", "entry": "97000.10", **told}


def _shown(
    row: dict[str, object], market: dict[str, Any] | None = LINEAR, fields: PositionFields = FIELDS
) -> Position:
    position = answers.position(row, fields, market, symbol="BTC/USDT:USDT", account="main", source="linear")
    assert position is not None
    return position


def test_a_position_keeps_what_the_venue_sent_and_leaves_out_what_it_did_not() -> None:
    position = _shown(_position(side="net", size="-2.500", margin="portfolio", mode="three"))
    assert (position.side, str(position.contracts), str(position.amount)) == ("short", "2.500", "0.02500")
    unknown = (
        position.leverage,
        position.margin_mode,
        position.hedge_mode,
        position.mark_price,
        position.updated,
    )
    assert unknown == (None,) * len(unknown)


def test_zeros_are_shown_as_sent_but_a_liquidation_price_that_stands_for_none_and_a_value_has_no_sign() -> (
    None
):
    position = _shown(_position(mark="0.00", liquidation="-1", leverage="0", value="-9700.10", pnl="-0.0"))
    assert (str(position.mark_price), position.liquidation_price, str(position.leverage)) == (
        "0.00",
        None,
        "0",
    )
    assert (str(position.notional), str(position.unrealised_pnl)) == ("9700.10", "-0.0")


@pytest.mark.parametrize("entry", [None, ""])
def test_a_position_without_an_entry_price_is_shown_without_it(entry: object) -> None:
    assert _shown(_position(entry=entry)).entry_price is None


@pytest.mark.parametrize(
    ("row", "fields"),
    [
        ({"size": "-2.5"}, FIELDS),
        ({"side": "Sell", "size": "-2.5"}, FIELDS),
        ({"side": "Sell", "size": "2.5"}, replace(FIELDS, short_is_negative=True)),
        ({"side": "Buy", "size": "-2.5"}, replace(FIELDS, short_is_negative=True)),
        ({"side": "Buy", "mode": "two"}, replace(FIELDS, hedge_sides={"two": "short"})),
        ({"entry": "-1"}, FIELDS),
        ({"mark": True}, FIELDS),
        ({"leverage": ["5"]}, FIELDS),
    ],
    ids=str,
)
def test_a_position_that_contradicts_itself_is_a_bad_answer(
    row: dict[str, object], fields: PositionFields
) -> None:
    with pytest.raises(BadAnswerError):
        _shown(_position(**row), LINEAR, fields)


def test_a_side_with_the_sign_that_the_venue_gives_it_is_that_side() -> None:
    signed = replace(FIELDS, short_is_negative=True, hedge_sides={"two": "short"})
    position = _shown(_position(side="Sell", size="-2.5", mode="two"), LINEAR, signed)
    assert (position.side, str(position.contracts), position.hedge_mode) == ("short", "2.5", True)


def test_a_position_in_base_has_no_contracts() -> None:
    position = _shown(_position(), None, replace(FIELDS, in_base=True))
    assert (str(position.amount), position.contracts, position.contract_size) == ("2.500", None, None)


def test_a_leverage_of_zero_is_cross_only_where_the_venue_says_so() -> None:
    told = replace(FIELDS, margin=None, zero_leverage_is_cross=True)
    assert _shown(_position(leverage="0"), LINEAR, told).margin_mode == "cross"
    assert _shown(_position(leverage="5"), LINEAR, told).margin_mode == "isolated"
    assert _shown(_position(), LINEAR, told).margin_mode is None
    assert _shown(_position(leverage="0"), LINEAR, replace(FIELDS, margin=None)).margin_mode is None


@pytest.mark.parametrize("size", ["0", "0.000", "-0", 0])
def test_a_position_of_no_size_is_none(size: object) -> None:
    row = _position(size=size, side="")
    assert answers.position(row, FIELDS, LINEAR, symbol="S", account="main", source="linear") is None


@pytest.mark.parametrize(
    "told", [{"side": None}, {"side": ""}, {"side": "both"}, {"size": None}, {"size": ""}]
)
def test_a_position_without_a_side_or_a_size_is_a_bad_answer(told: dict[str, object]) -> None:
    with pytest.raises(BadAnswerError, match=r"which side|without its size"):
        _shown(_position(**told))


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        (FIELDS, 1767268800001),
        (replace(FIELDS, in_seconds=True), 1767268800),
        (replace(FIELDS, per_millisecond=1_000_000), "1767268800001000000"),
    ],
)
def test_a_positions_time_is_in_milliseconds_whatever_the_venue_counts_in(
    fields: PositionFields, told: object
) -> None:
    updated = _shown(_position(at=told), LINEAR, fields).updated
    assert updated in {1767268800001, 1767268800000}


def _resting(parsed: dict[str, object], market: dict[str, Any] = SPOT) -> OpenOrder:
    return answers.open_order(parsed, market, "main", "spot", symbol="BTC/USDT")


def _order(**told: object) -> dict[str, object]:
    return {"id": "1", "symbol": "BTC/USDT:USDT", "side": "buy", "type": "limit", "amount": "3", **told}


@pytest.mark.parametrize(
    "told",
    [
        {"id": None},
        {"id": ""},
        {"side": None},
        {"side": "BUY"},
        {"amount": "-3"},
        {"filled": "-1"},
        {"filled": "3.1"},
    ],
)
def test_an_order_without_an_id_or_a_side_or_of_impossible_amounts_is_a_bad_answer(
    told: dict[str, object],
) -> None:
    with pytest.raises(BadAnswerError):
        _resting(_order(**told))


@pytest.mark.parametrize("closes", [True, "true"])
def test_an_order_that_closes_the_position_has_no_amount(closes: object) -> None:
    order = _resting(_order(amount="0", info={"closePosition": closes}), LINEAR)
    assert (order.amount, order.remaining, order.closes_position) == (None, None, True)


def test_what_an_order_does_not_tell_is_null() -> None:
    order = _resting(_order(amount=None, type=None))
    unknown = (order.price, order.amount, order.filled, order.remaining, order.reduce_only, order.post_only)
    assert unknown == (None,) * len(unknown)
    assert (order.created, order.client_order_id, order.position_side, order.type) == (None,) * 4


def test_a_price_that_stands_for_none_is_none_and_another_below_zero_is_a_bad_answer() -> None:
    told = {"a": "-1", "b": "0.0", "c": "5.0", "bad": "-5"}
    assert (positive(told, "a", "b"), str(positive(told, "a", "b", "c"))) == (None, "5.0")
    with pytest.raises(BadAnswerError, match="below zero"):
        positive(told, "c", "bad")
    wrong: tuple[object, ...] = (True, ["1"], {"a": "1"})
    for value in wrong:
        with pytest.raises(BadAnswerError, match="not an exact number"):
            positive({"a": value}, "a")


WALLET = BalanceFields(asset="coin", free=("free", "avail"), used=("held", "margin"))


def _wallet(*rows: dict[str, object], fields: BalanceFields = WALLET) -> list[tuple[str | None, ...]]:
    found = answers.balances(rows, fields, "main", "spot", str.upper)
    return [
        (row.asset, *(None if value is None else str(value) for value in (row.free, row.used, row.total)))
        for row in found
    ]


def test_balances_keep_the_unknown_unknown_and_add_up_only_what_is_told() -> None:
    assert _wallet(
        {"coin": "btc", "free": "1.10", "held": "2"},
        {"coin": "eth", "free": "", "avail": "5.0"},
        {"coin": "sol", "held": "0.10", "margin": "0.20"},
    ) == [("BTC", "1.10", "2", "3.10"), ("ETH", "5.0", None, None), ("SOL", None, "0.30", None)]


def test_a_total_that_is_told_is_not_added_up() -> None:
    told = replace(WALLET, total=("equity",))
    assert _wallet({"coin": "btc", "free": "1", "held": "2", "equity": "7"}, fields=told) == [
        ("BTC", "1", "2", "7")
    ]
    assert _wallet({"coin": "btc", "free": "1", "held": "2"}, fields=told) == [("BTC", "1", "2", None)]


def test_only_the_rows_of_the_wallet_are_kept() -> None:
    rows: tuple[dict[str, object], ...] = (
        {"coin": "btc", "free": "1", "kind": "trade"},
        {"coin": "btc", "free": "2", "kind": "main"},
    )
    fields = replace(WALLET, only=("kind", "main"))
    assert _wallet(*rows, fields=fields) == [("BTC", "2", None, None)]
    for kind in (None, "", 1):
        with pytest.raises(BadAnswerError, match="without its kind"):
            _wallet({**rows[0], "kind": kind}, fields=fields)


def test_money_in_a_wallet_whose_other_figures_are_zero_is_a_bad_answer_and_not_an_empty_one() -> None:
    fields = replace(WALLET, wallet="w")
    assert _wallet({"coin": "btc", "free": "0", "w": "0.0"}, fields=fields) == [("BTC", "0", None, None)]
    assert _wallet({"coin": "btc", "free": "1", "w": "5"}, fields=fields) == [("BTC", "1", None, None)]
    with pytest.raises(BadAnswerError, match="money in its w"):
        _wallet({"coin": "btc", "free": "0", "w": "5"}, fields=fields)


@pytest.mark.parametrize(
    "row", [{"free": "1"}, {"coin": "", "free": "1"}, {"coin": 1, "free": "1"}, {"coin": "btc"}]
)
def test_a_balance_without_an_asset_or_an_amount_is_a_bad_answer(row: dict[str, object]) -> None:
    with pytest.raises(BadAnswerError, match="the venue sent a balance without"):
        _wallet(row)


# binance USD-M: https://developers.binance.com/docs/derivatives/usds-margined-futures/market-data/rest-api/Order-Book
# kucoin: https://www.kucoin.com/docs-new/rest/spot-trading/market-data/get-part-orderbook
# bitget: https://www.bitget.com/api-doc/contract/market/Get-Merge-Depth
@pytest.mark.parametrize(
    ("venue", "market_type", "levels", "depth"),
    [
        ("binance", MarketType.SPOT, 7, 7),
        ("binance", MarketType.LINEAR, 7, 10),
        ("binance", MarketType.LINEAR, 50, 50),
        ("kucoin", MarketType.SPOT, 1, 20),
        ("kucoin", MarketType.LINEAR, 21, 100),
        ("bitget", MarketType.LINEAR, 16, 50),
        ("okx", MarketType.LINEAR, 50, 50),
    ],
)
def test_a_book_is_asked_for_at_the_smallest_depth_that_the_venue_serves(
    venue: str, market_type: MarketType, levels: int, depth: int
) -> None:
    assert book_depth(venue, market_type, levels) == depth
