"""`ReadVenue` as it is handed out: an account is read only while its key may be used."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from exchange_mcp.model.accounts import Account
from exchange_mcp.model.balances import Balance
from exchange_mcp.model.coverage import SourceRead, Sources, Unread
from exchange_mcp.model.errors import (
    AuthenticationFailedError,
    ExchangeMcpError,
    NotCoveredError,
    PermissionMissingError,
)
from exchange_mcp.model.findings import Findings, Sought
from exchange_mcp.model.key_reports import KeyReport
from exchange_mcp.model.markets import OrderBook, Ticker
from exchange_mcp.model.orders import OpenOrder
from exchange_mcp.model.positions import Position
from exchange_mcp.model.readings import Realised, StandingPart
from exchange_mcp.model.terms import MarketTerms, Reference
from exchange_mcp.venue.finding import silent
from exchange_mcp.venue.key_watch import KeyWatch, Known
from exchange_mcp.venue.reads import CcxtReadVenue

T = TypeVar("T")

_SOURCE = "key scope"


class WatchedVenue:
    """One account's reads, each let through by the watch over its key. A keyless account has no watch."""

    def __init__(self, venue: CcxtReadVenue, watch: KeyWatch | None) -> None:
        self._venue = venue
        self._watch = watch

    @property
    def account(self) -> Account:
        """Whose answers these are."""
        return self._venue.account

    def balances(self) -> Sources[Balance]:
        """One source a wallet."""
        return self._gated(self._venue.balances())

    def positions(self) -> Sources[Position]:
        """One source a derivatives market type."""
        return self._gated(self._venue.positions())

    def open_orders(self, symbol: str | None) -> Sources[OpenOrder]:
        """One source an order list."""
        return self._gated(self._venue.open_orders(symbol))

    def ticker(self, symbol: str) -> Sources[Ticker]:
        """The venue's 24-hour ticker."""
        return self._gated(self._venue.ticker(symbol))

    def order_book(self, symbol: str, levels: int) -> Sources[OrderBook]:
        """The venue's book."""
        return self._gated(self._venue.order_book(symbol, levels))

    def terms(self, symbol: str) -> Sources[MarketTerms]:
        """What an order is held to."""
        return self._gated(self._venue.terms(symbol))

    def reference(self, symbol: str) -> Sources[Reference]:
        """The prices that an order is compared with."""
        return self._gated(self._venue.reference(symbol))

    def standing(self, symbol: str) -> Sources[StandingPart]:
        """One source a part."""
        return self._gated(self._venue.standing(symbol))

    def realised(self, since_ms: int) -> Sources[Realised]:
        """One source a derivatives market type."""
        return self._gated(self._venue.realised(since_ms))

    async def find(self, sought: Sought) -> Findings:
        """What each source says of an order of ours; a key that may not be used is no answer."""
        if self._watch is not None:
            try:
                await self._watch.permit()
            except ExchangeMcpError as error:
                return silent(self.account, sought, error.message)
        return await self._venue.find(sought)

    def key_scope(self) -> Sources[KeyReport]:
        """What the key may do; answered also where it is refused."""
        watch = self._watch
        if watch is None:
            reason = NotCoveredError(f"account {self.account.name} has no key, so it serves market data only")
            return Sources((), (Unread(_SOURCE, reason),))

        async def read() -> Sequence[KeyReport]:
            return (_report(self.account.name, await watch.known()),)

        return Sources((SourceRead(_SOURCE, read),))

    def _gated(self, sources: Sources[T]) -> Sources[T]:
        watch = self._watch
        if watch is None:
            return sources
        return Sources(
            tuple(SourceRead(each.source, _through(watch, each.read)) for each in sources.reads),
            sources.unread,
        )


def _through(
    watch: KeyWatch, read: Callable[[], Awaitable[Sequence[T]]]
) -> Callable[[], Awaitable[Sequence[T]]]:
    async def gated() -> Sequence[T]:
        await watch.permit()
        try:
            return await read()
        except (AuthenticationFailedError, PermissionMissingError):
            watch.doubt()
            raise

    return gated


def _report(account: str, known: Known) -> KeyReport:
    scope, verdict = known.scope, known.verdict
    return KeyReport(
        account=account,
        read=scope.read,
        trade=scope.trade,
        withdraw=scope.withdraw,
        transfer=scope.transfer,
        ip_restricted=scope.ip_restricted,
        expires=scope.expires,
        account_id=scope.account_id,
        accepted=verdict.accepted,
        verified=verdict.verified,
        reasons=(*verdict.reasons, *scope.reasons),
        remedy=verdict.remedy,
        warnings=verdict.warnings,
        flags=scope.flags,
        checked=known.as_of,
    )
