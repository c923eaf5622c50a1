"""Where an account stands in a market: each part from its own request, exact, and a gap where one does not answer."""

import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import anyio
import pytest

from exchange_mcp.model.balances import Balance
from exchange_mcp.model.errors import ErrorCode
from exchange_mcp.model.terms import Bracket, Fees, Held, Reference, Resting, Standing
from exchange_mcp.model.writes import OrderType
from exchange_mcp.sim import SimulatedExchange
from exchange_mcp.tools.order_context import OrderContext, order_context
from exchange_mcp.venue.standing.records import listed_fees, spot_wallet

from .opened import handed, opened, settled, simulated

pytestmark = pytest.mark.anyio

D = Decimal
SPOT, PERPETUAL = "BTC/USDT", "BTC/USDT:USDT"

# Every request of a preview, and the figures that are not known without its answer.
ON_SPOT: Final = {
    "/api/v3/depth": ("order book", "book"),
    "/api/v3/avgPrice": ("average price", "average"),
    "/api/v3/account": ("balances (spot)", "free_base", "free_quote", "locked_base", "equity"),
    "/api/v3/account/commission": ("fee rate", "fees"),
    "/api/v3/openOrders": ("open orders (spot)", "resting"),
}
ON_CONTRACTS: Final = {
    "/fapi/v1/depth": ("order book", "book"),
    "/fapi/v1/ticker/24hr": ("last price", "last"),
    "/fapi/v1/premiumIndex": ("mark price", "mark"),
    "/fapi/v1/openOrders": ("open orders (linear)", "resting"),
    "/fapi/v1/openAlgoOrders": ("open orders (linear conditional)", "resting"),
    "/fapi/v3/account": (
        *("margin", "free_quote", "equity", "wallet_balance", "maintenance_others", "unrealised_others"),
    ),
    "/fapi/v1/accountConfig": (
        *("account modes", "position_mode", "equity", "wallet_balance", "maintenance_others"),
        "unrealised_others",
    ),
    "/fapi/v2/positionRisk": ("position", "held", "leverage", "margin_mode"),
    "/fapi/v1/commissionRate": ("fee rate", "fees"),
    "/fapi/v1/leverageBracket": ("leverage brackets", "brackets", "max_leverage"),
}
# Asked for two answers: of the pair, and of all of them.
PRICES: Final = "/api/v3/ticker/price"


# A book of a thousand levels takes the simulator long, and most tests here are about something else.
BOOK: Final = {"kind": "body", "path": ".*/depth", "body": '{"bids":[["1","1"]],"asks":[["2","1"]]}'}


async def context(
    sim: SimulatedExchange,
    cache: Path,
    symbol: str,
    *,
    bodies: dict[str, object] | None = None,
    label: str | None = "reader",
) -> OrderContext:
    """What is read of one account in one market, with these answers in the place of the venue's."""
    async with opened(simulated(sim, key=label), cache=cache) as venues:
        for path, body in (bodies or {}).items():
            sim.control.add_fault({"kind": "body", "path": path, "body": json.dumps(body)})
        sim.control.add_fault(BOOK)
        return await order_context(handed(venues), None, symbol)


def figures(found: OrderContext) -> dict[str, object]:
    """Every figure by its name, the book's and the reference's among them."""
    standing = {name: getattr(found.standing, name) for name in Standing.__slots__}
    prices = {name: getattr(found.reference, name) for name in Reference.__slots__}
    return {**standing, **prices, "book": found.book, "max_leverage": found.terms.max_leverage}


