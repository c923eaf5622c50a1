"""Text that came from a venue or from another person is data: short, and with nothing hidden in it."""

import unicodedata
from typing import Annotated

from pydantic import BeforeValidator

MAX_LENGTH = 120

# Cc controls, Cf formats (bidi overrides, zero-width), Cs surrogates, Co private use, Zl/Zp line breaks.
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def visible(raw: str, limit: int = MAX_LENGTH) -> str:
    """The text with every invisible or reordering character spelled out as `\\u{…}`, cut at `limit` characters.

    The visible marks are Unicode's general categories of control, format, surrogate, private use,
    unassigned, line and paragraph separators (Unicode Standard, section 4.5).
    """
    cut = raw[:limit]
    shown = "".join(f"\\u{{{ord(c):x}}}" if unicodedata.category(c) in _HIDDEN else c for c in cut)
    return shown if len(raw) <= limit else f"{shown}… ({len(raw)} characters)"


def _visible_or_same(value: object) -> object:
    return visible(value) if isinstance(value, str) else value


VenueText = Annotated[str, BeforeValidator(_visible_or_same)]
"""A string that a venue or a third person wrote."""
