"""A console on both loopback addresses, in a thread of its own, and the office behind it."""

import asyncio
import threading
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeVar

from desk.console.pretend_office import PretendOffice
from exchange_mcp.cli.clock import SystemClock
from exchange_mcp.cli.entropy import SystemEntropy
from exchange_mcp.desk.console.app import console_app
from exchange_mcp.desk.console.listening import console_sockets
from exchange_mcp.http.bound_server import BoundServer, bounded
from exchange_mcp.http.connections import Doorkeeper

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, CDPSession, Page

T = TypeVar("T")


class MovableClock(SystemClock):
    """The system's clock, put ahead by a test."""

    ahead_ms = 0

    def now_ms(self) -> int:
        return super().now_ms() + self.ahead_ms


class Served:
    """What a browser is pointed at."""

    def __enter__(self) -> "Served":
        sockets = console_sockets(0)
        self.port: int = sockets[0].getsockname()[1]
        self.clock = MovableClock()
        self.office = PretendOffice(self.clock, self.port)
        self.console = console_app(
            self.office,
            port=self.port,
            type_above=lambda: Decimal(50_000),
            clock=self.clock,
            entropy=SystemEntropy(),
        )
        doorkeeper = Doorkeeper(most=64, header_seconds=10)
        config = bounded(self.console, doorkeeper, patience_seconds=10, drain_seconds=1)
        self.server = BoundServer(config, *sockets)
        started = threading.Event()
        self.server.on_startup = started.set
        self.thread = threading.Thread(target=self._run)
        self.thread.start()
        assert started.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self.call(self.console.close)
        self.server.should_exit = True
        self.thread.join(10)

    def _run(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.loop.run_until_complete(self.server.serve())
        self.loop.close()

    def call(self, work: Callable[..., T], *given: Any, **named: Any) -> T:  # noqa: ANN401 - whatever the work takes
        """Do it in the console's own thread, as the desk would."""

        async def done() -> T:
            return work(*given, **named)

        return asyncio.run_coroutine_threadsafe(done(), self.loop).result(10)

    @property
    def origin(self) -> str:
        return self.console.origin

    def enter(self, context: "BrowserContext") -> "Page":
        """A page of a browser that opened a new link."""
        page = context.new_page()
        page.goto(self.call(self.console.link).url)
        page.wait_for_url("**/d/*/")
        return page


def authenticator(page: "Page", **more: Any) -> "CDPSession":  # noqa: ANN401 - options of the protocol
    """A virtual authenticator that verifies its user, for every page of this context."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": False,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
        **more,
    }
    session.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    return session
