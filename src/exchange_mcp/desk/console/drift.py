"""What changed since a proposal, in two heaps: what has to be read, and figures that only follow the market. Pure.

Every market moves between two looks, so a list of all that differs is long each time, and nobody reads it when it
matters. Nothing is left out: what only drifted stands on the page too, folded.
"""

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Final

from exchange_mcp.model.decimals import divide, subtract

MOST_DRIFT: Final = Decimal("0.01")
"""As a share of the figure as it was proposed: what moved by less follows the market."""

# The figures that follow the market; a size, an effect, an order or a warning does not.
_FOLLOWING: Final = frozenset(
    {"worth", "worth at most", "expected price", "fee", "entry price", "liquidation", "free"}
)
_SENTENCE: Final = re.compile(r"(?P<label>[a-z ]+) was: (?P<old>.*); is now: (?P<new>.*)")
_NUMBER: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_WORTH: Final = ", worth "


def parted(changed: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The sentences that have to be read, and those of figures that drifted."""
    told = tuple(changed)
    drifted = tuple(each for each in told if _drifted(each))
    return tuple(each for each in told if each not in drifted), drifted


def _drifted(sentence: str) -> bool:
    found = _SENTENCE.fullmatch(sentence)
    if found is None:
        return False
    label, old, new = found.group("label", "old", "new")
    if label == "book":
        # How much others offer; what the order takes of it is in the price that is expected.
        return True
    if label == "position" and old.partition(_WORTH)[0] == new.partition(_WORTH)[0]:
        return _is_near(old, new)
    return label in _FOLLOWING and _is_near(old, new)


def _is_near(old: str, new: str) -> bool:
    """Whether both say the same but for numbers that hardly differ."""
    if _NUMBER.sub("#", old) != _NUMBER.sub("#", new):
        return False
    pairs = zip(_NUMBER.findall(old), _NUMBER.findall(new), strict=True)
    return all(_is_close(Decimal(before), Decimal(now)) for before, now in pairs)


def _is_close(before: Decimal, now: Decimal) -> bool:
    if not before:
        return before == now
    return abs(divide(subtract(now, before), before)) < MOST_DRIFT
