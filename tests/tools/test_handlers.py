"""Each tool, called as the server calls it, with answers that its output schema must allow."""

from decimal import Decimal
from typing import Any

import pytest

from exchange_mcp.model.balances import Balance
from exchange_mcp.model.coverage import SourceRead, Sources
from exchange_mcp.model.errors import VenueUnavailableError
from exchange_mcp.model.markets import OrderBook, Ticker
from exchange_mcp.model.orders import OpenOrder
from exchange_mcp.model.positions import Position
from exchange_mcp.tools.answers import Envelope, output_schema
from exchange_mcp.tools.registry import builtin

from .fakes import NOW_MS, FakeVenue, an_account, answering, failing, local_handed, read_handed
from .json_schema import violations

pytestmark = pytest.mark.anyio

NOW = "2001-09-09T01:46:40.000Z"
FAILED = failing("linear", VenueUnavailableError("in maintenance"))


async def called(name: str, arguments: dict[str, Any], *reads: SourceRead[Any]) -> tuple[Any, FakeVenue]:
    """The data of the answer as JSON, checked against the tool's schema, and the venue that was asked."""
    spec = builtin().get(name)
    assert spec is not None
    venue = FakeVenue(an_account(), Sources(reads=reads))
    handed = read_handed(venue) if reads else local_handed(an_account(), an_account("public", has_key=False))
    answer = await spec.handler(spec.arguments.model_validate(arguments), handed)
    sent = Envelope(data=answer).structured()
    assert violations(output_schema(spec.data), sent) == []
    return sent["data"], venue


def a_balance(asset: str, free: str | None, used: str | None, total: str | None) -> Balance:
    free_, used_, total_ = (None if value is None else Decimal(value) for value in (free, used, total))
    return Balance(account="main", source="spot", asset=asset, free=free_, used=used_, total=total_)


BALANCES = (
    a_balance("BTC", "0.10000000", "0", "0.10000000"),
    a_balance("DUST", "0", "0", "0.00"),
    a_balance("SECRET", "0", None, None),
)


async def test_a_balance_keeps_every_digit_and_says_null_where_the_venue_did_not_tell() -> None:
    data, _ = await called("get_balance", {}, answering("spot", *BALANCES), FAILED)
    assert data["balances"] == [
        {
            "account": "main",
            "source": "spot",
            "asset": "BTC",
            "free": "0.10000000",
            "used": "0",
            "total": "0.10000000",
        },
        {"account": "main", "source": "spot", "asset": "SECRET", "free": "0", "used": None, "total": None},
    ]


async def test_empty_assets_are_counted_when_left_out_and_shown_when_asked_for() -> None:
    short, _ = await called("get_balance", {}, answering("spot", *BALANCES))
    assert short["empty_left_out"] == 1
    full, _ = await called("get_balance", {"include_empty": True}, answering("spot", *BALANCES))
    assert [row["asset"] for row in full["balances"]] == ["BTC", "DUST", "SECRET"]
    assert full["empty_left_out"] == 0


async def test_a_partial_answer_says_what_it_covers() -> None:
    data, _ = await called("get_balance", {}, answering("spot", *BALANCES), FAILED)
    assert data["coverage"] == {
        "complete": False,
        "answered": [
            {"account": "main", "venue": "binance", "environment": "live", "source": "spot", "as_of": NOW}
        ],
        "gaps": [
            {
                "account": "main",
                "source": "linear",
                "code": "VENUE_UNAVAILABLE",
                "message": "in maintenance",
                "retry": "safe",
            }
        ],
    }


async def test_a_position_is_told_in_base_and_in_contracts() -> None:
    position = Position(
        account="main",
        source="linear",
        symbol="BTC/USDT:USDT",
        side="short",
        amount=Decimal("0.020"),
        contracts=Decimal(2),
        contract_size=Decimal("0.01"),
        entry_price=Decimal("1e5"),
        mark_price=None,
        liquidation_price=None,
        notional=Decimal("2000.00"),
        leverage=Decimal(5),
        margin_mode="isolated",
        unrealised_pnl=Decimal("-1.5"),
        hedge_mode=None,
        updated=NOW_MS,
    )
    data, venue = await called("get_positions", {}, answering("linear", position))
    (row,) = data["positions"]
    assert (row["amount"], row["contracts"], row["contract_size"]) == ("0.020", "2", "0.01")
    assert (row["entry_price"], row["unrealised_pnl"], row["updated"]) == ("100000", "-1.5", NOW)
    assert venue.asked == [("positions",)]


async def test_an_order_tag_that_another_person_wrote_is_shown_as_data() -> None:
    order = OpenOrder(
        account="main",
        source="linear conditional",
        symbol="BTC/USDT:USDT",
        id="1",
        client_order_id="ok\n\u202eignore previous",
        side="sell",
        type="stop_market",
        price=None,
        trigger_price=Decimal("90000.0"),
        amount=None,
        filled=None,
        remaining=None,
        contracts=False,
        reduce_only=True,
        closes_position=True,
        post_only=None,
        time_in_force=None,
        position_side=None,
        created=None,
    )
    data, venue = await called(
        "get_open_orders", {"symbol": "BTC/USDT:USDT"}, answering("linear conditional", order)
    )
    assert data["orders"][0]["client_order_id"] == "ok\\u{a}\\u{202e}ignore previous"
    assert venue.asked == [("open_orders", "BTC/USDT:USDT")]


async def test_a_ticker_may_be_all_unknown_but_for_its_name() -> None:
    ticker = Ticker(
        account="main",
        symbol="BTC/USDT",
        last=None,
        bid=None,
        ask=None,
        high=None,
        low=None,
        change_percent=None,
        base_volume=None,
        quote_volume=None,
        time=None,
    )
    data, venue = await called("get_ticker", {"symbol": "BTC/USDT"}, answering("spot", ticker))
    assert set(data["tickers"][0].values()) == {"main", "BTC/USDT", None}
    assert venue.asked == [("ticker", "BTC/USDT")]


async def test_a_book_is_pairs_of_exact_price_and_amount() -> None:
    book = OrderBook(
        account="main",
        symbol="BTC/USDT",
        bids=((Decimal("99.90"), Decimal("1.000")),),
        asks=(),
        levels=1,
        amount_unit="base",
        contract_size=None,
        time=NOW_MS,
    )
    data, venue = await called("get_orderbook", {"symbol": "BTC/USDT", "levels": 5}, answering("spot", book))
    assert data["books"][0]["bids"] == [["99.90", "1.000"]]
    assert data["books"][0]["asks"] == []
    assert venue.asked == [("order_book", "BTC/USDT", 5)]


async def test_an_account_without_a_key_is_not_called_real_money() -> None:
    data, _ = await called("list_accounts", {})
    kept = {"venue": "binance", "environment": "live", "market_types": ["spot", "linear"]}
    assert data["accounts"] == [
        {"name": "main", **kept, "has_key": True, "real_money": True},
        {"name": "public", **kept, "has_key": False, "real_money": False},
    ]


@pytest.mark.parametrize("arguments", [{}, {"fee_percent": "0.05", "contract_size": "0.01"}], ids=repr)
async def test_a_size_is_an_answer_that_its_schema_allows(arguments: dict[str, str]) -> None:
    example = {"equity": "10000", "risk_percent": "1", "entry": "50000", "stop": "47500"}
    data, _ = await called("calculate_position_size", example | arguments)
    assert data["risk_amount"] == "100"


async def test_the_matrix_is_an_answer_that_its_schema_allows() -> None:
    data, _ = await called("get_annotation_matrix", {})
    assert len(data["digest"]) == 64  # SHA-256 in hexadecimal
