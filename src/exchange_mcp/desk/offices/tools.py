"""Which tools a client may use: the desk's own view of each tool's risk, and what an approver said by name. Pure.

A gateway's rules: what can do harm is blocked until it is allowed by name; what was said stays said when a tool
changes, and a tool that became more permissive than the one that was allowed is blocked until somebody looked at it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from exchange_mcp.desk.register import Allowance
from exchange_mcp.desk.statements import sha256_of
from exchange_mcp.link.messages import Action
from exchange_mcp.model.canonical import canonical_json

ACTIONS: Final[Mapping[str, Action]] = {
    "place_order": "place",
    "cancel_order": "cancel",
    "set_leverage": "leverage",
}
"""The tools that propose, and what each proposes."""

DESTRUCTIVE: Final = "destructive"

Widened = Callable[[Mapping[str, Any], Mapping[str, Any]], str | None]
"""What a declaration now allows that it did not before, or None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedTool:
    """One tool as this release of the desk knows it.

    Attributes:
        risk: read, write or destructive; source: what says so.
        declaration: JSON values; what is allowed is this.
    """

    name: str
    risk: str
    source: str
    declaration: Mapping[str, Any]

    @property
    def text(self) -> str:
        """The declaration's canonical text."""
        return canonical_json(self.declaration)

    @property
    def digest(self) -> str:
        """Of the declaration, in hex."""
        return sha256_of(self.text)


@dataclass(frozen=True, slots=True)
class ToolRuling:
    """Whether a client may use a tool, and why, in one sentence."""

    is_allowed: bool
    reason: str


def ruling(
    tool: OfferedTool, said: Allowance | None, widened: Callable[[Allowance, OfferedTool], str | None]
) -> ToolRuling:
    """Whether a client may use this tool, given what was said of it by name."""
    how = f"exchange-mcp clients allow CLIENT {tool.name}"
    if said is None:
        if tool.risk == DESTRUCTIVE:
            return ToolRuling(
                is_allowed=False,
                reason=f"It can do harm ({tool.source}), and nobody has allowed it by name: {how}.",
            )
        return ToolRuling(is_allowed=True, reason=f"Its risk is {tool.risk}; such tools need no word.")
    if not said.is_allowed:
        return ToolRuling(is_allowed=False, reason="The operator blocked it by name.")
    more = None if said.digest == tool.digest else widened(said, tool)
    if more is not None:
        return ToolRuling(
            is_allowed=False,
            reason=f"It was allowed as it was then, and now allows more: {more}. Look at it, then: {how}.",
        )
    return ToolRuling(is_allowed=True, reason="The operator allowed it by name.")
