"""`make bench`: the speed targets, each measured beside what it is compared with, in one run.

Prints a table and writes `build/bench.json`, a list of {name, value, limit, unit}.
"""

import gc
import json
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median
from typing import Final

import anyio
import anyio.to_thread

from benches.claims import claims
from benches.deciding import decisions
from benches.figures import Figure, difference, duration, ratio, table, verdict
from benches.ordering import planned_and_previewed
from benches.parties import (
    BARE,
    PRODUCT,
    Exact,
    Simulator,
    called,
    children,
    connected,
    direct,
    guarded,
    resident_bytes,
    simulator,
)
from benches.rechecks import rechecks
from benches.sending import sends

BUILD: Final = Path("build")
SYMBOL: Final = "BTC/USDT"

COLD_STARTS: Final = 21
# Two processes of one program differ for as long as they live, so the reads are spread over several.
SPAWNS: Final = 5
READS_A_SPAWN: Final = 60
GUARD_READS: Final = 500
TEN_ACCOUNT_READS: Final = 12
FIRST_READS: Final = 3
SLOW_MILLISECONDS: Final = 500

MOST_RATIO: Final = 1.15
MOST_GUARD_MILLISECONDS: Final = 0.15
MOST_TOOL_BYTES_ON_AVERAGE: Final = 2300
MOST_TOOL_BYTES: Final = 4500
MOST_FIRST_REQUESTS: Final = 1
PREVIEWS: Final = 500
BOOK_LEVELS: Final = 1000
MOST_PREVIEW_MILLISECONDS: Final = 1.0

Way = Callable[[], Awaitable[float]]
Command = tuple[str | Path, ...]


async def interleaved(rounds: int, *ways: Way) -> list[tuple[float, ...]]:
    """The seconds that each way took, a row a round; every round begins with another one."""
    rows: list[tuple[float, ...]] = []
    gc.collect()
    gc.disable()
    try:
        for number in range(rounds):
            first = number % len(ways)
            order = [*range(first, len(ways)), *range(first)]
            seconds = {index: await ways[index]() for index in order}
            rows.append(tuple(seconds[index] for index in range(len(ways))))
    finally:
        gc.enable()
    return rows


def timed(call: Callable[[], Awaitable[object]]) -> Way:
    """How long one call takes, from asking to the whole answer."""

    async def measure() -> float:
        since = time.perf_counter()
        await call()
        return time.perf_counter() - since

    return measure


def cold(command: Command, log: Path) -> Way:
    """How long it takes from starting a server's process to holding its tools; its end is not counted."""

    async def measure() -> float:
        since = time.perf_counter()
        async with connected(command, log) as client:
            await client.list_tools()
            return time.perf_counter() - since

    return measure


DESK: Final = '[desk]\ntools = ["place_order", "cancel_order", "set_leverage"]\n'


def serve(folder: Path, name: str, accounts: dict[str, Simulator], *, desk: str = "") -> Command:
    """The command that serves these accounts, keyless; simulated ones have no limiter on our side."""
    tables = [
        f'[accounts.{account}]\nvenue = "binance"\nenvironment = "sim"\nmarket_types = ["spot"]\n'
        f"rendezvous = {json.dumps(str(venue.rendezvous_path))}\n"
        for account, venue in accounts.items()
    ]
    path = folder / f"{name}.toml"
    path.write_text(f"[cache]\ndirectory = {json.dumps(str(folder / 'cache'))}\n" + desk + "".join(tables))
    path.chmod(0o600)
    return (PRODUCT, "serve", "--config", path)


async def cold_start(command: Command, log: Path) -> list[Figure]:
    """Spawn to tools/list, against the bare server."""
    rows = await interleaved(COLD_STARTS, cold(command, log), cold(BARE, log))
    rounds = [(ours, bare) for ours, bare in rows]
    return [ratio("cold start to tools/list", rounds, limit=MOST_RATIO, against="bare SDK server")]


