"""Who takes part: simulated exchanges as programs of their own, servers over stdio, and ccxt without us."""

import os
import ssl
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import aiohttp
import ccxt.async_support as ccxt
import httpx
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from exchange_mcp.config.rendezvous import SimRendezvous, load_rendezvous
from exchange_mcp.model.accounts import Environment, MarketType
from exchange_mcp.rules.endpoints import EndpointClass
from exchange_mcp.venue.client import addresses, make_client, shut
from exchange_mcp.venue.egress import loading
from exchange_mcp.venue.egress import reading as reading_of
from exchange_mcp.venue.endpoints import table
from exchange_mcp.venue.numbers import ExactNumbers
from exchange_mcp.venue.wire import Loopback, LoopbackResolver, Wire

PRODUCT: Final = Path(sys.executable).with_name("exchange-mcp")
BARE: Final = (sys.executable, str(Path(__file__).with_name("bare_server.py")))
_START_SECONDS: Final = 15.0


@dataclass(frozen=True, slots=True)
class Simulator:
    """A running simulated exchange, and its control."""

    rendezvous_path: Path
    rendezvous: SimRendezvous
    control: httpx.Client

    @property
    def tls(self) -> ssl.SSLContext:
        """Trusts this exchange alone."""
        return ssl.create_default_context(cadata=self.rendezvous.ca_pem)

    def forget_requests(self) -> None:
        """Empty the log of venue requests."""
        self.control.delete("/__sim/requests").raise_for_status()

    def requests(self) -> list[str]:
        """The venue requests since they were forgotten, as "METHOD path"."""
        answer = self.control.get("/__sim/requests").raise_for_status()
        log: list[dict[str, Any]] = answer.json()["requests"]
        return [f"{request['method']} {request['path']}" for request in log]

    def delay_tickers(self, milliseconds: int) -> None:
        """Let every answer to a ticker question wait this long from now on."""
        fault = {"kind": "delay", "path": "/api/v3/ticker/.*", "ms": milliseconds, "times": None}
        self.control.post("/__sim/faults", json=fault).raise_for_status()


@contextmanager
def simulator(folder: Path) -> Generator[Simulator]:
    """A simulated exchange that lives as long as the context, with everything it writes in `folder`."""
    folder.mkdir(mode=0o700)
    path = folder / "rendezvous.json"
    with (
        (folder / "log").open("w+") as log,
        subprocess.Popen(  # noqa: S603 - our own program
            [PRODUCT, "sim", "--exit-with-stdin", "--rendezvous", str(path)],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
        ) as process,
    ):
        try:
            rendezvous = _await_rendezvous(path, process, folder / "log")
            with httpx.Client(
                base_url=f"https://localhost:{rendezvous.port}",
                headers={"Authorization": f"Bearer {rendezvous.control_token.reveal()}"},
                verify=ssl.create_default_context(cadata=rendezvous.ca_pem),
            ) as control:
                yield Simulator(path, rendezvous, control)
        finally:
            process.terminate()


def _await_rendezvous(path: Path, process: subprocess.Popen[bytes], log: Path) -> SimRendezvous:
    until = time.monotonic() + _START_SECONDS
    while not path.exists():
        if process.poll() is not None or time.monotonic() > until:
            raise RuntimeError(f"the simulated exchange did not start:\n{log.read_text()}")
        time.sleep(0.02)
    return load_rendezvous(path)


@asynccontextmanager
async def connected(command: Sequence[str | Path], log: Path) -> AsyncGenerator[Client]:
    """A client of the server that `command` starts; what the server writes to stderr goes to `log`."""
    program, *arguments = map(str, command)
    with log.open("a") as errors:
        server = StdioServerParameters(command=program, args=arguments)
        async with Client(stdio_client(server, errlog=errors)) as client:
            yield client


async def called(client: Client, tool: str, arguments: dict[str, str] | None = None) -> None:
    """Call a tool and insist on an answer that is not an error."""
    result = await client.call_tool(tool, arguments or {})
    if result.is_error:
        raise RuntimeError(f"{tool} failed: {result.structured_content}")


@asynccontextmanager
async def direct(venue: Simulator, kind: Any = ccxt.binance) -> AsyncGenerator[Any]:  # noqa: ANN401 - ccxt is untyped
    """The simulated exchange by ccxt alone, with only our resolver: markets loaded, limiter off."""
    connector = aiohttp.TCPConnector(resolver=LoopbackResolver(venue.rendezvous.port), ssl=venue.tls)
    async with aiohttp.ClientSession(connector=connector) as session:
        spot_alone = {"fetchMarkets": {"types": ["spot"]}}
        exchange: Any = kind({"enableRateLimit": False, "session": session, "options": spot_alone})
        try:
            await exchange.load_markets()
            yield exchange
        finally:
            await exchange.close()


class Exact(ExactNumbers, ccxt.binance):
    """ccxt with our exact numbers, and without the guard."""


@asynccontextmanager
async def guarded(venue: Simulator) -> AsyncGenerator[Callable[[], Awaitable[Any]]]:
    """A ticker of the simulated exchange through our client and its guard: markets loaded, limiter off."""
    wire = Wire(Loopback(venue.rendezvous.port, venue.rendezvous.ca_pem))
    allowed, types = table("binance"), (MarketType.SPOT,)
    reads, loads = (allowed.of(cls, types) for cls in (EndpointClass.READ, EndpointClass.MARKETS))
    places = addresses("binance", Environment.SIM, types, reads | loads, allowed.hosts)
    client = make_client("binance", Environment.SIM, types, wire=wire, places=places, rate_limit=False)

    async def ticker() -> object:
        with reading_of(reads):
            return await client.fetch_ticker("BTC/USDT")

    try:
        with loading(loads):
            client.set_markets(await client.fetch_markets())
        yield ticker
    finally:
        shut(client)
        await wire.close()


def children() -> frozenset[int]:
    """The process ids that this process has started and that are still there; Linux only.

    Source: proc_pid_task_tid_children(5).
    """
    tasks = Path(f"/proc/{os.getpid()}/task")
    return frozenset(int(pid) for task in tasks.glob("*/children") for pid in task.read_text().split())


def resident_bytes(pid: int) -> int:
    """What a process holds in memory (VmRSS of proc_pid_status(5))."""
    status = Path(f"/proc/{pid}/status").read_text()
    kilobytes = next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(kilobytes) * 1024