async def test_on_contracts_it_is_what_the_venue_says_digit_by_digit(
    sim: SimulatedExchange, cache: Path
) -> None:
    found = await context(sim, cache, PERPETUAL)
    standing = found.standing
    # sim/seeding.py: a long of 0.25 from 104444 at 10x, a bid, and a stop that closes the whole position.
    assert standing.held == (Held(side="long", amount=D("0.25"), entry_price=D(104444)),)
    assert (standing.position_mode, standing.leverage, standing.margin_mode) == ("one_way", 10, "cross")
    assert standing.fees == Fees(
        maker=D("0.0002"), taker=D("0.0005"), source="the account's own rate", asset="USDT"
    )
    # The first and the third level of https://www.binance.com/en/support/faq/b3c689c1f50a44cabb3a84e663b81d93
    assert standing.brackets[0] == Bracket(
        floor=D(0), cap=D(50000), rate=D("0.004"), deduction=D(0), max_leverage=125
    )
    assert standing.brackets[2].deduction == D(1300)
    assert found.terms.max_leverage == 125
    assert standing.resting is not None
    bid, stop = standing.resting
    assert (bid.type, bid.side, bid.amount, bid.is_conditional) == (OrderType.LIMIT, "buy", D("0.1"), False)
    assert (stop.type, stop.side, stop.amount, stop.is_conditional) == (
        *(OrderType.STOP_MARKET, "sell", None, True),
    )
    assert (stop.closes_position, stop.is_reduce_only) == (True, True)
    assert None not in (found.reference.last, found.reference.mark)
    assert found.coverage.complete


async def test_the_book_is_read_as_deep_as_a_thousand_levels(sim: SimulatedExchange, cache: Path) -> None:
    async with opened(simulated(sim), cache=cache) as venues:
        found = await order_context(handed(venues), None, PERPETUAL)
    assert found.book is not None
    assert (len(found.book.bids), len(found.book.asks)) == (1000, 1000)


async def test_on_spot_it_is_what_the_venue_says_digit_by_digit(sim: SimulatedExchange, cache: Path) -> None:
    found = await context(sim, cache, SPOT)
    standing = found.standing
    # sim/seeding.py: 0.52173846 BTC, none of it on order, and a bid for 0.05.
    assert (standing.free_base, standing.locked_base) == (D("0.52173846"), D(0))
    assert standing.fees == Fees(maker=D("0.001"), taker=D("0.001"), source="the account's own rate")
    assert standing.held == ()
    assert standing.resting is not None
    assert [(o.type, o.side, o.amount) for o in standing.resting] == [(OrderType.LIMIT, "buy", D("0.05"))]
    assert (standing.position_mode, standing.leverage, standing.brackets) == (None, None, ())
    # Its BNB has no market at the simulated venue, and no figure stands in its place.
    assert standing.equity is None
    assert [(gap.source, gap.message) for gap in found.coverage.gaps] == [
        ("worth of the account", "it holds BNB, which has no price in USDT")
    ]


@pytest.mark.parametrize(
    ("symbol", "path"), [*((SPOT, path) for path in ON_SPOT), *((PERPETUAL, path) for path in ON_CONTRACTS)]
)
async def test_a_part_that_does_not_answer_is_a_named_gap_and_its_figures_are_not_known(
    sim: SimulatedExchange, cache: Path, symbol: str, path: str
) -> None:
    gap_named, *missing = (ON_SPOT if symbol == SPOT else ON_CONTRACTS)[path]
    whole = figures(await context(sim, cache, symbol))
    sim.control.clear_faults()
    async with opened(simulated(sim), cache=cache) as venues:
        body = '{"code":-1003,"msg":"Too much."}'
        sim.control.add_fault({"kind": "status", "status": 400, "path": path, "body": body})
        sim.control.add_fault(BOOK)
        found = await order_context(handed(venues), None, symbol)
    told = figures(found)
    assert gap_named in {gap.source for gap in found.coverage.gaps}
    assert not found.coverage.complete
    unknown = {name for name, value in told.items() if value is None or value == ()}
    known_before = {name for name, value in whole.items() if value is not None and value != ()}
    # What the account is worth is not known on spot in any case.
    assert unknown & known_before == set(missing) - ({"equity"} if symbol == SPOT else set())


