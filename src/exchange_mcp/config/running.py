"""Which servers of this user run: each says so in a file of its own, which it keeps locked for as long as it lives.

A process id alone may belong to another program by now, which a signal would end. The lock ends with its process
whatever happens, so a file that can be locked is left over, and is removed.
"""

import fcntl
import json
import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from exchange_mcp.config.owner_only import make_owner_only, write_owner_only

_LARGEST_FILE: Final = 65_536


class _Published(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class Server(_Published):
    """A running `serve`: its process, what it was given, and where clients reach it (stdio, or a URL)."""

    pid: Annotated[int, Field(ge=1)]
    reached: str
    config: str | None


class Outcome(_Published):
    """How a server's last reload ended; `number` counts them from 1."""

    number: int
    faults: Annotated[tuple[str, ...], Field(strict=False)]
    tools_changed: bool


@contextmanager
def announced(directory: Path, server: Server) -> Generator[None]:
    """Say within the block that this process serves.

    Raises:
        OSError: it cannot be written.
    """
    make_owner_only(directory)
    path = directory / f"{server.pid}.json"
    draft = directory / f".{server.pid}.part"
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        # Locked before it can be found. Whatever stood at the path is left over: the process id is ours now.
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.write(descriptor, server.model_dump_json().encode())
        draft.replace(path)
        _outcome_file(directory, server.pid).unlink(missing_ok=True)
        yield
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)
            _outcome_file(directory, server.pid).unlink(missing_ok=True)
        os.close(descriptor)


def running(directory: Path) -> Iterator[Server]:
    """Every server of this user that runs; what is left over of others is removed."""
    for path in sorted(directory.glob("[0-9]*.json")):
        if not path.stem.isdigit():
            continue
        with suppress(OSError, ValidationError):
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                if not _is_held(descriptor):
                    path.unlink(missing_ok=True)
                    _outcome_file(directory, int(path.stem)).unlink(missing_ok=True)
                    continue
                server = Server.model_validate_json(os.read(descriptor, _LARGEST_FILE))
                if server.pid == int(path.stem) and os.fstat(descriptor).st_uid == os.geteuid():
                    yield server
            finally:
                os.close(descriptor)


def _is_held(descriptor: int) -> bool:
    """Whether the process that wrote the file lives."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


def tell_outcome(directory: Path, pid: int, outcome: Outcome) -> None:
    """Leave how a reload ended where `last_outcome` finds it. Raises OSError where that cannot be written."""
    write_owner_only(_outcome_file(directory, pid), outcome.model_dump_json().encode())


def last_outcome(directory: Path, pid: int) -> Outcome | None:
    """How the server's last reload ended, if it had one."""
    try:
        return Outcome.model_validate(json.loads(_outcome_file(directory, pid).read_bytes()))
    except (OSError, ValueError):
        return None


def _outcome_file(directory: Path, pid: int) -> Path:
    return directory / f"{pid}.reloaded"
