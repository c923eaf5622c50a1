"""exchange-mcp desk: hold the trading keys, and send what an approver signed."""

from pathlib import Path
from typing import Any

import click

from exchange_mcp.cli.at_desk import desk_options
from exchange_mcp.cli.desk_options import setup_options
from exchange_mcp.cli.signing import signer_options


@click.group("desk", invoke_without_command=True)
@click.option(
    "--config",
    "file",
    type=click.Path(path_type=Path),
    help="Configuration file [default: the user's desk.toml].",
)
@setup_options
@click.pass_context
def command(context: click.Context, file: Path | None, *, is_setup: bool, **said: Any) -> None:  # noqa: ANN401 - the options above
    """Hold trading keys, and send what an approver signed."""
    if context.invoked_subcommand is not None:
        return
    if not is_setup:
        raise click.UsageError("this version sets a desk up, with --setup")
    from exchange_mcp.cli.desk_setup import set_up  # noqa: PLC0415 - imports the journal's database

    set_up(file, **said)


@command.command("accept")
@signer_options
@desk_options
def accepted(socket: Path | None, approver: str | None, key: Path | None, *, is_json: bool) -> None:
    """Show how desk.toml differs from what was accepted, what it newly permits first, and sign that it counts.

    Until then the running desk opens nothing by it.
    """
    from exchange_mcp.cli.desk_accept import accept  # noqa: PLC0415 - imports what judges a configuration

    accept(socket, approver, key, is_json=is_json)