async def test_without_the_price_of_all_pairs_the_last_price_is_still_known_only_if_it_answers(
    sim: SimulatedExchange, cache: Path
) -> None:
    async with opened(simulated(sim), cache=cache) as venues:
        sim.control.add_fault(
            {"kind": "status", "status": 400, "path": PRICES, "body": '{"code":-1,"msg":"x"}'}
        )
        found = await order_context(handed(venues), None, SPOT)
    assert {gap.source for gap in found.coverage.gaps} == {"last price", "prices of all pairs"}
    assert (found.reference.last, found.standing.equity) == (None, None)


@pytest.mark.parametrize(
    ("symbol", "label", "paths"),
    [
        (SPOT, "reader", [*ON_SPOT, PRICES, PRICES]),
        (PERPETUAL, "reader", list(ON_CONTRACTS)),
        (SPOT, None, ["/api/v3/depth", "/api/v3/avgPrice", PRICES]),
        (PERPETUAL, None, ["/fapi/v1/depth", "/fapi/v1/ticker/24hr", "/fapi/v1/premiumIndex"]),
    ],
    ids=["spot", "contracts", "spot without a key", "contracts without a key"],
)
async def test_every_request_is_under_way_at_once_none_twice_and_none_writes(
    sim: SimulatedExchange, cache: Path, symbol: str, label: str | None, paths: list[str]
) -> None:
    arrived: list[str] = []
    async with opened(simulated(sim, key=label), cache=cache) as venues, anyio.create_task_group() as group:
        sim.control.clear_requests()
        sim.control.add_fault({"kind": "hang"})
        group.start_soon(order_context, handed(venues), None, symbol)
        with anyio.fail_after(5):
            # No answer was given yet, so what has arrived was asked without waiting for another.
            while len(sim.control.requests()) < len(paths):
                await settled()
        await settled()
        arrived += [entry.path for entry in sim.control.requests()]
        sim.control.clear_faults()
    assert sorted(arrived) == sorted(paths)
    assert sorted(entry.path for entry in sim.control.requests()) == sorted(paths)
    assert not any(entry.is_write for entry in sim.control.requests())


async def test_a_symbol_that_is_not_listed_and_an_order_that_cannot_be_cost_no_request(
    sim: SimulatedExchange, cache: Path
) -> None:
    def refuse(_: object) -> None:
        raise ZeroDivisionError

    async with opened(simulated(sim), cache=cache) as venues:
        await order_context(handed(venues), None, SPOT)
        sim.control.clear_requests()
        with pytest.raises(Exception, match="binance lists no 'BTC/USD'") as raised:
            await order_context(handed(venues), None, "BTC/USD")
        with pytest.raises(ZeroDivisionError):
            await order_context(handed(venues), None, SPOT, check=refuse)
    assert getattr(raised.value, "code", None) is ErrorCode.UNKNOWN_SYMBOL
    assert sim.control.requests() == []


# The form of https://developers.binance.com/docs/derivatives/usds-margined-futures/account/rest-api/Account-Information-V3
def _asset(name: str, **told: str) -> dict[str, str]:
    zero = dict.fromkeys(("walletBalance", "marginBalance", "crossWalletBalance", "availableBalance"), "0")
    return {"asset": name, **zero, **told}


def _leg(symbol: str, amount: str, maintenance: str, profit: str, isolated: str = "0") -> dict[str, object]:
    return {
        "symbol": symbol,
        "positionSide": "BOTH",
        "positionAmt": amount,
        "unrealizedProfit": profit,
        "isolatedMargin": isolated,
        "isolatedWallet": isolated,
        "notional": "1",
        "initialMargin": "1",
        "maintMargin": maintenance,
        "updateTime": 0,
    }


