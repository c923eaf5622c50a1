"""What a cancel removes, and what stays behind after an order, a cancel or a change of leverage."""

from dataclasses import replace

from exchange_mcp.model.terms import Resting, Standing
from exchange_mcp.model.writes import OrderType
from exchange_mcp.orders.change_previews import preview_cancel, preview_leverage
from exchange_mcp.orders.changing import plan_cancel, plan_leverage
from exchange_mcp.orders.preview import CancelPreview, LeveragePreview
from exchange_mcp.orders.requests import CancelRequest, LeverageRequest

from .made import (
    FLAT,
    INVERSE,
    LINEAR,
    REFERENCE,
    SPOT,
    SPOT_STANDING,
    D,
    asked,
    holding,
    long,
    previewed,
    resting,
    short,
    stop,
)

NOTHING_PROTECTS = "no stop protects the long position of 0.5"


def stays(standing: Standing, **request: object) -> tuple[str, ...]:
    return previewed(asked(type="market", **request), LINEAR, standing).stays


def with_orders(*orders: Resting, held: str = "0.5") -> Standing:
    return holding(long(held), free_quote=D(15_000), resting=orders)


def test_a_closed_position_leaves_its_stop_protecting_nothing() -> None:
    left = stays(with_orders(stop(amount=D("0.5"))), side="sell", amount="0.5", reduce_only=True)
    assert left == (
        "stop_market order 77, sell 0.5 from 90000 reduce-only: stays, and protects nothing then",
    )


def test_an_order_that_may_open_stays_dangerous_after_a_close() -> None:
    left = stays(with_orders(resting(amount=D("0.5"))), side="sell", amount="0.5")
    assert left == ("limit order 77, sell 0.5 at 110000: stays, and would open or add to a position then",)


def test_a_stop_that_is_larger_than_what_is_left_says_so() -> None:
    kept = stop(amount=D("0.5"))
    assert stays(with_orders(kept), side="sell", amount="0.2") == (
        "stop_market order 77, sell 0.5 from 90000 reduce-only: stays, and is larger than what is left of the position",
    )
    free = stays(with_orders(replace(kept, is_reduce_only=False)), side="sell", amount="0.2")
    assert "it would turn the position round" in free[0]


def test_a_stop_of_the_old_side_protects_nothing_after_a_flip_and_nothing_protects_the_new_one() -> None:
    left = stays(with_orders(stop(amount=None, closes_position=True)), side="sell", amount="0.8")
    assert left[0].endswith("sell all from 90000 reduce-only: stays, and protects nothing then")
    assert left[1] == "no stop protects the short position of 0.3"


def test_what_stops_cover_is_compared_with_what_is_held_then() -> None:
    assert stays(with_orders(stop(amount=D("0.5"))), amount="0.3")[-1] == (
        "stops protect 0.5 of the long position of 0.8"
    )
    assert stays(with_orders(stop(amount=D("0.8"))), amount="0.3") == ()
    assert stays(with_orders(stop(amount=None, closes_position=True)), amount="0.3") == ()
    assert stays(FLAT, amount="0.5") == (NOTHING_PROTECTS,)


def test_a_stop_for_the_other_side_protects_nothing() -> None:
    assert stays(with_orders(stop(side="buy", amount=D(1))), amount="0.1")[-1].startswith("no stop protects")


def test_open_orders_that_are_not_told_are_not_taken_for_none() -> None:
    assert stays(replace(FLAT, resting=None), amount="0.5") == (
        "which other orders rest in this market is not known",
    )


def test_many_orders_are_counted_and_not_listed() -> None:
    orders = tuple(stop(order_id=str(number), amount=D("0.5")) for number in range(12))
    left = stays(with_orders(*orders), side="sell", amount="0.5", reduce_only=True)
    assert len(left) == 9
    assert left[-1] == "and 4 orders more of which the same can be said"


def test_a_spot_sale_tells_which_orders_would_sell_more_than_is_left() -> None:
    standing = replace(SPOT_STANDING, resting=(resting(amount=D(1)),), free_base=D(1), locked_base=D(1))
    seen = previewed(asked(type="market", side="sell", amount="1"), SPOT, standing)
    assert seen.stays == ()
    more = previewed(asked(type="market", side="sell", amount="1.001"), SPOT, standing)
    assert more.stays == ("limit order 77, sell 1 at 110000: stays, and would sell more than is left",)


