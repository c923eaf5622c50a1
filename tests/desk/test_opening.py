"""Opening a journal: where it may lie, who may hold it, what SQLite must take, and what must not be there."""

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Column, Connection, Integer, MetaData, Table

from exchange_mcp.desk import dialect, opening
from exchange_mcp.desk.filesystems import Mount, check_place, darwin_mounts, linux_mounts, mount_of
from exchange_mcp.desk.intents import State
from exchange_mcp.desk.journal_errors import (
    ClockBehindError,
    ClonedJournalError,
    ConflictError,
    CorruptJournalError,
    FutureSchemaError,
    LockHeldError,
    RestoredJournalError,
    UnsafePlaceError,
    UnsafeSettingError,
    UnusableJournalError,
)
from exchange_mcp.desk.locks import ProcessLock, hold_key
from exchange_mcp.desk.mark import Mark, MarkFile
from exchange_mcp.desk.opening import open_reading, this_machine
from exchange_mcp.desk.schema import MIGRATIONS
from exchange_mcp.model.errors import JournalError
from exchange_mcp.model.outcomes import Outcome

from .memory_disk import OPENING, MemoryDisk
from .on_disk import opened
from .proposals import buy, claimed, plan, proposal, settled, signed, taken
from .virtual import HandClock, SeededEntropy


def journal_file(folder: Path) -> Path:
    return folder / "desk" / "journal.db"


def altered(folder: Path, *statements: str) -> None:
    """Whoever owns the file can do anything to it."""
    with sqlite3.connect(journal_file(folder)) as connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


# Settings.


def test_every_setting_that_durability_rests_on_is_read_back(tmp_path: Path) -> None:
    opened(tmp_path).close()
    engine = dialect.durable_engine(journal_file(tmp_path))
    with engine.connect() as connection:
        read = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()
            for name in ("journal_mode", "synchronous", "fullfsync", "foreign_keys", "trusted_schema")
        }
    assert read == {
        "journal_mode": "wal",
        "synchronous": 2,
        "fullfsync": 1,
        "foreign_keys": 1,
        "trusted_schema": 0,
    }


@pytest.mark.parametrize(
    ("name", "taken_as"),
    [("synchronous", ("NORMAL", 2)), ("journal_mode", ("DELETE", "wal")), ("foreign_keys", ("OFF", 1))],
)
def test_a_setting_that_sqlite_did_not_take_ends_the_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, taken_as: tuple[str, str | int]
) -> None:
    opened(tmp_path).close()
    monkeypatch.setitem(dialect.SETTINGS, name, taken_as)
    with pytest.raises(UnsafeSettingError, match=name):
        opened(tmp_path)


# Locks.

HOLDER = """
import sys
from pathlib import Path
from exchange_mcp.desk.locks import ProcessLock, hold_key
held = ProcessLock(Path(sys.argv[1]), "it"), hold_key(Path(sys.argv[2]), "k" * 16)
print("held", flush=True)
sys.stdin.read()
"""


def test_one_process_holds_a_journal_and_one_a_key_until_it_dies(tmp_path: Path) -> None:
    opened(tmp_path).close()
    lock = journal_file(tmp_path).with_name("journal.db.lock")
    holder = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-c", HOLDER, str(lock), str(tmp_path / "run")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(LockHeldError, match=f"the journal is held by process {holder.pid}"):
            opened(tmp_path)
        with pytest.raises(LockHeldError, match=f"the API key is held by process {holder.pid}"):
            hold_key(tmp_path / "run", "k" * 16)
        hold_key(tmp_path / "run", "m" * 16).release()
        with closing(open_reading(journal_file(tmp_path))) as reading:
            assert reading.head().seq > 0
        holder.kill()
    opened(tmp_path).close()
    hold_key(tmp_path / "run", "k" * 16).release()


def test_two_journals_of_one_process_cannot_be_one_file(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    with pytest.raises(LockHeldError):
        opened(tmp_path)
    journal.close()
    opened(tmp_path).close()


@pytest.mark.parametrize("key_id", ["", "../../x", "a/b", "é" * 8, "k" * 129])
def test_a_key_id_cannot_name_another_file(tmp_path: Path, key_id: str) -> None:
    with pytest.raises(ValueError, match="hash"):
        hold_key(tmp_path, key_id)


def test_a_lock_file_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UnsafePlaceError):
        ProcessLock(tmp_path / "lock", "it")
    assert not (tmp_path / "elsewhere").exists()