ACCOUNT: Final = {
    "assets": [
        _asset("USDC", walletBalance="9"),
        _asset(
            "USDT",
            walletBalance="1000.5",
            marginBalance="1010.25",
            crossWalletBalance="900.5",
            availableBalance="700.125",
        ),
    ],
    "positions": [
        _leg("BTCUSDT", "0.25", "100", "50"),
        _leg("ETHUSDT", "-3.5", "48.59507001", "13.48749696"),
        _leg("SOLUSDT", "10", "7.5", "-20.25"),
        _leg("XRPUSDT", "100", "3", "4", isolated="55"),
        _leg("1000PEPEUSDT", "0", "0", "0"),
    ],
}
MODES: Final = {"dualSidePosition": False, "multiAssetsMargin": False}


async def test_cross_margin_stands_for_every_other_cross_position_and_for_no_isolated_one(
    sim: SimulatedExchange, cache: Path
) -> None:
    found = (await context(sim, cache, PERPETUAL, bodies={"/fapi/v3/account": ACCOUNT})).standing
    assert (found.wallet_balance, found.equity, found.free_quote) == (D("900.5"), D("1010.25"), D("700.125"))
    # 48.59507001 of ETH and 7.5 of SOL; 13.48749696 less 20.25.
    assert found.maintenance_others == D("56.09507001")
    assert found.unrealised_others == D("-6.76250304")


async def test_a_position_in_a_market_that_is_not_listed_leaves_the_others_unknown_and_says_so(
    sim: SimulatedExchange, cache: Path
) -> None:
    account = {**ACCOUNT, "positions": [_leg("GONEUSDT", "1", "2", "3")]}
    found = await context(sim, cache, PERPETUAL, bodies={"/fapi/v3/account": account})
    assert (found.standing.maintenance_others, found.standing.unrealised_others) == (None, None)
    assert found.standing.equity == D("1010.25")
    (gap,) = found.coverage.gaps
    assert gap.message == "the position in GONEUSDT is in a market that is not listed"


async def test_where_several_assets_are_margin_no_figure_of_one_of_them_is_the_accounts(
    sim: SimulatedExchange, cache: Path
) -> None:
    modes = {**MODES, "multiAssetsMargin": True}
    found = await context(
        sim, cache, PERPETUAL, bodies={"/fapi/v3/account": ACCOUNT, "/fapi/v1/accountConfig": modes}
    )
    standing = found.standing
    assert (standing.equity, standing.wallet_balance, standing.maintenance_others) == (None, None, None)
    assert standing.free_quote == D("700.125")
    assert "multi-assets mode" in found.coverage.gaps[0].message


async def test_an_asset_that_the_account_does_not_list_is_not_an_account_of_nothing(
    sim: SimulatedExchange, cache: Path
) -> None:
    account = {**ACCOUNT, "assets": [_asset("USDC", walletBalance="9")]}
    found = await context(sim, cache, PERPETUAL, bodies={"/fapi/v3/account": account})
    assert (found.standing.free_quote, found.standing.equity) == (None, None)
    assert [gap.source for gap in found.coverage.gaps] == ["margin"]


# The form of https://developers.binance.com/docs/derivatives/usds-margined-futures/trade/rest-api/Position-Information-V2
LEG: Final = {
    "symbol": "BTCUSDT",
    "positionAmt": "-0.250",
    "positionSide": "BOTH",
    "entryPrice": "6563.66500",
    "marginType": "isolated",
    "isolatedMargin": "15517.54150468",
    "isolatedWallet": "15486.59",
    "leverage": "10",
}


# The example of .../account/rest-api/Notional-and-Leverage-Brackets
LEVEL: Final[dict[str, object]] = {
    "bracket": 1,
    "initialLeverage": 75,
    "notionalCap": 10000,
    "notionalFloor": 0,
    "maintMarginRatio": 0.0065,
    "cum": 0.0,
}


def _brackets(*levels: dict[str, object]) -> dict[str, object]:
    return {"symbol": "BTCUSDT", "brackets": list(levels)}


