"""The one step that keeps secrets out of whatever leaves: logs, errors, answers.

It knows every secret that was loaded, in the forms in which a secret travels, and the shapes in which
credentials that it never saw travel: signatures, key headers, bearer tokens, listen keys, signed queries.
"""

import base64
import re
import traceback
from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import cast

from exchange_mcp.config.secret import MASK, Secret

SHORTEST_SECRET = 6
"""Fewer characters are not learned: they would blot out ordinary words. Credentials this short are refused."""

_SHORTEST_LINE = 16
_DEEPEST = 32
_TOO_DEEP = "[nested too deeply to be shown]"
_LETTER_ESCAPES = {"\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f", "\v": "v", "\a": "a"}
# Text is often encoded again on its way; a handful of rounds is as far as a secret is followed.
_BACKSLASH = r"(?:\\|%(?:25){0,4}5[cC])"
_ROUNDS = 16

_SEPARATOR = r"""\\{0,4}["']?\s*(?:[:=,]|%3D)\s*b?\\{0,4}["']?"""
_VALUE = r"""[^\s"'\\,;&<>(){}\[\]]"""
_NAME = (
    r"signature|listenKey|(?:proxy-)?authorization|X-MBX-APIKEY"
    r"|(?:[A-Z]{1,8}-){0,3}(?:B?API|ACCESS)-(?:KEY|SIGN|SIGNATURE|PASSPHRASE)"
)
_NAMED = re.compile(rf"\b(?:{_NAME}){_SEPARATOR}((?:(?:bearer|basic)\s+)?{_VALUE}+)", re.IGNORECASE)
_BEARER = re.compile(rf"\bbearer\s+({_VALUE}{{{SHORTEST_SECRET},}})", re.IGNORECASE)
_PRIVATE_KEY = re.compile(r"(-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:(?!-----END)[\s\S])*)")
_SIGNED = re.compile(r"\bsignature=", re.IGNORECASE)
_QUERY_END = re.compile(r"""[\s"'<>\\]|\Z""")
_QUERY_START = re.compile(r"""[^\s"'<>\\?]*\Z""")
_CREDENTIAL_FIELD = re.compile(
    rf"{_NAME}|api_?key|(?:api_?)?secret|passphrase|password|private_?key", re.IGNORECASE
)

_Span = tuple[int, int]


class Redactor:
    """Replaces by a mask every secret that it has learned, and every credential that it can tell by its shape."""

    def __init__(self) -> None:
        self._known: set[Secret] = set()
        self._forms: tuple[re.Pattern[str], ...] = ()

    def learn(self, secret: Secret | str) -> None:
        """Let this text pass no more; fewer than 6 characters are not learned."""
        known = secret if isinstance(secret, Secret) else Secret(secret)
        if len(known) < SHORTEST_SECRET or known in self._known:
            return
        self._known.add(known)
        # Replaced, not changed: another thread may be scrubbing.
        self._forms = (*self._forms, *_forms(known.reveal()))

    def scrub(self, text: str) -> str:
        """The text, with `[redacted]` for each secret in it and for what overlaps one."""
        spans = [span for form in self._forms for span in _occurrences(form, text)]
        spans += _shaped_like_credentials(text)
        return _masked(text, spans) if spans else text

    def scrub_value(self, value: object) -> object:
        """The same value made of plain data, each text in it scrubbed.

        Mappings, sequences and sets keep their elements, a value named like a credential is masked, a number
        becomes text only if a secret is in it, and an object of any other type becomes its scrubbed `repr`.
        """
        return self._scrub(value, _DEEPEST)

    def _scrub(self, value: object, depth: int) -> object:
        match value:
            case None | bool():
                return value
            case Secret():
                return MASK
            case str():
                return self.scrub(str(value))
            case int() | float() | Decimal():
                text = str(value)
                scrubbed = self.scrub(text)
                return value if scrubbed == text else scrubbed
            case bytes() | bytearray():
                return self.scrub(value.decode("utf-8", "backslashreplace"))
            case BaseException():
                return self.scrub("".join(traceback.format_exception_only(value)).strip())
            case Mapping() | list() | tuple() | set() | frozenset() if depth == 0:
                return _TOO_DEEP
            case Mapping():
                return self._scrub_fields(cast("Mapping[object, object]", value), depth)
            case list() | tuple() | set() | frozenset():
                return self._scrub_elements(cast("Collection[object]", value), depth)
            case _:
                return self.scrub(_repr(value))

    def _scrub_fields(self, fields: Mapping[object, object], depth: int) -> dict[object, object]:
        return {
            self._scrub(name, 0): MASK if _names_credential(name) else self._scrub(value, depth - 1)
            for name, value in fields.items()
        }

    def _scrub_elements(self, elements: Collection[object], depth: int) -> list[object] | tuple[object, ...]:
        match elements:
            case (name, _) if _names_credential(name):  # a header as a pair
                scrubbed = [self._scrub(name, 0), MASK]
            case _:
                scrubbed = [self._scrub(element, depth - 1) for element in elements]
        return tuple(scrubbed) if isinstance(elements, tuple) else scrubbed


