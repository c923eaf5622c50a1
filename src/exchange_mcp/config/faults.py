"""What can be wrong with what the operator wrote, said so that the next step is clear.

Exception
├── ConfigError     serve.toml, or what was asked for in its place, cannot be used
└── SecretError     a secret that is referred to cannot be read

Both end the start before anything was sent. Neither ever carries the value of a secret.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]{1,32}")
# A key of the file is a word or two. What is longer may be a secret that was pasted in a wrong place.
_SHOWN_KEY_CHARACTERS = 32
_BEGINNING = 4

KeyPath = tuple[str | int, ...]
"""Where a value stands in a TOML document: table names and keys, and positions (from 0) in arrays."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong: the file, the line (from 1) if one is known, the dotted key, and a sentence.

    `file` is None where no file is involved; `key` is empty where the fault is of the whole file.
    """

    file: str | None
    line: int | None
    key: str
    message: str

    def __str__(self) -> str:
        place = "" if self.file is None else self.file + ("" if self.line is None else f":{self.line}")
        return ": ".join(part for part in (place, self.key, self.message) if part)


class ConfigError(Exception):
    """The configuration cannot be used; `faults` says why, each a line of its own in the text."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(map(str, self.faults)))


class SecretError(Exception):
    """A secret cannot be read; the text names the reference and the next step, never the value."""


def dotted(path: KeyPath) -> str:
    """The path as TOML would write it, on one line: `accounts.main.market_types[1]`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += ("." if text else "") + _key(part)
    return text


def _key(part: str) -> str:
    if _BARE_KEY.fullmatch(part):
        return part
    if len(part) > _SHOWN_KEY_CHARACTERS:
        return json.dumps(f"{part[:_BEGINNING]}... ({len(part)} characters)")
    return json.dumps(part)
