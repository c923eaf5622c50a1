"""exchange-mcp console: a link that opens the desk's console in one browser of this machine, once."""

from pathlib import Path

import click

from exchange_mcp.cli.at_desk import at_desk, desk_options, print_json


@click.command("console")
@desk_options
def command(socket: Path | None, *, is_json: bool) -> None:
    """Print a link that opens the console in a browser on this machine. It works once, for two minutes.

    The console shows what waits; approving there takes a passkey (exchange-mcp approvers add NAME --passkey).
    """
    with at_desk(socket, is_json=is_json) as client:
        link = client.console_link()
    if is_json:
        print_json(link)
        return
    click.echo("Open this in a browser on this machine within two minutes; it works once:", err=True)
    click.echo(link.url)
