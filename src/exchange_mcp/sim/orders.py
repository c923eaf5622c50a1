"""Which orders rest at the venue, and what they lock. The one place for order state."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from exchange_mcp.sim.catalogue import Instrument
from exchange_mcp.sim.digits import ZERO


class Side(StrEnum):
    """Which way an order trades."""

    BUY = "BUY"
    SELL = "SELL"


class PositionSide(StrEnum):
    """Which leg of a contract an order or position belongs to: BOTH in one-way mode."""

    BOTH = "BOTH"
    LONG = "LONG"
    SHORT = "SHORT"


@dataclass(frozen=True, slots=True, kw_only=True)
class SpotOrder:
    """A limit order on a spot pair: quantities in the base asset, prices in the quote asset."""

    instrument: Instrument
    order_id: int
    client_order_id: str
    side: Side
    price: Decimal
    quantity: Decimal
    executed: Decimal = ZERO
    executed_quote: Decimal = ZERO
    created_ms: int
    updated_ms: int

    @property
    def locked(self) -> tuple[str, Decimal]:
        """The asset and the amount of it that the unexecuted rest holds back."""
        rest = self.quantity - self.executed
        if self.side is Side.SELL:
            return self.instrument.base, rest
        return self.instrument.quote, rest * self.price


@dataclass(frozen=True, slots=True, kw_only=True)
class FuturesOrder:
    """A limit order on a contract: quantities in the base asset, prices in USDT."""

    instrument: Instrument
    order_id: int
    client_order_id: str
    side: Side
    position_side: PositionSide
    price: Decimal
    quantity: Decimal
    executed: Decimal = ZERO
    is_reduce_only: bool = False
    created_ms: int
    updated_ms: int

    @property
    def open_notional(self) -> Decimal:
        """What the unexecuted rest would add to a position, in USDT."""
        return (self.quantity - self.executed) * self.price


class AlgoType(StrEnum):
    """What a conditional order sends once it is triggered."""

    STOP = "STOP"
    STOP_MARKET = "STOP_MARKET"
    TAKE_PROFIT = "TAKE_PROFIT"
    TAKE_PROFIT_MARKET = "TAKE_PROFIT_MARKET"


@dataclass(frozen=True, slots=True, kw_only=True)
class AlgoOrder:
    """A conditional order on a contract; one that closes the position has no quantity of its own."""

    instrument: Instrument
    algo_id: int
    client_algo_id: str
    algo_type: AlgoType
    side: Side
    position_side: PositionSide
    trigger_price: Decimal
    price: Decimal = ZERO
    quantity: Decimal = ZERO
    working_type: str = "CONTRACT_PRICE"
    is_reduce_only: bool = False
    is_close_position: bool = False
    created_ms: int


class OpenOrders:
    """What rests for one account."""

    def __init__(
        self,
        spot: Iterable[SpotOrder] = (),
        futures: Iterable[FuturesOrder] = (),
        algo: Iterable[AlgoOrder] = (),
    ) -> None:
        self._spot = list(spot)
        self._futures = list(futures)
        self._algo = list(algo)

    def spot(self, symbol: str | None = None) -> list[SpotOrder]:
        """Return the resting spot orders, oldest first, of one pair or of all."""
        return [order for order in self._spot if symbol in {None, order.instrument.name}]

    def futures(self, symbol: str | None = None) -> list[FuturesOrder]:
        """Return the resting contract orders, oldest first, of one contract or of all."""
        return [order for order in self._futures if symbol in {None, order.instrument.name}]

    def algo(self, symbol: str | None = None) -> list[AlgoOrder]:
        """Return the untriggered conditional orders, oldest first, of one contract or of all."""
        return [order for order in self._algo if symbol in {None, order.instrument.name}]

    def locked(self, asset: str) -> Decimal:
        """Return how much of an asset the resting spot orders hold back."""
        return sum((amount for held, amount in (order.locked for order in self._spot) if held == asset), ZERO)
