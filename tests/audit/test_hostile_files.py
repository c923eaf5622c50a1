"""A file that an auditor was handed by somebody who wants them to see, or wait for, something else."""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from desk.on_disk import opened
from desk.proposals import proposal, settled
from exchange_mcp.audit import verify as module
from exchange_mcp.audit.verify import BrokenLogError, UnreadableLogError, mark_of, verify
from exchange_mcp.desk import chain
from exchange_mcp.desk.journal import Note
from exchange_mcp.model.outcomes import Outcome

VERIFIER: Final = Path(module.__file__)
PATIENCE_S: Final = 20


def ran(*arguments: Path | str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-I", "-S", str(VERIFIER), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )


def told(path: Path, *bodies: tuple[str, Any]) -> Path:
    """An exported log that holds together, with events of these kinds and bodies."""
    prev, lines = chain.GENESIS_PREV, list[str]()
    for seq, (kind, body) in enumerate(bodies, start=1):
        text = chain.event_text(seq, 1, kind, None, body)
        prev = chain.event_hash(text, prev)
        lines.append(chain.exported(text, prev))
    path.write_text("".join(f"{line}\n" for line in [*lines, chain.export_end(len(lines), prev)]))
    return path


def test_a_pipe_is_refused_at_once_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "log")
    for arguments in (
        (tmp_path / "log",),
        (told(tmp_path / "x", ("genesis", {})), "--mark", tmp_path / "log"),
    ):
        answer = ran(*arguments)
        assert answer.returncode == 2
        assert "not a regular file" in answer.stderr


def test_a_line_or_a_cell_without_end_is_not_read_into_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LONGEST", 20_000)
    whole = told(tmp_path / "whole", ("genesis", {}))
    (tmp_path / "log").write_bytes(whole.read_bytes().splitlines(keepends=True)[0] + b'"' + b"x" * 200_000)
    with pytest.raises(BrokenLogError, match="longer than any entry"):
        verify(tmp_path / "log")
    journal = opened(tmp_path)
    seq = journal.record(Note.VENUE, {"text": "x" * 30_000}).seq
    journal.close()
    with pytest.raises(BrokenLogError, match="too big") as caught:
        verify(tmp_path / "desk" / "journal.db")
    assert caught.value.seq == seq


def test_a_view_that_computes_for_ever_is_no_journal(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with sqlite3.connect(path) as connection:
        for name in ("fact", "intent", "nonce", "halt"):
            connection.execute(f"CREATE TABLE {name} (name TEXT, value TEXT)")
        connection.execute(
            "CREATE VIEW event AS WITH RECURSIVE n(seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM n)"
            " SELECT seq, 1 AS at_ms, '' AS kind, '' AS intent, '' AS text, '' AS prev, '' AS hash FROM n"
        )
    connection.close()
    answer = ran(path)
    assert (answer.returncode, "not a journal" in answer.stderr) == (2, True)


@pytest.mark.parametrize("where", ["desk_id", "seq"])
def test_what_a_file_says_cannot_move_the_cursor_or_add_a_line(tmp_path: Path, where: str) -> None:
    evil = "a\x1b[2J\x9b\nhead 9:00\u202e"
    path = told(tmp_path / "log", ("genesis", {"desk_id": evil}))
    if where == "seq":
        lines = path.read_text().splitlines(keepends=True)
        value = json.loads(lines[0])
        value["event"]["seq"] = evil
        path.write_text(
            "".join([json.dumps(value, sort_keys=True, separators=(",", ":")) + "\n", *lines[1:]])
        )
    answer = ran(path)
    assert answer.returncode == (0 if where == "desk_id" else 1)
    for letter in ("\x1b", "\x9b", "\nhead 9", "\u202e"):
        assert letter not in answer.stdout + answer.stderr


def lived(folder: Path) -> Path:
    journal = opened(folder)
    settled(journal, proposal(1), Outcome.UNKNOWN)
    journal.close()
    return folder / "desk" / "journal.db"


def written_anew(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change events, and compute the whole chain again, as somebody with the file can."""
    with sqlite3.connect(path, isolation_level=None) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        prev = chain.GENESIS_PREV
        for seq, text in connection.execute("SELECT seq, text FROM event ORDER BY seq").fetchall():
            value = json.loads(text)
            change(value)
            if value["kind"] in {"checkpoint", "closed"}:
                value["body"]["head"] = prev
            again = json.dumps(value, sort_keys=True, separators=(",", ":"))
            hash_ = chain.event_hash(again, prev)
            connection.execute(
                "UPDATE event SET text = ?, prev = ?, hash = ?, kind = ? WHERE seq = ?",
                (again, prev, hash_, value["kind"], seq),
            )
            prev = hash_
    connection.close()


def _lacks(kind: str, name: str) -> Callable[[dict[str, Any]], None]:
    def change(value: dict[str, Any]) -> None:
        if value["kind"] == kind:
            del value["body"][name]

    return change


def _is(kind: str, name: str, odd: object) -> Callable[[dict[str, Any]], None]:
    def change(value: dict[str, Any]) -> None:
        if value["kind"] == kind:
            value["body"][name] = odd

    return change


def _becomes(kind: str, other: str) -> Callable[[dict[str, Any]], None]:
    def change(value: dict[str, Any]) -> None:
        if value["kind"] == kind:
            value["kind"] = other

    return change


@pytest.mark.parametrize(
    "change",
    [
        _lacks("proposed", "plan_digest"),
        _lacks("proposed", "plan"),
        _is("proposed", "plan", []),
        _is("proposed", "plan", {"write": 1, "market": 2}),
        _lacks("claimed", "nonce"),
        _lacks("claimed", "reserved"),
        _is("claimed", "nonce", ["x"]),
        _lacks("granted", "nonce"),
        _is("granted", "nonce", {}),
        _becomes("permitted", "halted"),
        _becomes("permitted", "resumed"),
        _becomes("granted", "claimed"),
        _becomes("proposed", "claimed"),
        _is("claimed", "to", {"x": []}),
    ],
)
def test_a_whole_chain_of_odd_events_is_broken_and_ends_in_no_traceback(
    tmp_path: Path, change: Callable[[dict[str, Any]], None]
) -> None:
    path = lived(tmp_path)
    written_anew(path, change)
    with pytest.raises(BrokenLogError):
        verify(path)


def test_a_chain_that_was_written_anew_as_it_was_holds_together(tmp_path: Path) -> None:
    path = lived(tmp_path)
    written_anew(path, lambda _: None)
    assert verify(path).count > 5


def test_a_journal_in_use_is_read_whole_through_a_link_too(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    journal.record(Note.VENUE, {"what": "only in the side file yet"})
    (tmp_path / "links").mkdir()
    link = tmp_path / "links" / "journal.db"
    link.symlink_to(tmp_path / "desk" / "journal.db")
    assert verify(link).head == journal.head().hash
    journal.close()


def test_a_path_that_is_no_text_is_read_like_any_other(tmp_path: Path) -> None:
    path = lived(tmp_path)
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/j\xff?#%.db"))
    path.rename(odd)
    assert verify(odd).count > 5
    with pytest.raises(UnreadableLogError):
        verify(Path("a\x00b"))


@pytest.mark.parametrize(
    "text", [b"[]", b"1", b"{}", b'{"turn":"1","seq":1,"hash":""}', b'{"turn":1,"seq":1}', b"[" * 400]
)
def test_a_mark_of_an_odd_form_is_none(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "mark").write_bytes(b"%08x %s" % (module.zlib.crc32(text), text))
    assert mark_of(tmp_path / "mark") is None