# Places and modes.


def test_everything_that_a_journal_leaves_is_its_owners_alone(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        journal = opened(tmp_path)
        taken(journal, proposal(1))
        places = [
            path
            for folder in ("desk", "state")
            for path in (tmp_path / folder, *(tmp_path / folder).rglob("*"))
        ]
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in places}
        journal.close()
    finally:
        os.umask(old)
    assert {"journal.db", "journal.db-wal", "journal.db-shm", "journal.db.lock", "marks"} <= set(modes)
    assert [name for name, mode in modes.items() if mode & 0o077] == []


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_journal_that_others_can_reach_is_not_opened(tmp_path: Path, mode: int) -> None:
    opened(tmp_path).close()
    journal_file(tmp_path).chmod(mode)
    with pytest.raises(UnsafePlaceError, match="chmod 600"):
        opened(tmp_path)


def test_a_directory_that_others_can_write_to_holds_no_journal(tmp_path: Path) -> None:
    (tmp_path / "desk").mkdir()
    (tmp_path / "desk").chmod(0o775)
    with pytest.raises(UnsafePlaceError, match="chmod go-w"):
        opened(tmp_path)


def _link(path: Path) -> None:
    path.symlink_to(path.with_name("elsewhere"))


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, _link], ids=["directory", "fifo", "link"])
def test_what_is_no_regular_file_is_no_journal(tmp_path: Path, make: Callable[[Path], None]) -> None:
    (tmp_path / "desk").mkdir(mode=0o700)
    make(journal_file(tmp_path))
    with pytest.raises(UnsafePlaceError):
        opened(tmp_path)


def test_a_journal_with_a_second_name_is_not_opened_by_either(tmp_path: Path) -> None:
    opened(tmp_path).close()
    os.link(journal_file(tmp_path), tmp_path / "desk" / "again.db")
    for name in ("journal.db", "again.db"):
        with pytest.raises(UnsafePlaceError, match="hard link"):
            opened(tmp_path, name=name)


