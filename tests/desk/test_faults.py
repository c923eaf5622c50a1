"""A disk that is full, read-only or damaged while the desk runs: writes are refused in one line, reads go on."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from exchange_mcp.desk import dialect
from exchange_mcp.desk.intents import State
from exchange_mcp.desk.journal import Journal, Note
from exchange_mcp.desk.journal_errors import (
    JournalFullError,
    LockHeldError,
    ReadOnlyJournalError,
    UncertainWriteError,
)
from exchange_mcp.desk.mark import Mark
from exchange_mcp.desk.opening import Surroundings, begin
from exchange_mcp.desk.records import Repeated
from exchange_mcp.model.errors import ErrorCode, JournalError

from .memory_disk import OPENING
from .on_disk import opened
from .proposals import admits, approved, buy, claim_of, claimed, evidence, plan, proposal, taken, verdict
from .virtual import HandClock, MemoryMark, SeededEntropy


def pragma(journal: Journal, statement: str) -> None:
    with dialect.reading(journal._connection):  # pyright: ignore[reportPrivateUsage] - the disk's part is played here
        journal._connection.exec_driver_sql(statement)  # pyright: ignore[reportPrivateUsage] - as above


def fill(journal: Journal) -> None:
    """Write until nothing more fits."""

    def write() -> None:
        for number in range(10_000):
            journal.record(Note.VENUE, {"number": number, "text": "x" * 1000})

    with pytest.raises(JournalFullError):
        write()


def test_a_full_disk_refuses_writes_in_one_line_and_keeps_answering(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    intent = taken(journal, proposal(1))
    pragma(journal, "PRAGMA max_page_count = 60")
    fill(journal)
    head = journal.head()
    with pytest.raises(JournalFullError, match="full") as caught:
        journal.record(Note.VENUE, {"text": "x" * 20_000})
    assert "\n" not in caught.value.message
    assert (caught.value.code, caught.value.outcome) == (ErrorCode.JOURNAL_REFUSED, "not_sent")
    assert journal.intent("i1") == intent
    assert journal.head() == head
    assert len(list(journal.export())) == head.seq + 1
    pragma(journal, "PRAGMA max_page_count = 100000")
    assert journal.record(Note.VENUE, {}).seq == head.seq + 1
    journal.close()


def test_nothing_is_claimed_whose_outcome_might_not_fit(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    intent = approved(journal, proposal(1))
    pragma(journal, "PRAGMA max_page_count = 1000")
    with pytest.raises(JournalFullError, match="4000000 are kept free for outcomes"):
        journal.claim(intent.id, claim_of(intent), admits)
    assert journal.intent("i1").state is State.APPROVED
    pragma(journal, "PRAGMA max_page_count = 2000")
    assert journal.claim(intent.id, claim_of(intent), admits).state is State.DISPATCHING
    journal.close()


def test_what_clients_ask_meanwhile_takes_no_room_from_the_outcome_of_what_is_sent(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    intent = approved(journal, proposal(1))
    journal.claim(intent.id, claim_of(intent), admits)
    pragma(journal, "PRAGMA max_page_count = 1000")
    head = journal.head()
    # One that would be taken, one that would be refused, and one that cannot be planned.
    for asked in (proposal(2, plan=plan(buy(2), base="ETH")), proposal(3, buy(3, price="101"))):
        with pytest.raises(JournalFullError, match="kept free"):
            journal.propose(asked)
    with pytest.raises(JournalFullError, match="kept free"):
        journal.record(Note.UNPLANNED, {})
    assert journal.head() == head
    assert isinstance(journal.propose(proposal(1)), Repeated)
    assert journal.settle("i1", verdict(), evidence()).state is State.ACCEPTED
    journal.close()


def test_an_outcome_that_did_not_fit_is_unknown_after_the_next_start(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    claimed(journal, proposal(1))
    pragma(journal, "PRAGMA max_page_count = 60")
    fill(journal)
    with pytest.raises(JournalFullError):
        journal.settle("i1", verdict(), replace(evidence(), body="x" * 20_000))
    assert journal.intent("i1").state is State.DISPATCHING
    journal.abandon()
    again = opened(tmp_path)
    assert again.intent("i1").state is State.UNKNOWN
    again.close()


def test_a_read_only_journal_refuses_writes_and_keeps_answering(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    taken(journal, proposal(1))
    pragma(journal, "PRAGMA query_only = ON")
    with pytest.raises(ReadOnlyJournalError, match="read-only"):
        journal.retract("i1", client="claude")
    assert journal.intent("i1").state is State.PROPOSED
    journal.abandon()


def test_another_writer_is_waited_for_and_then_named(tmp_path: Path) -> None:
    """Somebody opened the file with another program; the desk's own lock does not stop that."""
    journal = opened(tmp_path)
    pragma(journal, "PRAGMA busy_timeout = 1")
    other = sqlite3.connect(tmp_path / "desk" / "journal.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(LockHeldError, match="another process is writing"):
        taken(journal, proposal(1))
    other.execute("ROLLBACK")
    other.close()
    assert taken(journal, proposal(1)).state is State.PROPOSED
    journal.close()


class FailingMark(MemoryMark):
    """A state directory whose disk fails."""

    is_failing = False

    def write(self, mark: Mark, *, is_durable: bool) -> None:
        if self.is_failing:
            raise OSError(5, "Input/output error")
        super().write(mark, is_durable=is_durable)


def test_after_a_write_of_which_nobody_knows_the_journal_refuses_until_it_is_opened_again(
    tmp_path: Path,
) -> None:
    opened(tmp_path).close()
    mark = FailingMark()
    around = Surroundings(clock=HandClock(), entropy=SeededEntropy(), marks=lambda _: mark, opening=OPENING)
    journal = begin(dialect.durable_engine(tmp_path / "desk" / "journal.db").connect(), around)
    journal.recover()
    intent = approved(journal, proposal(1))
    mark.is_failing = True
    with pytest.raises(UncertainWriteError) as caught:
        journal.claim(intent.id, claim_of(intent), admits)
    assert caught.value.outcome == "unknown"
    mark.is_failing = False
    with pytest.raises(UncertainWriteError):
        taken(journal, proposal(2, plan=plan(buy(2), base="ETH")))
    assert journal.intent("i1").state is State.DISPATCHING
    journal.abandon()


def test_a_journal_that_is_closed_takes_nothing(journal: Journal) -> None:
    journal.close()
    with pytest.raises(JournalError, match="closed"):
        taken(journal, proposal(1))


def test_a_last_checkpoint_is_written_when_the_journal_is_closed(tmp_path: Path) -> None:
    opened(tmp_path).close()
    journal = opened(tmp_path)
    assert [event.kind for event in journal.events()][-2:] == ["closed", "opened"]
    journal.close()
