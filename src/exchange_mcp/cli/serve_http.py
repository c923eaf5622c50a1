"""What `serve --transport http` needs beyond a configuration: a token, a certificate, a socket."""

import socket
import ssl
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from exchange_mcp.cli.clock import SystemClock
from exchange_mcp.cli.places import places
from exchange_mcp.cli.ports import port_refused
from exchange_mcp.cli.registered import Registered
from exchange_mcp.config.faults import ConfigError, Fault, SecretError
from exchange_mcp.config.listening import listening_faults
from exchange_mcp.config.owner_only import read_owner_only
from exchange_mcp.config.schema import HttpTable
from exchange_mcp.config.tokens import TokenStore
from exchange_mcp.server.auth import TokenAuthenticator
from exchange_mcp.server.build import build_over
from exchange_mcp.server.http.gate import identify
from exchange_mcp.server.http.process import serve
from exchange_mcp.server.http.serving import HttpServing, Parts, listening_socket, tls_context
from exchange_mcp.server.news import News
from exchange_mcp.server.running import Running

_LARGEST_KEY: Final = 65_536


@dataclass
class Listening:
    """A socket that is bound, and what clients are served with on it."""

    table: HttpTable
    listener: socket.socket
    tls: ssl.SSLContext | None
    store: TokenStore
    _serving: list[HttpServing] = field(default_factory=list[HttpServing])

    def renew(self, table: HttpTable) -> None:
        """Take the certificate as it stands now. Raises ConfigError where it cannot be used; nothing changes then."""
        _certificate(table)
        for serving in self._serving:
            serving.renew_certificate(table)

    async def serve(self, running: Running, news: News, source: Path | None) -> None:
        """Serve until a signal ends it."""
        clock = SystemClock()
        parts = Parts(
            server=build_over(running.offered, identify, news),
            authenticator=TokenAuthenticator(self.store, clock),
            news=news,
            clock=clock,
            opened=running.opened,
        )
        serving = HttpServing(parts, self.table, self.listener, tls=self.tls)
        self._serving.append(serving)
        registered = Registered(running, places().running, serving.url, source)
        await serve(serving, background=registered.run, close=registered.close, reload=registered.reload)


def listen(table: HttpTable, source: Path | None) -> Listening:
    """Bind the socket, once it is certain that what listens there is safe to listen to.

    Raises:
        ConfigError: the table, the certificate or the tokens do not allow it.
        ClickException: the address is not ours, or the port is taken.
    """
    faults = list(listening_faults(table))
    if faults:
        raise ConfigError([Fault(source and str(source), None, each.key, each.message) for each in faults])
    tls = _certificate(table)
    store = TokenStore(places().tokens_file)
    try:
        is_known = any(each.is_current(SystemClock().now_ms()) for each in store.records())
    except SecretError as error:
        raise ConfigError([Fault(None, None, "", str(error))]) from None
    if not is_known:
        raise ConfigError(
            [
                Fault(
                    str(store.path),
                    None,
                    "",
                    "holds no token that is valid, and nobody is served without one; make one: "
                    "exchange-mcp tokens add CLIENT",
                )
            ]
        )
    try:
        listener = listening_socket(table)
    except OSError as error:
        stands = "" if source is None else f", or change [http] in {source}"
        change = f"name another: exchange-mcp serve --transport http --address IP --port PORT{stands}"
        raise port_refused(error, f"serve at {table.address}", table.port, change) from None
    return Listening(table, listener, tls, store)


def _certificate(table: HttpTable) -> ssl.SSLContext | None:
    """What to serve with. Raises ConfigError where it cannot be used."""
    try:
        if table.certificate_key is not None:
            read_owner_only(table.certificate_key, limit=_LARGEST_KEY)
        return tls_context(table)
    except SecretError as error:
        reason = str(error)
    except ssl.SSLError:
        reason = "the certificate and its key cannot be used together, or one of them is not PEM"
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
    raise ConfigError([Fault(None, None, "http.certificate", reason)])
