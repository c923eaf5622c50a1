"""Locks that the operating system holds for the life of a process and gives back at its death.

A lock file is never removed: between a removal and the next opening, two could hold "the" lock.
https://man7.org/linux/man-pages/man2/flock.2.html
"""

import fcntl
import os
import re
from pathlib import Path
from typing import Final

from exchange_mcp.config.owner_only import make_owner_only
from exchange_mcp.desk.journal_errors import LockHeldError, UnsafePlaceError

_KEY_ID: Final = re.compile(r"[A-Za-z0-9_-]{4,128}")


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
            holder = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip()
            os.close(descriptor)
            named = f"process {holder}" if holder.isdigit() else "another process"
            raise LockHeldError(f"{what} is held by {named} ({path})") from None
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, b"%d\n" % os.getpid(), 0)
        self._descriptor: int | None = descriptor

    def release(self) -> None:
        """Give it back; again does nothing."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def hold_key(runtime: Path, key_id: str) -> ProcessLock:
    """The lock of one API key in the user's runtime directory, whatever journal its desk has.

    Raises:
        LockHeldError: another desk of this user trades with this key. ValueError: it is no key id.
    """
    if not _KEY_ID.fullmatch(key_id):
        raise ValueError("a key id is a hash in letters and digits")
    return ProcessLock(runtime / "keys" / f"{key_id}.lock", "the API key")
