"""What a request becomes at the desk: everything read at once, an error wherever something that decides is missing."""

from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

import pytest

from exchange_mcp.desk.trading.limits import PolicyLimits
from exchange_mcp.desk.trading.previews import read_preview
from exchange_mcp.desk.trading.subject import Subject
from exchange_mcp.model.accounts import AccountName, MarketType
from exchange_mcp.model.canonical import canonical_json
from exchange_mcp.model.decimals import divide_up
from exchange_mcp.model.errors import (
    ErrorCode,
    ExchangeMcpError,
    InvalidArgumentError,
    KeyRefusedError,
    OrderRefusedError,
)
from exchange_mcp.model.writes import CancelOrder, PlaceOrder, SetLeverage
from exchange_mcp.orders.preview import OrderPreview
from exchange_mcp.orders.requests import CancelRequest, LeverageRequest
from exchange_mcp.orders.screen import lines
from exchange_mcp.sim.matching import Trade
from exchange_mcp.sim.orders import Side

from .test_limits import NOTHING_COUNTED
from .world import MAIN, PERPETUAL, SPOT, Request, Venues, World, order, policy, trading

pytestmark = pytest.mark.anyio

D = Decimal
OURS = "xtag0001"


async def test_an_order_is_planned_previewed_and_rendered_as_it_would_be_sent(venues: Venues) -> None:
    request = order(PERPETUAL, type="limit", amount="0.010", price="90000", side="buy")
    planned = await venues[MAIN].plan(request, OURS)
    plan, footing = planned.plan, planned.footing
    assert plan.write == PlaceOrder(
        symbol=PERPETUAL,
        side="buy",
        type=request.type,
        amount=D("0.01"),
        price=D(90_000),
        client_order_id=OURS,
    )
    assert (plan.venue, plan.account, plan.environment) == ("binance", MAIN, "sim")
    assert plan.key_id == "trader"
    assert (plan.request.verb, plan.request.api, plan.request.path) == ("POST", "fapiPrivate", "order")
    assert plan.request.parameters["quantity"] == "0.01"
    assert plan.window_ms > 0
    # sim/seeding.py: a long at 10x, cross. 0.01 at 90,000 are 900 USDT at most.
    assert (footing.effect, footing.position_mode, footing.leverage) == ("adds", "one_way", 10)
    assert (footing.margin_mode, footing.worst_case, footing.key_fault) == ("cross", D(900), None)
    assert not footing.is_reduce_enforced
    preview = read_preview(planned.preview)
    assert isinstance(preview, OrderPreview)
    assert (preview.mid, preview.client_order_id) == (footing.mid, OURS)
    assert canonical_json(preview.model_dump()) == canonical_json(planned.preview)
    assert lines(preview)


async def test_a_cancel_and_a_leverage_read_no_book_and_can_cost_nothing(
    world: World, venues: Venues
) -> None:
    resting = world.account.orders.futures.open()[0]
    cancel = await venues[MAIN].plan(CancelRequest(symbol=PERPETUAL, order_id=str(resting.order_id)), OURS)
    leverage = await venues[MAIN].plan(LeverageRequest(symbol=PERPETUAL, leverage=7), OURS)
    assert cancel.plan.write == CancelOrder(symbol=PERPETUAL, order_id=str(resting.order_id))
    assert leverage.plan.write == SetLeverage(symbol=PERPETUAL, leverage=7)
    assert (cancel.footing.worst_case, cancel.footing.mid, cancel.footing.leverage) == (0, None, None)
    assert (leverage.footing.worst_case, leverage.footing.leverage) == (0, 10)
    assert not [path for path in world.paths() if path.endswith("/depth")]
    for planned in (cancel, leverage):
        assert canonical_json(read_preview(planned.preview).model_dump()) == canonical_json(planned.preview)


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        (
            {"type": "stop_market", "trigger_price": "80000", "side": "sell", "reduce_only": True},
            "NOT_OFFERED_YET",
        ),
        ({"amount": "0.0100000001"}, "AMOUNT_OFF_STEP"),
        ({"side": "buy", "reduce_only": True}, "REDUCE_ONLY_WOULD_OPEN"),
    ],
)
async def test_what_cannot_be_written_is_refused_by_its_own_code(
    venues: Venues, changed: dict[str, object], code: str
) -> None:
    with pytest.raises(OrderRefusedError) as caught:
        await venues[MAIN].plan(order(PERPETUAL, **changed), OURS)
    assert caught.value.code == code


