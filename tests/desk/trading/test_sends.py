"""From a proposal to the venue: what leaves is what was approved, and a world that changed lets the grant lapse."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exchange_mcp.desk.intents import State
from exchange_mcp.desk.records import Intent
from exchange_mcp.desk.trading.limits import PolicyLimits
from exchange_mcp.model.errors import ExchangeMcpError, NothingAnsweredError, OrderRefusedError
from exchange_mcp.model.plans import WireRequest
from exchange_mcp.model.trading import TradingVenue
from exchange_mcp.model.writes import WriteRequest
from exchange_mcp.orders.requests import CancelRequest, LeverageRequest, OrderRequest
from exchange_mcp.sim.orders import PositionSide

from .world import DAY_MS, PERPETUAL, SPOT, Desk, Request, Venues, World, desk, order, policy, trading

pytestmark = pytest.mark.anyio

D = Decimal

# What signing adds: https://developers.binance.com/docs/binance-spot-api-docs/rest-api/request-security
SIGNED: Final = {"timestamp", "recvWindow", "signature"}
GRIDS: Final[dict[str, tuple[str, str]]] = {
    # Amount's step and price's tick: sim/spot_filters.py, sim/usdm_filters.py.
    "BTC/USDT": ("0.0001", "1"),
    "ETH/USDT": ("0.001", "0.1"),
    "BTC/USDT:USDT": ("0.001", "1"),
    "ETH/USDT:USDT": ("0.01", "0.1"),
}


def written(value: object) -> str:
    """A parameter as it stands in a query."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def assert_exactly_sent(world: World, intent: Intent) -> dict[str, str]:
    """One write was received, and it is the journal's plan, field by field, but for what signing adds."""
    (received,) = world.writes()
    verb, path = received.pop("verb"), received.pop("path")
    request = intent.plan.request
    assert (verb, path.rsplit("/", 1)[1]) == (request.verb, request.path)
    assert {name: text for name, text in received.items() if name not in SIGNED} == {
        name: written(value) for name, value in request.parameters.items()
    }
    assert received.keys() - request.parameters.keys() == SIGNED
    return received


EVERY_KIND: Final[list[Request]] = [
    order(SPOT),
    order(SPOT, amount=None, cost="250.10"),
    order(SPOT, side="sell", amount="0.10"),
    order(SPOT, type="limit", price="90000.00", amount="0.010"),
    order(SPOT, type="limit", price="90000", post_only=True),
    order(SPOT, type="limit", price="90000", time_in_force="IOC"),
    order(PERPETUAL),
    order(PERPETUAL, side="sell", amount="0.250", reduce_only=True),
    order(PERPETUAL, type="limit", price="90000.0", time_in_force="GTC"),
    order(PERPETUAL, type="limit", price="90000", post_only=True),
    LeverageRequest(symbol=PERPETUAL, leverage=7),
]


@pytest.mark.parametrize("request_", EVERY_KIND)
async def test_each_kind_of_write_is_sent_exactly_as_it_was_approved(
    world: World, limits: PolicyLimits, venues: Venues, request_: Request
) -> None:
    async with desk(world, limits, venues) as running:
        intent = await running.approved(request_)
        done = await running.done(intent)
        assert done.state is State.ACCEPTED, done.reason
        assert_exactly_sent(world, done)
        settled = await running.engine.settled(intent.id)
    assert settled.state in {State.PLACED, State.SET}


async def test_a_cancel_ends_exactly_the_order_that_was_named(
    world: World, limits: PolicyLimits, venues: Venues
) -> None:
    resting = world.account.orders.spot.open("BTCUSDT")[0]
    async with desk(world, limits, venues) as running:
        intent = await running.approved(CancelRequest(symbol=SPOT, order_id=str(resting.order_id)))
        done = await running.done(intent)
        received = assert_exactly_sent(world, done)
        assert received["orderId"] == str(resting.order_id)
        assert (await running.engine.settled(intent.id)).state is State.CANCELED


@st.composite
def orders(draw: st.DrawFn) -> dict[str, Any]:
    """An order in any market; the price is a share of the last one, since that moves."""
    symbol = draw(st.sampled_from(sorted(GRIDS)))
    step, _ = GRIDS[symbol]
    asked: dict[str, Any] = {
        "symbol": symbol,
        "side": draw(st.sampled_from(["buy", "sell"])),
        "type": draw(st.sampled_from(["limit", "limit", "market"])),
        "amount": f"{D(step) * draw(st.integers(10, 400)):f}" + draw(st.sampled_from(["", "0", "00"])),
    }
    if asked["type"] == "limit":
        asked["price"] = draw(st.integers(9_000, 11_000))
        conduct = draw(
            st.sampled_from([{}, {"post_only": True}, {"time_in_force": "IOC"}, {"time_in_force": "GTC"}])
        )
        asked |= conduct
    if ":" in symbol and draw(st.booleans()):
        asked["reduce_only"] = True
    return asked


