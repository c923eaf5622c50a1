"""Opening a journal: the place, the lock, the settings, the schema, the log's end, and the mark outside it.

Whatever is not as it must be is one `UnusableJournalError` with a reason and a next step; then the journal is
still there to be read (`open_reading`), and nothing is written to it.
"""

import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from sqlalchemy import Connection

from exchange_mcp.config.owner_only import make_owner_only
from exchange_mcp.desk import chain
from exchange_mcp.desk.dialect import (
    damage,
    durable_engine,
    immediate,
    install_guards,
    reading,
    reading_engine,
    tables,
    translated,
)
from exchange_mcp.desk.entry import Entry
from exchange_mcp.desk.filesystems import SAFE, check_place
from exchange_mcp.desk.journal import Journal
from exchange_mcp.desk.journal_errors import (
    ClonedJournalError,
    CorruptJournalError,
    FutureSchemaError,
    RestoredJournalError,
    UnsafePlaceError,
    UnusableJournalError,
)
from exchange_mcp.desk.locks import ProcessLock, journal_lock
from exchange_mcp.desk.mark import Mark, MarkFile, MarkStore
from exchange_mcp.desk.reading import JournalReads, facts_of, head_of
from exchange_mcp.desk.records import Opening, Signed
from exchange_mcp.desk.register_story import check_register
from exchange_mcp.desk.repeats import RepeatLimits
from exchange_mcp.desk.schema import MIGRATIONS, SCHEMA, events, facts, intents, state_fact
from exchange_mcp.desk.writing import BACKWARDS_MS
from exchange_mcp.model.client_ids import new_desk_tag
from exchange_mcp.model.ports import Clock, Entropy

# What is verified at every start; the whole log is `exchange-mcp audit verify`'s business.
_VERIFIED_AT_START: Final = 10_000

_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a journal is opened with.

    Attributes:
        marks: by desk id, where that desk's mark is kept.
        machine: a name of this machine that another does not have, "" where there is none.
        adopt: an approver's signature under which a restored or cloned journal is taken over; it gets another
            tag, so that orders of the other copy are told from its own.
    """

    clock: Clock
    entropy: Entropy
    marks: Callable[[str], MarkStore]
    opening: Opening
    machine: str = ""
    limits: RepeatLimits | None = None
    adopt: Signed | None = None


def marks_in(state: Path) -> Callable[[str], MarkStore]:
    """The marks in the desk's state directory, a file a desk."""
    return lambda desk_id: MarkFile(state / "desk" / "marks" / f"{desk_id}.mark")


def this_machine(path: Path = Path("/etc/machine-id")) -> str:
    """A name of this machine: a hash of systemd's machine id, "" where there is none.

    https://www.freedesktop.org/software/systemd/man/latest/machine-id.html asks for the hash.
    """
    try:
        own = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
    return sha256(f"exchange-mcp journal {own}".encode()).hexdigest()[:32] if own else ""


def open_journal(path: Path, around: Surroundings, *, safe: frozenset[str] = SAFE) -> Journal:
    """The journal in this file, made if there is none, locked for as long as it is open.

    Call `Journal.recover` before the first claim.

    Args:
        path: of the file; its directory is made if it is missing.
        around: clock, entropy, marks, and what runs.
        safe: file systems that it may lie on.

    Raises:
        UnusableJournalError: it cannot be written to safely; each subclass says why.
    """
    _make_directory(path.parent)
    check_place(path.parent, safe=safe)
    lock = ProcessLock(journal_lock(path), "the journal")
    try:
        _make_file(path)
        engine = durable_engine(path)
        try:
            with translated(path.name):
                journal = begin(engine.connect(), around)
        except BaseException:
            engine.dispose()
            raise
        journal.hold(lock)
        return journal  # noqa: TRY300 - the lock goes with it
    except BaseException:
        lock.release()
        raise


