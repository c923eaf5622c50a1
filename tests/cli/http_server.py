"""`serve --transport http` as a process, for a user whose home is a directory of the test's."""

import json
import signal
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx

from exchange_mcp.cli.clock import SystemClock
from exchange_mcp.config.running import running
from exchange_mcp.config.tokens import TokenStore
from serving import PROGRAM

from .launching import Done, ran

INITIALIZE: Final[dict[str, Any]] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"},
    },
}


@dataclass
class Served:
    """A running server, and its user's environment."""

    process: subprocess.Popen[str]
    environ: dict[str, str]
    home: Path
    log: Path
    url: str

    def headers(self, token: str, session: str | None = None) -> dict[str, str]:
        named = {} if session is None else {"mcp-session-id": session}
        return {
            "authorization": f"Bearer {token}",
            "accept": "application/json, text/event-stream",
            **named,
        }

    def http(self, **options: Any) -> httpx.Client:  # noqa: ANN401 - httpx's own
        return httpx.Client(timeout=20, trust_env=False, **options)

    def session(self, http: httpx.Client, token: str) -> str:
        answer = http.post(self.url, headers=self.headers(token), json=INITIALIZE)
        assert answer.status_code == 200, answer.text
        return answer.headers["mcp-session-id"]

    def records(self) -> list[dict[str, Any]]:
        """What it has logged so far."""
        return [json.loads(line) for line in self.log.read_text(encoding="utf-8").splitlines()]

    def ended(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Its exit code after this signal."""
        self.process.send_signal(number)
        return self.process.wait(timeout=20)


def token(environ: dict[str, str], client: str) -> dict[str, str]:
    """A new token, and its id, of this user's."""
    store = TokenStore(Path(environ["HOME"]) / ".local/state/exchange-mcp/tokens.json")
    made, record = store.add(client, [], days=1, now_ms=SystemClock().now_ms())
    return {"token": made.reveal(), "id": record.id}


@contextmanager
def http_server(environ: dict[str, str], home: Path, config: Path, *options: str) -> Generator[Served]:
    """The process, from the moment that it takes connections; it needs a token to start."""
    log, announcements = home / "log", home / ".local/state/exchange-mcp/running"
    arguments = [*PROGRAM, "serve", "--transport", "http", "--port", "0", "--config", str(config), *options]
    with (
        log.open("w") as stderr,
        subprocess.Popen(  # noqa: S603 - our own program
            arguments, stdin=subprocess.DEVNULL, stderr=stderr, env=environ, text=True
        ) as process,
    ):
        try:
            while not (mine := [each for each in running(announcements) if each.pid == process.pid]):
                assert process.poll() is None, log.read_text()
            yield Served(process, environ, home, log, mine[0].reached)
        finally:
            process.kill()


def reloaded(environ: dict[str, str]) -> Done:
    """`exchange-mcp reload`."""
    return ran("reload", environ=environ)
