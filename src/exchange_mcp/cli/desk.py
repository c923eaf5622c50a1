"""exchange-mcp desk: hold the trading keys, and send what an approver signed."""

from pathlib import Path
from typing import Any

import click

from exchange_mcp.cli.desk_options import setup_options


@click.command("desk")
@click.option(
    "--config",
    "file",
    type=click.Path(path_type=Path),
    help="Configuration file [default: the user's desk.toml].",
)
@setup_options
def command(file: Path | None, *, is_setup: bool, **said: Any) -> None:  # noqa: ANN401 - the options above
    """Hold trading keys, and send what an approver signed."""
    if not is_setup:
        raise click.UsageError("this version sets a desk up, with --setup")
    from exchange_mcp.cli.desk_setup import set_up  # noqa: PLC0415 - imports the journal's database

    set_up(file, **said)
