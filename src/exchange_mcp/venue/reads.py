"""`ReadVenue` over ccxt: which sources each question has, and how each is asked."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any, Final, TypeVar

from anyio.lowlevel import checkpoint

from exchange_mcp.model.accounts import Account, MarketType
from exchange_mcp.model.balances import Balance
from exchange_mcp.model.coverage import SourceRead, Sources, Unread
from exchange_mcp.model.errors import BadAnswerError, NotCoveredError
from exchange_mcp.model.findings import Findings, Sought
from exchange_mcp.model.markets import OrderBook, Ticker
from exchange_mcp.model.orders import OpenOrder
from exchange_mcp.model.positions import Position
from exchange_mcp.model.readings import Realised, StandingPart
from exchange_mcp.model.terms import MarketTerms, Reference
from exchange_mcp.model.unified_symbols import market_type_of
from exchange_mcp.rules.endpoints import Endpoint
from exchange_mcp.rules.private import PRIVATE, PrivateReads
from exchange_mcp.rules.private.declared import BalanceFields, F, OrderFields, PositionFields, Source
from exchange_mcp.rules.reading import book_depth, counts_in_base
from exchange_mcp.rules.tickers import ticker_fields
from exchange_mcp.rules.venues import venue_rules
from exchange_mcp.venue import answers, listing
from exchange_mcp.venue.account_types import QUESTIONS, AccountType
from exchange_mcp.venue.egress import reading
from exchange_mcp.venue.failures import meaning
from exchange_mcp.venue.finding import Finder
from exchange_mcp.venue.listed import market_terms
from exchange_mcp.venue.markets import MarketCatalogue, Markets
from exchange_mcp.venue.masking import redactor_of
from exchange_mcp.venue.realised import REALISED, RealisedReader
from exchange_mcp.venue.repeating import Sleep, repeated
from exchange_mcp.venue.standing import REFERENCES, STANDINGS, Question
from exchange_mcp.venue.standing.question import About
from exchange_mcp.venue.standing.records import listed_fees, open_positions, resting_orders, spot_wallet
from exchange_mcp.venue.symbols import market_named, may_hold, resolve
from exchange_mcp.venue.terms import Parsed, parsable, terms_of

T = TypeVar("T")

# How many rows are turned into records before others have their turn: some milliseconds.
_IN_ONE_GO: Final = 50
_UNLISTED: Final = {"contract": True, "linear": None}


class CcxtReadVenue:
    """One account, read through a client that may be shared with others. It has no member that writes."""

    def __init__(
        self,
        account: Account,
        client: Any,  # noqa: ANN401 - ccxt is untyped
        catalogue: MarketCatalogue,
        *,
        endpoints: frozenset[Endpoint],
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._account = account
        self._endpoints = endpoints
        self._client = client
        self._catalogue = catalogue
        self._sleep = sleep
        self._redactor = redactor_of(client)
        rules = venue_rules(account.venue)
        if rules is None:
            raise LookupError(f"no rules for venue {account.venue}")
        self._rules, self._private = rules, rules.has_private_reads
        self._declared = PRIVATE.get(account.venue, PrivateReads())
        self._turn = asyncio.Lock() if self._declared.in_turn else nullcontext()
        self._kind = (
            AccountType(
                account.name,
                client,
                asking=partial(reading, endpoints),
                redactor=self._redactor,
                sleep=sleep,
            )
            if account.venue in QUESTIONS
            else None
        )
        self._finder = Finder(account, client, endpoints, self._redactor, turn=self._turn, kind=self._kind)

    @property
    def account(self) -> Account:
        """Whose answers these are."""
        return self._account

    def balances(self) -> Sources[Balance]:
        """One source a wallet."""
        return self._private_sources(self._declared.balances, self._account.market_types, self._balances)

    def positions(self) -> Sources[Position]:
        """One source a list that the venue keeps apart; an account of spot alone has none, and says so."""
        types = tuple(t for t in self._account.market_types if t is not MarketType.SPOT)
        if types:
            return self._private_sources(self._declared.positions, types, self._positions)
        return Sources(
            (), (Unread("positions", self._uncovered("has no derivatives market type configured")),)
        )

    def open_orders(self, symbol: str | None) -> Sources[OpenOrder]:
        """One source an order list; of the symbol's market type alone where one is named."""
        types, declared = self._account.market_types, self._declared.orders
        named = None if symbol is None else market_type_of(symbol)
        if named is not None and named not in types:
            return Sources((), (self._other_type(named),))
        holding = tuple(source for source in declared if symbol is None or may_hold(symbol, source))
        return self._private_sources(holding, types if named is None else (named,), self._orders, symbol)

    def ticker(self, symbol: str) -> Sources[Ticker]:
        """The venue's 24-hour ticker."""
        if not self._rules.has_ticker:
            return Sources((), (self._unanswered("ticker"),))

        async def read(markets: Markets) -> list[Ticker]:
            market = resolve(symbol, markets, self._account.venue)
            parsed = await self._client.fetch_ticker(market["symbol"])
            venue, market_type = self._account.venue, market_type_of(symbol) or MarketType.SPOT
            fields, is_known = ticker_fields(venue, market_type), counts_in_base(venue, market_type)
            return [answers.ticker(parsed, market, self._account.name, fields, is_known=is_known)]

        return self._market_data("ticker", symbol, read)

    def order_book(self, symbol: str, levels: int) -> Sources[OrderBook]:
        """The venue's book."""
        if not self._rules.has_order_book:
            return Sources((), (self._unanswered("order book"),))

        async def read(markets: Markets) -> list[OrderBook]:
            market = resolve(symbol, markets, self._account.venue)
            venue, market_type = self._account.venue, market_type_of(symbol) or MarketType.SPOT
            depth = book_depth(venue, market_type, levels)
            parsed = await self._client.fetch_order_book(market["symbol"], depth)
            in_base = counts_in_base(venue, market_type)
            return [answers.order_book(parsed, market, self._account.name, levels, is_known=in_base)]

        return self._market_data("order book", symbol, read)

    def terms(self, symbol: str) -> Sources[MarketTerms]:
        """The listed market's."""

        async def read(markets: Markets) -> list[MarketTerms]:
            market = resolve(symbol, markets, self._account.venue)
            return [market_terms(self._account.venue, market, self._client.precisionMode)]

        return self._market_data("market terms", symbol, read)

    def reference(self, symbol: str) -> Sources[Reference]:
        """One source a price; where nothing else is known, the last one of the ticker."""
        questions = REFERENCES.get((self._account.venue, market_type_of(symbol) or MarketType.SPOT))
        if questions is not None:
            return self._questions(questions, symbol)
        ticker = self.ticker(symbol)

        def last(read: SourceRead[Ticker]) -> SourceRead[Reference]:
            async def reference() -> list[Reference]:
                return [Reference(last=each.last, mark=None, average=None) for each in await read.read()]

            return SourceRead("last price", reference)

        return Sources(tuple(map(last, ticker.reads)), ticker.unread)

    def standing(self, symbol: str) -> Sources[StandingPart]:
        """One source a part: of the venue's own where they are known, otherwise of what is read of it anyway."""
        named = market_type_of(symbol) or MarketType.SPOT
        if named not in self._account.market_types:
            return Sources((), (self._other_type(named),))
        if not self._account.has_key:
            error = self._uncovered("has no key, so nothing is known of the account")
            return _joined(self._listed_rate(symbol), Sources((), (Unread("account", error),)))
        own = STANDINGS.get((self._account.venue, named))
        parts: list[Sources[StandingPart]] = [self._resting(symbol, named)]
        if named is MarketType.SPOT:
            parts.insert(0, self._wallets())
        elif own is None:
            parts.insert(0, self._held(symbol, named))
        return _joined(*parts, self._listed_rate(symbol) if own is None else self._questions(own, symbol))

    def realised(self, since_ms: int) -> Sources[Realised]:
        """One source a derivatives market type; each is told whole or not at all."""
        types = [each for each in self._account.market_types if each is not MarketType.SPOT]
        if types and not self._account.has_key:
            return Sources(
                (), (Unread("realised", self._uncovered("has no key, so nothing is known of it")),)
            )
        asked: list[SourceRead[Realised]] = []
        unread: list[Unread] = []
        for each in types:
            reader = REALISED.get((self._account.venue, each))
            if reader is None:
                reason = f"cannot be read for {each}: this version does not know how"
                unread.append(Unread(f"realised ({each})", self._uncovered(reason)))
                continue

            async def read(
                _: Markets, reader: RealisedReader = reader, each: MarketType = each
            ) -> Sequence[Realised]:
                def symbol_of(identifier: str) -> str:
                    market = market_named(self._client, identifier, (each,))
                    return identifier if market is None else str(market["symbol"])

                return await reader(self._client, since_ms, symbol_of)

            asked.append(SourceRead(f"realised ({each})", self._guarded(read)))
        return Sources(tuple(asked), tuple(unread))

    def _questions(self, questions: Sequence[Question[T]], symbol: str) -> Sources[T]:
        def one(question: Question[T]) -> SourceRead[T]:
            async def read(markets: Markets) -> list[T]:
                about = self._about(symbol, markets)
                answer = await getattr(self._client, question.call)(question.params(about))
                return [question.read(answer, about)]

            return SourceRead(question.source, self._guarded(read))

        named = market_type_of(symbol) or MarketType.SPOT
        if named not in self._account.market_types:
            return Sources((), (self._other_type(named),))
        return Sources(tuple(map(one, questions)))

    def _about(self, symbol: str, markets: Markets) -> About:
        market = resolve(symbol, markets, self._account.venue)
        types = (market_type_of(symbol) or MarketType.SPOT,)

        def id_of(other: str) -> str | None:
            listed = markets.get(other)
            return None if listed is None else str(listed["id"])

        return About(market=market, named=lambda name: market_named(self._client, name, types), id_of=id_of)

    def _listed_rate(self, symbol: str) -> Sources[StandingPart]:
        async def read(markets: Markets) -> list[StandingPart]:
            fees = listed_fees(resolve(symbol, markets, self._account.venue))
            if fees is None:
                raise self._uncovered(f"is at {self._account.venue}, which lists no fee rate for {symbol}")
            return [fees]

        return Sources((SourceRead("listed fee rate", self._guarded(read)),))

    def _wallets(self) -> Sources[StandingPart]:
        declared = [each for each in self._declared.balances if MarketType.SPOT in each.types]
        asked = self._private_sources(declared, (MarketType.SPOT,), self._balances)
        lists = len(asked.reads) + len(asked.unread)
        is_whole = (self._account.venue, MarketType.SPOT) in STANDINGS

        def part(source: SourceRead[Balance]) -> SourceRead[StandingPart]:
            async def read() -> list[StandingPart]:
                return [spot_wallet(await source.read(), is_whole=is_whole, lists=lists)]

            return SourceRead(f"balances ({source.source})", read)

        return Sources(tuple(map(part, asked.reads)), asked.unread)

    def _held(self, symbol: str, named: MarketType) -> Sources[StandingPart]:
        holding = [source for source in self._declared.positions if may_hold(symbol, source)]
        asked = self._private_sources(holding, (named,), self._positions)
        lists = len(asked.reads) + len(asked.unread)

        def part(source: SourceRead[Position]) -> SourceRead[StandingPart]:
            async def read() -> list[StandingPart]:
                found = await source.read()
                market = resolve(symbol, await self._catalogue.ready(), self._account.venue)
                return [open_positions(found, market, lists=lists)]

            return SourceRead(f"positions ({source.source})", read)

        return Sources(tuple(map(part, asked.reads)), asked.unread)

    def _resting(self, symbol: str, named: MarketType) -> Sources[StandingPart]:
        holding = [source for source in self._declared.orders if may_hold(symbol, source)]
        asked = self._private_sources(holding, (named,), self._order_rows, symbol)
        apart = {source.name for source in holding if source.is_apart}
        lists = len(asked.reads) + len(asked.unread)

        def part(source: SourceRead[tuple[OpenOrder, Parsed]]) -> SourceRead[StandingPart]:
            async def read() -> list[StandingPart]:
                found = await source.read()
                market = resolve(symbol, await self._catalogue.ready(), self._account.venue)
                return [resting_orders(found, market, lists=lists, is_apart=source.source in apart)]

            return SourceRead(f"open orders ({source.source})", read)

        return Sources(tuple(map(part, asked.reads)), asked.unread)

    async def find(self, sought: Sought) -> Findings:
        """What each source says of an order of ours."""
        return await self._finder.find(sought)

    def _private_sources(
        self,
        declared: Sequence[Source[F]],
        types: Sequence[MarketType],
        read: Callable[[Source[F], str | None, Markets], Awaitable[Sequence[T]]],
        symbol: str | None = None,
    ) -> Sources[T]:
        """A source for each name that the account can have, and a named reason for each market type without one."""
        if not self._account.has_key:
            error = self._uncovered("has no key, so it serves market data only")
            return Sources((), tuple(Unread(t, error) for t in types))
        readable, kind = set(types) & set(self._private), None if self._kind is None else self._kind.known
        ways = dict[str, list[Source[F]]]()
        for source in declared:
            if readable & set(source.types) and (kind is None or not source.kinds or kind in source.kinds):
                ways.setdefault(source.name, []).append(source)
        reads = (
            SourceRead(name, self._guarded(partial(self._asked, way, read, symbol), way))
            for name, way in ways.items()
        )
        unread = (
            Unread(t, self._uncovered(f"cannot be read for {t}: this version does not know how"))
            for t in types
            if t not in self._private
        )
        return Sources(tuple(reads), tuple(unread))

    async def _asked(
        self,
        ways: Sequence[Source[F]],
        read: Callable[[Source[F], str | None, Markets], Awaitable[Sequence[T]]],
        symbol: str | None,
        markets: Markets,
    ) -> Sequence[T]:
        """Ask in the way of the account's kind; a wallet or list that this kind does not have holds nothing."""
        kind = None if self._kind is None else self._kind.known
        source = next((way for way in ways if not way.kinds or kind in way.kinds), None)
        if source is None:
            return ()
        if source.gap and not (source.by_symbol_only and symbol is not None):
            raise self._uncovered(source.gap)
        async with self._turn:
            return await read(source, symbol, markets)

    async def _balances(
        self, source: Source[BalanceFields], _: str | None, markets: Markets
    ) -> Sequence[Balance]:
        rows = await listing.rows(self._client, source, None, markets)
        name = self._account.name
        return answers.balances(rows, source.fields, name, source.name, self._client.safe_currency_code)

    async def _positions(
        self, source: Source[PositionFields], _: str | None, markets: Markets
    ) -> Sequence[Position]:
        found: list[Position] = []
        async for row in _in_turns(await listing.rows(self._client, source, None, markets)):
            market, symbol = self._market(row, source.fields.market, source.types)
            position = answers.position(
                row,
                source.fields,
                market,
                symbol=symbol,
                account=self._account.name,
                source=source.name,
            )
            if position is not None and self._is_asked(symbol):
                found.append(position)
        return found

    async def _orders(
        self, source: Source[OrderFields], symbol: str | None, markets: Markets
    ) -> Sequence[OpenOrder]:
        return [order for order, _ in await self._order_rows(source, symbol, markets)]

    async def _order_rows(
        self, source: Source[OrderFields], symbol: str | None, markets: Markets
    ) -> Sequence[tuple[OpenOrder, Parsed]]:
        """Every order, and what ccxt parsed it to."""
        named = None if symbol is None else resolve(symbol, markets, self._account.venue)
        found: list[tuple[OpenOrder, Parsed]] = []
        async for row in _in_turns(await listing.rows(self._client, source, named, markets)):
            market, own = self._market(row, source.fields.market, source.types)
            if named is not None and own != named["symbol"]:
                if source.symbol is not None:
                    raise BadAnswerError(f"the venue was asked for {symbol} and sent another market's order")
                continue  # of a list that is always asked whole
            if not self._is_asked(own):
                continue
            parsed = self._client.parse_order(parsable(row), market)
            # What is not listed any more may count in anything.
            shown = market or (None if source.types == (MarketType.SPOT,) else _UNLISTED)
            terms = terms_of(self._account.venue, row, parsed)
            if market is None and {MarketType.SPOT} < set(source.types):
                terms = replace(terms, amount=None, filled=None)  # in base or in contracts: it does not say
            name = self._account.name
            order = answers.open_order(parsed, shown, name, source.name, symbol=own, terms=terms)
            found.append((order, parsed))
        return found

    def _market(
        self, row: Mapping[str, Any], field: str, types: Sequence[MarketType]
    ) -> tuple[Mapping[str, Any] | None, str]:
        """The row's market and its symbol; None and the venue's own name where no such market is listed."""
        identifier = listing.at(row, field)
        if not isinstance(identifier, str) or not identifier:
            raise BadAnswerError("the venue sent a row without its market")
        market = market_named(self._client, identifier, types)
        return market, identifier if market is None else str(market["symbol"])

    def _is_asked(self, symbol: str) -> bool:
        """Whether the account is set up for the market's type; what cannot be told is kept."""
        named = market_type_of(symbol)
        return named is None or named in self._account.market_types

    def _market_data(
        self, source: str, symbol: str, read: Callable[[Markets], Awaitable[Sequence[T]]]
    ) -> Sources[T]:
        named = market_type_of(symbol)
        if named is not None and named not in self._account.market_types:
            return Sources((), (self._other_type(named),))
        return Sources((SourceRead(source, self._guarded(read)),))

    def _guarded(
        self,
        read: Callable[[Markets], Awaitable[Sequence[T]]],
        ways: Sequence[Source[Any]] = (),
    ) -> Callable[[], Awaitable[Sequence[T]]]:
        """The read once all that it depends on is known, repeated where that is safe, its failures in our words."""

        async def guarded() -> Sequence[T]:
            markets = await self._catalogue.ready()
            if self._kind is not None and any(way.kinds for way in ways):
                await self._kind.ready()

            async def attempt() -> Sequence[T]:
                try:
                    with reading(self._endpoints):
                        return await read(markets)
                except Exception as error:
                    raise meaning(error, self._account.venue, self._redactor) from error

            return await repeated(attempt, sleep=self._sleep)

        return guarded

    def _uncovered(self, reason: str) -> NotCoveredError:
        return NotCoveredError(f"account {self._account.name} {reason}")

    def _unanswered(self, source: str) -> Unread:
        reason = f"has no {source}: ccxt reads none at {self._account.venue} without a key"
        return Unread(source, self._uncovered(reason))

    def _other_type(self, market_type: MarketType) -> Unread:
        has = ", ".join(self._account.market_types)
        return Unread(market_type, self._uncovered(f"is set up for {has}, not for {market_type}"))


def _joined(*parts: Sources[T]) -> Sources[T]:
    reads = tuple(read for part in parts for read in part.reads)
    return Sources(reads, tuple(dict.fromkeys(unread for part in parts for unread in part.unread)))


async def _in_turns(rows: Sequence[listing.Row]) -> AsyncIterator[listing.Row]:
    """The rows, with a turn for every other task now and then: a long list must not keep the server from answering."""
    for place, row in enumerate(rows, start=1):
        yield row
        if place % _IN_ONE_GO == 0:
            await checkpoint()
