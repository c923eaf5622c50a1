"""Who may approve, who may propose, what is configured: rows and events together; a row alone counts nothing."""

import hashlib
import json
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from exchange_mcp.audit.verify import BrokenLogError, verify
from exchange_mcp.desk.journal import Journal
from exchange_mcp.desk.journal_errors import ConflictError, CorruptJournalError
from exchange_mcp.desk.mark import Mark
from exchange_mcp.desk.records import Signed
from exchange_mcp.desk.register import AcceptedConfiguration, Allowance, Approver, Client
from exchange_mcp.desk.register_story import check_register

from .memory_disk import MemoryDisk
from .on_disk import opened
from .proposals import proposal, taken
from .signing import ANNA, BEN, CLEO
from .virtual import HandClock, MemoryMark, SeededEntropy

CLAUDE = Client(name="claude", credential_sha256=hashlib.sha256(b"secret").hexdigest())
FIRST = AcceptedConfiguration(digest="a" * 64, text="[desk]\n")
PLACE = Allowance(client="claude", tool="place_order", is_allowed=True, declaration='{"name":"place_order"}')


def by_anna(nonce: str) -> Signed:
    return Signed(approver="anna", nonce=nonce, record="signed")


def enrolled(journal: Journal) -> Journal:
    journal.enrol_first(ANNA.approver, CLAUDE, FIRST)
    return journal


def kinds(journal: Journal) -> list[str]:
    return [event.kind for event in journal.events()]


def test_the_first_approver_client_and_configuration_need_no_signature_and_only_once(
    journal: Journal,
) -> None:
    assert not journal.was_enrolled()
    enrolled(journal)
    assert [approver.name for approver in journal.approvers()] == ["anna"]
    assert [client.name for client in journal.clients()] == ["claude"]
    accepted = journal.accepted_configuration()
    assert accepted is not None
    assert (accepted.digest, accepted.text) == (FIRST.digest, FIRST.text)
    with pytest.raises(ConflictError, match="needs a signature"):
        journal.enrol_first(BEN.approver)
    assert kinds(journal)[-3:] == ["approver_added", "client_added", "configuration_accepted"]


def test_after_every_approver_changed_nobody_enrols_unsigned_again(journal: Journal) -> None:
    enrolled(journal)
    journal.add_approver(BEN.approver, by_anna("1"))
    journal.remove_approver("anna", by_anna("2"))
    assert journal.was_enrolled()
    with pytest.raises(ConflictError, match="needs a signature"):
        journal.enrol_first(CLEO.approver)
    assert [approver.name for approver in journal.approvers()] == ["ben"]


def test_the_last_approver_is_not_removed(journal: Journal) -> None:
    enrolled(journal)
    with pytest.raises(ConflictError, match="the last approver"):
        journal.remove_approver("anna", by_anna("1"))
    assert [approver.name for approver in journal.approvers()] == ["anna"]


@pytest.mark.parametrize(
    ("another", "why"),
    [
        (replace(ANNA.approver, name="eve"), "enrolled already, as anna"),
        (replace(BEN.approver, name="anna"), "an approver anna already"),
        (replace(BEN.approver, public=""), "no public key"),
        (replace(BEN.approver, name="ben\nanna"), "a name has"),
    ],
)
def test_one_key_is_one_approver(journal: Journal, another: Approver, why: str) -> None:
    enrolled(journal)
    head = journal.head()
    with pytest.raises(ConflictError, match=why):
        journal.add_approver(another, by_anna("1"))
    assert journal.head() == head


def test_a_signature_changes_the_register_once(journal: Journal) -> None:
    enrolled(journal)
    journal.add_approver(BEN.approver, by_anna("1"))
    head = journal.head()
    for again in (
        lambda: journal.add_approver(CLEO.approver, by_anna("1")),
        lambda: journal.remove_approver("ben", by_anna("1")),
        lambda: journal.allow_tool(PLACE, by_anna("1")),
        lambda: journal.accept_configuration(FIRST, by_anna("1")),
    ):
        with pytest.raises(ConflictError, match="used before"):
            again()
    assert journal.head() == head


