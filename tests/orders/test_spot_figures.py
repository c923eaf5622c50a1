"""What a spot order trades at, costs and leaves, by hand and against the simulated venue; and odd books."""

from dataclasses import replace
from typing import Any

import pytest

from exchange_mcp.model.errors import OrderRefusedError
from exchange_mcp.model.markets import OrderBook
from exchange_mcp.model.terms import Fees
from exchange_mcp.orders.previewing import preview_order
from sim.direct import Direct

from .from_sim import Spot
from .made import (
    ASKS,
    BIDS,
    FLAT,
    INVERSE,
    LINEAR,
    REFERENCE,
    SMALL_CONTRACTS,
    SPOT,
    SPOT_STANDING,
    D,
    asked,
    holding,
    long,
    made_book,
    planned,
    previewed,
)

# The book asks 100,010 for 1 BTC, 100,020 for 2, 100,100 for 5, and bids 99,990, 99,980 and 99,900 for as much.
# The account has 2 BTC and 50,000 USDT free, and pays 0.1 % in what it receives.


def test_a_market_buy_by_amount() -> None:
    seen = previewed(asked(type="market", amount="0.4"))
    # 0.4 * 100,010; 0.1 % of that is 40.004, paid as 0.0004 BTC
    assert (seen.notional, seen.worst_cost, seen.fee, seen.fee_asset) == (
        D(40_004),
        D(40_004),
        D("40.004"),
        "BTC",
    )
    assert (seen.free, seen.free_after) == (D(50_000), D(9_996))
    assert (seen.free_base, seen.free_base_after) == (D(2), D("2.3996"))
    # 40,004 of 250,000
    assert seen.notional_percent == D("16.0016")


def test_an_order_over_three_levels_has_their_mean_and_is_bounded_by_the_worst() -> None:
    standing = replace(SPOT_STANDING, free_quote=D(500_000))
    seen = previewed(asked(type="market", amount="4"), standing=standing)
    # 100,010 + 2 * 100,020 + 100,100 = 400,150, a mean of 100,037.5: 37.5 above the middle of 100,000 is 3.75 points
    assert (seen.notional, seen.average_price, seen.slippage_bps) == (D(400_150), D("100037.5"), D("3.75"))
    assert seen.worst_cost == D(400_400)
    assert (seen.book_levels, seen.book_levels_used, seen.book_amount) == (3, 3, D(8))


def test_a_market_sale_is_bounded_by_the_best_bid_and_pays_its_fee_in_quote() -> None:
    seen = previewed(asked(type="market", side="sell", amount="1.5"))
    # 99,990 + 0.5 * 99,980 = 149,980
    assert (seen.notional, seen.worst_cost) == (D(149_980), D(149_985))
    assert (seen.fee, seen.fee_asset) == (D("149.98"), "USDT")
    # 50,000 + 149,980 - 149.98
    assert (seen.free_after, seen.free_base_after) == (D("199830.02"), D("0.5"))
    # The middle is worth 150,000: 20 less is 1.33 basis points, rounded up
    assert seen.slippage_bps == D("1.34")


def test_a_cost_buys_whole_steps_and_costs_no_more_than_was_said() -> None:
    seen = previewed(asked(type="market", cost="1000"))
    # 1,000 / 100,010 = 0.00999..., in steps of 0.001 that is 0.009 for 900.09
    assert (seen.amount, seen.notional, seen.worst_cost) == (D("0.009"), D("900.09"), D(1000))
    assert seen.cost == D(1000)
    assert seen.effect == "adds"


def test_a_cost_over_two_levels() -> None:
    standing = replace(SPOT_STANDING, free_quote=D(500_000))
    seen = previewed(asked(type="market", cost="150020"), standing=standing)
    # All of the first level for 100,010; 50,010 buy 0.5 (0.50000...) of the second: exactly 0.5 for 50,010
    assert (seen.amount, seen.notional) == (D("1.5"), D(150_020))


def test_a_limit_sale_can_trade_above_its_price_so_the_best_bid_bounds_it() -> None:
    seen = previewed(asked(type="limit", side="sell", amount="1.5", price="99985"))
    # 1 at 99,990 at once, 0.5 rests at 99,985
    assert (seen.taken_at_once, seen.resting, seen.notional) == (D(1), D("0.5"), D("149982.5"))
    assert seen.worst_cost == D(149_985)
    # 0.1 % of 99,990 at once: 50,000 + 99,990 - 99.99; the rest brings 49,992.5 less 49.9925
    assert seen.free_placed == D("149890.01")
    assert seen.free_after == D("149890.01") + D("49992.5") - D("49.9925")