async def test_a_stop_on_spot_is_not_offered_yet_and_asks_nothing(world: World, venues: Venues) -> None:
    stop = order(SPOT, type="stop_limit", side="sell", price="79000", trigger_price="80000")
    with pytest.raises(OrderRefusedError) as caught:
        await venues[MAIN].plan(stop, OURS)
    assert caught.value.code is ErrorCode.NOT_OFFERED_YET
    assert not [path for path in world.paths() if path.endswith(("/depth", "/account", "/openOrders"))]


@pytest.mark.parametrize(
    "request_", [order(PERPETUAL), LeverageRequest(symbol=PERPETUAL, leverage=3)], ids=["order", "leverage"]
)
async def test_nothing_is_written_in_hedge_mode(world: World, venues: Venues, request_: Request) -> None:
    world.account.positions = ()
    world.account.is_hedged = True
    with pytest.raises(OrderRefusedError) as caught:
        await venues[MAIN].plan(request_, OURS)
    assert caught.value.code is ErrorCode.HEDGE_MODE


async def test_what_is_no_request_is_refused(venues: Venues) -> None:
    with pytest.raises(InvalidArgumentError):
        await venues[MAIN].plan({"symbol": SPOT}, OURS)


# What an order, a cancel and a leverage cannot do without, by the path that tells it, and how the error names it.
DECIDES: Final = [
    (order(SPOT), "/api/v3/depth", "order book"),
    (order(SPOT), "/api/v3/account", "balances"),
    (order(SPOT), "/api/v3/openOrders", "spot"),
    (order(SPOT), "/fapi/v1/openAlgoOrders", "linear conditional"),
    (order(SPOT), "/fapi/v1/income", "realised"),
    (order(PERPETUAL), "/fapi/v1/depth", "order book"),
    (order(PERPETUAL), "/fapi/v1/accountConfig", "account modes"),
    (order(PERPETUAL), "/fapi/v2/positionRisk", "position"),
    (order(PERPETUAL), "/fapi/v1/openOrders", "linear"),
    (order(PERPETUAL), "/fapi/v1/income", "realised"),
    (LeverageRequest(symbol=PERPETUAL, leverage=7), "/fapi/v1/accountConfig", "account modes"),
    (LeverageRequest(symbol=PERPETUAL, leverage=7), "/fapi/v2/positionRisk", "position"),
    (LeverageRequest(symbol=PERPETUAL, leverage=7), "/fapi/v1/income", "realised"),
    (CancelRequest(symbol=PERPETUAL, order_id="1"), "/fapi/v1/openOrders", "open orders"),
    (CancelRequest(symbol=PERPETUAL, order_id="1"), "/fapi/v1/accountConfig", "account modes"),
    (CancelRequest(symbol=SPOT, order_id="1"), "/api/v3/openOrders", "open orders"),
]


@pytest.mark.parametrize(("request_", "path", "named"), DECIDES)
async def test_a_source_that_decides_and_fails_is_an_error_that_names_it(
    world: World, venues: Venues, request_: Request, path: str, named: str
) -> None:
    world.fails(path)
    with pytest.raises(ExchangeMcpError, match=named):
        await venues[MAIN].plan(request_, OURS)


@pytest.mark.parametrize("path", ["/fapi/v1/commissionRate", "/fapi/v1/leverageBracket"])
async def test_a_source_that_is_only_shown_may_fail_and_the_preview_says_so(
    world: World, venues: Venues, path: str
) -> None:
    world.fails(path)
    planned = await venues[MAIN].plan(order(PERPETUAL), OURS)
    assert read_preview(planned.preview).unknown


async def test_what_no_limit_is_about_is_not_asked(world: World) -> None:
    async with trading(world, PolicyLimits(policy(max_daily_loss=None))) as venues:
        await venues[MAIN].plan(order(SPOT), OURS)
    assert "/fapi/v1/income" not in world.paths()


async def test_a_reducing_order_may_leave_whatever_was_lost_so_losses_are_not_read(
    world: World, venues: Venues
) -> None:
    planned = await venues[MAIN].plan(order(PERPETUAL, side="sell", reduce_only=True), OURS)
    assert planned.footing.is_reduce_enforced
    assert planned.footing.effect == "reduces"
    assert "/fapi/v1/income" not in world.paths()


