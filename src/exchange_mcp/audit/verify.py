"""Does an event log hold together? One file that needs nothing but Python 3.11: read it, then run it.

    python verify.py FILE [--mark FILE] [--expect NUMBER:HASH]

FILE is a desk's journal (SQLite) or an exported log (a JSON object a line). Every entry's hash is SHA-256 over a
zero byte, the entry's text, and the 32 bytes of the hash before it (32 zero bytes before the first). An entry's text
is its JSON with sorted keys, no spaces, ASCII, whole numbers only. An exported log ends with a line that gives
its count and head.

Ends with 0 if the log holds together, with 1 and the first bad number if not, with 2 if it cannot be read.

What a chain alone cannot show: that nobody wrote all of it anew, or left off the newest entries and a new end with
them. For that, compare with a head that was kept elsewhere: `--mark` takes the desk's own mark, which lies outside
the journal, `--expect` a number and hash that you noted down.
"""

import argparse
import hashlib
import json
import os
import sqlite3
import stat
import sys
import zlib
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import quote

_START = "0" * 64
_SLOT = 512
_SQLITE = b"SQLite format 3\x00"
# Far above any entry; a file without a line end, or a cell without an end, is not read into memory for it.
_LONGEST = 32 * 1024 * 1024
_ROWS = "SELECT seq, at_ms, kind, intent, text, prev, hash FROM event"
_TABLES = ("fact", "event", "intent", "nonce", "halt")

# Columns of a journal's intent that its first event told, and that nothing changes afterwards.
_TOLD = (
    "proposal_id",
    "client",
    "origin",
    "request_digest",
    "plan_digest",
    "effect",
    "worst_notional",
    "currency",
    "expires_ms",
    "distinct_from",
    "fingerprint",
)
# Those that its plan, or the events after it, say.
_FOLLOWS = (
    "account",
    "venue",
    "key_id",
    "action",
    "underlying",
    "market_id",
    "side",
    "is_reduce_only",
    "client_order_id",
    "created_ms",
    "changed_ms",
    "claimed_ms",
    "latest_ms",
)
# What a signature for one write is bound to; and the other events that use one up, by what it was for.
_BOUND = ("plan_digest", "preview_digest", "policy_digest", "expires_ms")
_SIGNED = {"resolved": "resolve", "resumed": "resume", "adopted": "adopt", "tool_allowed": "allow_tool"}
_SIGNED.update(approver_added="add_approver", approver_removed="remove_approver")
_SIGNED.update(client_added="add_client", client_removed="remove_client")
_SIGNED["configuration_accepted"] = "accept_configuration"
# The register's tables, and the remarks: a row's columns, and how many tell rows apart. A time of making is the last.
_REGISTER = {
    "approver": (("name", "kind", "public", "counter", "added_ms"), 1),
    "client": (("name", "credential_sha256", "added_ms"), 1),
    "allowance": (("client", "tool", "is_allowed", "declaration", "changed_ms"), 2),
    "configuration": (("digest", "text", "accepted_ms"), 0),
    "remark": (("intent", "text"), 1),
}
_MADE_BY = {"approver_added": "approver", "client_added": "client", "tool_allowed": "allowance"}
_MADE_BY["configuration_accepted"] = "configuration"


class BrokenLogError(Exception):
    """The log does not hold together; `seq` is the first bad number."""

    def __init__(self, seq: int, reason: str) -> None:
        super().__init__(f"broken at event {seq}: {_shown(reason)}")
        self.seq = seq


class UnreadableLogError(Exception):
    """There is nothing here that could be verified."""


@dataclass(frozen=True)
class Entry:
    """One entry as it stands: its text as it was hashed, its JSON, and the hash that is claimed."""

    text: str
    value: Mapping[str, Any]
    hash: str


@dataclass(frozen=True)
class Expected:
    """A number and hash that were kept elsewhere, and where."""

    seq: int
    hash: str
    source: str


