"""exchange-mcp desk accept: let a changed `desk.toml` count. An approver reads the difference and signs its digest."""

import hashlib
from pathlib import Path

import click

from exchange_mcp.cli.at_desk import MISUSED, at_desk, desk_options, end, print_json
from exchange_mcp.cli.deciding import say_done
from exchange_mcp.cli.passphrase import typed
from exchange_mcp.cli.signing import sign, signer_of, signer_options
from exchange_mcp.desk.configuration_change import configuration_difference
from exchange_mcp.desk.operator.approving import NotSignableError
from exchange_mcp.desk.operator.messages import Configuration
from exchange_mcp.desk.statements import Purpose, accept_body, sha256_of

_WORD = "accept"


@click.command("accept")
@signer_options
@desk_options
def command(socket: Path | None, approver: str | None, key: Path | None, *, is_json: bool) -> None:
    """Show how desk.toml differs from what was accepted, what it newly permits first, and sign that it counts.

    Until then the running desk opens nothing by it.
    """
    with at_desk(socket, is_json=is_json) as client:
        found = client.configuration()
        digest = _checked(found)
        if found.is_accepted and found.accepted_digest == digest:
            click.echo(f"{found.file} is accepted as it stands.", err=True)
            if is_json:
                print_json(found)
            return
        if found.faults:
            end("\n".join(found.faults), "Nothing was signed.", MISUSED, is_json=is_json)
        signer = signer_of(client, approver, key)
        lines = configuration_difference(found.accepted_text, found.text)
        # A script is told as well: what it signs stands in its log.
        click.echo("\n".join(lines), err=is_json)
        click.echo(f"digest {digest}", err=is_json)
        if not signer.is_scripted and typed(
            f'To sign it, type the last four characters of the digest (..{digest[-4:]}) or "{_WORD}": '
        ) not in {digest[-4:], _WORD}:
            raise click.ClickException("not accepted; what was accepted before stays what counts")
        done = sign(client, signer, Purpose.ACCEPT_CONFIGURATION, accept_body(configuration_digest=digest))
    if is_json:
        print_json(done, digest=digest)
    else:
        say_done(done)


def _checked(found: Configuration) -> str:
    """The digest of the text that is shown, worked out here.

    Raises:
        NotSignableError: the desk names another one, or the file holds something else than the desk shows.
    """
    digest = sha256_of(found.text)
    if found.digest != digest:
        raise NotSignableError("Not signed: the desk names another digest than that of the text it shows.")
    if found.accepted_text is not None and found.accepted_digest != sha256_of(found.accepted_text):
        raise NotSignableError("Not signed: what the desk says was accepted is not the text that it shows.")
    try:
        here = Path(found.file).read_bytes()
    except OSError:  # the desk may be another user, or see other directories
        return digest
    if hashlib.sha256(here).hexdigest() != digest:
        raise NotSignableError(f"Not signed: {found.file} changed while it was looked at; run this again.")
    return digest
