"""What a signal does to a server, told by a process that obeys it and by nothing else."""

import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

# It says on standard output what it was told, and ends when it is told to.
OBEYS = """
import anyio
from exchange_mcp.server.signals import obey

async def main():
    async with anyio.create_task_group() as group:
        async def stop(reason):
            print("stop", reason, flush=True)
            group.cancel_scope.cancel()

        async def reload():
            print("reload", flush=True)

        await group.start(obey, stop, reload)
        print("obeys", flush=True)

anyio.run(main)
"""


@dataclass
class Obeying:
    """The process, and our end of its terminal."""

    process: "subprocess.Popen[str]"
    terminal: int

    def said(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def hang_up(self) -> None:
        """Take its terminal away, as closing its window does."""
        os.close(self.terminal)
        self.terminal = -1


@contextmanager
def obeying(*before: str) -> Generator[Obeying]:
    """The process at a terminal that controls it, or of `before` in front of it."""
    ours, theirs = os.openpty()
    with subprocess.Popen(  # noqa: S603 - our own program
        ["setsid", *before, sys.executable, "-c", OBEYS],  # noqa: S607 - where the system has it
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        os.close(theirs)
        made = Obeying(process, ours)
        try:
            assert made.said() == "obeys"
            yield made
        finally:
            process.kill()
            if made.terminal >= 0:
                os.close(made.terminal)


def test_a_server_whose_terminal_goes_away_ends_and_a_hang_up_before_that_is_a_reload() -> None:
    with obeying("--ctty") as server:
        server.process.send_signal(signal.SIGHUP)
        assert server.said() == "reload"
        server.hang_up()
        assert server.said() == "stop SIGHUP"
        assert server.process.wait(timeout=10) == 0


def test_a_server_that_was_started_to_outlive_its_terminal_stays_when_that_goes_away() -> None:
    with obeying("--ctty", "nohup") as server:
        server.hang_up()
        assert server.said() == "reload"
        server.process.send_signal(signal.SIGHUP)
        assert server.said() == "reload"


def test_a_server_without_a_terminal_takes_every_hang_up_for_a_reload() -> None:
    with obeying() as server:
        for _ in range(2):
            server.process.send_signal(signal.SIGHUP)
            assert server.said() == "reload"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_other_signals_end_it(number: signal.Signals) -> None:
    with obeying() as server:
        server.process.send_signal(number)
        assert server.said() == f"stop {number.name}"
        assert server.process.wait(timeout=10) == 0
