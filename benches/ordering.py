"""One order on a linear market, to be planned and previewed again and again."""

from collections.abc import Callable
from decimal import Decimal

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
    Standing,
)
from exchange_mcp.model.writes import OrderType
from exchange_mcp.orders.placing import plan_order
from exchange_mcp.orders.preview import OrderPreview
from exchange_mcp.orders.previewing import preview_order
from exchange_mcp.orders.requests import OrderRequest

_TERMS = MarketTerms(
    venue="binance",
    symbol="BTC/USDT:USDT",
    market_id="BTCUSDT",
    market_type=MarketType.LINEAR,
    base="BTC",
    quote="USDT",
    settle="USDT",
    contract_size=None,
    is_trading=True,
    order_types=frozenset(OrderType),
    takes_cost=False,
    amount=AmountGrid(step=Decimal("0.001"), least=Decimal("0.001"), most=Decimal(10_000)),
    market_amount=AmountGrid(step=Decimal("0.001"), least=Decimal("0.001"), most=Decimal(10_000)),
    price=PriceGrid(tick=Decimal("0.1"), least=Decimal("0.1"), most=Decimal(1_000_000)),
    notional=NotionalGrid(least=Decimal(100), most=None, reference="mark"),
    band=PriceBand(reference="mark", buy_most=Decimal("1.05"), sell_least=Decimal("0.95")),
    max_orders=200,
    max_conditional_orders=10,
    max_leverage=125,
)
_REFERENCE = Reference(last=Decimal("97000.1"), mark=Decimal("97001.23456789"), average=None)
_STANDING = Standing(
    position_mode="one_way",
    held=(Held(side="long", amount=Decimal("0.250"), entry_price=Decimal("95543.21")),),
    free_base=None,
    free_quote=Decimal("6548.11821901"),
    equity=Decimal("12553.01234567"),
    wallet_balance=Decimal("12500.73518264"),
    leverage=10,
    margin_mode="cross",
    fees=Fees(
        maker=Decimal("0.0002"), taker=Decimal("0.0005"), source="the account's own rate", asset="USDT"
    ),
    brackets=(
        Bracket(
            floor=Decimal(0),
            cap=Decimal(50_000),
            rate=Decimal("0.004"),
            deduction=Decimal(0),
            max_leverage=125,
        ),
        Bracket(
            floor=Decimal(50_000),
            cap=Decimal(10**9),
            rate=Decimal("0.005"),
            deduction=Decimal(50),
            max_leverage=100,
        ),
    ),
    maintenance_others=Decimal("120.5"),
    unrealised_others=Decimal("-33.25"),
    resting=(),
    as_of_ms=1_767_268_800_000,
)


def planned_and_previewed(levels: int, *, takes_all: bool) -> Callable[[], OrderPreview]:
    """What plans and previews one market order against a book of so many levels a side."""
    tick, amount = Decimal("0.1"), Decimal("0.987")
    book = OrderBook(
        account="main",
        symbol=_TERMS.symbol,
        bids=tuple((Decimal(97_000) - tick * number, amount) for number in range(levels)),
        asks=tuple((Decimal("97000.1") + tick * number, amount) for number in range(levels)),
        levels=levels,
        amount_unit="base",
        contract_size=None,
        time=None,
    )
    asked = amount * levels if takes_all else Decimal("0.050")
    request = OrderRequest(symbol=_TERMS.symbol, side="buy", type=OrderType.MARKET, amount=asked)

    def once() -> OrderPreview:
        plan = plan_order(request, _TERMS, _REFERENCE, _STANDING, client_order_id="emcp-4h7k2m9q1w3e")
        return preview_order(plan, _TERMS, _REFERENCE, _STANDING, book)

    return once
