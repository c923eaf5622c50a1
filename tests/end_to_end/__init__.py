"""place_order, cancel_order and set_leverage from a real MCP client to the venue, through every process between."""
