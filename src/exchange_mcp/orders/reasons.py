"""Why figures are not known: collected while they are worked out, so that none can be None without a reason."""

from collections.abc import Mapping
from typing import Final

from exchange_mcp.orders.preview import Unknown

SPOT_HAS_NONE: Final = "spot has none"
IN_SETTLEMENT_ASSET: Final = "contracts are paid for in the settlement asset alone"
NO_PRICE: Final = "a market order has no price of its own"
NOT_AT_ONCE: Final = "nothing of it trades at once"
NO_POSITION: Final = "there is no position"
NEVER_LIQUIDATED: Final = "no price above zero liquidates the position"
NO_POSITION_THEN: Final = "there is no position then"

DOES_NOT_APPLY: Final = frozenset(
    {SPOT_HAS_NONE, IN_SETTLEMENT_ASSET, NO_PRICE, NOT_AT_ONCE, NO_POSITION, NO_POSITION_THEN}
)
"""Reasons why there is no such figure, of which nothing is missing."""


class Reasons:
    """What was said about figures; the first reason given for one stays."""

    def __init__(self) -> None:
        self._why: dict[str, str] = {}

    def say(self, why: str, *figures: str) -> None:
        """Give a reason for figures that cannot be worked out."""
        for figure in figures:
            self._why.setdefault(figure, why)

    def replace(self, why: str, *figures: str) -> None:
        """Give a reason that says more than an earlier one."""
        self._why.update(dict.fromkeys(figures, why))

    def copy(self, figure: str, other: str) -> None:
        """Give another figure the same reason."""
        if figure in self._why:
            self._why.setdefault(other, self._why[figure])

    def has(self, figure: str) -> bool:
        """Whether a reason was given for a figure."""
        return figure in self._why

    def unknown(self, figures: Mapping[str, object]) -> tuple[Unknown, ...]:
        """The figures that are None, those with one reason together; in the order of the figures."""
        grouped: dict[str, list[str]] = {}
        for name, value in figures.items():
            if value is None:
                grouped.setdefault(self._why.get(name, "it is not told"), []).append(name)
        return tuple(Unknown(figures=tuple(names), why=why) for why, names in grouped.items())
