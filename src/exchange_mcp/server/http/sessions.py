"""The sessions of the handshake era: whose they are, how many a token may have, and how they end.

The SDK keeps them and gives each to the credential that opened it; for another it does not exist (404). What it lacks
is added here: a share for each credential, room for a client that opens another instead of a refusal, and an end to a
credential's sessions. The names with an underscore are the SDK's own; mcp is pinned to 2.3 in pyproject.toml.
"""

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from exchange_mcp.config.logs import get_logger
from exchange_mcp.server.http.refusals import RefusedError

if TYPE_CHECKING:
    from mcp.server.auth.middleware.bearer_auth import AuthorizationContext
    from mcp.server.lowlevel import Server
    from mcp.server.streamable_http import StreamableHTTPServerTransport
    from starlette.types import Receive, Scope, Send

    from exchange_mcp.server.auth import Admitted

_log = get_logger(__name__)

SESSION: Final = b"mcp-session-id"


def user_of(admitted: "Admitted") -> AuthenticatedUser:
    """The caller as the SDK knows one: sessions are bound to the credential's id; the token itself is left out."""
    scopes = [scope.value for scope in admitted.caller.scopes]
    return AuthenticatedUser(AccessToken(token="", client_id=admitted.credential, scopes=scopes))


class Sessions(StreamableHTTPSessionManager):
    """Streamable HTTP of both eras; a credential has `of_one` sessions at most.

    Raises RefusedError out of the request that would open one too many.
    """

    def __init__(
        self, server: "Server[Any]", *, most: int, of_one: int, idle_seconds: float, max_body: int
    ) -> None:
        super().__init__(
            server, session_idle_timeout=idle_seconds, max_sessions=None, max_request_body_size=max_body
        )
        self._most = most
        self._of_one = of_one
        self._busy: Counter[str] = Counter()

    def owners(self) -> frozenset[str]:
        """The credentials that have sessions."""
        return frozenset(owner["client_id"] for owner in self._session_owners.values())

    def __len__(self) -> int:
        return len(self._server_instances)

    async def end_of(self, credential: str) -> None:
        """End every session of this credential, with the calls that run in it."""
        for session_id in self._ids_of(credential):
            transport = self._server_instances.get(session_id)
            if transport is not None:
                await self._discard_session(session_id, transport)

    async def _handle_stateful_request(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        owner: str = scope["user"].access_token.client_id
        session_id = next((v.decode("latin-1") for k, v in scope["headers"] if k == SESSION), None)
        if session_id is None:
            await self._make_room(owner)
            await super()._handle_stateful_request(scope, receive, send)
            return
        if session_id in self._server_instances and session_id not in self._ids_of(owner):
            _log.warning("a client asked for a session that is not its own")
        elif session_id in self._server_instances:
            # The end of the table is what was used last.
            self._server_instances[session_id] = self._server_instances.pop(session_id)
        self._busy[session_id] += 1
        try:
            await super()._handle_stateful_request(scope, receive, send)
        finally:
            self._busy[session_id] -= 1
            if not self._busy[session_id]:
                del self._busy[session_id]

    async def _make_room(self, owner: str) -> None:
        """A client that was started anew often leaves its sessions behind: its oldest one that rests makes room."""
        held = self._ids_of(owner)
        if len(held) < self._of_one and len(self) < self._most:
            return
        for session_id in held:
            if not self._busy[session_id]:
                await self._discard_session(session_id, self._server_instances[session_id])
                return

    def _admit_session(
        self, requestor: "AuthorizationContext | None"
    ) -> "StreamableHTTPServerTransport | None":
        """Asked at the moment of opening, after whatever else came in between."""
        if requestor is None:  # the gate lets nobody in who is not somebody
            raise RefusedError(401, "TOKEN_MISSING", "this server needs a token")
        if len(self._ids_of(requestor["client_id"])) >= self._of_one:
            raise _too_many(429, f"this token has {self._of_one} sessions in use, as many as it may")
        if len(self) >= self._most:
            raise _too_many(503, f"the server has {self._most} sessions, as many as it may")
        return super()._admit_session(requestor)

    def _ids_of(self, credential: str) -> list[str]:
        """This credential's sessions, the one that was used longest ago first."""
        owners = self._session_owners
        return [each for each in self._server_instances if owners[each]["client_id"] == credential]


def _too_many(status: int, message: str) -> RefusedError:
    return RefusedError(
        status,
        "TOO_MANY_SESSIONS",
        message,
        "End one (DELETE with its Mcp-Session-Id), then open another.",
        headers={"Retry-After": "5"},
        retry="safe",
    )
