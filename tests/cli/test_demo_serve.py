"""`demo --serve`: what it prints is what a client needs, and nothing is left when it ends."""

import json
import os
import signal
import subprocess
from collections.abc import Generator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from serving import PROGRAM, asked

from .launching import environment, ran, running


@pytest.fixture
def staying(tmp_path: Path) -> Generator[subprocess.Popen[str]]:
    """A `demo --serve` of a user whose home is the test's directory, with a process group of its own."""
    with subprocess.Popen(  # noqa: S603 - our own program
        [*PROGRAM, "demo", "--serve"],
        env=environment(tmp_path),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def printed(process: subprocess.Popen[str]) -> dict[str, Any]:
    """The JSON document on stdout; on stderr comes a sentence when it is complete."""
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stderr.readline().startswith("Paste this into your MCP client's configuration.")
    lines = iter(process.stdout.readline, "}\n")
    return json.loads("".join(lines) + "}")


@pytest.mark.anyio
async def test_a_client_connects_by_what_is_printed_and_asks(
    staying: subprocess.Popen[str], tmp_path: Path
) -> None:
    (server,) = printed(staying)["mcpServers"].values()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    # `python -m` would take these for the real ones: a project that a client has open may have such files.
    for module in ("exchange_mcp", "ccxt", "click"):
        (elsewhere / f"{module}.py").write_text("raise SystemExit('the wrong module')", encoding="utf-8")
    with anyio.fail_after(30):
        # As a client does it: in a directory of its own, with next to nothing of the environment.
        async with Client(stdio_client(StdioServerParameters(**server, cwd=elsewhere))) as client:
            accounts = (await asked(client, "list_accounts"))["accounts"]
            balances = (await asked(client, "get_balance", account="main"))["balances"]
    assert [(account["name"], account["environment"]) for account in accounts] == [
        ("main", "sim"),
        ("hedged", "sim"),
        ("trading", "sim"),
    ]
    assert balances


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_and_leaves_no_process_and_no_key_behind(
    number: signal.Signals, staying: subprocess.Popen[str], tmp_path: Path
) -> None:
    printed(staying)
    assert list(tmp_path.rglob("rendezvous.json"))
    os.killpg(staying.pid, number)
    rest, complaint = staying.communicate(timeout=10)
    assert staying.returncode == (0 if number is signal.SIGINT else -signal.SIGTERM)
    assert (rest, complaint.strip()) == ("", "")
    assert running(tmp_path) == []
    assert list(tmp_path.rglob("rendezvous.json")) == []


def test_a_second_one_is_refused_and_disturbs_nothing(staying: subprocess.Popen[str], tmp_path: Path) -> None:
    printed(staying)
    (file,) = tmp_path.rglob("rendezvous.json")
    before = file.read_text(encoding="utf-8")
    done = ran("demo", "--serve", environ=environment(tmp_path))
    assert (done.returncode, done.stdout) == (1, "")
    first, second = done.stderr.splitlines()
    assert "belongs to the running process" in first
    assert second == "Error: the simulated exchange did not start; its reason is above"
    assert file.read_text(encoding="utf-8") == before


def test_an_exchange_that_dies_is_said(staying: subprocess.Popen[str], tmp_path: Path) -> None:
    printed(staying)
    (file,) = tmp_path.rglob("rendezvous.json")
    os.kill(json.loads(file.read_text(encoding="utf-8"))["pid"], signal.SIGKILL)
    _, complaint = staying.communicate(timeout=10)
    assert staying.returncode == 1
    assert complaint == "Error: the simulated exchange ended with code -9\n"


def test_a_home_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "home").touch()
    done = ran("demo", "--serve", environ=environment(tmp_path / "home"))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"Error: {tmp_path}/home/.local: Not a directory\n"


def test_a_path_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    home = os.fsencode(tmp_path) + b"/\xff"
    os.mkdir(home)  # noqa: PTH102 - the name is no text
    done = ran("demo", "--serve", environ=environment(Path(os.fsdecode(home))))
    assert (done.returncode, done.stdout) == (1, "")
    assert "not a UTF-8 path; set TMPDIR or HOME to one that is" in done.stderr
    assert running(tmp_path) == []
