"""Running the program as a shell runs it, and seeing what it leaves behind."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from click.testing import CliRunner, Result

from exchange_mcp.cli.commands import run
from serving import PROGRAM

Done = subprocess.CompletedProcess[str]


def environment(home: Path, **more: str) -> dict[str, str]:
    """This process's environment for a user whose every file is under `home`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    if "PYTHONPATH" in kept:  # some programs are started in a directory of their own
        kept["PYTHONPATH"] = str(Path(kept["PYTHONPATH"]).absolute())
    return {**kept, "HOME": str(home), **more}


def ran(
    *arguments: str, environ: Mapping[str, str], program: tuple[str, ...] = PROGRAM, given: str = ""
) -> Done:
    """The program with these arguments and this input, once it has ended by itself."""
    return subprocess.run(  # noqa: S603 - our own program
        [*program, *arguments],
        env=environ,
        input=given,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def asked(*arguments: str, environ: Mapping[str, str]) -> Result:
    """The same in this process, for what says something and ends; an exception that escapes fails the test."""
    left_out = {name: None for name in os.environ if name not in environ}
    return CliRunner(catch_exceptions=False).invoke(run, arguments, env={**environ, **left_out})


def running(directory: Path) -> list[str]:
    """The command lines of all processes that name a path under this directory."""
    found: list[str] = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = process.read_bytes().decode(errors="replace").split("\0")
        except OSError:  # it has ended meanwhile
            continue
        if any(str(directory) in word for word in words):
            found.append(" ".join(words))
    return found
