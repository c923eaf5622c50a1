"""What the venue itself knows of the orders that it accepted, for whoever counts them."""

from dataclasses import dataclass
from decimal import Decimal

from exchange_mcp.sim.accounts import Account
from exchange_mcp.sim.digits import ZERO, fixed
from exchange_mcp.sim.orders import Order, Placed


@dataclass(frozen=True, slots=True)
class OrderRecord:
    """One accepted order; amounts as decimal strings, in the base asset, and the price in the quote asset.

    Attributes:
        market: spot, usdm, or usdm-algo for a conditional order.
        id: the venue's number; `client_order_id` is the client's, or what the venue made up.
        source: seed (there at the opening), api (sent by a client), algo (sent by a conditional order).
    """

    account: str
    market: str
    id: int
    client_order_id: str
    symbol: str
    side: str
    type: str
    quantity: str
    executed: str
    price: str
    trigger_price: str
    status: str
    source: str


def records(account: Account) -> list[OrderRecord]:
    """Return every order that one account ever had: spot, contracts, conditional, each oldest first."""
    orders = account.orders
    return [
        *(_record(account, "spot", order, order.status, order.stop_price) for order in orders.spot.every()),
        *(_record(account, "usdm", order, order.status, ZERO) for order in orders.futures.every()),
        *(
            _record(account, "usdm-algo", order, orders.state_of(order), order.trigger_price)
            for order in orders.algo.every()
        ),
    ]


def _record(account: Account, market: str, order: Placed, status: str, trigger: Decimal) -> OrderRecord:
    return OrderRecord(
        account=account.name,
        market=market,
        id=order.order_id,
        client_order_id=order.client_order_id,
        symbol=order.instrument.name,
        side=order.side.value,
        type=order.kind,
        quantity=fixed(order.quantity, order.instrument.quantity_places),
        executed=fixed(
            order.executed if isinstance(order, Order) else ZERO, order.instrument.quantity_places
        ),
        price=fixed(order.price, order.instrument.price_places),
        trigger_price=fixed(trigger, order.instrument.price_places),
        status=str(status),
        source=order.source.value,
    )
