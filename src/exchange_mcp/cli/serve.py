"""exchange-mcp serve: answer an MCP client over stdio, or several over HTTP."""

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Final

import anyio
import click

from exchange_mcp.cli import wire
from exchange_mcp.cli.clock import SystemClock
from exchange_mcp.cli.configured import absolute, end_with_faults
from exchange_mcp.cli.entropy import SystemEntropy
from exchange_mcp.cli.places import places
from exchange_mcp.cli.registered import Registered
from exchange_mcp.config.accepted import load_accepted
from exchange_mcp.config.faults import ConfigError, Fault
from exchange_mcp.config.logs import configure_logging
from exchange_mcp.config.redaction import Redactor
from exchange_mcp.config.schema import HttpTable
from exchange_mcp.config.serve import ServeConfig, load_serve, public_serve
from exchange_mcp.model.callers import Caller, Scope
from exchange_mcp.rules.venues import VENUES, check_account
from exchange_mcp.server.assembly import keyed, keyed_desk
from exchange_mcp.server.build import build_over
from exchange_mcp.server.news import News
from exchange_mcp.server.running import Loaded, Running
from exchange_mcp.server.stdio import serve
from exchange_mcp.tools.registry import with_desk, without_desk

_TO_A_PERSON: Final = (
    "This is what an MCP client launches: it waits for one on standard input. Ctrl-C ends it. "
    "To see what it does: exchange-mcp demo"
)


@click.command("serve")
@click.option(
    "--config",
    "file",
    type=click.Path(path_type=Path),
    help="Configuration file [default: the user's serve.toml].",
)
@click.option(
    "--venue", "venues", multiple=True, help="Public market data of this venue, without a file; repeatable."
)
@click.option(
    "--transport",
    type=click.Choice(["stdio", "http"]),
    default="stdio",
    show_default=True,
    help="stdio: one client, which launches this. http: every client that has a token.",
)
@click.option("--address", help="IP address to listen on, in place of [http] address [default: 127.0.0.1].")
@click.option(
    "--port", type=click.IntRange(0, 65535), help="TCP port, in place of [http] port [default: 8765]."
)
def command(
    file: Path | None, venues: tuple[str, ...], transport: str, address: str | None, port: int | None
) -> None:
    """Serve an MCP client over stdin and stdout, or several over HTTP.

    With a configuration file, its accounts. Without one, public market data: of the venues named, or of
    every supported venue. SIGHUP, or exchange-mcp reload, reads the file again.
    """
    if transport == "stdio" and (address is not None or port is not None):
        raise click.UsageError("--address and --port belong to --transport http")
    redactor = Redactor()

    def load() -> Loaded:
        return _loaded(_source(file, venues), venues, redactor, address, port)

    source = _source(file, venues)
    try:
        loaded = load()
        if transport == "http":
            # uvicorn and what belongs to it; a server over stdio starts without.
            from exchange_mcp.cli.serve_http import Listening, listen  # noqa: PLC0415 - as above

            listening: Listening | None = listen(loaded.config.http, source)
        else:
            listening = None
    except ConfigError as error:
        end_with_faults(error, source)

    def logged(config: ServeConfig) -> None:
        configure_logging(config.log.format, config.log.level, redactor=redactor)

    logged(loaded.config)
    news = News()

    def apply(config: ServeConfig) -> None:
        if listening is not None:
            listening.renew(config.http)
        logged(config)

    running = Running(
        loaded,
        load,
        places().cache,
        SystemClock(),
        news,
        tools=lambda config: without_desk() if config.desk is None else with_desk(config.desk.tools),
        apply=apply,
        entropy=SystemEntropy(),
    )
    if listening is not None:
        anyio.run(listening.serve, running, news, source)
        return
    if sys.stdin.isatty():
        click.echo(_TO_A_PERSON, err=True)
    anyio.run(_serve_stdio, running, news, source)


def _loaded(
    source: Path | None,
    venues: tuple[str, ...],
    redactor: Redactor,
    address: str | None,
    port: int | None,
) -> Loaded:
    """The configuration and its secrets. Raises ConfigError."""
    try:
        config = _configuration(source, venues)
        config = replace(config, http=_listening(config.http, address, port))
        accounts = keyed(config, environ=os.environ, redactor=redactor)
        desk = None if config.desk is None else keyed_desk(config.desk, environ=os.environ, redactor=redactor)
        return Loaded(config, accounts, frozenset(load_accepted(places().accepted_file)), desk)
    except ConfigError as error:
        # A fault of a secret knows its account and not the file that refers to it.
        named = [replace(each, file=each.file or (source and str(source))) for each in error.faults]
        raise ConfigError(named) from None


def _listening(table: HttpTable, address: str | None, port: int | None) -> HttpTable:
    """The table with what the command line says in its place."""
    changed: dict[str, object] = {}
    if address is not None:
        try:
            changed["address"] = HttpTable.model_validate({"address": address}).address
        except ValueError:
            raise ConfigError(
                [Fault(None, None, "--address", 'expected an IP address, like "127.0.0.1"')]
            ) from None
    if port is not None:
        changed["port"] = port
    return table.model_copy(update=changed)


def _source(file: Path | None, venues: tuple[str, ...]) -> Path | None:
    """The file to read: the one named, else the user's own if it is there and no venue is named."""
    if file is not None and venues:
        raise click.UsageError("--config and --venue exclude each other: a file names its own accounts")
    default = places().serve_file
    if file is not None:
        return absolute(file)
    return default if not venues and _is_there(default) else None


def _configuration(source: Path | None, venues: tuple[str, ...]) -> ServeConfig:
    if source is not None:
        return load_serve(source, check=check_account, environ=os.environ)
    return public_serve(venues or tuple(VENUES), check=check_account)


def _is_there(file: Path) -> bool:
    """Whether anything stands there; what cannot be looked at or followed counts, so that reading it says why."""
    try:
        file.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


async def _serve_stdio(running: Running, news: News, source: Path | None) -> None:
    registered = Registered(running, places().running, "stdio", source)
    server = build_over(running.offered, lambda _: Caller(running.config.client, frozenset(Scope)), news)
    await serve(
        server, wire.taken(), background=registered.run, close=registered.close, reload=registered.reload
    )
