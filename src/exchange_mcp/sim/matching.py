"""What an order gets from the book of a moment. Pure.

The book is strangers' and a function of time: what an order takes from it is there again for the next one, and
orders of our own accounts never meet one another.
"""

from dataclasses import dataclass
from decimal import Decimal

from exchange_mcp.sim.books import Tape
from exchange_mcp.sim.catalogue import Instrument
from exchange_mcp.sim.digits import ZERO, cut, floor_to
from exchange_mcp.sim.orders import PositionSide, Side


@dataclass(frozen=True, slots=True)
class Fill:
    """So much, in the base asset, at one price."""

    price: Decimal
    quantity: Decimal

    @property
    def quote(self) -> Decimal:
        """What that is in the quote asset, cut to its eight decimals."""
        return cut(self.price * self.quantity)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trade(Fill):
    """A fill that happened: whose, when, and what it cost.

    Attributes:
        realized: profit in USDT that the part which closed a position made; zero on spot.
    """

    instrument: Instrument
    trade_id: int
    order_id: int
    side: Side
    position_side: PositionSide = PositionSide.BOTH
    commission: Decimal
    commission_asset: str
    realized: Decimal = ZERO
    is_maker: bool
    at_ms: int


def take(  # noqa: PLR0913 - three bounds, each of which may be absent
    tape: Tape, side: Side, at_ms: int, *, most: Decimal | None, quote: Decimal | None, limit: Decimal | None
) -> list[Fill]:
    """Walk the other side of the book from its best price.

    Args:
        tape: whose book.
        side: the side of the order that takes.
        at_ms: the moment of the book.
        most: at most so much, in the base asset.
        quote: at most so much, in the quote asset; what is taken of a level stays on the quantity grid.
        limit: at no worse price than this.
    """
    instrument = tape.instrument
    fills: list[Fill] = []
    for level in tape.ladder(at_ms, "ask" if side is Side.BUY else "bid"):
        price, offered = level.ticks * instrument.tick, level.lots * instrument.step
        if limit is not None and (price - limit) * side.direction > 0:
            break
        taken = offered if most is None else min(offered, most)
        if quote is not None:
            taken = min(taken, floor_to(quote / price, instrument.step))
            quote -= cut(price * taken)
        if most is not None:
            most -= taken
        if taken:
            fills.append(Fill(price, taken))
        if taken < offered:
            break
    return fills


def worst(fills: list[Fill]) -> Decimal:
    """Return the price of the last fill, zero where there is none."""
    return fills[-1].price if fills else ZERO


def total(fills: list[Fill]) -> Decimal:
    """Return what was filled altogether, in the base asset."""
    return sum((fill.quantity for fill in fills), ZERO)
