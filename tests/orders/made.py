"""Markets, accounts and books with round numbers, for tests that work figures out by hand."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.markets import OrderBook
from exchange_mcp.model.terms import (
    AmountGrid,
    Bracket,
    Fees,
    Held,
    MarketTerms,
    NotionalGrid,
    PriceBand,
    PriceGrid,
    Reference,
    Resting,
    Standing,
)
from exchange_mcp.model.writes import OrderType
from exchange_mcp.orders.placing import plan_order
from exchange_mcp.orders.planned import PlannedOrder
from exchange_mcp.orders.preview import OrderPreview
from exchange_mcp.orders.previewing import preview_order
from exchange_mcp.orders.requests import OrderRequest

D = Decimal

SPOT = MarketTerms(
    venue="binance",
    symbol="BTC/USDT",
    market_id="BTCUSDT",
    market_type=MarketType.SPOT,
    base="BTC",
    quote="USDT",
    settle=None,
    contract_size=None,
    is_trading=True,
    order_types=frozenset(OrderType),
    takes_cost=True,
    amount=AmountGrid(step=D("0.001"), least=D("0.001"), most=D(100)),
    market_amount=AmountGrid(step=D(0), least=D(0), most=D(50)),
    price=PriceGrid(tick=D("0.1"), least=D("0.1"), most=D(1_000_000)),
    notional=NotionalGrid(least=D(10), most=D(9_000_000), most_applies_to_market=False, reference="average"),
    band=PriceBand(
        reference="average",
        minutes=5,
        buy_least=D("0.2"),
        buy_most=D("1.2"),
        sell_least=D("0.8"),
        sell_most=D(5),
    ),
    max_orders=200,
    max_conditional_orders=5,
    max_leverage=None,
)
LINEAR = replace(
    SPOT,
    symbol="BTC/USDT:USDT",
    market_type=MarketType.LINEAR,
    settle="USDT",
    takes_cost=False,
    market_amount=AmountGrid(step=D("0.001"), least=D("0.001"), most=D(50)),
    notional=NotionalGrid(least=D(100), most=None, reduce_only_is_exempt=True, reference="mark"),
    band=PriceBand(reference="mark", buy_most=D("1.05"), sell_least=D("0.95")),
    max_conditional_orders=10,
    max_leverage=125,
)
# A contract of 0.001 BTC and one of 10 ZRX: amounts are counted in contracts.
SMALL_CONTRACTS = replace(
    LINEAR,
    venue="okx",
    market_id="BTC-USDT-SWAP",
    contract_size=D("0.001"),
    amount=AmountGrid(step=D("0.1"), least=D("0.1"), most=D(10_000)),
    market_amount=None,
)
LARGE_CONTRACTS = replace(
    SMALL_CONTRACTS,
    symbol="ZRX/USDT:USDT",
    market_id="ZRX-USDT-SWAP",
    base="ZRX",
    contract_size=D(10),
    amount=AmountGrid(step=D(1), least=D(1), most=D(10_000)),
    notional=None,
)
# One contract is worth 10 USD, whatever the price.
INVERSE = replace(
    LINEAR,
    symbol="BTC/USD:BTC",
    market_id="BTCUSD_PERP",
    market_type=MarketType.INVERSE,
    quote="USD",
    settle="BTC",
    contract_size=D(10),
    amount=AmountGrid(step=D(1), least=D(1), most=D(100_000)),
    market_amount=None,
    notional=None,
)

REFERENCE = Reference(last=D(100_000), mark=D(100_000), average=D(100_000))

# The first three levels of the vendor's table: https://www.binance.com/en/support/faq/b3c689c1f50a44cabb3a84e663b81d93
BRACKETS = (
    Bracket(floor=D(0), cap=D(50_000), rate=D("0.004"), deduction=D(0), max_leverage=125),
    Bracket(floor=D(50_000), cap=D(250_000), rate=D("0.005"), deduction=D(50), max_leverage=100),
    Bracket(floor=D(250_000), cap=D(1_000_000), rate=D("0.01"), deduction=D(1300), max_leverage=50),
)

SPOT_STANDING = Standing(
    position_mode=None,
    held=(),
    free_base=D(2),
    locked_base=D(0),
    free_quote=D(50_000),
    equity=D(250_000),
    wallet_balance=None,
    leverage=None,
    margin_mode=None,
    fees=Fees(maker=D("0.001"), taker=D("0.001"), source="the account's own rate"),
    brackets=(),
    maintenance_others=None,
    unrealised_others=None,
    resting=(),
    as_of_ms=1_767_268_800_000,
)
FLAT = replace(
    SPOT_STANDING,
    position_mode="one_way",
    free_base=None,
    locked_base=None,
    free_quote=D(20_000),
    equity=D(20_000),
    wallet_balance=D(20_000),
    leverage=10,
    margin_mode="cross",
    fees=Fees(maker=D("0.0002"), taker=D("0.0005"), source="the account's own rate", asset="USDT"),
    brackets=BRACKETS,
    maintenance_others=D(0),
    unrealised_others=D(0),
)


def holding(*held: Held, standing: Standing = FLAT, **more: Any) -> Standing:  # noqa: ANN401 - any field
    return replace(standing, held=held, **more)


def long(amount: str, entry: str = "100000") -> Held:
    return Held(side="long", amount=D(amount), entry_price=D(entry))


def short(amount: str, entry: str = "100000") -> Held:
    return Held(side="short", amount=D(amount), entry_price=D(entry))


def resting(**terms: Any) -> Resting:  # noqa: ANN401 - any field
    given: dict[str, Any] = {
        "order_id": "77",
        "client_order_id": None,
        "side": "sell",
        "type": OrderType.LIMIT,
        "amount": D(1),
        "price": D(110_000),
        "trigger_price": None,
        "is_reduce_only": False,
        "closes_position": False,
        "is_conditional": False,
    }
    return Resting(**{**given, **terms})


def stop(**terms: Any) -> Resting:  # noqa: ANN401 - any field
    given: dict[str, Any] = {
        "type": OrderType.STOP_MARKET,
        "price": None,
        "trigger_price": D(90_000),
        "is_reduce_only": True,
        "is_conditional": True,
    }
    return resting(**{**given, **terms})


Levels = Sequence[tuple[str, str]]

BIDS: Levels = (("99990", "1"), ("99980", "2"), ("99900", "5"))
ASKS: Levels = (("100010", "1"), ("100020", "2"), ("100100", "5"))


def made_book(
    bids: Levels = BIDS, asks: Levels = ASKS, *, unit: str = "base", contract_size: str | None = None
) -> OrderBook:
    def levels(rows: Levels) -> tuple[tuple[Decimal, Decimal], ...]:
        return tuple((D(price), D(amount)) for price, amount in rows)

    return OrderBook(
        account="main",
        symbol="BTC/USDT",
        bids=levels(bids),
        asks=levels(asks),
        levels=max(len(bids), len(asks)),
        amount_unit=unit,
        contract_size=None if contract_size is None else D(contract_size),
        time=None,
    )


BOOK = made_book()


def asked(**terms: Any) -> OrderRequest:  # noqa: ANN401 - any field
    given: dict[str, Any] = {"symbol": "BTC/USDT", "side": "buy", "type": "limit"}
    return OrderRequest.model_validate({**given, **terms})


def planned(
    request: OrderRequest,
    terms: MarketTerms = SPOT,
    standing: Standing = SPOT_STANDING,
    reference: Reference = REFERENCE,
) -> PlannedOrder:
    return plan_order(request, terms, reference, standing, client_order_id="desk-1")


def previewed(
    request: OrderRequest,
    terms: MarketTerms = SPOT,
    standing: Standing = SPOT_STANDING,
    reference: Reference = REFERENCE,
    book: OrderBook | None = BOOK,
) -> OrderPreview:
    return preview_order(planned(request, terms, standing, reference), terms, reference, standing, book)
