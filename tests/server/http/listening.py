"""A server on a loopback socket in this process, over a venue that does as told; and ways to talk to it."""

import asyncio
import json
import math
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import anyio
import anyio.lowlevel
import httpx
import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from exchange_mcp.config.schema import HttpTable
from exchange_mcp.config.tokens import TokenStore
from exchange_mcp.model.accounts import Account, AccountName, Environment, MarketType
from exchange_mcp.model.balances import Balance
from exchange_mcp.model.callers import Caller, Scope
from exchange_mcp.model.coverage import SourceRead, Sources
from exchange_mcp.model.effects import Effect
from exchange_mcp.model.frozen import Record
from exchange_mcp.model.ports import ReadVenue
from exchange_mcp.server.auth import TokenAuthenticator
from exchange_mcp.server.build import build_over
from exchange_mcp.server.calls import Calls, Limits
from exchange_mcp.server.http.gate import identify
from exchange_mcp.server.http.serving import HttpServing, Parts, listening_socket
from exchange_mcp.server.news import News
from exchange_mcp.server.offered import Offered
from exchange_mcp.tools.handed import LocalHanded
from exchange_mcp.tools.registry import Registry, without_desk
from exchange_mcp.tools.spec import Arguments, Hint, Hints, ToolSpec
from tools.fakes import FakeVenue

if TYPE_CHECKING:
    from exchange_mcp.server.build import Identify

Era = Literal["legacy", "2026-07-28"]
ERAS: tuple[Era, ...] = ("legacy", "2026-07-28")

ACCOUNT = Account(AccountName("main"), "binance", Environment.SIM, (MarketType.SPOT,), has_key=False)
ACCEPT = "application/json, text/event-stream"
LEGACY = "2025-11-25"
MODERN = "2026-07-28"
WRITE = "place_test_order"

Read = Callable[[], Awaitable[Sequence[Balance]]]


class SetClock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def now_ms(self) -> int:
        return 1_764_000_000_000 + int(self.seconds * 1000)

    def monotonic(self) -> float:
        return self.seconds


@dataclass
class Ticks:
    """A sleep that ends when it is told to."""

    event: anyio.Event = field(default_factory=anyio.Event)

    async def sleep(self, _seconds: float) -> None:
        await self.event.wait()

    def tick(self) -> None:
        self.event.set()
        self.event = anyio.Event()


class Ready:
    """Venues that are there from the start."""

    def __init__(self, read: Read) -> None:
        self.venues: Mapping[str, ReadVenue] = {
            ACCOUNT.name: FakeVenue(ACCOUNT, Sources((SourceRead("spot", read),)))
        }

    async def ready(self) -> Mapping[str, ReadVenue]:
        return self.venues


async def empty() -> Sequence[Balance]:
    """An account without a balance."""
    return ()


class NoArguments(Arguments):
    """None."""


class Placed(Record):
    """Who placed it."""

    by: str


def write_tool(log: list[str], name: str = WRITE) -> ToolSpec:
    """A tool that is declared as one that writes, and notes who called it."""

    async def handler(_: NoArguments, handed: LocalHanded) -> Placed:
        log.append(handed.caller.name)
        return Placed(by=handed.caller.name)

    yes, no = Hint(value=True, reason="A test."), Hint(value=False, reason="A test.")
    return ToolSpec(
        name=name,
        title="Test order",
        description="Places a test order.",
        arguments=NoArguments,
        data=Placed,
        effect=Effect.WRITE,
        hints=Hints(read_only=no, destructive=yes, idempotent=no, open_world=yes),
        commitment="a resting order",
        handler=handler,
    )


