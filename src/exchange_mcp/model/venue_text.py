"""Text that came from a venue or from another person is data: short, and with nothing hidden in it."""

import re
import unicodedata
from typing import Annotated

from pydantic import BeforeValidator

MAX_LENGTH = 120

# Cc controls, Cf formats (bidi overrides, zero-width), Cs surrogates, Co private use, Zl/Zp line breaks.
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}

# Letters and marks that show nothing: the assigned rest of Unicode's Default_Ignorable_Code_Point. Variation
# selectors among them can carry a whole hidden message behind one visible character
# (Unicode Standard, section 5.21).
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def visible(raw: str, limit: int = MAX_LENGTH) -> str:
    r"""The text cut at `limit` characters, every invisible or reordering one spelled out as `\u{…}`.

    Spelled out are Unicode's general categories of control, format, surrogate, private use, unassigned,
    line and paragraph separators (Unicode Standard, section 4.5), and what is by default ignorable.
    """
    if len(raw) <= limit and raw.isascii() and raw.isprintable():
        return raw
    cut = raw[:limit]
    shown = "".join(f"\\u{{{ord(c):x}}}" if _is_hidden(c) else c for c in cut)
    return shown if len(raw) <= limit else f"{shown}… ({len(raw)} characters)"


def _is_hidden(character: str) -> bool:
    return unicodedata.category(character) in _HIDDEN or _BLANK.match(character) is not None


def _visible_or_same(value: object) -> object:
    return visible(value) if isinstance(value, str) else value


VenueText = Annotated[str, BeforeValidator(_visible_or_same)]
"""A string that a venue or a third person wrote."""