@dataclass(frozen=True)
class Report:
    """What a log that holds together is: its desk, length, head, and the numbers of its checkpoints."""

    desk_id: str
    count: int
    head: str
    checkpoints: tuple[int, ...]

    def __str__(self) -> str:
        last = f", the last at event {self.checkpoints[-1]}" if self.checkpoints else ""
        plural = "" if len(self.checkpoints) == 1 else "s"
        return (
            f"the log of desk {_shown(self.desk_id)} holds together: {self.count} events,"
            f" {len(self.checkpoints)} checkpoint{plural}{last}\nhead {self.count}:{self.head}"
        )


Outside = Callable[[str], list[Expected]]
"""By desk id, what was kept elsewhere."""


def verify(path: Path, outside: Outside | None = None) -> Report:
    """What the log in this file is, if it holds together and has what was kept outside it.

    Raises:
        BrokenLogError: it does not. UnreadableLogError: it cannot be read, or is no log.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise UnreadableLogError(f"{path} is not a regular file; save the log to one first")
        with path.open("rb") as file:
            beginning = file.read(len(_SQLITE))
    except (OSError, ValueError) as error:
        raise UnreadableLogError(f"{path} cannot be read: {_why(error)}") from None
    if not beginning:
        raise UnreadableLogError(f"{path} is empty")
    return (_verify_journal if beginning == _SQLITE else _verify_export)(path, outside or (lambda _: []))


def canonical(value: object) -> str:
    """The one JSON text of a value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def parsed(text: str) -> Any:  # noqa: ANN401 - JSON holds anything
    """What a canonical JSON text says.

    Raises:
        ValueError: it is not JSON, or not written in the one way.
    """
    try:
        value = json.loads(text, parse_float=_no_float, parse_constant=_no_float)
        is_canonical = canonical(value) == text
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not is_canonical:
        raise ValueError("not written in the one way that its hash is of")
    return value