async def test_an_isolated_position_stands_on_what_was_put_in(sim: SimulatedExchange, cache: Path) -> None:
    found = (await context(sim, cache, PERPETUAL, bodies={"/fapi/v2/positionRisk": [LEG]})).standing
    assert found.held == (
        Held(side="short", amount=D("0.25"), entry_price=D("6563.665"), isolated_margin=D("15486.59")),
    )
    assert (found.margin_mode, found.leverage) == ("isolated", 10)


async def test_in_hedge_mode_both_legs_are_told(sim: SimulatedExchange, cache: Path) -> None:
    legs = [
        {**LEG, "positionSide": "LONG", "positionAmt": "0.1", "marginType": "cross"},
        {**LEG, "positionSide": "SHORT", "positionAmt": "-0.3", "marginType": "cross", "leverage": "5"},
    ]
    bodies: dict[str, object] = {
        "/fapi/v2/positionRisk": legs,
        "/fapi/v1/accountConfig": {**MODES, "dualSidePosition": True},
    }
    found = (await context(sim, cache, PERPETUAL, bodies=bodies)).standing
    assert found.held is not None
    assert [(held.side, held.amount) for held in found.held] == [("long", D("0.1")), ("short", D("0.3"))]
    # Two legs that are not set alike tell no leverage of the market.
    assert (found.position_mode, found.leverage, found.margin_mode) == ("hedge", None, "cross")


@pytest.mark.parametrize(
    ("path", "body", "figure"),
    [
        ("/fapi/v2/positionRisk", [], "held"),
        ("/fapi/v2/positionRisk", [{**LEG, "symbol": "ETHUSDT"}], "held"),
        ("/fapi/v2/positionRisk", [{**LEG, "positionSide": "LONG"}], "held"),
        ("/fapi/v2/positionRisk", [{**LEG, "positionAmt": ""}], "held"),
        ("/fapi/v2/positionRisk", [{**LEG, "leverage": "0"}], "leverage"),
        ("/fapi/v2/positionRisk", [{**LEG, "leverage": "-5"}], "leverage"),
        ("/fapi/v2/positionRisk", [{**LEG, "leverage": "10.5"}], "leverage"),
        ("/fapi/v2/positionRisk", [{**LEG, "leverage": "1e40"}], "leverage"),
        ("/fapi/v2/positionRisk", [LEG, LEG], "held"),
        ("/fapi/v3/account", {**ACCOUNT, "positions": None}, "free_quote"),
        ("/fapi/v3/account", {**ACCOUNT, "positions": [_leg("ETHUSDT", "1", "", "1")]}, "free_quote"),
        ("/fapi/v1/accountConfig", {**MODES, "dualSidePosition": "false"}, "position_mode"),
        ("/fapi/v1/accountConfig", {"dualSidePosition": False}, "position_mode"),
        ("/fapi/v1/premiumIndex", {"symbol": "ETHUSDT", "markPrice": "5"}, "mark"),
        ("/fapi/v1/premiumIndex", {"symbol": "BTCUSDT", "markPrice": "-5"}, "mark"),
        ("/fapi/v1/ticker/24hr", [], "last"),
        ("/fapi/v1/commissionRate", {"symbol": "BTCUSDT", "makerCommissionRate": "0.0002"}, "fees"),
        ("/fapi/v1/leverageBracket", [], "brackets"),
        ("/fapi/v1/leverageBracket", {"symbol": "BTCUSDT", "brackets": []}, "brackets"),
        ("/fapi/v1/leverageBracket", _brackets(LEVEL | {"initialLeverage": 10.5}), "brackets"),
        ("/fapi/v1/leverageBracket", _brackets(LEVEL | {"initialLeverage": 0}), "brackets"),
        ("/fapi/v1/leverageBracket", _brackets(LEVEL | {"notionalFloor": 1}), "brackets"),
        ("/fapi/v1/leverageBracket", _brackets(LEVEL | {"notionalCap": -5}), "brackets"),
        ("/fapi/v1/leverageBracket", _brackets(LEVEL | {"maintMarginRatio": 1}), "brackets"),
        ("/fapi/v1/leverageBracket", _brackets(LEVEL | {"maintMarginRatio": -0.1}), "brackets"),
        ("/fapi/v1/leverageBracket", _brackets(LEVEL, LEVEL | {"notionalFloor": 20_000}), "brackets"),
        ("/fapi/v1/leverageBracket", {"symbol": "BTCUSDT", "notionalCoef": 1.5, "brackets": []}, "brackets"),
    ],
    ids=repr,
)
async def test_an_answer_that_does_not_clearly_say_is_a_gap(
    sim: SimulatedExchange, cache: Path, path: str, body: object, figure: str
) -> None:
    found = await context(sim, cache, PERPETUAL, bodies={path: body})
    assert figures(found)[figure] in {None, ()}
    assert {gap.source for gap in found.coverage.gaps} & {ON_CONTRACTS[path][0]}


