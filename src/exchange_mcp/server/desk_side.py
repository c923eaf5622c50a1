"""The desk, as this server's callers reach it: each by its own credential, over one socket.

httpx is imported when the first of them does.
"""

from typing import TYPE_CHECKING, Final, Protocol

import anyio

from exchange_mcp import __version__
from exchange_mcp.config.logs import get_logger
from exchange_mcp.link.client import DeskClient, Linked
from exchange_mcp.link.messages import AccountIdentity
from exchange_mcp.model.errors import DeskError, ErrorCode, ExchangeMcpError, UnknownAccountError
from exchange_mcp.model.venue_text import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exchange_mcp.config.desk_link import DeskAccess
    from exchange_mcp.model.accounts import Account
    from exchange_mcp.model.callers import Caller
    from exchange_mcp.model.ports import Clock, Entropy, ReadVenue

_log = get_logger(__name__)

# The venue's own account id is told with what the key may do, which is known but for the first seconds of a server.
_SECONDS_FOR_AN_IDENTITY: Final = 5.0


class Venues(Protocol):
    """Where the venues come from; they may not be ready yet."""

    async def ready(self) -> "Mapping[str, ReadVenue]":
        """Every configured account's venue, by account name, once they can be asked."""
        ...


class DeskSide:
    """What calls are handed of the desk.

    Args:
        access: which desk, and every caller's credential.
        accounts: of this server.
        venues: tell the venue's own id of an account.
        entropy: where proposal ids come from.
        clock: where time comes from.
    """

    def __init__(
        self,
        access: "DeskAccess",
        accounts: "Sequence[Account]",
        venues: Venues,
        *,
        entropy: "Entropy",
        clock: "Clock",
    ) -> None:
        self._credentials = access.credentials
        self.wait_seconds = access.config.wait_seconds
        self._accounts = {account.name: account for account in accounts}
        self._venues = venues
        self._client = DeskClient(access.config.socket, version=__version__, entropy=entropy, clock=clock)
        self._links: dict[str, Linked] = {}

    def link(self, caller: "Caller") -> Linked:
        """The desk, as this caller asks it.

        Raises:
            DeskError: CREDENTIAL_REFUSED, where the configuration names no credential for it.
        """
        credential = self._credentials.get(caller.name)
        if credential is None:
            raise DeskError(
                ErrorCode.CREDENTIAL_REFUSED,
                f"client {visible(caller.name, 64)} has no credential for the desk; nothing was asked of it",
                hint=(
                    f"The operator makes one on the desk's side, exchange-mcp clients add {visible(caller.name, 64)}, "
                    f"and adds to [desk.credentials] in serve.toml the line: {_key(caller.name)} = "
                    '{ file = "~/PATH" }'
                ),
            )
        if caller.name not in self._links:
            self._links[caller.name] = self._client.linked(credential.reveal())
        return self._links[caller.name]

    async def identity(self, name: str) -> AccountIdentity:
        """The account as this server knows it; its venue's own id where that was told.

        Raises:
            UnknownAccountError: no account has this name.
        """
        account = next((each for own, each in self._accounts.items() if own == name), None)
        if account is None:
            names = ", ".join(self._accounts)
            raise UnknownAccountError(
                f"account: there is no account {visible(name, 40)!r}; there are: {names}"
            )
        return AccountIdentity(
            name=account.name,
            venue=account.venue,
            environment=account.environment,
            market_types=account.market_types,
            account_id=await self._account_id(name) if account.has_key else None,
        )

    async def _account_id(self, name: str) -> str | None:
        """None where the venue does not tell it, or nothing is known yet: the desk decides what that is worth."""
        try:
            with anyio.move_on_after(_SECONDS_FOR_AN_IDENTITY):
                venue = (await self._venues.ready())[name]
                for source in venue.key_scope().reads:
                    for report in await source.read():
                        return report.account_id
        except ExchangeMcpError as error:
            _log.info("the venue's own id of an account is not known", account=name, reason=error.message)
        return None

    async def close(self) -> None:
        """Let go of the socket; what is under way at the desk goes on there."""
        await self._client.close()


def _key(name: str) -> str:
    """The name as a key of TOML."""
    return f'"{name}"' if "." in name else name
