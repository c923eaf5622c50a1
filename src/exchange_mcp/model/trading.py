"""What the desk is handed to trade on one account: everything that reading needs, and one way to send one write.

A `TradingVenue` belongs to the desk's process alone. Nothing that `serve` imports makes one.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from exchange_mcp.model.accounts import Account

if TYPE_CHECKING:
    from exchange_mcp.model.findings import Findings, Sought
    from exchange_mcp.model.outcomes import Evidence
    from exchange_mcp.model.plans import WirePlan, WireRequest
    from exchange_mcp.model.ports import ReadVenue
    from exchange_mcp.model.scopes import KeyScope
    from exchange_mcp.model.writes import WriteRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """One order that the venue shows on a key.

    Attributes:
        placed_ms: the venue's time of its placing, UTC milliseconds.
    """

    order_id: str
    client_order_id: str | None
    market_id: str
    placed_ms: int


class Effect(StrEnum):
    """What a cancel or a change of leverage has come to, as the venue shows it."""

    DONE = "done"
    PENDING = "pending"
    TOO_LATE = "too_late"
    UNTOLD = "untold"


class Ready(Protocol):
    """Everything that a send waits for, in hand: the key's lock, a slot of the limiter, a warm connection."""

    async def send(self, plan: "WirePlan", latest_ms: int) -> "Evidence":
        """Sign and send the plan's request, exactly, at most once however often this is called.

        The timestamp and window that are signed may not exceed `latest_ms` (venue time); where they would, nothing is
        sent and the evidence says so. Whatever is raised by what lies below is evidence. Nothing is raised but
        `asyncio.CancelledError`, and that only while no byte has left.
        """
        ...

    async def release(self) -> None:
        """Give back what is held; harmless if repeated."""
        ...


class TradingVenue(Protocol):
    """One account's venue, with a key that may trade."""

    @property
    def account(self) -> Account:
        """Whose venue this is."""
        ...

    @property
    def key_id(self) -> str:
        """A hash of the API key; not secret."""
        ...

    @property
    def longest_client_id(self) -> int:
        """The longest client order id that every write route of this account takes, in characters."""
        ...

    @property
    def window_ms(self) -> int:
        """How long after its timestamp the venue takes a request; what is signed says so."""
        ...

    @property
    def reading(self) -> "ReadVenue":
        """The same account as far as reading goes, under the desk's role for its key."""
        ...

    def account_id(self) -> str | None:
        """The venue's own id of the account, as far as its key was asked about; without asking."""
        ...

    async def key_scope(self, *, oldest_ms: int) -> "KeyScope":
        """What the key may do, asked again where the last answer is older than `oldest_ms` (our clock).

        Raises:
            KeyRefusedError, KeyUnconfirmedError: the desk does not run on it, or its venue refuses the question.
            ExchangeMcpError: it could not be asked.
        """
        ...

    async def render(self, write: "WriteRequest") -> "WireRequest":
        """The request that ccxt would send for this write, captured without I/O once the markets are known.

        Raises:
            InvalidArgumentError: ccxt would change, add or drop a field. VenueRefusedError: no reviewed route.
            ExchangeMcpError: the markets could not be had.
        """
        ...

    async def ready(self, plan: "WirePlan") -> Ready:
        """Wait for all that a send waits for.

        Raises:
            ExchangeMcpError: it could not be had; nothing was sent.
        """
        ...

    def venue_ms(self) -> int:
        """The venue's time now as far as known, UTC milliseconds; without asking."""
        ...

    async def find(self, sought: "Sought") -> "Findings":
        """What each source says of one order of ours; nothing is raised."""
        ...

    async def seen(self, since_ms: int, symbols: frozenset[str]) -> tuple[Sighting, ...]:
        """Every order of this key that can be seen, placed since then (venue time), be it weeks.

        A venue that lists what has ended by market alone is asked so for these symbols, and for every market that the
        account itself shows as traded; what is open is asked for as a whole. One order may be told more than once.

        Raises:
            ExchangeMcpError: a source did not answer, or not for all of that time; then nothing is concluded.
        """
        ...

    async def effect_of(self, plan: "WirePlan") -> Effect:
        """What a cancel or a change of leverage has come to; nothing is raised, no answer is `UNTOLD`."""
        ...
