"""Every tool that this server may show, collected once and checked; a bad declaration stops the start."""

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from exchange_mcp.model.callers import Caller
from exchange_mcp.tools import (
    accounts,
    annotation_matrix,
    balances,
    key_scope,
    market_data,
    open_orders,
    position_size,
    positions,
    preview_order,
)
from exchange_mcp.tools.spec import ToolSpec

# Clients have been seen that send only the first forty tools on to their model.
MOST_TOOLS: Final = 39

_FAMILIES: Final = (
    accounts,
    balances,
    positions,
    open_orders,
    market_data,
    preview_order,
    key_scope,
    position_size,
    annotation_matrix,
)

_READING: Final = tuple(spec for family in _FAMILIES for spec in family.TOOLS)


class BadToolError(Exception):
    """A declaration that may not be served; the message lists every fault."""


class Registry:
    """The tools by name, in a fixed order.

    Raises:
        BadToolError: a declaration has a fault, two share a name, or there are more than `MOST_TOOLS`.
    """

    def __init__(self, specs: Iterable[ToolSpec]) -> None:
        self._specs: dict[str, ToolSpec] = {}
        faults: list[str] = []
        for spec in specs:
            faults.extend(spec.faults())
            if spec.name in self._specs:
                faults.append(f"{spec.name}: declared twice")
            self._specs[spec.name] = spec
        if len(self._specs) > MOST_TOOLS:
            faults.append(f"{len(self._specs)} tools are more than {MOST_TOOLS}")
        if faults:
            raise BadToolError("; ".join(faults))

    def get(self, name: str) -> ToolSpec | None:
        """The tool of this name, if there is one."""
        return self._specs.get(name)

    def visible_to(self, caller: Caller) -> tuple[ToolSpec, ...]:
        """The tools that this caller may see and call, in the fixed order."""
        return tuple(spec for spec in self if spec.scope in caller.scopes)

    def __iter__(self) -> Iterator[ToolSpec]:
        return iter(self._specs.values())

    def __len__(self) -> int:
        return len(self._specs)


def without_desk() -> Registry:
    """The tools of a server that has no desk: none of them writes."""
    return Registry(_READING)


def with_desk(writing: Collection[str]) -> Registry:
    """The tools of a server that has a desk: those that propose which are named, and what every proposal needs."""
    # A server without a desk starts without the link.
    from exchange_mcp.tools import intents, proposals  # noqa: PLC0415 - as above

    return Registry([*_READING, *(spec for spec in proposals.TOOLS if spec.name in writing), *intents.TOOLS])


def builtin() -> Registry:
    """Every tool of this release, whatever the configuration."""
    from exchange_mcp.tools import proposals  # noqa: PLC0415 - as above

    return with_desk([spec.name for spec in proposals.TOOLS])
