"""What a tool's handler is handed: exactly what its declared effect entitles it to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from exchange_mcp.model.accounts import Account
from exchange_mcp.model.callers import Caller
from exchange_mcp.model.errors import UnknownAccountError
from exchange_mcp.model.ports import Clock, ReadVenue
from exchange_mcp.model.venue_text import visible

if TYPE_CHECKING:
    from exchange_mcp.tools.registry import Registry


@dataclass(frozen=True, slots=True)
class LocalHanded:
    """For a tool of effect local: the configuration without its secrets, and nothing that leaves us."""

    accounts: Sequence[Account]
    registry: "Registry"
    caller: Caller


@dataclass(frozen=True, slots=True)
class ReadHanded:
    """For a tool of effect read: venues that can only read, until when (monotonic seconds) it may ask, and who asks."""

    venues: Mapping[str, ReadVenue]
    clock: Clock
    deadline: float
    caller: Caller

    def chosen(self, account: str | None) -> tuple[ReadVenue, ...]:
        """The named account's venue, or every account's.

        Raises:
            UnknownAccountError: no account has this name.
        """
        if account is None:
            return tuple(self.venues.values())
        if account not in self.venues:
            names = ", ".join(self.venues)
            raise UnknownAccountError(
                f"account: there is no account {visible(account, 40)!r}; there are: {names}"
            )
        return (self.venues[account],)


Handed = LocalHanded | ReadHanded