async def test_in_one_way_mode_two_positions_are_none_that_is_known(
    sim: SimulatedExchange, cache: Path
) -> None:
    legs = [LEG, {**LEG, "positionAmt": "0.1"}]
    found = await context(sim, cache, PERPETUAL, bodies={"/fapi/v2/positionRisk": legs})
    assert found.standing.held is None
    assert "position" in {gap.source for gap in found.coverage.gaps}


async def test_brackets_come_as_one_object_or_in_a_list(sim: SimulatedExchange, cache: Path) -> None:
    one = _brackets(LEVEL)
    none: dict[str, object] = {"symbol": "ETHUSDT", "brackets": []}
    for body in (one, [none, one]):
        found = await context(sim, cache, PERPETUAL, bodies={"/fapi/v1/leverageBracket": body})
        sim.control.clear_faults()
        assert found.standing.brackets == (
            Bracket(floor=D(0), cap=D(10000), rate=D("0.0065"), deduction=D(0), max_leverage=75),
        )
        assert found.terms.max_leverage == 75


# The example of https://developers.binance.com/docs/binance-spot-api-docs/rest-api/account-endpoints (its rates).
COMMISSION: Final[dict[str, Any]] = {
    "symbol": "BTCUSDT",
    "standardCommission": {
        "maker": "0.00000010",
        "taker": "0.00000020",
        "buyer": "0.00000030",
        "seller": "0.00000040",
    },
    "specialCommission": {
        "maker": "0.01000000",
        "taker": "0.02000000",
        "buyer": "0.03000000",
        "seller": "0.04000000",
    },
    "taxCommission": {
        "maker": "0.00000112",
        "taker": "0.00000114",
        "buyer": "0.00000118",
        "seller": "0.00000116",
    },
    "discount": {
        "enabledForAccount": True,
        "enabledForSymbol": True,
        "discountAsset": "BNB",
        "discount": "0.75000000",
    },
}


async def test_a_spot_fee_is_the_sum_of_all_commissions_of_the_dearer_side(
    sim: SimulatedExchange, cache: Path
) -> None:
    found = await context(sim, cache, SPOT, bodies={"/api/v3/account/commission": COMMISSION})
    # Maker 0.01000122, taker 0.02000134; a seller pays 0.04000156 besides, a buyer 0.03000148.
    assert found.standing.fees == Fees(
        maker=D("0.05000278"),
        taker=D("0.06000290"),
        source="the account's own rate, before the discount in BNB",
    )


