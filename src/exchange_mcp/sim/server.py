"""The venue as a server on loopback: HTTPS on 127.0.0.1, as many times one after another as wanted."""

import asyncio
import secrets
import socket
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from exchange_mcp.sim import tls
from exchange_mcp.sim.app import TRANSPORT, App
from exchange_mcp.sim.clock import Clock, SystemClock
from exchange_mcp.sim.exchange import Exchange
from exchange_mcp.sim.keys import ApiKey, Entropy
from exchange_mcp.sim.venue import SITES

ADDRESS = "127.0.0.1"
_GRACE_SECONDS = 2
_IDLE_SECONDS = 75


class SimulatedExchange:
    """A venue that can be served.

    Args:
        seed: what prices, books and opening balances follow from.
        clock: where the venue takes its time from; the machine's clock unless given.
        accounts: how many accounts there are: main, alt, acct3 and so on.
        entropy: where keys and the control token come from; the operating system unless given.

    Attributes:
        control: faults and the request log.
        control_token: what opens the same over HTTP.
        ca_pem: the certificate (PEM) of the authority that clients have to trust.
    """

    def __init__(
        self,
        *,
        seed: int = 1,
        clock: Clock | None = None,
        accounts: int = 2,
        entropy: Entropy = secrets.token_bytes,
    ) -> None:
        self.seed = seed
        self.clock = clock or SystemClock()
        self.exchange = Exchange(seed=seed, clock=self.clock, accounts=accounts, entropy=entropy)
        self.control_token = entropy(32).hex()
        self._app = App(self.exchange, self.control_token)
        self.control = self._app.control
        self._identity = tls.issue([*SITES, "localhost", ADDRESS])
        self.ca_pem = self._identity.ca_pem
        self._port: int | None = None

    @property
    def port(self) -> int:
        """The TCP port that is served right now; RuntimeError while none is."""
        if self._port is None:
            raise RuntimeError("the simulated exchange is not being served; enter serving() first")
        return self._port

    @property
    def keys(self) -> Mapping[str, ApiKey]:
        """The API keys by label."""
        return self.exchange.keys.by_label()

    @asynccontextmanager
    async def serving(self, port: int = 0) -> AsyncGenerator["SimulatedExchange"]:
        """Serve until the block is left; port 0 takes any that is free. Raises OSError where it is taken."""
        with _listening(port) as listener:
            self._app.open()
            server = _Server(_config(self._app, self._identity))
            serving = asyncio.create_task(server.serve([listener]))
            try:
                await server.listening.wait()
                self._port = listener.getsockname()[1]
                yield self
            finally:
                self._port = None
                self._app.close()
                server.should_exit = True
                await serving


class _Server(uvicorn.Server):
    """A server that says when it listens, and leaves the process's signals alone."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listening.set()

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


class _Protocol(H11Protocol):
    """HTTP/1.1 without an access log, that lets the application close the connection it was asked over."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - passed through untouched
        super().__init__(*args, **kwargs)
        self.access_log = False

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self.app_state = {**self.app_state, TRANSPORT: transport}


def _config(app: App, identity: tls.Identity) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=_Protocol,
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=_IDLE_SECONDS,
        timeout_graceful_shutdown=_GRACE_SECONDS,
        ssl_context_factory=lambda _config, _default: identity.context,
    )


@contextmanager
def _listening(port: int) -> Generator[socket.socket]:
    # Named by its protocol: asyncio turns off the delay of small packets only for sockets that say TCP.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((ADDRESS, port))
        yield listener
