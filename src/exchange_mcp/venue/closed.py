"""`ReadVenue` for an account at a venue where nothing may leave: every question says so, and nothing is asked."""

from exchange_mcp.config.logs import get_logger
from exchange_mcp.model.accounts import Account
from exchange_mcp.model.balances import Balance
from exchange_mcp.model.coverage import Sources, Unread
from exchange_mcp.model.errors import EgressRefusedError
from exchange_mcp.model.findings import Findings, Sought
from exchange_mcp.model.key_reports import KeyReport
from exchange_mcp.model.markets import OrderBook, Ticker
from exchange_mcp.model.orders import OpenOrder
from exchange_mcp.model.positions import Position
from exchange_mcp.model.readings import Realised, StandingPart
from exchange_mcp.model.terms import MarketTerms, Reference
from exchange_mcp.venue.finding import silent
from exchange_mcp.venue.snapshot import Difference

_log = get_logger(__name__)


class ClosedVenue:
    """One account that is not read, and why.

    Args:
        reason: one sentence.
        change: what the operator may accept to open it; None where there is nothing to accept.
    """

    def __init__(self, account: Account, reason: str, change: Difference | None) -> None:
        self._account = account
        self._reason = reason
        look = f"The operator sees why with exchange-mcp egress explain {account.venue}"
        accept = "" if change is None else f", accepts it with exchange-mcp egress accept {change.digest}"
        self._next_step = f"{look}{accept and accept + ', and starts the server again'}."
        _log.warning("nothing may leave", account=account.name, reason=reason, next_step=self._next_step)

    @property
    def account(self) -> Account:
        """Whose answers these would be."""
        return self._account

    def balances(self) -> Sources[Balance]:
        """None, with the reason."""
        return Sources((), self._none("balances"))

    def positions(self) -> Sources[Position]:
        """None, with the reason."""
        return Sources((), self._none("positions"))

    def open_orders(self, symbol: str | None) -> Sources[OpenOrder]:  # noqa: ARG002 - the port's signature
        """None, with the reason."""
        return Sources((), self._none("open orders"))

    def key_scope(self) -> Sources[KeyReport]:
        """None, with the reason."""
        return Sources((), self._none("key scope"))

    async def find(self, sought: Sought) -> Findings:
        """No answer, with the reason."""
        return silent(self._account, sought, self._reason)

    def ticker(self, symbol: str) -> Sources[Ticker]:  # noqa: ARG002 - the port's signature
        """None, with the reason."""
        return Sources((), self._none("ticker"))

    def order_book(self, symbol: str, levels: int) -> Sources[OrderBook]:  # noqa: ARG002 - the port's signature
        """None, with the reason."""
        return Sources((), self._none("order book"))

    def terms(self, symbol: str) -> Sources[MarketTerms]:  # noqa: ARG002 - the port's signature
        """None, with the reason."""
        return Sources((), self._none("market terms"))

    def reference(self, symbol: str) -> Sources[Reference]:  # noqa: ARG002 - the port's signature
        """None, with the reason."""
        return Sources((), self._none("reference prices"))

    def standing(self, symbol: str) -> Sources[StandingPart]:  # noqa: ARG002 - the port's signature
        """None, with the reason."""
        return Sources((), self._none("account"))

    def realised(self, since_ms: int) -> Sources[Realised]:  # noqa: ARG002 - the port's signature
        """None, with the reason."""
        return Sources((), self._none("realised profit and loss"))

    def _none(self, source: str) -> tuple[Unread]:
        return (Unread(source, EgressRefusedError(self._reason, hint=self._next_step)),)
