"""`make load`: 64 clients ask a server over HTTP for rounds of mixed reads of a simulated exchange.

Fails where a call fails, where the simulated exchange did not get the requests that the reads need, or where memory
after the tenth round is above 1.05 times that after the second. Prints the latency of a call, the processor time that
the server took for it, and the memory. Then one client opens thousands of sessions and leaves them, and memory is
printed again. The first round is told apart: in it the server loads markets, and our 64 clients learn the tools.
"""

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import quantiles
from typing import Final, Self

import httpx
import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from benches.over_http import Served, over_http
from benches.parties import Simulator, called, simulator

CLIENTS: Final = 64
ROUNDS: Final = 10
MOST_SECONDS: Final = 300.0
MOST_GROWTH: Final = 1.05
SESSIONS: Final = 2000

# What a client asks in a round, and how many requests each needs at the venue (spot and USD-M).
READS: Final[tuple[tuple[str, dict[str, str], int], ...]] = (
    ("get_ticker", {"symbol": "BTC/USDT"}, 1),
    ("get_orderbook", {"symbol": "ETH/USDT:USDT"}, 1),
    ("get_balance", {}, 2),
    ("get_open_orders", {}, 3),
    ("list_accounts", {}, 0),
)
_SETTINGS: Final = "requests_per_minute = 1000000\nmax_requests = 1000\nmax_connections = 1000"
_MARKETS: Final = ("exchangeInfo", "apiRestrictions", "time")


class Clients:
    """Every client's connection, half of them of each protocol era, and how long their calls took (seconds)."""

    def __init__(self, served: Served) -> None:
        self._served = served
        self._stack = AsyncExitStack()
        self._clients: list[Client] = []
        self.seconds: list[float] = []

    async def __aenter__(self) -> Self:
        for number, token in enumerate(self._served.tokens):
            # Loading the authorities for every client would measure us, not the server.
            http = await self._stack.enter_async_context(
                httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60, verify=False)
            )
            mode = "legacy" if number % 2 else "2026-07-28"
            client = Client(streamable_http_client(self._served.url, http_client=http), mode=mode)
            self._clients.append(await self._stack.enter_async_context(client))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def round(self) -> None:
        """Let every client ask everything once, all clients at the same time."""
        await asyncio.gather(*(self._ask(client, number) for number, client in enumerate(self._clients)))

    async def _ask(self, client: Client, number: int) -> None:
        first = number % len(READS)
        for tool, arguments, _ in (*READS[first:], *READS[:first]):
            since = time.perf_counter()
            await called(client, tool, arguments)
            self.seconds.append(time.perf_counter() - since)


def resident_kilobytes(pid: int) -> int:
    """Memory of the process that is in use (Linux, VmRSS)."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))


def processor_seconds(pid: int) -> float:
    """What the process has used of the processor so far (Linux, utime and stime of proc_pid_stat(5))."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def asked(venue: Simulator) -> int:
    """How many reads the venue got since its log was emptied; what the server asks for itself is not counted."""
    requests = venue.requests()
    return sum(not any(word in request for word in _MARKETS) for request in requests)


async def leave_sessions(served: Served) -> None:
    """One client opens sessions one after another, and uses none."""
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "load", "version": "1"},
        },
    }
    headers = {
        "Authorization": f"Bearer {served.tokens[0]}",
        "Accept": "application/json, text/event-stream",
    }
    async with httpx.AsyncClient(timeout=60) as http:
        for _ in range(SESSIONS):
            (await http.post(served.url, headers=headers, json=message)).raise_for_status()


async def measured(served: Served, venue: Simulator) -> list[str]:
    """Run everything, print the figures; what missed its target."""
    memory: list[int] = []
    expected = CLIENTS * sum(needed for _, _, needed in READS)
    faults: list[str] = []
    cold, used = 0, 0.0
    async with Clients(served) as clients:
        for number in range(1, ROUNDS + 1):
            venue.forget_requests()
            since = time.perf_counter()
            await clients.round()
            took = time.perf_counter() - since
            received = asked(venue)
            memory.append(resident_kilobytes(served.pid))
            print(
                f"round {number:2}: {took:5.2f} s, {received} requests at the venue, {memory[-1]} kB resident"
            )
            if received != expected:
                faults.append(f"round {number}: {received} requests at the venue, not {expected}")
            if number == 1:
                cold, used = len(clients.seconds), processor_seconds(served.pid)
        used = processor_seconds(served.pid) - used
        seconds = clients.seconds
    growth = memory[-1] / memory[1]
    print(f"{len(seconds)} calls of {CLIENTS} clients, errors 0")
    print(f"first round: {_latency(seconds[:cold])}")
    print(f"from then on: {_latency(seconds[cold:])}")
    print(f"processor time of the server: {used * 1000 / (len(seconds) - cold):.1f} ms a call")
    print(f"memory after round {ROUNDS} / after round 2: {growth:.3f} (at most {MOST_GROWTH})")
    if growth > MOST_GROWTH:
        faults.append(f"memory grew by {growth:.3f}")
    await leave_sessions(served)
    print(f"after {SESSIONS} sessions of one client: {resident_kilobytes(served.pid)} kB resident")
    return faults


def _latency(seconds: Sequence[float]) -> str:
    cuts = quantiles(seconds, n=100)
    return f"a call: p50 {cuts[49] * 1000:.0f} ms, p99 {cuts[98] * 1000:.0f} ms, most {max(seconds) * 1000:.0f} ms"


async def main() -> int:
    """Run within the time; how much was missed."""
    with (
        tempfile.TemporaryDirectory() as temporary,
        simulator(Path(temporary) / "sim") as venue,
        over_http(Path(temporary) / "served", venue, clients=CLIENTS, settings=_SETTINGS) as served,
    ):
        faults = await asyncio.wait_for(measured(served, venue), MOST_SECONDS)
    for fault in faults:
        print(f"MISSED  {fault}")
    return len(faults)


if __name__ == "__main__":
    sys.exit(bool(asyncio.run(main())))