@dataclass
class Place:
    """The server, its tokens, and what it did."""

    serving: HttpServing
    store: TokenStore
    clock: SetClock
    ticks: Ticks
    offered: Offered
    news: News
    written: list[str]
    port: int
    tokens: dict[str, str]

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def token(self, client: str, *scopes: Scope, days: int = 90) -> str:
        """A new token."""
        token, _ = self.store.add(client, scopes, days=days, now_ms=self.clock.now_ms())
        return token.reveal()

    def headers(self, who: str, **more: str) -> dict[str, str]:
        """What a client of 2025-11-25 sends with a message."""
        return {
            "authorization": f"Bearer {self.tokens[who]}",
            "accept": ACCEPT,
            "content-type": "application/json",
            **{name.replace("_", "-"): value for name, value in more.items()},
        }

    def http(self) -> httpx.AsyncClient:
        """Plain HTTP to the server."""
        # Without TLS there is nothing to verify, and loading the authorities takes longer than most tests.
        base = f"http://{self.host}"
        return httpx.AsyncClient(base_url=base, timeout=10, trust_env=False, verify=False)  # noqa: S501 - as above

    @asynccontextmanager
    async def client(self, who: str, era: Era = MODERN) -> AsyncGenerator[Client]:
        """A real MCP client."""
        async with httpx2.AsyncClient(
            headers={"authorization": f"Bearer {self.tokens[who]}"},
            timeout=10,
            trust_env=False,
            verify=False,
        ) as inner:
            transport = streamable_http_client(self.serving.url, http_client=inner)
            async with Client(transport, mode=era) as client:
                yield client

    async def session(self, who: str) -> str:
        """A session of 2025-11-25, opened by this client."""
        async with self.http() as http:
            answer = await http.post("/mcp", headers=self.headers(who), json=INITIALIZE)
            assert answer.status_code == 200, answer.text
            session = answer.headers["mcp-session-id"]
            done = await http.post(
                "/mcp", headers=self.headers(who, mcp_session_id=session), json=INITIALIZED
            )
            assert done.status_code == 202
        return session

    async def raw(self, request: bytes, *, seconds: float = 5) -> bytes:
        """Everything that the server answers to these bytes until it closes the connection or has answered once."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(request)
            with anyio.fail_after(seconds):
                return await _answer(reader)
        finally:
            writer.close()

    def bearer(self, who: str) -> bytes:
        return b"Authorization: Bearer " + self.tokens[who].encode() + b"\r\n"


async def _answer(reader: asyncio.StreamReader) -> bytes:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as ended:
        return ended.partial
    except ConnectionResetError:
        return b""
    lines = [line.lower() for line in head.split(b"\r\n")]
    length = next((int(line[15:]) for line in lines if line.startswith(b"content-length:")), None)
    if length is None:
        return head + await reader.read(65536) if b"transfer-encoding: chunked" in lines else head
    return head + await reader.readexactly(length)


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": LEGACY,
        "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"},
    },
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


def call(tool: str, *, number: int = 3, **arguments: object) -> dict[str, Any]:
    """A call of a tool."""
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def modern(method: str, *, number: int = 1, **params: object) -> dict[str, Any]:
    """A message of 2026-07-28, which says on its own what a session says in the handshake."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
    }
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": {"_meta": meta, **params}}


def code_of(answer: httpx.Response) -> str:
    """The code of a refusal."""
    return cast("str", answer.json()["error"]["data"]["code"])


def event_of(answer: httpx.Response) -> dict[str, Any]:
    """The one message of an answer, which may be a stream of one event."""
    if answer.headers["content-type"].startswith("application/json"):
        return cast("dict[str, Any]", answer.json())
    data = [line[6:] for line in answer.text.splitlines() if line.startswith("data: ")]
    return cast("dict[str, Any]", json.loads(data[-1]))


@asynccontextmanager
async def listening(
    directory: Path,
    *,
    read: Read = empty,
    limits: Limits | None = None,
    identified: "Identify" = identify,
    tls: ssl.SSLContext | None = None,
    **http: object,
) -> AsyncGenerator[Place]:
    """A server with two clients: `reader` may read, `trader` may trade."""
    clock, ticks, news, written = SetClock(), Ticks(), News(), list[str]()
    table = HttpTable.model_validate({"port": 0, "drain_seconds": 0.2, **http})
    store = TokenStore(directory / "tokens.json")
    registry = Registry([*without_desk(), write_tool(written)])
    ready = Ready(read)
    calls = Calls(registry, [ACCOUNT], ready, clock, limits or Limits(20, 16, 64))
    offered = Offered(registry, calls)
    listener = listening_socket(table)
    parts = Parts(
        server=build_over(offered, identified, news),
        authenticator=TokenAuthenticator(store, clock),
        news=news,
        clock=clock,
        opened=lambda: ready.venues,
    )
    serving = HttpServing(parts, table, listener, tls=tls, sleep=ticks.sleep)
    port: int = listener.getsockname()[1]
    place = Place(serving, store, clock, ticks, offered, news, written, port, {})
    place.tokens["reader"] = place.token("reader")
    place.tokens["trader"] = place.token("trader", Scope.TRADE)
    up = anyio.Event()
    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:

            async def run() -> None:
                await serving.run(ready=up.set)

            group.start_soon(run)
            await up.wait()
            try:
                yield place
            finally:
                serving.stop()


async def until(condition: Callable[[], bool], seconds: float = 5) -> None:
    """Let others run until this holds."""
    with anyio.fail_after(seconds):
        while not condition():
            await anyio.lowlevel.checkpoint()


async def never() -> Sequence[Balance]:
    """A venue that does not answer."""
    await anyio.sleep(math.inf)
    raise AssertionError


CALLER = Caller("tests", frozenset(Scope))