def test_a_limit_buy_that_rests_holds_back_what_it_may_cost() -> None:
    seen = previewed(asked(type="limit", amount="0.5", price="90000"))
    assert (seen.free_placed, seen.free_after, seen.free_base_after) == (D(5_000), D(5_000), D("2.4995"))


def test_a_fee_in_a_third_asset_touches_neither_balance() -> None:
    fees = Fees(maker=D("0.00075"), taker=D("0.00075"), source="listed", asset="BNB")
    seen = previewed(asked(type="market", amount="0.4"), standing=replace(SPOT_STANDING, fees=fees))
    assert (seen.fee, seen.fee_asset) == (D("30.003"), "BNB")
    assert (seen.free_after, seen.free_base_after) == (D(9_996), D("2.4"))


def test_a_balance_that_does_not_suffice_is_a_warning_with_both_figures() -> None:
    buy = previewed(asked(type="market", amount="0.5"))
    assert buy.warnings == ("50005 USDT are needed and 50000 USDT are free: the venue would refuse it",)
    sale = previewed(asked(type="limit", side="sell", amount="2.001", price="110000"))
    assert sale.warnings == ("2.001 BTC are needed and 2 BTC are free: the venue would refuse it",)


@pytest.mark.parametrize(
    ("conduct", "told"),
    [
        ({"post_only": True}, "as post-only the venue would refuse it"),
        (
            {"time_in_force": "FOK"},
            "the book lacks 0.2 BTC at this price: as fill-or-kill nothing would be filled",
        ),
        ({"time_in_force": "IOC"}, "the book lacks 0.2 BTC at this price: that part would be dropped"),
    ],
)
def test_a_limit_order_that_may_not_rest_or_not_trade_says_what_would_become_of_it(
    conduct: dict[str, Any], told: str
) -> None:
    standing = replace(SPOT_STANDING, free_quote=D(500_000))
    seen = previewed(asked(type="limit", amount="1.2", price="100010", **conduct), standing=standing)
    assert [warning for warning in seen.warnings if told in warning]
    rests = [sentence for sentence in seen.stays if "rests at" in sentence]
    assert bool(rests) is ("post_only" in conduct)


REFUSED_BOOKS: list[tuple[dict[str, Any], OrderBook, str, str]] = [
    ({"amount": "0.1"}, made_book(BIDS, ()), "BOOK_EMPTY", "has no asks"),
    ({"amount": "0.1", "side": "sell"}, made_book((), ASKS), "BOOK_EMPTY", "has no bids"),
    ({"amount": "0.1"}, made_book((), ()), "BOOK_EMPTY", "use a limit order"),
    ({"amount": "0.1"}, made_book(BIDS, (("100010", "0"),)), "BOOK_EMPTY", "has no asks"),
    (
        {"amount": "8.001"},
        made_book(),
        "BOOK_TOO_THIN",
        "hold 8 BTC, less than the order; the nearest valid value is 8",
    ),
    (
        {"amount": "1"},
        made_book(BIDS, (("100010", "0.0005"),)),
        "BOOK_TOO_THIN",
        "no valid amount can be filled",
    ),
    ({"cost": "1000000"}, made_book(), "BOOK_TOO_THIN", "sell for 800550 USDT, less than 1000000"),
    ({"cost": "50"}, made_book(), "COST_TOO_SMALL", "buys less than the smallest step of 0.001 BTC"),
    (
        {"cost": "6000000"},
        made_book(BIDS, (("100000", "70"),)),
        "COST_TOO_LARGE",
        "buys 60 BTC, above the most of 50 in one market order",
    ),
]


@pytest.mark.parametrize(("request_", "book", "code", "told"), REFUSED_BOOKS)
def test_an_empty_book_a_thin_one_and_a_cost_that_buys_nothing_are_refused(
    request_: dict[str, Any],
    book: OrderBook,
    code: str,
    told: str,
) -> None:
    with pytest.raises(OrderRefusedError) as refused:
        previewed(asked(type="market", **request_), book=book)
    assert refused.value.code == code
    assert told in refused.value.message


def test_exactly_the_whole_book_is_enough() -> None:
    standing = replace(SPOT_STANDING, free_quote=D(10**6))
    seen = previewed(asked(type="market", amount="8"), standing=standing)
    # 100,010 + 200,040 + 500,500
    assert seen.notional == D(800_550)
    assert previewed(asked(type="market", cost="800550"), standing=standing).amount == D(8)


def test_levels_of_one_price_count_each_and_empty_ones_are_passed_over() -> None:
    book = made_book(BIDS, (("100010", "0"), ("100010", "0.1"), ("100010", "0.1"), ("100020", "1")))
    seen = previewed(asked(type="market", amount="0.3"), book=book)
    assert (seen.notional, seen.book_levels_used) == (D(30_004), 3)


