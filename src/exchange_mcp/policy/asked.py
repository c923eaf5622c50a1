"""From a planned write and its preview to what the policy is asked about."""

from decimal import Decimal

from exchange_mcp.model.accounts import AccountName
from exchange_mcp.model.markets import OrderBook
from exchange_mcp.model.terms import MarketTerms
from exchange_mcp.model.writes import PlaceOrder
from exchange_mcp.orders.planned import Planned, PlannedCancel, PlannedLeverage, PlannedOrder
from exchange_mcp.orders.preview import CancelPreview, LeveragePreview, OrderPreview, Preview
from exchange_mcp.orders.walk import opposite, take_amount, take_cost
from exchange_mcp.policy.proposed import Proposed


def proposed(  # noqa: PLR0913 - a plan, its preview, and what both were made from
    planned: Planned,
    preview: Preview,
    *,
    account: AccountName,
    terms: MarketTerms,
    book: OrderBook | None,
    quoted_at_ms: int | None,
) -> Proposed:
    """What the policy is asked about; all of it was read or computed, nothing is what a model wrote.

    Args:
        planned: the write.
        preview: of this write, made with these terms and this book.
        account: the operator's name of it.
        terms: of the market.
        book: as it was read; None where it was not.
        quoted_at_ms: when the book was received, by our own clock; UTC milliseconds.

    Raises:
        ValueError: write and preview are of different kinds, or a figure is no amount.
    """
    match planned, preview:
        case PlannedOrder(), OrderPreview():
            return _order(planned, preview, account, terms, book, quoted_at_ms)
        case PlannedCancel(), CancelPreview():
            return Proposed(
                action="cancel",
                account=account,
                symbol=terms.symbol,
                market_type=terms.market_type,
                base=terms.base,
                quote=terms.quote,
                has_position=_is_open(preview.position),
                is_protective=preview.protects,
            )
        case PlannedLeverage(), LeveragePreview():
            return Proposed(
                action="leverage",
                account=account,
                symbol=terms.symbol,
                market_type=terms.market_type,
                base=terms.base,
                quote=terms.quote,
                leverage_asked=planned.write.leverage,
                leverage_set=preview.leverage,
                has_position=_is_open(preview.position),
            )
        case _:
            raise ValueError("the preview is of another kind of write")


def _order(  # noqa: PLR0913, PLR0917 - as above
    planned: PlannedOrder,
    preview: OrderPreview,
    account: AccountName,
    terms: MarketTerms,
    book: OrderBook | None,
    quoted_at_ms: int | None,
) -> Proposed:
    write = planned.write
    return Proposed(
        action="place",
        account=account,
        symbol=terms.symbol,
        market_type=terms.market_type,
        base=terms.base,
        quote=terms.quote,
        side=write.side,
        type=write.type,
        effect=preview.effect,
        # In hedge mode no venue takes the flag; in a mode that was not told, nobody knows whether it was taken.
        is_venue_enforced_reduce_only=write.is_reduce_only and preview.position_mode == "one_way",
        expected_notional=preview.notional,
        worst_notional=preview.worst_cost,
        worst_price=_worst_price(write, terms, book),
        trigger_price=write.trigger_price,
        mid=preview.mid,
        quoted_at_ms=quoted_at_ms,
        leverage_set=preview.leverage,
        has_position=_is_open(preview.position),
    )


def _worst_price(write: PlaceOrder, terms: MarketTerms, book: OrderBook | None) -> Decimal | None:
    """The limit price, or the last level that the book fills a market order at, if it fills all of it."""
    if write.price is not None:
        return write.price
    side = None if book is None or write.type.has_trigger else opposite(book, terms, write.side)
    if side is None:
        return None
    if write.amount is not None:
        walk = take_amount(side, write.amount, buys=write.side == "buy")
    elif write.cost is not None:
        walk = take_cost(side, write.cost, step=terms.amount.step)
    else:
        return None
    return None if walk.missing else walk.worst


def _is_open(position: Decimal | None) -> bool | None:
    return None if position is None else position != 0
