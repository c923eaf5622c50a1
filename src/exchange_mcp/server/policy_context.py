"""Everything that the policy is asked with, read of one configured account. Read-only; nothing is counted here.

What only a desk counts, orders placed and losses realised in 24 hours, is assumed to be nothing, and said so.
"""

from collections.abc import Collection
from pathlib import Path
from typing import Final

import anyio

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.callers import Caller, Scope
from exchange_mcp.model.errors import ExchangeMcpError, InternalError
from exchange_mcp.model.ports import Clock
from exchange_mcp.model.terms import MarketTerms
from exchange_mcp.model.unified_symbols import market_type_of
from exchange_mcp.policy.counters import NOTHING_YET, Counters, Tally
from exchange_mcp.policy.explanation import Context
from exchange_mcp.policy.figures import Price
from exchange_mcp.server.assembly import Keyed, LateVenues
from exchange_mcp.tools.asking import ask
from exchange_mcp.tools.handed import ReadHanded
from exchange_mcp.tools.order_context import order_context

_OPERATOR: Final = Caller("operator", frozenset({Scope.READ}))
_NOTHING_DONE: Final = (
    "no order was placed and nothing was lost in the last 24 hours; a desk counts its own, this does not"
)
_ONLY_THIS: Final = "no other account has open orders"
_NOT_COUNTED: Final = "how many orders are open was not told by every source, so no number is assumed"


async def read_context(  # noqa: PLR0913 - what it takes to open an account, and what to ask
    account: Keyed,
    symbol: str,
    *,
    reference: str,
    cache: Path,
    clock: Clock,
    deadline_seconds: float,
    accepted: Collection[str] = (),
) -> Context:
    """The context of an order of this account in this market.

    Args:
        account: with its secrets; its key can only read, or nothing is asked.
        symbol: unified.
        reference: the policy's; a price of the market's quote in it is read, where they differ.
        cache: where market metadata is kept.
        clock: the moment of deciding is its time once all is read.
        deadline_seconds: how long all of it may take.
        accepted: digests of what the operator accepted that another ccxt does.

    Raises:
        ExchangeMcpError: the market is not listed, the account does not trade it, or nothing answered.
    """
    venues = LateVenues((account,), cache, clock, accepted=accepted)
    outcome: Context | ExchangeMcpError | None = None
    async with anyio.create_task_group() as group:
        group.start_soon(venues.run)
        try:
            handed = ReadHanded(
                venues=await venues.ready(),
                clock=clock,
                deadline=clock.monotonic() + deadline_seconds,
                caller=_OPERATOR,
            )
            outcome = await _read(handed, symbol, reference)
        except ExchangeMcpError as error:  # raised below: a task group would wrap it
            outcome = error
        finally:
            with anyio.CancelScope(shield=True):
                await venues.close()
            group.cancel_scope.cancel()
    if isinstance(outcome, Context):
        return outcome
    raise outcome or InternalError("reading the account was broken off")


async def _read(handed: ReadHanded, symbol: str, reference: str) -> Context:
    (venue,) = handed.venues.values()
    name = venue.account.name
    read = await order_context(handed, name, symbol)
    tallies, counted = await _tallies(handed, symbol, read.terms)
    prices = await _prices(handed, read.terms.quote, reference)
    return Context(
        account=name,
        terms=read.terms,
        reference=read.reference,
        standing=read.standing,
        book=read.book,
        # The oldest of all readings: the book is no older.
        quoted_at_ms=read.standing.as_of_ms,
        now_ms=handed.clock.now_ms(),
        prices=prices,
        counters=tallies,
        assumed=(_NOTHING_DONE, counted),
        unread=tuple(f"{gap.source}: {gap.message}" for gap in read.coverage.gaps),
    )


async def _tallies(handed: ReadHanded, symbol: str, terms: MarketTerms) -> tuple[Counters, str]:
    """The open orders of the account, and of the market, if every source told its own."""
    try:
        asked = await ask(handed, None, lambda venue: venue.open_orders(None))
    except ExchangeMcpError:
        return _counters(None, None), _NOT_COUNTED
    if not asked.coverage.complete:
        return _counters(None, None), _NOT_COUNTED
    here = [order for order in asked.items if order.symbol in {symbol, terms.market_id}]
    return _counters(len(asked.items), len(here)), _ONLY_THIS


def _counters(of_account: int | None, of_symbol: int | None) -> Counters:
    def tally(open_orders: int | None) -> Tally:
        return Tally(
            notional_24h=NOTHING_YET.notional_24h,
            orders_last_minute=0,
            open_orders=open_orders,
            realised_pnl_24h=NOTHING_YET.realised_pnl_24h,
        )

    return Counters(desk=tally(of_account), account=tally(of_account), symbol=tally(of_symbol))


async def _prices(handed: ReadHanded, quote: str, reference: str) -> tuple[Price, ...]:
    """The last price of the pair of quote and reference, whichever way round it is listed; none if it is not."""
    found: list[Price] = []
    if quote == reference:
        return ()
    for base, other in ((quote, reference), (reference, quote)):
        pair = f"{base}/{other}"
        if market_type_of(pair) is not MarketType.SPOT:
            continue
        try:
            asked = await ask(handed, None, lambda venue, pair=pair: venue.ticker(pair))
        except ExchangeMcpError:
            continue
        for ticker, answered in zip(asked.items, asked.coverage.answered, strict=True):
            if ticker.last is not None and ticker.last > 0:
                source = f"{answered.account}: last price of {pair}"
                found.append(
                    Price(base=base, quote=other, rate=ticker.last, as_of_ms=answered.as_of, source=source)
                )
    return tuple(found)