def _shown(text: object) -> str:
    """The text as a terminal may have it: what the file says there could move the cursor, or add lines."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in str(text))


def _why(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _no_float(text: str) -> NoReturn:
    raise ValueError(f"{text[:20]} is not a whole number")


class _Chain:
    """The chain as far as it was followed."""

    def __init__(self, outside: Outside) -> None:
        self._outside = outside
        self._kept: list[Expected] = []
        self._checkpoints: list[int] = []
        self._desk_id = ""
        self.seq = 0
        self.head = _START

    def follow(self, entry: Entry) -> None:
        """Take the next entry.

        Raises:
            BrokenLogError: it does not follow from the one before.
        """
        seq = self.seq + 1
        if entry.value.get("seq") != seq:
            raise BrokenLogError(seq, f"an entry numbered {entry.value.get('seq')} stands in its place")
        computed = hashlib.sha256(b"\x00" + entry.text.encode() + bytes.fromhex(self.head)).hexdigest()
        if computed != entry.hash:
            raise BrokenLogError(seq, "its hash is not of its text and the hash before it")
        self._look_into(seq, entry)
        for kept in self._kept:
            if kept.seq == seq and kept.hash != entry.hash:
                raise BrokenLogError(seq, f"{kept.source} has another hash for it")
        self.seq, self.head = seq, entry.hash

    def _look_into(self, seq: int, entry: Entry) -> None:
        kind = entry.value.get("kind")
        body: Mapping[str, Any] | None = entry.value.get("body")
        if not isinstance(body, dict) or (kind == "genesis") is not (seq == 1):
            raise BrokenLogError(seq, "it is not what stands there in a log")
        if seq == 1:
            self._desk_id = str(body.get("desk_id"))
            self._kept = self._outside(self._desk_id)
        if kind in {"checkpoint", "closed"}:
            self._checkpoints.append(seq)
            if (body.get("count"), body.get("head")) != (self.seq, self.head):
                raise BrokenLogError(seq, "the checkpoint is of another log")

    def ended(self) -> Report:
        """What the log is.

        Raises:
            BrokenLogError: it ends before what was kept elsewhere. UnreadableLogError: nothing was in it.
        """
        if self.seq == 0:
            raise UnreadableLogError("there is no event in it")
        for kept in self._kept:
            if kept.seq > self.seq:
                raise BrokenLogError(
                    self.seq + 1, f"the log ends before it, and {kept.source} says event {kept.seq}"
                )
        return Report(self._desk_id, self.seq, self.head, tuple(self._checkpoints))


# An exported log.


def _verify_export(path: Path, outside: Outside) -> Report:
    chain = _Chain(outside)
    end: Mapping[str, Any] | None = None
    with path.open("rb") as file:
        for number, line in enumerate(iter(lambda: file.readline(_LONGEST), b""), start=1):
            if end is not None:
                raise BrokenLogError(chain.seq + 1, "something follows the line that ends the log")
            try:
                read = _line(line)
            except (ValueError, TypeError) as error:
                if number == 1:
                    raise UnreadableLogError(f"{path} is not an event log: {error}") from None
                raise BrokenLogError(number, str(error)) from None
            if isinstance(read, Entry):
                chain.follow(read)
            else:
                end = read
    report = chain.ended()
    if end is None:
        raise BrokenLogError(report.count + 1, "the log was cut: the line that ends it is missing")
    if end != {"count": report.count, "head": report.head}:
        raise BrokenLogError(report.count + 1, "the line that ends the log is of another one")
    return report


def _line(line: bytes) -> Entry | Mapping[str, Any]:
    """An entry, or what the line that ends a log says.

    Raises:
        ValueError, TypeError: it is neither.
    """
    if len(line) >= _LONGEST:
        raise ValueError("the line is longer than any entry")
    text = line.decode("ascii")
    if not text.endswith("\n"):
        raise ValueError("the line was cut")
    value = parsed(text[:-1])
    if set(value) == {"end"}:
        return value["end"]
    if set(value) != {"event", "hash"} or not isinstance(value["event"], dict):
        raise ValueError("it is not an entry")
    return Entry(canonical(value["event"]), value["event"], str(value["hash"]))


# A journal.


def _verify_journal(path: Path, outside: Outside) -> Report:
    # A journal that was closed has no side file and is not touched; one in use is read through it.
    # SQLite follows a link to the journal itself, and its side file lies there.
    path = path.resolve()
    side = path.with_name(path.name + "-wal")
    is_closed = not side.exists() or side.stat().st_size == 0
    mode = "immutable=1" if is_closed else "mode=ro"
    try:
        connection = sqlite3.connect(
            f"file:{quote(os.fsencode(path))}?{mode}", uri=True, isolation_level=None
        )
        with closing(connection):
            connection.row_factory = sqlite3.Row
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
            _check_tables(connection)
            kept = _kept_outside(connection, outside)
            connection.execute("BEGIN")
            chain = _Chain(lambda _: kept)
            _follow_rows(connection, chain)
            report = chain.ended()
            _compare(connection, report.count)
            (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
            if found != "ok":
                raise BrokenLogError(report.count + 1, f"the log is whole, but the file is damaged: {found}")
            return report
    except sqlite3.Error as error:
        raise UnreadableLogError(f"{path} cannot be read as a journal: {error}") from None


def _check_tables(connection: sqlite3.Connection) -> None:
    """See that what is read are tables: a view can compute for ever."""
    rows = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE TABLE%'"
    )
    missing = sorted(set(_TABLES) - {row["name"] for row in rows})
    if missing:
        raise UnreadableLogError(f"it is a database, and not a journal: it has no table {missing[0]}")


def _compare(connection: sqlite3.Connection, count: int) -> None:
    """See that the tables say what the log says.

    Raises:
        BrokenLogError: they do not, or an event is not of the form that its kind has.
    """
    try:
        _check_intents(connection)
        _check_nonces(connection)
        _check_halts(connection)
        _check_register(connection)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BrokenLogError(
            count + 1,
            f"the chain is whole, but an event or a row is not of its form: {type(error).__name__} {error}",
        ) from None


def _kept_outside(connection: sqlite3.Connection, outside: Outside) -> list[Expected]:
    """What was kept elsewhere, read before the log: a desk that runs meanwhile only adds to it."""
    row = connection.execute("SELECT value FROM fact WHERE name = 'desk_id'").fetchone()
    return [] if row is None else outside(str(row["value"]))


def _follow_rows(connection: sqlite3.Connection, chain: _Chain) -> None:
    rows = connection.execute(f"{_ROWS} ORDER BY seq")
    while True:
        try:
            row = rows.fetchone()
        except sqlite3.Error as error:
            # Python steps one row ahead: the fault may be in the row after this one.
            _follow_row(connection.execute(f"{_ROWS} WHERE seq = ?", (chain.seq + 1,)).fetchone, chain)
            raise BrokenLogError(chain.seq + 1, str(error)) from None
        if row is None:
            return
        _follow_row(lambda row=row: row, chain)


def _follow_row(read: Callable[[], sqlite3.Row], chain: _Chain) -> None:
    try:
        entry = _entry(read(), chain.head)
    except (ValueError, TypeError, AttributeError, sqlite3.Error) as error:
        raise BrokenLogError(chain.seq + 1, str(error)) from None
    chain.follow(entry)


def _entry(row: sqlite3.Row, prev: str) -> Entry:
    value = parsed(row["text"])
    columns = {name: row[name] for name in ("seq", "at_ms", "kind", "intent")}
    if row["prev"] != prev or columns != {name: value.get(name) for name in columns}:
        raise ValueError("its columns say something else than its text")
    return Entry(row["text"], value, row["hash"])


def _check_intents(connection: sqlite3.Connection) -> None:
    """See that every intent is where its events brought it, and says what its first one told."""
    told: dict[str, Mapping[str, Any]] = {}
    stands: dict[str, tuple[int, str]] = {}
    for row in connection.execute("SELECT seq, at_ms, kind, intent, text FROM event ORDER BY seq"):
        body = json.loads(row["text"])["body"]
        if row["kind"] == "proposed":
            told[row["intent"]] = {**body, **_of_plan(body["plan"]), **_of_time(row["at_ms"])}
            stands[row["intent"]] = (row["seq"], "proposed")
        elif "to" in body and row["intent"] is not None:
            if stands.get(row["intent"], (0, None))[1] != body.get("from"):
                raise BrokenLogError(row["seq"], f"intent {row['intent']} was not {body.get('from')} then")
            stands[row["intent"]] = (row["seq"], body["to"])
            told[row["intent"]] = {**told[row["intent"]], **_of_move(row["kind"], row["at_ms"], body)}
    for row in connection.execute("SELECT * FROM intent ORDER BY seq"):
        seq, state = stands.pop(row["id"], (row["seq"], None))
        if row["state"] != state:
            raise BrokenLogError(seq, f"intent {row['id']} stands as {row['state']}, and its log as {state}")
        first = told.get(row["id"], {"plan_digest": None, "plan": None})
        digest = hashlib.sha256(str(row["plan_text"]).encode()).hexdigest()
        others = [name for name in (*_TOLD, *_FOLLOWS) if row[name] != first.get(name)]
        if others or digest != first["plan_digest"] or canonical(first["plan"]) != row["plan_text"]:
            named = others[0] if others else "plan_text"
            raise BrokenLogError(row["seq"], f"intent {row['id']} has another {named} than its log")
    for intent, (seq, _) in stands.items():
        raise BrokenLogError(seq, f"intent {intent} is in the log and nowhere else")


def _of_plan(plan: Mapping[str, Any]) -> Mapping[str, Any]:
    """What an intent's columns repeat of its plan."""
    write, market = plan["write"], plan["market"]
    return {
        **{name: plan[name] for name in ("account", "venue", "key_id", "action")},
        "underlying": market["base"],
        "market_id": market["market_id"],
        "side": write.get("side"),
        "is_reduce_only": write.get("is_reduce_only", False),
        "client_order_id": write["client_order_id"] if plan["action"] == "place" else None,
    }


