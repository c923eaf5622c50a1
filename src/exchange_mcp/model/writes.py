"""What a write asks of a venue, in the trade's terms and on the venue's grid: place, cancel, set leverage.

Amounts are in the venue's own unit (base, or contracts). A value that exists here is sent as it is, or not at
all: nothing downstream may round it.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Final, Literal

# An id goes into a query or a path. Venues' own ids are within this; whatever is not is refused.
_ID: Final = re.compile(r"^[A-Za-z0-9_.:-]{1,80}$")


class OrderType(StrEnum):
    """The order types that can be sent."""

    MARKET = "market"
    LIMIT = "limit"
    STOP_MARKET = "stop_market"
    STOP_LIMIT = "stop_limit"

    @property
    def has_price(self) -> bool:
        """Whether it has a limit price."""
        return self in {OrderType.LIMIT, OrderType.STOP_LIMIT}

    @property
    def has_trigger(self) -> bool:
        """Whether it waits for a trigger price."""
        return self in {OrderType.STOP_MARKET, OrderType.STOP_LIMIT}


TimeInForce = Literal["GTC", "IOC", "FOK"]


def checked_id(value: str) -> str:
    """The order id, if it can be part of a request.

    Raises:
        ValueError: it is empty, too long, or has a character that could end up as a path or another parameter.
    """
    if not _ID.fullmatch(value) or ".." in value:
        raise ValueError("an order id has 1 to 80 letters, digits, and _ . : - without two dots in a row")
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceOrder:
    """One new order.

    Attributes:
        symbol: unified.
        amount: in the venue's own unit, greater than zero; None where the order says its cost.
        cost: what a market buy spends, in quote, greater than zero; instead of an amount.
        price, trigger_price: in quote; present exactly where the type has them.
        client_order_id: ours, by which the order can be found again.
        time_in_force: of an order with a price; None is good till cancelled.

    Raises:
        ValueError: the parts contradict one another.
    """

    symbol: str
    side: Literal["buy", "sell"]
    type: OrderType
    amount: Decimal | None = None
    cost: Decimal | None = None
    client_order_id: str
    price: Decimal | None = None
    trigger_price: Decimal | None = None
    time_in_force: TimeInForce | None = None
    is_post_only: bool = False
    is_reduce_only: bool = False

    def __post_init__(self) -> None:
        checked_id(self.client_order_id)
        if self.side not in {"buy", "sell"}:
            raise ValueError("the side of an order is buy or sell")
        numbers = [n for n in (self.amount, self.cost, self.price, self.trigger_price) if n is not None]
        if not all(n.is_finite() and n > 0 for n in numbers):
            raise ValueError("amount, cost, price and trigger price are greater than zero")
        if (self.amount is None) is (self.cost is None):
            raise ValueError("an order has an amount or a cost")
        if self.cost is not None and (self.type is not OrderType.MARKET or self.side != "buy"):
            raise ValueError("only a market buy says its cost")
        if (self.price is not None) != self.type.has_price:
            raise ValueError(f"a {self.type} order has {'a' if self.type.has_price else 'no'} price")
        if (self.trigger_price is not None) != self.type.has_trigger:
            raise ValueError(
                f"a {self.type} order has {'a' if self.type.has_trigger else 'no'} trigger price"
            )
        if self.time_in_force is not None and not self.type.has_price:
            raise ValueError("only an order with a price has a time in force")
        if self.is_post_only and (
            self.type is not OrderType.LIMIT or self.time_in_force not in {None, "GTC"}
        ):
            raise ValueError("only a limit order that rests can be post-only")


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelOrder:
    """The end of one order, by the venue's id or by ours; `is_conditional` where the venue keeps stops apart.

    Raises:
        ValueError: it names none or both ids, or one that cannot be part of a request.
    """

    symbol: str
    order_id: str | None = None
    client_order_id: str | None = None
    is_conditional: bool = False

    def __post_init__(self) -> None:
        ids = [value for value in (self.order_id, self.client_order_id) if value is not None]
        if len(ids) != 1:
            raise ValueError("a cancel names the order by exactly one id")
        checked_id(ids[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class SetLeverage:
    """The leverage of one market, a whole number from 1.

    Raises:
        ValueError: it is below 1.
    """

    symbol: str
    leverage: int

    def __post_init__(self) -> None:
        if self.leverage < 1:
            raise ValueError("leverage is a whole number from 1")


WriteRequest = PlaceOrder | CancelOrder | SetLeverage
