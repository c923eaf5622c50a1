"""The desk's Unix sockets: bound here, with the mode that is meant, in a directory that fits, and removed at the end.

Who may connect to a Unix socket is who may write to its file and enter its directory (unix(7)):
https://man7.org/linux/man-pages/man7/unix.7.html. A socket outlives its process as a file; a lock beside it tells one
that was left behind from one that somebody listens on.
"""

import grp
import os
import socket
import stat
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from exchange_mcp.config.owner_only import make_owner_only
from exchange_mcp.desk.journal_errors import LockHeldError, UnsafePlaceError
from exchange_mcp.desk.locks import ProcessLock, socket_lock

LONGEST_PATH: Final = 103 if sys.platform == "darwin" else 107
"""In bytes: `sun_path` less its final zero."""

_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH


class SocketError(Exception):
    """A socket cannot be bound as it is meant; the text names the path, the reason and the next step."""


@dataclass(frozen=True, slots=True)
class _Group:
    name: str
    number: int


class BoundSocket:
    """A listening socket that is bound, and its file, until `close`.

    Attributes:
        listener: not yet listening; whoever serves on it calls listen.
    """

    def __init__(self, path: Path, listener: socket.socket, lock: ProcessLock) -> None:
        self.path = path
        self.listener = listener
        self._lock = lock
        self._identity = _identity(path)

    def tell(self, doing: str) -> None:
        """Say what keeps this process, to whoever knocks while nobody listens."""
        self._lock.tell(doing)

    def close(self) -> None:
        """Take nobody more, and remove the file if it is still this one; again does nothing."""
        self.listener.close()
        with suppress(OSError):
            if _identity(self.path) == self._identity:
                self.path.unlink()
        self._lock.release()


def bind_operator(path: Path) -> BoundSocket:
    """The operator's socket: 0600, in a directory that is 0700 and ours.

    Raises:
        SocketError: the directory is not that, the path is too long, or somebody listens there.
    """
    _check_length(path)
    _make(path.parent)
    status = _status(path.parent)
    mode = stat.S_IMODE(status.st_mode)
    if status.st_uid != os.geteuid():
        raise SocketError(
            f"{path.parent}, the operator socket's directory, belongs to another user (uid {status.st_uid}); "
            "name one of the desk's own user in [desk] operator_socket"
        )
    if mode != stat.S_IRWXU:
        raise SocketError(
            f"{path.parent}, the operator socket's directory, has mode {mode:04o}, and only the desk's user may "
            f"enter it; close it: chmod 700 {path.parent}"
        )
    return _bind(path, "the operator socket", None)


def bind_proposals(path: Path, group: str | None) -> BoundSocket:
    """The proposal socket: 0600, or 0660 for this group, in a directory that nobody else can change.

    Raises:
        SocketError: there is no such group or the desk may not give it the socket, the directory is open to others
            or closed to the group, the path is too long, or somebody listens there.
    """
    _check_length(path)
    shared = None if group is None else _group(group)
    is_new = not path.parent.exists()
    _make(path.parent)
    if is_new and shared is not None:
        _give(path.parent, shared, 0o710)
    status = _status(path.parent)
    mode = stat.S_IMODE(status.st_mode)
    if status.st_uid not in {os.geteuid(), 0}:
        raise SocketError(
            f"{path.parent}, the proposal socket's directory, belongs to another user (uid {status.st_uid}); "
            "name one of the desk's own user in [desk] proposal_socket"
        )
    if mode & _OTHERS_WRITE and not mode & stat.S_ISVTX:
        raise SocketError(
            f"{path.parent}, the proposal socket's directory, can be changed by others (mode {mode:04o}); "
            f"close it: chmod go-w {path.parent}"
        )
    if shared is not None:
        for directory in path.parents:
            _check_way(directory, shared)
    return _bind(path, "the proposal socket", shared)


def _bind(path: Path, what: str, group: _Group | None) -> BoundSocket:
    try:
        lock = ProcessLock(socket_lock(path), what)
    except LockHeldError as error:
        raise SocketError(
            f"{error.message}: a desk is running there; stop it, or name another path"
        ) from None
    except UnsafePlaceError as error:
        raise SocketError(error.message) from None
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        _clear(path, what)
        listener.bind(str(path))
        # Until it listens, nobody can connect, whatever mode the file was made with.
        if group is None:
            path.chmod(0o600)
        else:
            _give(path, group, 0o660)
        return BoundSocket(path, listener, lock)
    except OSError as error:
        listener.close()
        lock.release()
        raise SocketError(f"{what} cannot be bound at {path}: {error.strerror}") from None
    except BaseException:
        listener.close()
        lock.release()
        raise


def _clear(path: Path, what: str) -> None:
    """Remove what a dead desk left at the path; raise SocketError where it is something else, or lives."""
    try:
        kind = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(kind):
        raise SocketError(
            f"{path} is not a socket, and {what} is to be there; move it away, or name another path"
        )
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError):
            path.unlink(missing_ok=True)
            return
        except OSError as error:  # a full backlog: somebody is there
            raise SocketError(f"{what} at {path} is in use: {error.strerror or error}") from None
    raise SocketError(
        f"another program listens on {path}, where {what} is to be; stop it, or name another path"
    )


def _check_way(directory: Path, group: _Group) -> None:
    """See that the group can pass: the socket's own directory, and each on the way to it."""
    status = directory.stat()
    mode = status.st_mode
    if not (mode & stat.S_IXOTH or (mode & stat.S_IXGRP and status.st_gid == group.number)):
        raise SocketError(
            f"group {group.name} cannot enter {directory} on its way to the proposal socket; "
            f"let it: chgrp {group.name} {directory} && chmod 710 {directory}"
        )


def _give(path: Path, group: _Group, mode: int) -> None:
    try:
        os.chown(path, -1, group.number)
    except PermissionError:
        raise SocketError(
            f"the desk's user cannot give {path} to group {group.name}; make it a member of the group: "
            f"usermod -aG {group.name} USER"
        ) from None
    path.chmod(mode)


def _group(name: str) -> _Group:
    try:
        return _Group(name, grp.getgrnam(name).gr_gid)
    except KeyError:
        raise SocketError(
            f"there is no group {name}, which [desk] proposal_group names; make it: groupadd --system {name}"
        ) from None


def _check_length(path: Path) -> None:
    length = len(os.fsencode(path))
    if length > LONGEST_PATH:
        raise SocketError(
            f"{path} has {length} bytes, and the path of a socket may have {LONGEST_PATH}; name a shorter one"
        )


def _make(directory: Path) -> None:
    try:
        make_owner_only(directory)
    except OSError as error:
        raise SocketError(f"{directory} cannot be made: {error.strerror}") from None


def _status(directory: Path) -> os.stat_result:
    try:
        status = directory.lstat()
    except OSError as error:
        raise SocketError(f"{directory} cannot be looked at: {error.strerror}") from None
    if not stat.S_ISDIR(status.st_mode):
        raise SocketError(f"{directory} is not a directory itself; a link or a file is no place for a socket")
    return status


def _identity(path: Path) -> tuple[int, int]:
    status = path.lstat()
    return status.st_dev, status.st_ino
