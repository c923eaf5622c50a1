"""Whether a USD-M order keeps to its contract's filters. Pure.

Source: https://developers.binance.com/docs/derivatives/usds-margined-futures/common-definition (filters)
"""

from decimal import Decimal

from exchange_mcp.sim.catalogue import Instrument
from exchange_mcp.sim.limits import USDM_DOWN, USDM_MAX_ALGO_ORDERS, USDM_MAX_ORDERS, USDM_UP
from exchange_mcp.sim.orders import AlgoOrder, FuturesOrder, Orders, Side
from exchange_mcp.sim.rejections import (
    bad_price,
    too_many_conditional_orders,
    too_many_orders,
    too_small,
    usdm_precision,
)


def check_order(order: FuturesOrder, orders: Orders, mark: Decimal) -> None:
    """Raise the VenueError of the first filter that an order fails: -1111, -2025, -4001 to -4024, -4164."""
    instrument = order.instrument
    most = instrument.max_market_quantity if order.kind == "MARKET" else instrument.max_quantity
    _check_quantity(instrument, order.quantity, most)
    if order.kind != "MARKET":
        _check_price(instrument, order.price)
        _check_distance(order, mark)
    notional = order.quantity * (order.price or mark)
    if notional < instrument.min_notional and not order.reduces:
        raise too_small(instrument.min_notional)
    if len(orders.futures.open(instrument.name)) >= USDM_MAX_ORDERS:
        raise too_many_orders()


def check_algo(order: AlgoOrder, orders: Orders) -> None:
    """Raise the VenueError of the first filter that a conditional order fails: -1111, -4001 to -4023, -4045."""
    instrument = order.instrument
    is_market = order.kind.endswith("_MARKET")
    if not order.is_close_position:
        most = instrument.max_market_quantity if is_market else instrument.max_quantity
        _check_quantity(instrument, order.quantity, most)
    if not is_market:
        _check_price(instrument, order.price)
    _check_trigger(instrument, order.trigger_price)
    if len(orders.algo.open(instrument.name)) >= USDM_MAX_ALGO_ORDERS:
        raise too_many_conditional_orders()


def _check_quantity(instrument: Instrument, quantity: Decimal, most: Decimal) -> None:
    if quantity != round(quantity, instrument.quantity_places):
        raise usdm_precision()
    if quantity <= 0:
        raise bad_price(-4003, "Quantity less than or equal to zero.")
    if quantity < instrument.step:
        raise bad_price(-4004, "Quantity less than min quantity.")
    if quantity > most:
        raise bad_price(-4005, "Quantity greater than max quantity.")
    if quantity % instrument.step:
        raise bad_price(-4023, "Quantity not increased by step size.")


def _check_price(instrument: Instrument, price: Decimal) -> None:
    if price != round(price, instrument.price_places):
        raise usdm_precision()
    if price <= 0:
        raise bad_price(-4001, "Price less than or equal to zero.")
    if price > instrument.max_price:
        raise bad_price(-4002, "Price greater than max price.")
    if price < instrument.tick:
        raise bad_price(-4013, "Price less than min price.")
    if price % instrument.tick:
        raise bad_price(-4014, "Price not increased by tick size.")


def _check_trigger(instrument: Instrument, price: Decimal) -> None:
    if price != round(price, instrument.price_places):
        raise usdm_precision()
    if price <= 0:
        raise bad_price(-4006, "Stop price less than or equal to zero.")
    if price > instrument.max_price:
        raise bad_price(-4007, "Stop price greater than max price.")
    if price % instrument.tick:
        raise bad_price(-4014, "Price not increased by tick size.")


def _check_distance(order: FuturesOrder, mark: Decimal) -> None:
    highest, lowest = mark * USDM_UP, mark * USDM_DOWN
    if order.side is Side.BUY and order.price > highest:
        raise bad_price(-4016, f"Limit price can't be higher than {_written(order.instrument, highest)}.")
    if order.side is Side.SELL and order.price < lowest:
        raise bad_price(-4024, f"Limit price can't be lower than {_written(order.instrument, lowest)}.")


def _written(instrument: Instrument, price: Decimal) -> str:
    return f"{round(price, instrument.price_places):f}"
