"""Which of an account's orders and trades a list endpoint answers: by number, by time, at most so many.

Both markets narrow alike: without a first number the latest ones are answered, with one those from it on.
A span of time, where both of its ends are told, is at most so many hours long: 24 on spot, 7 days on USD-M.
"""

from collections.abc import Sequence
from typing import TypeVar

from exchange_mcp.sim import order_params
from exchange_mcp.sim.matching import Trade
from exchange_mcp.sim.orders import Placed
from exchange_mcp.sim.wire import Params

SPOT_HOURS = 24
USDM_HOURS = 7 * 24

_Order = TypeVar("_Order", bound=Placed)
_Row = TypeVar("_Row")


def orders(params: Params, known: Sequence[_Order], hours: int, number: str = "orderId") -> list[_Order]:
    """Return the orders that were asked for, oldest first; `number` is the parameter of the first one."""
    first = params.integer(number)
    start, end = order_params.span(params, hours)
    found = [order for order in known if order.order_id >= (first or 0) and start <= order.created_ms <= end]
    return _some(params, found, first)


def trades(params: Params, known: Sequence[Trade], symbol: str, hours: int) -> list[Trade]:
    """Return the trades that were asked for, oldest first."""
    order_id, first = params.integer("orderId"), params.integer("fromId")
    start, end = order_params.span(params, hours)
    found = [
        trade
        for trade in known
        if symbol == trade.instrument.name
        and order_id in {None, trade.order_id}
        and trade.trade_id >= (first or 0)
        and start <= trade.at_ms <= end
    ]
    return _some(params, found, first)


def _some(params: Params, found: list[_Row], first: int | None) -> list[_Row]:
    wanted = order_params.limit(params)
    return found[-wanted:] if first is None else found[:wanted]
