"""From a request and a context to a decision: the figures are those of plan, preview and book."""

from dataclasses import replace
from decimal import Decimal
from typing import Any, Final, Literal

import pytest

from exchange_mcp.model.accounts import AccountName, MarketType
from exchange_mcp.model.errors import ErrorCode, OrderRefusedError
from exchange_mcp.model.markets import OrderBook
from exchange_mcp.model.terms import Held, Resting
from exchange_mcp.model.writes import OrderType
from exchange_mcp.orders.placing import plan_order
from exchange_mcp.orders.previewing import preview_order
from exchange_mcp.orders.requests import OrderRequest
from exchange_mcp.policy.asked import proposed
from exchange_mcp.policy.context_json import NotReadableError, read_json
from exchange_mcp.policy.decision import Rule
from exchange_mcp.policy.document import judge_policy_text
from exchange_mcp.policy.explanation import Context, Explained, explain, request_of
from exchange_mcp.policy.policy import Policy
from exchange_mcp.rules.venues import check_account

from .made import denied_by, ruling
from .test_context_json import EXAMPLE

SPOT: Final = read_json(EXAMPLE.read_text(encoding="utf-8"), Context)
LONG: Final = Held(side="long", amount=Decimal("0.02"), entry_price=Decimal(58_000))
SWAP: Final = replace(
    SPOT,
    account=AccountName("futures"),
    terms=replace(
        SPOT.terms,
        symbol="BTC/USDT:USDT",
        market_type=MarketType.LINEAR,
        settle="USDT",
        takes_cost=False,
        max_leverage=125,
        order_types=frozenset(OrderType),
    ),
    standing=replace(SPOT.standing, position_mode="one_way", leverage=3, held=(LONG,), margin_mode="cross"),
)


def example() -> Policy:
    text = EXAMPLE.with_name("policy.example.toml").read_text(encoding="utf-8")
    loaded, _ = judge_policy_text(text, "p", check=check_account, environ={"HOME": "/home/operator"})
    return loaded


def told(context: Context = SPOT, **request: Any) -> Explained:  # noqa: ANN401 - a JSON value each
    symbol = context.terms.symbol
    return explain(example(), request_of({"symbol": symbol, **request}), context)


def order(**parts: Any) -> dict[str, Any]:  # noqa: ANN401 - a JSON value each
    return {"side": "buy", "type": "limit", "amount": "0.01", "price": "60000"} | parts


def test_a_limit_order_is_compared_by_its_own_price_and_worth() -> None:
    decision = told(**order()).decision
    assert decision.is_allowed
    # 0.01 BTC at 60,000 USDT; 1,200 USDT were placed before.
    assert ruling(decision, Rule.ORDER_NOTIONAL).measured == "600"
    assert ruling(decision, Rule.DAILY_NOTIONAL).measured == "1800"


def test_a_limit_price_too_far_from_mid_is_denied() -> None:
    # mid is 60,000; 59,400 is one per cent below.
    assert told(**order(price="59400")).decision.is_allowed
    assert denied_by(told(**order(price="59399.99")).decision) == [Rule.PRICE_DISTANCE]


def test_a_market_order_is_bounded_by_the_level_that_the_book_fills_it_at() -> None:
    market = {"side": "buy", "type": "market"}
    futures = replace(SWAP, standing=replace(SWAP.standing, held=()))
    # 0.012 BTC go through the first level, 0.01 at 60,001, into the second, at 60,010.
    decision = told(futures, **market, amount="0.012").decision
    distance = ruling(decision, Rule.PRICE_DISTANCE)
    assert distance.measured == "0.0167"  # 10 / 60,000, rounded up
    assert ruling(decision, Rule.ORDER_NOTIONAL).measured == "720.12"  # 0.012 at 60,010
    assert decision.is_allowed


def test_a_market_order_that_the_book_does_not_bound_is_refused() -> None:
    with pytest.raises(OrderRefusedError) as caught:
        told(SWAP, side="buy", type="market", amount="5")
    assert caught.value.code is ErrorCode.BOOK_TOO_THIN
    unread = replace(SWAP, book=None)
    denied = denied_by(told(unread, side="buy", type="market", amount="0.001").decision)
    # In [policy] and in the market's own table; the day's in [policy] alone.
    assert denied == [
        *[Rule.ORDER_NOTIONAL] * 2,
        Rule.DAILY_NOTIONAL,
        *[Rule.PRICE_DISTANCE] * 2,
    ]


