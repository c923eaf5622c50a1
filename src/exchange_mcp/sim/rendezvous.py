"""Where a running simulated exchange can be found, and with which keys: one file, for its owner alone.

RendezvousError
  the file cannot be written where it was asked for; the message says why and what to do
"""

import json
import os
import stat
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import cast

SCHEMA = 1


class RendezvousError(Exception):
    """The rendezvous file cannot be published."""


@dataclass(frozen=True, slots=True)
class Rendezvous:
    """What a client needs in order to find and use a simulated exchange."""

    pid: int
    port: int
    ca_pem: str
    control_token: str
    keys: dict[str, dict[str, str]]
    seed: int
    started_at_ms: int

    def to_json(self) -> str:
        """Write the file's text."""
        return json.dumps(
            {
                "schema": SCHEMA,
                "pid": self.pid,
                "port": self.port,
                "ca_pem": self.ca_pem,
                "control_token": self.control_token,
                "keys": self.keys,
                "seed": self.seed,
                "started_at_ms": self.started_at_ms,
            },
            indent=2,
        )


@contextmanager
def published(rendezvous: Rendezvous, path: Path) -> Generator[None]:
    """Keep the file in place for as long as the block runs, then remove it if it is still this one.

    The file has mode 0600 and appears at once or not at all; missing directories are made with 0700. Raises
    RendezvousError where a symbolic link, something that is not a rendezvous file, or the file of another
    living process is in the way.
    """
    _make_directories(path.parent)
    _refuse_to_replace(path)
    text = rendezvous.to_json()
    _write(path, text)
    try:
        yield
    finally:
        with suppress(OSError):
            if not path.is_symlink() and path.read_text(encoding="utf-8") == text:
                path.unlink()


def _make_directories(directory: Path) -> None:
    missing = [place for place in (directory, *directory.parents) if not place.exists()]
    for place in reversed(missing):
        place.mkdir(mode=0o700, exist_ok=True)


def _refuse_to_replace(path: Path) -> None:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if stat.S_ISLNK(found.st_mode):
        raise RendezvousError(f"{path} is a symbolic link; remove it or choose another path")
    owner = _owner_of(path) if stat.S_ISREG(found.st_mode) else None
    if owner is None:
        raise RendezvousError(f"{path} is not a rendezvous file; remove it or choose another path")
    if owner != os.getpid() and _is_alive(owner):
        raise RendezvousError(
            f"{path} belongs to the running process {owner}; stop it, remove the file if that process is no"
            " simulated exchange, or choose another path"
        )


def _owner_of(path: Path) -> int | None:
    try:
        content: object = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return None
    if not isinstance(content, dict):
        return None
    fields = cast("dict[str, object]", content)
    pid = fields.get("pid")
    return pid if "schema" in fields and isinstance(pid, int) and pid > 0 else None


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _write(path: Path, text: str) -> None:
    descriptor, draft = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(draft).replace(path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
