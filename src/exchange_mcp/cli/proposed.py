"""A proposal by hand over the proposal socket, as the client whose credential it shows."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from exchange_mcp.link.messages import Action

if TYPE_CHECKING:
    from exchange_mcp.cli.propose import Way


def propose_as_client(action: Action, tool: str, request: Mapping[str, object], way: "Way") -> None:
    """Propose it, and say what the desk answers."""
    del action, tool, request, way
    raise click.UsageError("this version proposes by hand with --operator")