def test_a_crossed_book_has_no_middle_and_is_a_warning() -> None:
    seen = previewed(asked(type="market", amount="0.1"), book=made_book((("100011", "1"),), ASKS))
    assert (seen.mid, seen.slippage_bps) == (None, None)
    assert "the book is crossed: its prices may be out of date" in seen.warnings


def test_a_book_with_one_side_still_prices_what_trades_with_it() -> None:
    seen = previewed(asked(type="market", amount="0.1"), book=made_book((), ASKS))
    assert (seen.mid, seen.slippage_bps, seen.average_price) == (None, None, D(100_010))


def test_a_market_order_without_a_book_is_not_bounded_and_says_so() -> None:
    seen = previewed(asked(type="market", amount="0.1"), book=None)
    assert (seen.worst_cost, seen.notional, seen.average_price, seen.fee) == (None, None, None, None)
    reasons = {name: u.why for u in seen.unknown for name in u.figures}
    assert reasons["worst_cost"] == "a market order has no bound on its price without the book"
    assert (seen.effect, seen.position_after) == ("adds", D("2.1"))
    cost = previewed(asked(type="market", cost="100"), book=None)
    assert (cost.amount, cost.effect) == (None, None)


def test_a_limit_sale_without_a_book_is_not_bounded_and_a_buy_is() -> None:
    sale = previewed(asked(type="limit", side="sell", amount="0.1", price="100000"), book=None)
    assert sale.worst_cost is None
    buy = previewed(asked(type="limit", amount="0.1", price="100000"), book=None)
    assert (buy.worst_cost, buy.taken_at_once, buy.fee) == (D(10_000), None, None)


def test_a_book_of_unknown_units_is_not_walked() -> None:
    seen = previewed(asked(type="market", amount="0.1"), book=made_book(unit="unknown"))
    assert (seen.notional, seen.book_levels) == (None, None)
    assert any("not known what the book's amounts count" in u.why for u in seen.unknown)


def test_a_stop_market_order_is_unbounded_and_capped_by_the_position() -> None:
    standing = holding(long("0.5"), free_quote=D(15_000))
    request = asked(type="stop_market", side="sell", amount="0.8", trigger_price="95000", reduce_only=True)
    seen = previewed(request, LINEAR, standing)
    assert (seen.worst_cost, seen.average_price) == (None, None)
    # What can be filled is the position: 0.5 * 95,000
    assert (seen.notional, seen.effect, seen.position_after) == (D(47_500), "closes", D(0))
    assert "only 0.5 of it can be filled: that is all there is to reduce" in seen.warnings
    assert seen.refused is not None


def test_amounts_in_contracts_are_walked_in_the_books_own_unit() -> None:
    in_base = previewed(asked(type="market", amount="1.5"), SMALL_CONTRACTS, FLAT)
    in_contracts = previewed(
        asked(type="market", amount="1.5"),
        SMALL_CONTRACTS,
        FLAT,
        book=made_book((("99990", "1000"),), (("100010", "1000"), ("100020", "2000")), unit="contracts"),
    )
    # 100,010 + 0.5 * 100,020
    assert in_base.notional == in_contracts.notional == D(150_020)
    assert in_base.amount == in_contracts.amount == D(1500)
    assert (in_base.book_amount, in_contracts.book_amount) == (D(8000), D(3000))


def test_an_inverse_order_is_worth_its_contracts_and_costs_their_base() -> None:
    book = made_book(
        (("99990", "5"),), (("100000", "3"), ("125000", "3")), unit="contracts", contract_size="10"
    )
    fees = Fees(maker=D("0.0001"), taker=D("0.0005"), source="listed", asset="BTC")
    standing = replace(FLAT, fees=fees, equity=D("0.001"))
    seen = previewed(asked(type="market", cost="50"), INVERSE, standing, REFERENCE, book)
    # 30 / 100,000 + 20 / 125,000 = 0.0003 + 0.00016 BTC
    assert (seen.notional, seen.base_amount, seen.worst_cost) == (D(50), D("0.00046"), D(50))
    # 50 / 0.00046 = 108,695.652173913..., rounded up; 0.00046 * 0.0005 BTC; 46 % of 0.001 BTC
    assert seen.average_price == D("108695.65217392")
    assert (seen.fee, seen.fee_asset, seen.notional_percent) == (D("0.00000023"), "BTC", D(46))
    assert (seen.liquidation_price_after, seen.free_after) == (None, None)


