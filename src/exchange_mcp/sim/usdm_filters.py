"""What a USD-M contract's filters are, and whether an order keeps to them. Pure.

Steps and ticks are counted from the minimum: (quantity - minQty) % stepSize, (price - minPrice) % tickSize.
Source: https://developers.binance.com/docs/derivatives/usds-margined-futures/common-definition (filters)
"""

from dataclasses import dataclass
from decimal import Decimal
from functools import cache

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


@dataclass(frozen=True, slots=True, kw_only=True)
class UsdmFilters:
    """The filters of one contract, named as the vendor names their fields, and the places that numbers are cut to."""

    min_price: Decimal
    max_price: Decimal
    tick_size: Decimal
    price_places: int
    min_qty: Decimal
    max_qty: Decimal
    step_size: Decimal
    market_min_qty: Decimal
    market_max_qty: Decimal
    market_step_size: Decimal
    quantity_places: int
    multiplier_up: Decimal
    multiplier_down: Decimal
    notional: Decimal
    max_num_orders: int
    max_num_algo_orders: int


@cache
def filters_of(instrument: Instrument) -> UsdmFilters:
    """Return a listed contract's filters."""
    return UsdmFilters(
        min_price=instrument.tick,
        max_price=instrument.max_price,
        tick_size=instrument.tick,
        price_places=instrument.price_places,
        min_qty=instrument.step,
        max_qty=instrument.max_quantity,
        step_size=instrument.step,
        market_min_qty=instrument.step,
        market_max_qty=instrument.max_market_quantity,
        market_step_size=instrument.step,
        quantity_places=instrument.quantity_places,
        multiplier_up=USDM_UP,
        multiplier_down=USDM_DOWN,
        notional=instrument.min_notional,
        max_num_orders=USDM_MAX_ORDERS,
        max_num_algo_orders=USDM_MAX_ALGO_ORDERS,
    )


def check_order(order: FuturesOrder, orders: Orders, mark: Decimal) -> None:
    """Raise the VenueError of the first filter that an order fails: -1111, -2025, -4001 to -4024, -4164."""
    instrument = order.instrument
    check_filters(order, filters_of(instrument), mark, len(orders.futures.open(instrument.name)))


def check_algo(order: AlgoOrder, orders: Orders) -> None:
    """Raise the VenueError of the first filter that a conditional order fails: -1111, -4001 to -4023, -4045."""
    instrument = order.instrument
    check_algo_filters(order, filters_of(instrument), len(orders.algo.open(instrument.name)))


def check_filters(order: FuturesOrder, filters: UsdmFilters, mark: Decimal, open_orders: int) -> None:
    """Raise the VenueError of the first of these filters that an order fails, at a mark price."""
    _check_quantity(filters, order.quantity, is_market=order.kind == "MARKET")
    if order.kind != "MARKET":
        _check_price(filters, order.price)
        _check_distance(order, filters, mark)
    notional = order.quantity * (order.price or mark)
    if notional < filters.notional and not order.reduces:
        raise too_small(filters.notional)
    if open_orders >= filters.max_num_orders:
        raise too_many_orders()


def check_algo_filters(order: AlgoOrder, filters: UsdmFilters, open_orders: int) -> None:
    """Raise the VenueError of the first of these filters that a conditional order fails."""
    is_market = order.kind.endswith("_MARKET")
    if not order.is_close_position:
        _check_quantity(filters, order.quantity, is_market=is_market)
    if not is_market:
        _check_price(filters, order.price)
    _check_trigger(filters, order.trigger_price)
    if open_orders >= filters.max_num_algo_orders:
        raise too_many_conditional_orders()


def _check_quantity(filters: UsdmFilters, quantity: Decimal, *, is_market: bool) -> None:
    least, most, step = filters.min_qty, filters.max_qty, filters.step_size
    if is_market:
        least, most, step = filters.market_min_qty, filters.market_max_qty, filters.market_step_size
    if quantity != round(quantity, filters.quantity_places):
        raise usdm_precision()
    if quantity <= 0:
        raise bad_price(-4003, "Quantity less than or equal to zero.")
    if quantity < least:
        raise bad_price(-4004, "Quantity less than min quantity.")
    if quantity > most:
        raise bad_price(-4005, "Quantity greater than max quantity.")
    if (quantity - least) % step:
        raise bad_price(-4023, "Quantity not increased by step size.")


def _check_price(filters: UsdmFilters, price: Decimal) -> None:
    if price != round(price, filters.price_places):
        raise usdm_precision()
    if price <= 0:
        raise bad_price(-4001, "Price less than or equal to zero.")
    if filters.max_price and price > filters.max_price:
        raise bad_price(-4002, "Price greater than max price.")
    if price < filters.min_price:
        raise bad_price(-4013, "Price less than min price.")
    if _is_off_tick(filters, price):
        raise bad_price(-4014, "Price not increased by tick size.")


def _check_trigger(filters: UsdmFilters, price: Decimal) -> None:
    if price != round(price, filters.price_places):
        raise usdm_precision()
    if price <= 0:
        raise bad_price(-4006, "Stop price less than or equal to zero.")
    if filters.max_price and price > filters.max_price:
        raise bad_price(-4007, "Stop price greater than max price.")
    if price < filters.min_price:
        raise bad_price(-4013, "Price less than min price.")
    if _is_off_tick(filters, price):
        raise bad_price(-4014, "Price not increased by tick size.")


def _is_off_tick(filters: UsdmFilters, price: Decimal) -> bool:
    return bool(filters.tick_size) and bool((price - filters.min_price) % filters.tick_size)


def _check_distance(order: FuturesOrder, filters: UsdmFilters, mark: Decimal) -> None:
    highest, lowest = mark * filters.multiplier_up, mark * filters.multiplier_down
    if order.side is Side.BUY and order.price > highest:
        raise bad_price(-4016, f"Limit price can't be higher than {_written(filters, highest)}.")
    if order.side is Side.SELL and order.price < lowest:
        raise bad_price(-4024, f"Limit price can't be lower than {_written(filters, lowest)}.")


def _written(filters: UsdmFilters, price: Decimal) -> str:
    return f"{round(price, filters.price_places):f}"