def _of_time(at_ms: int) -> Mapping[str, Any]:
    return {"created_ms": at_ms, "changed_ms": at_ms, "claimed_ms": None, "latest_ms": None}


def _of_move(kind: str, at_ms: int, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """What an intent's columns repeat of an event that moved it on."""
    if kind != "claimed":
        return {"changed_ms": at_ms}
    claimed = {"claimed_ms": at_ms, "latest_ms": body["latest_ms"], "worst_notional": body["reserved"]}
    return {"changed_ms": at_ms, **claimed}


def _check_nonces(connection: sqlite3.Connection) -> None:
    """See that every signature that was used is held as used, and that none is held that nobody gave."""
    used: dict[str, tuple[int, dict[str, Any]]] = {}
    for row in connection.execute("SELECT seq, at_ms, kind, intent, text FROM event ORDER BY seq"):
        kind, body = row["kind"], json.loads(row["text"])["body"]
        if kind == "granted":
            bound = {name: body[name] for name in _BOUND}
            used[body["nonce"]] = (
                row["seq"],
                {"purpose": "grant", "intent": row["intent"], "spent_ms": None, **bound},
            )
        elif kind == "claimed":
            used[body["nonce"]][1]["spent_ms"] = row["at_ms"]
        elif kind == "acted" or (kind in _SIGNED and body["signed"]):
            purpose = _SIGNED.get(kind) or body["purpose"]
            held = {"purpose": purpose, "intent": row["intent"], "spent_ms": row["at_ms"]}
            used[body["signed"]["nonce"]] = (row["seq"], {**dict.fromkeys(_BOUND), **held})
    for row in connection.execute("SELECT * FROM nonce"):
        seq, held = used.pop(row["nonce"], (0, None))
        if held is None or any(row[name] != value for name, value in held.items()):
            raise BrokenLogError(
                seq or 1, f"signature {row['nonce']} is held as another one than the log has"
            )
    for nonce, (seq, _) in used.items():
        raise BrokenLogError(seq, f"signature {nonce} was used, and is not held as used")


def _check_halts(connection: sqlite3.Connection) -> None:
    """See that what is halted is what the log says."""
    halted: dict[str, int] = {}
    last = 0
    for row in connection.execute(
        "SELECT seq, kind, text FROM event WHERE kind IN ('halted', 'resumed') ORDER BY seq"
    ):
        account, last = json.loads(row["text"])["body"]["account"] or "", row["seq"]
        if row["kind"] == "halted":
            halted[account] = last
        else:
            halted.pop(account, None)
    stands = {row["account"] for row in connection.execute("SELECT account FROM halt")}
    for account in sorted(stands ^ set(halted)):
        named = f"account {account}" if account else "the desk"
        state = "halted" if account in stands else "not halted"
        raise BrokenLogError(halted.get(account, last), f"{named} is {state}, and the log says otherwise")


def _check_register(connection: sqlite3.Connection) -> None:
    """See that who approves, proposes and remarked what, and the configuration, is as logged; schema 1 has none."""
    if connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'approver'").fetchone() is None:
        return
    for table, told in _told_of_register(connection).items():
        columns, keys = _REGISTER[table]
        for row in connection.execute(f"SELECT * FROM {table}"):  # noqa: S608 - a name from the table above
            key = tuple(row[name] for name in columns[:keys])
            seq, values = told.pop(key, (1, {}))
            if {name: row[name] for name in columns} != values:
                raise BrokenLogError(seq, f"{' '.join((table, *key))} stands otherwise than the log says")
        for key, (seq, _) in told.items():
            raise BrokenLogError(seq, f"{' '.join((table, *key))} is in the log and nowhere else")


def _told_of_register(connection: sqlite3.Connection) -> dict[str, dict[Any, tuple[int, dict[str, Any]]]]:
    """The rows of the register and of the remarks, as the events made them."""
    told: dict[str, dict[Any, tuple[int, dict[str, Any]]]] = {table: {} for table in _REGISTER}
    for row in connection.execute("SELECT seq, at_ms, kind, intent, text FROM event ORDER BY seq"):
        kind, body = row["kind"], json.loads(row["text"])["body"]
        if kind == "proposed" and body.get("note") is not None:
            told["remark"][row["intent"],] = (row["seq"], {"intent": row["intent"], "text": body["note"]})
        elif kind in _MADE_BY:
            columns, keys = _REGISTER[_MADE_BY[kind]]
            values = {name: body.get(name) for name in columns[:-1]} | {columns[-1]: row["at_ms"]}
            told[_MADE_BY[kind]][tuple(body[name] for name in columns[:keys])] = (row["seq"], values)
        elif kind == "approver_removed":
            del told["approver"][(body["name"],)]
        elif kind == "approver_counted":
            told["approver"][(body["name"],)][1]["counter"] = body["counter"]
        elif kind == "client_removed":
            del told["client"][(body["name"],)]
            told["allowance"] = {k: v for k, v in told["allowance"].items() if k[0] != body["name"]}
    return told


# What was kept outside.


def mark_of(path: Path) -> Expected | None:
    """What a desk's mark says; None where there is no whole one.

    Raises:
        UnreadableLogError: the file cannot be read.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise UnreadableLogError(f"{path} is not a regular file")
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnreadableLogError(f"{path} cannot be read: {error.strerror}") from None
    marks = [mark for slot in (0, _SLOT) if (mark := _mark(content[slot : slot + _SLOT])) is not None]
    newest = max(marks, key=lambda mark: mark["turn"], default=None)
    return None if newest is None else Expected(newest["seq"], newest["hash"], f"the mark {path.name}")


def _mark(slot: bytes) -> Mapping[str, Any] | None:
    text = slot.rstrip()
    if text[:8] != b"%08x" % zlib.crc32(text[9:]):
        return None
    try:
        mark: Any = json.loads(text[9:])
        kinds: list[object] = [type(mark[name]) for name in ("turn", "seq", "hash")]
    except (ValueError, RecursionError, TypeError, LookupError):
        return None
    return mark if kinds == [int, int, str] else None


def expectation(text: str) -> Expected:
    """What `NUMBER:HASH` asks for.

    Raises:
        ValueError: it is not of that form.
    """
    number, _, hash_ = text.partition(":")
    if not number.isdecimal() or int(number) < 1 or len(bytes.fromhex(hash_)) != hashlib.sha256().digest_size:
        raise ValueError(f"{text!r} is not NUMBER:HASH, as a verified log prints them")
    return Expected(int(number), hash_.lower(), "the head that was expected")


def answer(path: Path, outside: Outside) -> tuple[int, str]:
    """The exit code and what to print."""
    try:
        return 0, str(verify(path, outside))
    except BrokenLogError as error:
        return 1, f"{path}: {error}"
    except UnreadableLogError as error:
        return 2, str(error)


def main(arguments: list[str] | None = None) -> int:
    """Verify the file that the command line names; its exit code."""
    parser = argparse.ArgumentParser(description="Verify an event log: a journal, or an exported log.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--mark", type=Path, action="append", default=[], help="a desk's mark, kept outside")
    parser.add_argument("--expect", type=expectation, action="append", default=[], metavar="NUMBER:HASH")
    asked = parser.parse_args(arguments)
    code, text = answer(
        asked.file,
        lambda _: [*asked.expect, *(kept for path in asked.mark if (kept := mark_of(path)) is not None)],
    )
    print(text, file=sys.stderr if code else sys.stdout)
    return code


if __name__ == "__main__":
    sys.exit(main())