@pytest.mark.parametrize("amount", ["0.000000000000000001", "999999999999999999.999999999999999999"])
def test_the_smallest_and_the_largest_number_that_can_be_asked_are_carried_exactly(amount: str) -> None:
    terms = replace(
        SPOT,
        amount=replace(SPOT.amount, step=D("1e-18"), least=None, most=None),
        market_amount=None,
        notional=replace(SPOT.notional, least=None, most=None),  # pyright: ignore[reportArgumentType] - it has one
    )
    plan = planned(asked(type="limit", amount=amount, price="100000.1"), terms)
    assert plan.write.amount == D(amount)
    seen = previewed(asked(type="limit", amount=amount, price="90000.1"), terms)
    digits = f"{seen.notional:f}".replace(".", "").strip("0")
    assert digits == str(int(amount.replace(".", "")) * 900001).strip("0")


ORDERS: list[dict[str, str]] = [
    {"side": "BUY", "type": "MARKET", "quantity": "0.05"},
    {"side": "BUY", "type": "MARKET", "quoteOrderQty": "1234.5"},
    {"side": "SELL", "type": "MARKET", "quantity": "0.2"},
    {"side": "BUY", "type": "LIMIT", "quantity": "0.05", "price": "100000", "timeInForce": "GTC"},
    {"side": "SELL", "type": "LIMIT", "quantity": "0.05", "price": "110000", "timeInForce": "GTC"},
]


@pytest.mark.parametrize("order", ORDERS)
def test_the_simulated_venue_comes_to_the_same_balances(order: dict[str, str]) -> None:
    venue = Direct()
    spot = Spot(venue)
    request = asked(
        type=order["type"].lower(),
        side=order["side"].lower(),
        amount=order.get("quantity"),
        cost=order.get("quoteOrderQty"),
        price=order.get("price"),
    )
    standing, reference = spot.standing, spot.reference
    plan = planned(request, spot.terms, standing, reference)
    seen = preview_order(plan, spot.terms, reference, standing, spot.book)
    venue.ok("POST", "/api/v3/order", symbol="BTCUSDT", **order)
    after = spot.standing
    assert after.free_quote is not None
    assert seen.free_placed is not None
    # The venue cuts amounts of money and commission to eight decimals.
    assert abs(after.free_quote - seen.free_placed) < D("0.0000001")
    if not seen.resting:
        assert after.free_base is not None
        assert seen.free_base_after is not None
        assert abs(after.free_base - seen.free_base_after) < D("0.0000001")


@pytest.mark.parametrize(("in_force", "filled"), [("IOC", "1"), ("FOK", "0")])
def test_what_is_dropped_holds_nothing_back_and_is_never_a_makers(in_force: str, filled: str) -> None:
    # 1 BTC is offered at 100,010 and the next at 100,020, so 0.5 of 1.5 is not had at this price
    request = asked(type="limit", amount="1.5", price="100010", time_in_force=in_force)
    standing = replace(SPOT_STANDING, fees=Fees(maker=D(0), taker=D("0.001"), source="its own", asset="BNB"))
    seen = previewed(request, standing=replace(standing, free_quote=D(500_000)))
    paid = D(filled) * 100_010
    assert (seen.taken_at_once, seen.resting) == (D(filled), D(0))
    assert seen.free_placed == D(500_000) - paid
    # 0.1 % of 150,015, whatever part of it is filled
    assert seen.fee == D("150.015")


@pytest.mark.parametrize("in_force", ["IOC", "FOK"])
def test_a_stop_holds_back_what_it_needs_until_it_is_triggered(in_force: str) -> None:
    request = asked(
        type="stop_limit", amount="0.1", price="101000", trigger_price="101000", time_in_force=in_force
    )
    seen = previewed(request)
    assert (seen.resting, seen.free_placed) == (D("0.1"), D(39_900))


@pytest.mark.parametrize("side", ["buy", "sell"])
def test_what_is_held_is_not_known_where_nobody_tells_what_orders_hold_back(side: str) -> None:
    standing = replace(SPOT_STANDING, locked_base=None)
    seen = previewed(asked(type="market", side=side, amount="0.4"), standing=standing)
    assert (seen.effect, seen.position, seen.position_after) == (None, None, None)
    why = "how much of the balance orders hold back is not told"
    assert why in {unknown.why for unknown in seen.unknown}
    assert seen.free_base_after is not None


@pytest.mark.parametrize("in_force", ["IOC", "FOK"])
def test_the_venue_keeps_no_balance_back_for_what_it_drops(in_force: str) -> None:
    venue = Direct()
    spot = Spot(venue)
    price = str(spot.book.bids[0][0])
    request = asked(type="limit", amount="0.01", price=price, time_in_force=in_force)
    order = planned(request, terms=spot.terms, standing=spot.standing, reference=spot.reference)
    seen = preview_order(order, spot.terms, spot.reference, spot.standing, spot.book)
    venue.ok(
        "POST",
        "/api/v3/order",
        symbol=spot.market,
        side="BUY",
        type="LIMIT",
        quantity="0.01",
        price=price,
        timeInForce=in_force,
    )
    assert seen.free_placed == spot.standing.free_quote
