"""The verifier finds whatever was done to a log, and names the first number that is wrong."""

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from desk.on_disk import opened
from desk.proposals import MAIN, approved, buy, plan, proposal, settled, signed
from exchange_mcp.audit import verify as module
from exchange_mcp.audit.verify import BrokenLogError, Expected, UnreadableLogError, main, mark_of, verify
from exchange_mcp.desk import chain
from exchange_mcp.desk.intents import State
from exchange_mcp.desk.journal import Journal
from exchange_mcp.model.outcomes import Outcome

VERIFIER: Final = Path(module.__file__)


def lived(folder: Path) -> Journal:
    """A journal with a bit of everything in it."""
    journal = opened(folder)
    settled(journal, proposal(1), Outcome.ACCEPTED)
    journal.read_back("i1", State.PLACED, proof={"seen": "client_id"}, reason="found")
    journal.checkpoint()
    settled(journal, proposal(2, plan=plan(buy(2), base="ETH")), Outcome.UNKNOWN)
    journal.halt(MAIN, by="ada", reason="drill")
    journal.halt(None, by="ada", reason="drill")
    journal.resume(None, signed(), reason="drill")
    approved(journal, proposal(3, plan=plan(buy(3), base="SOL"), note="as you asked"))
    return journal


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("desk")
    journal = lived(place)
    (place / "log.jsonl").write_text("".join(f"{line}\n" for line in journal.export()))
    journal.close()
    return place


@pytest.fixture(scope="module")
def log(folder: Path) -> bytes:
    return (folder / "log.jsonl").read_bytes()


@pytest.fixture
def journal_copy(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(folder / "desk" / "journal.db", tmp_path / "journal.db"))


def found(content: bytes, path: Path) -> int:
    """The first bad number that the verifier names; 0 where it sees no log at all."""
    path.write_bytes(content)
    try:
        verify(path)
    except BrokenLogError as error:
        return error.seq
    except UnreadableLogError:
        return 0
    pytest.fail(f"what was done to {path} was not found")


def test_a_whole_log_is_told_with_its_head_and_checkpoints(folder: Path, log: bytes) -> None:
    lines = log.splitlines()
    report = verify(folder / "log.jsonl")
    assert (report.count, report.head) == (len(lines) - 1, json.loads(lines[-2])["hash"])
    journal = verify(folder / "desk" / "journal.db")
    assert (journal.count, journal.desk_id) == (report.count + 1, report.desk_id)
    assert len(journal.checkpoints) == len(report.checkpoints) + 1 == 2


def test_the_hash_is_sha256_over_a_zero_byte_the_text_and_the_hash_before() -> None:
    text = chain.event_text(1, 5, "genesis", None, {})
    assert text == '{"at_ms":5,"body":{},"intent":null,"kind":"genesis","seq":1}'
    # (printf '\\0%s' "$text"; head -c 32 /dev/zero) | sha256sum
    assert (
        chain.event_hash(text, chain.GENESIS_PREV)
        == "8f3c98e3829ec1e49997b73bd77214b3fa99a846132d108bb3fb464c4a176662"
    )


