"""A journal over a database in memory: begun by the product's own steps, with everything but a file."""

import sqlite3
from functools import cache

from exchange_mcp.desk.dialect import engine_over, reading, tables
from exchange_mcp.desk.journal import Journal
from exchange_mcp.desk.mark import Mark
from exchange_mcp.desk.opening import Surroundings, begin
from exchange_mcp.desk.reading import head_of
from exchange_mcp.desk.records import Opening
from exchange_mcp.model.ports import Clock
from simulation.virtual import SeededEntropy, VirtualClock, VirtualLoop

_OPENING = Opening(version="simulated", policy_digest="", matrix_digest="")


class CopiedMark:
    """A mark outside the journal that was copied along with it, so that it says nothing: only the venue can tell."""

    def __init__(self, mark: Mark) -> None:
        self._mark = mark

    def read(self) -> Mark | None:
        """Whatever fits."""
        return self._mark

    def write(self, mark: Mark, *, is_durable: bool) -> None:
        """Keep nothing: it is made up to fit."""


def connected(address: str) -> sqlite3.Connection:
    """A connection to a database in memory, with what the product sets as far as memory has it."""
    connection = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = OFF")
    return connection


# One engine for all, so that a statement is compiled once; each connection is of another database.
_NEXT: list[str] = []
_ENGINE = engine_over(lambda: connected(_NEXT.pop()))


def opened(address: str, clock: Clock, seed: str = "") -> Journal:
    """The journal at this address of memory, as a new process opens it."""
    _NEXT.append(address)
    connection = _ENGINE.connect()
    with reading(connection):
        head = head_of(connection) if tables(connection) else None

    def marks(desk_id: str) -> CopiedMark:
        return CopiedMark(Mark(desk_id, "", head.seq, head.hash) if head else Mark(desk_id, "", 0, ""))

    around = Surroundings(clock=clock, entropy=SeededEntropy(seed), marks=marks, opening=_OPENING)
    return begin(connection, around)


@cache
def template(name: str) -> sqlite3.Connection:
    """A new journal of one desk, of which every history begins with a copy."""
    address = f"file:template-{name}?mode=memory&cache=shared"
    anchor = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
    opened(address, VirtualClock(VirtualLoop()), name).close()
    return anchor
