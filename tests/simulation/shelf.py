"""The journals of one history, in memory, as a disk would keep them: copies, and crashes that lose nothing committed.

The tables, transactions and checks are the product's own; only the file is not one.
"""

import itertools
import sqlite3
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, Final

from exchange_mcp.desk.journal import Journal
from exchange_mcp.model.ports import Clock
from simulation.opened import opened, template
from simulation.virtual import Process

# The methods that commit, by the name of the moment before and after each.
COMMITS: Final = frozenset(
    {
        *("propose", "decide", "show", "grant", "decline", "retract", "lapse", "claim", "settle"),
        *("read_back", "reconcile", "found_late", "resolve", "report", "recover", "halt", "resume"),
        *("stranger", "record", "expire_due"),
    }
)

OTHER: Final = "other"
"""The journal of another desk, with another tag."""

_NUMBERS: Final = itertools.count()


class Shelf:
    """The journals of one history by name; `main`, and that of another desk, are there from the start."""

    def __init__(self) -> None:
        self._anchors: dict[str, tuple[str, sqlite3.Connection]] = {}
        self._open: dict[str, Journal] = {}
        self._copies = itertools.count(1)
        self._add("main", template("main"))

    def open(self, name: str, clock: Clock) -> Journal:
        """The journal of this name, as a new process opens it; whoever had it open before is dead."""
        if name not in self._anchors:
            self._add(name, template(name))
        before = self._open.pop(name, None)
        if before is not None:
            before.abandon()
        journal = self._open[name] = opened(self._anchors[name][0], clock)
        return journal

    def copied(self, name: str) -> str:
        """Copy a journal as it stands; the name of the copy."""
        copy = f"copy{next(self._copies)}"
        self._add(copy, self._anchors[name][1])
        return copy

    def journals(self) -> tuple[Journal, ...]:
        """Every journal that was open in this history, as it stands."""
        return tuple(self._open.values())

    @contextmanager
    def full(self, name: str) -> Generator[None]:
        """Inside the block, the disk under a journal is full: no page can be added to it."""
        driver: Any = self._open[name]._connection.connection.dbapi_connection  # pyright: ignore[reportPrivateUsage] - the disk under it
        (pages,) = driver.execute("PRAGMA page_count").fetchone()
        driver.execute(f"PRAGMA max_page_count = {pages}").fetchall()
        try:
            yield
        finally:
            driver.execute("PRAGMA max_page_count = 1000000").fetchall()

    def close(self) -> None:
        """Throw everything away."""
        for journal in self._open.values():
            journal.abandon()
        for _, anchor in self._anchors.values():
            anchor.close()

    def _add(self, name: str, source: sqlite3.Connection) -> None:
        address = f"file:history{next(_NUMBERS)}?mode=memory&cache=shared"
        anchor = sqlite3.connect(address, uri=True, isolation_level=None)
        source.backup(anchor)
        self._anchors[name] = (address, anchor)


class MortalJournal:
    """A journal in the hands of one process: dead, it can do nothing; `at` is called before and after each commit."""

    def __init__(self, real: Journal, process: Process, at: Callable[[str], None]) -> None:
        self.real = real
        self._process = process
        self._at = at

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the journal's member is
        self._process.alive()
        member = getattr(self.real, name)
        if name not in COMMITS:
            return member

        def committed(*args: Any, **named: Any) -> Any:  # noqa: ANN401 - as above
            self._process.alive()
            self._at(f"before {name}")
            result = member(*args, **named)
            self._at(f"after {name}")
            return result

        return committed
