"""A file that an operator wrote, up to what TOML says: its text, its document, and the line of every key.

What the keys mean is judged elsewhere. https://toml.io/en/v1.0.0
"""

import re
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from exchange_mcp.config.faults import Fault, KeyPath, dotted
from exchange_mcp.config.toml_lines import KeyLines

_LARGEST_FILE: Final = 1_048_576
_POSITION: Final = re.compile(r" \(at line (\d+), column (\d+)\)$")
_AT_END: Final = " (at end of document)"
# Python reads no integer of more digits.
_LONG_NUMBER: Final = re.compile(r"[0-9][0-9_]{4299,}")
# The pieces of a document, each read once: strings, comments, bare parts of keys, points, anything else.
_PIECE: Final = re.compile(
    r'''(?P<many>"""(?:[^"\\]|\\.|"{1,2}(?!"))*(?:"{3,5})?|'{3}(?:[^']|'{1,2}(?!'))*(?:'{3,5})?)'''
    r"""|(?P<part>"(?:[^"\\\n]|\\[^\n])*"?|'[^'\n]*'?|[A-Za-z0-9_-]+)|(?P<point>\.)"""
    r"|(?P<comment>#[^\n]*)|(?P<space>[ \t]+)|(?P<other>.)",
    re.DOTALL,
)
_MOST_PARTS: Final = 64


def _too_deep(text: str) -> int | None:
    """The line of the first dotted key of more than 64 parts, None without one.

    `tomllib` keeps every beginning of a key, so that one of a few ten thousand parts takes all memory.
    """
    if text.count(".") < _MOST_PARTS:
        return None
    points, is_open = 0, False
    for piece in _PIECE.finditer(text):
        kind = piece.lastgroup
        if kind == "space":
            continue
        if kind == "point" and is_open:
            points += 1
            if points >= _MOST_PARTS:
                return text.count("\n", 0, piece.start()) + 1
        elif kind != "part" or is_open:
            points = 0
        is_open = kind == "part"
    return None


@dataclass(frozen=True, slots=True)
class TomlDocument:
    """What a file says; `file` is where it stands, for those who read what is wrong with it."""

    file: str
    content: dict[str, object]
    lines: KeyLines

    def faults(self, findings: Iterable[tuple[KeyPath, str]]) -> list[Fault]:
        """The findings with their lines, in the order of the file."""
        faults = [Fault(self.file, self.lines.find(at), dotted(at), message) for at, message in findings]
        return sorted(faults, key=lambda fault: fault.line or 0)


def text_of(path: Path, *, if_missing: str) -> str | Fault:
    """The file's text, byte for byte, or why it cannot be had; `if_missing` is the next step without one."""
    try:
        with path.open("rb") as stream:
            raw = stream.read(_LARGEST_FILE + 1)
    except FileNotFoundError:
        return Fault(str(path), None, "", f"does not exist; {if_missing}")
    except OSError as error:
        return Fault(str(path), None, "", f"cannot be read: {error.strerror}")
    if len(raw) > _LARGEST_FILE:
        return Fault(str(path), None, "", f"is larger than {_LARGEST_FILE} bytes")
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        return Fault(str(path), line, "", "is not UTF-8 text, as TOML has to be")


def document_of(text: str, file: str, *, parse_float: Callable[[str], Any] = float) -> TomlDocument | Fault:
    """The document that the text is, or why it is none; `parse_float` makes a number of one with a point."""
    deep = _too_deep(text)
    if deep is not None:
        return Fault(file, deep, "", "is nested too deeply")
    try:
        return TomlDocument(file, tomllib.loads(text, parse_float=parse_float), KeyLines(text))
    except RecursionError:
        return Fault(file, None, "", "is nested too deeply")
    except ValueError as error:  # not TOMLDecodeError alone: a number of 5,000 digits is a plain ValueError
        return _syntax_fault(file, str(error), text)


def _syntax_fault(file: str, message: str, text: str) -> Fault:
    """Before Python 3.14, tomllib says where only in its message."""
    long = _LONG_NUMBER.search(text)
    if long is not None and "set_int_max_str_digits" in message:
        return Fault(
            file, text.count("\n", 0, long.start()) + 1, "", "is not valid TOML: a number has too many digits"
        )
    position = _POSITION.search(message)
    if position is not None:
        said = f"{message[: position.start()]}, at column {position[2]}"
        return Fault(file, int(position[1]), "", f"is not valid TOML: {said}")
    line = text.rstrip().count("\n") + 1 if message.endswith(_AT_END) else None
    return Fault(file, line, "", f"is not valid TOML: {message}")
