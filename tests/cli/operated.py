"""A desk as an operator has one: set up over a simulated exchange, run as a process, spoken to by commands alone."""

import json
import re
import socket
import subprocess
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

from click.testing import Result

from exchange_mcp.desk.operator.client import OperatorClient
from serving import PROGRAM, Sim, simulated_exchange

from .launching import asked, environment, ran

_PATIENCE_SECONDS = 60
_TRIES = 3


@dataclass(frozen=True)
class Operated:
    """The desk, its files, and its one scripted approver's key."""

    environ: Mapping[str, str]
    home: Path
    sim: Sim
    told: "_Told"

    @property
    def script_key(self) -> Path:
        return self.config / "approvers" / "script.approver.json"

    @property
    def config(self) -> Path:
        return self.home / ".config" / "exchange-mcp"

    def does(self, *arguments: str) -> Result:
        """A command of the operator's, in this process."""
        return asked(*arguments, environ=self.environ)

    def tells(self, *arguments: str, code: int = 0) -> dict[str, Any]:
        """What a command prints for programs."""
        done = self.does(*arguments, "--json")
        assert done.exit_code == code, (arguments, done.output)
        return json.loads(done.stdout)

    def opens(self) -> None:
        """Wait until it takes proposals of every account."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        socket_ = Path(self.environ["XDG_RUNTIME_DIR"]) / "exchange-mcp" / "desk-operator" / "operator.sock"
        client = OperatorClient(socket_)
        while (status := client.status()).closed or any(each.closed for each in status.accounts):
            assert time.monotonic() < deadline, status
            client.news(after=client.head(), wait_ms=200)
        client.close()

    def proposes(self, amount: str, *more: str, side: str = "buy") -> str:
        """A proposal by hand that waits for a decision; its intent's id."""
        given = ("--operator", "--key", str(self.script_key), "--account", "main")
        order = ("--symbol", "BTC/USDT:USDT", "--side", side, "--type", "market", "--amount", amount)
        done: dict[str, Any] = {}
        for _ in range(_TRIES):
            done = json.loads(self.does("propose", "place", *given, *order, *more, "--json").stdout)
            # A busy machine may not read the venue in time; asking again is safe, and the desk says so.
            if "error" not in done or done["error"].get("retry") != "safe":
                break
        if "error" in done and done["error"]["code"] == "SIMILAR_ORDER":
            # An order like it was placed a moment ago, and this one is knowingly another.
            known = ("--distinct-from", done["error"]["intent_id"])
            done = self.tells("propose", "place", *given, *order, *more, *known)
        assert "intents" in done, done
        (intent,) = done["intents"]
        assert intent["state"] == "proposed", done
        return intent["id"]

    def state_of(self, intent_id: str) -> str:
        return self.tells("intents", "show", intent_id)["intent"]["state"]

    def orders(self) -> int:
        """How many orders the venue received."""
        requests = self.sim.control.get("/__sim/requests").raise_for_status().json()["requests"]
        return sum(each["method"] == "POST" and each["path"].endswith("/order") for each in requests)


@contextmanager
def operated_desk(directory: Path) -> Generator[Operated]:
    """A desk that takes proposals; it ends with the block."""
    home = directory / "home"
    home.mkdir()
    # A Unix socket's path is short, and pytest's directories are not.
    with TemporaryDirectory(prefix="xm-") as runtime, simulated_exchange(directory) as sim:
        environ = environment(home, XDG_RUNTIME_DIR=runtime)
        given = ("--rendezvous", str(sim.rendezvous), "--console-port", _free_port())
        done = ran("desk", "--setup", "--sim", "--yes", *given, environ=environ)
        assert done.returncode == 0, done.stderr
        file = home / ".config" / "exchange-mcp" / "desk.toml"
        file.write_text(_roomy(file.read_text(encoding="utf-8")), encoding="utf-8")
        with subprocess.Popen(  # noqa: S603 - our own program
            [*PROGRAM, "desk"],
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process:
            told = _Told(process)
            try:
                told.until("Propose at ")
                yield Operated(environ, home, sim, told)
            finally:
                process.terminate()
                process.wait(_PATIENCE_SECONDS)


class _Told:
    """Everything that the desk says, read as it says it."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.lines: list[str] = []
        self._news: Queue[str | None] = Queue()
        Thread(target=self._read, daemon=True).start()

    def until(self, text: str) -> None:
        while (line := self._news.get(timeout=_PATIENCE_SECONDS)) is not None:
            if text in line:
                return
        raise AssertionError(f"the desk ended before it said {text!r}: {self.lines}")

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            self._news.put(line)
        self._news.put(None)


def _roomy(written: str) -> str:
    """Limits that a test does not run into."""
    changed = re.sub(r"(?m)^max_open_orders = .*$", "max_open_orders = 50", written)
    return re.sub(r"(?m)^max_orders_per_minute = .*$", "max_orders_per_minute = 100", changed)


def _free_port() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return str(free.getsockname()[1])