def placed(asked: dict[str, Any], world: World) -> OrderRequest:
    """The order with its price in quote, on the tick."""
    if "price" not in asked:
        return OrderRequest.model_validate(asked)
    _, tick = GRIDS[asked["symbol"]]
    price = world.last(asked["symbol"]) * asked["price"] / 10_000
    return OrderRequest.model_validate(asked | {"price": f"{price // D(tick) * D(tick):f}"})


@given(orders())
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
async def test_whatever_order_is_approved_the_venue_receives_what_the_plan_said_or_nothing(
    world: World, limits: PolicyLimits, venues: Venues, asked: dict[str, Any]
) -> None:
    world.reset()
    world.clock.ms += 1_000  # a key may send so many a second
    request = placed(asked, world)
    async with desk(world, limits, venues) as running:
        try:
            intent = await running.proposed(request)
        except OrderRefusedError:
            assert not world.writes()
            assert not running.journal.recent()
            return
        assert not world.writes()
        done = await running.done(running.approve(intent))
        received = assert_exactly_sent(world, done)
    # And the plan said what was asked.
    assert (D(received["quantity"]), received["side"].lower()) == (request.amount, request.side)
    assert received["newClientOrderId"] == done.client_order_id
    assert (D(received["price"]) if "price" in received else None) == request.price
    assert (received.get("reduceOnly") == "true") is request.reduce_only
    expected = {"market": "MARKET", "limit": "LIMIT"}[request.type]
    assert received["type"] == (
        "LIMIT_MAKER" if request.post_only and ":" not in request.symbol else expected
    )


# What changes between the approval's preview and the re-check.


def reducing(**changed: object) -> OrderRequest:
    return order(PERPETUAL, side="sell", amount="0.1", **changed)


def closed_by_hand(world: World) -> None:
    world.account.positions = world.account.positions[1:]


def switched_to_hedge(world: World) -> None:
    (bitcoin, *_) = world.account.positions
    world.account.is_hedged = True
    world.account.positions = (replace(bitcoin, side=PositionSide.LONG),)


def moved_past_the_collar(world: World) -> None:
    begun = world.last(PERPETUAL)
    while abs(world.last(PERPETUAL) - begun) * 10_000 <= 60 * begun:
        world.clock.ms += 60_000


def leverage_changed(world: World) -> None:
    world.account.leverage["BTCUSDT"] = 5


CHANGES: Final[list[tuple[Request, Callable[[World], None], str]]] = [
    (reducing(reduce_only=True), closed_by_hand, "no position"),
    (reducing(), closed_by_hand, "The order reduces when it was approved; now it opens."),
    (order(PERPETUAL), closed_by_hand, "The order adds when it was approved; now it opens."),
    (order(PERPETUAL), switched_to_hedge, "hedge mode"),
    (LeverageRequest(symbol=PERPETUAL, leverage=7), switched_to_hedge, "hedge mode"),
    (order(PERPETUAL), moved_past_the_collar, "The mid moved from"),
    (order(PERPETUAL), leverage_changed, "The leverage of the market was 10; now it is 5."),
    (LeverageRequest(symbol=PERPETUAL, leverage=7), leverage_changed, "was 10; now it is 5."),
]


@pytest.mark.parametrize("case", CHANGES)
async def test_a_world_that_changed_since_the_preview_lets_the_grant_lapse_and_says_why(
    world: World,
    limits: PolicyLimits,
    venues: Venues,
    case: tuple[Request, Callable[[World], None], str],
) -> None:
    request_, change, sentence = case
    async with desk(world, limits, venues) as running:
        intent = await running.proposed(request_)
        assert intent.state is State.PROPOSED, intent.reason
        change(world)
        done = await running.done(running.approve(intent))
    assert done.state is State.LAPSED
    assert sentence in done.reason
    assert not world.writes()


@dataclass(frozen=True)
class RendersOtherwise:
    """The trading venue over a ccxt that builds another request than it did when the plan was made."""

    venue: TradingVenue

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the venue's member is
        return getattr(self.venue, name)

    async def render(self, write: WriteRequest) -> WireRequest:
        request = await self.venue.render(write)
        return replace(request, parameters={**request.parameters, "newOrderRespType": "ACK"})