async def test_a_key_that_may_withdraw_now_plans_nothing_and_is_told_at_a_re_check(world: World) -> None:
    async with trading(world, PolicyLimits(policy())) as venues:
        planned = await venues[MAIN].plan(order(SPOT), OURS)
        world.sim.control.permit("trader", "withdraw")
        world.clock.ms += 61_000
        again = await venues[MAIN].recheck(planned.plan)
        with pytest.raises(KeyRefusedError):
            await venues[MAIN].plan(order(SPOT), OURS)
    assert again.footing.key_fault
    assert again.plan == planned.plan


EVERY_KIND: Final[list[Request]] = [
    order(SPOT),
    order(SPOT, amount=None, cost="250.10"),
    order(SPOT, side="sell", amount="0.10"),
    order(SPOT, type="limit", price="90000.00", amount="0.010"),
    order(SPOT, type="limit", price="90000", post_only=True),
    order(SPOT, type="limit", price="90000", time_in_force="IOC"),
    order(PERPETUAL),
    order(PERPETUAL, side="sell", amount="0.250", reduce_only=True),
    order(PERPETUAL, type="limit", price="90000.0", time_in_force="FOK"),
    order("ETH/USDT:USDT", side="buy", amount="1.000", reduce_only=True),
    LeverageRequest(symbol=PERPETUAL, leverage=7),
]


@pytest.mark.parametrize("request_", EVERY_KIND)
async def test_in_a_world_that_stands_still_a_re_check_gives_the_same_text_and_the_same_footing(
    venues: Venues, request_: Request
) -> None:
    planned = await venues[MAIN].plan(request_, OURS)
    again = await venues[MAIN].recheck(planned.plan)
    assert again.plan.canonical() == planned.plan.canonical()
    assert again.footing == planned.footing
    assert canonical_json(again.preview) == canonical_json(planned.preview)


async def test_a_re_check_asks_everything_again(world: World, venues: Venues) -> None:
    planned = await venues[MAIN].plan(order(PERPETUAL), OURS)
    first = sorted(world.paths())
    world.sim.control.clear_requests()
    await venues[MAIN].recheck(planned.plan)
    asked = set(world.paths())
    assert {"/fapi/v1/depth", "/fapi/v2/positionRisk", "/fapi/v1/accountConfig", "/fapi/v1/income"} <= asked
    assert asked <= set(first)


async def test_an_amount_that_differs_from_the_plan_in_nothing_but_digits_is_the_same_plan(
    venues: Venues,
) -> None:
    request = order(SPOT, type="limit", price="90000.00", amount="0.0100")
    plan = (await venues[MAIN].plan(request, OURS)).plan
    again = await venues[MAIN].recheck(plan)
    assert again.plan.canonical() == plan.canonical()


async def test_open_orders_and_losses_are_counted_over_every_account_of_the_desk(world: World) -> None:
    limits = PolicyLimits(policy())
    labels = {"main": "trader", "alt": "trader-alt"}
    async with trading(world, limits, labels=labels) as venues:
        planned = await venues[MAIN].plan(order(PERPETUAL), OURS)
    subject = planned.subject
    # sim/seeding.py: main has two on spot, one on contracts and two stops; alt has one. Of BTC/USDT:USDT there are two.
    orders = getattr(subject, "open_orders")  # noqa: B009 - the engine's view of it is an object
    assert (orders.desk, orders.account, orders.market) == (6, 5, 2)
    assert set(labels) == {"main", "alt"}


async def test_what_another_account_does_not_tell_is_an_error_where_a_limit_counts_over_all(
    world: World,
) -> None:
    labels = {"main": "trader", "alt": "trader-alt"}
    own_alone = policy(max_open_orders=None, max_daily_loss=None, symbols=[PERPETUAL], account={
        "main": {"symbols": [PERPETUAL], "max_open_orders": 50, "max_daily_loss": 100_000},
        "alt": {"symbols": [PERPETUAL], "max_open_orders": 50, "max_daily_loss": 100_000},
    })  # fmt: skip
    for under, is_refused in ((policy(), True), (own_alone, False)):
        async with trading(world, PolicyLimits(under), labels=labels) as venues:
            world.sim.control.permit("trader-alt", "withdraw")
            world.clock.ms += 3_600_000
            try:
                await venues[MAIN].plan(order(PERPETUAL), OURS)
                was_refused = False
            except ExchangeMcpError:
                was_refused = True
            world.sim.control.permit("trader-alt", "trade")
        assert was_refused is is_refused


