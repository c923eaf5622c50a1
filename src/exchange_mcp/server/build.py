"""The MCP server over the registry: both protocol eras, one catch-all, answers as structure and equal text."""

from typing import TYPE_CHECKING, Any

import mcp_types as types
from mcp.server.lowlevel import Server

from exchange_mcp import __version__
from exchange_mcp.config.logs import get_logger
from exchange_mcp.model.errors import InternalError
from exchange_mcp.tools.answers import Envelope, compact, input_schema, output_schema

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.server.context import ServerRequestContext

    from exchange_mcp.model.callers import Caller
    from exchange_mcp.server.calls import Calls
    from exchange_mcp.tools.registry import Registry
    from exchange_mcp.tools.spec import ToolSpec

    Context = ServerRequestContext[Any]

_log = get_logger(__name__)

NAME = "exchange-mcp"

INSTRUCTIONS = (
    "Reads exchange accounts. It is read-only: no tool places, changes or cancels anything, and none takes "
    "money off an exchange. Start with list_accounts; preview_order tells what an order would do. Amounts and "
    "prices are exact decimal strings; null means the venue did not tell. Check `coverage.gaps` before saying "
    "that something is absent or complete."
)


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
    )


def build(registry: "Registry", calls: "Calls", identify: "Callable[[Context], Caller]") -> "Server[Any]":
    """The server; `identify` says who calls, from what the transport knows and never from the message."""
    tools = {spec.name: on_wire(spec) for spec in registry}

    async def on_list_tools(
        _ctx: "Context", _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=list(tools.values()))

    async def on_call_tool(ctx: "Context", params: types.CallToolRequestParams) -> types.CallToolResult:
        # What escapes a handler reaches legacy clients as str(exception), so nothing may.
        try:
            return as_result(await calls.call(params.name, params.arguments, identify(ctx)))
        except Exception:  # noqa: BLE001 - the one catch-all: logged, and answered as INTERNAL
            _log.exception("answering a call failed")
            return as_result(Envelope.failed(InternalError("an unexpected fault of the server")))

    return Server(
        NAME,
        version=__version__,
        title="exchange-mcp: exchange accounts, read-only",
        instructions=INSTRUCTIONS,
        on_list_tools=on_list_tools,
        on_call_tool=on_call_tool,
        get_tool_input_schema=lambda name: tools[name].input_schema if name in tools else None,
    )


def as_result(envelope: Envelope) -> types.CallToolResult:
    """The envelope as structured content and as the same compact JSON text."""
    structured = envelope.structured()
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=compact(structured))],
        structured_content=structured,
        is_error=envelope.error is not None,
    )