def test_a_client_is_known_by_its_credential_and_goes_with_what_it_was_allowed(journal: Journal) -> None:
    enrolled(journal)
    journal.allow_tool(PLACE, by_anna("1"))
    found = journal.client_of("secret")
    assert found is not None
    assert found.name == "claude"
    assert journal.client_of("secret ") is None
    assert journal.allowances("claude")["place_order"].is_allowed
    journal.allow_tool(replace(PLACE, is_allowed=False), by_anna("2"))
    assert not journal.allowances("claude")["place_order"].is_allowed
    journal.remove_client("claude", by_anna("3"))
    assert journal.client_of("secret") is None
    assert journal.allowances("claude") == {}
    with pytest.raises(ConflictError, match="no client claude"):
        journal.allow_tool(PLACE, by_anna("4"))


def test_a_passkeys_counter_only_goes_up(journal: Journal) -> None:
    enrolled(journal)
    journal.count_approver("anna", 4)
    with pytest.raises(ConflictError, match="backwards"):
        journal.count_approver("anna", 4)
    anna = journal.approver("anna")
    assert anna is not None
    assert anna.counter == 4


def test_what_the_proposer_wrote_is_kept_beside_the_intent_and_in_its_event(journal: Journal) -> None:
    intent = taken(journal, proposal(1, note="buy it \ud800 now"))
    assert journal.remark(intent.id) == "buy it \\ud800 now"
    assert json.loads(journal.events_of(intent.id)[0].text)["body"]["note"] == "buy it \\ud800 now"


# At opening.


def lived(folder: Path) -> Path:
    """A journal on a disk with a bit of everything, closed."""
    journal = enrolled(opened(folder))
    journal.add_approver(BEN.approver, by_anna("1"))
    journal.allow_tool(PLACE, by_anna("2"))
    journal.add_client(Client(name="other", credential_sha256="b" * 64), by_anna("3"))
    journal.allow_tool(replace(PLACE, client="other"), by_anna("4"))
    journal.remove_client("other", by_anna("5"))
    journal.accept_configuration(AcceptedConfiguration(digest="c" * 64, text="[desk]\n#2\n"), by_anna("6"))
    journal.count_approver("ben", 7)
    journal.close()
    return folder / "desk" / "journal.db"


def alter(path: Path, statement: str) -> None:
    with sqlite3.connect(path, isolation_level=None) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(statement)
    connection.close()


def test_a_register_that_was_left_alone_opens_again_and_verifies(tmp_path: Path) -> None:
    path = lived(tmp_path)
    assert verify(path).count > 8
    journal = opened(tmp_path)
    assert [(one.name, one.counter) for one in journal.approvers()] == [("anna", None), ("ben", 7)]
    journal.close()


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("INSERT INTO approver VALUES ('eve', 'ed25519', 'x', NULL, 1)", "approver eve"),
        ("UPDATE approver SET public = 'x' WHERE name = 'ben'", "approver ben"),
        ("UPDATE approver SET kind = 'scripted' WHERE name = 'ben'", "approver ben"),
        ("UPDATE approver SET counter = 1 WHERE name = 'ben'", "approver ben"),
        ("DELETE FROM approver WHERE name = 'anna'", "approver anna"),
        ("UPDATE client SET credential_sha256 = 'x'", "client claude"),
        ("INSERT INTO client VALUES ('eve', 'x', 1)", "client eve"),
        ("UPDATE allowance SET is_allowed = 0", "allowance claude place_order"),
        ("INSERT INTO allowance VALUES ('claude', 'cancel_order', 1, '{}', 1)", "claude cancel_order"),
        ("UPDATE allowance SET declaration = '{}'", "allowance claude place_order"),
        ("UPDATE configuration SET digest = 'x'", "configuration"),
        ("INSERT INTO configuration VALUES ('x', 'x', 1)", "configuration"),
        ("DELETE FROM configuration", "configuration"),
    ],
)
def test_a_row_that_no_event_made_is_corruption_for_the_desk_and_for_the_auditor(
    tmp_path: Path, statement: str, what: str
) -> None:
    path = lived(tmp_path)
    alter(path, statement)
    with pytest.raises(BrokenLogError, match=what):
        verify(path)
    with pytest.raises(CorruptJournalError, match=what):
        opened(tmp_path)


