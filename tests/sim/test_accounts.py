from decimal import Decimal
from itertools import count

import pytest

from exchange_mcp.sim.accounts import Account, MarginBook, Position
from exchange_mcp.sim.brackets import BRACKETS
from exchange_mcp.sim.catalogue import USDM, Instrument
from exchange_mcp.sim.digits import fixed, fixed_or_zero, scaled, trimmed
from exchange_mcp.sim.orders import FuturesOrder, Orders, PositionSide, Side
from exchange_mcp.sim.prices import BOUND, PICO, anchor
from exchange_mcp.sim.seeding import Opening, accounts, names

from .clients import NOON_MS

CONTRACTS = {instrument.name: instrument for instrument in USDM}
BITCOIN, ETHER = CONTRACTS["BTCUSDT"], CONTRACTS["ETHUSDT"]
NUMBERS = count(1)
MARKS = {"BTCUSDT": Decimal(60_000), "ETHUSDT": Decimal(2_000)}


def order(
    side: Side,
    price: int,
    quantity: str,
    *,
    leg: PositionSide = PositionSide.BOTH,
    is_reduce_only: bool = False,
) -> FuturesOrder:
    return FuturesOrder(
        instrument=BITCOIN,
        order_id=next(NUMBERS),
        client_order_id="a",
        side=side,
        position_side=leg,
        price=Decimal(price),
        quantity=Decimal(quantity),
        is_reduce_only=is_reduce_only,
        created_ms=0,
        updated_ms=0,
    )


def position(
    instrument: Instrument, amount: str, entry: int, leg: PositionSide = PositionSide.BOTH
) -> Position:
    return Position(instrument, leg, Decimal(amount), Decimal(entry), 0)


def book(*positions: Position, orders: tuple[FuturesOrder, ...] = (), is_hedged: bool = False) -> MarginBook:
    account = Account(
        name="main",
        uid=1,
        opened_ms=0,
        spot={},
        wallet={"USDT": Decimal(10_000)},
        leverage={"BTCUSDT": 10, "ETHUSDT": 5},
        positions=positions,
        is_hedged=is_hedged,
        orders=Orders(futures=orders),
    )
    return MarginBook(account, lambda instrument: MARKS[instrument.name], BRACKETS)


def test_a_position_needs_its_notional_divided_by_the_leverage() -> None:
    # 0.5 BTC * 60,000 / 10 + 3 ETH * 2,000 / 5
    assert book(position(BITCOIN, "0.5", 59_000), position(ETHER, "-3", 2_100)).position_margin == 4_200


def test_profit_is_the_distance_from_entry_to_mark_times_the_amount() -> None:
    # By hand: 0.5 * (60,000 - 59,000) + -3 * (2,000 - 2,100)
    assert book(position(BITCOIN, "0.5", 59_000), position(ETHER, "-3", 2_100)).profit == 800


def test_maintenance_adds_up_over_contracts() -> None:
    # 30,000 * 0.4 % + 6,000 * 0.4 %
    assert book(position(BITCOIN, "0.5", 59_000), position(ETHER, "-3", 2_100)).maintenance == 144


def test_what_is_available_is_wallet_and_profit_less_initial_margin() -> None:
    # 10,000 + 500 - 3,000
    assert book(position(BITCOIN, "0.5", 59_000)).available == 7_500


def test_unrealised_profit_cannot_be_taken_out() -> None:
    # By hand: 10,000 + min(0, 500) - 3,000
    assert book(position(BITCOIN, "0.5", 59_000)).transferable == 7_000


def test_a_loss_can_not_make_what_is_available_negative() -> None:
    assert book(position(BITCOIN, "0.5", 99_000)).available == 0


def test_orders_that_add_need_margin_for_their_own_notional() -> None:
    # 0.1 * 50,000 / 10, on top of a long
    margins = book(position(BITCOIN, "0.5", 59_000), orders=(order(Side.BUY, 50_000, "0.1"),))
    assert margins.order_margin == 500


def test_orders_that_only_reduce_in_one_way_mode_need_none() -> None:
    margins = book(position(BITCOIN, "0.5", 59_000), orders=(order(Side.SELL, 70_000, "0.4"),))
    assert margins.order_margin == 0