async def reading(command: Command, venue: Simulator, log: Path) -> list[Figure]:
    """A ticker through us, against a call that does nothing plus ccxt's own ticker."""
    rows = [row for _ in range(SPAWNS) for row in await _reads(command, venue, log)]
    rounds = [(through, idle + plain) for through, idle, plain in rows]
    idle, plain = (median(row[index] for row in rows) * 1000 for index in (1, 2))
    against = f"bare call {idle:.2f} ms + direct ccxt {plain:.2f} ms ="
    return [ratio("a read", rounds, limit=MOST_RATIO, against=against)]


async def _reads(command: Command, venue: Simulator, log: Path) -> list[tuple[float, ...]]:
    """The seconds of a read through us, a call that does nothing, and a read by ccxt alone; a row a round."""
    async with connected(command, log) as ours, connected(BARE, log) as bare, direct(venue) as exchange:
        await ours.list_tools()
        await bare.list_tools()

        async def through_us() -> None:
            await called(ours, "get_ticker", {"symbol": SYMBOL})

        async def nothing() -> None:
            await called(bare, "nothing")

        async def by_ccxt() -> None:
            await exchange.fetch_ticker(SYMBOL)

        ways = (timed(through_us), timed(nothing), timed(by_ccxt))
        await interleaved(10, *ways)
        venue.forget_requests()
        rows = await interleaved(READS_A_SPAWN, *ways)
    asked = len(venue.requests())
    if asked != 2 * READS_A_SPAWN:
        raise RuntimeError(f"{2 * READS_A_SPAWN} reads made {asked} requests: the comparison is not fair")
    return rows


async def tools_list(command: Command, log: Path, *, when: str = "") -> list[Figure]:
    """The bytes of each tool in tools/list, as compact JSON."""
    async with connected(command, log) as client:
        tools = (await client.list_tools()).tools
    sizes = {
        tool.name: len(tool.model_dump_json(by_alias=True, exclude_none=True).encode()) for tool in tools
    }
    largest = max(sizes, key=lambda name: sizes[name])
    average = sum(sizes.values()) / len(sizes)
    return [
        Figure(
            f"bytes a tool{when}, average",
            average,
            "B",
            MOST_TOOL_BYTES_ON_AVERAGE,
            made_of=f"{len(sizes)} tools",
        ),
        Figure(f"bytes a tool{when}, largest", sizes[largest], "B", MOST_TOOL_BYTES, made_of=largest),
    ]


async def guard(venue: Simulator) -> list[Figure]:
    """What the guard adds to a read: the same client class with and without it, in this process."""
    async with guarded(venue) as through_guard, direct(venue, Exact) as exchange:

        async def without() -> None:
            await exchange.fetch_ticker(SYMBOL)

        ways = (timed(through_guard), timed(without))
        await interleaved(20, *ways)
        rows = await interleaved(GUARD_READS, *ways)
    rounds = [(ours, plain) for ours, plain in rows]
    return [difference("the guard, on a read", rounds, limit=MOST_GUARD_MILLISECONDS, against="without it")]


async def preview() -> list[Figure]:
    """Plan and preview of one order: of an ordinary one, and of one that takes every level of the book."""
    figures: list[Figure] = []
    for name, takes_all in (("plan and preview", False), ("plan and preview, whole book", True)):
        once = planned_and_previewed(BOOK_LEVELS, takes_all=takes_all)

        async def measured(once: Callable[[], object] = once) -> None:
            once()

        await interleaved(20, timed(measured))
        rows = await interleaved(PREVIEWS, timed(measured))
        taken = "every level" if takes_all else "one level"
        figures.append(
            duration(
                name,
                [seconds for (seconds,) in rows],
                limit=MOST_PREVIEW_MILLISECONDS,
                of=f"a market order that takes {taken} of {BOOK_LEVELS}",
            )
        )
    return figures


