"""The least that an MCP server over stdio can be: a low-level SDK server, and one tool that does nothing."""

from typing import Any

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

Context = ServerRequestContext[Any]

_NOTHING = types.Tool(
    name="nothing",
    description="Does nothing.",
    input_schema={"type": "object", "properties": {}, "additionalProperties": False},
    output_schema={"type": "object", "properties": {}, "additionalProperties": False},
)


async def _list_tools(
    _context: Context, _params: types.PaginatedRequestParams | None
) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[_NOTHING])


async def _call_tool(_context: Context, _params: types.CallToolRequestParams) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text="{}")], structured_content={})


async def _main() -> None:
    server: Server[Any] = Server("bare", version="1", on_list_tools=_list_tools, on_call_tool=_call_tool)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(_main)
