"""MCP plumbing: the one place that puts a venue into a tool's hand, and speaks the protocol."""
