"""What happens to USD-M orders: accepted, filled, cancelled, with positions, margin and wallet. No wire.

A limit order that rests is filled whole, at its own price and as a maker, the first millisecond at which the
contract trades at that price or beyond. An order that only reduces takes no more than there is to reduce, and
ends when there is nothing left. Nobody is liquidated here, and no funding is paid.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal

from exchange_mcp.sim import rejections, usdm_filters
from exchange_mcp.sim.accounts import Account, MarginBook, Position
from exchange_mcp.sim.brackets import BRACKETS
from exchange_mcp.sim.digits import ZERO, cut
from exchange_mcp.sim.listings import Contract
from exchange_mcp.sim.margin import max_notional
from exchange_mcp.sim.matching import Fill, Trade, take, total, worst
from exchange_mcp.sim.numbers import Numbers
from exchange_mcp.sim.orders import FuturesOrder, Side, Status

MAKER = Decimal("0.0002")
TAKER = Decimal("0.0005")
"""What makers and takers pay, as a share of the notional, in USDT."""

Margin = Callable[[Account, int, FuturesOrder | None], MarginBook]
"""An account's figures at a moment, as they are or as they would be with one more order."""


class UsdmEngine:
    """The matching of the USD-M market, and the positions and wallets that it moves."""

    def __init__(self, contracts: Mapping[str, Contract], numbers: Numbers, margin: Margin) -> None:
        self._contracts = contracts
        self._numbers = numbers
        self._margin = margin

    def place(self, account: Account, draft: FuturesOrder, now_ms: int) -> FuturesOrder:
        """Accept an order and return it as it is after its first matching; a draft has no number and no times.

        Raises VenueError: -1111, -2019, -2022, -2025, -2027, -4001 to -4024, -4061, -4116, -4164, -5021, -5022.
        """
        contract = self._contracts[draft.instrument.name]
        if draft.position_side not in account.sides:
            raise rejections.other_position_mode()
        usdm_filters.check_order(draft, account.orders, contract.mark.price(now_ms))
        known = account.orders.futures.find_client(draft.client_order_id)
        if known is not None and known.is_open:
            raise rejections.duplicate_usdm()
        position = account.position(draft.instrument, draft.position_side)
        reducible = _reducible(draft, position)
        if draft.reduces and not reducible:
            raise rejections.nothing_to_reduce()
        fills = self._match(draft, contract, now_ms, reducible)
        self._check_margin(account, draft, fills, now_ms)
        number = self._numbers.order()
        order = replace(
            draft,
            order_id=number,
            client_order_id=draft.client_order_id or self._numbers.client_id(number),
            created_ms=now_ms,
            updated_ms=now_ms,
        )
        return self._execute(account, order, fills, now_ms)

    def cancel(self, account: Account, order: FuturesOrder, now_ms: int) -> FuturesOrder:
        """End an open order; raise VenueError -2011 where it is not open."""
        if not order.is_open:
            raise rejections.unknown_order()
        ended = replace(order, status=Status.CANCELED, updated_ms=now_ms)
        account.orders.futures.put(ended)
        return ended

    def due(self, order: FuturesOrder, after_ms: int, until_ms: int) -> int | None:
        """Return the first millisecond in a span after its start at which a resting order is filled."""
        tape = self._contracts[order.instrument.name].tape
        first = tape.first_at_or_below if order.side is Side.BUY else tape.first_at_or_above
        return first(order.price, after_ms, until_ms)

    def happen(self, account: Account, order: FuturesOrder, at_ms: int) -> None:
        """Fill a resting order at its price, as far as it may still trade."""
        position = account.position(order.instrument, order.position_side)
        quantity = min(order.rest, _reducible(order, position)) if order.reduces else order.rest
        self._execute(account, order, [Fill(order.price, quantity)] if quantity else [], at_ms, is_maker=True)

    def set_leverage(self, account: Account, symbol: str, leverage: int, now_ms: int) -> Decimal:
        """Change a contract's leverage, and return the largest notional in USDT that it allows.

        Raises VenueError: -4028 above the contract's maximum, -2027 where the position is too large for it,
        -2028 where the margin would not be covered.
        """
        instrument, table = self._contracts[symbol].instrument, BRACKETS[symbol]
        if not 1 <= leverage <= table[0].max_leverage:
            raise rejections.bad_leverage(leverage)
        allowed = max_notional(table, leverage)
        before = account.leverage[symbol]
        legs = self._margin(account, now_ms, None).exposures(instrument)
        if sum(abs(leg.notional) for leg in legs) > allowed:
            raise rejections.too_large_a_position()
        account.leverage[symbol] = leverage
        if leverage < before and self._margin(account, now_ms, None).left < 0:
            account.leverage[symbol] = before
            raise rejections.too_small_a_leverage()
        return allowed

    def _match(self, draft: FuturesOrder, contract: Contract, now_ms: int, reducible: Decimal) -> list[Fill]:
        quantity = min(draft.quantity, reducible) if draft.reduces else draft.quantity
        fills = take(contract.tape, draft.side, now_ms, most=quantity, quote=None, limit=draft.price or None)
        if draft.time_in_force == "GTX" and fills:
            raise rejections.not_a_maker()
        if draft.time_in_force == "FOK" and total(fills) < draft.quantity:
            raise rejections.not_filled_at_once()
        return fills

    def _check_margin(self, account: Account, draft: FuturesOrder, fills: list[Fill], now_ms: int) -> None:
        """Raise VenueError -2019 where initial margin and opening loss are not covered, -2027 above the cap."""
        if draft.reduces:
            return
        symbol, leverage = draft.instrument.name, account.leverage[draft.instrument.name]
        price = draft.price or worst(fills)
        before = self._margin(account, now_ms, None)
        after = self._margin(account, now_ms, replace(draft, price=price))
        added = after.initial_margin - before.initial_margin
        if added <= 0:
            return
        mark = self._contracts[symbol].mark.price(now_ms)
        adverse = max(ZERO, (price - mark) * draft.side.direction)
        if added + added * leverage / price * adverse > before.left:
            raise rejections.no_margin()
        legs = after.exposures(draft.instrument)
        largest = sum(
            (max(abs(leg.notional + leg.bid_notional), abs(leg.notional - leg.ask_notional)) for leg in legs),
            ZERO,
        )
        if largest > max_notional(BRACKETS[symbol], leverage):
            raise rejections.too_large_a_position()

    def _execute(
        self, account: Account, order: FuturesOrder, fills: list[Fill], at_ms: int, *, is_maker: bool = False
    ) -> FuturesOrder:
        quote = order.executed_quote
        for fill in fills:
            position = account.position(order.instrument, order.position_side)
            after, realized = position.traded(order.side, fill, at_ms)
            account.settle_usdm(after, self._trade(order, fill, realized, at_ms, is_maker=is_maker))
            quote += fill.quote
        executed = order.executed + total(fills)
        position = account.position(order.instrument, order.position_side)
        done = replace(
            order,
            executed=executed,
            executed_quote=quote,
            status=_status(order, executed, position),
            updated_ms=at_ms,
        )
        account.orders.futures.put(done)
        if fills:
            self._expire(account, position, at_ms)
        return done

    def _expire(self, account: Account, position: Position, at_ms: int) -> None:
        """End the orders that only reduce where there is nothing left to reduce."""
        for order in account.orders.futures.open(position.instrument.name):
            if order.position_side is position.side and order.reduces and not _reducible(order, position):
                account.orders.futures.put(replace(order, status=Status.EXPIRED, updated_ms=at_ms))

    def _trade(
        self, order: FuturesOrder, fill: Fill, realized: Decimal, at_ms: int, *, is_maker: bool
    ) -> Trade:
        return Trade(
            price=fill.price,
            quantity=fill.quantity,
            instrument=order.instrument,
            trade_id=self._numbers.trade(),
            order_id=order.order_id,
            side=order.side,
            position_side=order.position_side,
            commission=cut(fill.price * fill.quantity * (MAKER if is_maker else TAKER)),
            commission_asset="USDT",
            realized=realized,
            is_maker=is_maker,
            at_ms=at_ms,
        )


def _reducible(order: FuturesOrder, position: Position) -> Decimal:
    """Return how much of a position an order on the other side could close."""
    return abs(position.amount) if position.amount * order.side.direction < 0 else ZERO


def _status(order: FuturesOrder, executed: Decimal, position: Position) -> Status:
    if executed and executed == order.quantity:
        return Status.FILLED
    is_over = order.reduces and not _reducible(order, position)
    if is_over or order.kind == "MARKET" or order.time_in_force in {"IOC", "FOK"}:
        return Status.EXPIRED
    return Status.PARTIALLY_FILLED if executed else Status.NEW
