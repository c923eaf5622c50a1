"""Everything that has to be known to plan an order of one account in one market, asked at once.

A source that fails leaves its figures unknown and is named in the coverage; only what lists the market has to answer.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, cast

from exchange_mcp.model.accounts import Account
from exchange_mcp.model.coverage import Coverage, Gap, Sources
from exchange_mcp.model.errors import ErrorCode, InvalidArgumentError
from exchange_mcp.model.markets import OrderBook
from exchange_mcp.model.ports import ReadVenue
from exchange_mcp.model.readings import StandingPart
from exchange_mcp.model.terms import MarketTerms, Reference, Standing
from exchange_mcp.orders.standing import assembled
from exchange_mcp.tools.asking import ask
from exchange_mcp.tools.handed import ReadHanded

LEVELS: Final = 1000
"""How deep the book is read; a venue that shows less gives what it shows."""

_Reading = OrderBook | Reference | StandingPart


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderContext:
    """What was read.

    Attributes:
        book: None where it was not read.
        coverage: of every source; a gap also for each figure that its sources answered without telling it.
    """

    account: Account
    terms: MarketTerms
    reference: Reference
    standing: Standing
    book: OrderBook | None
    coverage: Coverage


async def order_context(
    handed: ReadHanded,
    account: str | None,
    symbol: str,
    *,
    check: Callable[[MarketTerms], None] | None = None,
) -> OrderContext:
    """Ask one account's venue for all of it.

    The market's terms come first, which costs no request; `check` may raise over them before anything is asked.

    Raises:
        InvalidArgumentError: no account is named and there are several.
        UnknownAccountError, UnknownSymbolError, NotCoveredError: no such account, market, or market type there.
        NothingAnsweredError: there was not one source that answered.
    """
    venue = _one(handed, account)
    name = venue.account.name
    listed = await ask(handed, name, lambda asked: asked.terms(symbol))
    (terms,) = listed.items
    if check is not None:
        check(terms)
    read = await ask(handed, name, lambda asked: _everything(asked, symbol))
    coverage = _joined(listed.coverage, read.coverage)
    whole = assembled(
        terms,
        (each for each in read.items if isinstance(each, Reference)),
        [each for each in read.items if not isinstance(each, OrderBook | Reference)],
        as_of_ms=min(each.as_of for each in read.coverage.answered),
    )
    return OrderContext(
        account=venue.account,
        terms=whole.terms,
        reference=whole.reference,
        standing=whole.standing,
        book=next((each for each in read.items if isinstance(each, OrderBook)), None),
        coverage=_with(coverage, name, whole.untold),
    )


def _one(handed: ReadHanded, account: str | None) -> ReadVenue:
    venues = handed.chosen(account)
    if len(venues) != 1:
        names = ", ".join(handed.venues) or "none"
        raise InvalidArgumentError(f"account: an order is of one account; there are: {names}")
    return venues[0]


def _everything(venue: ReadVenue, symbol: str) -> Sources[_Reading]:
    parts = cast(
        "tuple[Sources[_Reading], ...]",
        (venue.order_book(symbol, LEVELS), venue.reference(symbol), venue.standing(symbol)),
    )
    return Sources(
        tuple(read for part in parts for read in part.reads),
        tuple(unread for part in parts for unread in part.unread),
    )


def _joined(first: Coverage, second: Coverage) -> Coverage:
    return Coverage(
        complete=first.complete and second.complete,
        answered=(*first.answered, *second.answered),
        gaps=(*first.gaps, *second.gaps),
    )


def _with(coverage: Coverage, account: str, untold: Mapping[str, str]) -> Coverage:
    gaps = tuple(
        Gap(account=account, source=figure, code=ErrorCode.NOT_COVERED, message=why, retry="never")
        for figure, why in untold.items()
    )
    return Coverage(
        complete=coverage.complete and not gaps,
        answered=coverage.answered,
        gaps=(*coverage.gaps, *gaps),
    )
