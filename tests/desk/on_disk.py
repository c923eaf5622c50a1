"""A journal on a real disk, opened as the desk opens it."""

from pathlib import Path

from exchange_mcp.desk.filesystems import SAFE
from exchange_mcp.desk.journal import Journal
from exchange_mcp.desk.opening import Surroundings, marks_in, open_journal
from exchange_mcp.desk.records import Signed
from exchange_mcp.model.ports import Clock

from .memory_disk import OPENING
from .virtual import HandClock, SeededEntropy

# Where a test's own folder may lie on a developer's machine; a desk's journal may not.
FOR_TESTS = SAFE | {"tmpfs"}


def opened(
    folder: Path,
    clock: Clock | None = None,
    *,
    name: str = "journal.db",
    state: str = "state",
    machine: str = "here",
    adopt: Signed | None = None,
    seed: int = 1,
) -> Journal:
    """The journal in this folder, recovered."""
    around = Surroundings(
        clock=clock or HandClock(),
        entropy=SeededEntropy(seed),
        marks=marks_in(folder / state),
        opening=OPENING,
        machine=machine,
        adopt=adopt,
    )
    journal = open_journal(folder / "desk" / name, around, safe=FOR_TESTS)
    journal.recover()
    return journal
