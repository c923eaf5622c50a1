"""From a planned write and what was read of market and account to its preview."""

from exchange_mcp.model.markets import OrderBook
from exchange_mcp.model.terms import MarketTerms, Reference, Standing
from exchange_mcp.orders.planned import PlannedCancel, PlannedLeverage, PlannedOrder
from exchange_mcp.orders.preview import CancelPreview, LeveragePreview, OrderPreview


def preview_order(
    planned: PlannedOrder,
    terms: MarketTerms,
    reference: Reference,
    standing: Standing,
    book: OrderBook | None,
) -> OrderPreview:
    """What an order would do; a book of None was not read.

    Raises:
        OrderRefusedError: BOOK_EMPTY, BOOK_TOO_THIN for a market order; COST_TOO_SMALL where a cost buys nothing.
    """
    raise NotImplementedError


def preview_cancel(planned: PlannedCancel, terms: MarketTerms, standing: Standing) -> CancelPreview:
    """What a cancel would remove, and what stays."""
    raise NotImplementedError


def preview_leverage(
    planned: PlannedLeverage, terms: MarketTerms, reference: Reference, standing: Standing
) -> LeveragePreview:
    """What a change of leverage would do."""
    raise NotImplementedError