def _forms(secret: str) -> Iterator[re.Pattern[str]]:
    """Patterns for the secret as it stands or escaped, for its lines, and for it inside base64."""
    texts = {secret, secret.strip()}
    texts |= {line for line in secret.splitlines() if len(line) >= _SHORTEST_LINE and "-----" not in line}
    for text in sorted(texts, key=len, reverse=True):
        if len(text) >= SHORTEST_SECRET:
            yield re.compile(_however_escaped(text))
    raw = secret.encode("utf-8", "surrogatepass")
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + raw).decode().rstrip("=")
        # The outer characters carry bits of the neighbours too, and differ with them.
        shared_with_next = (before + len(raw)) % 3 != 0
        inner = encoded[(0, 2, 3)[before] : len(encoded) - shared_with_next]
        last = r"[A-Za-z0-9+/_-]?(?:=|%3[dD]){0,2}" if shared_with_next else ""
        for alphabet in {inner, inner.translate({ord("+"): "-", ord("/"): "_"})}:
            yield re.compile(_however_escaped(alphabet) + last)


def _however_escaped(text: str) -> str:
    """A pattern for the text raw, percent-encoded, JSON-escaped or as Python shows it, also repeatedly or in part."""
    return "".join(
        _character(len(run[1]), run[2]) for run in re.finditer(r"(\\*)([^\\]?)", text, re.DOTALL) if run[0]
    )


def _character(backslashes: int, character: str) -> str:
    """A pattern for a run of backslashes and the character after it; each round of escaping doubles the run."""
    run = f"{_BACKSLASH}{{{backslashes},{backslashes * _ROUNDS}}}" if backslashes else ""
    if not character or (character.isascii() and character.isalnum()):
        return run + character
    percent = "".join(
        f"%(?:25){{0,4}}{_hex(f'{byte:02x}')}" for byte in character.encode("utf-8", "surrogatepass")
    )
    plain = [re.escape(character), percent, *([r"\+"] if character == " " else [])]
    utf16 = character.encode("utf-16-be", "surrogatepass").hex()
    escaped = [
        "".join(
            f"{'' if at == 0 else _some_backslashes(1)}u{_hex(utf16[at : at + 4])}"
            for at in range(0, len(utf16), 4)
        ),
        f"U{_hex(f'{ord(character):08x}')}",
        *([f"x{_hex(f'{ord(character):02x}')}"] if ord(character) < 256 else []),
        *([_LETTER_ESCAPES[character]] if character in _LETTER_ESCAPES else []),
        *([re.escape(character)] if character in "\"'/" else []),
    ]
    if backslashes:
        return f"{run}(?:{'|'.join(plain + escaped)})"
    return f"(?:{'|'.join(plain)}|{_some_backslashes(1)}(?:{'|'.join(escaped)}))"


def _some_backslashes(least: int) -> str:
    return f"{_BACKSLASH}{{{least},{_ROUNDS}}}"


def _hex(digits: str) -> str:
    return "".join(digit if digit.isdecimal() else f"[{digit}{digit.upper()}]" for digit in digits)


def _occurrences(form: re.Pattern[str], text: str) -> Iterator[_Span]:
    """Also those that overlap: after masking one of them, no other may be left half readable."""
    found = form.search(text)
    while found is not None:
        yield found.span()
        found = form.search(text, found.start() + 1)


def _shaped_like_credentials(text: str) -> Iterator[_Span]:
    for pattern in (_NAMED, _BEARER, _PRIVATE_KEY):
        for found in pattern.finditer(text):
            yield found.span(1)
    done = 0
    for found in _SIGNED.finditer(text):
        if found.start() >= done:
            start = _QUERY_START.search(text, done, found.start())
            end = _QUERY_END.search(text, found.end())
            done = end.start() if end else len(text)
            yield (start.start() if start else found.start()), done


def _masked(text: str, spans: Sequence[_Span]) -> str:
    pieces: list[str] = []
    shown_from = 0
    masked_to = -1
    for start, end in sorted(spans):
        if start > masked_to:
            pieces += [text[shown_from:start], MASK]
        masked_to = max(masked_to, end)
        shown_from = masked_to
    return "".join([*pieces, text[shown_from:]])


def _names_credential(name: object) -> bool:
    text = name.decode("latin-1") if isinstance(name, bytes) else name
    return isinstance(text, str) and _CREDENTIAL_FIELD.fullmatch(text) is not None


def _repr(value: object) -> str:
    try:
        return repr(value)
    except Exception as error:  # noqa: BLE001 - a log line must not fail because of what it shows
        return f"<{type(value).__name__}, whose repr raised {type(error).__name__}>"
