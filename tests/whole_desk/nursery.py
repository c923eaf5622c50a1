"""Desks that start without the second that importing takes: forked from a process that has imported everything.

What runs is the console script's own `desk` command, in a process of its own that can be killed. Run as a program it
takes a line of JSON for each order: `run` with an environment, answered by the new process's id and then by what the
desk prints; `wait`, answered by `ended` and its status; `step`, not answered: the desk is killed once its journal has
a claim. `breaks` names a patch of this directory's `broken` to apply.
"""

import gc
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Final

from exchange_mcp.tools.registry import builtin

_TESTS: Final = Path(__file__).parents[1]
# How long the desk runs between two looks at its journal: far less than signing and sending a request takes.
_STEP_SECONDS: Final = 0.0002
_STEPPING_SECONDS: Final = 60.0


class Nursery:
    """Runs one desk at a time."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self.pid: int | None = None
        self.told: list[str] = []

    def run(self, environ: Mapping[str, str], log: Path, breaks: str | None = None) -> int:
        """A desk's process id, from the moment that it serves."""
        self._tell({"run": dict(environ), "log": str(log), "breaks": breaks})
        self.pid = int(self._line())
        self.told = [self._line(), self._line()]
        assert all(self.told), log.read_text(encoding="utf-8")[-4000:]
        return self.pid

    def kill(self) -> None:
        """End the desk at once; it may be called from every thread, and again."""
        if self.pid is not None:
            # A zombie until `gone` is asked for, so the id is nobody else's.
            os.kill(self.pid, signal.SIGKILL)

    def step(self, journal: Path, since: int) -> None:
        """From the next grant on, let the desk run by steps so small that it dies after its claim and before its send.

        It is stopped before every look at the journal. What was claimed is then committed, and what had not left by
        that time never leaves. Nobody else may end this desk; `gone` says when it has.
        """
        self._tell({"step": self.pid, "journal": str(journal), "since": since})

    def gone(self) -> int:
        """The status with which the desk ended, once it has."""
        self._tell({"wait": self.pid})
        while not (line := self._line()).startswith("ended "):
            assert line, "the nursery ended"
        self.pid = None
        return int(line.split()[1])

    def _tell(self, order: Mapping[str, object]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()


@contextmanager
def nursery() -> Generator[Nursery]:
    """One that ends with the block, and the desk that it runs with it."""
    paths = os.pathsep.join(filter(None, (str(_TESTS), os.environ.get("PYTHONPATH"))))
    with subprocess.Popen(
        [sys.executable, "-m", "whole_desk.nursery"],
        env={**os.environ, "PYTHONPATH": paths},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        made = Nursery(process)
        try:
            yield made
        finally:
            if made.pid is not None:
                with suppress(ProcessLookupError):
                    made.kill()
                made.gone()
            assert process.stdin is not None
            process.stdin.close()


def _become(order: Mapping[str, object]) -> None:
    os.environ.clear()
    environ, breaks = order["run"], order["breaks"]
    assert isinstance(environ, dict)
    os.environ.update(environ)  # pyright: ignore[reportUnknownArgumentType] - as it came through JSON
    log = os.open(str(order["log"]), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(log, 2)
    if breaks is not None:
        getattr(import_module("whole_desk.broken"), str(breaks))()
    sys.argv = ["exchange-mcp", "desk"]
    import_module("exchange_mcp.cli.entry").main()


def _stepped(pid: int, journal: str, since: int) -> int:
    """The status of a desk that was led by steps up to its claim, or to whatever else its write came to."""
    deadline = time.monotonic() + _STEPPING_SECONDS
    with closing(sqlite3.connect(f"file:{journal}?mode=ro", uri=True, timeout=10)) as events:
        kinds = frozenset[str]()
        while not kinds & {"claimed", "settled", "lapsed", "denied"} and time.monotonic() < deadline:
            time.sleep(_STEP_SECONDS)
            if "granted" in kinds:
                os.kill(pid, signal.SIGSTOP)
                status = os.waitpid(pid, os.WUNTRACED)[1]
                if not os.WIFSTOPPED(status):
                    return status
            rows = events.execute("SELECT kind FROM event WHERE seq>?", (since,))
            kinds = frozenset(kind for (kind,) in rows)
            if not kinds & {"claimed"}:
                os.kill(pid, signal.SIGCONT)
    os.kill(pid, signal.SIGKILL)
    return os.waitpid(pid, 0)[1]


def _serve() -> None:
    for name in (
        "exchange_mcp.cli.commands", "exchange_mcp.cli.desk_run", "exchange_mcp.venue.opening",
        "exchange_mcp.venue.trading", "ccxt.async_support.binance", "ccxt.async_support.binanceusdm", "uvicorn",
        "anyio._backends._asyncio", "uvicorn.lifespan.off", "uvicorn.protocols.http.h11_impl",
    ):  # fmt: skip
        import_module(name)
    builtin()  # imports every tool
    gc.freeze()
    ended: dict[int, int] = {}
    for line in sys.stdin:
        order = json.loads(line)
        if "wait" in order:
            status = ended.pop(order["wait"], None)
            status = os.waitpid(order["wait"], 0)[1] if status is None else status
            print("ended", status, flush=True)  # noqa: T201 - the answer to an order
            continue
        if "step" in order:
            ended[order["step"]] = _stepped(order["step"], order["journal"], order["since"])
            continue
        pid = os.fork()
        if pid == 0:
            _become(order)
            return
        print(pid, flush=True)  # noqa: T201 - the answer to an order


if __name__ == "__main__":
    _serve()
