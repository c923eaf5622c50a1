"""The claim is on the disk before a byte leaves: seen in the system calls themselves.

A kill does not empty the page cache, so no crash test can show this; what the process asks of the kernel can.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

STRACE: Final = shutil.which("strace")
MARKER: Final = "this byte would be the order"

# Claims, then writes a marker where the order would go. The third argument is what `synchronous` is set to.
CLAIMER: Final = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from exchange_mcp.desk import dialect
if sys.argv[3] != "FULL":
    dialect.SETTINGS["synchronous"] = (sys.argv[3], {"NORMAL": 1, "OFF": 0}[sys.argv[3]])
from desk.on_disk import opened
from desk.proposals import admits, approved, claim_of, evidence, proposal, verdict
journal = opened(Path(sys.argv[2]))
intent = approved(journal, proposal(1))
out = os.open(Path(sys.argv[2]) / "socket", os.O_WRONLY | os.O_CREAT)
os.write(out, b"about to claim")
journal.claim(intent.id, claim_of(intent), admits)
os.write(out, b"this byte would be the order")
journal.settle(intent.id, verdict(), evidence())
os.write(out, b"this byte would be the answer")
os._exit(0)
"""

_CALL: Final = re.compile(r"^(?:\d+ +)?(\w+)\((\d+)(?:<([^>]*)>)?, ?(.*)$")
_SYNC: Final = re.compile(r"^(?:\d+ +)?(fsync|fdatasync)\(\d+<([^>]*)>\) += 0$")


def traced(folder: Path, synchronous: str) -> list[str]:
    """What the process wrote and synced from its claim on, in order: `sync wal`, `write wal`, or the marker."""
    log = folder / "trace"
    subprocess.run(  # noqa: S603 - our own program
        [
            str(STRACE), "-f", "-y", "-s", "64", "-e", "trace=fsync,fdatasync,write,pwrite64", "-o", str(log),
            sys.executable, "-c", CLAIMER, str(Path(__file__).parents[1]), str(folder), synchronous,
        ],
        check=True,
        timeout=60,
    )  # fmt: skip
    calls: list[str] = []
    for line in log.read_text(errors="replace").splitlines():
        synced = _SYNC.match(line)
        if synced is not None:
            calls.append(f"sync {synced[2].rpartition('/')[2]}")
        elif (call := _CALL.match(line)) is not None and call[3] is not None:
            name = call[3].rpartition("/")[2]
            calls.append(call[4].split('"')[1] if name == "socket" else f"write {name}")
    return calls[calls.index("about to claim") + 1 :]


def is_durable_before(calls: list[str], marker: str) -> bool:
    """Whether the last write to the journal's log before the marker was synced before it."""
    before = calls[: calls.index(marker)]
    writes = [number for number, call in enumerate(before) if call == "write journal.db-wal"]
    assert writes, "the record was not written at all"
    return "sync journal.db-wal" in before[writes[-1] :]


@pytest.mark.skipif(STRACE is None, reason="strace is not installed; .ci/run installs it")
def test_the_claim_is_synced_to_the_disk_before_the_first_byte_leaves(tmp_path: Path) -> None:
    calls = traced(tmp_path, "FULL")
    assert is_durable_before(calls, MARKER)
    assert is_durable_before(calls[calls.index(MARKER) :], "this byte would be the answer")


@pytest.mark.skipif(STRACE is None, reason="strace is not installed; .ci/run installs it")
def test_a_journal_that_syncs_less_is_seen_to(tmp_path: Path) -> None:
    """The trace tells the difference: with synchronous NORMAL nothing is synced before the marker."""
    assert not is_durable_before(traced(tmp_path, "NORMAL"), MARKER)
