"""Looking for secrets in whatever was left behind, as they stand or as programs write them, whole or in part."""

import base64
import os
import re
import threading
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import quote, quote_from_bytes

# So many characters of a secret in a row are found, wherever they begin and in whichever form.
RUN: Final = 12
_TICK_SECONDS: Final = 0.02
_SHOWN: Final = 24


@dataclass(frozen=True)
class Needle:
    """One secret: what it is called, its bytes, and the places that it may stand in, by what is in their names."""

    name: str
    value: bytes
    homes: tuple[str, ...] = ()


def forms(value: bytes) -> dict[str, tuple[bytes, int]]:
    """A secret in every form that is looked for, each with how long a run of it is that many characters."""
    found = {
        "plain": (value, RUN),
        "backwards": (value[::-1], RUN),
        "url": (quote_from_bytes(value, safe="").encode(), RUN),
        "hex": (value.hex().encode(), 2 * RUN),
        "HEX": (value.hex().upper().encode(), 2 * RUN),
    }
    with suppress(UnicodeDecodeError):
        found["form"] = (quote(value.decode(), safe="").replace("%20", "+").encode(), RUN)
    for at in range(3):
        # The outer characters hold bits of the neighbours too.
        inner = base64.b64encode(bytes(at) + value)[4 if at else 0 : -4]
        found[f"base64 at {at}"] = (inner, RUN)
        found[f"base64url at {at}"] = (inner.replace(b"+", b"-").replace(b"/", b"_"), RUN)
    return found


def windows(text: bytes, run: int) -> Iterable[bytes]:
    """Pieces of the text of which one is in every run of it that is so long."""
    width = min(len(text), run * 2 // 3)
    step = run - width + 1
    ends = [*range(width, len(text), step), len(text)]
    return (text[end - width : end] for end in ends)


def traces(needles: Iterable[Needle], places: Mapping[str, bytes]) -> list[str]:
    """Where something of a secret stands that does not belong there, a line each.

    Every piece of every form is looked up at every byte of a place, so that many secrets cost no more than few.
    """
    of_width: dict[int, dict[bytes, tuple[Needle, str]]] = {}
    for needle in needles:
        for form, (text, run) in forms(needle.value).items():
            for piece in windows(text, run):
                of_width.setdefault(len(piece), {})[piece] = (needle, form)
    found: dict[tuple[str, str], str] = {}
    seen: dict[bytes, set[tuple[Needle, str, int]]] = {}
    for name, content in places.items():
        if content not in seen:
            seen[content] = set(_looked_up(of_width, content))
        for needle, form, at in seen[content]:
            if not any(home in name for home in needle.homes):
                around = content[max(0, at - 2 * _SHOWN) : at + 2 * _SHOWN]
                found.setdefault((needle.name, name), f"{needle.name} ({form}) in {name}: {around!r}")
    return sorted(found.values())


def _looked_up(
    of_width: Mapping[int, Mapping[bytes, tuple[Needle, str]]], content: bytes
) -> Generator[tuple[Needle, str, int]]:
    # Zeros fill the pages of a database; nothing is in them.
    for part in re.finditer(rb"[^\0]+(?:\0{1,3}[^\0]+)*", content):
        text, start = part[0], part.start()
        for width, pieces in of_width.items():
            slices = {text[at : at + width] for at in range(len(text) - width + 1)}
            for piece in slices & pieces.keys():
                yield (*pieces[piece], start + text.find(piece))


@dataclass
class Watched:
    """What the command lines and environments of this process's children were, and of theirs, while they ran."""

    seen: dict[str, set[bytes]] = field(default_factory=dict[str, set[bytes]])
    _over: threading.Event = field(default_factory=threading.Event)

    def places(self) -> dict[str, bytes]:
        """All of it, by kind."""
        return {f"process {kind}": b"\n".join(sorted(each)) for kind, each in self.seen.items()}

    def look(self) -> None:
        """Look once."""
        for pid in _below(os.getpid()):
            for kind in ("cmdline", "environ"):
                with suppress(OSError):
                    self.seen.setdefault(kind, set()).add(Path(f"/proc/{pid}/{kind}").read_bytes())

    def follow(self) -> None:
        while not self._over.wait(_TICK_SECONDS):
            self.look()

    def end(self) -> None:
        self._over.set()


@contextmanager
def watched_processes() -> Generator[Watched]:
    """Look at every process that is started inside the block, many times a second."""
    watched = Watched()
    thread = threading.Thread(target=watched.follow, daemon=True)
    thread.start()
    try:
        yield watched
    finally:
        watched.end()
        thread.join()


def _below(pid: int) -> Iterable[int]:
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, task.read_text(encoding="ascii").split()):
                yield child
                yield from _below(child)


def files_under(*directories: Path) -> dict[str, bytes]:
    """Every file there, with its whole content: what SQLite keeps beside a database too."""
    found: dict[str, bytes] = {}
    for directory in directories:
        for path in sorted(directory.rglob("*")):
            if path.is_file() and not path.is_symlink():
                found[f"file {path.relative_to(directory.parent).as_posix()}"] = path.read_bytes()
    return found
