"""By which prices amounts are stated in the policy's reference currency: the last price of a pair, either way round."""

import asyncio
from collections.abc import Collection, Sequence

from exchange_mcp.desk.trading.asking import Told, Unanswered, failure, told
from exchange_mcp.model.accounts import AccountName, MarketType
from exchange_mcp.model.errors import UnknownSymbolError
from exchange_mcp.model.markets import Ticker
from exchange_mcp.model.ports import Clock, ReadVenue
from exchange_mcp.model.unified_symbols import market_type_of
from exchange_mcp.policy.figures import Price


async def prices_of(
    assets: Collection[str], reference: str, venues: Sequence[ReadVenue], own: AccountName, clock: Clock
) -> tuple[Price, ...]:
    """A price of each of these assets in the reference currency, as far as one is listed.

    It is the account's own venue's where that account trades spot, otherwise the others'. An asset that is listed
    nowhere has none, and the limits say so.

    Raises:
        NothingAnsweredError: a pair is listed and its price was not told.
    """
    spot = [venue for venue in venues if MarketType.SPOT in venue.account.market_types]
    asked = [venue for venue in spot if venue.account.name == own] or spot
    found = await asyncio.gather(
        *(_price(asset, reference, asked, clock) for asset in sorted(set(assets) - {reference}))
    )
    return tuple(price for each in found for price in each)


async def _price(asset: str, reference: str, venues: Sequence[ReadVenue], clock: Clock) -> tuple[Price, ...]:
    pairs = [
        (base, quote)
        for base, quote in ((asset, reference), (reference, asset))
        if market_type_of(f"{base}/{quote}") is MarketType.SPOT
    ]
    ways = [(venue, base, quote) for venue in venues for base, quote in pairs]
    answers = await asyncio.gather(
        *(told(venue.ticker(f"{base}/{quote}"), clock) for venue, base, quote in ways)
    )
    found: list[Price] = []
    failed: list[Unanswered] = []
    for (venue, base, quote), answer in zip(ways, answers, strict=True):
        found += _told(answer, venue.account.name, base, quote)
        failed += [each for each in answer.unanswered if not isinstance(each.error, UnknownSymbolError)]
    if failed and not found:
        raise failure(tuple(failed))
    return tuple(found)


def _told(answer: Told[Ticker], account: AccountName, base: str, quote: str) -> list[Price]:
    return [
        Price(
            base=base,
            quote=quote,
            rate=ticker.last,
            as_of_ms=answer.as_of_ms,
            source=f"{account}: last price of {base}/{quote}",
        )
        for ticker in answer.items
        if ticker.last is not None and ticker.last > 0
    ]
