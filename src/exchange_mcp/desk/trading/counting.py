"""What only venues can tell of what a limit counts: orders that rest, and what was realised in 24 hours."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from exchange_mcp.desk.trading.asking import told
from exchange_mcp.desk.trading.needs import Reach
from exchange_mcp.model.accounts import AccountName, MarketType
from exchange_mcp.model.decimals import add
from exchange_mcp.model.ports import Clock, ReadVenue
from exchange_mcp.model.readings import Realised

_DAY_MS: Final = 86_400_000
# A venue's clock may be behind ours; what was realised a moment too long ago counts as well.
_OVERLAP_MS: Final = 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ByScope:
    """One number in each scope that covers a write; None where nothing needed it, so that it was not read."""

    desk: int | None = None
    account: int | None = None
    market: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AmountsByScope:
    """Amounts by asset in each scope that covers a write; None as above."""

    desk: dict[str, Decimal] | None = None
    account: dict[str, Decimal] | None = None
    market: dict[str, Decimal] | None = None


async def open_orders(
    venues: Sequence[ReadVenue], own: AccountName, symbol: str, reach: Reach, clock: Clock
) -> ByScope:
    """How many orders rest, whoever placed them, conditional ones included.

    Raises:
        NothingAnsweredError: one of the sources did not answer; no number is better than one that is too small.
    """
    asked = _asked(venues, own, reach)
    answers = await asyncio.gather(*(told(venue.open_orders(None), clock) for venue in asked))
    orders = [order for answer in answers for order in answer.whole()]
    of_own = sum(order.account == own for order in orders)
    match reach:
        case Reach.NOBODY:
            return ByScope()
        case Reach.OWN:
            return ByScope(account=of_own)
        case Reach.ALL:
            here = sum(order.symbol == symbol for order in orders)
            return ByScope(desk=len(orders), account=of_own, market=here)


async def realised(
    venues: Sequence[ReadVenue], own: AccountName, symbol: str, reach: Reach, clock: Clock
) -> AmountsByScope:
    """What derivatives realised in the last 24 hours, with fees and funding; an account without them realised nothing.

    Raises:
        NothingAnsweredError: one of the sources did not answer, or cannot be asked.
    """
    since_ms = clock.now_ms() - _DAY_MS - _OVERLAP_MS
    asked = [venue for venue in _asked(venues, own, reach) if _has_contracts(venue)]
    answers = await asyncio.gather(*(told(venue.realised(since_ms), clock) for venue in asked))
    entries = {venue.account.name: answer.whole() for venue, answer in zip(asked, answers, strict=True)}
    of_own = _sums(entries.get(own, ()))
    match reach:
        case Reach.NOBODY:
            return AmountsByScope()
        case Reach.OWN:
            return AmountsByScope(account=of_own)
        case Reach.ALL:
            every = [entry for each in entries.values() for entry in each]
            here = _sums(entry for entry in every if entry.symbol == symbol)
            return AmountsByScope(desk=_sums(every), account=of_own, market=here)


def _asked(venues: Sequence[ReadVenue], own: AccountName, reach: Reach) -> list[ReadVenue]:
    return [
        venue for venue in venues if reach is Reach.ALL or (reach is Reach.OWN and venue.account.name == own)
    ]


def _has_contracts(venue: ReadVenue) -> bool:
    return any(each is not MarketType.SPOT for each in venue.account.market_types)


def _sums(entries: Iterable[Realised]) -> dict[str, Decimal]:
    sums: dict[str, Decimal] = {}
    for entry in entries:
        sums[entry.asset] = add(sums.get(entry.asset, Decimal(0)), entry.amount)
    return sums


def assets_of(amounts: AmountsByScope) -> set[str]:
    """Every asset in which something was realised."""
    scopes = (amounts.desk, amounts.account, amounts.market)
    return {asset for scope in scopes if scope is not None for asset in scope}
