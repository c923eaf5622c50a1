"""Whatever is traded, in whatever order: nothing appears and nothing is lost but the commissions."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from exchange_mcp.sim.accounts import Account
from exchange_mcp.sim.digits import ZERO
from exchange_mcp.sim.orders import Side

from .direct import Direct

SEED = 4
"""In the hour after noon this seed's bitcoin goes both up and down."""

SPOT, USDM, ALGO = "/api/v3/order", "/fapi/v1/order", "/fapi/v1/algoOrder"
TICKS = {SPOT: Decimal("0.01"), USDM: Decimal("0.1"), ALGO: Decimal("0.1")}


@dataclass(frozen=True)
class Step:
    """Something to do: send an order, or wait, or cancel everything.

    Attributes:
        priced: the parameter that is `away` so many ticks from the last price, if there is one.
    """

    path: str = ""
    side: Side = Side.BUY
    terms: Mapping[str, str] | None = None
    priced: str = ""
    away: int = 0
    wait_ms: int = 0

    def take(self, venue: Direct) -> None:
        venue.clock.now += self.wait_ms
        if self.path:
            sent = dict(self.terms or {})
            if self.priced:
                last = venue.spot_last() if self.path == SPOT else venue.usdm_last()
                sent[self.priced] = str(last + self.away * TICKS[self.path])
            status, answer = venue.send("POST", self.path, symbol="BTCUSDT", side=self.side, **sent)
            # Whatever is refused is refused for a reason; nothing breaks.
            assert status == 200 or answer["code"] != -1000
        elif not self.wait_ms:
            for order in venue.account.orders.spot.open("BTCUSDT"):
                venue.send("DELETE", SPOT, symbol="BTCUSDT", orderId=order.order_id)


def quantities(most: str, places: int) -> st.SearchStrategy[str]:
    return st.decimals(Decimal(1).scaleb(-places), most, places=places).map(str)


def orders(path: str, priced: str, away: int, **terms: st.SearchStrategy[str]) -> st.SearchStrategy[Step]:
    return st.builds(
        Step,
        path=st.just(path),
        side=st.sampled_from(list(Side)),
        terms=st.fixed_dictionaries(terms),
        priced=st.just(priced),
        away=st.integers(-away, away),
    )


def words(*values: str) -> st.SearchStrategy[str]:
    return st.sampled_from(values)


steps = st.lists(
    st.one_of(
        orders(SPOT, "", 0, type=words("MARKET"), quantity=quantities("0.2", 5)),
        orders(SPOT, "", 0, type=words("MARKET"), quoteOrderQty=st.integers(5, 9_000).map(str)),
        orders(
            SPOT,
            "price",
            1_500,
            type=words("LIMIT"),
            timeInForce=words("GTC", "GTC", "IOC", "FOK"),
            quantity=quantities("0.2", 5),
        ),
        orders(
            SPOT, "stopPrice", 1_500, type=words("STOP_LOSS", "TAKE_PROFIT"), quantity=quantities("0.05", 5)
        ),
        orders(USDM, "", 0, type=words("MARKET"), quantity=quantities("0.5", 3)),
        orders(
            USDM,
            "price",
            150,
            type=words("LIMIT"),
            timeInForce=words("GTC", "GTC", "IOC", "FOK", "GTX"),
            quantity=quantities("0.5", 3),
            reduceOnly=words("true", "false"),
        ),
        orders(
            ALGO,
            "triggerPrice",
            150,
            algoType=words("CONDITIONAL"),
            type=words("STOP_MARKET", "TAKE_PROFIT_MARKET"),
            quantity=quantities("0.5", 3),
            reduceOnly=words("true", "false"),
        ),
        st.builds(Step, wait_ms=st.integers(30_000, 1_800_000)),
        st.just(Step()),
    ),
    min_size=3,
    max_size=14,
)


def spot_moved(account: Account, asset: str) -> Decimal:
    moved = ZERO
    for trade in account.spot_trades:
        base, quote = trade.instrument.base, trade.instrument.quote
        moved += trade.quantity * trade.side.direction if asset == base else ZERO
        moved -= trade.quote * trade.side.direction if asset == quote else ZERO
        moved -= trade.commission if asset == trade.commission_asset else ZERO
    return moved


@given(steps=steps)
@settings(max_examples=40, deadline=None)
def test_a_spot_wallet_holds_what_the_trades_say_less_commissions_and_locks_what_orders_may_cost(
    steps: list[Step],
) -> None:
    venue = Direct(seed=SEED)
    account = venue.account
    opening = dict(account.spot)
    for step in steps:
        step.take(venue)
        for row in venue.ok("GET", "/api/v3/account")["balances"]:
            asset, free, locked = row["asset"], Decimal(row["free"]), Decimal(row["locked"])
            assert free >= 0
            assert locked == account.orders.locked(asset)
            assert free + locked == opening.get(asset, ZERO) + spot_moved(account, asset)


@given(steps=steps)
@settings(max_examples=40, deadline=None)
def test_a_usdm_wallet_holds_the_profits_realised_less_commissions_and_positions_what_was_traded(
    steps: list[Step],
) -> None:
    venue = Direct(seed=SEED)
    account = venue.account
    bitcoin = venue.exchange.contract("BTCUSDT").instrument
    wallet, held = account.wallet["USDT"], account.position(bitcoin, account.sides[0]).amount
    for step in steps:
        step.take(venue)
        futures = venue.ok("GET", "/fapi/v3/account")
        trades = account.usdm_trades
        booked = sum((trade.realized - trade.commission for trade in trades), ZERO)
        assert Decimal(futures["totalWalletBalance"]) == wallet + booked
        traded = sum((trade.quantity * trade.side.direction for trade in trades), ZERO)
        assert account.position(bitcoin, account.sides[0]).amount == held + traded


@given(steps=steps)
@settings(max_examples=30, deadline=None)
def test_what_orders_say_was_executed_is_what_their_trades_add_up_to(steps: list[Step]) -> None:
    venue = Direct(seed=SEED)
    for step in steps:
        step.take(venue)
    account = venue.account
    for shelf, trades in (
        (account.orders.spot, account.spot_trades),
        (account.orders.futures, account.usdm_trades),
    ):
        for order in shelf.every():
            if order.source == "seed":
                continue
            own = [trade for trade in trades if trade.order_id == order.order_id]
            assert sum((trade.quantity for trade in own), ZERO) == order.executed <= order.quantity
            assert sum((trade.quote for trade in own), ZERO) == order.executed_quote
            assert (order.status == "FILLED") is (order.executed == order.quantity)


@given(steps=steps)
@settings(max_examples=30, deadline=None)
def test_profit_realised_is_cash_earned_and_the_change_of_what_the_position_cost(steps: list[Step]) -> None:
    venue = Direct(seed=SEED)
    account = venue.account
    bitcoin = venue.exchange.contract("BTCUSDT").instrument
    start = account.position(bitcoin, account.sides[0])
    for step in steps:
        step.take(venue)
    end = account.position(bitcoin, account.sides[0])
    realized = sum((trade.realized for trade in account.usdm_trades), ZERO)
    cash = sum((-trade.quantity * trade.price * trade.side.direction for trade in account.usdm_trades), ZERO)
    # Exact up to the eighth decimal, to which entry prices and profits are cut at every trade.
    assert abs(realized - (cash - start.amount * start.entry + end.amount * end.entry)) < Decimal("0.00001")
