"""What a planned write would do, in plain numbers: one frozen structure each, from which JSON and screen are written.

A figure that is not known is None, and `unknown` says which and why; none is ever zero instead.
"""

import hashlib
from typing import Literal

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.canonical import canonical_json
from exchange_mcp.model.decimals import Money
from exchange_mcp.model.errors import ErrorCode
from exchange_mcp.model.frozen import Record
from exchange_mcp.model.instants import Instant
from exchange_mcp.model.positions import EffectClass, MarginMode, PositionMode
from exchange_mcp.model.writes import OrderType, TimeInForce


class Unknown(Record):
    """Figures that are None, and why."""

    figures: tuple[str, ...]
    why: str


class Refused(Record):
    """Why a write would be answered with an error, although it can be previewed."""

    code: ErrorCode
    reason: str


class PreviewedMarket(Record):
    """The market, as its venue lists it, in the screen's alphabet; `contract_size` as in `MarketTerms`."""

    venue: str
    symbol: str
    market_id: str
    market_type: MarketType
    base: str
    quote: str
    settle: str | None
    contract_size: Money | None


class _Preview(Record):
    """What all previews have.

    Attributes:
        stays: what is left behind afterwards, a sentence each.
        warnings: what a person should see before approving, a sentence each.
        unchecked: rules of the venue that could not be checked, a sentence each.
        refused: why a write would be refused; None where it would be sent.
        as_of: of the oldest reading that this is computed from.
    """

    market: PreviewedMarket
    stays: tuple[str, ...]
    warnings: tuple[str, ...]
    unchecked: tuple[str, ...]
    refused: Refused | None
    unknown: tuple[Unknown, ...]
    as_of: Instant

    def canonical(self) -> str:
        """The preview's one text, as `WirePlan.canonical` is."""
        return canonical_json(self.model_dump())

    def digest(self) -> str:
        """SHA-256 of the canonical text, in hex."""
        return hashlib.sha256(self.canonical().encode()).hexdigest()


class OrderPreview(_Preview):
    """What an order would do, were all of it filled. Money is in quote, unless said otherwise.

    Attributes:
        amount: in the venue's own unit; of a cost, what the book sells for it. base_amount: the same in base.
        notional: what all of it is worth at the prices expected. notional_percent: of the account's equity, its fifth
            decimal and beyond cut off.
        worst_cost: what it can be worth at most: market orders by the worst price of the book walked.
        mid: the middle of the book. distance_bps: of the limit or trigger price from it, above it positive.
        average_price: expected. slippage_bps: of that from the mid where the order trades at once; worse is positive.
        taken_at_once: how much of the amount the book fills at once; resting: what rests then.
        book_levels: how many were read on the side it trades with; book_levels_used, book_amount: those touched, and
            how much all of them hold, in the venue's unit.
        fee: in quote, settlement asset where inverse; fee_asset: in which it is paid.
        effect: on the position; None where that is not told.
        position, position_after: in the venue's unit, a short negative, spot: what is held of base.
        free, free_placed, free_after: what can be spent in quote (contracts: margin, in the settlement asset) now, once
            it is placed, and once it is filled. free_base and free_base_after: the same of base, on spot.
        liquidation_price, liquidation_price_after: of the position in this market.
    """

    action: Literal["place"]
    side: Literal["buy", "sell"]
    type: OrderType
    amount: Money | None
    base_amount: Money | None
    cost: Money | None
    price: Money | None
    trigger_price: Money | None
    time_in_force: TimeInForce | None
    post_only: bool
    reduce_only: bool
    client_order_id: str
    notional: Money | None
    notional_percent: Money | None
    worst_cost: Money | None
    mid: Money | None
    distance_bps: Money | None
    average_price: Money | None
    slippage_bps: Money | None
    taken_at_once: Money | None
    resting: Money | None
    book_levels: int | None
    book_levels_used: int | None
    book_amount: Money | None
    fee: Money | None
    fee_asset: str | None
    fee_source: str | None
    effect: EffectClass | None
    position_mode: PositionMode | None
    position: Money | None
    position_after: Money | None
    entry_price_after: Money | None
    leverage: int | None
    margin_mode: MarginMode | None
    free: Money | None
    free_placed: Money | None
    free_after: Money | None
    free_base: Money | None
    free_base_after: Money | None
    liquidation_price: Money | None
    liquidation_price_after: Money | None


class CancelledOrder(Record):
    """The order that a cancel would end, as its venue shows it; `amount` is what is unfilled, in the venue's unit."""

    order_id: str
    client_order_id: str | None
    side: Literal["buy", "sell"]
    type: OrderType | None
    amount: Money | None
    price: Money | None
    trigger_price: Money | None
    reduce_only: bool
    closes_position: bool
    conditional: bool


class CancelPreview(_Preview):
    """What a cancel would remove.

    Attributes:
        order_id, client_order_id: as asked; exactly one.
        order: what it names; None where it is not among the open orders.
        protects: whether it is a stop that protects what is held; None where that cannot be told.
    """

    action: Literal["cancel"]
    order_id: str | None
    client_order_id: str | None
    order: CancelledOrder | None
    protects: bool | None
    position: Money | None


class LeveragePreview(_Preview):
    """What a change of leverage would do; money is in the settlement asset.

    Attributes:
        leverage: as set now.
        max_notional_after: the largest position that the new one allows, in quote.
    """

    action: Literal["leverage"]
    leverage: int | None
    leverage_after: int
    margin_mode: MarginMode | None
    position: Money | None
    notional: Money | None
    max_notional_after: Money | None
    free: Money | None
    free_after: Money | None
    liquidation_price: Money | None
    liquidation_price_after: Money | None


Preview = OrderPreview | CancelPreview | LeveragePreview
