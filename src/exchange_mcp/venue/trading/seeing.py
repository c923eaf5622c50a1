"""Every order of a key that can be seen: what is open of all markets, and what has ended of each market that matters.

Binance lists what is open for all markets at once, on spot, on USD-M, and of conditional orders. What has ended it
lists for one market at a time. Asked are the markets that the caller names; those with an open order, a position, or
a position that changed since then, now or at an earlier look; and the spot markets both of whose assets are held or,
from the second look on, changed since the last one: an order that was filled changed both. Not seen is an order on a
market that is none of these, that has ended between two looks without leaving anything; nor one that the venue forgets
by itself: ended without a trade, after 3 days on USD-M and 90 on spot.

https://developers.binance.com/docs/binance-spot-api-docs/rest-api/account-endpoints
https://developers.binance.com/docs/derivatives/usds-margined-futures/trade/rest-api/All-Orders
"""

import asyncio
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from exchange_mcp.config.logs import get_logger
from exchange_mcp.model.accounts import Account, MarketType
from exchange_mcp.model.decimals import add, from_wire
from exchange_mcp.model.errors import BadAnswerError, NotCoveredError
from exchange_mcp.model.findings import Source
from exchange_mcp.model.trading import Sighting
from exchange_mcp.model.unified_symbols import market_type_of
from exchange_mcp.rules.client_ids import Listed, order_ids
from exchange_mcp.rules.private import PRIVATE
from exchange_mcp.venue.found_rows import Row, Seen, instant, rows_of, seen
from exchange_mcp.venue.listing import at
from exchange_mcp.venue.markets import Markets
from exchange_mcp.venue.trading.asking import Asking
from exchange_mcp.venue.trading.clock import VenueClock

_log = get_logger(__name__)

_OPEN: Final = frozenset({Source.OPEN_ORDERS, Source.CONDITIONAL_ORDERS})
_ENDED: Final = frozenset({Source.CLOSED_ORDERS, Source.CLOSED_CONDITIONAL_ORDERS})
# How far a venue's clocks are apart, so that nothing placed meanwhile is after the last span.
_AHEAD_MS: Final = 60_000
# So many questions are under way at once; the limiter stands before each.
_AT_ONCE: Final = 4

Market = tuple[MarketType, str]
"""A market by its type and the venue's own id."""


