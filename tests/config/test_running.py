"""Who runs: a file that its process holds, and what is left over of others."""

import os
import subprocess
import sys
from pathlib import Path

from exchange_mcp.config.running import Outcome, Server, announced, last_outcome, running, tell_outcome

ME = Server(pid=os.getpid(), reached="stdio", config=None)


def test_a_server_is_found_while_it_runs_and_by_its_owner_alone(tmp_path: Path) -> None:
    directory = tmp_path / "running"
    assert list(running(directory)) == []
    with announced(directory, ME):
        assert list(running(directory)) == [ME]
        (file,) = directory.iterdir()
        assert file.stat().st_mode & 0o777 == 0o600
        assert directory.stat().st_mode & 0o777 == 0o700
    assert list(running(directory)) == []
    assert list(directory.iterdir()) == []


def test_a_file_whose_process_is_gone_is_removed_even_if_another_has_its_number(tmp_path: Path) -> None:
    # A process that announces itself under a number that belongs to this one, and is killed.
    source = (
        "import sys, pathlib, os, signal\n"
        "from exchange_mcp.config.running import Server, announced\n"
        "with announced(pathlib.Path(sys.argv[1]), Server(pid=int(sys.argv[2]), reached='stdio', config=None)):\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", source, str(tmp_path), str(os.getpid())], check=False)  # noqa: S603 - our own program
    assert (tmp_path / f"{os.getpid()}.json").exists()
    assert list(running(tmp_path)) == []
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_announcement_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.json").write_text("{}", encoding="utf-8")
    (tmp_path / "12a.json").write_text("{}", encoding="utf-8")
    assert list(running(tmp_path)) == []
    assert len(list(tmp_path.iterdir())) == 2


def test_the_outcome_of_a_reload_is_found_until_the_server_ends(tmp_path: Path) -> None:
    outcome = Outcome(number=1, faults=("serve.toml:1: is wrong",), tools_changed=False)
    with announced(tmp_path, ME):
        assert last_outcome(tmp_path, ME.pid) is None
        tell_outcome(tmp_path, ME.pid, outcome)
        assert last_outcome(tmp_path, ME.pid) == outcome
        assert list(running(tmp_path)) == [ME]
    assert last_outcome(tmp_path, ME.pid) is None