def test_every_flipped_bit_of_a_log_is_found_where_it_is(log: bytes, tmp_path: Path) -> None:
    starts = [0, *(number + 1 for number, byte in enumerate(log) if byte == 0x0A)]
    flips = 0
    for offset in range(0, len(log), 7):
        bit = 1 << (offset // 7 % 8)
        changed = log[:offset] + bytes([log[offset] ^ bit]) + log[offset + 1 :]
        line = sum(start <= offset for start in starts)
        # The line end itself belongs to its line, and the first line decides whether it is a log at all.
        assert found(changed, tmp_path / "log") in {line, line + 1, 0 if line == 1 else line}
        flips += 1
    print(f"\nbit flips found: {flips}/{flips}")  # noqa: T201 - the figure, for whoever asks with -s
    assert flips > 1000


def test_every_truncation_of_a_log_is_found(log: bytes, tmp_path: Path) -> None:
    cuts = sorted(
        {*range(0, len(log), 31), *(n + 1 for n, byte in enumerate(log) if byte == 0x0A)} - {len(log)}
    )
    for length in cuts:
        lines = log[:length].count(b"\n")
        assert found(log[:length], tmp_path / "log") in {0, lines + 1}
    print(f"\ntruncations found: {len(cuts)}/{len(cuts)}")  # noqa: T201 - the figure, for whoever asks with -s
    assert len(cuts) > 300


def test_every_swap_removal_and_repetition_of_a_line_is_found(log: bytes, tmp_path: Path) -> None:
    lines = log.splitlines(keepends=True)
    done = 0
    for first in range(len(lines)):
        for second in range(first + 1, len(lines)):
            swapped = list(lines)
            swapped[first], swapped[second] = swapped[second], swapped[first]
            assert found(b"".join(swapped), tmp_path / "log") in {0, first + 1}
            done += 1
        without = lines[:first] + lines[first + 1 :]
        assert found(b"".join(without), tmp_path / "log") in {0, first + 1}
        twice = [*lines[: first + 1], *lines[first:]]
        assert found(b"".join(twice), tmp_path / "log") in {first + 1, first + 2, len(lines)}
        done += 2
    print(f"\nreorderings found: {done}/{done}")  # noqa: T201 - the figure, for whoever asks with -s


def _first_line(log: bytes) -> bytes:
    return log.splitlines(keepends=True)[0]


OTHERWISE: Final[dict[str, Callable[[bytes], bytes]]] = {
    "a space": lambda log: log.replace(b'"by":"ada"', b'"by": "ada"'),
    "a key twice": lambda log: log.replace(b'"by":"ada"', b'"by":"ada","by":"ada"'),
    "a float": lambda log: log.replace(b'"amount":"0.5"', b'"amount":0.5'),
    "other line ends": lambda log: log.replace(b"\n", b"\r\n"),
    "an empty line": lambda log: log + b"\n",
    "its end twice": lambda log: log + log.splitlines(keepends=True)[-1],
    "a byte order mark": lambda log: b"\xef\xbb\xbf" + log,
    "deep nesting": lambda log: _first_line(log) + b"[" * 100_000 + b"\n",
    "a huge number": lambda log: _first_line(log) + b'{"event":' + b"9" * 5000 + b',"hash":"x"}\n',
    "an umlaut": lambda log: log.replace(b'"kind":"halted"', b'"kind":"h\xc3\xa4lted"'),
}


@pytest.mark.parametrize("change", OTHERWISE.values(), ids=OTHERWISE)
def test_another_way_of_writing_the_same_is_another_log(
    log: bytes, tmp_path: Path, change: Callable[[bytes], bytes]
) -> None:
    changed = change(log)
    assert changed != log
    found(changed, tmp_path / "log")


def forged(log: bytes, drop: int) -> bytes:
    """The whole chain written anew without one event, as somebody with the file and this code could."""
    events = [json.loads(line)["event"] for line in log.splitlines()[:-1]]
    del events[drop:]
    lines, prev = list[str](), chain.GENESIS_PREV
    for event in events:
        text = chain.event_text(event["seq"], event["at_ms"], event["kind"], event["intent"], event["body"])
        prev = chain.event_hash(text, prev)
        lines.append(chain.exported(text, prev))
    return "".join(f"{line}\n" for line in [*lines, chain.export_end(len(events), prev)]).encode()


def test_a_chain_that_was_written_anew_is_found_only_by_what_was_kept_elsewhere(
    folder: Path, log: bytes, tmp_path: Path
) -> None:
    report = verify(folder / "log.jsonl")
    kept = Expected(report.count, report.head, "the note")
    path = tmp_path / "log"
    path.write_bytes(forged(log, -1))
    assert verify(path).count == report.count - 1
    with pytest.raises(BrokenLogError, match="the note says event"):
        verify(path, lambda _: [kept])
    path.write_bytes(log.replace(b"drill", b"trill"))
    path.write_bytes(forged(path.read_bytes(), 1000))
    assert verify(path).count == report.count
    with pytest.raises(BrokenLogError, match="the note has another hash") as caught:
        verify(path, lambda _: [kept])
    assert caught.value.seq == report.count


# The journal itself.


def altered(path: Path, statement: str) -> None:
    with sqlite3.connect(path, isolation_level=None) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(statement)
    connection.close()


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("UPDATE event SET text = replace(text, 'ada', 'eve') WHERE kind = 'granted'", "its hash"),
        ("UPDATE event SET kind = 'declined' WHERE kind = 'granted'", "columns"),
        ("UPDATE event SET at_ms = at_ms + 1 WHERE seq = 4", "columns"),
        ("UPDATE event SET prev = hash WHERE seq = 4", "columns"),
        ("DELETE FROM event WHERE seq = 5", "columns"),
        ("DELETE FROM event WHERE seq = 1", "columns"),
        ("UPDATE event SET text = CAST(text AS BLOB) WHERE seq = 3", "one way"),
        ("UPDATE event SET text = CAST(x'ff' AS TEXT) WHERE seq = 3", "decode"),
        ("UPDATE intent SET state = 'absent' WHERE id = 'i2'", "i2 stands as absent, and its log as unknown"),
        ("UPDATE intent SET worst_notional = '1' WHERE id = 'i2'", "another worst_notional"),
        ("UPDATE intent SET client = 'other' WHERE id = 'i1'", "another client"),
        (
            "UPDATE intent SET plan_text = replace(plan_text, '0.5', '5.0') WHERE id = 'i3'",
            "another plan_text",
        ),
        ("DELETE FROM intent WHERE id = 'i2'", "i2 is in the log and nowhere else"),
        ("UPDATE intent SET account = 'spare' WHERE id = 'i2'", "another account"),
        ("UPDATE intent SET underlying = 'XBT' WHERE id = 'i2'", "another underlying"),
        ("UPDATE intent SET side = 'sell' WHERE id = 'i1'", "another side"),
        ("UPDATE intent SET is_reduce_only = 1 WHERE id = 'i1'", "another is_reduce_only"),
        ("UPDATE intent SET client_order_id = 'xtag0009' WHERE id = 'i2'", "another client_order_id"),
        ("UPDATE intent SET changed_ms = changed_ms - 86400000 WHERE id = 'i1'", "another changed_ms"),
        ("UPDATE intent SET claimed_ms = 1 WHERE id = 'i2'", "another claimed_ms"),
        ("UPDATE intent SET latest_ms = latest_ms - 60000 WHERE id = 'i2'", "another latest_ms"),
        ("UPDATE nonce SET spent_ms = NULL WHERE nonce = 'n-i1'", "n-i1 is held as another"),
        ("UPDATE nonce SET plan_digest = 'x' WHERE nonce = 'n-i3'", "n-i3 is held as another"),
        ("UPDATE nonce SET intent = 'i1' WHERE nonce = 'n-i3'", "n-i3 is held as another"),
        ("DELETE FROM nonce WHERE nonce = 's1'", "s1 was used, and is not held"),
        ("INSERT INTO nonce (nonce, purpose) VALUES ('eve', 'grant')", "eve is held as another"),
        ("DELETE FROM halt", "account main is not halted"),
        ("INSERT INTO halt VALUES ('', 1, 'eve', 'x')", "the desk is halted"),
        ("UPDATE remark SET text = 'ada said yes'", "remark i3 stands otherwise"),
        ("UPDATE remark SET intent = 'i1'", "remark i1 stands otherwise"),
        ("INSERT INTO remark VALUES ('i2', 'ada said yes')", "remark i2 stands otherwise"),
        ("DELETE FROM remark", "remark i3 is in the log and nowhere else"),
    ],
)
def test_what_was_changed_inside_a_journal_is_found(journal_copy: Path, statement: str, reason: str) -> None:
    altered(journal_copy, statement)
    with pytest.raises(BrokenLogError, match=reason):
        verify(journal_copy)


