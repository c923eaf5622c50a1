"""Standard streams that the caller has closed, as supervisors and cron do."""

import json
from pathlib import Path

import pytest

from serving import PROGRAM

from .launching import Done, environment, ran

LIST = (
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},'
    '"clientInfo":{"name":"tests","version":"1"}}}\n'
    '{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
    '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"withdraw","arguments":{}}}\n'
)


def shell(command: str, home: Path, *, given: str = "") -> Done:
    """The program by a shell, which can start it with streams closed."""
    return ran(environ=environment(home), program=("/bin/sh", "-c", command, "sh", *PROGRAM), given=given)


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_server_whose_streams_are_closed_ends_in_order(closed: str, tmp_path: Path) -> None:
    done = shell(f'"$@" serve --venue kraken {closed}', tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert "Traceback" not in done.stderr


def test_without_stderr_the_log_does_not_reach_the_client(tmp_path: Path) -> None:
    # The log has a line for the call; descriptor 2 must not have become the client's.
    done = shell('"$@" serve --venue kraken 2>&-', tmp_path, given=LIST)
    frames = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0
    assert {frame["id"] for frame in frames} <= {1, 2}


def test_without_stderr_a_refusal_is_still_an_exit_code_and_stdout_stays_empty(tmp_path: Path) -> None:
    done = shell('"$@" serve --venue nowhere 2>&-', tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
