"""Which orders an account ever had, which of them rest, and what those lock. The one place for order state."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Generic, TypeVar

from exchange_mcp.sim.catalogue import Instrument
from exchange_mcp.sim.digits import ZERO, cut


class Side(StrEnum):
    """Which way an order trades."""

    BUY = "BUY"
    SELL = "SELL"

    @property
    def direction(self) -> int:
        """1 for what adds to a position, -1 for what takes away."""
        return 1 if self is Side.BUY else -1


class PositionSide(StrEnum):
    """Which leg of a contract an order or position belongs to: BOTH in one-way mode."""

    BOTH = "BOTH"
    LONG = "LONG"
    SHORT = "SHORT"


class Status(StrEnum):
    """Where an order is in its life; the first two are open."""

    NEW = "NEW"
    PARTIALLY_FILLED = "PARTIALLY_FILLED"
    FILLED = "FILLED"
    CANCELED = "CANCELED"
    EXPIRED = "EXPIRED"


class AlgoStatus(StrEnum):
    """Where a conditional order is in its life; only the first is open."""

    NEW = "NEW"
    TRIGGERED = "TRIGGERED"
    FINISHED = "FINISHED"
    CANCELED = "CANCELED"
    REJECTED = "REJECTED"
    EXPIRED = "EXPIRED"


class Source(StrEnum):
    """Where an order came from: it was there at the opening, it was sent, or a conditional order sent it."""

    SEED = "seed"
    API = "api"
    ALGO = "algo"


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """What all orders have: quantities in the base asset, prices in the quote asset, zero where not given."""

    instrument: Instrument
    order_id: int
    client_order_id: str
    side: Side
    kind: str = "LIMIT"
    time_in_force: str = "GTC"
    price: Decimal = ZERO
    quantity: Decimal = ZERO
    prevention: str = "EXPIRE_MAKER"
    source: Source = Source.SEED
    created_ms: int
    updated_ms: int

    @property
    def is_open(self) -> bool:
        """Whether it can still trade or trigger."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class Order(Placed):
    """An order that the matching sees."""

    executed: Decimal = ZERO
    executed_quote: Decimal = ZERO
    status: Status = Status.NEW

    @property
    def is_open(self) -> bool:
        """Whether the rest can still trade."""
        return self.status in {Status.NEW, Status.PARTIALLY_FILLED}

    @property
    def rest(self) -> Decimal:
        """What was not executed."""
        return self.quantity - self.executed

    @property
    def average(self) -> Decimal:
        """The mean price of what was executed, zero where nothing was."""
        return self.executed_quote / self.executed if self.executed else ZERO


@dataclass(frozen=True, slots=True, kw_only=True)
class SpotOrder(Order):
    """An order on a spot pair.

    Attributes:
        quote_quantity: what a market order was asked to spend or earn, in the quote asset.
        stop_price: where a stop begins to work; `is_working` says whether it did.
        working_ms: since when it works, -1 before that.
    """

    quote_quantity: Decimal = ZERO
    stop_price: Decimal = ZERO
    is_working: bool = True
    working_ms: int

    @property
    def locked(self) -> tuple[str, Decimal]:
        """The asset and the amount of it that the unexecuted rest holds back."""
        rest = self.rest if self.is_open else ZERO
        if self.side is Side.SELL:
            return self.instrument.base, rest
        return self.instrument.quote, cut(rest * (self.price or self.stop_price))


@dataclass(frozen=True, slots=True, kw_only=True)
class FuturesOrder(Order):
    """An order on a contract."""

    position_side: PositionSide
    is_reduce_only: bool = False
    is_close_position: bool = False
    origin: str = "LIMIT"

    @property
    def open_notional(self) -> Decimal:
        """What the unexecuted rest would add to a position, in USDT."""
        return self.rest * self.price

    @property
    def reduces(self) -> bool:
        """Whether it may only ever make a position smaller: by its flag, or as the exit of a hedged leg."""
        exits = {PositionSide.LONG: Side.SELL, PositionSide.SHORT: Side.BUY}
        return self.is_reduce_only or exits.get(self.position_side) is self.side


@dataclass(frozen=True, slots=True, kw_only=True)
class AlgoOrder(Placed):
    """A conditional order on a contract; one that closes the position has no quantity of its own.

    Attributes:
        kind: STOP, STOP_MARKET, TAKE_PROFIT or TAKE_PROFIT_MARKET.
        actual_order_id: the order that it sent once it was triggered.
    """

    position_side: PositionSide
    trigger_price: Decimal
    working_type: str = "CONTRACT_PRICE"
    is_reduce_only: bool = False
    is_close_position: bool = False
    status: AlgoStatus = AlgoStatus.NEW
    triggered_ms: int = 0
    actual_order_id: int | None = None

    @property
    def is_open(self) -> bool:
        """Whether it can still be triggered."""
        return self.status is AlgoStatus.NEW

    @property
    def triggers_above(self) -> bool:
        """Whether it waits for the price to rise: a stop that buys, a take-profit that sells."""
        return self.kind.startswith("STOP") is (self.side is Side.BUY)


AnyOrder = TypeVar("AnyOrder", bound=Placed)


class Shelf(Generic[AnyOrder]):
    """All orders of one kind that one account ever had, oldest first."""

    def __init__(self, orders: Iterable[AnyOrder] = ()) -> None:
        self._every: dict[int, AnyOrder] = {}
        self._open: dict[int, AnyOrder] = {}
        self._by_client: dict[str, int] = {}
        for order in orders:
            self.put(order)

    def put(self, order: AnyOrder) -> None:
        """Add an order, or replace what was known of it."""
        if order.order_id not in self._every:
            self._by_client[order.client_order_id] = order.order_id
        self._every[order.order_id] = order
        if order.is_open:
            self._open[order.order_id] = order
        else:
            self._open.pop(order.order_id, None)

    def open(self, symbol: str | None = None) -> list[AnyOrder]:
        """Return what is open, of one instrument or of all."""
        return [order for order in self._open.values() if symbol in {None, order.instrument.name}]

    def every(self, symbol: str | None = None) -> list[AnyOrder]:
        """Return what there ever was, of one instrument or of all."""
        return [order for order in self._every.values() if symbol in {None, order.instrument.name}]

    def find(self, order_id: int) -> AnyOrder | None:
        """Return the order with the venue's number."""
        return self._every.get(order_id)

    def find_client(self, client_order_id: str) -> AnyOrder | None:
        """Return the latest order with the client's id: one that is closed frees it for another."""
        number = self._by_client.get(client_order_id)
        return None if number is None else self._every[number]


class Orders:
    """The orders of one account, by kind."""

    def __init__(
        self,
        spot: Iterable[SpotOrder] = (),
        futures: Iterable[FuturesOrder] = (),
        algo: Iterable[AlgoOrder] = (),
    ) -> None:
        self.spot = Shelf(spot)
        self.futures = Shelf(futures)
        self.algo = Shelf(algo)

    def sent_by(self, algo: AlgoOrder) -> FuturesOrder | None:
        """Return the order that a conditional order sent, if it did."""
        return None if algo.actual_order_id is None else self.futures.find(algo.actual_order_id)

    def state_of(self, algo: AlgoOrder) -> AlgoStatus:
        """Return where a conditional order is: it is finished once what it sent is."""
        sent = self.sent_by(algo)
        return algo.status if sent is None or sent.is_open else AlgoStatus.FINISHED

    def locked(self, asset: str) -> Decimal:
        """Return how much of an asset the open spot orders hold back."""
        held = (order.locked for order in self.spot.open())
        return sum((amount for name, amount in held if name == asset), ZERO)