def test_every_flipped_bit_inside_the_events_of_a_journals_file_is_found(journal_copy: Path) -> None:
    content = journal_copy.read_bytes()
    offsets = list[int]()
    with sqlite3.connect(journal_copy) as connection:
        texts = [text.encode() for (text,) in connection.execute("SELECT text FROM event")]
    connection.close()
    for text in texts:
        # A long text may lie on several pages; its beginning lies on one.
        start = content.find(text[:60])
        assert start >= 0
        offsets += range(start, start + 60, 7)
    for offset in offsets:
        journal_copy.write_bytes(content[:offset] + bytes([content[offset] ^ 4]) + content[offset + 1 :])
        with pytest.raises((BrokenLogError, UnreadableLogError)):
            verify(journal_copy)
    print(f"\nbit flips found in the file: {len(offsets)}/{len(offsets)}")  # noqa: T201 - the figure, for whoever asks with -s
    assert len(offsets) > 150


def test_a_journal_that_is_in_use_is_verified_with_what_lies_in_its_side_file(tmp_path: Path) -> None:
    journal = lived(tmp_path)
    path = tmp_path / "desk" / "journal.db"
    assert path.with_name("journal.db-wal").stat().st_size > 0
    assert verify(path).count == journal.head().seq
    journal.close()


