"""The one step that keeps secrets out of whatever leaves: logs, errors, answers.

It knows every secret that was loaded, in the forms in which a secret travels, and the shapes in which
credentials that it never saw travel: signatures, key headers, bearer tokens, listen keys, signed queries.
"""

import math
import re
import threading
import traceback
from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import cast

from exchange_mcp.config.credential_shapes import credentials_in, names_credential
from exchange_mcp.config.secret import MASK, Secret
from exchange_mcp.config.secret_forms import SHORTEST_SECRET, forms_of

_DEEPEST = 32
_TOO_DEEP = "[nested too deeply to be shown]"

_Span = tuple[int, int]


class Redactor:
    """Masks every secret that it has learned, and every credential that it can tell by its shape."""

    def __init__(self) -> None:
        self._known: set[Secret] = set()
        self._forms: tuple[re.Pattern[str], ...] = ()
        self._learning = threading.Lock()

    def learn(self, secret: Secret | str) -> None:
        """Let this text pass no more; fewer than 6 characters are not learned."""
        known = secret if isinstance(secret, Secret) else Secret(secret)
        if len(known) < SHORTEST_SECRET:
            return
        with self._learning:
            if known in self._known:
                return
            # Replaced, not changed: another thread may be scrubbing.
            self._forms = (*self._forms, *forms_of(known.reveal()))
            self._known.add(known)

    def scrub(self, text: str) -> str:
        """The text, with `[redacted]` for each secret in it and for what overlaps one."""
        spans = [span for form in self._forms for span in _occurrences(form, text)]
        spans += credentials_in(text)
        return _masked(text, spans) if spans else text

    def scrub_value(self, value: object) -> object:
        """The same value as data that JSON has, each text in it scrubbed.

        A value that is named like a credential is masked, a number with a secret in it becomes text, and an
        object of any other type becomes its scrubbed `repr`. Nesting beyond 32 levels is cut off.
        """
        return self._scrub(value, _DEEPEST)

    def _scrub(self, value: object, depth: int) -> object:
        match value:
            case None | bool():
                return value
            case int() | float():
                return self._scrub_number(value)
            case Mapping() | list() | tuple() | set() | frozenset() if depth == 0:
                return _TOO_DEEP
            case Mapping():
                return self._scrub_fields(cast("Mapping[object, object]", value), depth)
            case list() | tuple() | set() | frozenset():
                return self._scrub_elements(cast("Collection[object]", value), depth)
            case _:
                return self.scrub(_as_text(value))

    def _scrub_number(self, number: float) -> object:
        text = str(number)
        scrubbed = self.scrub(text)
        is_json = isinstance(number, int) or math.isfinite(number)
        return number if is_json and scrubbed == text else scrubbed

    def _scrub_fields(self, fields: Mapping[object, object], depth: int) -> dict[str, object]:
        return {
            self.scrub(_as_text(name)): MASK if names_credential(name) else self._scrub(value, depth - 1)
            for name, value in fields.items()
        }

    def _scrub_elements(self, elements: Collection[object], depth: int) -> list[object]:
        match elements:
            case (name, _) if names_credential(name):  # a header as a pair
                return [self._scrub(name, depth - 1), MASK]
            case _:
                return [self._scrub(element, depth - 1) for element in elements]


def _occurrences(form: re.Pattern[str], text: str) -> Iterator[_Span]:
    """Also those that overlap: after masking one of them, no other may be left half readable."""
    found = form.search(text)
    while found is not None:
        yield found.span()
        found = form.search(text, found.start() + 1)


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


def _as_text(value: object) -> str:
    match value:
        case str() | Secret() | Decimal():
            return str(value)
        case bytes() | bytearray():
            return value.decode("utf-8", "backslashreplace")
        case BaseException():
            return "".join(traceback.format_exception_only(value)).strip()
        case _:
            try:
                return repr(value)
            except Exception as error:  # noqa: BLE001 - a log line must not fail because of what it shows
                return f"<{type(value).__name__}, whose repr raised {type(error).__name__}>"
