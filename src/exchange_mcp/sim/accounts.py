"""What an account holds: the spot wallet, the USD-M wallet, and the positions with the margin they need."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from exchange_mcp.sim.catalogue import Instrument
from exchange_mcp.sim.digits import ZERO, cut
from exchange_mcp.sim.margin import Bracket, Leg, bracket_of, liquidation_price
from exchange_mcp.sim.matching import Fill, Trade
from exchange_mcp.sim.orders import FuturesOrder, Orders, PositionSide, Side

MarkPrice = Callable[[Instrument], Decimal]
"""The mark price of a contract at the moment that is asked about."""


@dataclass(frozen=True, slots=True)
class Position:
    """One leg of a contract; `amount` is in the base asset and negative for a short."""

    instrument: Instrument
    side: PositionSide
    amount: Decimal
    entry: Decimal
    updated_ms: int

    @property
    def leg(self) -> Leg:
        """The position as the liquidation formula wants it."""
        return Leg(1 if self.amount > 0 else -1, abs(self.amount), self.entry)

    def traded(self, side: Side, fill: Fill, at_ms: int) -> tuple["Position", Decimal]:
        """Return the position after a trade, and the profit in USDT that the trade realised.

        What adds moves the entry price to the mean, with eight decimals; what takes away leaves it; what goes
        through zero starts anew at the trade's price.
        """
        change = fill.quantity * side.direction
        amount = self.amount + change
        if self.amount * change >= 0:
            cost = abs(self.amount) * self.entry + fill.quantity * fill.price
            return replace(self, amount=amount, entry=cut(cost / abs(amount)), updated_ms=at_ms), ZERO
        closed = min(fill.quantity, abs(self.amount))
        realized = cut(closed * (fill.price - self.entry) * -side.direction)
        entry = self.entry if self.amount * amount > 0 else fill.price if amount else ZERO
        return replace(self, amount=amount, entry=entry, updated_ms=at_ms), realized


@dataclass(frozen=True, slots=True)
class Exposure:
    """What one leg amounts to at a mark price, in USDT (signed notional, positive margins)."""

    position: Position
    mark: Decimal
    notional: Decimal
    profit: Decimal
    position_margin: Decimal
    order_margin: Decimal
    maintenance: Decimal
    bid_notional: Decimal
    ask_notional: Decimal


@dataclass(kw_only=True)
class Account:
    """One client of the venue.

    Attributes:
        spot: total spot balances by asset; what orders lock is part of them.
        wallet: USD-M wallet balances by margin asset; positions here settle in USDT alone.
        leverage: initial leverage by contract.
        is_hedged: whether contracts have a long and a short leg of their own.
        spot_trades: what happened on spot since the opening, oldest first; `usdm_trades` likewise.
        settled_ms: up to which moment what was due to the orders has happened.
        funded_ms: when the USD-M wallet last changed.
    """

    name: str
    uid: int
    opened_ms: int
    spot: dict[str, Decimal]
    wallet: dict[str, Decimal]
    leverage: dict[str, int]
    positions: Sequence[Position] = ()
    is_hedged: bool = False
    orders: Orders = field(default_factory=Orders)
    spot_trades: list[Trade] = field(default_factory=list[Trade])
    usdm_trades: list[Trade] = field(default_factory=list[Trade])
    settled_ms: int = 0
    funded_ms: int = 0

    @property
    def sides(self) -> tuple[PositionSide, ...]:
        """The legs that a contract has in this account's position mode."""
        return (PositionSide.LONG, PositionSide.SHORT) if self.is_hedged else (PositionSide.BOTH,)

    def position(self, instrument: Instrument, side: PositionSide) -> Position:
        """Return a leg, also one that holds nothing."""
        held = (leg for leg in self.positions if leg.instrument == instrument and leg.side is side)
        return next(held, Position(instrument, side, ZERO, ZERO, 0))

    def free(self, asset: str) -> Decimal:
        """Return how much of a spot asset no order holds back."""
        return self.spot.get(asset, ZERO) - self.orders.locked(asset)

    def settle_spot(self, trade: Trade) -> None:
        """Exchange base and quote as a spot trade says, and pay its commission."""
        for asset, amount in (
            (trade.instrument.base, trade.quantity * trade.side.direction),
            (trade.instrument.quote, -trade.quote * trade.side.direction),
            (trade.commission_asset, -trade.commission),
        ):
            self.spot[asset] = self.spot.get(asset, ZERO) + amount
        self.spot_trades.append(trade)

    def settle_usdm(self, position: Position, trade: Trade) -> None:
        """Hold the position that a trade left, book its profit and pay its commission."""
        held = {(leg.instrument.name, leg.side): leg for leg in self.positions}
        held[position.instrument.name, position.side] = position
        self.positions = tuple(held.values())
        self.wallet["USDT"] = self.wallet.get("USDT", ZERO) + trade.realized - trade.commission
        self.funded_ms = trade.at_ms
        self.usdm_trades.append(trade)


