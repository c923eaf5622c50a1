"""exchange-mcp serve: answer an MCP client over stdio."""

import os
import sys
from collections.abc import Collection
from pathlib import Path

import anyio
import click

from exchange_mcp.cli import wire
from exchange_mcp.cli.clock import SystemClock
from exchange_mcp.cli.configured import absolute, end_with_faults
from exchange_mcp.cli.places import places
from exchange_mcp.config.accepted import load_accepted
from exchange_mcp.config.faults import ConfigError
from exchange_mcp.config.logs import configure_logging
from exchange_mcp.config.redaction import Redactor
from exchange_mcp.config.serve import ServeConfig, load_serve, public_serve
from exchange_mcp.model.callers import Caller, Scope
from exchange_mcp.rules.venues import VENUES, check_account
from exchange_mcp.server.assembly import Keyed, LateVenues, keyed
from exchange_mcp.server.build import build
from exchange_mcp.server.calls import Calls, Limits
from exchange_mcp.server.stdio import serve
from exchange_mcp.tools.registry import builtin

_TO_A_PERSON = (
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
def command(file: Path | None, venues: tuple[str, ...]) -> None:
    """Serve an MCP client over stdin and stdout.

    With a configuration file, its accounts. Without one, public market data: of the venues named, or of
    every supported venue.
    """
    redactor = Redactor()
    source = _source(file, venues)
    try:
        config = _configuration(source, venues)
        accounts = keyed(config, environ=os.environ, redactor=redactor)
        accepted = load_accepted(places().accepted_file)
    except ConfigError as error:
        end_with_faults(error, source)
    configure_logging(config.log.format, config.log.level, redactor=redactor)
    if sys.stdin.isatty():
        click.echo(_TO_A_PERSON, err=True)
    anyio.run(_serve, config, accounts, accepted)


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


async def _serve(config: ServeConfig, accounts: tuple[Keyed, ...], accepted: Collection[str]) -> None:
    clock = SystemClock()
    cache = config.cache_directory or places().cache
    venues = LateVenues(
        accounts,
        cache,
        clock,
        accepted=accepted,
        check_seconds=config.keys.check_seconds,
        grace_seconds=config.keys.grace_seconds,
    )
    registry = builtin()
    limits = Limits(
        config.limits.deadline_seconds, config.limits.max_concurrent_calls, config.limits.max_pending_calls
    )
    calls = Calls(registry, [account.config.account for account in accounts], venues, clock, limits)
    caller = Caller(config.client, frozenset(Scope))
    server = build(registry, calls, lambda _: caller)
    await serve(server, wire.taken(), background=venues.run, close=venues.close)
