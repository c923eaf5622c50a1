"""Fee, free balance, entry and liquidation price on USD-M, one-way: by hand, and against the simulated venue."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from exchange_mcp.model.terms import Held, Standing
from exchange_mcp.orders.preview import OrderPreview
from exchange_mcp.orders.previewing import preview_order
from sim.direct import Direct

from .from_sim import Usdm, number
from .made import (
    BRACKETS,
    FLAT,
    LINEAR,
    REFERENCE,
    D,
    asked,
    holding,
    long,
    made_book,
    planned,
    previewed,
    resting,
    short,
)

# The mark price is 100,000, leverage 10, the wallet 20,000, taker 0.05 %, maker 0.02 %. The book asks 100,010 for 1
# BTC and 100,020 for 2, and bids 99,990 for 1 and 99,980 for 2. Maintenance: 0.4 % to 50,000, then 0.5 % less 50, to
# 250,000.


def preview(standing: Standing = FLAT, **request: Any) -> OrderPreview:  # noqa: ANN401 - any part of a request
    return previewed(asked(**request), LINEAR, standing)


def test_a_long_opened_at_the_market() -> None:
    seen = preview(type="market", amount="0.5")
    # 0.5 * 100,010 = 50,005; * 0.0005 = 25.0025
    assert (seen.notional, seen.fee, seen.fee_asset) == (D(50_005), D("25.0025"), "USDT")
    assert (seen.average_price, seen.entry_price_after) == (D(100_010), D(100_010))
    # 50,005 of 20,000 is 250.025 %; 10 above the middle of 100,000 is 1 basis point
    assert (seen.notional_percent, seen.mid, seen.slippage_bps) == (D("250.025"), D(100_000), D(1))
    # 20,000 - 25.0025 fee - 0.5 * 10 that the mark price is below - 0.5 * 100,000 / 10 of margin
    assert (seen.free, seen.free_placed, seen.free_after) == (D(20_000), D("14969.9975"), D("14969.9975"))
    # (20,000 - 25.0025 - 50,005) / (0.5 * 0.004 - 0.5) = -30,030.0025 / -0.498, rounded up: worth 30,150 there
    assert seen.liquidation_price_after == D("60301.20983936")
    assert seen.liquidation_price is None
    assert (seen.effect, seen.position, seen.position_after) == ("opens", D(0), D("0.5"))


def test_a_long_closed_with_a_profit() -> None:
    # Free: 20,000 wallet + 0.5 * 2,000 unrealised - 0.5 * 100,000 / 10 of margin
    standing = holding(long("0.5", "98000"), free_quote=D(16_000), equity=D(21_000))
    seen = preview(standing, type="market", side="sell", amount="0.5", reduce_only=True)
    # 0.5 * 99,990 * 0.0005
    assert seen.fee == D("24.99750")
    # All of the wallet: 20,000 + 0.5 * (99,990 - 98,000) - 24.9975
    assert seen.free_after == D("20970.0025")
    # (20,000 - 49,000) / (0.5 * 0.004 - 0.5) = -29,000 / -0.498, rounded up
    assert seen.liquidation_price == D("58232.93172691")
    assert (seen.effect, seen.entry_price_after, seen.liquidation_price_after) == ("closes", None, None)


def test_a_short_that_is_added_to_is_liquidated_in_the_bracket_of_the_price_found() -> None:
    # Free: 20,000 - 100,000 / 10
    standing = holding(short("1"), free_quote=D(10_000))
    seen = preview(standing, type="market", side="sell", amount="0.5")
    # The mean of 1 at 100,000 and 0.5 at 99,990
    assert seen.entry_price_after == D("99996.66666666")
    # 10,000 - 24.9975 fee; unrealised 1.5 * (99,996.66666666 - 100,000) = -5.00000001; margin rises by 5,000
    assert seen.free_after == D("4970.00249999")
    # With 0.5 %: (19,975.0025 + 50 + 1.5 * 99,996.66666666) / (1.5 * 1.005) = 170,020.00249999 / 1.5075, which is
    # 112,782.75 and makes the position worth 169,174, between 50,000 and 250,000.
    assert seen.liquidation_price_after == (D("170020.00249999") / D("1.5075")).quantize(
        D("1e-8"), "ROUND_DOWN"
    )


def test_a_position_that_is_turned_round_realises_the_one_and_opens_the_other_level_by_level() -> None:
    # Free: 20,000 + 0.8 * 2,000 - 0.8 * 100,000 / 10
    standing = holding(long("0.8", "98000"), free_quote=D(13_600), equity=D(21_600))
    seen = preview(standing, type="market", side="sell", amount="1.4")
    # 1 at 99,990 and 0.4 at 99,980
    assert (seen.notional, seen.worst_cost) == (D(139_982), D(1_399_860) / 10)
    assert seen.fee == D("69.991")
    # 0.8 are closed at 99,990; the short of 0.6 is 0.2 at 99,990 and 0.4 at 99,980: 59,990 / 0.6
    assert seen.entry_price_after == D("99983.33333333")
    # 20,000 + 0.8 * 1,990 - 69.991, less 0.6 * (100,000 - 99,983.33333333), less 60,000 / 10
    assert seen.free_after == D("20000") + D("1592") - D("69.991") - D("0.6") * D("16.66666667") - D(6000)
    assert (seen.effect, seen.position_after) == ("flips", D("-0.6"))
    assert "set reduce_only" in seen.warnings[0]


def test_a_limit_order_that_rests_holds_margin_and_is_seen_at_its_own_price_once_filled() -> None:
    seen = preview(type="limit", amount="0.5", price="99000")
    # 0.5 * 99,000 = 49,500; maker 0.02 %
    assert (seen.notional, seen.worst_cost, seen.fee) == (D(49_500), D(49_500), D("9.9"))
    # 20,000 - 49,500 / 10; then less 9.9
    assert (seen.free_placed, seen.free_after) == (D(15_050), D("15040.1"))
    assert (seen.taken_at_once, seen.resting, seen.slippage_bps) == (D(0), D("0.5"), None)
    # 1,000 of 100,000
    assert seen.distance_bps == D(-100)
    assert seen.stays[0] == "0.5 of it rests at 99000 until it is filled or cancelled"


def test_a_limit_order_that_crosses_pays_both_rates() -> None:
    seen = preview(type="limit", amount="1.5", price="100010")
    assert (seen.taken_at_once, seen.resting) == (D(1), D("0.5"))
    # 100,010 * 0.0005 + 50,005 * 0.0002
    assert seen.fee == D("50.005") + D("10.001")
    # 20,000 - 50.005 - 10 unrealised - (100,000 + 50,005) / 10
    assert seen.free_placed == D("4939.495")


def test_orders_that_rest_already_count_by_the_side_that_would_make_more() -> None:
    orders = (resting(side="buy", amount=D("0.4"), price=D(90_000)), resting(side="sell", amount=D("0.1")))
    # Free: 20,000 - 36,000 / 10
    standing = replace(FLAT, resting=orders, free_quote=D(16_400))
    seen = preview(standing, type="market", side="sell", amount="0.2")
    # A short of 20,000 with asks of 11,000 is 31,000, and with bids of 36,000 it is 16,000; 36,000 was the most before.
    # 16,400 - 0.2 * 99,990 * 0.0005 - 0.2 * 10 + 3,600 - 3,100
    assert seen.free_after == D("16400") - D("9.999") - D(2) + D(3600) - D(3100)


def test_an_isolated_position_is_liquidated_with_its_own_margin_alone() -> None:
    isolated = replace(FLAT, margin_mode="isolated")
    opened = preview(isolated, type="market", amount="0.5")
    # Set apart: 50,005 / 10. (5,000.5 - 50,005) / (0.5 * 0.004 - 0.5) = -45,004.5 / -0.498, rounded up
    assert opened.liquidation_price_after == D("90370.48192772")
    held = Held(side="long", amount=D("0.5"), entry_price=D(98_000), isolated_margin=D(4_900))
    added = preview(replace(isolated, held=(held,)), type="market", amount="0.5")
    # 4,900 + 5,000.5; 1 BTC at 99,005: (9,900.5 + 50 - 99,005) / (0.005 - 1) = -89,054.5 / -0.995, rounded up
    assert (added.entry_price_after, added.liquidation_price_after) == (D(99_005), D("89502.01005026"))
    # (4,900 - 49,000) / -0.498, rounded up
    assert added.liquidation_price == D("88554.21686747")
    reduced = preview(replace(isolated, held=(held,)), type="market", side="sell", amount="0.2")
    assert reduced.liquidation_price_after is None


def test_the_order_that_flips_an_isolated_position_sets_the_new_one_apart() -> None:
    held = Held(side="long", amount=D("0.5"), entry_price=D(98_000), isolated_margin=D(4_900))
    standing = replace(FLAT, margin_mode="isolated", held=(held,))
    seen = preview(standing, type="market", side="sell", amount="0.8")
    # 0.3 * 99,990 / 10 = 2,999.7; (2,999.7 + 29,997) / (0.3 * 1.004) = 32,996.7 / 0.3012, rounded down
    assert seen.liquidation_price_after == (D("32996.7") / D("0.3012")).quantize(D("1e-8"), "ROUND_DOWN")


def test_other_positions_stand_before_this_one() -> None:
    standing = replace(FLAT, maintenance_others=D(700), unrealised_others=D(-1_300))
    seen = preview(standing, type="market", amount="0.5")
    # (20,000 - 25.0025 - 700 - 1,300 - 50,005) / -0.498 = -32,030.0025 / -0.498
    assert seen.liquidation_price_after == D("64317.27409639")


def test_more_margin_than_is_free_is_a_warning() -> None:
    seen = preview(type="market", amount="3")
    # 3 * 100,000 / 10 is 30,000
    assert seen.free_after is not None
    assert seen.free_after < 0
    assert "more margin than is free" in seen.warnings[0]


def test_a_position_above_what_the_leverage_allows_is_a_warning() -> None:
    standing = replace(FLAT, leverage=100, free_quote=D(10**6), wallet_balance=D(10**6))
    seen = preview(standing, type="market", amount="3")
    # A leverage of 100 ends at 250,000.
    assert any("more than the 250000 that a leverage of 100 allows" in told for told in seen.warnings)


MISSING: list[tuple[dict[str, Any], str, str]] = [
    ({"fees": None}, "free_after", "the fee is not known"),
    ({"fees": None}, "fee", "the account's fees are not told"),
    ({"free_quote": None}, "free_after", "the balance is not told"),
    ({"leverage": None}, "free_after", "the leverage is not told"),
    ({"margin_mode": None}, "free_after", "the margin mode is not told"),
    ({"margin_mode": "isolated"}, "free_after", "it is worked out for cross margin only"),
    ({"resting": None}, "free_after", "the margin of open orders is not known: they are not told"),
    ({"free_quote": D(0)}, "free_after", "nothing is free, and how far margin falls short is not told"),
    (
        {"wallet_balance": None},
        "liquidation_price_after",
        "the wallet, or what other positions need, is not told",
    ),
    (
        {"maintenance_others": None},
        "liquidation_price_after",
        "the wallet, or what other positions need, is not told",
    ),
    ({"brackets": ()}, "liquidation_price_after", "the market's maintenance brackets are not told"),
    ({"margin_mode": None}, "liquidation_price_after", "the margin mode is not told"),
    ({"position_mode": "hedge"}, "liquidation_price_after", "it is worked out for one-way mode only"),
    ({"equity": None}, "notional_percent", "what the account is worth is not told"),
    ({"equity": D(0)}, "notional_percent", "what the account is worth is 0"),
    ({"equity": D(-5)}, "notional_percent", "what the account is worth is -5"),
    ({"wallet_balance": D(10**6)}, "liquidation_price_after", "no price above zero liquidates the position"),
    ({"brackets": BRACKETS[-1:]}, "liquidation_price_after", "the maintenance brackets do not reach so far"),
    (
        {"held": (Held(side="long", amount=D(1), entry_price=None),)},
        "free_after",
        "the entry price is not told",
    ),
]


@pytest.mark.parametrize(("changed", "figure", "why"), MISSING)
def test_a_figure_that_cannot_be_worked_out_is_none_with_its_reason_and_never_zero(
    changed: dict[str, Any], figure: str, why: str
) -> None:
    seen = preview(replace(FLAT, **changed), type="market", amount="0.5")
    assert getattr(seen, figure) is None
    assert [u.why for u in seen.unknown if figure in u.figures] == [why]


@pytest.mark.parametrize(
    ("short_of", "told"),
    [
        ("0", "with its fee it needs 25.0025 USDT more than is free: the venue may refuse it"),
        ("0.01", "it needs 25.0125 USDT more margin than is free: the venue would refuse it"),
    ],
)
def test_a_fee_alone_that_is_not_covered_is_not_said_to_be_refused(short_of: str, told: str) -> None:
    # 0.5 BTC at 100,010 with a leverage of 10: 5,000 of margin at the mark price, 5 of loss at once, 25.0025 of fee
    seen = preview(replace(FLAT, free_quote=D(5005) - D(short_of)), type="market", amount="0.5")
    assert [warning for warning in seen.warnings if "free" in warning] == [told]


def test_without_a_book_the_fee_of_a_market_order_is_missing_because_of_that() -> None:
    seen = previewed(asked(type="market", amount="0.5"), LINEAR, FLAT, book=None)
    whys = {figure: unknown.why for unknown in seen.unknown for figure in unknown.figures}
    assert (whys["fee"], whys["fee_asset"]) == ("what it would trade at is not known",) * 2


def test_without_a_mark_price_nothing_that_needs_it_is_told() -> None:
    reference = replace(REFERENCE, mark=None)
    seen = previewed(asked(type="market", amount="0.5"), LINEAR, FLAT, reference)
    assert seen.free_after is None
    assert seen.liquidation_price_after == D("60301.20983936")


def test_an_account_with_nothing_in_it_has_nothing_free() -> None:
    standing = replace(FLAT, free_quote=D(0), wallet_balance=D(0), equity=D(0))
    seen = preview(standing, type="market", amount="0.01")
    # - 1,000.1 * 0.0005 - 0.01 * 10 - 1,000 / 10
    assert seen.free_after == -D("0.50005") - D("0.1") - D(100)


ORDERS: list[dict[str, str]] = [
    {"side": "BUY", "type": "MARKET", "quantity": "0.040"},
    {"side": "SELL", "type": "MARKET", "quantity": "0.100"},
    {"side": "SELL", "type": "MARKET", "quantity": "0.250"},
    {"side": "SELL", "type": "MARKET", "quantity": "0.600"},
    {"side": "BUY", "type": "LIMIT", "quantity": "0.050", "price": "101000", "timeInForce": "GTC"},
    {"side": "SELL", "type": "LIMIT", "quantity": "0.200", "price": "108000", "timeInForce": "GTC"},
]
CENT = D("0.0000001")


@pytest.mark.parametrize("order", ORDERS)
def test_the_simulated_venue_comes_to_the_same_figures(order: dict[str, str]) -> None:
    venue = Direct()
    usdm = Usdm(venue)
    request = asked(
        type=order["type"].lower(),
        side=order["side"].lower(),
        amount=order["quantity"],
        price=order.get("price"),
    )
    standing, reference = usdm.standing, usdm.reference
    plan = planned(request, usdm.terms, standing, reference)
    seen = preview_order(plan, usdm.terms, reference, standing, usdm.book)
    wallet = standing.wallet_balance or Decimal(0)
    venue.ok("POST", "/fapi/v1/order", symbol="BTCUSDT", **order)
    after = usdm.standing
    assert after.free_quote is not None
    assert seen.free_placed is not None
    assert abs(after.free_quote - seen.free_placed) < CENT
    if not seen.resting:
        (row,) = venue.ok("GET", "/fapi/v2/positionRisk", symbol="BTCUSDT")
        assert number(row["positionAmt"]) == seen.position_after
        assert abs(number(row["entryPrice"]) - (seen.entry_price_after or 0)) < CENT
        assert abs(number(row["liquidationPrice"]) - (seen.liquidation_price_after or 0)) < CENT
        realized = sum(
            number(trade["realizedPnl"]) for trade in venue.ok("GET", "/fapi/v1/userTrades", symbol="BTCUSDT")
        )
        assert after.wallet_balance is not None
        assert seen.fee is not None
        assert abs(after.wallet_balance - (wallet + realized - seen.fee)) < CENT


def test_the_simulated_venue_tells_the_liquidation_price_that_a_preview_has_for_now() -> None:
    venue = Direct()
    usdm = Usdm(venue)
    standing, reference = usdm.standing, usdm.reference
    plan = planned(asked(type="market", amount="0.1"), usdm.terms, standing, reference)
    seen = preview_order(plan, usdm.terms, reference, standing, usdm.book)
    (row,) = venue.ok("GET", "/fapi/v2/positionRisk", symbol="BTCUSDT")
    assert seen.liquidation_price is not None
    assert abs(number(row["liquidationPrice"]) - seen.liquidation_price) < CENT


def test_elsewhere_than_at_binance_its_formulas_are_not_used() -> None:
    seen = previewed(
        asked(type="market", amount="0.5"), replace(LINEAR, venue="bybit"), FLAT, book=made_book()
    )
    assert (seen.free_after, seen.liquidation_price_after, seen.entry_price_after) == (None, None, None)
    assert seen.fee == D("25.0025")
