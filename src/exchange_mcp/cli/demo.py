"""exchange-mcp demo: everything on a simulated exchange, with no key and no network."""

import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final

import anyio
import click
from mcp.shared.exceptions import MCPError

from exchange_mcp.cli.demo_desk import show_desk
from exchange_mcp.cli.demo_reading import ask_what_a_trader_asks, try_limits
from exchange_mcp.cli.launch import MODULE, pasted
from exchange_mcp.cli.places import places
from exchange_mcp.cli.transcript import Transcript
from exchange_mcp.config.toml_text import NotUnicodeError, quoted
from exchange_mcp.desk.filesystems import check_place
from exchange_mcp.desk.journal_errors import UnsafePlaceError
from exchange_mcp.model.errors import ExchangeMcpError

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

_PASTE: Final = "Paste this into your MCP client's configuration. Ctrl-C ends the simulated exchange."


# A journal needs a file system that keeps what was synced; /tmp is often one that does not.
_BASES: Final = ("/var/tmp",)  # noqa: S108 - a directory of its own is made in it


@click.command("demo")
@click.option("--serve", "stays", is_flag=True, help="Stay up, and print what to paste into an MCP client.")
def command(*, stays: bool) -> None:
    """Start a simulated exchange, a server and a desk; ask what a trader would ask, and trade."""
    try:
        if stays:
            _stay(places().state / "demo")
        else:
            _show()
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise click.ClickException(f"{where}{error.strerror or error}") from None


def _show() -> None:
    # However this is told to end, what it started ends first.
    signal.signal(signal.SIGTERM, _interrupted)
    fit, why = fit_for_a_journal((tempfile.gettempdir(), *_BASES))
    with tempfile.TemporaryDirectory(prefix="exchange-mcp-demo-", dir=fit) as directory:
        place = Path(directory)
        with _simulated_exchange(place) as (_, config):
            transcript = Transcript()
            serve = [*MODULE, "serve", "--config", str(config)]
            _told(lambda: anyio.run(ask_what_a_trader_asks, transcript, serve, place / "asked"))
            try_limits(transcript, place)
            if why is not None:
                raise click.ClickException(f"no desk is shown: {why}; set TMPDIR to a place on a local disk")
            _told(lambda: show_desk(transcript, place, place / "rendezvous.json"))


def _interrupted(_number: int, _frame: FrameType | None) -> None:
    signal.raise_signal(signal.SIGINT)


def _told(part: Callable[[], None]) -> None:
    """Run this part; what ends it inside a client's tasks is told in a line."""
    try:
        part()
    except BaseExceptionGroup as group:
        said, others = group.split(click.ClickException)
        if said is not None and others is None:
            raise _first(said) from None
        ended, others = group.split(MCPError)
        if ended is None or others is not None:
            raise
        raise click.ClickException("the server ended before it answered; its reason is above") from None
    except ExchangeMcpError as error:
        raise click.ClickException(f"{error.message} {error.next_step}") from None


def _first(group: BaseExceptionGroup[click.ClickException]) -> click.ClickException:
    first = group.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first


def fit_for_a_journal(bases: Iterable[str]) -> tuple[Path | None, str | None]:
    """The first of these where a journal may lie; None with the reason, of the first, if it may in none of them."""
    why = None
    for base in bases:
        try:
            check_place(Path(base))
        except UnsafePlaceError as error:
            why = why or error.message
        else:
            if os.access(base, os.W_OK):
                return Path(base), None
    return None, why


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
