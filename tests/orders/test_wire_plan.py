"""From a planned write and the captured request to the wire plan and its digest."""

from dataclasses import replace

import pytest

from exchange_mcp.model.accounts import AccountName, Environment
from exchange_mcp.model.errors import OrderRefusedError
from exchange_mcp.model.plans import WirePlan, WireRequest
from exchange_mcp.orders.changing import plan_cancel, plan_leverage
from exchange_mcp.orders.planned import Origin, Planned, wire_plan
from exchange_mcp.orders.requests import CancelRequest, LeverageRequest

from .made import FLAT, LINEAR, SPOT, SPOT_STANDING, asked, holding, long, planned

ORIGIN = Origin(
    venue="binance",
    account=AccountName("main"),
    account_id="42",
    key_id="k",
    environment=Environment.SIM,
)
REQUEST = WireRequest(
    verb="POST", api="private", path="order", parameters={"symbol": "BTCUSDT", "quantity": "0.1"}
)


def wired(plan: Planned, request: WireRequest = REQUEST) -> WirePlan:
    return wire_plan(plan, request, ORIGIN, window_ms=5000)


def test_a_wire_plan_holds_the_order_its_market_and_exactly_the_captured_request() -> None:
    order = planned(asked(type="limit", amount="0.1", price="100000"))
    plan = wired(order)
    assert (plan.write, plan.market, plan.request, plan.window_ms) == (
        order.write,
        order.market,
        REQUEST,
        5000,
    )
    assert (plan.action, plan.underlying, plan.client_order_id) == ("place", "BTC", "desk-1")


def test_one_changed_field_of_the_request_changes_the_digest() -> None:
    order = planned(asked(type="limit", amount="0.1", price="100000"))
    other = replace(REQUEST, parameters={**REQUEST.parameters, "quantity": "0.10"})
    assert wired(order).digest() != wired(order, other).digest()
    assert wired(order).digest() == wired(planned(asked(type="limit", amount="0.1", price="100000"))).digest()


def test_a_cost_is_part_of_the_fingerprint() -> None:
    one, other = (wired(planned(asked(type="market", cost=cost))) for cost in ("100", "101"))
    amount = wired(planned(asked(type="market", amount="0.1")))
    assert len({one.fingerprint(), other.fingerprint(), amount.fingerprint()}) == 3
    assert '"cost":"100"' in one.canonical()


def test_how_long_an_order_rests_and_whether_it_may_take_are_parts_of_the_fingerprint() -> None:
    limit = {"type": "limit", "amount": "0.1", "price": "100000"}
    plain, kept = (wired(planned(asked(**limit, **more))) for more in ({}, {"time_in_force": "GTC"}))
    others = (
        wired(planned(asked(**limit, **more))) for more in ({"post_only": True}, {"time_in_force": "IOC"})
    )
    assert plain.fingerprint() == kept.fingerprint()
    assert len({plain.fingerprint(), *(other.fingerprint() for other in others)}) == 3


def test_cancels_and_leverages_are_wired_too() -> None:
    cancel = plan_cancel(CancelRequest(symbol="x", order_id="7"), SPOT, SPOT_STANDING)
    leverage = plan_leverage(LeverageRequest(symbol="x", leverage=3), LINEAR, FLAT)
    assert (wired(cancel).action, wired(leverage).action) == ("cancel", "leverage")


def test_what_may_only_be_previewed_has_no_wire_plan() -> None:
    hedged = planned(asked(type="market", amount="0.1"), LINEAR, holding(long("1"), position_mode="hedge"))
    stop = planned(
        asked(type="stop_market", side="sell", amount="0.1", trigger_price="95000", reduce_only=True),
        LINEAR,
        holding(long("1")),
    )
    for plan, code in ((hedged, "HEDGE_MODE"), (stop, "NOT_OFFERED_YET")):
        with pytest.raises(OrderRefusedError) as refused:
            wired(plan)
        assert refused.value.code == code
