"""exchange-mcp clients: who may propose, and with which tools. Every change is signed."""

import base64
from pathlib import Path
from typing import Final

import click

from exchange_mcp.cli.approvers import day
from exchange_mcp.cli.at_desk import at_desk, desk_options, print_json, show_list
from exchange_mcp.cli.deciding import say_done
from exchange_mcp.cli.entropy import SystemEntropy
from exchange_mcp.cli.places import places
from exchange_mcp.cli.signing import sign, signer_of, signer_options
from exchange_mcp.cli.tabled import pairs, table
from exchange_mcp.config.owner_only import write_owner_only
from exchange_mcp.config.schema import ACCOUNT_NAME
from exchange_mcp.desk.operator.client import OperatorClient
from exchange_mcp.desk.operator.messages import ClientView, Done
from exchange_mcp.desk.statements import Purpose, allow_body, client_body, sha256_of

_BYTES: Final = 32


@click.group("clients")
def command() -> None:
    """Add, list and remove those who may propose; allow and block tools for one of them."""


@command.command("list")
@desk_options
def listed(socket: Path | None, *, is_json: bool) -> None:
    """List everybody who may propose."""
    with at_desk(socket, is_json=is_json) as client:
        found = client.clients()
    show_list(
        found,
        ("client", "added", "allowed tools"),
        [_row(each) for each in found.clients],
        nobody="Nobody may propose: exchange-mcp clients add NAME",
        is_json=is_json,
    )


@command.command("show")
@click.argument("name")
@desk_options
def shown(socket: Path | None, name: str, *, is_json: bool) -> None:
    """Show every tool that the client NAME might use: its risk, what says so, and whether it is allowed."""
    with at_desk(socket, is_json=is_json) as client:
        found = _known(client, name)
    if is_json:
        print_json(found)
        return
    pairs([("client", found.name), ("added", f"{day(found.added_at)} UTC")])
    table(
        ("tool", "allowed", "risk", "which says", "why"),
        (
            (each.tool, "yes" if each.is_allowed else "NO", each.risk, each.source, each.reason)
            for each in found.tools
        ),
    )


@command.command("add")
@click.argument("name")
@click.option(
    "--credential",
    "file",
    type=click.Path(path_type=Path),
    help="Where its credential is written [default: this user's directory of clients' credentials].",
)
@signer_options
@desk_options
def added(  # noqa: PLR0913 - the options above
    socket: Path | None,
    name: str,
    file: Path | None,
    approver: str | None,
    key: Path | None,
    *,
    is_json: bool,
) -> None:
    """Make a credential for the client NAME, in a file of its own; the desk keeps only its hash."""
    if not ACCOUNT_NAME.fullmatch(name):
        raise click.UsageError("a client's name has 1 to 32 of a-z, 0-9, _ and -, a letter or digit first")
    place = places().client_credential.with_name(f"{name}.credential") if file is None else file
    if place.exists():
        raise click.UsageError(f"{place} is there already; name another file with --credential")
    with at_desk(socket, is_json=is_json) as client:
        signer = signer_of(client, approver, key)
        # The same shape as a token over HTTP, which is what keeps both out of logs.
        raw = base64.urlsafe_b64encode(SystemEntropy().token(_BYTES)).decode().rstrip("=")
        credential = f"xmcp_{raw}"
        # On disk before it counts: a credential that is registered and lost could not be told from a stolen one.
        try:
            write_owner_only(place, credential.encode())
        except OSError as error:
            raise click.ClickException(f"{place} cannot be written: {error.strerror}") from None
        try:
            body = client_body(name=name, credential_sha256=sha256_of(credential))
            done = sign(client, signer, Purpose.ADD_CLIENT, body)
        except BaseException:
            place.unlink(missing_ok=True)
            raise
    if is_json:
        print_json(done, client=name, credential_file=str(place))
        return
    say_done(done)
    click.echo(f'For serve.toml, under [desk.credentials]:  {name} = {{ file = "{place}" }}')


@command.command("remove")
@click.argument("name")
@signer_options
@desk_options
def removed(socket: Path | None, name: str, approver: str | None, key: Path | None, *, is_json: bool) -> None:
    """Let the client NAME propose nothing any more."""
    with at_desk(socket, is_json=is_json) as client:
        _known(client, name)
        body = client_body(name=name, credential_sha256="")
        done = sign(client, signer_of(client, approver, key), Purpose.REMOVE_CLIENT, body)
    _say(done, is_json=is_json)


@command.command("allow")
@click.argument("name")
@click.argument("tool")
@signer_options
@desk_options
def allowed(  # noqa: PLR0913 - the options above
    socket: Path | None, name: str, tool: str, approver: str | None, key: Path | None, *, is_json: bool
) -> None:
    """Let the client NAME use TOOL, as it is declared now; a declaration that takes more is blocked until looked at."""
    _set(socket, name, tool, approver, key, is_allowed=True, is_json=is_json)


@command.command("block")
@click.argument("name")
@click.argument("tool")
@signer_options
@desk_options
def blocked(  # noqa: PLR0913 - the options above
    socket: Path | None, name: str, tool: str, approver: str | None, key: Path | None, *, is_json: bool
) -> None:
    """Do not let the client NAME use TOOL."""
    _set(socket, name, tool, approver, key, is_allowed=False, is_json=is_json)


def _set(  # noqa: PLR0913 - the options of two commands
    socket: Path | None,
    name: str,
    tool: str,
    approver: str | None,
    key: Path | None,
    *,
    is_allowed: bool,
    is_json: bool,
) -> None:
    with at_desk(socket, is_json=is_json) as client:
        tools = [each.tool for each in _known(client, name).tools]
        if tool not in tools:
            raise click.UsageError(f"the desk knows no such tool; it knows {', '.join(tools)}")
        body = allow_body(
            client=name, tool=tool, is_allowed=is_allowed, declaration_digest=_declaration(tool)
        )
        done = sign(client, signer_of(client, approver, key), Purpose.ALLOW_TOOL, body)
    _say(done, is_json=is_json)


def _declaration(tool: str) -> str:
    """The digest of the tool's declaration as this program has it: what is signed is not the desk's word for it."""
    from exchange_mcp.tools.declarations import declaration_of, digest_of  # noqa: PLC0415 - imports every tool
    from exchange_mcp.tools.registry import builtin  # noqa: PLC0415 - as above

    spec = builtin().get(tool)
    if spec is not None:
        return digest_of(declaration_of(spec))
    raise click.ClickException(
        f"this exchange-mcp has no tool {tool}: use the one of the version that the desk runs"
    )


def _known(client: OperatorClient, name: str) -> ClientView:
    found = client.clients().clients
    for each in found:
        if each.name == name:
            return each
    names = ", ".join(each.name for each in found) or "nobody"
    raise click.UsageError(f"the desk knows no client of that name; it knows {names}")


def _row(view: ClientView) -> tuple[str, str, str]:
    tools = ", ".join(each.tool for each in view.tools if each.is_allowed)
    return view.name, f"{day(view.added_at)} UTC", tools or "none"


def _say(done: Done, *, is_json: bool) -> None:
    if is_json:
        print_json(done)
    else:
        say_done(done)