def cancelled(standing: Standing, order_id: str = "77") -> CancelPreview:
    terms = LINEAR if standing.position_mode else SPOT
    plan = plan_cancel(CancelRequest(symbol=terms.symbol, order_id=order_id), terms, standing)
    return preview_cancel(plan, terms, standing)


def test_a_cancel_of_the_only_stop_says_what_it_protects_and_that_nothing_does_then() -> None:
    seen = cancelled(with_orders(stop(amount=D("0.5"))))
    assert seen.protects is True
    assert seen.warnings == ("it is a stop that protects the long position of 0.5",)
    assert seen.stays == ("whatever of it was filled stays filled", NOTHING_PROTECTS)
    assert seen.order is not None
    assert (seen.order.trigger_price, seen.order.reduce_only) == (D(90_000), True)


def test_a_cancel_beside_another_stop_that_covers_all_leaves_the_position_protected() -> None:
    seen = cancelled(with_orders(stop(amount=D("0.5")), stop(order_id="78", amount=D("0.5"))))
    assert seen.stays == ("whatever of it was filled stays filled",)


def test_a_cancel_of_a_limit_order_protects_nothing() -> None:
    seen = cancelled(with_orders(resting(), stop(order_id="78", amount=D(1))))
    assert (seen.protects, seen.warnings) == (False, ())


def test_a_spot_stop_that_sells_protects_what_is_held() -> None:
    kept = stop(type=OrderType.STOP_LIMIT, price=D(89_000), is_reduce_only=False, is_conditional=False)
    seen = cancelled(replace(SPOT_STANDING, resting=(kept,)))
    assert seen.warnings == ("it is a stop that protects the BTC held of 2",)


def test_a_cancel_of_an_order_that_is_not_open_or_not_known_says_so() -> None:
    gone = cancelled(with_orders(), "5")
    assert (gone.order, gone.protects) == (None, None)
    assert "may have been filled or have ended already" in gone.warnings[0]
    unknown = cancelled(replace(with_orders(), resting=None), "5")
    assert unknown.warnings == ("the open orders are not told",)


def lever(leverage: int, standing: Standing) -> LeveragePreview:
    plan = plan_leverage(LeverageRequest(symbol="x", leverage=leverage), LINEAR, standing)
    return preview_leverage(plan, LINEAR, REFERENCE, standing)


def test_a_higher_leverage_frees_margin_and_moves_no_cross_liquidation() -> None:
    standing = holding(long("0.5", "98000"), free_quote=D(16_000))
    seen = lever(20, standing)
    # 50,000 / 10 becomes 50,000 / 20
    assert (seen.leverage, seen.leverage_after, seen.free_after) == (10, 20, D(18_500))
    assert seen.liquidation_price == seen.liquidation_price_after == D("58232.93172691")
    assert (seen.notional, seen.max_notional_after) == (D(50_000), D(1_000_000))
    assert seen.stays == ("a leverage of 20 stays set for this market until it is changed",)


def test_a_leverage_that_the_margin_or_the_position_does_not_allow_is_a_warning() -> None:
    low = lever(1, holding(long("0.5"), free_quote=D(15_000)))
    # 15,000 + 5,000 - 50,000
    assert low.free_after == D(-30_000)
    assert "it needs 30000 USDT more margin than there is: the venue would refuse it" in low.warnings
    high = lever(100, holding(short("3"), free_quote=D(10**6)))
    # 100 ends at 250,000
    assert "more than the 250000 that a leverage of 100 allows" in high.warnings[0]


def test_the_leverage_of_an_inverse_market_tells_what_it_cannot_work_out() -> None:
    standing = holding(long("50"))
    plan = plan_leverage(LeverageRequest(symbol="x", leverage=5), INVERSE, standing)
    seen = preview_leverage(plan, INVERSE, REFERENCE, standing)
    # 50 contracts of 10 USD
    assert (seen.notional, seen.free_after) == (D(500), None)
    assert any(u.why == "it is worked out for linear contracts only" for u in seen.unknown)