class Seeing:
    """Sees one account's orders. It remembers what was held at the last whole answer, and which markets mattered."""

    def __init__(
        self,
        account: Account,
        client: Any,  # noqa: ANN401 - ccxt is untyped
        asking: Asking,
        clock: VenueClock,
    ) -> None:
        self._account = account
        self._client = client
        self._asking = asking
        self._clock = clock
        self._held: Mapping[str, Decimal] | None = None
        self._noticed: dict[Market, int] = {}

    async def seen(self, since_ms: int, symbols: frozenset[str], markets: Markets) -> tuple[Sighting, ...]:
        """What there is, the open orders first, one order once.

        Raises:
            ExchangeMcpError: a source did not answer, or not for all of that time.
        """
        found: dict[tuple[MarketType, bool, str], Sighting] = {}
        began_ms, noticed = self._clock.now_ms(), dict(self._noticed)
        wanted = self._named(symbols, markets)
        lists = {each: self._lists(each) for each in self._account.market_types}

        async def ask_open(market_type: MarketType, each: Listed) -> None:
            rows = await self._open(each)
            noticed.update(((market_type, market_id), began_ms) for market_id, _ in rows)
            _keep(found, market_type, each, rows, since_ms)

        async def ask_positions() -> None:
            noticed.update((market, began_ms) for market in await self._positions(since_ms))

        async def ask_wallet() -> None:
            held.update(await self._wallet())

        held = dict[str, Decimal]()
        open_lists = [(t, each) for t, listed in lists.items() for each in listed if each.source in _OPEN]
        await _all([*(ask_open(*each) for each in open_lists), ask_positions(), ask_wallet()])
        # At the first answer nothing is known to have changed: then it is asked once.
        changed_ms = since_ms if self._held is None else began_ms
        for market in self._traded(held, markets):
            noticed[market] = max(noticed.get(market, 0), changed_ms)
        # What mattered a while ago is asked about until the look goes no further back than that.
        wanted |= {market for market, at_ms in noticed.items() if at_ms >= since_ms}
        questions = [
            (market_type, market_id, each)
            for market_type, market_id in sorted(wanted)
            for each in lists.get(market_type, ())
            if each.source in _ENDED
        ]
        limit = asyncio.Semaphore(_AT_ONCE)

        async def ask_ended(market_type: MarketType, market_id: str, each: Listed) -> None:
            async with limit:
                rows = await self._ended(each, market_id, since_ms)
            _keep(found, market_type, each, [(market_id, row) for row in rows], since_ms)

        await _all([ask_ended(*question) for question in questions])
        self._held = held
        self._noticed = {market: at_ms for market, at_ms in noticed.items() if at_ms >= since_ms}
        return tuple(found.values())

    def _lists(self, market_type: MarketType) -> Sequence[Listed]:
        rules = order_ids(self._account.venue, market_type, is_conditional=False)
        lists = () if rules is None else rules.lookups.lists
        asked = [each for each in lists if isinstance(each, Listed) and each.source in _OPEN | _ENDED]
        if rules is None or len(asked) != sum(each.source in _OPEN | _ENDED for each in lists):
            raise NotCoveredError(f"not every order on {market_type} can be seen at {self._account.venue}")
        return asked

    def _named(self, symbols: Iterable[str], markets: Markets) -> set[Market]:
        found = set[Market]()
        for symbol in symbols:
            market, named = markets.get(symbol), market_type_of(symbol)
            if market is None or named is None or named not in self._account.market_types:
                # Nothing is placed there any more, and the venue does not answer about it.
                _log.info("a market is not listed any more", account=self._account.name, symbol=symbol)
            else:
                found.add((named, str(market["id"])))
        return found

    async def _open(self, listed: Listed) -> list[tuple[str, Seen]]:
        """Each open order with its market's id; the list is whole as it comes."""
        path = listed.fields.symbol or ""
        rows = rows_of(await self._asking.ask(listed.call, listed.params), listed.rows, listed.shape)
        found = list[tuple[str, Seen]]()
        for row in rows:
            market_id = at(row, path)
            if not isinstance(market_id, str) or not market_id:
                raise BadAnswerError("an order does not say which market it is on")
            found.append((market_id, seen(row, listed.fields, market_id)))
        return found

    async def _ended(self, listed: Listed, market_id: str, since_ms: int) -> list[Seen]:
        """Every order of one market that was placed since then, as far as the venue remembers it."""
        first, until_ms = max(0, since_ms), self._clock.now_ms() + _AHEAD_MS
        span_ms, found = listed.span_ms or until_ms, list[Seen]()
        if listed.is_latest and until_ms - first > span_ms:
            found = await self._latest(listed, market_id)
            oldest_ms = min((row.created_ms for row in found), default=0)
            if len(found) < (listed.size or 0) or oldest_ms < first:
                return found
            until_ms = oldest_ms
        while first <= until_ms:
            last = min(first + span_ms - 1, until_ms)
            found += await self._between(listed, market_id, first, last)
            first = last + 1
        return found

    async def _latest(self, listed: Listed, market_id: str) -> list[Seen]:
        """The latest orders of one market, of all time."""
        params: dict[str, Any] = {**listed.params}
        if listed.symbol is not None:
            params[listed.symbol] = market_id
        if listed.limit is not None and listed.size is not None:
            params[listed.limit] = listed.size
        rows = rows_of(await self._asking.ask(listed.call, params), listed.rows, listed.shape)
        return [seen(row, listed.fields, market_id) for row in rows]

    async def _between(self, listed: Listed, market_id: str, first: int, last: int) -> list[Seen]:
        """What was placed from one moment to another. A page that may be cut is asked for again in two halves."""
        if listed.since is None or listed.until is None or listed.limit is None or listed.size is None:
            raise NotCoveredError("this list cannot be read on")
        params: dict[str, Any] = {
            **listed.params,
            listed.since: first,
            listed.until: last,
            listed.limit: listed.size,
        }
        if listed.symbol is not None:
            params[listed.symbol] = market_id
        rows = rows_of(await self._asking.ask(listed.call, params), listed.rows, listed.shape)
        if len(rows) < listed.size:
            return [seen(row, listed.fields, market_id) for row in rows]
        if first == last:
            raise BadAnswerError(f"{len(rows)} orders of one millisecond came, so that there may be more")
        middle = (first + last) // 2
        return [
            *await self._between(listed, market_id, first, middle),
            *await self._between(listed, market_id, middle + 1, last),
        ]

    async def _positions(self, since_ms: int) -> set[Market]:
        """The markets with a position, or with one that changed since then."""
        found = set[Market]()
        for source in PRIVATE[self._account.venue].positions:
            for market_type in set(source.types) & set(self._account.market_types):
                rows = rows_of(await self._asking.ask(source.call, source.params), source.rows, "list")
                fields = source.fields
                for row in rows:
                    changed = 0 if fields.updated is None else instant(at(row, fields.updated), "ms") or 0
                    if changed >= since_ms or _amount(row, fields.size):
                        found.add((market_type, _text(row, fields.market)))
        return found

    async def _wallet(self) -> dict[str, Decimal]:
        """What is held on spot, by asset: free and locked together."""
        held = dict[str, Decimal]()
        if MarketType.SPOT not in self._account.market_types:
            return held
        for source in PRIVATE[self._account.venue].balances:
            if source.types != (MarketType.SPOT,):
                continue
            fields = source.fields
            for row in rows_of(await self._asking.ask(source.call, source.params), source.rows, "list"):
                total = Decimal(0)
                for name in (*fields.free, *fields.used):
                    total = add(total, _amount(row, name))
                if total:
                    held[_text(row, fields.asset)] = total
        return held

    def _traded(self, held: Mapping[str, Decimal], markets: Markets) -> set[Market]:
        """The spot markets both of whose assets changed since the last whole answer."""
        before = self._held or {}
        changed = {asset for asset in held.keys() | before.keys() if held.get(asset) != before.get(asset)}
        return {
            (MarketType.SPOT, str(market["id"]))
            for symbol, market in markets.items()
            if market_type_of(symbol) is MarketType.SPOT and {market["baseId"], market["quoteId"]} <= changed
        }