async def test_a_take_profit_is_no_stop(sim: SimulatedExchange, cache: Path) -> None:
    algo = {
        "algoId": 5,
        "clientAlgoId": "x",
        "algoType": "CONDITIONAL",
        "symbol": "BTCUSDT",
        "side": "SELL",
        "positionSide": "BOTH",
        "quantity": "0.1",
        "algoStatus": "NEW",
        "triggerPrice": "120000",
        "price": "0",
        "reduceOnly": True,
        "closePosition": False,
        "createTime": 1767268800000,
    }
    orders = [
        {**algo, "orderType": "TAKE_PROFIT_MARKET"},
        {**algo, "orderType": "STOP_MARKET", "algoId": 6, "triggerPrice": "80000"},
        {**algo, "orderType": "STOP", "algoId": 7, "triggerPrice": "80000", "price": "79000"},
    ]
    found = await context(sim, cache, PERPETUAL, bodies={"/fapi/v1/openAlgoOrders": orders})
    assert found.standing.resting is not None
    conditional = [order for order in found.standing.resting if order.is_conditional]
    assert [order.type for order in conditional] == [None, OrderType.STOP_MARKET, OrderType.STOP_LIMIT]
    assert conditional[1] == Resting(
        order_id="6",
        client_order_id="x",
        side="sell",
        type=OrderType.STOP_MARKET,
        amount=D("0.1"),
        price=None,
        trigger_price=D(80000),
        is_reduce_only=True,
        closes_position=False,
        is_conditional=True,
    )


async def test_without_a_key_the_market_is_known_and_the_account_is_a_gap(
    sim: SimulatedExchange, cache: Path
) -> None:
    found = await context(sim, cache, SPOT, label=None)
    assert (found.standing.free_base, found.standing.resting, found.standing.equity) == (None, None, None)
    assert found.standing.fees is not None
    assert found.standing.fees.source.startswith("the rate that ccxt lists")
    assert [(gap.source, gap.code) for gap in found.coverage.gaps] == [("account", ErrorCode.NOT_COVERED)]


async def test_everything_in_a_spot_account_is_valued_where_everything_has_a_price(
    sim: SimulatedExchange, cache: Path
) -> None:
    balances = [
        {"asset": "USDT", "free": "100.5", "locked": "10"},
        {"asset": "BTC", "free": "0.5", "locked": "0.25"},
        {"asset": "ETH", "free": "2", "locked": "0"},
        {"asset": "BNB", "free": "0", "locked": "0"},
    ]
    prices = [{"symbol": name, "price": price} for name, price in (("BTCUSDT", "100000"), ("ETHBTC", "0.03"))]
    async with opened(simulated(sim), cache=cache) as venues:
        account = {"balances": balances}
        sim.control.add_fault({"kind": "body", "path": "/api/v3/account", "body": json.dumps(account)})
        sim.control.add_fault({"kind": "body", "path": PRICES, "body": json.dumps(prices)})
        found = await order_context(handed(venues), None, SPOT)
    # 110.5, 0.75 at 100000, and 2 at 0.03 of that, which is over BTC, since ETH/USDT tells no price here.
    assert found.standing.equity == D("110.5") + D(75000) + D(6000)
    assert {gap.source for gap in found.coverage.gaps} == {"last price"}


def test_a_listed_rate_that_is_no_number_is_none() -> None:
    assert listed_fees({"maker": None, "taker": "0.1"}) is None
    assert listed_fees({"maker": True, "taker": "0.1"}) is None
    assert listed_fees({"maker": "x", "taker": "0.1"}) is None
    fees = listed_fees({"maker": -0.0001, "taker": 0.00055})
    assert fees is not None
    assert replace(fees, source="") == Fees(maker=D("-0.0001"), taker=D("0.00055"), source="")


def _row(asset: str, free: str | None) -> Balance:
    return Balance(
        account="main",
        source="spot",
        asset=asset,
        free=None if free is None else D(free),
        used=D(0),
        total=None,
    )


def test_an_asset_that_a_wallet_tells_twice_or_without_an_amount_is_listed_and_not_counted() -> None:
    rows = [_row("BTC", "1"), _row("BTC", "77"), _row("ETH", None), _row("SOL", "2")]
    wallet = spot_wallet(rows, is_whole=True, lists=1)
    assert wallet.free == {"SOL": D(2)}
    assert wallet.locked == {"ETH": D(0), "SOL": D(0)}
    assert wallet.listed == {"BTC", "ETH", "SOL"}
