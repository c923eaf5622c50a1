"""Locks that the operating system holds for the life of a process and gives back at its death.

A lock file is never removed: between a removal and the next opening, two could hold "the" lock.
https://man7.org/linux/man-pages/man2/flock.2.html
"""

import fcntl
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from exchange_mcp.config.owner_only import make_owner_only
from exchange_mcp.desk.journal_errors import LockHeldError, UnsafePlaceError
from exchange_mcp.model.venue_text import visible

_KEY_ID: Final = re.compile(r"[A-Za-z0-9_-]{4,128}")


_MOST_TOLD: Final = 160


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a lock: its process id, 0 where the file does not say, and what it says it is doing, or ""."""

    pid: int
    doing: str

    def __str__(self) -> str:
        return f"process {self.pid}" if self.pid else "another process"


def journal_lock(journal: Path) -> Path:
    """Where the lock of a journal's file is."""
    return journal.with_name(f"{journal.name}.lock")


def socket_lock(socket: Path) -> Path:
    """Where the lock of a socket's file is: of the socket alone nobody can tell whether anybody lives behind it."""
    return socket.with_name(f".{socket.name}.lock")


class ProcessLock:
    """One lock, held from construction until `release` or the end of the process.

    Raises:
        LockHeldError: another holds it; the message names the process, where it wrote its number.
        UnsafePlaceError: the lock file cannot be opened.
    """

    def __init__(self, path: Path, what: str) -> None:
        try:
            make_owner_only(path.parent)
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
            descriptor = os.open(path, flags, 0o600)
        except OSError as error:
            raise UnsafePlaceError(f"lock file {path} cannot be opened: {error.strerror}") from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            by = _written(descriptor)
            os.close(descriptor)
            raise LockHeldError(f"{what} is held by {by} ({path})") from None
        self._descriptor: int | None = descriptor
        self.tell("")

    def tell(self, doing: str) -> None:
        """Say what this process is doing, one line, to whoever asks for the `holder`."""
        if self._descriptor is not None:
            line = f"{os.getpid()}\n{doing[:_MOST_TOLD]}".rstrip() + "\n"
            with suppress(OSError):  # a full disk: the lock holds all the same
                # The new line over the old one first: whoever reads meanwhile finds the process's number in both.
                os.pwrite(self._descriptor, line.encode(), 0)
                os.ftruncate(self._descriptor, len(line.encode()))

    def release(self) -> None:
        """Give it back; again does nothing."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def holder(path: Path) -> Holder | None:
    """Who holds the lock of this file now; None where nobody does, or where it cannot be looked at."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        found = _written(descriptor)
        # The lock is tried only where its last holder may live: at this moment a desk that starts could want it.
        if found.pid and not _lives(found.pid):
            return None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return found
        return None
    finally:
        os.close(descriptor)


def _written(descriptor: int) -> Holder:
    number, _, doing = os.pread(descriptor, 4 * _MOST_TOLD, 0).decode("utf-8", "replace").partition("\n")
    is_number = number.isascii() and number.isdigit() and len(number) <= len(str(2**31))
    return Holder(int(number) if is_number else 0, visible(doing.strip(), _MOST_TOLD))


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def hold_key(runtime: Path, key_id: str) -> ProcessLock:
    """The lock of one API key in the user's runtime directory, whatever journal its desk has.

    Raises:
        LockHeldError: another desk of this user trades with this key. ValueError: it is no key id.
    """
    if not _KEY_ID.fullmatch(key_id):
        raise ValueError("a key id is a hash in letters and digits")
    return ProcessLock(runtime / "keys" / f"{key_id}.lock", "the API key")
