"""What is open: requests that are being answered and streams, each of one client, each endable from here.

A client's share is bounded, and so is everybody's together. What a client has open ends soon after its credential
ended, when the server stops, and when whoever asked takes no more bytes.
"""

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio

from exchange_mcp.config.logs import get_logger
from exchange_mcp.http.connections import TRANSPORT
from exchange_mcp.server.http.refusals import RefusedError, answer

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from exchange_mcp.server.auth import Admitted

_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Share:
    """How many may be open: of all clients together, and of one."""

    all: int
    of_one: int


class Exchange:
    """One request and its answer, which may be a stream."""

    def __init__(
        self, scope: "Scope", send: "Send", admitted: "Admitted", *, is_stream: bool, patience: float
    ) -> None:
        self.admitted = admitted
        self.is_stream = is_stream
        self._scope = scope
        self._inner = send
        self._patience = patience
        self._running = anyio.CancelScope()
        self._refusal: RefusedError | None = None
        self._is_started = False
        self._is_complete = False

    def end(self, refusal: RefusedError) -> None:
        """End it now. What was answered so far ends there; where nothing was, the refusal is the answer."""
        if self._refusal is None:
            self._refusal = refusal
            self._running.cancel()

    async def run(self, app: "ASGIApp", receive: "Receive") -> None:
        """Let the application answer."""
        with self._running:
            await app(self._scope, receive, self._send)
        if self._refusal is None or self._is_complete:
            return
        if not self._is_started:
            await answer(self._inner, self._refusal.status, self._refusal.body(), closes=True)
            return
        try:
            await self._inner({"type": "http.response.body", "body": b"", "more_body": False})
        except Exception:  # noqa: BLE001 - the answer said how long it would be, and is not
            self.abort()

    def abort(self) -> None:
        """Drop the connection, with what it has not taken yet."""
        transport = self._scope["state"].get(TRANSPORT)
        if transport is not None:
            transport.abort()

    async def _send(self, message: "Message") -> None:
        if message["type"] == "http.response.start":
            self._is_started = True
        with anyio.move_on_after(self._patience) as waiting:
            await self._inner(message)
        if waiting.cancelled_caught:
            _log.info(
                "a client takes no more bytes; its connection is dropped", caller=self.admitted.caller.name
            )
            self.abort()
        elif message["type"] == "http.response.body" and not message.get("more_body", False):
            self._is_complete = True


class Exchanges:
    """Every exchange that is open."""

    def __init__(self, *, requests: Share, streams: Share) -> None:
        self._shares = {False: requests, True: streams}
        self._open: set[Exchange] = set()
        self._counts: dict[bool, Counter[str]] = {False: Counter(), True: Counter()}
        self.is_stopping = False

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Generator[Exchange]:
        yield from list(self._open)

    @contextmanager
    def opened(self, exchange: Exchange) -> Generator[None]:
        """Count it among what is open, within the block.

        Raises:
            RefusedError: its client, or all together, have as many open as they may.
        """
        self.require_running()
        client, counts = exchange.admitted.caller.name, self._counts[exchange.is_stream]
        share, what = self._shares[exchange.is_stream], "streams" if exchange.is_stream else "requests"
        if counts[client] >= share.of_one:
            raise _too_many(429, f"client {client} has {share.of_one} {what} open, as many as it may")
        if counts.total() >= share.all:
            raise _too_many(503, f"the server has {share.all} {what} open, as many as it may")
        counts[client] += 1
        self._open.add(exchange)
        try:
            yield
        finally:
            self._open.discard(exchange)
            counts[client] -= 1
            if not counts[client]:
                del counts[client]

    def require_running(self) -> None:
        """Raise RefusedError once the server stops."""
        if self.is_stopping:
            raise _stopping()

    def stop(self) -> None:
        """Take no more, and end every stream; requests go on until `end_all`."""
        self.is_stopping = True
        for exchange in self:
            if exchange.is_stream:
                exchange.end(_stopping())

    def end_all(self) -> None:
        """End whatever is open, since the server stops."""
        for exchange in self:
            exchange.end(_stopping())

    def end_of(self, credential: str) -> None:
        """End whatever is open by this credential, which is not good any more."""
        for exchange in self:
            if exchange.admitted.credential == credential:
                exchange.end(_ended())


def _stopping() -> RefusedError:
    return RefusedError(
        503,
        "STOPPING",
        "the server is shutting down",
        "Send the request again once it is back.",
        headers={"Retry-After": "5"},
        retry="safe",
    )


def _ended() -> RefusedError:
    return RefusedError(
        401,
        "TOKEN_REFUSED",
        "the token was revoked or has expired",
        "The operator makes another: exchange-mcp tokens add CLIENT.",
    )


def _too_many(status: int, message: str) -> RefusedError:
    return RefusedError(
        status,
        "TOO_MANY_OPEN",
        message,
        "Wait for one to end, then send the request again.",
        headers={"Retry-After": "1"},
        retry="safe",
    )
