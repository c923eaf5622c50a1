"""Which ids of requests are being answered in a session: each at most once.

The SDK keeps one stream an id, by the id's text. A second request under it takes the first one's stream away, and
whoever sent the first would wait for ever. A requestor must not use an id twice in a session; a proxy that repeats a
request does.
Source: MCP specification 2025-11-25, Base Protocol, Requests.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final, cast

import anyio
import pydantic_core

from exchange_mcp.server.http.refusals import RefusedError
from exchange_mcp.server.http.sessions import SESSION
from exchange_mcp.server.http.whence import values

if TYPE_CHECKING:
    from starlette.types import Scope


_PATIENCE_SECONDS: Final = 0.5
"""A client that uses an id again once it has read the answer may be quicker than the end of that answer is here."""


class Ids:
    """Those that are being answered, by who asks and in which session."""

    def __init__(self) -> None:
        self._answered: dict[tuple[str, bytes, str], anyio.Event] = {}

    @asynccontextmanager
    async def answered(self, scope: "Scope", body: bytes) -> AsyncGenerator[None]:
        """Count the request's id as in use, within the block. What has no session or no id counts for nothing.

        Raises:
            RefusedError: another request under this id is being answered, and goes on.
        """
        sessions, request_id = values(scope["headers"], SESSION), _id(body)
        if not sessions or request_id is None:
            yield
            return
        # Whoever names another's session takes none of its ids.
        owner: str = scope["user"].access_token.client_id
        key = (owner, sessions[0], request_id)
        with anyio.move_on_after(_PATIENCE_SECONDS):
            while key in self._answered:
                await self._answered[key].wait()
        if key in self._answered:
            raise RefusedError(
                409,
                "ID_IN_USE",
                "another request with this id is being answered in this session; nothing was done",
                "Give each request an id of its own; a proposal that is asked for again is the same intent.",
            )
        self._answered[key] = anyio.Event()
        try:
            yield
        finally:
            self._answered.pop(key).set()


def _id(body: bytes) -> str | None:
    """The id of a request, as the SDK keeps it; None where the body is none."""
    try:
        said = pydantic_core.from_json(body)
    except ValueError:
        return None
    message = cast("dict[str, object]", said) if isinstance(said, dict) else {}
    request_id = message.get("id")
    return str(request_id) if "method" in message and isinstance(request_id, str | int) else None
