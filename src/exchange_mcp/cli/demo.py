"""exchange-mcp demo: everything on a simulated exchange, with no key and no network."""

import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import anyio
import click
from mcp.shared.exceptions import MCPError

from exchange_mcp.cli.launch import MODULE, pasted
from exchange_mcp.cli.places import places
from exchange_mcp.cli.transcript import Transcript
from exchange_mcp.config.toml_text import NotUnicodeError, quoted

_ACCOUNTS: Final = """\
client = "demo"

[log]
level = "error"

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

[accounts.trading]
venue = "binance"
environment = "sim"
market_types = ["linear"]
sim_key = "trader"
rendezvous = {rendezvous}
"""

# What a cautious operator might write; the order that the demo previews breaks two of its limits.
_POLICY: Final = """\
[policy]
reference = "USDT"
max_price_age_seconds = 30
accounts = ["main"]
symbols = ["BTC/USDT:USDT"]
order_types = ["limit", "market"]
max_order_notional = 5000
max_daily_notional = 20000
max_leverage = 10
max_price_distance_percent = 1
max_open_orders = 20
max_orders_per_minute = 6
max_daily_loss = 500

[[policy.forbid]]
reason = "a position is closed before the other side is opened"
effects = ["flips"]
"""
_ORDERS: Final = (
    '{"symbol": "BTC/USDT:USDT", "side": "sell", "type": "market", "amount": "0.4"}',
    '{"symbol": "BTC/USDT:USDT", "side": "sell", "type": "market", "amount": "0.04"}',
)

_PASTE: Final = "Paste this into your MCP client's configuration. Ctrl-C ends the simulated exchange."


@click.command("demo")
@click.option("--serve", "stays", is_flag=True, help="Stay up, and print what to paste into an MCP client.")
def command(*, stays: bool) -> None:
    """Start a simulated exchange and a server, and ask it what a trader would ask."""
    try:
        if stays:
            _stay(places().state / "demo")
        else:
            with tempfile.TemporaryDirectory(prefix="exchange-mcp-demo-") as directory:
                _show(Path(directory))
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise click.ClickException(f"{where}{error.strerror or error}") from None


def _show(place: Path) -> None:
    with _simulated_exchange(place) as (_, config):
        try:
            transcript = Transcript()
            anyio.run(transcript.run, [*MODULE, "serve", "--config", str(config)], place / "state")
        except BaseExceptionGroup as group:
            ended, others = group.split(MCPError)
            if ended is None or others is not None:
                raise
            raise click.ClickException("the server ended before it answered; its reason is above") from None
        (place / "policy.toml").write_text(_POLICY, encoding="utf-8")
        accounts = ["--config", "serve.toml"]
        transcript.command("Do my limits hold?", ["policy", "check", "policy.toml", *accounts], place)
        for order in _ORDERS:
            asked = ["explain", "policy.toml", "--order", order, "--account", "main", *accounts]
            transcript.command("Would they allow this order?", ["policy", *asked], place)


def _stay(place: Path) -> None:
    for missing in reversed([each for each in (place, *place.parents) if not each.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)
    with _simulated_exchange(place) as (exchange, config):
        try:
            click.echo(pasted("exchange-mcp-demo", MODULE, ["serve", "--config", str(config)]))
            click.echo(_PASTE, err=True)
            code = exchange.wait()
        except KeyboardInterrupt:
            click.echo("", err=True)
            return
        if code:
            raise click.ClickException(f"the simulated exchange ended with code {code}")


@contextmanager
def _simulated_exchange(place: Path) -> Generator[tuple[subprocess.Popen[str], Path]]:
    """The exchange in a process of its own, which ends with this one whatever happens, and a serve.toml for it."""
    rendezvous = place / "rendezvous.json"
    arguments = ["sim", "--rendezvous", str(rendezvous), "--exit-with-stdin"]
    with subprocess.Popen(  # noqa: S603 - our own program
        [*MODULE, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as exchange:
        assert exchange.stdout is not None  # noqa: S101 - asked for above
        assert exchange.stdin is not None  # noqa: S101 - as above
        try:
            if not exchange.stdout.readline():
                raise click.ClickException("the simulated exchange did not start; its reason is above")
            config = place / "serve.toml"
            config.write_text(_accounts(rendezvous, place / "cache"), encoding="utf-8")
            yield exchange, config
        finally:
            exchange.stdin.close()
            exchange.wait()


def _accounts(rendezvous: Path, cache: Path) -> str:
    try:
        return _ACCOUNTS.format(rendezvous=quoted(str(rendezvous)), cache=quoted(str(cache)))
    except NotUnicodeError as error:
        raise click.ClickException(f"{error}: not a UTF-8 path; set TMPDIR or HOME to one that is") from None
