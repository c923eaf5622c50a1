"""exchange-mcp approvers: who can approve. Adding and removing takes the signature of one who can already."""

from datetime import UTC, datetime
from pathlib import Path

import click

from exchange_mcp.cli.at_desk import at_desk, desk_options, print_json, show_list
from exchange_mcp.cli.deciding import say_done
from exchange_mcp.cli.entropy import SystemEntropy
from exchange_mcp.cli.passkey_making import passkey_body
from exchange_mcp.cli.passphrase import new_passphrase
from exchange_mcp.cli.places import places
from exchange_mcp.cli.signing import sign, signer_of, signer_options
from exchange_mcp.config.owner_only import write_owner_only
from exchange_mcp.desk.approver_keys import (
    APPROVER_NAME,
    KEY_SUFFIX,
    ApproverKey,
    KeyFile,
    create,
    create_scripted,
    read_key_file,
)
from exchange_mcp.desk.statements import Purpose, approver_body


@click.group("approvers")
def command() -> None:
    """Add, list and remove those who can approve."""


@command.command("list")
@desk_options
def listed(socket: Path | None, *, is_json: bool) -> None:
    """List everybody who can approve, with their public keys."""
    with at_desk(socket, is_json=is_json) as client:
        found = client.approvers()
    show_list(
        found,
        ("approver", "kind", "added", "public key"),
        [
            (each.name, each.kind, f"{day(each.added_at)} UTC", _short(each.public))
            for each in found.approvers
        ],
        nobody="Nobody can approve: exchange-mcp desk --setup makes the first approver.",
        is_json=is_json,
    )


@command.command("add")
@click.argument("name")
@click.option(
    "--passkey", is_flag=True, help="A passkey of a browser, for the console, instead of a key in a file."
)
@click.option(
    "--scripted", is_flag=True, help="A key that lies open, for a desk whose every account is simulated."
)
@click.option(
    "--new-key",
    "new_key",
    type=click.Path(path_type=Path),
    help="Where the new key is, or will be [default: this user's directory of approvers' keys].",
)
@signer_options
@desk_options
def added(  # noqa: PLR0913 - the options above
    socket: Path | None,
    name: str,
    new_key: Path | None,
    approver: str | None,
    key: Path | None,
    *,
    passkey: bool,
    scripted: bool,
    is_json: bool,
) -> None:
    """Make a key for NAME, or take the one that is there, and let an approver sign that it counts from now on.

    Another person makes their own key on their own account of this machine and gives you its file's public part: the
    passphrase is theirs alone.
    """
    if passkey and (scripted or new_key is not None):
        raise click.UsageError(
            "a passkey stays with its browser or security key: it has no file and signs no script"
        )
    if not APPROVER_NAME.fullmatch(name):
        raise click.UsageError("an approver's name has 1 to 32 of a-z, 0-9, _ and -, a letter or digit first")
    place = places().approver_keys / f"{name}{KEY_SUFFIX}" if new_key is None else new_key
    with at_desk(socket, is_json=is_json) as client:
        signer = signer_of(client, approver, key)
        if any(each.name == name for each in client.approvers().approvers):
            raise click.ClickException(
                f"{name} can approve already; remove that key first, or take another name"
            )
        if passkey:
            body = passkey_body(client, name)
            done = sign(client, signer, Purpose.ADD_APPROVER, body)
            if is_json:
                print_json(done, **body)
            else:
                say_done(done)
            return
        made = _key_at(place, name, is_scripted=scripted)
        body = approver_body(name=made.name, kind=made.kind, public=made.public)
        done = sign(client, signer, Purpose.ADD_APPROVER, body)
    if is_json:
        print_json(done, approver=made.name, kind=made.kind, public=made.public, file=str(place))
    else:
        say_done(done)


@command.command("remove")
@click.argument("name")
@signer_options
@desk_options
def removed(socket: Path | None, name: str, approver: str | None, key: Path | None, *, is_json: bool) -> None:
    """Let NAME approve nothing any more; the last approver cannot be removed."""
    with at_desk(socket, is_json=is_json) as client:
        kinds = {each.name: each.kind for each in client.approvers().approvers}
        if name not in kinds:
            raise click.UsageError(
                f"the desk knows no approver of that name; it knows {', '.join(kinds) or 'nobody'}"
            )
        body = approver_body(name=name, kind=kinds[name], public="")
        done = sign(client, signer_of(client, approver, key), Purpose.REMOVE_APPROVER, body)
    if is_json:
        print_json(done)
    else:
        say_done(done)


def _key_at(place: Path, name: str, *, is_scripted: bool) -> KeyFile | ApproverKey:
    """The key in this file, which is written if it is not there: what was made and not added yet is not made twice."""
    if place.exists():
        found = read_key_file(place)
        if found.name != name or (found.kind == "scripted") is not is_scripted:
            raise click.ClickException(f"{place} is the {found.kind} key of {found.name}")
        return found
    entropy = SystemEntropy()
    made, content = (
        create_scripted(name, entropy) if is_scripted else create(name, new_passphrase(name), entropy)
    )
    try:
        write_owner_only(place, content)
    except OSError as error:
        raise click.ClickException(f"{place} cannot be written: {error.strerror}") from None
    return made


def day(ms: int) -> str:
    """A date, in UTC."""
    return datetime.fromtimestamp(ms / 1000, UTC).date().isoformat()


def _short(public: str) -> str:
    most = 48
    return public if len(public) <= most else f"{public[:most]}..."
