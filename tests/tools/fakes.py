"""Where the world is, for tools: a venue whose answers a test writes down, and a clock that it sets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from exchange_mcp.model.accounts import Account, AccountName, Environment, MarketType
from exchange_mcp.model.balances import Balance
from exchange_mcp.model.callers import Caller, Scope
from exchange_mcp.model.coverage import SourceRead, Sources
from exchange_mcp.model.key_reports import KeyReport
from exchange_mcp.model.markets import OrderBook, Ticker
from exchange_mcp.model.orders import OpenOrder
from exchange_mcp.model.ports import ReadVenue
from exchange_mcp.model.positions import Position
from exchange_mcp.model.readings import Realised, StandingPart
from exchange_mcp.model.terms import MarketTerms, Reference
from exchange_mcp.tools.handed import LocalHanded, ReadHanded
from exchange_mcp.tools.registry import builtin

NOW_MS = 1_000_000_000_000  # 2001-09-09T01:46:40.000Z


@dataclass(slots=True)
class SetClock:
    """A clock that stands where it is set."""

    ms: int = NOW_MS
    seconds: float = 100.0

    def now_ms(self) -> int:
        return self.ms

    def monotonic(self) -> float:
        return self.seconds


def an_account(name: str = "main", *, has_key: bool = True) -> Account:
    return Account(
        name=AccountName(name),
        venue="binance",
        environment=Environment.LIVE,
        market_types=(MarketType.SPOT, MarketType.LINEAR),
        has_key=has_key,
    )


def answering(source: str, *items: Any) -> SourceRead[Any]:  # noqa: ANN401 - of whatever the question is about
    """A source that gives these items."""

    async def read() -> Sequence[Any]:
        return items

    return SourceRead(source, read)


def failing(source: str, error: BaseException) -> SourceRead[Any]:
    """A source that raises."""

    async def read() -> Sequence[Any]:
        raise error

    return SourceRead(source, read)


@dataclass(frozen=True, slots=True)
class FakeVenue:
    """One account's venue with the sources that a test gives it, and a record of what it was asked."""

    account: Account
    sources: Sources[Any]
    asked: list[tuple[object, ...]] = field(default_factory=list[tuple[object, ...]])

    def _answer(self, *question: object) -> Sources[Any]:
        self.asked.append(question)
        return self.sources

    def key_scope(self) -> Sources[KeyReport]:
        return self._answer("key_scope")

    def balances(self) -> Sources[Balance]:
        return self._answer("balances")

    def positions(self) -> Sources[Position]:
        return self._answer("positions")

    def open_orders(self, symbol: str | None) -> Sources[OpenOrder]:
        return self._answer("open_orders", symbol)

    def ticker(self, symbol: str) -> Sources[Ticker]:
        return self._answer("ticker", symbol)

    def order_book(self, symbol: str, levels: int) -> Sources[OrderBook]:
        return self._answer("order_book", symbol, levels)

    def terms(self, symbol: str) -> Sources[MarketTerms]:
        return self._answer("terms", symbol)

    def reference(self, symbol: str) -> Sources[Reference]:
        return self._answer("reference", symbol)

    def standing(self, symbol: str) -> Sources[StandingPart]:
        return self._answer("standing", symbol)

    def realised(self, since_ms: int) -> Sources[Realised]:
        return self._answer("realised", since_ms)


CALLER = Caller(name="test", scopes=frozenset({Scope.READ}))


def venues(*fakes: ReadVenue) -> Mapping[str, ReadVenue]:
    return {fake.account.name: fake for fake in fakes}


def read_handed(*fakes: ReadVenue, seconds: float = 10.0) -> ReadHanded:
    """What a read tool gets, with this much time left."""
    clock = SetClock()
    return ReadHanded(venues=venues(*fakes), clock=clock, deadline=clock.monotonic() + seconds, caller=CALLER)


def local_handed(*accounts: Account) -> LocalHanded:
    return LocalHanded(accounts=accounts, registry=builtin(), caller=CALLER)
