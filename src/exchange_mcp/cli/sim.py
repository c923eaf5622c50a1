"""exchange-mcp sim: the simulated exchange, as a program of its own."""

from pathlib import Path

import click

from exchange_mcp.cli.places import places
from exchange_mcp.cli.ports import port_refused
from exchange_mcp.sim.program import run
from exchange_mcp.sim.rendezvous import Rendezvous, RendezvousError


@click.command("sim")
@click.option("--seed", default=1, show_default=True, help="What prices, books and balances follow from.")
@click.option(
    "--port",
    default=0,
    type=click.IntRange(0, 65535),
    help="TCP port on 127.0.0.1 [default: any that is free].",
)
@click.option(
    "--accounts", default=2, show_default=True, type=click.IntRange(1, 50), help="How many accounts it has."
)
@click.option(
    "--rendezvous",
    type=click.Path(path_type=Path),
    help="Where to publish port and keys [default: the user's state location].",
)
@click.option("--exit-with-stdin", is_flag=True, help="Stop at the end of standard input.")
def command(seed: int, port: int, accounts: int, rendezvous: Path | None, *, exit_with_stdin: bool) -> None:
    """Run a simulated exchange on loopback until it is interrupted.

    It speaks Binance's spot and USD-M REST format. An account with environment "sim" finds it through the
    rendezvous file.
    """
    path = rendezvous or places().rendezvous_file

    def ready(published: Rendezvous) -> None:
        labels = ", ".join(published.keys)
        click.echo(f"simulated exchange on 127.0.0.1:{published.port}, published in {path}; keys: {labels}")

    try:
        run(
            seed=seed,
            port=port,
            rendezvous_path=path,
            accounts=accounts,
            exit_with_stdin=exit_with_stdin,
            on_ready=ready,
        )
    except RendezvousError as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        if error.filename is not None:
            raise click.ClickException(f"{error.filename}: {error.strerror or error}") from None
        change = "leave --port out: any that is free is taken then"
        raise port_refused(error, "the simulated exchange at 127.0.0.1", port, change) from None
