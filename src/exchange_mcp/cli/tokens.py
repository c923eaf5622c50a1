"""exchange-mcp tokens: who may call `serve` over HTTP. A token is printed once; only its hash is kept."""

import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NoReturn

import click

from exchange_mcp.cli.clock import SystemClock
from exchange_mcp.cli.places import places
from exchange_mcp.config.faults import SecretError
from exchange_mcp.config.tokens import LONGEST_DAYS, TOKEN, TokenRecord, TokenStore
from exchange_mcp.model.callers import Scope


@click.group("tokens")
def command() -> None:
    """Add, list and revoke the tokens that clients of `serve --transport http` show."""


_JSON = click.option("--json", "is_json", is_flag=True, help="Print it for programs.")


@command.command("add")
@click.argument("client")
@click.option(
    "--scope",
    type=click.Choice([scope.value for scope in Scope]),
    default=Scope.READ.value,
    show_default=True,
    help="trade includes read; it shows tools that write, once there are any.",
)
@click.option(
    "--days",
    type=click.IntRange(1, LONGEST_DAYS),
    default=90,
    show_default=True,
    help="How long it is valid.",
)
@_JSON
def add(client: str, scope: str, days: int, *, is_json: bool) -> None:
    """Make a token for CLIENT, a name of your own, and print it. It is shown this once."""
    store = _store()
    try:
        token, record = store.add(client, [Scope(scope)], days=days, now_ms=SystemClock().now_ms())
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    except SecretError as error:
        _end(str(error))
    except OSError as error:
        raise click.ClickException(f"{store.path} cannot be written: {error.strerror}") from None
    if is_json:
        click.echo(json.dumps({"token": token.reveal(), **_described(record)}))
        return
    click.echo(
        f"Token {record.id} of {record.client} ({', '.join(record.scopes)}), valid until {_day(record.expires_ms)}. "
        "It is shown this once:",
        err=True,
    )
    click.echo(token.reveal())


@command.command("list")
@_JSON
def listed(*, is_json: bool) -> None:
    """Print every token's id, client, scopes and end; the tokens themselves are not kept."""
    store = _store()
    try:
        records = store.records()
    except SecretError as error:
        _end(str(error))
    now = SystemClock().now_ms()
    if is_json:
        rows = [{**_described(each), "expired": not each.is_current(now)} for each in records]
        click.echo(json.dumps({"tokens": rows}))
        return
    if not records:
        click.echo("There is no token yet: exchange-mcp tokens add CLIENT", err=True)
        return
    click.echo("\n".join(_table(records, now)))


@command.command("revoke")
@click.argument("name")
@_JSON
def revoke(name: str, *, is_json: bool) -> None:
    """Forget the token with the id NAME, or every token of the client NAME.

    A running server refuses it from then on, and closes what it has open within seconds.
    """
    if TOKEN.fullmatch(name):
        raise click.UsageError(
            "name the token by its id or its client (exchange-mcp tokens list), not by itself"
        )
    store = _store()
    try:
        gone = store.revoke(name)
    except SecretError as error:
        _end(str(error))
    except OSError as error:
        raise click.ClickException(f"{store.path} cannot be written: {error.strerror}") from None
    if not gone:
        raise click.ClickException("no token has this id or client: exchange-mcp tokens list")
    if is_json:
        click.echo(json.dumps({"revoked": [_described(each) for each in gone]}))
        return
    for each in gone:
        click.echo(f"Revoked {each.id} of {each.client}.")


def _store() -> TokenStore:
    return TokenStore(places().tokens_file)


def _described(record: TokenRecord) -> dict[str, object]:
    return {
        "id": record.id,
        "client": record.client,
        "scopes": list(record.scopes),
        "created": _instant(record.created_ms),
        "expires": _instant(record.expires_ms),
    }


def _table(records: Sequence[TokenRecord], now_ms: int) -> list[str]:
    width = max(len("client"), *(len(each.client) for each in records))
    rows = [("id", "client", "scopes", "valid until")]
    rows += [
        (
            each.id,
            each.client,
            " ".join(each.scopes),
            _day(each.expires_ms) if each.is_current(now_ms) else f"expired {_day(each.expires_ms)}",
        )
        for each in records
    ]
    return [f"{row[0]:<14}  {row[1]:<{width}}  {row[2]:<10}  {row[3]}" for row in rows]


def _instant(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _day(ms: int) -> str:
    return _instant(ms).replace("T", " ").removesuffix("Z") + " UTC"


def _end(message: str) -> NoReturn:
    click.echo(message, err=True)
    sys.exit(2)
