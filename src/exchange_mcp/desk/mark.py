"""How far the journal had come, kept outside it: so that an older copy put in its place is noticed.

The mark is a small file in the desk's state directory, not beside the journal. It is written after every
commit, and made durable at checkpoints and when the journal is opened or closed. A restored copy lacks the
event that the mark names; a copy that runs elsewhere finds no mark there, or one of another machine.

What it cannot see: journal and mark copied or restored together on one machine (a snapshot of the whole disk),
and two copies that run at the same time on machines that say the same machine id. There the desk's tag at the
venue remains: an order that carries it and that this journal did not make halts the account.
After a power loss the mark may be older than the journal, never newer, so it raises no false alarm.
"""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Protocol
from zlib import crc32

from exchange_mcp.config.owner_only import make_owner_only
from exchange_mcp.model.canonical import canonical_json

_SLOT: Final = 512
_SLOTS: Final = 2


@dataclass(frozen=True, slots=True)
class Mark:
    """The last event that this machine saw in the journal: its number and hash, and who that was.

    Attributes:
        machine: names this machine, "" where it has no name of its own.
    """

    desk_id: str
    machine: str
    seq: int
    hash: str


class MarkStore(Protocol):
    """Where the mark is kept."""

    def read(self) -> Mark | None:
        """The mark, None where there is none that is whole."""
        ...

    def write(self, mark: Mark, *, is_durable: bool) -> None:
        """Keep this mark; durable ones are on the disk when this returns.

        Raises:
            OSError: it could not be written.
        """
        ...


class MarkFile:
    """The mark in a file of its owner's alone, two slots written in turn, so that one is always whole."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._turn = 0

    def read(self) -> Mark | None:
        """The mark that was written last, of those that are whole."""
        try:
            content = self._path.read_bytes()
        except FileNotFoundError:
            return None
        slots = (_parsed(content[start : start + _SLOT]) for start in range(0, _SLOTS * _SLOT, _SLOT))
        # An adopted journal may be shorter than the one before it: the turn says which mark is the newer.
        turn, mark = max((slot for slot in slots if slot is not None), key=_turn_of, default=(0, None))
        self._turn = turn
        return mark

    def write(self, mark: Mark, *, is_durable: bool) -> None:
        """Write the slot that is not the newest."""
        turn = self._turn + 1
        text = canonical_json({"turn": turn, **asdict(mark)}).encode()
        record = b"%08x %s" % (crc32(text), text)
        make_owner_only(self._path.parent)
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            os.pwrite(descriptor, record.ljust(_SLOT), turn % _SLOTS * _SLOT)
            if is_durable:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        self._turn = turn


def _turn_of(slot: tuple[int, Mark]) -> int:
    return slot[0]


def _parsed(slot: bytes) -> tuple[int, Mark] | None:
    text = slot.rstrip()
    if text[:8] != b"%08x" % crc32(text[9:]):
        return None
    try:
        values = json.loads(text[9:])
        return values.pop("turn"), Mark(**values)
    except (TypeError, ValueError, KeyError):
        return None
