"""Where one account stands in one market, read for one write; what the write's footing needs has to be told.

Everything is asked at once. A figure that is only shown may be missing, and the preview then says so; one that decides
is an error which names the source.
"""

import asyncio
from dataclasses import dataclass
from typing import Final

from exchange_mcp.desk.trading.asking import Told, Unanswered, failure, told
from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.coverage import Sources
from exchange_mcp.model.errors import BadAnswerError, NotCoveredError
from exchange_mcp.model.markets import OrderBook
from exchange_mcp.model.outcomes import Action
from exchange_mcp.model.ports import Clock, ReadVenue
from exchange_mcp.model.readings import StandingPart
from exchange_mcp.model.terms import MarketTerms, Reference, Standing
from exchange_mcp.orders.standing import assembled

LEVELS: Final = 1000
"""How deep the book is read; a venue that shows less gives what it shows."""

_NO_BOOK: Final[Sources[OrderBook]] = Sources(())
_NO_REFERENCE: Final[Sources[Reference]] = Sources(())


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What was read.

    Attributes:
        book: None where the write needs none.
        quoted_at_ms: when the book was received, by our own clock, UTC milliseconds; None without a book.
        unanswered: sources of figures that are only shown.
    """

    terms: MarketTerms
    reference: Reference
    standing: Standing
    book: OrderBook | None
    quoted_at_ms: int | None
    unanswered: tuple[Unanswered, ...]


async def terms_of(venue: ReadVenue, symbol: str, clock: Clock) -> MarketTerms:
    """What an order in this market is held to; no request once the venue's markets are known.

    Raises:
        UnknownSymbolError, NotCoveredError: no such market is listed, or the account does not trade it.
        ExchangeMcpError: the markets could not be had.
    """
    found = await told(venue.terms(symbol), clock)
    if found.unanswered:
        raise found.unanswered[0].error
    if len(found.items) != 1:
        raise NotCoveredError(f"account {venue.account.name} has no market {symbol}")
    return found.items[0]


async def situation(venue: ReadVenue, terms: MarketTerms, action: Action, clock: Clock) -> Situation:
    """Ask the account's venue for all that a write of this kind needs.

    Raises:
        ExchangeMcpError: something that decides was not told; the message names it.
    """
    symbol = terms.symbol
    is_order, is_cancel = action == "place", action == "cancel"
    books, references, parts = await asyncio.gather(
        told(venue.order_book(symbol, LEVELS) if is_order else _NO_BOOK, clock),
        told(_NO_REFERENCE if is_cancel else venue.reference(symbol), clock),
        told(venue.standing(symbol), clock),
    )
    found = _situation(terms, books, references, parts)
    _check(found, action, (*books.unanswered, *parts.unanswered))
    return found


def _situation(
    terms: MarketTerms, books: Told[OrderBook], references: Told[Reference], parts: Told[StandingPart]
) -> Situation:
    whole = assembled(
        terms,
        references.items,
        parts.items,
        as_of_ms=min(books.as_of_ms, references.as_of_ms, parts.as_of_ms),
    )
    book = books.items[0] if books.items else None
    return Situation(
        terms=whole.terms,
        reference=whole.reference,
        standing=whole.standing,
        book=book,
        quoted_at_ms=None if book is None else books.as_of_ms,
        unanswered=(*books.unanswered, *references.unanswered, *parts.unanswered),
    )


def _check(found: Situation, action: Action, unanswered: tuple[Unanswered, ...]) -> None:
    """See that every figure is told that decides.

    Raises:
        NothingAnsweredError: one is not, and these sources did not answer.
        BadAnswerError: one is not, although every source answered.
    """
    missing = [name for name, is_told in _decides(found, action) if not is_told]
    if not missing:
        return
    if unanswered:
        raise failure(unanswered)
    raise BadAnswerError(f"the venue does not tell {' and '.join(missing)} of {found.terms.symbol}")


def _decides(found: Situation, action: Action) -> list[tuple[str, bool]]:
    standing = found.standing
    is_spot = found.terms.market_type is MarketType.SPOT
    told_figures: list[tuple[str, bool]] = []
    if action == "place":
        told_figures.append(("the order book", found.book is not None))
        if is_spot:
            told_figures.append(("the balance", None not in {standing.free_base, standing.locked_base}))
    if action == "cancel":
        told_figures.append(("the open orders", standing.resting is not None))
    if not is_spot:
        told_figures.append(("the position mode", standing.position_mode is not None))
        if action != "cancel":
            told_figures += [
                ("the position", standing.held is not None),
                ("the leverage", standing.leverage is not None),
                ("the margin mode", standing.margin_mode is not None),
            ]
    return told_figures
