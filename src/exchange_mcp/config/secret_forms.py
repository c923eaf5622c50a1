"""The forms in which one secret travels: raw, percent-encoded, JSON-escaped, as in a repr, in base64, in hex."""

import base64
import re
from collections.abc import Iterator

SHORTEST_SECRET = 6
"""Shorter texts have no forms: masking them would blot out ordinary words."""

_SHORTEST_LINE = 16
_LETTER_ESCAPES = {"\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f", "\v": "v", "\a": "a"}
# Text is often encoded again on its way; a handful of rounds is as far as a secret is followed.
_BACKSLASH = r"(?:\\|%(?:25){0,4}5[cC])"
_ROUNDS = 16
_ESCAPE = f"{_BACKSLASH}{{1,{_ROUNDS}}}"
_LATIN_1 = 0xFF


def forms_of(secret: str) -> Iterator[re.Pattern[str]]:
    """Patterns for the secret as it stands or escaped, for its lines, and for it inside base64 and hex."""
    texts = {secret, secret.strip()}
    texts |= {line for line in secret.splitlines() if len(line) >= _SHORTEST_LINE and "-----" not in line}
    for text in sorted(texts, key=len, reverse=True):
        if len(text) >= SHORTEST_SECRET:
            yield re.compile(_however_escaped(text))
    raw = secret.encode("utf-8", "surrogatepass")
    yield re.compile(_hex(raw.hex()))
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + raw).decode().rstrip("=")
        # The outer characters carry bits of the neighbours too, and differ with them.
        shared_with_next = (before + len(raw)) % 3 != 0
        inner = encoded[(0, 2, 3)[before] : len(encoded) - shared_with_next]
        last = r"[A-Za-z0-9+/_-]?(?:=|%3[dD]){0,2}" if shared_with_next else ""
        for alphabet in {inner, inner.translate({ord("+"): "-", ord("/"): "_"})}:
            yield re.compile(_however_escaped(alphabet) + last)


def _however_escaped(text: str) -> str:
    """A pattern for the text raw or escaped in any of these ways, also repeatedly, also in part."""
    return "".join(
        _character(len(run[1]), run[2]) for run in re.finditer(r"(\\*)([^\\]?)", text, re.DOTALL) if run[0]
    )


def _character(backslashes: int, character: str) -> str:
    """A pattern for a run of backslashes and what follows; each round of escaping doubles the run."""
    run = f"{_BACKSLASH}{{{backslashes},{backslashes * _ROUNDS}}}" if backslashes else ""
    if not character or (character.isascii() and character.isalnum()):
        return run + character
    plain = "|".join(_plain(character))
    escaped = "|".join(_escaped(character))
    return f"{run}(?:{plain}|{escaped})" if backslashes else f"(?:{plain}|{_ESCAPE}(?:{escaped}))"


def _plain(character: str) -> Iterator[str]:
    """The character itself, or percent-encoded."""
    yield re.escape(character)
    yield "".join(f"%(?:25){{0,4}}{_hex(byte)}" for byte in _utf8(character))
    if character == " ":
        yield r"(?:\+|%(?:25){0,4}2[bB])"


def _escaped(character: str) -> Iterator[str]:
    """What stands after a backslash for the character in JSON, and in the repr of a text or of its bytes."""
    utf16 = character.encode("utf-16-be", "surrogatepass").hex()
    yield _ESCAPE.join(f"u{_hex(utf16[at : at + 4])}" for at in range(0, len(utf16), 4))
    yield f"U{_hex(f'{ord(character):08x}')}"
    yield _ESCAPE.join(f"x{_hex(byte)}" for byte in _utf8(character))
    if ord(character) <= _LATIN_1:
        yield f"x{_hex(f'{ord(character):02x}')}"
    if character in _LETTER_ESCAPES:
        yield _LETTER_ESCAPES[character]
    if character in "\"'/":
        yield from _plain(character)


def _utf8(character: str) -> list[str]:
    return [f"{byte:02x}" for byte in character.encode("utf-8", "surrogatepass")]


def _hex(digits: str) -> str:
    return "".join(digit if digit.isdecimal() else f"[{digit}{digit.upper()}]" for digit in digits)
