"""exchange-mcp audit, as an operator runs it."""

import sqlite3
from pathlib import Path

import pytest

from desk.on_disk import opened
from desk.proposals import proposal, taken

from .launching import ran

Environment = dict[str, str]


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    made = opened(tmp_path)
    taken(made, proposal(1))
    made.close()
    return tmp_path / "desk" / "journal.db"


def test_a_journal_is_exported_and_both_verify(journal: Path, tmp_path: Path, environ: Environment) -> None:
    exported = ran("audit", "export", str(journal), environ=environ)
    assert (exported.returncode, exported.stderr) == (0, "")
    log = tmp_path / "log.jsonl"
    log.write_text(exported.stdout)
    by_log = ran("audit", "verify", str(log), environ=environ)
    by_journal = ran("audit", "verify", str(journal), environ=environ)
    assert (by_log.returncode, by_log.stderr) == (0, "")
    assert by_log.stdout == by_journal.stdout
    assert "holds together: 4 events, 1 checkpoint, the last at event 4" in by_log.stdout


def test_the_first_bad_number_is_named_and_the_code_is_1(journal: Path, environ: Environment) -> None:
    with sqlite3.connect(journal) as connection:
        connection.execute("DROP TRIGGER event_is_never_changed")
        connection.execute("UPDATE event SET text = replace(text, 'claude', 'claud3') WHERE seq = 3")
    connection.close()
    done = ran("audit", "verify", str(journal), environ=environ)
    assert (done.returncode, done.stdout) == (1, "")
    assert "broken at event 3: its hash is not of its text" in done.stderr


def test_this_machines_own_mark_is_asked_about_a_journal(
    journal: Path, tmp_path: Path, environ: Environment
) -> None:
    (mark,) = (tmp_path / "state" / "desk" / "marks").iterdir()
    kept = Path(environ["HOME"]) / ".local" / "state" / "exchange-mcp" / "desk" / "marks" / mark.name
    kept.parent.mkdir(parents=True)
    later = opened(tmp_path)
    taken(later, proposal(2, client="other", plan=proposal(2).plan, distinct_from="i1"))
    kept.write_bytes(mark.read_bytes())
    later.abandon()
    with sqlite3.connect(journal) as connection:
        for kind in ("changed", "deleted"):
            connection.execute(f"DROP TRIGGER event_is_never_{kind}")
        connection.execute("DROP TRIGGER intent_is_never_deleted")
        connection.execute("DELETE FROM intent WHERE id = 'i2'")
        connection.execute("DELETE FROM event WHERE seq = (SELECT max(seq) FROM event)")
    connection.close()
    done = ran("audit", "verify", str(journal), environ=environ)
    assert done.returncode == 1
    assert "the log ends before it, and the mark" in done.stderr


def test_a_noted_head_is_asked_for(journal: Path, environ: Environment) -> None:
    done = ran("audit", "verify", str(journal), "--expect", f"4:{'0' * 64}", environ=environ)
    assert done.returncode == 1
    assert "broken at event 4: the head that was expected has another hash" in done.stderr
    done = ran("audit", "verify", str(journal), "--expect", "four", environ=environ)
    assert done.returncode == 2
    assert "NUMBER:HASH" in done.stderr


@pytest.mark.parametrize("command", ["verify", "export"])
def test_what_cannot_be_read_ends_without_a_traceback(
    command: str, tmp_path: Path, environ: Environment
) -> None:
    done = ran("audit", command, str(tmp_path / "none.db"), environ=environ)
    assert done.returncode == {"verify": 2, "export": 1}[command]
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1
