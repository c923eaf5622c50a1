"""`ReadVenue` over ccxt: which sources each question has, and how each is asked."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, TypeVar

from exchange_mcp.config.redaction import Redactor
from exchange_mcp.model.accounts import Account, MarketType
from exchange_mcp.model.balances import Balance
from exchange_mcp.model.coverage import SourceRead, Sources, Unread
from exchange_mcp.model.errors import NotCoveredError
from exchange_mcp.model.markets import OrderBook, Ticker
from exchange_mcp.model.orders import OpenOrder
from exchange_mcp.model.positions import Position
from exchange_mcp.rules.endpoints import Endpoint
from exchange_mcp.rules.reading import book_depth, counts_in_base, volume_fields
from exchange_mcp.rules.venues import venue_rules
from exchange_mcp.venue import answers
from exchange_mcp.venue.egress import reading
from exchange_mcp.venue.failures import meaning
from exchange_mcp.venue.markets import MarketCatalogue, Markets
from exchange_mcp.venue.repeating import Sleep, repeated
from exchange_mcp.venue.symbols import market_type_of, resolve

T = TypeVar("T")

# How ccxt is told which of a venue's accounts is meant.
_CCXT: Final[dict[MarketType, dict[str, Any]]] = {
    MarketType.SPOT: {"type": "spot"},
    MarketType.LINEAR: {"type": "swap", "subType": "linear"},
    MarketType.INVERSE: {"type": "swap", "subType": "inverse"},
}


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
        self._redactor = Redactor()
        for secret in (client.apiKey, client.secret, client.password):
            if secret:
                self._redactor.learn(secret)
        rules = venue_rules(account.venue)
        if rules is None:
            raise LookupError(f"no rules for venue {account.venue}")
        self._rules, self._private = rules, rules.has_private_reads

    @property
    def account(self) -> Account:
        """Whose answers these are."""
        return self._account

    def balances(self) -> Sources[Balance]:
        """One source a wallet."""
        return self._of_types(self._account.market_types, self._balances)

    def positions(self) -> Sources[Position]:
        """One source a derivatives market type; an account of spot alone has none, and says so."""
        types = tuple(t for t in self._account.market_types if t is not MarketType.SPOT)
        if types:
            return self._of_types(types, self._positions)
        return Sources(
            (), (Unread("positions", self._uncovered("has no derivatives market type configured")),)
        )

    def open_orders(self, symbol: str | None) -> Sources[OpenOrder]:
        """One source an order list; of the symbol's market type alone where one is named."""
        types = self._account.market_types
        named = None if symbol is None else market_type_of(symbol)
        if named is not None and named not in types:
            return Sources((), (self._other_type(named),))
        orders = self._of_types(
            types if named is None else (named,), lambda t: self._orders(t, symbol, conditional=False)
        )
        # Binance keeps USD-M stops in a list of their own, which its "all open orders" leaves out:
        # https://developers.binance.com/docs/derivatives/usds-margined-futures/trade/rest-api/Current-All-Algo-Open-Orders
        conditional = tuple(
            SourceRead(
                f"{read.source} conditional", self._orders(MarketType.LINEAR, symbol, conditional=True)
            )
            for read in orders.reads
            if read.source == MarketType.LINEAR
        )
        return Sources((*orders.reads, *conditional), orders.unread)

    def ticker(self, symbol: str) -> Sources[Ticker]:
        """The venue's 24-hour ticker."""
        if not self._rules.has_ticker:
            return Sources((), (self._unanswered("ticker"),))

        async def read(markets: Markets) -> list[Ticker]:
            market = resolve(symbol, markets, self._account.venue)
            parsed = await self._client.fetch_ticker(market["symbol"])
            volumes = volume_fields(self._account.venue, market_type_of(market["symbol"]) or MarketType.SPOT)
            return [answers.ticker(parsed, self._account.name, symbol, volumes)]

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

    def _balances(self, market_type: MarketType) -> Callable[[], Awaitable[Sequence[Balance]]]:
        async def read(_: Markets) -> Sequence[Balance]:
            parsed = await self._client.fetch_balance(dict(_CCXT[market_type]))
            return answers.balances(parsed, self._account.name, market_type)

        return self._guarded(read)

    def _positions(self, market_type: MarketType) -> Callable[[], Awaitable[Sequence[Position]]]:
        async def read(markets: Markets) -> Sequence[Position]:
            # Version 3 of the endpoint no longer tells the leverage:
            # https://developers.binance.com/docs/derivatives/usds-margined-futures/trade/rest-api/Position-Information-V3
            parsed = await self._client.fetch_positions(None, {**_CCXT[market_type], "useV2": True})
            name = self._account.name
            return [answers.position(row, markets.get(row["symbol"]), name, market_type) for row in parsed]

        return self._guarded(read)

    def _orders(
        self, market_type: MarketType, symbol: str | None, *, conditional: bool
    ) -> Callable[[], Awaitable[Sequence[OpenOrder]]]:
        async def read(markets: Markets) -> Sequence[OpenOrder]:
            market = None if symbol is None else resolve(symbol, markets, self._account.venue)["symbol"]
            params = {**_CCXT[market_type], **({"trigger": True} if conditional else {})}
            parsed = await self._client.fetch_open_orders(market, None, None, params)
            name, source = self._account.name, f"{market_type}{' conditional' if conditional else ''}"
            return [answers.open_order(row, markets.get(row["symbol"]), name, source) for row in parsed]

        return self._guarded(read)

    def _of_types(
        self, types: Sequence[MarketType], read: Callable[[MarketType], Callable[[], Awaitable[Sequence[T]]]]
    ) -> Sources[T]:
        """A source for each market type that can be read, and a named reason for each that cannot."""
        if not self._account.has_key:
            error = self._uncovered("has no key, so it serves market data only")
            return Sources((), tuple(Unread(t, error) for t in types))
        readable = tuple(SourceRead(t.value, read(t)) for t in types if t in self._private)
        unread = tuple(
            Unread(t, self._uncovered(f"cannot be read for {t}: this version does not know how"))
            for t in types
            if t not in self._private
        )
        return Sources(readable, unread)

    def _market_data(
        self, source: str, symbol: str, read: Callable[[Markets], Awaitable[Sequence[T]]]
    ) -> Sources[T]:
        named = market_type_of(symbol)
        if named is not None and named not in self._account.market_types:
            return Sources((), (self._other_type(named),))
        return Sources((SourceRead(source, self._guarded(read)),))

    def _guarded(
        self, read: Callable[[Markets], Awaitable[Sequence[T]]]
    ) -> Callable[[], Awaitable[Sequence[T]]]:
        """The read once markets are known, repeated where that is safe, its failures in our words."""

        async def guarded() -> Sequence[T]:
            markets = await self._catalogue.ready()

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
