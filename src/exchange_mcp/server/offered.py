"""What the server offers at a time: tools, and who answers their calls. A reload replaces both at once."""

from typing import TYPE_CHECKING, Any, Final

import mcp_types as types

from exchange_mcp.model.effects import Effect
from exchange_mcp.tools.answers import input_schema, output_schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from exchange_mcp.model.callers import Caller
    from exchange_mcp.server.calls import Calls
    from exchange_mcp.tools.registry import Registry
    from exchange_mcp.tools.spec import ToolSpec


ASKS_A_PERSON: Final = "anthropic/requiresUserInteraction"
"""Clients of this vendor ask their user before each call of a tool that says so, whatever was allowed before."""


def on_wire(spec: "ToolSpec") -> types.Tool:
    """A tool as tools/list shows it: every hint set, the commitment at the end of its description."""
    hints = spec.hints
    return types.Tool(
        name=spec.name,
        title=spec.title,
        description=f"{spec.description} Leaves behind: {spec.commitment}.",
        input_schema=input_schema(spec.arguments),
        output_schema=output_schema(spec.data),
        annotations=types.ToolAnnotations(
            title=spec.title,
            read_only_hint=hints.read_only.value,
            destructive_hint=hints.destructive.value,
            idempotent_hint=hints.idempotent.value,
            open_world_hint=hints.open_world.value,
        ),
        _meta={ASKS_A_PERSON: True} if spec.effect is Effect.WRITE else None,
    )


class Offered:
    """The tools as they are shown, and the `Calls` that answer them."""

    def __init__(self, registry: "Registry", calls: "Calls") -> None:
        self._registry = registry
        self._tools: Mapping[str, types.Tool] = {spec.name: on_wire(spec) for spec in registry}
        self.calls = calls

    def replace(self, registry: "Registry", calls: "Calls") -> bool:
        """Offer these from now on; whether tools/list says something else than before."""
        before = self._tools
        self._registry, self.calls = registry, calls
        self._tools = {spec.name: on_wire(spec) for spec in registry}
        return list(self._tools.items()) != list(before.items())

    @property
    def proposes(self) -> bool:
        """Whether there is a desk, so that something can be proposed or was."""
        return any(spec.asks_desk for spec in self._registry)

    def listed(self, caller: "Caller") -> list[types.Tool]:
        """What this caller may see."""
        return [self._tools[spec.name] for spec in self._registry.visible_to(caller)]

    def input_schema(self, name: str) -> dict[str, Any] | None:
        """The tool's input schema, if there is such a tool."""
        return self._tools[name].input_schema if name in self._tools else None