def open_reading(path: Path) -> JournalReads:
    """The journal in this file, to read, whoever holds it and whatever is wrong with writing to it.

    Raises:
        JournalError: there is none, or it cannot even be read. FutureSchemaError: a newer release wrote it.
    """
    try:
        is_file = stat.S_ISREG(path.stat().st_mode)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise UnusableJournalError(f"{path} cannot be read: {why}") from None
    if not is_file:  # of a pipe, SQLite would wait for what never comes
        raise UnsafePlaceError(f"{path} is not a regular file")
    with translated(path.name):
        connection = reading_engine(path).connect()
        try:
            with reading(connection):
                _check_schema(connection)
        except BaseException:
            connection.close()
            raise
    return JournalReads(connection)


def begin(connection: Connection, around: Surroundings) -> Journal:
    """The journal over an open database: brought to this release's schema, checked, and opened in its log.

    Raises:
        UnusableJournalError: as `open_journal`, but for the place and the lock.
    """
    with reading(connection):
        is_new = not tables(connection)
    if is_new:
        with immediate(connection):
            migrate(connection, around.clock.now_ms())
            _found(connection, around)
    else:
        with reading(connection):
            wrong = damage(connection)
            if wrong is not None:
                raise CorruptJournalError(f"the journal's file is damaged: {wrong}")
            _check_schema(connection)
        with immediate(connection):
            migrate(connection, around.clock.now_ms())
            _verify_end(connection)
            check_register(connection)
    with immediate(connection):
        known = facts_of(connection)
        store = around.marks(known["desk_id"])
        head = head_of(connection)
        now_ms = around.clock.now_ms()
        entry = Entry(connection, head, max(now_ms, head.at_ms))
        if not is_new:
            _compare(entry, store.read(), known["desk_id"], around)
        epoch = int(known["epoch"]) + 1
        state_fact(connection, "epoch", str(epoch))
        entry.append("opened", None, {"epoch": epoch, **_told(around.opening)})
    journal = Journal(
        connection, clock=around.clock, mark=store, machine=around.machine, limits=around.limits
    )
    journal.note_mark(entry.head.seq, entry.head.hash, is_durable=True)
    return journal


def migrate(
    connection: Connection,
    now_ms: int,
    steps: Mapping[int, Callable[[Connection], None]] = MIGRATIONS,
    goal: int = SCHEMA,
) -> None:
    """Bring the journal to this release's schema, in the transaction under way; each step is an event.

    Raises:
        FutureSchemaError: it is a newer one already.
    """
    is_new = not tables(connection)
    version = 0 if is_new else _check_schema(connection, goal)
    for step in range(version + 1, goal + 1):
        steps[step](connection)
    install_guards(connection)  # also where somebody took them away
    if version == goal:
        return
    state_fact(connection, "schema", str(goal))
    if not is_new:
        head = head_of(connection)
        Entry(connection, head, max(now_ms, head.at_ms)).append(
            "migrated", None, {"from": version, "to": goal}
        )


def _check_schema(connection: Connection, goal: int = SCHEMA) -> int:
    stated = facts_of(connection).get("schema", "") if facts.name in tables(connection) else ""
    if not stated.isdecimal():
        raise CorruptJournalError("the file is a database, and not a journal")
    version = int(stated)
    if version > goal:
        raise FutureSchemaError(
            f"the journal has schema {version}, and this release knows {goal}: a newer release wrote it"
        )
    return version


def _found(connection: Connection, around: Surroundings) -> None:
    """The first event, and whose journal this is from now on."""
    desk_id, tag = around.entropy.token(16).hex(), new_desk_tag(around.entropy)
    for name, value in (("desk_id", desk_id), ("tag", tag), ("epoch", "0")):
        state_fact(connection, name, value)
    entry = Entry(connection, head_of(connection), around.clock.now_ms())
    entry.append("genesis", None, {"desk_id": desk_id, "tag": tag, **_told(around.opening)})


def _told(opening: Opening) -> dict[str, object]:
    return {
        "version": opening.version,
        "policy_digest": opening.policy_digest,
        "matrix_digest": opening.matrix_digest,
        "key_scopes": opening.key_scopes,
        "schema": SCHEMA,
    }