def test_a_restored_journal_is_found_by_the_mark(folder: Path, tmp_path: Path) -> None:
    (mark,) = (folder / "state" / "desk" / "marks").iterdir()
    kept = mark_of(mark)
    assert kept is not None
    assert kept.seq == verify(folder / "desk" / "journal.db", lambda _: [kept]).count
    older = opened(tmp_path)
    older.close()
    with pytest.raises(BrokenLogError, match=r"the mark .* has another hash|the mark .* says event"):
        verify(tmp_path / "desk" / "journal.db", lambda _: [kept])


@pytest.mark.parametrize(
    "content", [b"", b"no log\n", b"\x00" * 100, b"SQLite format 3\x00" + b"x" * 4096, b"{}\n"]
)
def test_what_is_no_log_is_unreadable_and_not_broken(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "log").write_bytes(content)
    with pytest.raises(UnreadableLogError):
        verify(tmp_path / "log")


# As a program.


def ran(*arguments: Path | str) -> "subprocess.CompletedProcess[str]":
    """The one file, in a Python that has nothing else: no site packages, no path of ours."""
    return subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-I", "-S", str(VERIFIER), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_verifier_is_one_file_that_needs_only_python(folder: Path, log: bytes, tmp_path: Path) -> None:
    done = ran(folder / "log.jsonl")
    assert (done.returncode, done.stderr) == (0, "")
    report = verify(folder / "log.jsonl")
    assert done.stdout == f"{report}\n"
    head = done.stdout.split()[-1]
    assert head == f"{report.count}:{report.head}"
    assert ran(folder / "log.jsonl", "--expect", head).returncode == 0

    lines = log.splitlines(keepends=True)
    (tmp_path / "cut").write_bytes(b"".join(lines[:4] + lines[5:]))
    done = ran(tmp_path / "cut")
    assert (done.returncode, done.stdout) == (1, "")
    assert "broken at event 5: an entry numbered 6 stands in its place" in done.stderr
    assert ran(tmp_path / "none").returncode == 2


@pytest.mark.parametrize("text", ["", "1", "1:", "x:" + "0" * 64, "0:" + "0" * 64, "1:" + "0" * 62])
def test_a_head_of_another_form_is_refused(
    folder: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main([str(folder / "log.jsonl"), "--expect", text])
    assert caught.value.code == 2
    assert "NUMBER:HASH" in capsys.readouterr().err