def test_orders_that_would_flip_a_position_need_margin_for_what_is_left_over() -> None:
    # |30,000 - 0.9 * 70,000| = 33,000 is 3,000 more than the position, divided by 10
    margins = book(position(BITCOIN, "0.5", 59_000), orders=(order(Side.SELL, 70_000, "0.9"),))
    assert margins.order_margin == 300


def test_an_order_marked_reduce_only_needs_no_margin_however_large_it_is() -> None:
    resting = (order(Side.SELL, 70_000, "0.9", is_reduce_only=True),)
    assert book(position(BITCOIN, "0.5", 59_000), orders=resting).order_margin == 0


def test_in_hedge_mode_an_order_needs_margin_on_the_leg_that_it_opens() -> None:
    legs = (
        position(BITCOIN, "0.5", 59_000, PositionSide.LONG),
        position(BITCOIN, "-0.2", 61_000, PositionSide.SHORT),
    )
    resting = (
        order(Side.BUY, 50_000, "0.1", leg=PositionSide.LONG),
        order(Side.SELL, 70_000, "0.1", leg=PositionSide.LONG),
        order(Side.SELL, 70_000, "0.3", leg=PositionSide.SHORT),
    )
    # 0.1 * 50,000 / 10 opens long, 0.3 * 70,000 / 10 opens short, the sale of the long opens nothing
    assert book(*legs, orders=resting, is_hedged=True).order_margin == 2_600


def test_at_the_liquidation_price_equity_is_exactly_what_must_be_maintained() -> None:
    margins = book(position(BITCOIN, "0.5", 59_000), position(ETHER, "-3", 2_100))
    price = margins.liquidation(BITCOIN)
    assert price is not None
    equity = Decimal(10_000) + Decimal("0.5") * (price - 59_000) + 300
    required = Decimal("0.5") * price * Decimal("0.004") + 24
    assert equity.quantize(Decimal("0.0001")) == required.quantize(Decimal("0.0001"))


def test_a_contract_without_a_position_has_no_liquidation_price() -> None:
    assert book(orders=(order(Side.BUY, 50_000, "0.1"),)).liquidation(BITCOIN) is None


@pytest.mark.parametrize("seed", range(20))
def test_whatever_rests_at_the_opening_is_out_of_reach_of_every_price(seed: int) -> None:
    opening = accounts(Opening(seed, NOON_MS), 2).values()
    resting = [
        *((order.instrument, order.price) for account in opening for order in account.orders.spot.open()),
        *((order.instrument, order.price) for account in opening for order in account.orders.futures.open()),
        *(
            (order.instrument, order.trigger_price)
            for account in opening
            for order in account.orders.algo.open()
        ),
    ]
    assert len(resting) == 6
    for instrument, price in resting:
        middle = Decimal(anchor(seed, instrument.base, instrument.nominal)) / PICO
        assert abs(price - middle) > middle * BOUND


@pytest.mark.parametrize("seed", range(20))
def test_no_opening_balance_is_overdrawn_by_its_orders(seed: int) -> None:
    for account in accounts(Opening(seed, NOON_MS), 3).values():
        for asset, total in account.spot.items():
            assert account.orders.locked(asset) <= total


def test_accounts_are_named_main_alt_and_by_number() -> None:
    assert names(4) == ("main", "alt", "acct3", "acct4")


def test_a_venue_without_accounts_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one account"):
        names(0)


def test_numbers_are_cut_as_in_the_vendors_example() -> None:
    # Position-Information-V2: 0.001 BTC, entry 22185.2, mark 21123.05052574
    mark = Decimal("21123.05052574")
    assert fixed(Decimal("0.001") * mark) == "21.12305052"
    assert fixed(Decimal("0.001") * (mark - Decimal("22185.2"))) == "-1.06214947"


def test_no_number_is_written_with_an_exponent_or_a_negative_zero() -> None:
    assert fixed(Decimal("1E-9")) == fixed(Decimal("-1E-9")) == "0.00000000"
    assert fixed(Decimal("1E+3"), 2) == "1000.00"
    assert trimmed(Decimal("1E+3")) == "1000.0"
    assert trimmed(Decimal("22185.20")) == "22185.2"
    assert fixed_or_zero(Decimal(0)) == "0"
    assert scaled(5, 8) == "0.00000005"
    assert scaled(12345, 2) == "123.45"
    assert scaled(7, 0) == "7"
