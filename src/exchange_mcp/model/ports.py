"""The ports: what one half of the product hands to the other without knowing how it is made."""

from typing import Protocol

from exchange_mcp.model.accounts import Account
from exchange_mcp.model.balances import Balance
from exchange_mcp.model.coverage import Sources
from exchange_mcp.model.key_reports import KeyReport
from exchange_mcp.model.markets import OrderBook, Ticker
from exchange_mcp.model.orders import OpenOrder
from exchange_mcp.model.positions import Position


class Clock(Protocol):
    """Where time comes from."""

    def now_ms(self) -> int:
        """UTC milliseconds since the epoch."""
        ...

    def monotonic(self) -> float:
        """Seconds that only go forward, with no meaning but their difference."""
        ...


class Entropy(Protocol):
    """Where randomness comes from: ids, nonces, tags. In production the operating system's."""

    def token(self, size: int) -> bytes:
        """So many bytes that nobody can guess."""
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
