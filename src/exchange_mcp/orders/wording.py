"""How a number and a name are written in a sentence or on the screen: plain, and in a restricted alphabet."""

from decimal import Decimal
from typing import Final

from exchange_mcp.model.decimals import CONTEXT, text

ALPHABET: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 .,:;/%()+-=_#'*")
"""Every character that a line of the screen may have. `<` and `>` stand only around the number of another one."""

_LONGEST: Final = 80


def shown(number: Decimal) -> str:
    """A number without trailing zeros and without an exponent."""
    return text(CONTEXT.normalize(number)) if number else "0"


def plain(name: str) -> str:
    """A name, each character outside the alphabet as its number, such as <U+202E>; cut at 80 characters.

    Two different names of at most 80 characters never look the same: what spells a character out is itself spelled out.
    """
    if len(name) <= _LONGEST and ALPHABET.issuperset(name):
        return name
    spelled = "".join(c if c in ALPHABET else f"<U+{ord(c):04X}>" for c in name[:_LONGEST])
    return spelled if len(name) <= _LONGEST else f"{spelled}... ({len(name)} characters)"


def values(below: Decimal | None, above: Decimal | None, unit: str) -> str:
    """The nearest valid values, as the end of a sentence."""
    named = [shown(value) for value in (below, above) if value is not None]
    if not named:
        return "no value is valid here"
    if len(named) == 1 or named[0] == named[1]:
        return f"the nearest valid value is {named[0]} {plain(unit)}"
    return f"the nearest valid values are {named[0]} and {named[1]} {plain(unit)}"
