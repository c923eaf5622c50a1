"""The way in to one of the desk's sockets: every request passes here before anything of the desk is asked.

In this order: what the request is framed as, who asks, which route, how much is under way, then the query and the body.
A log line has the method, the route's template, the client and the status, and nothing else of a request.
"""

import re
import traceback
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Final

import anyio
from starlette.routing import Match

from exchange_mcp.config.logs import get_logger
from exchange_mcp.desk.apps.operation import Call, Operation, routes
from exchange_mcp.desk.apps.requests import (
    FramingError,
    GoneError,
    body_of,
    check_headers,
    credential_of,
    query_of,
    said_of,
)
from exchange_mcp.desk.apps.shares import Shares
from exchange_mcp.desk.apps.statuses import status_of
from exchange_mcp.http.connections import TRANSPORT
from exchange_mcp.http.rates import Rates
from exchange_mcp.link.messages import PROTOCOL, PROTOCOL_HEADER, ErrorMessage
from exchange_mcp.model.errors import (
    BusyError,
    ErrorCode,
    ExchangeMcpError,
    InternalError,
    ProposalRefusedError,
    StoppingError,
)

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope, Send

    from exchange_mcp.model.frozen import Record

_log = get_logger(__name__)

_ALWAYS: Final = (
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (PROTOCOL_HEADER.lower().encode(), str(PROTOCOL).encode()),
)
_NOBODY: Final = "-"
_METHODS: Final = frozenset({"GET", "POST", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"})
_NAMED: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_INTENT_ID: Final = re.compile(r"[0-9a-f]{32}")


class Door:
    """The ASGI application of one socket.

    Args:
        operations: by name, all that it answers.
        client_of: whose credential this is, raises DeskError; None: the socket's file is what lets in, and nobody
            shows a credential.
        shares: how much may be under way.
        rates: how often one client may ask. log_rates: how many refusals of strangers are logged.
        patience: how long the sending of a body, or the taking of an answer, may stall, in seconds.
    """

    def __init__(  # noqa: PLR0913 - its parts
        self,
        operations: Mapping[str, Operation],
        *,
        client_of: Callable[[str], str] | None,
        shares: Shares,
        rates: Rates,
        log_rates: Rates,
        patience: float = 10.0,
    ) -> None:
        self.routes = routes(operations)
        self._client_of = client_of
        self._shares = shares
        self._rates = rates
        self._log_rates = log_rates
        self._patience = patience
        self._waiting: set[anyio.CancelScope] = set()
        self._is_stopping = False

    def stop(self) -> None:
        """Answer no more requests, and end those that wait for something; the others are answered."""
        self._is_stopping = True
        for scope in list(self._waiting):
            scope.cancel()

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Answer one request; nothing but HTTP is spoken here."""
        request = _Request(scope, receive, send)
        try:
            answer = await self._answer(request)
            status, body = (204, b"") if answer is None else (200, answer.model_dump_json().encode())
        except GoneError:
            return
        except ExchangeMcpError as error:
            status, body = _status(error), _refusal(error, request)
        except Exception as error:  # noqa: BLE001 - the client gets a sentence, the log what it needs
            # An exception's own text may repeat the request, so that its place has to do.
            _log.error("answering a request failed", error=type(error).__name__, at=_place(error))
            error = InternalError("the desk failed at this request")
            status, body = 500, _refusal(error, request)
        self._note(request, status)
        closes = not request.is_complete and not await self._take_rest(request)
        with anyio.move_on_after(self._patience) as patience:
            await _send(send, status, body, closes=closes)
        if patience.cancelled_caught:
            transport = scope["state"].get(TRANSPORT)
            if transport is not None:
                transport.abort()

    async def _answer(self, request: "_Request") -> "Record | None":
        scope = request.scope
        check_headers(scope["headers"])
        client = ""
        if self._client_of is not None:
            client = request.client = self._client_of(credential_of(scope["headers"]))
        operation, parameters = self._operation(request)
        intent_id, named = _intent_id(parameters), _named(parameters)
        request.intent_id = intent_id
        if self._is_stopping:
            raise StoppingError("the desk is being shut down")
        wait = 0 if operation.is_urgent else self._rates.take(client)
        if wait:
            raise BusyError(
                "requests come more often than the desk takes them; this one was not taken",
                hint=f"Ask the same again in {wait} s.",
            )
        with self._place(client, operation):
            query = query_of(scope, operation)
            said = await said_of(scope, request.receive, operation, seconds=self._patience)
            request.proposal_id = getattr(said, "proposal_id", None)
            call = Call(client=client, intent_id=intent_id, named=named, query=query, said=said)
            if not operation.waits:
                return await operation.answer(call)
            return await self._waited(operation, call, request)

    def _place(self, client: str, operation: Operation) -> AbstractContextManager[None]:
        """Its place among what is under way; what is urgent needs none, and connections alone bound it."""
        return nullcontext() if operation.is_urgent else self._shares.taken(client, waits=operation.waits)

    def _operation(self, request: "_Request") -> tuple[Operation, Mapping[str, str]]:
        """The route that the request means, compared as it was sent."""
        scope, allowed = request.scope, list[str]()
        if b"%" not in scope["raw_path"]:
            for route in self.routes:
                match, found = route.matches(scope)
                if match is Match.FULL:
                    request.route = route.path
                    return route.operation, found["path_params"]
                if match is Match.PARTIAL:
                    allowed.extend(route.methods or ())
        if allowed:
            raise FramingError(405, f"this path takes {', '.join(sorted(allowed))} alone")
        raise FramingError(404, "this socket has no such route")

    async def _waited(self, operation: Operation, call: Call, request: "_Request") -> "Record | None":
        """The answer of what may wait; its wait ends when the desk stops, and when who asked is gone."""
        if self._is_stopping:
            raise StoppingError("the desk is being shut down")
        answers: list[Record | None] = []
        failures: list[Exception] = []
        is_gone = False
        async with anyio.create_task_group() as group:
            self._waiting.add(group.cancel_scope)

            async def watch() -> None:
                nonlocal is_gone
                while (await request.receive())["type"] != "http.disconnect":
                    pass
                is_gone = True
                group.cancel_scope.cancel()

            group.start_soon(watch)
            try:
                answers.append(await operation.answer(call))
            except Exception as error:  # noqa: BLE001 - out of the group as it is, and not as one of several
                failures.append(error)
            finally:
                self._waiting.discard(group.cancel_scope)
            group.cancel_scope.cancel()
        if failures:
            raise failures[0]
        if answers:
            return answers[0]
        if is_gone:
            raise GoneError
        raise StoppingError("the desk is being shut down")

    def _note(self, request: "_Request", status: int) -> None:
        is_stranger = self._client_of is not None and not request.client
        if is_stranger and self._log_rates.take(""):
            return
        is_news = status >= 400 or request.scope["method"] != "GET"  # noqa: PLR2004 - where errors begin
        (_log.info if is_news else _log.debug)(
            "request",
            method=request.method,
            route=request.route,
            caller=request.client or _NOBODY,
            status=status,
        )

    async def _take_rest(self, request: "_Request") -> bool:
        """Whether the rest of a refused request came and was small; who is still sending may not read the answer."""
        try:
            await body_of(request.scope["headers"], request.receive, seconds=1.0)
        except (FramingError, GoneError):
            return False
        return True


class _Request:
    """One request, and what was understood of it so far."""

    def __init__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        self.scope = scope
        self.send = send
        self._receive = receive
        self.method = scope["method"] if scope["method"] in _METHODS else _NOBODY
        self.route = _NOBODY
        self.client = ""
        self.intent_id = ""
        self.proposal_id: str | None = None
        self.is_complete = False

    async def receive(self) -> "Message":
        """The next part of it."""
        message = await self._receive()
        self.is_complete = self.is_complete or not message.get("more_body", False)
        return message


def _intent_id(parameters: Mapping[str, str]) -> str:
    """The intent in the path, "" where the route has none."""
    named = parameters.get("id")
    if named is not None and not _INTENT_ID.fullmatch(named):
        raise ProposalRefusedError(ErrorCode.UNKNOWN_INTENT, "an intent's id has 32 hexadecimal digits")
    return named or ""


def _named(parameters: Mapping[str, str]) -> str:
    named = parameters.get("named")
    if named is not None and not _NAMED.fullmatch(named):
        raise FramingError(404, "nothing has this name")
    return named or ""


def _status(error: ExchangeMcpError) -> int:
    return error.status if isinstance(error, FramingError) else status_of(error)


def _refusal(error: ExchangeMcpError, request: _Request) -> bytes:
    named: str | None = getattr(error, "intent_id", None)
    return (
        ErrorMessage(
            error=error.body(),
            proposal_id=request.proposal_id,
            intent_id=named or request.intent_id or None,
        )
        .model_dump_json()
        .encode()
    )


async def _send(send: "Send", status: int, body: bytes, *, closes: bool) -> None:
    headers = list(_ALWAYS)
    if status != 204:  # noqa: PLR2004 - No Content has no length either (RFC 9110, 8.6)
        headers += [
            (b"content-length", str(len(body)).encode()),
            (b"content-type", b"application/json"),
        ]
    if status == 401:  # noqa: PLR2004 - RFC 9110, 11.6.1
        headers.append((b"www-authenticate", b"Bearer"))
    if closes:
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _place(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    return " < ".join(f"{Path(each.filename).name}:{each.lineno}" for each in reversed(frames[-4:]))
