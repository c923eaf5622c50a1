"""What a tool's handler is handed: exactly what its declared effect entitles it to."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from exchange_mcp.model.accounts import Account
from exchange_mcp.model.callers import Caller
from exchange_mcp.model.errors import UnknownAccountError
from exchange_mcp.model.ports import Clock, ReadVenue
from exchange_mcp.model.venue_text import visible

if TYPE_CHECKING:  # a server without a desk starts without these
    from exchange_mcp.link.messages import AccountIdentity, IntentMessage
    from exchange_mcp.link.ports import DeskLink
    from exchange_mcp.tools.registry import Registry

Progress = Callable[[float, float, str], Awaitable[None]]
"""Tells a client that asked for it how far a wait has come: seconds, of how many, and what is waited for."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentHanded:
    """For a tool that reads the desk's records: to read an intent of the caller's, and nothing else of the desk."""

    read: "Callable[..., Awaitable[IntentMessage]]"
    clock: Clock
    caller: Caller
    progress: Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class RetractHanded:
    """For a tool that takes back a proposal: to take back one of the caller's, and nothing else of the desk."""

    retract: "Callable[[str], Awaitable[IntentMessage]]"
    caller: Caller


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteHanded:
    """For a tool of effect write: the desk, as this caller may ask it. There is no venue that writes in this process.

    Attributes:
        tool, declaration: the tool's name, and the digest of its declaration.
        desk: the way to the desk; raises DeskError where the caller has none.
        identity: an account as this server knows it; raises UnknownAccountError.
        wait_seconds: how long a proposal's answer waits for a decision.
    """

    tool: str
    declaration: str
    desk: "Callable[[], DeskLink]"
    identity: "Callable[[str], Awaitable[AccountIdentity]]"
    wait_seconds: float
    clock: Clock
    caller: Caller
    progress: Progress


Handed = LocalHanded | ReadHanded | IntentHanded | RetractHanded | WriteHanded