def _verify_end(connection: Connection) -> None:
    """See that the log's last entries follow from one another and that its number is its count."""
    rows = connection.execute(events.select().order_by(events.c.seq.desc()).limit(_VERIFIED_AT_START)).all()
    for row, before in zip(rows, [*rows[1:], None], strict=True):
        prev = before.hash if before is not None else (chain.GENESIS_PREV if row.seq == 1 else row.prev)
        follows = before is None or before.seq == row.seq - 1
        if not follows or row.prev != prev or chain.event_hash(row.text, row.prev) != row.hash:
            raise CorruptJournalError(f"the event log does not verify at number {row.seq}")


def _compare(entry: Entry, mark: Mark | None, desk_id: str, around: Surroundings) -> None:
    """See that this is the journal that last ran here, or take it over under a signature.

    Raises:
        RestoredJournalError, ClonedJournalError: it is not, and nobody signed for it.
    """
    difference = _difference(entry, mark, desk_id, around.machine)
    now_ms = around.clock.now_ms()
    if around.adopt is None:
        if difference is not None:
            raise difference
        return
    if difference is None and now_ms >= entry.head.at_ms - BACKWARDS_MS:
        return
    # A clock that was ahead when the last event was recorded is right again only if somebody says so.
    entry.now_ms = now_ms
    entry.sign(around.adopt.nonce, "adopt", spent_ms=entry.now_ms)
    tag = new_desk_tag(around.entropy)
    state_fact(entry.connection, "tag", tag)
    entry.append(
        "adopted",
        None,
        {
            "why": "the clock had been ahead" if difference is None else difference.message,
            "tag": tag,
            "signed": {
                "approver": around.adopt.approver,
                "nonce": around.adopt.nonce,
                "record": around.adopt.record,
            },
        },
    )


def _difference(
    entry: Entry, mark: Mark | None, desk_id: str, machine: str
) -> RestoredJournalError | ClonedJournalError | None:
    if mark is None:
        # Between a journal's first commit and its first mark nothing can have been sent.
        is_unused = entry.connection.execute(intents.select().limit(1)).first() is None
        return None if is_unused else ClonedJournalError("this journal was in use, and not on this machine")
    if mark.desk_id != desk_id:
        return ClonedJournalError("the mark on this machine is of another desk's journal")
    if mark.machine and machine and mark.machine != machine:
        return ClonedJournalError("this journal last ran on another machine")
    if mark.seq > entry.head.seq:
        return RestoredJournalError(
            f"the journal ends at event {entry.head.seq}; it had come to {mark.seq} on this machine"
        )
    row = entry.connection.execute(events.select().where(events.c.seq == mark.seq)).first()
    if row is None or row.hash != mark.hash:
        return RestoredJournalError(
            f"event {mark.seq} is another one than this machine recorded: a copy went its own way"
        )
    return None


def _make_directory(directory: Path) -> None:
    try:
        make_owner_only(directory)
        status = directory.stat()
    except OSError as error:
        raise UnsafePlaceError(f"{directory} cannot be used: {error.strerror}") from None
    if status.st_uid not in {os.geteuid(), 0}:
        raise UnsafePlaceError(f"{directory} belongs to another user (uid {status.st_uid})")
    if status.st_mode & _OTHERS_WRITE and not status.st_mode & stat.S_ISVTX:
        raise UnsafePlaceError(f"{directory} can be written to by others; close it: chmod go-w {directory}")


def _make_file(path: Path) -> None:
    """The file, made for its owner alone or found so. SQLite gives its side files the same mode."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise UnsafePlaceError(f"{path} cannot be opened: {error.strerror}") from None
    try:
        status = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise UnsafePlaceError(f"{path} is not a regular file")
    if status.st_nlink > 1:
        raise UnsafePlaceError(
            f"{path} has another name too (a hard link), by which another desk could open it"
        )
    if status.st_uid != os.geteuid():
        raise UnsafePlaceError(f"{path} belongs to another user (uid {status.st_uid})")
    if status.st_mode & _OTHERS:
        mode = stat.S_IMODE(status.st_mode)
        raise UnsafePlaceError(f"{path} is open to others (mode {mode:04o}); close it: chmod 600 {path}")
