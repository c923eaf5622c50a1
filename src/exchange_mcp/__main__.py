"""`python -m exchange_mcp` is `exchange-mcp`."""

from exchange_mcp.cli.entry import main

main()