def forged(journal: Journal, kind: str, body: dict[str, object]) -> None:
    """An event that continues the chain as it must, written past the register's own functions."""
    with journal._entry() as entry:  # pyright: ignore[reportPrivateUsage] - as an intruder with the file would
        entry.append(kind, None, body)
        if kind == "approver_added":
            columns = {name: body[name] for name in ("name", "kind", "public")}
            entry.connection.exec_driver_sql(
                "INSERT INTO approver VALUES (?, ?, ?, NULL, ?)", (*columns.values(), entry.now_ms)
            )


@pytest.mark.parametrize(
    "signed",
    [None, {"approver": "anna", "nonce": "never", "record": "x"}],
    ids=["by nobody", "by a nonce that was not spent"],
)
def test_an_event_that_nobody_signed_makes_no_approver(
    disk: MemoryDisk, clock: HandClock, journal: Journal, signed: object
) -> None:
    enrolled(journal)
    journal.halt(None, by="anna", reason="a pause")
    eve = {"name": "eve", "kind": "ed25519", "public": CLEO.public, "signed": signed}
    forged(journal, "approver_added", eve)
    journal.abandon()
    with pytest.raises(CorruptJournalError, match="the register cannot be told from event"):
        disk.open(clock, SeededEntropy())


def test_an_old_event_and_its_row_changed_together_are_found_by_the_events_own_hash(journal: Journal) -> None:
    enrolled(journal)
    with journal._entry() as entry:  # pyright: ignore[reportPrivateUsage] - as an intruder with the file would
        for trigger in ("event_is_never_changed", "event_is_never_replaced"):
            entry.connection.exec_driver_sql(f"DROP TRIGGER {trigger}")
        for table, column in (("event", "text"), ("approver", "public")):
            entry.connection.exec_driver_sql(
                f"UPDATE {table} SET {column} = replace({column}, '{ANNA.public}', '{CLEO.public}')"  # noqa: S608 - a test's own words
            )
        with pytest.raises(CorruptJournalError, match="its hash is of another text"):
            check_register(entry.connection)


def test_a_second_approver_right_after_the_first_needs_a_signature_too(
    disk: MemoryDisk, clock: HandClock, journal: Journal
) -> None:
    journal.enrol_first(ANNA.approver)
    eve: dict[str, object] = {"name": "eve", "kind": "ed25519", "public": CLEO.public, "signed": None}
    forged(journal, "approver_added", eve)
    journal.abandon()
    with pytest.raises(CorruptJournalError, match="nobody signed it"):
        disk.open(clock, SeededEntropy())


# From the schema before.


def from_schema_1(clock: HandClock) -> tuple[MemoryDisk, Callable[[], Journal]]:
    source = sqlite3.connect(":memory:", isolation_level=None)
    source.executescript((Path(__file__).parent / "canned" / "schema_1.sql").read_text())
    (desk_id,) = source.execute("SELECT value FROM fact WHERE name = 'desk_id'").fetchone()
    seq, hash_ = source.execute("SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1").fetchone()
    disk = MemoryDisk(source.serialize())
    source.close()
    disk.marks[desk_id] = MemoryMark(Mark(desk_id, "here", seq, hash_))
    return disk, lambda: disk.open(clock, SeededEntropy())


def test_a_journal_of_schema_1_is_brought_here_with_an_event_and_keeps_what_it_held(clock: HandClock) -> None:
    _, open_ = from_schema_1(clock)
    journal = open_()
    journal.recover()
    events = journal.events()
    assert '"from":1,"to":2' in next(event.text for event in events if event.kind == "migrated")
    assert [str(intent.state) for intent in journal.recent()] == ["proposed", "placed"]
    assert journal.remark("i1") is None
    assert not journal.was_enrolled()
    enrolled(journal)
    journal.abandon()
    again = open_()
    assert [approver.name for approver in again.approvers()] == ["anna"]
    assert sum(event.kind == "migrated" for event in again.events()) == 1
