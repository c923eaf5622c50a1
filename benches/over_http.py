"""The product over HTTP, as a process: with an account at a simulated exchange, and tokens for so many clients."""

import json
import os
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benches.parties import PRODUCT, Simulator
from exchange_mcp.cli.clock import SystemClock
from exchange_mcp.config.running import running
from exchange_mcp.config.tokens import TokenStore

_START_SECONDS: Final = 20.0


@dataclass(frozen=True, slots=True)
class Served:
    """A server that takes connections, and the tokens of its clients."""

    pid: int
    url: str
    tokens: tuple[str, ...]
    environ: dict[str, str]


@contextmanager
def over_http(folder: Path, venue: Simulator, *, clients: int, settings: str = "") -> Generator[Served]:
    """The server, for as long as the context lives; everything it writes is in `folder`. `settings` go into [http]."""
    folder.mkdir(mode=0o700)
    environ = {k: v for k, v in os.environ.items() if not k.startswith("XDG_")} | {"HOME": str(folder)}
    state = folder / ".local/state/exchange-mcp"
    store = TokenStore(state / "tokens.json")
    now = SystemClock().now_ms()
    tokens = tuple(
        store.add(f"client-{number}", [], days=1, now_ms=now)[0].reveal() for number in range(clients)
    )
    # Where every command of this user finds it.
    config = folder / ".config/exchange-mcp/serve.toml"
    config.parent.mkdir(parents=True)
    config.write_text(
        f"""client = "bench"
[log]
level = "warning"
[http]
port = 0
{settings}
[accounts.main]
venue = "binance"
environment = "sim"
sim_key = "reader"
rendezvous = {json.dumps(str(venue.rendezvous_path))}
""",
        encoding="utf-8",
    )
    command = [PRODUCT, "serve", "--transport", "http"]
    with (
        (folder / "log").open("w+") as log,
        subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=log, env=environ) as process,  # noqa: S603 - our own
    ):
        try:
            url = _await_url(state / "running", process, folder / "log")
            yield Served(process.pid, url, tokens, environ)
        finally:
            process.terminate()


def _await_url(directory: Path, process: subprocess.Popen[bytes], log: Path) -> str:
    until = time.monotonic() + _START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        for server in running(directory):
            return server.reached
        time.sleep(0.02)
    raise RuntimeError(f"the server did not start:\n{log.read_text()}")
