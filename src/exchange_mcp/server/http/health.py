"""/healthz: the process is alive. /readyz: its accounts can be asked; which they are is told to clients only."""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import anyio

from exchange_mcp.model.errors import ExchangeMcpError
from exchange_mcp.server.http.refusals import answer
from exchange_mcp.server.http.whence import HEALTH, values

if TYPE_CHECKING:
    from starlette.types import Scope, Send

    from exchange_mcp.model.ports import ReadVenue
    from exchange_mcp.server.auth import Admitted

# What a key may do is known or it is not; nobody waits here for a venue.
_LOOK_SECONDS = 0.2


class Served(Protocol):
    """What the answer is about."""

    @property
    def is_stopping(self) -> bool:
        """Whether the server takes no more requests."""
        ...

    def opened(self) -> "Mapping[str, ReadVenue] | None":
        """The accounts' venues once they can be asked; None until then."""
        ...


class Health:
    """Answers both routes."""

    def __init__(self, served: Served) -> None:
        self._served = served

    async def answer(
        self, route: str, scope: "Scope", admitted: "Callable[[Scope], Awaitable[Admitted]]", send: "Send"
    ) -> None:
        """Answer one request. A token is not needed; one that is shown has to be good."""
        if route == HEALTH:
            await _say(send, 200, {"status": "alive"})
            return
        venues = None if self._served.is_stopping else self._served.opened()
        status = "stopping" if self._served.is_stopping else "starting" if venues is None else "ready"
        said: dict[str, Any] = {"status": status}
        if values(scope["headers"], b"authorization"):
            await admitted(scope)
            said["accounts"] = [] if venues is None else await _accounts(venues)
        await _say(send, 200 if status == "ready" else 503, said)


async def _accounts(venues: "Mapping[str, ReadVenue]") -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}

    async def look(name: str, venue: "ReadVenue") -> None:
        account = venue.account
        found[name] = {"name": name, "venue": account.venue, "environment": account.environment.value}
        if account.has_key:
            found[name]["key"] = await _key(venue)

    async with anyio.create_task_group() as group:
        for name, venue in venues.items():
            group.start_soon(look, name, venue)
    return [found[name] for name in venues]


async def _key(venue: "ReadVenue") -> str:
    with anyio.move_on_after(_LOOK_SECONDS):
        for source in venue.key_scope().reads:
            try:
                return "accepted" if all(report.accepted for report in await source.read()) else "refused"
            except ExchangeMcpError:
                return "unknown"
    return "unknown"


async def _say(send: "Send", status: int, said: Mapping[str, Any]) -> None:
    headers = [(b"retry-after", b"2")] if status != 200 else []  # noqa: PLR2004 - OK
    await answer(send, status, json.dumps(said).encode(), headers=headers)
