"""The way in: every request passes here, on every route, and says where from and who before it reaches MCP.

Order matters: first what costs nothing and reveals nothing (Host, Origin, path), then who calls, then how often and
how much, then the body. A stranger is told nothing about clients, accounts or sessions.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from exchange_mcp.config.logs import caller_in_log, get_logger
from exchange_mcp.http.rates import Rates
from exchange_mcp.server.auth import Admitted, Authenticator, NotAdmittedError, shown_credential
from exchange_mcp.server.http.bodies import GoneError, body_of, replayed
from exchange_mcp.server.http.cors import allowing, preflight
from exchange_mcp.server.http.exchanges import Exchange, Exchanges
from exchange_mcp.server.http.health import Health
from exchange_mcp.server.http.ids import Ids
from exchange_mcp.server.http.refusals import ALWAYS, RefusedError, answer
from exchange_mcp.server.http.sessions import Sessions, user_of
from exchange_mcp.server.http.whence import MCP, Whence, values

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp.server.context import ServerRequestContext
    from starlette.types import Message, Receive, Scope, Send

    from exchange_mcp.model.callers import Caller

_log = get_logger(__name__)

_ADMITTED: Final = "exchange_mcp.admitted"
_LISTEN: Final = b"subscriptions/listen"


def identify(ctx: "ServerRequestContext[Any]") -> "Caller":
    """Who sent this very request: what the gate found, whatever the session or the message says.

    Raises:
        LookupError: the request did not pass the gate.
    """
    scope: Mapping[str, object] = {} if ctx.request is None else ctx.request.scope
    match scope.get(_ADMITTED):
        case Admitted(caller=caller):
            return caller
        case _:
            raise LookupError("a request without a caller")


@dataclass(frozen=True, slots=True)
class Bounds:
    """How large a body may be (bytes), and how long its sending or the taking of an answer may stall (seconds)."""

    body: int
    patience: float


class Gate:
    """The ASGI application; behind it is `sessions`, and nothing else."""

    def __init__(  # noqa: PLR0913 - its parts
        self,
        sessions: Sessions,
        *,
        whence: Whence,
        authenticator: Authenticator,
        exchanges: Exchanges,
        rates: Rates,
        log_rates: Rates,
        health: Health,
        bounds: Bounds,
    ) -> None:
        self._sessions = sessions
        self._ids = Ids()
        self._whence = whence
        self._authenticator = authenticator
        self._exchanges = exchanges
        self._rates = rates
        self._log_rates = log_rates
        self._health = health
        self._bounds = bounds

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Answer one request; nothing but HTTP is spoken here."""
        request = _Request(receive, send)
        try:
            await self._answer(scope, request.receive, request.send)
        except GoneError:
            return
        except RefusedError as refusal:
            if request.is_answered:  # half an answer cannot be taken back
                raise
            await self._refuse(refusal, scope, request)

    async def _answer(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        route = self._whence.judge(scope)
        origin = self._whence.listed_origin(scope)
        if scope["method"] == "OPTIONS":
            await preflight(scope, origin, send)
            return
        reply = allowing(origin, send)
        if route == MCP:
            await self._to_mcp(scope, receive, reply)
        else:
            await self._health.answer(route, scope, self._admitted, reply)

    async def _to_mcp(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        self._exchanges.require_running()
        admitted = await self._admitted(scope)
        name = admitted.caller.name
        with caller_in_log(name):
            wait = self._rates.take(name)
            if wait:
                raise RefusedError(
                    429,
                    "TOO_MANY_REQUESTS",
                    f"client {name} asks more often than it may",
                    f"Wait {wait} s, then send the request again.",
                    headers={"Retry-After": str(wait)},
                    retry="safe",
                )
            # A listening client of 2026-07-28 says so in a header, which the SDK compares with the body.
            listens = scope["method"] == "GET" or _LISTEN in values(scope["headers"], b"mcp-method")
            inner = {
                **scope,
                # Nothing behind the gate sees the token, or can log it.
                "headers": [line for line in scope["headers"] if line[0] != b"authorization"],
                "user": user_of(admitted),
                _ADMITTED: admitted,
            }
            exchange = Exchange(
                inner, _with_headers(send), admitted, is_stream=listens, patience=self._bounds.patience
            )
            with self._exchanges.opened(exchange):
                await exchange.run(self._to_sessions, receive)

    async def _to_sessions(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Within its exchange, so that the wait for a body ends with it."""
        body = await body_of(scope["headers"], receive, most=self._bounds.body, seconds=self._bounds.patience)
        async with self._ids.answered(scope, body):
            await self._sessions.asgi_app(scope, replayed(body, receive), send)

    async def _admitted(self, scope: "Scope") -> Admitted:
        """Who calls. Raises RefusedError where that is nobody."""
        challenge = self._authenticator.challenge
        try:
            return await self._authenticator.admit(
                shown_credential(values(scope["headers"], b"authorization"))
            )
        except NotAdmittedError as error:
            if error.is_ours:
                raise RefusedError(
                    503, "TOKENS_UNREADABLE", error.message, headers={"Retry-After": "30"}, retry="safe"
                ) from None
            raise RefusedError(
                401,
                "TOKEN_REFUSED" if error.was_shown else "TOKEN_MISSING",
                error.message,
                "The operator makes one with: exchange-mcp tokens add CLIENT.",
                headers={
                    "WWW-Authenticate": challenge + ', error="invalid_token"' * error.was_shown,
                },
            ) from None

    async def _refuse(self, refusal: RefusedError, scope: "Scope", request: "_Request") -> None:
        if not self._log_rates.take(""):
            client = scope.get("client") or ("unknown", 0)
            _log.info("request refused", code=refusal.code, status=refusal.status, peer=client[0])
        origin = None
        if refusal.code not in {"HOST_REFUSED", "HOST_MISSING", "ORIGIN_REFUSED"}:
            origin = self._whence.listed_origin(scope)
        closes = not request.is_complete and await self._has_more(refusal, scope, request.receive)
        headers = [(name.lower().encode(), value.encode()) for name, value in refusal.headers.items()]
        reply = allowing(origin, request.send)
        await answer(reply, refusal.status, refusal.body(), headers=headers, closes=closes)

    async def _has_more(self, refusal: RefusedError, scope: "Scope", receive: "Receive") -> bool:
        """Whether bytes of the request are still to come that nobody wants: then the connection ends with the answer.

        A small body is taken first, since who is still sending may not read the answer.
        """
        headers = scope["headers"]
        if values(headers, b"expect") or refusal.code in {"FRAMED_TWICE", "BODY_TOO_LARGE", "BODY_TOO_SLOW"}:
            return True
        try:
            await body_of(headers, receive, most=self._bounds.body, seconds=1.0)
        except (RefusedError, GoneError):
            return True
        return False


class _Request:
    """One request's two ends, and how far each has come."""

    def __init__(self, receive: "Receive", send: "Send") -> None:
        self._receive = receive
        self._send = send
        self.is_complete = False
        self.is_answered = False

    async def receive(self) -> "Message":
        message = await self._receive()
        self.is_complete = self.is_complete or not message.get("more_body", False)
        return message

    async def send(self, message: "Message") -> None:
        self.is_answered = True
        await self._send(message)


def _with_headers(send: "Send") -> "Send":
    """The answers of the SDK, with the headers that every answer of ours has."""

    async def sending(message: "Message") -> None:
        if message["type"] == "http.response.start":
            theirs = [line for line in message.get("headers", ()) if line[0] != b"cache-control"]
            message = {**message, "headers": [*theirs, *ALWAYS]}
        await send(message)

    return sending
