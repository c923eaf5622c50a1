"""One desk's journal, open for writing: how a transaction begins, commits, is marked, and how the journal ends."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection

from exchange_mcp.desk.dialect import immediate, translated
from exchange_mcp.desk.entry import Entry
from exchange_mcp.desk.journal_errors import ClockBehindError, CorruptJournalError, UncertainWriteError
from exchange_mcp.desk.locks import ProcessLock
from exchange_mcp.desk.mark import Mark, MarkStore
from exchange_mcp.desk.reading import DAY_MS, JournalReads, head_of
from exchange_mcp.desk.records import Event, Identity
from exchange_mcp.model.ports import Clock

if TYPE_CHECKING:
    from exchange_mcp.model.errors import JournalError

# A clock that NTP steps back by less than this is not worth a word: the record's time stands still meanwhile.
BACKWARDS_MS: Final = 2000


class JournalWrites(JournalReads):
    """What every transaction needs; the transactions themselves are `journal.Journal`.

    Args:
        mark: outside the journal, how far it came; written after every commit.
        machine: this machine's own name, for the mark.
    """

    def __init__(
        self,
        connection: Connection,
        *,
        clock: Clock,
        mark: MarkStore,
        machine: str = "",
    ) -> None:
        super().__init__(connection)
        self._clock = clock
        self._mark = mark
        self._machine = machine
        self._process_lock: ProcessLock | None = None
        self._refusal: JournalError | None = None
        self._listeners: list[Callable[[], None]] = []
        self._desk = self.identity()

    def hold(self, lock: ProcessLock) -> None:
        """Keep this lock until the journal is closed."""
        self._process_lock = lock

    def tell(self, hear: Callable[[], None]) -> None:
        """Call this after every commit that added an event, from whichever thread made it; it may not raise."""
        self._listeners.append(hear)

    @property
    def desk(self) -> Identity:
        """Whose journal it is, and the tag that its client order ids carry."""
        return self._desk

    def checkpoint(self) -> Event:
        """Record the chain's length and head, and make the mark outside the journal durable."""
        return self._checkpoint("checkpoint")

    def checkpoint_if_due(self) -> Event | None:
        """A checkpoint, if the last one, or the start, is a day old."""
        latest = max(
            (event for kind in ("checkpoint", "opened") if (event := self.last_event(kind)) is not None),
            key=lambda event: event.seq,
            default=None,
        )
        is_due = latest is None or self._clock.now_ms() - latest.at_ms >= DAY_MS
        return self.checkpoint() if is_due else None

    def close(self) -> None:
        """The last checkpoint, if it can be written; then the journal and its lock are given back."""
        try:
            if self._refusal is None:
                self._checkpoint("closed")
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Give the journal and its lock back as they are."""
        with self._lock:
            self._refusal = self._refusal or UncertainWriteError("the journal is closed")
            self._connection.close()
            self._connection.engine.dispose()
            if self._process_lock is not None:
                self._process_lock.release()

    def _checkpoint(self, kind: str) -> Event:
        with self._entry(is_durable=True) as entry:
            head = entry.head
            body = {"count": head.seq, "head": head.hash, "epoch": self._desk.epoch}
            return entry.append(kind, None, body)

    @contextmanager
    def _entry(self, *, is_timed: bool = False, is_durable: bool = False) -> Generator[Entry]:
        """One transaction: begun with the write lock, committed when the block ends, marked after that.

        Where it `is_timed`, a clock that is behind refuses it: ages and expiries decide there.
        """
        with self._lock:
            if self._refusal is not None:
                raise self._refusal
            try:
                with translated(), immediate(self._connection):
                    head = head_of(self._connection)
                    now_ms = self._clock.now_ms()
                    if is_timed and now_ms < head.at_ms - BACKWARDS_MS:
                        raise ClockBehindError(
                            f"the clock is {(head.at_ms - now_ms) // 1000} s behind the journal's last record"
                        )
                    entry = Entry(self._connection, head, max(now_ms, head.at_ms))
                    yield entry
                if entry.head.seq != head.seq:
                    self.note_mark(entry.head.seq, entry.head.hash, is_durable=is_durable)
                    for hear in self._listeners:
                        hear()
            except (UncertainWriteError, CorruptJournalError) as error:
                self._refusal = error
                raise

    def note_mark(self, seq: int, hash_: str, *, is_durable: bool) -> None:
        """Say outside the journal how far it came.

        Raises:
            UncertainWriteError: it could not be said; the record itself is on the disk.
        """
        mark = Mark(desk_id=self._desk.desk_id, machine=self._machine, seq=seq, hash=hash_)
        try:
            self._mark.write(mark, is_durable=is_durable)
        except OSError as error:
            raise UncertainWriteError(
                f"recorded, but the mark outside the journal cannot be written: {error.strerror}"
            ) from None
