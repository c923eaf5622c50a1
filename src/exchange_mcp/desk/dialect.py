"""Everything about the journal that is SQLite's own: settings, locking, append-only tables, error codes.

Another database is another module with these functions; the transactions in `journal` do not change.
Settings: https://www.sqlite.org/pragma.html. Result codes: https://www.sqlite.org/rescode.html.
"""

import os
import sqlite3
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DatabaseError, DBAPIError
from sqlalchemy.pool import NullPool

from exchange_mcp.desk.journal_errors import (
    ConflictError,
    CorruptJournalError,
    JournalFullError,
    LockHeldError,
    ReadOnlyJournalError,
    UncertainWriteError,
    UnsafeSettingError,
    UnusableJournalError,
)
from exchange_mcp.model.errors import JournalError

# What is set, and what must be read back: SQLite ignores a setting that it cannot take without a word.
# fullfsync reaches the platter on macOS, where fsync alone does not.
SETTINGS: Final[dict[str, tuple[str, str | int]]] = {
    "journal_mode": ("WAL", "wal"),
    "synchronous": ("FULL", 2),
    "fullfsync": ("ON", 1),
    "checkpoint_fullfsync": ("ON", 1),
    "foreign_keys": ("ON", 1),
    "trusted_schema": ("OFF", 0),
    "cell_size_check": ("ON", 1),
    "busy_timeout": ("2000", 2000),
}

_BEGIN: Final = "begin"

# What a claim leaves free, so that its outcome can be recorded: evidence is capped far below this.
HEADROOM_BYTES: Final = 4_000_000

_APPEND_ONLY: Final = """
CREATE TRIGGER IF NOT EXISTS event_is_never_{done} BEFORE {verb} ON event
BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END
"""
_NO_INTENT_DELETED: Final = """
CREATE TRIGGER IF NOT EXISTS intent_is_never_deleted BEFORE DELETE ON intent
BEGIN SELECT RAISE(ABORT, 'an intent is never deleted'); END
"""
_NO_NONCE_DELETED: Final = """
CREATE TRIGGER IF NOT EXISTS nonce_is_never_deleted BEFORE DELETE ON nonce
BEGIN SELECT RAISE(ABORT, 'a nonce is never deleted'); END
"""
_NO_NONCE_UNSPENT: Final = """
CREATE TRIGGER IF NOT EXISTS nonce_is_spent_once BEFORE UPDATE ON nonce WHEN OLD.spent_ms IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a nonce is spent once'); END
"""
# REPLACE, which any program with the file may say, deletes without asking the triggers of a deletion.
_NOTHING_REPLACED: Final = """
CREATE TRIGGER IF NOT EXISTS {table}_is_never_replaced BEFORE INSERT ON {table}
WHEN EXISTS (SELECT 1 FROM {table} AS held WHERE {same})
BEGIN SELECT RAISE(ABORT, 'a row of {table} is never replaced'); END
"""
_SAME_INTENT: Final = (
    "held.id = NEW.id OR held.seq = NEW.seq OR held.proposal_id = NEW.proposal_id"
    " OR held.client_order_id = NEW.client_order_id"
)
_INTENT_KEEPS_ITS_NAMES: Final = """
CREATE TRIGGER IF NOT EXISTS intent_keeps_its_names BEFORE UPDATE ON intent
WHEN NEW.id IS NOT OLD.id OR NEW.seq IS NOT OLD.seq OR NEW.proposal_id IS NOT OLD.proposal_id
    OR NEW.client_order_id IS NOT OLD.client_order_id OR NEW.plan_text IS NOT OLD.plan_text
BEGIN SELECT RAISE(ABORT, 'what an intent is never changes'); END
"""
_CLAIMED_ONCE: Final = """
CREATE TRIGGER IF NOT EXISTS intent_is_claimed_once BEFORE UPDATE ON intent
WHEN OLD.claimed_ms IS NOT NULL AND (NEW.claimed_ms IS NOT OLD.claimed_ms
    OR NEW.state IN ('proposed', 'approved') OR (NEW.state = 'dispatching' AND OLD.state <> 'dispatching'))
BEGIN SELECT RAISE(ABORT, 'an intent is claimed once'); END
"""
_NONCE_KEEPS_ITS_NAME: Final = """
CREATE TRIGGER IF NOT EXISTS nonce_keeps_its_name BEFORE UPDATE ON nonce WHEN NEW.nonce IS NOT OLD.nonce
BEGIN SELECT RAISE(ABORT, 'a nonce is taken for ever'); END
"""
GUARDS: Final = (
    _NOTHING_REPLACED.format(table="event", same="held.seq = NEW.seq"),
    _NOTHING_REPLACED.format(table="intent", same=_SAME_INTENT),
    _NOTHING_REPLACED.format(table="nonce", same="held.nonce = NEW.nonce"),
    _INTENT_KEEPS_ITS_NAMES,
    _CLAIMED_ONCE,
    _NONCE_KEEPS_ITS_NAME,
    _APPEND_ONLY.format(done="changed", verb="UPDATE"),
    _APPEND_ONLY.format(done="deleted", verb="DELETE"),
    _NO_INTENT_DELETED,
    _NO_NONCE_DELETED,
    _NO_NONCE_UNSPENT,
)


