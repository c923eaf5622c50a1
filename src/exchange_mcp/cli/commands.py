"""The group of commands; a command's module is imported when it is named."""

from importlib import import_module
from typing import Final

import click

from exchange_mcp import __version__

_COMMANDS: Final = {
    "init": "Set up an account; its key is checked before anything is written.",
    "serve": "Serve an MCP client over stdio, or several over HTTP.",
    "desk": "Set up, and run, what sends the orders that you approved.",
    "status": "Tell how the desk stands, and what waits for a person.",
    "console": "Print a link that opens the desk in a browser.",
    "approvals": "See what is proposed; approve it with your key, or decline it.",
    "halt": "Stop all sending at once, of the desk or of one account.",
    "resume": "Lift a halt, with an approver's signature.",
    "propose": "Propose an order, a cancel or a leverage by hand.",
    "intents": "List what was proposed and sent; say what became of an unknown.",
    "approvers": "Add, list and remove those who can approve.",
    "clients": "Add, list and remove those who propose; allow and block tools.",
    "cards": "Try at a practice system what a desk relies on, and record it.",
    "tokens": "Add, list and revoke the tokens of clients over HTTP.",
    "reload": "Let every running server read its configuration again.",
    "demo": "Show everything on a simulated exchange: no key, no network.",
    "sim": "Run the simulated exchange.",
    "matrix": "Print the annotation matrix.",
    "scope": "Tell what a key may do.",
    "policy": "Check the operator's policy, and see what it decides.",
    "egress": "Show what may leave the process; accept what another ccxt does.",
    "outcome": "Tell what a venue's answer to a write proves.",
    "audit": "Verify what a desk recorded, or print it.",
}


class Commands(click.Group):
    """Loads `cli/NAME.py` for the command NAME, and lists the commands without loading any."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names, in the order of use."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """The command of this name, loaded now."""
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = import_module(f"exchange_mcp.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """The list in `--help`."""
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="exchange-mcp")
def run() -> None:
    """Read exchange accounts from an MCP client; let it propose what a person approves."""
