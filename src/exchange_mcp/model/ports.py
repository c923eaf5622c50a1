"""The ports: what one half of the product hands to the other without knowing how it is made."""

from typing import TYPE_CHECKING, Protocol

from exchange_mcp.model.accounts import Account
from exchange_mcp.model.balances import Balance
from exchange_mcp.model.coverage import Sources
from exchange_mcp.model.key_reports import KeyReport
from exchange_mcp.model.markets import OrderBook, Ticker
from exchange_mcp.model.orders import OpenOrder
from exchange_mcp.model.positions import Position

if TYPE_CHECKING:  # what nobody needs who only lists tools is imported by those who do
    from exchange_mcp.model.findings import Findings, Sought
    from exchange_mcp.model.readings import Realised, StandingPart
    from exchange_mcp.model.terms import MarketTerms, Reference


class Clock(Protocol):
    """Where time comes from."""

    def now_ms(self) -> int:
        """UTC milliseconds since the epoch."""
        ...

    def monotonic(self) -> float:
        """Seconds that only go forward, with no meaning but their difference."""
        ...


class Entropy(Protocol):
    """Where what nobody may guess, or meet twice, comes from: the operating system, outside of tests."""

    def token(self, size: int) -> bytes:
        """So many random bytes."""
        ...


class OrderLookup(Protocol):
    """Looks for one order of ours at its venue, by reading alone."""

    async def find(self, sought: "Sought") -> "Findings":
        """What each source says of it, each asked by its own request. What fails is no answer; nothing is raised."""
        ...


class ReadVenue(Protocol):
    """One account's venue, as far as reading goes. It has no member that writes.

    Each question gives its sources without asking them; the asking is `SourceRead.read`, which raises
    `ExchangeMcpError` and nothing else.
    """

    @property
    def account(self) -> Account:
        """Whose answers these are."""
        ...

    def balances(self) -> Sources[Balance]:
        """Assets, one source a wallet; zero balances included."""
        ...

    def positions(self) -> Sources[Position]:
        """Open derivative positions, one source a market type."""
        ...

    def open_orders(self, symbol: str | None) -> Sources[OpenOrder]:
        """Resting orders, conditional ones included; of one unified symbol, or of all."""
        ...

    def key_scope(self) -> Sources[KeyReport]:
        """What the account's key may do; answered also where the key is refused."""
        ...

    def ticker(self, symbol: str) -> Sources[Ticker]:
        """The last 24 hours of one market."""
        ...

    def order_book(self, symbol: str, levels: int) -> Sources[OrderBook]:
        """The best `levels` on each side of one market."""
        ...

    def terms(self, symbol: str) -> "Sources[MarketTerms]":
        """What an order in one market is held to, as its venue lists it; costs no request once markets are known."""
        ...

    def reference(self, symbol: str) -> "Sources[Reference]":
        """The prices that an order in one market is compared with: each source tells some of them, the others None."""
        ...

    def standing(self, symbol: str) -> "Sources[StandingPart]":
        """Where the account stands in one market: each source tells one part of it."""
        ...

    def realised(self, since_ms: int) -> "Sources[Realised]":
        """Everything that derivatives realised since then, UTC milliseconds; an account without any has no source."""
        ...
