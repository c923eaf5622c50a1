"""exchange-mcp desk: hold the trading keys, and send what an approver signed."""

from importlib import import_module
from pathlib import Path
from typing import Any

import click

from exchange_mcp.cli.desk_options import given_options, setup_options


class _WithAccept(click.Group):
    """The desk itself, and what is said to one that runs; both are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The only one."""
        return ["accept"]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """The command of this name, loaded now."""
        if cmd_name != "accept":
            return None
        command: click.Command = import_module("exchange_mcp.cli.desk_accept").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """The list in `--help`."""
        with formatter.section("Commands"):
            formatter.write_dl(
                [("accept", "Show how desk.toml differs from what was accepted, and sign it.")]
            )


@click.command("desk", cls=_WithAccept, invoke_without_command=True)
@click.option(
    "--config",
    "file",
    type=click.Path(path_type=Path),
    help="Configuration file [default: the user's desk.toml].",
)
@click.option("--exit-with-stdin", is_flag=True, help="Stop at the end of standard input.")
@setup_options
@click.pass_context
def command(
    ctx: click.Context,
    file: Path | None,
    *,
    exit_with_stdin: bool,
    is_setup: bool,
    **said: Any,  # noqa: ANN401 - the options above
) -> None:
    """Hold trading keys, and send what an approver signed.

    SIGHUP reads the configuration again; SIGTERM ends the desk once every send has its outcome.
    """
    if ctx.invoked_subcommand is not None:
        ctx.obj = file
        return
    if is_setup:
        from exchange_mcp.cli.desk_setup import set_up  # noqa: PLC0415 - imports the journal's database

        set_up(file, **said)
        return
    given = given_options(said)
    if given:
        raise click.UsageError(f"{given[0]} belongs to --setup")
    from exchange_mcp.cli.desk_run import run_desk  # noqa: PLC0415 - as above

    run_desk(file, exit_with_stdin=exit_with_stdin)
