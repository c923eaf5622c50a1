"""What a spot pair's filters are, and whether an order keeps to them. Pure.

Source: https://github.com/binance/binance-spot-api-docs/blob/master/filters.md
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

from exchange_mcp.sim import rejections
from exchange_mcp.sim.accounts import Account
from exchange_mcp.sim.catalogue import Instrument
from exchange_mcp.sim.digits import ZERO
from exchange_mcp.sim.limits import (
    SPOT_AVERAGE_MINUTES,
    SPOT_DOWN,
    SPOT_MAX_ALGO_ORDERS,
    SPOT_MAX_NOTIONAL,
    SPOT_MAX_ORDERS,
    SPOT_UP,
)
from exchange_mcp.sim.listings import Listing
from exchange_mcp.sim.orders import Side, SpotOrder

STOPS = frozenset({"STOP_LOSS", "STOP_LOSS_LIMIT", "TAKE_PROFIT", "TAKE_PROFIT_LIMIT"})
"""The order types that wait for a price: "algo" orders, by the vendor's page."""

MARKETS = frozenset({"MARKET", "STOP_LOSS", "TAKE_PROFIT"})
"""The order types that have no price of their own."""

_PLACES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class SpotFilters:
    """The filters of one pair, named as the vendor names their fields; a bound, tick or step of 0 is switched off."""

    min_price: Decimal
    max_price: Decimal
    tick_size: Decimal
    min_qty: Decimal
    max_qty: Decimal
    step_size: Decimal
    market_min_qty: Decimal
    market_max_qty: Decimal
    market_step_size: Decimal
    bid_multiplier_up: Decimal
    bid_multiplier_down: Decimal
    ask_multiplier_up: Decimal
    ask_multiplier_down: Decimal
    percent_minutes: int
    min_notional: Decimal
    apply_min_to_market: bool
    max_notional: Decimal
    apply_max_to_market: bool
    notional_minutes: int
    max_num_orders: int
    max_num_algo_orders: int
    max_position: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What an order is compared with.

    Attributes:
        percent_price, notional_price: the averages of the filters' minutes, or the last price for none.
        open_orders: of this account on this pair.
        held: all of the base asset that the account has, locked or not.
    """

    percent_price: Decimal
    notional_price: Decimal
    open_orders: Sequence[SpotOrder]
    held: Decimal


@cache
def filters_of(instrument: Instrument) -> SpotFilters:
    """Return a listed pair's filters."""
    return SpotFilters(
        min_price=instrument.tick,
        max_price=instrument.max_price,
        tick_size=instrument.tick,
        min_qty=instrument.step,
        max_qty=instrument.max_quantity,
        step_size=instrument.step,
        market_min_qty=ZERO,
        market_max_qty=instrument.max_market_quantity,
        market_step_size=ZERO,
        bid_multiplier_up=SPOT_UP,
        bid_multiplier_down=SPOT_DOWN,
        ask_multiplier_up=SPOT_UP,
        ask_multiplier_down=SPOT_DOWN,
        percent_minutes=SPOT_AVERAGE_MINUTES,
        min_notional=instrument.min_notional,
        apply_min_to_market=True,
        max_notional=SPOT_MAX_NOTIONAL,
        apply_max_to_market=False,
        notional_minutes=SPOT_AVERAGE_MINUTES,
        max_num_orders=SPOT_MAX_ORDERS,
        max_num_algo_orders=SPOT_MAX_ALGO_ORDERS,
    )


def check(order: SpotOrder, listing: Listing, account: Account, now_ms: int) -> None:
    """Raise the VenueError (-1013, -1111) of the first filter that an order fails."""
    for name, number in (
        ("quantity", order.quantity),
        ("quoteOrderQty", order.quote_quantity),
        ("price", order.price),
        ("stopPrice", order.stop_price),
    ):
        if number != round(number, _PLACES):
            raise rejections.spot_precision(name)
    if not listing.tape.is_trading:
        raise rejections.market_closed()
    filters = filters_of(order.instrument)
    around = Surroundings(
        percent_price=_average(listing, now_ms, filters.percent_minutes),
        notional_price=_average(listing, now_ms, filters.notional_minutes),
        open_orders=account.orders.spot.open(order.instrument.name),
        held=account.spot.get(order.instrument.base, ZERO),
    )
    check_filters(order, filters, around)


def check_filters(order: SpotOrder, filters: SpotFilters, around: Surroundings) -> None:
    """Raise the VenueError (-1013) of the first of these filters that an order fails."""
    prices = [] if order.kind in MARKETS else [order.price]
    for price in [*prices, *([order.stop_price] if order.kind in STOPS else [])]:
        if price <= 0 or not _is_on(price, filters.min_price, filters.max_price, filters.tick_size):
            raise rejections.filter_failure("PRICE_FILTER")
    if prices and not _is_near(order, filters, around.percent_price):
        raise rejections.filter_failure("PERCENT_PRICE_BY_SIDE")
    if not order.quote_quantity:
        _check_quantity(order, filters)
    _check_notional(order, filters, around.notional_price)
    _check_number(order, filters, around)


def _average(listing: Listing, now_ms: int, minutes: int) -> Decimal:
    if minutes:
        return listing.average(now_ms, minutes)
    return listing.tape.last(now_ms) * listing.instrument.tick


def _is_on(value: Decimal, least: Decimal, most: Decimal, step: Decimal) -> bool:
    """Whether a value keeps to a filter of three parts, each switched off by zero."""
    return value >= least and (not most or value <= most) and (not step or not value % step)


def _is_near(order: SpotOrder, filters: SpotFilters, average: Decimal) -> bool:
    if order.side is Side.BUY:
        lower, upper = filters.bid_multiplier_down, filters.bid_multiplier_up
    else:
        lower, upper = filters.ask_multiplier_down, filters.ask_multiplier_up
    return average * lower <= order.price <= average * upper


def _check_quantity(order: SpotOrder, filters: SpotFilters) -> None:
    quantity = order.quantity
    if quantity <= 0 or not _is_on(quantity, filters.min_qty, filters.max_qty, filters.step_size):
        raise rejections.filter_failure("LOT_SIZE")
    if order.kind in MARKETS and not _is_on(
        quantity, filters.market_min_qty, filters.market_max_qty, filters.market_step_size
    ):
        raise rejections.filter_failure("MARKET_LOT_SIZE")


def _check_notional(order: SpotOrder, filters: SpotFilters, average: Decimal) -> None:
    is_market = order.kind in MARKETS
    notional = order.quote_quantity or order.quantity * (order.price or average)
    is_above = notional > filters.max_notional and (filters.apply_max_to_market or not is_market)
    is_below = notional < filters.min_notional and (filters.apply_min_to_market or not is_market)
    if is_above or is_below:
        raise rejections.filter_failure("NOTIONAL")


def _check_number(order: SpotOrder, filters: SpotFilters, around: Surroundings) -> None:
    if len(around.open_orders) >= filters.max_num_orders:
        raise rejections.filter_failure("MAX_NUM_ORDERS")
    stops = sum(other.kind in STOPS for other in around.open_orders)
    if order.kind in STOPS and stops >= filters.max_num_algo_orders:
        raise rejections.filter_failure("MAX_NUM_ALGO_ORDERS")
    if filters.max_position is None or order.side is not Side.BUY:
        return
    # "free balance", "locked balance" and "sum of the qty of all open BUY orders".
    position = around.held + sum((o.rest for o in around.open_orders if o.side is Side.BUY), ZERO)
    if position + order.quantity > filters.max_position:
        raise rejections.filter_failure("MAX_POSITION")