async def ten_accounts(command: Command, slow: str, log: Path) -> list[Figure]:
    """A ticker from ten accounts, one of them slow, against that slow one alone."""
    async with connected(command, log) as client:

        async def all_ten() -> None:
            await called(client, "get_ticker", {"symbol": SYMBOL})

        async def alone() -> None:
            await called(client, "get_ticker", {"symbol": SYMBOL, "account": slow})

        ways = (timed(all_ten), timed(alone))
        await interleaved(1, *ways)
        rows = await interleaved(TEN_ACCOUNT_READS, *ways)
    rounds = [(ten, one) for ten, one in rows]
    return [ratio("ten accounts", rounds, limit=MOST_RATIO, against="the slowest alone")]


async def first_read(command: Command, venue: Simulator, log: Path) -> list[Figure]:
    """What a first ticker costs after a cold start with a warm market cache, and the memory held then."""
    asked: list[list[str]] = []
    listed: list[int] = []
    read: list[int] = []
    for _ in range(FIRST_READS):
        venue.forget_requests()
        others = children()
        async with connected(command, log) as client:
            (pid,) = children() - others
            await client.list_tools()
            listed.append(resident_bytes(pid))
            await called(client, "get_ticker", {"symbol": SYMBOL})
            asked.append(venue.requests())
            read.append(resident_bytes(pid))
    most = max(asked, key=len)
    return [
        Figure(
            "venue requests for the first ticker",
            len(most),
            "requests",
            MOST_FIRST_REQUESTS,
            made_of=", ".join(most),
        ),
        Figure("memory after tools/list", median(listed) / 1e6, "MB"),
        Figure("memory after the first read", median(read) / 1e6, "MB"),
    ]


async def measure(folder: Path, log: Path) -> list[Figure]:
    """Every figure, in the order of the table; what servers write to stderr goes to `log`."""
    with simulator(folder / "quick") as quick, simulator(folder / "slow") as slow:
        one = serve(folder, "one", {"main": quick})
        ten = serve(folder, "ten", {f"quick{number}": quick for number in range(1, 10)} | {"slow": slow})
        async with connected(one, log) as client:
            await called(client, "get_ticker", {"symbol": SYMBOL})  # fills the market cache
        figures = await cold_start(one, log)
        figures += await reading(one, quick, log)
        figures += await guard(quick)
        figures += await preview()
        figures += await rechecks(quick, folder / "desk")
        figures += await sends(quick, folder / "sends")
        # In a thread: it speaks to a desk as programs that wait for their answers do.
        figures += await anyio.to_thread.run_sync(decisions, quick, log)
        slow.delay_tickers(SLOW_MILLISECONDS)
        figures += await ten_accounts(ten, "slow", log)
        figures += await first_read(one, quick, log)
        figures += await tools_list(one, log)
        proposing = serve(folder, "proposing", {"main": quick}, desk=DESK)
        figures += await tools_list(proposing, log, when=" with a desk")
    figures += claims(folder / "claims")
    return figures


def main() -> None:
    """Measure, print, and write build/bench.json; a missed target is a line, not a failure of the run."""
    BUILD.mkdir(exist_ok=True)
    log = BUILD / "bench.log"
    log.write_text("")
    machine = f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {sys.version.split()[0]}"
    print(f"{machine}; some minutes; servers log to {log}", flush=True)
    with tempfile.TemporaryDirectory(prefix="exchange-mcp-bench-") as folder:
        figures = anyio.run(measure, Path(folder), log)
    print(table(figures))
    print(f"\n{verdict(figures)}")
    rows = [
        {"name": figure.name, "value": round(figure.value, 4), "limit": figure.limit, "unit": figure.unit}
        for figure in figures
    ]
    (BUILD / "bench.json").write_text(json.dumps(rows, indent=2) + "\n")
    print(f"\nwritten: {BUILD / 'bench.json'}")


if __name__ == "__main__":
    main()
