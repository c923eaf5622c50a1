"""Whether a spot order keeps to its pair's filters. Pure.

Source: https://github.com/binance/binance-spot-api-docs/blob/master/filters.md
"""

from decimal import Decimal

from exchange_mcp.sim import rejections
from exchange_mcp.sim.catalogue import Instrument
from exchange_mcp.sim.limits import (
    SPOT_AVERAGE_MINUTES,
    SPOT_DOWN,
    SPOT_MAX_ALGO_ORDERS,
    SPOT_MAX_NOTIONAL,
    SPOT_MAX_ORDERS,
    SPOT_UP,
)
from exchange_mcp.sim.listings import Listing
from exchange_mcp.sim.orders import Orders, SpotOrder

STOPS = frozenset({"STOP_LOSS", "STOP_LOSS_LIMIT", "TAKE_PROFIT", "TAKE_PROFIT_LIMIT"})
"""The order types that wait for a price: "algo" orders, by the vendor's page."""

MARKETS = frozenset({"MARKET", "STOP_LOSS", "TAKE_PROFIT"})
"""The order types that have no price of their own."""

_PLACES = 8


def check(order: SpotOrder, listing: Listing, orders: Orders, now_ms: int) -> None:
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
    if order.kind not in MARKETS:
        _check_price(order.instrument, order.price)
    if order.kind in STOPS:
        _check_price(order.instrument, order.stop_price)
    average = listing.average(now_ms, SPOT_AVERAGE_MINUTES)
    _check_distance(order, average)
    if not order.quote_quantity:
        _check_quantity(order)
    _check_notional(order, average)
    _check_number(order, orders)


def _check_price(instrument: Instrument, price: Decimal) -> None:
    if not (instrument.tick <= price <= instrument.max_price and price % instrument.tick == 0):
        raise rejections.filter_failure("PRICE_FILTER")


def _check_distance(order: SpotOrder, average: Decimal) -> None:
    if order.price and not average * SPOT_DOWN <= order.price <= average * SPOT_UP:
        raise rejections.filter_failure("PERCENT_PRICE_BY_SIDE")


def _check_quantity(order: SpotOrder) -> None:
    instrument, quantity = order.instrument, order.quantity
    if not (instrument.step <= quantity <= instrument.max_quantity and quantity % instrument.step == 0):
        raise rejections.filter_failure("LOT_SIZE")
    if order.kind in MARKETS and quantity > instrument.max_market_quantity:
        raise rejections.filter_failure("MARKET_LOT_SIZE")


def _check_notional(order: SpotOrder, average: Decimal) -> None:
    notional = order.quote_quantity or order.quantity * (order.price or average)
    is_above = notional > SPOT_MAX_NOTIONAL and order.kind not in MARKETS
    if is_above or notional < order.instrument.min_notional:
        raise rejections.filter_failure("NOTIONAL")


def _check_number(order: SpotOrder, orders: Orders) -> None:
    open_orders = orders.spot.open(order.instrument.name)
    if len(open_orders) >= SPOT_MAX_ORDERS:
        raise rejections.filter_failure("MAX_NUM_ORDERS")
    if order.kind in STOPS and sum(other.kind in STOPS for other in open_orders) >= SPOT_MAX_ALGO_ORDERS:
        raise rejections.filter_failure("MAX_NUM_ALGO_ORDERS")
