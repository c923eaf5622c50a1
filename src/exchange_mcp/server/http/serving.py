"""Serving over HTTP from the first connection to the last: listening, watching credentials, and ending in order."""

import logging
import socket
import ssl
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import anyio

from exchange_mcp.config.listening import own_hosts
from exchange_mcp.config.logs import get_logger
from exchange_mcp.http.bound_server import BoundServer, bounded
from exchange_mcp.http.connections import Doorkeeper
from exchange_mcp.http.rates import Rates
from exchange_mcp.server.http.exchanges import Exchanges, Share
from exchange_mcp.server.http.gate import Bounds, Gate
from exchange_mcp.server.http.health import Health
from exchange_mcp.server.http.sessions import Sessions
from exchange_mcp.server.http.whence import MCP, Whence

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    from exchange_mcp.config.schema import HttpTable
    from exchange_mcp.model.ports import Clock, ReadVenue
    from exchange_mcp.server.auth import Authenticator
    from exchange_mcp.server.news import News

_log = get_logger(__name__)

_WATCH_SECONDS: Final = 1.0
_LOGGED_A_MINUTE: Final = 60
# After everything was ended; a backstop that nothing should need.
_FORCED_AFTER_SECONDS: Final = 2

Sleep = Callable[[float], Awaitable[None]]


def tls_context(table: "HttpTable") -> ssl.SSLContext | None:
    """The certificate to serve with, if one is set.

    Raises:
        OSError: a file cannot be read, or the two do not belong together (ssl.SSLError).
    """
    if table.certificate is None or table.certificate_key is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # Without a password callback OpenSSL would ask the terminal for one.
    context.load_cert_chain(table.certificate, table.certificate_key, password=lambda: b"")
    return context


def listening_socket(table: "HttpTable") -> socket.socket:
    """The socket that clients connect to.

    Raises:
        OSError: the address is not ours, or the port is taken.
    """
    family = socket.AF_INET6 if ":" in table.address else socket.AF_INET
    # Named by its protocol: asyncio turns off the delay of small packets only for sockets that say TCP.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family is socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind((table.address, table.port))
    except BaseException:
        listener.close()
        raise
    return listener


@dataclass(frozen=True, slots=True)
class Parts:
    """What serving is made of: the MCP server, who judges credentials, and where time comes from."""

    server: "Server[Any]"
    authenticator: "Authenticator"
    news: "News"
    clock: "Clock"
    opened: Callable[[], "Mapping[str, ReadVenue] | None"]


class HttpServing:
    """One listening socket, and everything behind it.

    Attributes:
        url: what clients are told to connect to.
    """

    def __init__(
        self,
        parts: Parts,
        table: "HttpTable",
        listener: socket.socket,
        *,
        tls: ssl.SSLContext | None = None,
        sleep: Sleep = anyio.sleep,
    ) -> None:
        self._parts = parts
        self._table = table
        self._listener = listener
        self._sleep = sleep
        self._tls = tls
        port: int = listener.getsockname()[1]
        scheme = "http" if tls is None else "https"
        host = f"[{table.address}]" if ":" in table.address else table.address
        self.url = f"{scheme}://{host}:{port}{MCP}"
        self.exchanges = Exchanges(
            requests=Share(table.max_requests, table.max_requests_per_client),
            streams=Share(table.max_streams, table.max_streams_per_client),
        )
        self.sessions = Sessions(
            parts.server,
            most=table.max_sessions,
            of_one=table.max_sessions_per_token,
            idle_seconds=table.session_idle_seconds,
            max_body=table.max_body_bytes,
        )
        gate = Gate(
            self.sessions,
            whence=Whence.of(own_hosts(table, port), table.origins, scheme=scheme),
            authenticator=parts.authenticator,
            exchanges=self.exchanges,
            rates=Rates(table.requests_per_minute, parts.clock),
            log_rates=Rates(_LOGGED_A_MINUTE, parts.clock),
            health=Health(self),
            bounds=Bounds(table.max_body_bytes, table.patience_seconds),
        )
        doorkeeper = Doorkeeper(
            most=table.max_connections,
            header_seconds=table.patience_seconds,
            peers=table.trusted_proxies,
        )
        config = bounded(
            gate,
            doorkeeper,
            patience_seconds=table.patience_seconds,
            drain_seconds=int(table.drain_seconds) + _FORCED_AFTER_SECONDS,
        )
        self._uvicorn = BoundServer(config, listener, tls=tls)
        self._stopped = anyio.Event()

    @property
    def is_stopping(self) -> bool:
        """Whether no more requests are taken."""
        return self.exchanges.is_stopping

    def opened(self) -> "Mapping[str, ReadVenue] | None":
        """The accounts' venues, once they can be asked."""
        return self._parts.opened()

    def renew_certificate(self, table: "HttpTable") -> None:
        """Serve new connections with the certificate as it stands now. Raises OSError, and changes nothing."""
        if self._tls is not None and table.certificate is not None and table.certificate_key is not None:
            tls_context(table)  # what is faulty fails here, and leaves ours as it was
            self._tls.load_cert_chain(table.certificate, table.certificate_key, password=lambda: b"")

    async def run(self, *, ready: Callable[[], None] = lambda: None) -> None:
        """Serve until `stop` was called and everything has ended; `ready` is called once connections are taken."""
        with self._listener:
            async with self.sessions.run(), anyio.create_task_group() as group:
                group.start_soon(self._watch)
                group.start_soon(self._end_in_time)
                self._uvicorn.on_startup = ready
                await self._uvicorn.serve()
                group.cancel_scope.cancel()

    def stop(self) -> None:
        """Take no more requests and end what waits for nothing; calls may go on for the drain's seconds."""
        if not self.is_stopping:
            self._parts.news.close()
            self.exchanges.stop()
            self._uvicorn.should_exit = True
            self._stopped.set()

    async def _end_in_time(self) -> None:
        await self._stopped.wait()
        await anyio.sleep(self._table.drain_seconds)
        if len(self.exchanges):
            _log.warning("requests are cut off, since the server stops", open=len(self.exchanges))
        self.exchanges.end_all()

    async def _watch(self) -> None:
        """End what belongs to a credential that is not good any more, soon after it ended."""
        while True:
            await self._sleep(_WATCH_SECONDS)
            try:
                await self.end_of_revoked()
            except Exception:  # noqa: BLE001 - the watch goes on, whatever happens to one look
                _log.exception("looking for revoked credentials failed")

    async def end_of_revoked(self) -> None:
        """Look once at every credential that has something open."""
        held = {exchange.admitted.credential for exchange in self.exchanges}
        for credential in held | self.sessions.owners():
            if not await self._parts.authenticator.is_valid(credential):
                _log.info("a credential ended; what it had open is closed", credential=credential)
                self.exchanges.end_of(credential)
                await self.sessions.end_of(credential)


def quiet_libraries() -> None:
    """Names of sessions, and what strangers send, stay out of the log; what is worth a line is logged by us."""
    for name in ("uvicorn.error", "mcp.server.streamable_http", "mcp.server.streamable_http_manager"):
        logging.getLogger(name).setLevel(logging.ERROR)