class MarginBook:
    """An account's USD-M figures at one moment, computed from its positions, orders and the mark prices."""

    def __init__(
        self,
        account: Account,
        mark: MarkPrice,
        brackets: Mapping[str, tuple[Bracket, ...]],
        extra: FuturesOrder | None = None,
    ) -> None:
        """Compute for an account as it is, or as it would be with one `extra` order resting."""
        self._account = account
        self._mark = mark
        self._brackets = brackets
        self._resting = [*account.orders.futures.open(), *([extra] if extra else [])]
        held = {leg.instrument.name: leg.instrument for leg in account.positions if leg.amount}
        resting = {order.instrument.name: order.instrument for order in self._resting}
        self.active: tuple[Instrument, ...] = tuple({**held, **resting}.values())
        self._exposures = {
            instrument.name: [self._expose(instrument, side) for side in account.sides]
            for instrument in self.active
        }

    def exposures(self, instrument: Instrument) -> list[Exposure]:
        """Return every leg of a contract, also those that hold nothing."""
        known = self._exposures.get(instrument.name)
        if known is not None:
            return known
        return [self._expose(instrument, side) for side in self._account.sides]

    @property
    def profit(self) -> Decimal:
        """Unrealised profit of all positions, in USDT."""
        return self._total("profit")

    @property
    def maintenance(self) -> Decimal:
        """Maintenance margin of all positions, in USDT."""
        return self._total("maintenance")

    @property
    def position_margin(self) -> Decimal:
        """Initial margin of all positions at the mark price, in USDT."""
        return self._total("position_margin")

    @property
    def order_margin(self) -> Decimal:
        """Initial margin that resting orders need on top, in USDT."""
        return self._total("order_margin")

    @property
    def initial_margin(self) -> Decimal:
        """Initial margin of positions and orders together, in USDT."""
        return self.position_margin + self.order_margin

    @property
    def available(self) -> Decimal:
        """What is left for new positions: wallet and profit less initial margin, in USDT, at least 0."""
        return max(ZERO, self.left)

    @property
    def left(self) -> Decimal:
        """Wallet and profit less initial margin, in USDT; negative where the margin is not covered."""
        return self._cross_wallet + self.profit - self.initial_margin

    @property
    def transferable(self) -> Decimal:
        """What may leave the wallet: what is available without unrealised profit, in USDT, at least 0."""
        return max(ZERO, self._cross_wallet + min(ZERO, self.profit) - self.initial_margin)

    def liquidation(self, instrument: Instrument) -> Decimal | None:
        """Return the mark price at which a contract's position is liquidated, or None where there is none."""
        exposures = self._exposures.get(instrument.name, [])
        legs = [exposure.position.leg for exposure in exposures if exposure.position.amount]
        if not legs:
            return None
        other_maintenance = self.maintenance - sum((leg.maintenance for leg in exposures), ZERO)
        other_profit = self.profit - sum((leg.profit for leg in exposures), ZERO)
        return liquidation_price(
            legs,
            self._brackets[instrument.name],
            mark=exposures[0].mark,
            equity=self._cross_wallet - other_maintenance + other_profit,
        )

    @property
    def _cross_wallet(self) -> Decimal:
        return self._account.wallet.get("USDT", ZERO)

    def _total(self, figure: str) -> Decimal:
        return sum((getattr(leg, figure) for legs in self._exposures.values() for leg in legs), ZERO)

    def _expose(self, instrument: Instrument, side: PositionSide) -> Exposure:
        position = self._account.position(instrument, side)
        mark = self._mark(instrument)
        notional = position.amount * mark
        bids, asks = self._open_notionals(instrument, side)
        leverage = self._account.leverage[instrument.name]
        table = self._brackets[instrument.name]
        return Exposure(
            position=position,
            mark=mark,
            notional=notional,
            profit=position.amount * (mark - position.entry),
            position_margin=abs(notional) / leverage,
            order_margin=_order_notional(side, notional, bids, asks) / leverage,
            maintenance=bracket_of(table, abs(notional)).maintenance(abs(notional)) if notional else ZERO,
            bid_notional=bids,
            ask_notional=asks,
        )

    def _open_notionals(self, instrument: Instrument, side: PositionSide) -> tuple[Decimal, Decimal]:
        bids, asks = ZERO, ZERO
        for order in self._resting:
            if order.instrument != instrument or order.position_side is not side or order.is_reduce_only:
                continue
            if order.side is Side.BUY:
                bids += order.open_notional
            else:
                asks += order.open_notional
        return bids, asks


def _order_notional(side: PositionSide, notional: Decimal, bids: Decimal, asks: Decimal) -> Decimal:
    """Return the notional that orders could add: the worse of all bids or all asks filling."""
    if side is PositionSide.LONG:
        return bids
    if side is PositionSide.SHORT:
        return asks
    return max(abs(notional + bids), abs(notional - asks), abs(notional)) - abs(notional)
