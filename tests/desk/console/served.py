"""A console on both loopback addresses and its door on a Unix socket, in a thread, with the office behind them."""

import asyncio
import threading
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Self, TypeVar

from exchange_mcp.cli.clock import SystemClock
from exchange_mcp.cli.entropy import SystemEntropy
from exchange_mcp.desk.apps.operator import operator_app
from exchange_mcp.desk.apps.serving import Serving
from exchange_mcp.desk.console.app import console_app
from exchange_mcp.desk.console.listening import console_sockets
from exchange_mcp.desk.sockets import bind_operator

from .pretend_office import PretendOffice

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import BrowserContext, Page

T = TypeVar("T")


class MovableClock(SystemClock):
    """The system's clock, put ahead by a test."""

    ahead_ms = 0

    def now_ms(self) -> int:
        return super().now_ms() + self.ahead_ms


class Served:
    """What a browser and a terminal are pointed at."""

    def __init__(self, folder: "Path") -> None:
        self.socket = folder / "operator" / "operator.sock"
        pages = console_sockets(0)
        self.port: int = pages[0].getsockname()[1]
        self.clock = MovableClock()
        self.office = PretendOffice(self.clock, self.port)
        self.console = console_app(
            self.office,
            port=self.port,
            type_above=lambda: Decimal(50_000),
            clock=self.clock,
            entropy=SystemEntropy(),
        )
        self._bound = bind_operator(self.socket)
        door = operator_app(self.office, self.console, self.clock)
        self._servings = (
            Serving(self.console, *pages, ending=self.console.close),
            Serving(door, self._bound.listener, ending=door.stop),
        )
        self._up = threading.Event()
        self._waited_for = len(self._servings)

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()))
        self._thread.start()
        self._up.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        for each in self._servings:
            self.call(each.stop)
        self._thread.join(10)
        self._bound.close()

    def _ready(self) -> None:
        self._waited_for -= 1
        if not self._waited_for:
            self._up.set()

    async def _run(self) -> None:
        self.loop = asyncio.get_running_loop()
        async with asyncio.TaskGroup() as group:
            for each in self._servings:
                group.create_task(each.run(ready=self._ready))

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
