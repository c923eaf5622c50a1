"""From a parsed answer to a record: what is missing stays missing, and what makes no sense is refused."""

from decimal import Decimal
from typing import Any

import pytest

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.errors import BadAnswerError
from exchange_mcp.model.markets import OrderBook
from exchange_mcp.rules.reading import book_depth, volume_fields
from exchange_mcp.venue import answers

SPOT = {"symbol": "BTC/USDT", "contract": False, "linear": None, "contractSize": None}
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
    order = answers.open_order(_order(amount="3"), unknown, "main", "linear")
    assert (order.contracts, order.amount) == (True, Decimal(3))
    assert answers.position(_position(contractSize=None), unknown, "main", "linear").amount is None


@pytest.mark.parametrize(
    "sides",
    [
        {"bids": None},
        {"bids": [], "asks": []},
        {"bids": [[None, Decimal(1)]]},
        {"bids": [["one", "1"]]},
        {"bids": [[1.0, 1.0]]},
    ],
    ids=str,
)
def test_a_book_without_its_sides_or_with_a_float_is_a_bad_answer(sides: dict[str, object]) -> None:
    with pytest.raises(BadAnswerError):
        _book(SPOT, **sides)


def _ticker(**told: object) -> dict[str, object]:
    return {"last": "1", "baseVolume": "5", "quoteVolume": "6", "info": {"x": "7.0", "y": "8"}, **told}


def test_volumes_come_from_the_venues_own_fields_where_it_counts_in_contracts() -> None:
    plain = answers.ticker(_ticker(), "main", "S", None)
    assert (plain.base_volume, plain.quote_volume) == (Decimal(5), Decimal(6))
    own = answers.ticker(_ticker(), "main", "S", ("x", None))
    assert (str(own.base_volume), own.quote_volume) == ("7.0", None)


# okx: https://www.okx.com/docs-v5/en/#order-book-trading-market-data-get-ticker
# bybit: https://bybit-exchange.github.io/docs/v5/market/tickers
def test_the_venues_that_count_volumes_otherwise_are_known() -> None:
    assert volume_fields("okx", MarketType.LINEAR) == ("volCcy24h", None)
    assert volume_fields("okx", MarketType.SPOT) is None
    assert volume_fields("bybit", MarketType.INVERSE) == ("turnover24h", "volume24h")
    assert volume_fields("bybit", MarketType.LINEAR) is None


@pytest.mark.parametrize("value", [float("1.5"), True, "abc", "NaN", "Infinity"])
def test_a_price_that_is_no_exact_number_is_a_bad_answer(value: object) -> None:
    with pytest.raises(BadAnswerError, match="the venue's last is"):
        answers.ticker(_ticker(last=value), "main", "S")


def test_a_ticker_needs_one_price_and_no_more() -> None:
    assert answers.ticker({"bid": "1", "info": {}}, "main", "S").last is None
    with pytest.raises(BadAnswerError, match="without a price"):
        answers.ticker({"baseVolume": "5", "info": {}}, "main", "S")


def _position(**told: object) -> dict[str, object]:
    return {"symbol": "BTC/USDT:USDT", "side": "long", "contracts": "2.5", "contractSize": "0.01", **told}


def test_a_position_keeps_what_the_venue_sent_and_leaves_out_what_it_did_not() -> None:
    told = _position(contracts="2.5", info={"positionAmt": "-2.500"}, marginMode="portfolio")
    position = answers.position(told, LINEAR, "main", "linear")
    assert (str(position.contracts), str(position.amount)) == ("2.500", "0.02500")
    assert (position.leverage, position.margin_mode, position.hedge_mode, position.mark_price) == (
        None,
        None,
        None,
        None,
    )


def test_the_amount_sent_is_not_taken_where_it_is_another_number() -> None:
    told = _position(contracts="2.5", info={"positionAmt": "7"})
    assert str(answers.position(told, LINEAR, "main", "linear").contracts) == "2.5"


@pytest.mark.parametrize("info", [{}, {"positionAmt": "0"}, None])
def test_a_position_on_no_side_is_a_bad_answer(info: object) -> None:
    with pytest.raises(BadAnswerError, match="which side"):
        answers.position(_position(side=None, info=info), LINEAR, "main", "linear")


def _order(**told: object) -> dict[str, object]:
    return {"id": "1", "symbol": "BTC/USDT:USDT", "side": "buy", "type": "limit", "amount": "3", **told}


@pytest.mark.parametrize("told", [{"id": None}, {"id": ""}, {"side": None}, {"side": "BUY"}])
def test_an_order_without_an_id_or_a_side_is_a_bad_answer(told: dict[str, object]) -> None:
    with pytest.raises(BadAnswerError):
        answers.open_order(_order(**told), SPOT, "main", "spot")


@pytest.mark.parametrize("closes", [True, "true"])
def test_an_order_that_closes_the_position_has_no_amount(closes: object) -> None:
    order = answers.open_order(
        _order(amount="0", info={"closePosition": closes}), LINEAR, "main", "linear conditional"
    )
    assert (order.amount, order.remaining, order.closes_position) == (None, None, True)


def test_what_an_order_does_not_tell_is_null() -> None:
    order = answers.open_order(_order(amount=None), SPOT, "main", "spot")
    unknown = (order.price, order.amount, order.filled, order.remaining, order.reduce_only, order.post_only)
    assert unknown == (None,) * len(unknown)
    assert (order.created, order.client_order_id, order.position_side) == (None, None, None)


def test_balances_leave_out_what_is_no_asset_and_keep_the_unknown_unknown() -> None:
    parsed = {
        "info": {},
        "timestamp": 1,
        "free": {"BTC": "1"},
        "BTC": {"free": "1.10", "used": "2", "total": "3.1"},
        "ETH": {"free": None, "used": None, "total": "5.0"},
    }
    rows = [
        (row.asset, row.free, row.used, str(row.total)) for row in answers.balances(parsed, "main", "spot")
    ]
    assert rows == [("BTC", Decimal("1.10"), Decimal(2), "3.10"), ("ETH", None, None, "5.0")]


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