def engine_over(opened: Callable[[], sqlite3.Connection]) -> Engine:
    """SQLAlchemy's engine over connections of Python's own, whose transactions are begun as we say.

    They were opened with `isolation_level=None`, so that Python begins none by itself.
    """
    engine = create_engine("sqlite://", creator=opened, poolclass=NullPool)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:  # pyright: ignore[reportUnusedFunction] - SQLAlchemy calls it
        connection.exec_driver_sql(connection.info.get(_BEGIN, "BEGIN"))

    return engine


def durable_engine(path: Path) -> Engine:
    """An engine over the journal's file, which must exist, with every setting taken and read back.

    Raises:
        UnsafeSettingError: SQLite did not take one. JournalError: the file cannot be opened or read.
    """
    with translated(path.name):
        opened = sqlite3.connect(
            f"file:{quote(os.fsencode(path))}?mode=rw",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            _settle(opened)
        except BaseException:
            opened.close()
            raise
        return engine_over(lambda: opened)


def reading_engine(path: Path) -> Engine:
    """An engine that can only read, over a journal that may be in use.

    Raises:
        JournalError: the file cannot be opened or read.
    """
    with translated(path.name):
        opened = sqlite3.connect(
            f"file:{quote(os.fsencode(path))}?mode=ro",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            opened.execute("PRAGMA query_only = ON")
            opened.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        except BaseException:
            opened.close()
            raise
        return engine_over(lambda: opened)


def _settle(opened: sqlite3.Connection) -> None:
    for name, (value, expected) in SETTINGS.items():
        opened.execute(f"PRAGMA {name} = {value}").fetchall()
        (read,) = opened.execute(f"PRAGMA {name}").fetchone()
        if read != expected:
            raise UnsafeSettingError(
                f"SQLite {sqlite3.sqlite_version} keeps {name} at {read}, not {expected}"
            )


@contextmanager
def immediate(connection: Connection) -> Generator[None]:
    """A transaction that holds the write lock from its first moment, committed at the end."""
    connection.info[_BEGIN] = "BEGIN IMMEDIATE"
    with connection.begin():
        yield


@contextmanager
def reading(connection: Connection) -> Generator[None]:
    """A transaction that sees one moment of the journal and takes no lock that a writer needs."""
    connection.info[_BEGIN] = "BEGIN"
    with connection.begin():
        yield


def install_guards(connection: Connection) -> None:
    """Let the database itself refuse that an event is changed or anything deleted that must stay."""
    for statement in GUARDS:
        connection.exec_driver_sql(statement)


def damage(connection: Connection) -> str | None:
    """What SQLite's own check finds wrong with the file; None if nothing."""
    (found,) = connection.exec_driver_sql("PRAGMA quick_check(1)").one()
    return None if found == "ok" else " ".join(str(found).split())


def tables(connection: Connection) -> frozenset[str]:
    """The names of the tables that are there."""
    rows = connection.exec_driver_sql("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
    return frozenset(str(name) for (name,) in rows)


def free_bytes(connection: Connection) -> int | None:
    """How much can still be written: what the page limit and the disk leave; None where there is no file."""
    path, pages = connection.exec_driver_sql(
        "SELECT d.file, (m.max_page_count - c.page_count + f.freelist_count) * s.page_size"
        " FROM pragma_database_list d, pragma_max_page_count m, pragma_page_count c, pragma_freelist_count f,"
        " pragma_page_size s WHERE d.name = 'main'"
    ).one()
    directory = Path(path).parent
    if not directory.is_absolute():
        return None
    disk = os.statvfs(directory)
    return min(int(pages), disk.f_bavail * disk.f_frsize)


_BY_CODE: Final[dict[int, tuple[type[JournalError], str]]] = {
    sqlite3.SQLITE_FULL: (JournalFullError, "the disk or the page limit of the journal is full"),
    sqlite3.SQLITE_READONLY: (ReadOnlyJournalError, "the journal is read-only"),
    sqlite3.SQLITE_CORRUPT: (CorruptJournalError, "the journal's file is damaged"),
    sqlite3.SQLITE_NOTADB: (CorruptJournalError, "the file is not a journal"),
    sqlite3.SQLITE_CANTOPEN: (UnusableJournalError, "the journal's file cannot be opened"),
    sqlite3.SQLITE_PERM: (UnusableJournalError, "the journal's file cannot be opened"),
    sqlite3.SQLITE_BUSY: (LockHeldError, "another process is writing to the journal"),
    sqlite3.SQLITE_LOCKED: (LockHeldError, "another process is writing to the journal"),
    sqlite3.SQLITE_CONSTRAINT: (ConflictError, "the journal holds such a record already"),
}


@contextmanager
def translated(name: str = "journal") -> Generator[None]:
    """Turn what the database raises into what the journal's callers know.

    Raises:
        JournalError: of the kind that the result code says; `UncertainWriteError` for any other.
    """
    try:
        yield
    except DBAPIError as error:
        raise _translation(error.orig, name) from error
    except (sqlite3.Error, DatabaseError) as error:
        raise _translation(error, name) from error
    except UnicodeEncodeError:
        raise ConflictError(
            f"{name}: half a character cannot be recorded, and nothing was recorded with one"
        ) from None


def _translation(error: BaseException | None, name: str) -> JournalError:
    code = getattr(error, "sqlite_errorcode", None)
    kind, what = _BY_CODE.get((code or 0) & 0xFF, (UncertainWriteError, "the journal's file failed"))
    return kind(f"{name}: {what} ({getattr(error, 'sqlite_errorname', type(error).__name__)}: {error})")
