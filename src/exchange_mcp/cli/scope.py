"""exchange-mcp scope: what may a key do?"""

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, Final

import anyio
import click

from exchange_mcp.cli.clock import SystemClock
from exchange_mcp.cli.configured import absolute, end_with_faults
from exchange_mcp.cli.key_words import checked_object, checked_text, explained_object, explained_text
from exchange_mcp.cli.places import places
from exchange_mcp.config.accepted import load_accepted
from exchange_mcp.config.accounts import AccountConfig
from exchange_mcp.config.faults import ConfigError
from exchange_mcp.config.logs import configure_logging
from exchange_mcp.config.redaction import Redactor
from exchange_mcp.config.serve import ServeConfig, load_serve
from exchange_mcp.model.accounts import Environment
from exchange_mcp.model.scopes import KeyScope, Role
from exchange_mcp.model.venue_text import visible
from exchange_mcp.rules.key_verdicts import judge
from exchange_mcp.rules.venues import check_account
from exchange_mcp.server.assembly import keyed
from exchange_mcp.server.key_checks import Checked, check_keys
from exchange_mcp.venue.scope import QUESTIONS, scope_of, without_question

# More than any venue says about a key; what is longer is no such answer.
_MOST_BYTES: Final = 1_000_000


@click.group("scope")
def command() -> None:
    """Tell what a key may do."""


@command.command("check")
@click.argument("account", required=False)
@click.option(
    "--config",
    "file",
    type=click.Path(path_type=Path),
    help="Configuration file [default: the user's serve.toml].",
)
@click.option(
    "--role",
    type=click.Choice([role.value for role in Role]),
    default=Role.SERVE.value,
    show_default=True,
    help="Who would use the key.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list, an object an account.")
def check(account: str | None, file: Path | None, role: str, *, as_json: bool) -> None:
    """Ask the venue of ACCOUNT, or of every account, what its key may do, and say whether it is accepted.

    The exit code is 0 if all is in order, 1 if a key is refused or a live account's venue does not answer, and 2 if
    the configuration is broken.
    """
    source = places().serve_file if file is None else absolute(file)
    redactor = Redactor()
    try:
        config = load_serve(source, check=check_account, environ=os.environ)
        chosen = _chosen(config, account)
        accounts = keyed(replace(config, accounts=chosen), environ=os.environ, redactor=redactor)
        accepted = load_accepted(places().accepted_file)
    except ConfigError as error:
        end_with_faults(error, source)
    configure_logging("console", "error", redactor=redactor)

    async def ask() -> tuple[Checked, ...]:
        return await check_keys(accounts, role=Role(role), clock=SystemClock(), accepted=accepted)

    found = anyio.run(ask)
    if as_json:
        click.echo(json.dumps([checked_object(each) for each in found], indent=2))
    else:
        click.echo("\n\n".join(checked_text(each) for each in found))
    if not all(each.is_in_order for each in found):
        sys.exit(1)


def _chosen(config: ServeConfig, name: str | None) -> tuple[AccountConfig, ...]:
    if name is None:
        return config.accounts
    chosen = tuple(each for each in config.accounts if each.account.name == name)
    if not chosen:
        names = ", ".join(each.account.name for each in config.accounts)
        raise click.UsageError(f'there is no account "{visible(name)}"; there are: {names}')
    return chosen


@command.command("explain")
@click.argument("venue")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def explain(venue: str, *, as_json: bool) -> None:
    """Read a venue's raw answer about a key from standard input, and say what it means.

    No key and no network are needed: this shows how an answer is read. Nothing is an error here; what cannot be
    read is unknown. The verdicts are those for a live account. In JSON, expires_at is when the key ends (UTC), or
    null.
    """
    scope = explained(venue, sys.stdin.buffer)
    now_ms = SystemClock().now_ms()
    verdicts = {role: judge(scope, role=role, environment=Environment.LIVE, now_ms=now_ms) for role in Role}
    click.echo(
        json.dumps(explained_object(scope, verdicts), indent=2)
        if as_json
        else explained_text(scope, verdicts)
    )


def explained(venue: str, stream: BinaryIO) -> KeyScope:
    """The scope that a stream's answer tells; unknown where it holds none."""
    if venue not in QUESTIONS:
        return without_question(venue)
    try:
        body = stream.read(_MOST_BYTES + 1)
    except OSError:
        return KeyScope.unknown(venue, "standard input cannot be read")
    if len(body) > _MOST_BYTES:
        return KeyScope.unknown(venue, "the answer is longer than any that a venue gives about a key")
    try:
        raw = json.loads(body.decode(), object_pairs_hook=_once, parse_float=str, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return KeyScope.unknown(venue, "the answer is not JSON in which every name stands once")
    return scope_of(venue, raw)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The members of an object; of two with one name, nobody knows which one counts."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError
    return members


def _no_constant(_: str) -> None:
    raise ValueError
