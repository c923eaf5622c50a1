"""May a journal lie here? Only on a local file system that is known to lock and to sync as SQLite needs.

SQLite says of network file systems that their locking is not to be trusted, and that WAL needs shared memory of
one machine: https://www.sqlite.org/wal.html, https://www.sqlite.org/howtocorrupt.html. What is not on the
list is refused by name; a list of the bad ones would miss the next one.
"""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from exchange_mcp.desk.journal_errors import UnsafePlaceError

# A container's overlay keeps its files on one of the others and passes fsync on, unless mounted volatile:
# https://docs.kernel.org/filesystems/overlayfs.html
SAFE: Final = frozenset(
    {"ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "bcachefs", "jfs", "overlay", "apfs", "hfs"}
)

# Options by which a file system is told that a sync need not reach the disk.
_UNSAFE_OPTIONS: Final = frozenset({"volatile", "nobarrier", "barrier=0", "async_commit"})

_WHY: Final = {
    "tmpfs": "it forgets everything when the machine stops",
    "ramfs": "it forgets everything when the machine stops",
}


@dataclass(frozen=True, slots=True)
class Mount:
    """A mounted file system: where, of which kind, with which options."""

    point: Path
    kind: str
    options: frozenset[str]


def check_place(path: Path, *, safe: frozenset[str] = SAFE) -> None:
    """See that a journal may lie in this directory.

    Raises:
        UnsafePlaceError: its file system is not one of `safe`, by its name.
    """
    mount = mount_of(path.resolve(), mounts())
    if mount is None:
        raise UnsafePlaceError(f"the file system of {path} cannot be told; a journal needs a known one")
    if mount.kind not in safe:
        why = _WHY.get(mount.kind, "it is not known to keep what was synced")
        raise UnsafePlaceError(f"{path} is on {mount.kind} (mounted on {mount.point}): {why}")
    told = sorted(mount.options & _UNSAFE_OPTIONS)
    if told:
        raise UnsafePlaceError(
            f"{path} is on {mount.kind} mounted with {told[0]}: a sync would not reach the disk"
        )


def mount_of(path: Path, mounted: tuple[Mount, ...]) -> Mount | None:
    """The file system that this absolute path is on; of two on one point, the later hides the earlier."""
    candidates = [mount for mount in mounted if path.is_relative_to(mount.point)]
    return max(
        enumerate(candidates), key=lambda pair: (len(pair[1].point.parts), pair[0]), default=(0, None)
    )[1]


def mounts() -> tuple[Mount, ...]:
    """What is mounted, as the operating system says it.

    Raises:
        UnsafePlaceError: it does not.
    """
    try:
        if sys.platform == "darwin":
            done = subprocess.run(["/sbin/mount"], capture_output=True, text=True, check=True, timeout=10)
            return darwin_mounts(done.stdout)
        return linux_mounts(Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace"))
    except (OSError, subprocess.SubprocessError) as error:
        raise UnsafePlaceError(f"the mounted file systems cannot be read: {type(error).__name__}") from None


def linux_mounts(text: str) -> tuple[Mount, ...]:
    """From /proc/self/mountinfo; https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html."""
    found: list[Mount] = []
    for line in text.splitlines():
        mounted, _, filesystem = line.partition(" - ")
        fields, kinds = mounted.split(" "), filesystem.split(" ")
        if len(fields) < 6 or len(kinds) < 3:  # noqa: PLR2004 - the fields that the page above numbers
            continue
        options = frozenset(fields[5].split(",")) | frozenset(kinds[2].split(","))
        found.append(Mount(Path(_unescaped(fields[4])), kinds[0], options))
    return tuple(found)


def darwin_mounts(text: str) -> tuple[Mount, ...]:
    """From mount(8): `/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled)`."""
    found: list[Mount] = []
    for line in text.splitlines():
        place, _, rest = line.rpartition(" (")
        _, on, point = place.partition(" on ")
        words = [word.strip() for word in rest.rstrip(")").split(",")]
        if on and words:
            found.append(Mount(Path(point), words[0], frozenset(words[1:])))
    return tuple(found)


def _unescaped(text: str) -> str:
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(code, character)
    return text
