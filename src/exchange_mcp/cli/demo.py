"""exchange-mcp demo: everything on a simulated exchange, with no key and no network."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import anyio
import click

from exchange_mcp.cli.transcript import Transcript
from exchange_mcp.config.locations import home_directory, locations

_ACCOUNTS = """\
client = "demo"

[log]
level = "warning"

[cache]
directory = {cache}

[accounts.main]
venue = "binance"
environment = "sim"
sim_key = "reader"
rendezvous = {rendezvous}

[accounts.hedged]
venue = "binance"
environment = "sim"
sim_key = "reader-alt"
rendezvous = {rendezvous}
"""


@click.command("demo")
@click.option("--serve", "stays", is_flag=True, help="Stay up, and print what to paste into an MCP client.")
def command(*, stays: bool) -> None:
    """Start a simulated exchange and a server, and ask it what a trader would ask."""
    if stays:
        _stay()
        return
    with tempfile.TemporaryDirectory(prefix="exchange-mcp-demo-") as directory:
        place = Path(directory)
        with _simulated_exchange(place / "rendezvous.json"):
            config = _configure(place, place / "rendezvous.json")
            anyio.run(
                Transcript().run, [sys.executable, "-m", "exchange_mcp", "serve", "--config", str(config)]
            )


def _stay() -> None:
    place = locations(os.environ, home_directory(os.environ)).state / "demo"
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _simulated_exchange(place / "rendezvous.json") as exchange:
        config = _configure(place, place / "rendezvous.json")
        server = {"command": sys.executable, "args": ["-m", "exchange_mcp", "serve", "--config", str(config)]}
        click.echo(json.dumps({"mcpServers": {"exchange-mcp-demo": server}}, indent=2))
        click.echo(
            "Paste this into your MCP client's configuration. Ctrl-C ends the simulated exchange.", err=True
        )
        try:
            exchange.wait()
        except KeyboardInterrupt:
            click.echo("", err=True)


def _configure(place: Path, rendezvous: Path) -> Path:
    config = place / "serve.toml"
    # A JSON string is a TOML basic string, whatever characters a path has.
    config.write_text(
        _ACCOUNTS.format(rendezvous=json.dumps(str(rendezvous)), cache=json.dumps(str(place / "cache"))),
        encoding="utf-8",
    )
    return config


@contextmanager
def _simulated_exchange(rendezvous: Path) -> Generator[subprocess.Popen[str]]:
    """The simulated exchange in a process of its own, which ends with this one whatever happens."""
    arguments = ["sim", "--rendezvous", str(rendezvous), "--exit-with-stdin"]
    exchange = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-m", "exchange_mcp", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with exchange:
        assert exchange.stdout is not None and exchange.stdin is not None  # noqa: S101, PT018 - asked for above
        if not exchange.stdout.readline():
            raise click.ClickException("the simulated exchange did not start; its reason is above")
        try:
            yield exchange
        finally:
            exchange.stdin.close()
            exchange.wait()