async def test_a_request_that_would_be_built_otherwise_now_lets_the_grant_lapse(
    world: World, limits: PolicyLimits, venues: Venues, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with desk(world, limits, venues) as running:
        intent = await running.proposed(order(SPOT))
        inner: TradingVenue = vars(running.venue)["_venue"]
        monkeypatch.setattr(running.venue, "_venue", RendersOtherwise(inner))
        done = await running.done(running.approve(intent))
    assert done.state is State.LAPSED
    assert done.reason == "What was read again is of another plan."
    assert not world.writes()


async def test_a_key_that_may_withdraw_now_lets_the_grant_lapse(world: World, limits: PolicyLimits) -> None:
    async with trading(world, limits) as own, desk(world, limits, own) as running:
        intent = await running.proposed(order(PERPETUAL))
        world.sim.control.permit("trader", "withdraw")
        world.clock.ms += 61_000
        done = await running.done(running.approve(intent))
    assert done.state is State.LAPSED
    assert "withdraw" in done.reason
    assert not world.writes()


async def test_a_source_that_fails_at_the_re_check_lets_the_grant_lapse_and_is_named(
    world: World, limits: PolicyLimits, venues: Venues
) -> None:
    async with desk(world, limits, venues) as running:
        intent = await running.proposed(order(PERPETUAL))
        world.fails("/fapi/v2/positionRisk")
        done = await running.done(running.approve(intent))
    assert done.state is State.LAPSED
    assert "position" in done.reason
    assert not world.writes()


async def test_a_policy_that_is_loosened_after_the_approval_lets_the_grant_lapse(
    world: World, limits: PolicyLimits, venues: Venues
) -> None:
    async with desk(world, limits, venues) as running:
        intent = await running.proposed(order(SPOT))
        running.approve(intent)
        limits.put_in_force(policy(max_order_notional=2_000_000))
        done = await running.done(intent)
    assert done.state is State.LAPSED
    assert "policy" in done.reason
    assert not world.writes()


async def test_what_cannot_be_read_is_no_intent_and_the_log_says_that_it_was_asked(
    world: World, limits: PolicyLimits, venues: Venues
) -> None:
    async with desk(world, limits, venues) as running:
        world.fails("/api/v3/depth")
        with pytest.raises(NothingAnsweredError, match="order book"):
            await running.proposed(order(SPOT))
        assert not running.journal.recent()
        assert running.journal.last_event("unplanned") is not None


# Limits over time, with what the journal and the venue really count.


async def test_the_orders_of_a_day_count_together_and_the_one_too_many_is_denied_by_name(
    world: World, limits: PolicyLimits, venues: Venues
) -> None:
    # 0.01 at 90,000 is 900 each: two are 1,800.
    limits.put_in_force(policy(max_daily_notional=1_800, max_order_notional=1_000))
    async with desk(world, limits, venues) as running:
        first = await running.approved(order(SPOT, type="limit", price="90000"))
        await running.done(first)
        second = await proposed_beside(running, order(SPOT, type="limit", price="90000.00"), first)
        third = await proposed_beside(running, order(SPOT, type="limit", price="90001.00"), second)
    assert second.state is State.PROPOSED
    assert third.state is State.DENIED
    assert "max_daily_notional in policy" in third.reason
    assert "worth at most 1800.01 USDT; 1800 USDT is allowed" in third.reason


async def proposed_beside(running: Desk, request: OrderRequest, first: Intent) -> Intent:
    return await running.proposed(request, proposal=request.model_dump_json(), distinct_from=first.id)


async def test_once_the_loss_of_a_day_is_reached_only_what_reduces_is_allowed(
    world: World, limits: PolicyLimits, venues: Venues
) -> None:
    # Bought 10,000 above the market: selling 0.1 of it loses about 1,000.
    (bitcoin, *others) = world.account.positions
    world.account.positions = (replace(bitcoin, entry=world.last(PERPETUAL) + 10_000), *others)
    limits.put_in_force(policy(max_daily_loss=900))
    async with desk(world, limits, venues) as running:
        sold = await running.done(await running.approved(reducing(reduce_only=True)))
        assert sold.state is State.ACCEPTED
        await running.engine.settled(sold.id)
        bought = await proposed_beside(running, order(PERPETUAL), sold)
        closing = await proposed_beside(running, reducing(reduce_only=True), sold)
        world.clock.ms += DAY_MS + 120_000
        later = await proposed_beside(running, order(PERPETUAL, amount="0.02"), sold)
    assert bought.state is State.DENIED
    assert "max_daily_loss in policy" in bought.reason
    assert closing.state is State.PROPOSED
    assert later.state is State.PROPOSED, later.reason


async def test_nothing_leaves_for_what_the_limits_deny(
    world: World, limits: PolicyLimits, venues: Venues
) -> None:
    limits.put_in_force(policy(max_order_notional=500))
    async with desk(world, limits, venues) as running:
        intent = await running.proposed(order(SPOT, type="limit", price="90000"))
        assert intent.state is State.DENIED
        assert "the order is worth at most 900 USDT; 500 USDT is allowed" in intent.reason
        with pytest.raises(ExchangeMcpError):
            running.approve(intent)
    assert not world.writes()