async def test_an_account_of_spot_alone_has_nothing_to_realise(world: World) -> None:
    async with trading(world, PolicyLimits(policy()), types=(MarketType.SPOT,)) as venues:
        planned = await venues[MAIN].plan(order(SPOT), OURS)
    realised = getattr(planned.subject, "realised")  # noqa: B009 - as above
    assert (realised.desk, realised.account, realised.market) == ({}, {}, {})


async def test_a_position_that_was_closed_by_hand_leaves_nothing_to_reduce(
    world: World, venues: Venues
) -> None:
    reduce = order(PERPETUAL, side="sell", amount="0.1", reduce_only=True)
    planned = await venues[MAIN].plan(reduce, OURS)
    world.account.positions = world.account.positions[1:]
    with pytest.raises(OrderRefusedError) as caught:
        await venues[MAIN].recheck(planned.plan)
    assert caught.value.code is ErrorCode.REDUCE_ONLY_WOULD_OPEN


async def test_a_market_that_the_account_does_not_trade_is_an_error(world: World) -> None:
    async with trading(world, PolicyLimits(policy()), types=(MarketType.SPOT,)) as venues:
        with pytest.raises(ExchangeMcpError, match="spot"):
            await venues[AccountName("main")].plan(order(PERPETUAL), OURS)


# 0.01 ETH at 3,000 are 30 USDT; in BTC at its last price, rounded up to the cost's side.
IN_ETHER: Final = order("ETH/USDT", type="limit", amount="0.01", price="3000")


async def test_the_worst_case_is_in_the_policys_reference_currency_by_a_price_that_was_read(
    world: World, limits: PolicyLimits, venues: Venues
) -> None:
    limits.put_in_force(policy(reference="BTC"))
    planned = await venues[MAIN].plan(IN_ETHER, OURS)
    last = world.last(SPOT)
    assert planned.footing.worst_case == divide_up(D(30), last)
    ruling = limits.rule(planned, NOTHING_COUNTED, world.clock.ms)
    assert ruling.is_allowed, ruling.reason
    assert f"1 BTC = {last:f}".rstrip("0").rstrip(".") in canonical_json(ruling.details)
    assert "main: last price of BTC/USDT" in canonical_json(ruling.details)


async def test_without_a_listed_price_nothing_bounds_it_and_the_limits_refuse_it_with_a_sentence(
    world: World, limits: PolicyLimits, venues: Venues
) -> None:
    limits.put_in_force(policy(reference="XAU"))
    planned = await venues[MAIN].plan(IN_ETHER, OURS)
    assert planned.footing.worst_case is None
    ruling = limits.rule(planned, NOTHING_COUNTED, world.clock.ms)
    assert not ruling.is_allowed
    assert "there is no price of USDT in XAU" in ruling.reason


async def test_a_listed_price_that_is_not_told_is_an_error_that_names_it(
    world: World, limits: PolicyLimits, venues: Venues
) -> None:
    limits.put_in_force(policy(reference="BTC"))
    world.fails("/api/v3/ticker/24hr")
    with pytest.raises(ExchangeMcpError, match="ticker"):
        await venues[MAIN].plan(IN_ETHER, OURS)


async def test_what_one_market_lost_is_not_another_markets_loss(
    world: World, limits: PolicyLimits, venues: Venues
) -> None:
    trade = Trade(
        price=D(90_000), quantity=D("0.1"), instrument=world.account.positions[0].instrument, trade_id=1, order_id=1,
        side=Side.SELL, commission=D("0.5"), commission_asset="BNB", realized=D(-700), is_maker=False,
        at_ms=world.clock.ms,
    )  # fmt: skip
    world.account.usdm_trades = [trade, replace(trade, trade_id=2, at_ms=world.clock.ms - 90_000_000)]
    by_market: dict[str, Any] = {}
    for symbol in ("ETH/USDT:USDT", PERPETUAL):
        planned = await venues[MAIN].plan(order(symbol), OURS)
        assert isinstance(planned.subject, Subject)
        by_market[symbol] = planned.subject.realised
    lost = {"USDT": D(-700), "BNB": D("-0.5")}
    assert (by_market[PERPETUAL].desk, by_market[PERPETUAL].market) == (lost, lost)
    assert (by_market["ETH/USDT:USDT"].desk, by_market["ETH/USDT:USDT"].market) == (lost, {})
    # The simulated venue lists no BNB, so what the fee was worth is not known, and that refuses it.
    ruling = limits.rule(planned, NOTHING_COUNTED, world.clock.ms)
    assert "max_daily_loss in policy: there is no price of BNB in USDT" in ruling.reason
