"""exchange-mcp: read exchange accounts from an MCP client, read-only by default."""

__version__ = "0.1.0"
