"""What happens to spot orders: accepted, filled, triggered, cancelled, with the wallet that goes with it. No wire.

A limit order that rests is filled whole, at its own price and as a maker, the first millisecond at which the
pair trades at that price or beyond. A stop begins to work the first millisecond at which it trades at the stop
price or beyond; it then goes on as a market or a limit order of that millisecond.
"""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

from exchange_mcp.sim import rejections, spot_filters
from exchange_mcp.sim.accounts import Account
from exchange_mcp.sim.digits import ZERO, cut
from exchange_mcp.sim.listings import Listing
from exchange_mcp.sim.matching import Fill, Trade, take, total
from exchange_mcp.sim.numbers import Numbers
from exchange_mcp.sim.orders import Side, Source, SpotOrder, Status

COMMISSION = Decimal("0.001")
"""What maker and taker pay, as a share of what they receive."""


class SpotEngine:
    """The matching of the spot market, and the spot wallets that it moves."""

    def __init__(self, listings: Mapping[str, Listing], numbers: Numbers) -> None:
        self._listings = listings
        self._numbers = numbers

    def place(self, account: Account, draft: SpotOrder, now_ms: int) -> tuple[SpotOrder, list[Trade]]:
        """Accept an order: return it as it is after its first matching, and what that traded.

        A draft has no numbers and no times yet. Raises VenueError (-1013, -1111, -2010).
        """
        listing = self._listings[draft.instrument.name]
        spot_filters.check(draft, listing, account, now_ms)
        known = account.orders.spot.find_client(draft.client_order_id)
        if known is not None and known.is_open:
            raise rejections.duplicate()
        fills = self._match(account, draft, listing, now_ms)
        self._check_balance(account, draft, fills)
        number = self._numbers.order()
        order = replace(
            draft,
            order_id=number,
            client_order_id=draft.client_order_id or self._numbers.client_id(number),
            quantity=total(fills) if draft.quote_quantity else draft.quantity,
            source=Source.API,
            working_ms=now_ms if draft.is_working else -1,
            created_ms=now_ms,
            updated_ms=now_ms,
        )
        return self._execute(account, order, fills, now_ms)

    def cancel(self, account: Account, order: SpotOrder, now_ms: int) -> SpotOrder:
        """End an open order; raise VenueError -2011 where it is not open."""
        if not order.is_open:
            raise rejections.unknown_order()
        ended = replace(order, status=Status.CANCELED, updated_ms=now_ms)
        account.orders.spot.put(ended)
        return ended

    def due(self, order: SpotOrder, after_ms: int, until_ms: int) -> int | None:
        """Return the first millisecond in a span after its start at which something happens to an order."""
        tape = self._listings[order.instrument.name].tape
        is_above = order.side is Side.SELL if order.is_working else _triggers_above(order)
        price = order.price if order.is_working else order.stop_price
        first = tape.first_at_or_above if is_above else tape.first_at_or_below
        return first(price, after_ms, until_ms)

    def happen(self, account: Account, order: SpotOrder, at_ms: int) -> None:
        """Do what is due to an order: fill it at its price, or let it begin to work."""
        if order.is_working:
            self._execute(account, order, [Fill(order.price, order.rest)], at_ms, is_maker=True)
            return
        working = replace(order, is_working=True, working_ms=at_ms, updated_ms=at_ms)
        fills = self._match(account, working, self._listings[order.instrument.name], at_ms)
        self._execute(account, working, fills, at_ms)

    def _match(self, account: Account, order: SpotOrder, listing: Listing, at_ms: int) -> list[Fill]:
        """Return what an order takes at once; raise VenueError -2010 where it may not."""
        last = listing.tape.last(at_ms) * order.instrument.tick
        if not order.is_working:
            if (last >= order.stop_price) if _triggers_above(order) else (last <= order.stop_price):
                raise rejections.rejected("Order would trigger immediately.")
            return []
        quote = order.quote_quantity or None
        if order.kind in spot_filters.STOPS & spot_filters.MARKETS and order.side is Side.BUY:
            # What such an order locked may be too little by the time; it buys what the wallet affords.
            quote = account.free(order.instrument.quote) + order.locked[1]
        fills = take(
            listing.tape,
            order.side,
            at_ms,
            most=None if order.quote_quantity else order.quantity,
            quote=quote,
            limit=order.price or None,
        )
        if order.kind == "LIMIT_MAKER" and fills:
            raise rejections.rejected("Order would immediately match and take.")
        if order.time_in_force == "FOK" and total(fills) < order.quantity:
            return []
        return fills

    def _check_balance(self, account: Account, draft: SpotOrder, fills: list[Fill]) -> None:
        asset, needed = replace(draft, quantity=draft.quantity or total(fills)).locked
        if draft.kind == "MARKET" and draft.side is Side.BUY:
            needed = sum((fill.quote for fill in fills), ZERO)
        if needed > account.free(asset):
            raise rejections.no_balance()

    def _execute(
        self, account: Account, order: SpotOrder, fills: list[Fill], at_ms: int, *, is_maker: bool = False
    ) -> tuple[SpotOrder, list[Trade]]:
        trades = [self._trade(order, fill, at_ms, is_maker=is_maker) for fill in fills]
        for trade in trades:
            account.settle_spot(trade)
        executed = order.executed + total(fills)
        after = replace(
            order,
            executed=executed,
            executed_quote=order.executed_quote + sum((trade.quote for trade in trades), ZERO),
            status=_status(order, executed),
            updated_ms=at_ms,
        )
        account.orders.spot.put(after)
        return after, trades

    def _trade(self, order: SpotOrder, fill: Fill, at_ms: int, *, is_maker: bool) -> Trade:
        received, asset = fill.quantity, order.instrument.base
        if order.side is Side.SELL:
            received, asset = fill.quote, order.instrument.quote
        return Trade(
            price=fill.price,
            quantity=fill.quantity,
            instrument=order.instrument,
            trade_id=self._numbers.trade(),
            order_id=order.order_id,
            side=order.side,
            commission=cut(received * COMMISSION),
            commission_asset=asset,
            is_maker=is_maker,
            at_ms=at_ms,
        )


def _triggers_above(order: SpotOrder) -> bool:
    return order.kind.startswith("STOP") is (order.side is Side.BUY)


def _status(order: SpotOrder, executed: Decimal) -> Status:
    if not order.is_working:
        return Status.NEW
    if executed and executed == order.quantity:
        return Status.FILLED
    if order.kind in spot_filters.MARKETS or order.time_in_force in {"IOC", "FOK"}:
        return Status.EXPIRED
    return Status.PARTIALLY_FILLED if executed else Status.NEW
