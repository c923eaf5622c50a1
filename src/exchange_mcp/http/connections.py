"""Connections: how many, from whom, and how long one may sit there without a complete request.

uvicorn speaks HTTP/1.1 (h11) and limits none of this: a connection that sends nothing, or half a header, would stay
for ever. Here it has some seconds; and where all places are taken, the one that has waited for the longest goes first.
"""

import asyncio
import ipaddress
import socket
import ssl
from asyncio.sslproto import SSLProtocol
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, Protocol

from uvicorn.protocols.http.h11_impl import H11Protocol

TRANSPORT: Final = "exchange_mcp.transport"
"""Where a connection puts its transport, in the scope's `state`."""

# The largest header block that is read. Clients send some hundred bytes.
MOST_HEADER_BYTES: Final = 16_384
# What the kernel holds for a client that does not read; without a bound it grows to megabytes.
_SEND_BUFFER_BYTES: Final = 65_536
# Bytes that the other side does not acknowledge for this long mean that it is gone (Linux, RFC 5482).
_UNACKNOWLEDGED_MS: Final = 30_000
_HANDSHAKE_SECONDS: Final = 10


class Waiting(Protocol):
    """A connection without a complete request."""

    def turn_out(self) -> None:
        """Drop it."""
        ...


class Doorkeeper:
    """Who is connected and waits with an incomplete request, or none; and who may connect at all.

    `peers` are networks; where any are named, only they and this machine may connect.
    """

    def __init__(self, *, most: int, header_seconds: float, peers: Sequence[str] = ()) -> None:
        self.most = most
        self.header_seconds = header_seconds
        self._peers = tuple(ipaddress.ip_network(peer) for peer in peers)
        # In the order in which they began to wait.
        self._waiting: dict[Waiting, None] = {}
        self.in_handshake = 0

    def lets_in(self, peer: str) -> bool:
        """Whether this address may connect."""
        if not self._peers:
            return True
        address = ipaddress.ip_address(peer.partition("%")[0])
        plain = getattr(address, "ipv4_mapped", None) or address
        return plain.is_loopback or any(plain in network for network in self._peers)

    def waits(self, connection: Waiting) -> None:
        """It has no complete request under way."""
        self._waiting.setdefault(connection)

    def waits_no_more(self, connection: Waiting) -> None:
        """It has one, or is gone."""
        self._waiting.pop(connection, None)

    def make_room(self, connected: int) -> bool:
        """Whether there is a place for the last of so many; whoever waits longest is turned out for it.

        Those whose handshake is not complete are counted in addition.
        """
        if connected + self.in_handshake <= self.most:
            return True
        oldest = next(iter(self._waiting), None)
        if oldest is None:
            return False
        oldest.turn_out()
        return True


class Connection(H11Protocol):
    """One connection, without an access log."""

    doorkeeper: Doorkeeper
    handshake: "Handshake | None" = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - passed through untouched
        super().__init__(*args, **kwargs)
        self.access_log = False
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Someone connects."""
        if self.handshake is not None:
            self.handshake.is_over()
        super().connection_made(transport)
        self.app_state = {**self.app_state, TRANSPORT: transport}
        peer = self.client[0] if self.client else "127.0.0.1"
        if not self.doorkeeper.lets_in(peer) or not self.doorkeeper.make_room(len(self.connections)):
            self.turn_out()
            return
        raw = transport.get_extra_info("socket")
        with suppress(OSError, AttributeError):
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER_BYTES)
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNACKNOWLEDGED_MS)
        self._await_request()

    def data_received(self, data: bytes) -> None:
        """Bytes have come: a request is complete now, or is still awaited."""
        super().data_received(data)
        self._await_request()

    def on_response_complete(self) -> None:
        """An answer went out; the next request may have begun already."""
        super().on_response_complete()
        if self not in self.connections:  # it was lost before its answer was complete
            self._unset_keepalive_if_required()
        self._await_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is over."""
        self._await_no_more()
        super().connection_lost(exc)
        # uvicorn leaves this timer where the other side reset the connection, and with it all of a request.
        self._unset_keepalive_if_required()

    def turn_out(self) -> None:
        """Drop the connection, and whatever it has not taken."""
        self._await_no_more()
        if not self.transport.is_closing():
            self.transport.abort()

    def shutdown(self) -> None:
        """The server stops: nobody is waited for who has not asked yet."""
        self._await_no_more()
        super().shutdown()

    def _await_request(self) -> None:
        has_header = bool(self.cycle) and not self.cycle.response_complete
        if self.transport.is_closing() or (has_header and not self.cycle.more_body):
            self._await_no_more()
            return
        if has_header:  # whoever reads the body sees to its time
            self._stop_timer()
        elif self._timer is None:
            # Not renewed by the bytes that drip in.
            self._timer = self.loop.call_later(self.doorkeeper.header_seconds, self.turn_out)
        self.doorkeeper.waits(self)

    def _await_no_more(self) -> None:
        self._stop_timer()
        self.doorkeeper.waits_no_more(self)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class Handshake(SSLProtocol):
    """TLS in front of a connection. Until its handshake is complete it has a place, and waits, like any other.

    asyncio's own way to serve TLS tells nobody of a connection before that, so that nothing would bound them.
    """

    def __init__(self, connection: Connection, tls: ssl.SSLContext) -> None:
        outcome: asyncio.Future[None] = connection.loop.create_future()
        # That a handshake failed is the end of its connection, and no news beyond that.
        outcome.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        super().__init__(
            connection.loop,
            connection,
            tls,
            outcome,
            server_side=True,
            ssl_handshake_timeout=_HANDSHAKE_SECONDS,
        )
        self._connection = connection
        self._raw: asyncio.BaseTransport | None = None
        self._is_under_way = False
        connection.handshake = self

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Someone connects, and has said nothing yet."""
        doorkeeper = self._connection.doorkeeper
        self._raw = transport
        self._is_under_way = True
        doorkeeper.in_handshake += 1
        peer = transport.get_extra_info("peername")
        if not doorkeeper.lets_in(peer[0]) or not doorkeeper.make_room(len(self._connection.connections)):
            self.turn_out()
            return
        doorkeeper.waits(self)
        super().connection_made(transport)

    def connection_lost(self, exc: BaseException | None) -> None:
        """It is over, before its handshake was or after."""
        self.is_over()
        super().connection_lost(exc)

    def is_over(self) -> None:
        """The handshake is complete, or will never be."""
        if self._is_under_way:
            self._is_under_way = False
            self._connection.doorkeeper.in_handshake -= 1
            self._connection.doorkeeper.waits_no_more(self)

    def turn_out(self) -> None:
        """Drop it."""
        self.is_over()
        if isinstance(self._raw, asyncio.Transport):
            self._raw.abort()
