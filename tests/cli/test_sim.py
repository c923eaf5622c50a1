"""`sim` as a program: what it publishes, for whom, and how it ends."""

import json
import signal
import socket
import stat
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from serving import PROGRAM

from .launching import environment, ran, running


@contextmanager
def simulated(place: Path, *arguments: str, **variables: str) -> Generator[tuple[subprocess.Popen[str], str]]:
    """A `sim` of a user whose home is this directory, and the line that it prints when it is ready."""
    with subprocess.Popen(  # noqa: S603 - our own program
        [*PROGRAM, "sim", *arguments],
        env=environment(place, **variables),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline()
        finally:
            process.kill()


def test_it_publishes_itself_in_the_users_state_for_its_owner_alone_and_says_where(tmp_path: Path) -> None:
    file = tmp_path / ".local" / "state" / "exchange-mcp" / "sim" / "rendezvous.json"
    with simulated(tmp_path) as (process, line):
        published = json.loads(file.read_text(encoding="utf-8"))
        assert published["pid"] == process.pid
        assert line.startswith(
            f"simulated exchange on 127.0.0.1:{published['port']}, published in {file}; keys: reader, "
        )
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
        assert not [key for key in published["keys"].values() if key["secret"] in line]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_order_and_takes_the_file_away(number: signal.Signals, tmp_path: Path) -> None:
    file = tmp_path / "rendezvous.json"
    with simulated(tmp_path, "--rendezvous", str(file)) as (process, _):
        assert file.exists()
        process.send_signal(number)
        rest, complaint = process.communicate(timeout=10)
    assert (process.returncode, rest, complaint) == (0, "", "")
    assert not file.exists()
    assert running(tmp_path) == []


def test_a_second_one_is_refused_in_a_line_that_names_the_first(tmp_path: Path) -> None:
    file = tmp_path / "rendezvous.json"
    with simulated(tmp_path, "--rendezvous", str(file)) as (process, _):
        done = ran("sim", "--rendezvous", str(file), environ=environment(tmp_path))
        assert (done.returncode, done.stdout) == (1, "")
        (line,) = done.stderr.splitlines()
        assert line.startswith(f"Error: {file} belongs to the running process {process.pid}; stop it")
        assert json.loads(file.read_text(encoding="utf-8"))["pid"] == process.pid


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = ran("sim", "--port", str(port), environ=environment(tmp_path))
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"Error: the simulated exchange at 127.0.0.1: port {port} is in use")
    assert "--port" in line


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = ran("sim", "--rendezvous", str(tmp_path / "file" / "r.json"), environ=environment(tmp_path))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"Error: {tmp_path}/file/r.json: Not a directory\n"


def test_a_path_that_the_terminal_cannot_show_does_not_keep_it_from_starting(tmp_path: Path) -> None:
    place = tmp_path / "5 \u20ac"
    with simulated(tmp_path, "--rendezvous", str(place / "r.json"), PYTHONIOENCODING="latin-1") as (_, line):
        assert line.startswith("simulated exchange on 127.0.0.1:")
        assert "5 \\u20ac" in line
        assert (place / "r.json").exists()
