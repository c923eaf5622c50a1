"""A disk in memory for the real journal: the same code and the same database, without waiting for a platter.

What is committed outlives the journal's object. It can be built here alone;
the product has no constructor that leaves its settings out.
"""

import sqlite3
from collections import defaultdict
from dataclasses import replace

from exchange_mcp.desk.dialect import engine_over
from exchange_mcp.desk.journal import Journal
from exchange_mcp.desk.opening import Surroundings, begin
from exchange_mcp.desk.records import Opening, Signed
from exchange_mcp.desk.repeats import RepeatLimits
from exchange_mcp.model.ports import Clock, Entropy

from .virtual import MemoryMark

OPENING = Opening(version="1.0", policy_digest="0" * 64, matrix_digest="1" * 64)

Marks = defaultdict[str, MemoryMark]


class _Kept(sqlite3.Connection):
    """A connection whose content outlives whoever closes it: it is the disk."""

    def close(self) -> None:
        pass

    def end(self) -> None:
        super().close()


# One engine for all disks: a statement is compiled once, not once a disk.
_NEXT: list[_Kept] = []
_ENGINE = engine_over(_NEXT.pop)


class MemoryDisk:
    """One journal's file in memory; `marks` are the machine's own, beside it.

    A crash is `journal.abandon()`, which rolls back what was not committed; then `open` again.
    """

    def __init__(self, content: bytes | None = None, marks: Marks | None = None) -> None:
        self._opened = sqlite3.connect(
            ":memory:", isolation_level=None, check_same_thread=False, factory=_Kept
        )
        if content is not None:
            self._opened.deserialize(content)
        self._opened.execute("PRAGMA foreign_keys = ON")
        self.marks: Marks = defaultdict(MemoryMark) if marks is None else marks

    def open(
        self,
        clock: Clock,
        entropy: Entropy,
        *,
        limits: RepeatLimits | None = None,
        adopt: Signed | None = None,
        machine: str = "here",
    ) -> Journal:
        """The journal, as a start finds it."""
        around = Surroundings(
            clock=clock,
            entropy=entropy,
            marks=self.marks.__getitem__,
            opening=OPENING,
            machine=machine,
            limits=limits,
            adopt=adopt,
        )
        _NEXT.append(self._opened)
        return begin(_ENGINE.connect(), around)

    def content(self) -> bytes:
        """What a copy of the file would hold now."""
        return self._opened.serialize()

    def copy(self, *, is_elsewhere: bool = False) -> "MemoryDisk":
        """A copy of the file; on another machine, it finds none of this one's marks."""
        return MemoryDisk(self.content(), None if is_elsewhere else self.marks)

    def fork(self) -> "MemoryDisk":
        """Another world that begins as this one: a scenario from a journal that is made already."""
        marks: Marks = defaultdict(MemoryMark)
        for desk_id, kept in self.marks.items():
            marks[desk_id] = replace(kept)
        return MemoryDisk(self.content(), marks)

    def close(self) -> None:
        self._opened.end()
