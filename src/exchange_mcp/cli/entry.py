"""The console script. Before anything else is imported it decides whether stdout belongs to an MCP client."""

import gc
import sys

from exchange_mcp.cli import wire


def main() -> None:
    """Run `exchange-mcp`."""
    wire.open_closed_streams()
    if sys.argv[1:2] == ["serve"] and not {"--help", "-h"} & set(sys.argv):
        wire.take()
        # Importing makes objects that stay; looking through them for garbage is a tenth of the start. The
        # server turns the collector on again once everything is imported.
        gc.disable()
    elif sys.__stdout__ is not None:
        # A terminal that lacks a character shows its number; nothing ends because of it.
        sys.__stdout__.reconfigure(errors="backslashreplace")
    from exchange_mcp.cli.commands import run  # noqa: PLC0415 - after stdout has been taken away

    run()