def test_a_stop_that_only_reduces_is_allowed_although_nothing_bounds_it() -> None:
    stop = {"side": "sell", "type": "stop_market", "amount": "0.02", "trigger_price": "55000"}
    assert told(SWAP, **stop, reduce_only=True).decision.is_allowed


def test_an_order_that_flips_is_forbidden_and_one_that_closes_is_not() -> None:
    near = {"side": "sell", "type": "limit", "price": "60010"}
    assert told(SWAP, **near, amount="0.012").decision.is_allowed
    small = replace(SWAP, standing=replace(SWAP.standing, held=(replace(LONG, amount=Decimal("0.01")),)))
    assert denied_by(told(small, **near, amount="0.012").decision) == [Rule.FORBID]


def test_the_cancel_of_a_protective_stop_is_forbidden_and_that_of_another_order_is_not() -> None:
    resting = Resting(
        order_id="7",
        client_order_id=None,
        side="sell",
        type=OrderType.STOP_MARKET,
        amount=Decimal("0.02"),
        price=None,
        trigger_price=Decimal(55_000),
        is_reduce_only=True,
        closes_position=False,
        is_conditional=True,
    )
    limit = replace(
        resting,
        order_id="8",
        side="buy",
        type=OrderType.LIMIT,
        price=Decimal(50_000),
        trigger_price=None,
        is_reduce_only=False,
        is_conditional=False,
    )
    context = replace(SWAP, standing=replace(SWAP.standing, resting=(resting, limit)))
    assert denied_by(told(context, action="cancel", order_id="7").decision) == [Rule.FORBID]
    assert told(context, action="cancel", order_id="8").decision.is_allowed
    assert denied_by(told(context, action="cancel", order_id="9").decision) == [Rule.FORBID]


def test_a_change_of_leverage_meets_the_limit_and_the_position() -> None:
    flat = replace(SWAP, standing=replace(SWAP.standing, held=()))
    assert told(flat, action="leverage", leverage=3).decision.is_allowed
    assert denied_by(told(flat, action="leverage", leverage=4).decision) == [Rule.LEVERAGE]
    assert denied_by(told(SWAP, action="leverage", leverage=2).decision) == [Rule.LEVERAGE_CHANGE]


def test_an_old_book_is_no_mid() -> None:
    assert SPOT.quoted_at_ms is not None
    old = replace(SPOT, now_ms=SPOT.quoted_at_ms + 30_001)
    assert denied_by(told(old, **order()).decision) == [Rule.PRICE_DISTANCE]


def test_an_order_for_another_market_than_the_context_is_about_is_refused() -> None:
    with pytest.raises(NotReadableError, match="symbol"):
        explain(example(), request_of({"symbol": "ETH/USDT", **order()}), SPOT)


def test_a_position_that_was_not_told_may_be_open() -> None:
    untold = replace(SWAP, standing=replace(SWAP.standing, held=None))
    assert denied_by(told(untold, action="leverage", leverage=2).decision) == [Rule.LEVERAGE_CHANGE]


@pytest.mark.parametrize("mode", ["hedge", None])
def test_a_stop_that_reduces_only_by_its_own_word_is_bounded_by_nothing(
    mode: Literal["hedge"] | None,
) -> None:
    context = replace(SWAP, standing=replace(SWAP.standing, position_mode=mode))
    stop = {"side": "sell", "type": "stop_market", "amount": "0.02", "trigger_price": "55000"}
    assert Rule.PRICE_DISTANCE in denied_by(told(context, **stop, reduce_only=True).decision)


def test_a_book_that_does_not_fill_the_order_bounds_nothing() -> None:
    request = OrderRequest(symbol="BTC/USDT:USDT", side="buy", type=OrderType.MARKET, amount=Decimal("0.012"))
    terms, reference, standing, book = SWAP.terms, SWAP.reference, SWAP.standing, SWAP.book
    assert book is not None
    planned = plan_order(request, terms, reference, standing, client_order_id="x")
    preview = preview_order(planned, terms, reference, standing, book)

    def worst(seen: OrderBook) -> Decimal | None:
        asked = proposed(
            planned, preview, account=SWAP.account, terms=terms, book=seen, quoted_at_ms=SWAP.quoted_at_ms
        )
        return asked.worst_price

    assert worst(book) == Decimal("60010.00")
    assert worst(book.model_copy(update={"asks": book.asks[:1]})) is None
