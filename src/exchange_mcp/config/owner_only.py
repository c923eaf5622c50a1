"""Files that are their owner's alone: written so, and read only if nobody else could have.

The mode bits are checked here, not left to the kernel: root passes every mode, and a key that others can
read is a fault even where we can read it too. https://pubs.opengroup.org/onlinepubs/9799919799/functions/fstat.html
"""

import os
import stat
import tempfile
from pathlib import Path

from exchange_mcp.config.faults import SecretError

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def read_owner_only(path: Path, *, limit: int, owner: int | None = None) -> bytes:
    """The content of a regular file of at most `limit` bytes that only `owner` (this user) can reach.

    A file of root's is accepted too. A symbolic link is judged by what it points to. What is judged is the
    file that was opened, so it cannot be exchanged between the two.

    Raises:
        SecretError: if there is no such file, or it is not regular, foreign, open to others, or too large.
    """
    try:
        # Non-blocking, so that opening a FIFO does not wait for its writer.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except FileNotFoundError:
        raise SecretError(f"file {path} does not exist") from None
    except OSError as error:
        raise SecretError(f"file {path} cannot be opened: {error.strerror}") from None
    try:
        refusal = _refusal(os.fstat(descriptor), path, limit, os.geteuid() if owner is None else owner)
        if refusal is not None:
            raise SecretError(refusal)
        with os.fdopen(os.dup(descriptor), "rb") as file:
            return file.read(limit)
    except OSError as error:
        raise SecretError(f"file {path} cannot be read: {error.strerror}") from None
    finally:
        os.close(descriptor)


def write_owner_only(path: Path, content: bytes, *, mode: int = 0o600) -> None:
    """Put the content in the place of whatever stands at `path`, all or nothing; missing directories are 0700.

    Raises:
        OSError: it cannot be written; nothing is left behind.
    """
    make_owner_only(path.parent)
    descriptor, draft = tempfile.mkstemp(prefix=".", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(file.fileno(), mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(draft).replace(path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise


def make_owner_only(directory: Path) -> None:
    """See that the directory is there; what is missing on the way to it is made 0700.

    Raises:
        OSError: it cannot be made.
    """
    # With parents=True, the parents' mode would be whatever the umask leaves.
    missing = [place for place in (directory, *directory.parents) if not place.exists()]
    for place in reversed(missing):
        place.mkdir(mode=0o700, exist_ok=True)


def _refusal(status: os.stat_result, path: Path, limit: int, owner: int) -> str | None:
    mode = stat.S_IMODE(status.st_mode)
    if not stat.S_ISREG(status.st_mode):
        return f"{path} is not a regular file"
    if status.st_uid not in {owner, 0}:
        return (
            f"file {path} belongs to another user (uid {status.st_uid}); a secret is read from your own files"
        )
    if mode & _OTHERS:
        return f"file {path} is open to others (mode {mode:04o}); close it: chmod 600 {path}"
    if status.st_size > limit:
        return f"file {path} is larger than {limit} bytes, too large for what is read from it"
    return None
