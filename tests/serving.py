"""The parts that tests of the server stand on: a simulated exchange and a server over it, real ones."""

import json
import os
import ssl
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

import anyio
import httpx
from mcp.client import Client

from exchange_mcp.cli.clock import SystemClock
from exchange_mcp.config.redaction import Redactor
from exchange_mcp.config.serve import load_serve
from exchange_mcp.model.callers import Caller, Scope
from exchange_mcp.rules.venues import check_account
from exchange_mcp.server.assembly import LateVenues, keyed
from exchange_mcp.server.build import build
from exchange_mcp.server.calls import Calls, Limits
from exchange_mcp.tools.registry import without_desk

Era = Literal["legacy", "auto"]
ERAS: tuple[Era, ...] = ("legacy", "auto")
"""The handshake of 2025-11-25, and the one that a client of 2026-07-28 negotiates."""

PROGRAM = (sys.executable, "-m", "exchange_mcp")
Answer = dict[str, Any]


@dataclass(frozen=True)
class Sim:
    """A simulated exchange in a process of its own, and the way to steer it."""

    rendezvous: Path
    control: httpx.Client

    def fail(self, **rule: object) -> None:
        """Put a fault in force."""
        self.control.post("/__sim/faults", json=rule).raise_for_status()

    def heal(self) -> None:
        """Remove every fault."""
        self.control.delete("/__sim/faults").raise_for_status()

    def forget(self) -> None:
        """Forget the requests received so far."""
        self.control.delete("/__sim/requests").raise_for_status()

    def paths(self) -> list[str]:
        """The paths requested of the venue, in their order."""
        requests = self.control.get("/__sim/requests").raise_for_status().json()["requests"]
        return [request["path"] for request in requests]

    def published(self) -> Mapping[str, Any]:
        """What the rendezvous file says."""
        return cast("Mapping[str, Any]", json.loads(self.rendezvous.read_text(encoding="utf-8")))


@contextmanager
def simulated_exchange(directory: Path, *, accounts: int = 2) -> Generator[Sim]:
    """A simulated exchange that ends with the block."""
    path = directory / "rendezvous.json"
    arguments = [*PROGRAM, "sim", "--rendezvous", str(path), "--accounts", str(accounts), "--exit-with-stdin"]
    with subprocess.Popen(  # noqa: S603 - our own program
        arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        process.stdout.readline()
        published = json.loads(path.read_text(encoding="utf-8"))
        trust = ssl.create_default_context(cadata=published["ca_pem"])
        with httpx.Client(
            base_url=f"https://localhost:{published['port']}",
            verify=trust,
            headers={"Authorization": f"Bearer {published['control_token']}"},
        ) as control:
            yield Sim(path, control)
        process.stdin.close()


def configured(directory: Path, sim: Sim, *, extra: str = "", key: str = "reader") -> Path:
    """A serve.toml of one simulated account `main`, and whatever else is given."""
    path = directory / "serve.toml"
    path.write_text(
        f"""client = "tests"
[log]
format = "json"
[cache]
directory = {json.dumps(str(directory / "cache"))}
[accounts.main]
venue = "binance"
environment = "sim"
sim_key = "{key}"
rendezvous = {json.dumps(str(sim.rendezvous))}
{extra}""",
        encoding="utf-8",
    )
    return path


@asynccontextmanager
async def served(config: Path, *, era: Era = "auto", limits: Limits | None = None) -> AsyncGenerator[Client]:
    """A client of a server that runs in this process, over venues that are asked for real."""
    loaded = load_serve(config, check=check_account, environ=os.environ)
    accounts = keyed(loaded, environ=os.environ, redactor=Redactor())
    assert loaded.cache_directory is not None
    clock = SystemClock()
    venues = LateVenues(accounts, loaded.cache_directory, clock)
    registry = without_desk()
    of_each = [account.config.account for account in accounts]
    calls = Calls(registry, of_each, venues, clock, limits or Limits(20, 16, 64))
    server = build(registry, calls, lambda _: Caller("tests", frozenset(Scope)))
    async with anyio.create_task_group() as group:
        group.start_soon(venues.run)
        async with Client(server, mode=era) as client:
            yield client
        await venues.close()
        group.cancel_scope.cancel()


async def asked(client: Client, tool: str, **arguments: object) -> Answer:
    """The data of an answer that is no error."""
    result = await client.call_tool(tool, arguments)
    answer = cast("Answer", result.structured_content)
    assert answer["error"] is None, answer["error"]
    return cast("Answer", answer["data"])


async def refused(client: Client, tool: str, **arguments: object) -> Answer:
    """The error of an answer that is one."""
    result = await client.call_tool(tool, arguments)
    answer = cast("Answer", result.structured_content)
    assert result.is_error, answer
    return cast("Answer", answer["error"])