MOUNTINFO = """\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:26 / /tmp rw,nosuid - tmpfs tmpfs rw,size=1g
31 22 0:30 / /home rw - nfs4 server:/home rw,vers=4.2
32 31 0:31 / /home/my\\040disk rw - xfs /dev/vdb rw
33 22 0:32 / /mnt/box rw - fuse.sshfs box:/ rw
34 22 0:33 / /layer rw - overlay overlay rw,lowerdir=/a,volatile
35 22 0:34 / /over rw - ext4 /dev/vdc rw
36 22 0:35 / /over rw - cifs //server/x rw
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/var/lib/desk", "ext4"),
        ("/tmp/desk", "tmpfs"),  # noqa: S108 - a path in a table
        ("/home/ada/desk", "nfs4"),
        ("/home/my disk/desk", "xfs"),
        ("/homely", "ext4"),
        ("/mnt/box/desk", "fuse.sshfs"),
        ("/over/desk", "cifs"),
    ],
)
def test_a_path_is_on_the_deepest_and_latest_file_system_above_it(path: str, kind: str) -> None:
    mount = mount_of(Path(path), linux_mounts(MOUNTINFO))
    assert mount is not None
    assert mount.kind == kind


def test_macos_says_the_same_in_its_own_words() -> None:
    text = (
        "/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)\n"
        "/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled, nobrowse)\n"
        "//ada@box/share on /Volumes/my share (smbfs, nodev, nosuid, mounted by ada)\n"
    )
    mounted = darwin_mounts(text)
    assert mount_of(Path("/Volumes/my share/desk"), mounted) == Mount(
        Path("/Volumes/my share"), "smbfs", frozenset({"nodev", "nosuid", "mounted by ada"})
    )


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("/home/ada", r"is on nfs4 \(mounted on /home\): it is not known to keep"),
        ("/tmp", "is on tmpfs .*forgets everything"),  # noqa: S108 - a path in a table
        ("/mnt/box", "is on fuse.sshfs"),
        ("/layer", "mounted with volatile"),
    ],
)
def test_a_file_system_that_is_not_on_the_list_is_refused_by_its_name(
    monkeypatch: pytest.MonkeyPatch, place: str, reason: str
) -> None:
    monkeypatch.setattr("exchange_mcp.desk.filesystems.mounts", lambda: linux_mounts(MOUNTINFO))
    monkeypatch.setattr(Path, "resolve", Path.absolute)
    with pytest.raises(UnsafePlaceError, match=reason):
        check_place(Path(place))


def test_a_journal_is_not_opened_or_made_on_a_file_system_that_is_not_on_the_list(tmp_path: Path) -> None:
    around = opening.Surroundings(
        clock=HandClock(),
        entropy=SeededEntropy(),
        marks=opening.marks_in(tmp_path),
        opening=OPENING,
    )
    with pytest.raises(UnsafePlaceError, match="is on "):
        opening.open_journal(journal_file(tmp_path), around, safe=frozenset())
    assert not journal_file(tmp_path).exists()


# Schema.


def test_a_schema_from_the_future_is_refused_to_writers_and_readers(tmp_path: Path) -> None:
    opened(tmp_path).close()
    altered(tmp_path, "UPDATE fact SET value = '3' WHERE name = 'schema'")
    with pytest.raises(FutureSchemaError, match="schema 3, and this release knows 2"):
        opened(tmp_path)
    with pytest.raises(FutureSchemaError):
        open_reading(journal_file(tmp_path))


def test_an_older_schema_is_brought_here_in_one_transaction_with_an_event(disk: MemoryDisk) -> None:
    journal = disk.open(HandClock(), SeededEntropy())
    added = Table("addition", MetaData(), Column("id", Integer, primary_key=True))

    def third(connection: Connection) -> None:
        added.create(connection)

    def broken(connection: Connection) -> None:
        added.create(connection)
        raise OSError("in the middle")

    connection = journal._connection  # pyright: ignore[reportPrivateUsage] - the next release's code
    before = journal.head()
    with pytest.raises(OSError, match="in the middle"), dialect.immediate(connection):
        opening.migrate(connection, 1, {**MIGRATIONS, 3: broken}, goal=3)
    assert journal.head() == before
    with dialect.immediate(connection):
        opening.migrate(connection, 1, {**MIGRATIONS, 3: third}, goal=3)
        assert connection.execute(added.select()).all() == []
    event = journal.events()[-1]
    assert (event.kind, '"from":2,"to":3' in event.text) == ("migrated", True)


# Damage.


def _garbage(path: Path) -> None:
    path.write_bytes(b"not a database, whatever its name says" * 100)


def _torn(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:8192] + b"\xff" * 8192 + content[16_384:])


def _cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


@pytest.mark.parametrize("spoil", [_garbage, _torn, _cut])
def test_a_damaged_file_is_refused_in_one_line_and_left_as_it_is(
    tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    journal = opened(tmp_path)
    taken(journal, proposal(1))
    journal.close()
    spoil(journal_file(tmp_path))
    content = journal_file(tmp_path).read_bytes()
    with pytest.raises(CorruptJournalError) as caught:
        opened(tmp_path)
    assert "\n" not in caught.value.message
    assert journal_file(tmp_path).read_bytes() == content


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE event SET text = replace(text, 'claude', 'claud3') WHERE kind = 'proposed'",
        "DELETE FROM event WHERE seq = 2",
        "UPDATE event SET hash = replace(hash, substr(hash, 1, 1), 'x') WHERE seq = 3",
    ],
)
def test_a_log_that_was_edited_behind_the_desks_back_is_not_added_to(tmp_path: Path, statement: str) -> None:
    journal = opened(tmp_path)
    taken(journal, proposal(1))
    journal.close()
    altered(tmp_path, "DROP TRIGGER event_is_never_changed", "DROP TRIGGER event_is_never_deleted", statement)
    with pytest.raises(UnusableJournalError):
        opened(tmp_path)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE event SET text = '{}' WHERE seq = 1",
        "DELETE FROM event WHERE seq = 3",
        "DELETE FROM intent",
        "DELETE FROM nonce",
        "UPDATE nonce SET spent_ms = NULL",
        "UPDATE nonce SET nonce = 'other'",
        "UPDATE OR REPLACE nonce SET nonce = 'n-i2' WHERE nonce = 'n-i1'",
        "REPLACE INTO nonce (nonce, purpose, intent) VALUES ('n-i1', 'grant', 'i1')",
        "REPLACE INTO event SELECT seq, at_ms, kind, intent, '{}', prev, hash FROM event WHERE seq = 3",
        "REPLACE INTO intent SELECT * FROM intent WHERE id = 'i1'",
        "UPDATE OR REPLACE intent SET proposal_id = 'p2' WHERE id = 'i1'",
        "UPDATE intent SET plan_text = replace(plan_text, '0.5', '5.0') WHERE id = 'i1'",
        "UPDATE intent SET state = 'approved' WHERE id = 'i1'",
        "UPDATE intent SET claimed_ms = NULL WHERE id = 'i1'",
    ],
)
def test_the_database_itself_refuses_to_forget(tmp_path: Path, statement: str) -> None:
    journal = opened(tmp_path)
    claimed(journal, proposal(1))
    claimed(journal, proposal(2, plan=plan(buy(2), base="ETH")))
    journal.close()
    with sqlite3.connect(journal_file(tmp_path)) as connection, pytest.raises(sqlite3.IntegrityError):
        connection.execute(statement)
    connection.close()


# The mark.


def copied(folder: Path, name: str) -> None:
    shutil.copy(journal_file(folder), folder / "desk" / name)


def test_an_older_copy_that_was_put_back_is_noticed(tmp_path: Path) -> None:
    opened(tmp_path).close()
    copied(tmp_path, "backup.db")
    journal = opened(tmp_path)
    settled(journal, proposal(1), Outcome.UNKNOWN)
    journal.close()
    shutil.copy(tmp_path / "desk" / "backup.db", journal_file(tmp_path))
    with pytest.raises(RestoredJournalError, match=r"ends at event \d+; it had come to \d+ on this machine"):
        opened(tmp_path)


def test_an_older_copy_is_noticed_after_a_kill_too(tmp_path: Path) -> None:
    """The mark is written after every commit, so the last claim before the kill is in it."""
    opened(tmp_path).close()
    copied(tmp_path, "backup.db")
    journal = opened(tmp_path)
    claimed(journal, proposal(1))
    journal.abandon()
    shutil.copy(tmp_path / "desk" / "backup.db", journal_file(tmp_path))
    with pytest.raises(RestoredJournalError):
        opened(tmp_path)


def test_a_copy_that_went_its_own_way_is_noticed_though_it_is_longer(tmp_path: Path) -> None:
    opened(tmp_path).close()
    copied(tmp_path, "copy.db")
    journal = opened(tmp_path)
    taken(journal, proposal(1))
    journal.close()
    elsewhere = opened(tmp_path, name="copy.db", state="other", adopt=None)
    for number, base in enumerate(("ETH", "SOL", "XRP"), start=2):
        taken(elsewhere, proposal(number, plan=plan(buy(number), base=base)))
    elsewhere.close()
    shutil.copy(tmp_path / "desk" / "copy.db", journal_file(tmp_path))
    with pytest.raises(RestoredJournalError, match="went its own way"):
        opened(tmp_path)


def test_a_copy_without_its_mark_or_on_another_machine_is_noticed(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    taken(journal, proposal(1))
    journal.close()
    with pytest.raises(ClonedJournalError, match="not on this machine"):
        opened(tmp_path, state="fresh")
    with pytest.raises(ClonedJournalError, match="on another machine"):
        opened(tmp_path, machine="there")
    opened(tmp_path).close()


def test_a_journal_is_adopted_under_a_signature_once_and_gets_another_tag(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    taken(journal, proposal(1))
    tag = journal.desk.tag
    journal.close()
    adopted = opened(tmp_path, state="fresh", adopt=signed(), seed=2)
    assert adopted.desk.tag != tag
    assert adopted.last_event("adopted") is not None
    assert adopted.intent("i1").state is State.PROPOSED
    adopted.close()
    opened(tmp_path, state="fresh").close()
    with pytest.raises(ConflictError, match="used before"):
        opened(tmp_path, state="third", adopt=signed())


def test_an_older_copy_that_was_adopted_is_the_journal_from_then_on(tmp_path: Path) -> None:
    opened(tmp_path).close()
    copied(tmp_path, "backup.db")
    journal = opened(tmp_path)
    for number, base in enumerate(("BTC", "ETH", "SOL"), start=1):
        claimed(journal, proposal(number, plan=plan(buy(number), base=base)))
    journal.close()
    shutil.copy(tmp_path / "desk" / "backup.db", journal_file(tmp_path))
    opened(tmp_path, adopt=signed(), seed=2).close()
    again = opened(tmp_path)
    assert again.live() == ()
    assert again.last_event("adopted") is not None
    again.close()


def test_a_clock_that_had_been_ahead_is_believed_again_under_a_signature(tmp_path: Path) -> None:
    clock = HandClock()
    clock.ms += 10 * 365 * 86_400_000
    opened(tmp_path, clock).close()
    right = HandClock()
    journal = opened(tmp_path, right)
    with pytest.raises(ClockBehindError):
        taken(journal, proposal(1))
    journal.close()
    journal = opened(tmp_path, right, adopt=signed())
    assert taken(journal, proposal(1)).created_ms == right.ms
    journal.close()


def test_a_signature_that_is_not_needed_adopts_nothing(tmp_path: Path) -> None:
    opened(tmp_path).close()
    journal = opened(tmp_path, adopt=signed())
    assert journal.last_event("adopted") is None
    journal.close()


def test_a_mark_is_read_from_the_slot_that_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "marks" / "a.mark"
    store = MarkFile(path)
    marks = [Mark(desk_id="a", machine="m", seq=seq, hash=f"{seq:064}") for seq in range(1, 6)]
    for mark in marks:
        store.write(mark, is_durable=False)
        assert MarkFile(path).read() == mark
    whole = path.read_bytes()
    for offset in range(0, len(whole), 7):
        path.write_bytes(whole[:offset] + b"#" + whole[offset + 1 :])
        assert MarkFile(path).read() in {marks[-1], marks[-2]}
    path.write_bytes(b"")
    assert MarkFile(path).read() is None


def test_after_a_torn_slot_the_whole_one_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.mark"
    first, second, third = (Mark(desk_id="a", machine="", seq=n, hash="0" * 64) for n in (1, 2, 3))
    store = MarkFile(path)
    store.write(first, is_durable=True)
    store.write(second, is_durable=True)
    content = path.read_bytes()
    torn = content.index(b'"seq":2')
    path.write_bytes(content[:torn] + b"torn" + content[torn + 4 :])
    again = MarkFile(path)
    assert again.read() == first
    again.write(third, is_durable=True)
    assert b'"seq":1' in path.read_bytes()
    assert MarkFile(path).read() == third


def test_a_machine_is_named_by_a_hash_and_an_absent_name_is_none(tmp_path: Path) -> None:
    own = tmp_path / "machine-id"
    own.write_text("0123456789abcdef0123456789abcdef\n")
    named = this_machine(own)
    assert len(named) == 32
    assert "0123456789abcdef" not in named
    own.write_text("\n")
    assert this_machine(own) == ""
    assert this_machine(tmp_path / "none") == ""


@pytest.mark.parametrize("made", ["CREATE TABLE photo (id)", "CREATE TABLE fact (name, value)"])
def test_somebody_elses_database_is_no_journal_and_stays_as_it_is(tmp_path: Path, made: str) -> None:
    (tmp_path / "desk").mkdir(mode=0o700)
    journal_file(tmp_path).touch(mode=0o600)
    altered(tmp_path, made)
    content = journal_file(tmp_path).read_bytes()
    with pytest.raises(CorruptJournalError, match="not a journal"):
        open_reading(journal_file(tmp_path))
    assert journal_file(tmp_path).read_bytes() == content
    with pytest.raises(CorruptJournalError, match="not a journal"):
        opened(tmp_path)


@pytest.mark.parametrize(
    ("path", "why"),
    [("none.db", "No such file"), (".", "not a regular"), ("pipe", "not a regular"), ("a\0", "null")],
)
def test_what_is_not_there_or_is_no_file_cannot_be_read_and_is_not_waited_for(
    tmp_path: Path, path: str, why: str
) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(JournalError, match=why):
        open_reading(tmp_path / path)


def test_a_path_that_is_no_text_holds_a_journal_like_any_other(tmp_path: Path) -> None:
    name = os.fsdecode(b"j\xff?#%41.db")
    journal = opened(tmp_path, name=name)
    head = journal.head()
    with closing(open_reading(tmp_path / "desk" / name)) as read:
        assert read.head() == head
    journal.close()
