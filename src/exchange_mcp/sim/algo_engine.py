"""What happens to conditional USD-M orders: accepted, triggered into an order, cancelled. No wire.

A conditional order is triggered the first millisecond at which its price, the contract's or the mark price, is
at the trigger price or beyond. What it sends then goes through every check of an order, margin included.
"""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

from exchange_mcp.sim import rejections, usdm_filters
from exchange_mcp.sim.accounts import Account
from exchange_mcp.sim.errors import VenueError
from exchange_mcp.sim.listings import Contract
from exchange_mcp.sim.numbers import Numbers
from exchange_mcp.sim.orders import AlgoOrder, AlgoStatus, FuturesOrder, PositionSide, Source
from exchange_mcp.sim.usdm_engine import UsdmEngine

_MARK_PICO = 10**4
"""Mark prices have eight decimals: they are read in units of so many pico."""


class AlgoEngine:
    """The venue's service for conditional orders."""

    def __init__(self, contracts: Mapping[str, Contract], numbers: Numbers, usdm: UsdmEngine) -> None:
        self._contracts = contracts
        self._numbers = numbers
        self._usdm = usdm

    def place(self, account: Account, draft: AlgoOrder, now_ms: int) -> AlgoOrder:
        """Accept a conditional order; a draft has no number and no times.

        Raises VenueError: -1111, -2021, -4001 to -4023, -4045, -4061, -4116.
        """
        if draft.position_side not in account.sides:
            raise rejections.other_position_mode()
        usdm_filters.check_algo(draft, account.orders)
        known = account.orders.algo.find_client(draft.client_order_id)
        if known is not None and known.is_open:
            raise rejections.duplicate_usdm()
        price = self._price(draft, now_ms)
        if (price >= draft.trigger_price) if draft.triggers_above else (price <= draft.trigger_price):
            raise rejections.triggers_at_once()
        number = self._numbers.order()
        order = replace(
            draft,
            order_id=number,
            client_order_id=draft.client_order_id or self._numbers.client_id(number),
            source=Source.API,
            created_ms=now_ms,
            updated_ms=now_ms,
        )
        account.orders.algo.put(order)
        return order

    def cancel(self, account: Account, order: AlgoOrder, now_ms: int) -> AlgoOrder:
        """End a conditional order; raise VenueError -2011 where it is not waiting any more."""
        if not order.is_open:
            raise rejections.unknown_order()
        ended = replace(order, status=AlgoStatus.CANCELED, updated_ms=now_ms)
        account.orders.algo.put(ended)
        return ended

    def due(self, order: AlgoOrder, after_ms: int, until_ms: int) -> int | None:
        """Return the first millisecond in a span after its start at which an order is triggered."""
        contract = self._contracts[order.instrument.name]
        if order.working_type == "MARK_PRICE":
            limit = int(order.trigger_price.scaleb(8)) * _MARK_PICO
            if not order.triggers_above:
                limit += _MARK_PICO
            return contract.mark.first(limit, after_ms, until_ms, is_rise=order.triggers_above)
        tape = contract.tape
        first = tape.first_at_or_above if order.triggers_above else tape.first_at_or_below
        return first(order.trigger_price, after_ms, until_ms)

    def happen(self, account: Account, order: AlgoOrder, at_ms: int) -> None:
        """Trigger an order: send what it holds, and note what became of that."""
        triggered = replace(order, triggered_ms=at_ms, updated_ms=at_ms)
        held = account.position(order.instrument, order.position_side).amount
        if order.is_close_position and held * order.side.direction >= 0:
            account.orders.algo.put(replace(triggered, status=AlgoStatus.EXPIRED))
            return
        try:
            sent = self._usdm.place(account, _sent(order, abs(held)), at_ms)
        except VenueError:
            account.orders.algo.put(replace(triggered, status=AlgoStatus.REJECTED))
            return
        account.orders.algo.put(
            replace(triggered, status=AlgoStatus.TRIGGERED, actual_order_id=sent.order_id)
        )

    def _price(self, order: AlgoOrder, now_ms: int) -> Decimal:
        contract = self._contracts[order.instrument.name]
        if order.working_type == "MARK_PRICE":
            return contract.mark.price(now_ms)
        return contract.tape.last(now_ms) * order.instrument.tick


def _sent(order: AlgoOrder, held: Decimal) -> FuturesOrder:
    is_market = order.kind.endswith("_MARKET")
    return FuturesOrder(
        instrument=order.instrument,
        order_id=0,
        client_order_id="",
        side=order.side,
        kind="MARKET" if is_market else "LIMIT",
        origin=order.kind,
        time_in_force=order.time_in_force,
        price=order.price,
        quantity=held if order.is_close_position else order.quantity,
        prevention=order.prevention,
        source=Source.ALGO,
        position_side=order.position_side,
        is_reduce_only=order.is_reduce_only
        or (order.is_close_position and order.position_side is PositionSide.BOTH),
        is_close_position=order.is_close_position,
        created_ms=0,
        updated_ms=0,
    )