def _keep(
    found: dict[tuple[MarketType, bool, str], Sighting],
    market_type: MarketType,
    listed: Listed,
    rows: Iterable[tuple[str, Seen]],
    since_ms: int,
) -> None:
    is_apart = listed.source in {Source.CONDITIONAL_ORDERS, Source.CLOSED_CONDITIONAL_ORDERS}
    for market_id, row in rows:
        if row.created_ms >= since_ms and row.order.order_id is not None:
            found[market_type, is_apart, f"{market_id} {row.order.order_id}"] = Sighting(
                order_id=row.order.order_id,
                client_order_id=row.order.client_order_id,
                market_id=market_id,
                placed_ms=row.created_ms,
            )


async def _all(questions: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Every answer, or the first failure; nothing is left running after it.

    Raises:
        ExchangeMcpError: the first failure.
    """
    tasks = [asyncio.ensure_future(each) for each in questions]
    try:
        await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


def _text(row: Row, path: str) -> str:
    value = at(row, path)
    if not isinstance(value, str) or not value:
        raise BadAnswerError(f"a row does not say its {path}")
    return value


def _amount(row: Row, path: str) -> Decimal:
    try:
        return from_wire(at(row, path)) or Decimal(0)
    except (ValueError, TypeError):
        raise BadAnswerError(f"the {path} of a row is not a number") from None
