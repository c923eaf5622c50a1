"""exchange-mcp resume: lift a halt. Signed by an approver."""

from pathlib import Path

import click

from exchange_mcp.cli.at_desk import at_desk, desk_options, print_json
from exchange_mcp.cli.deciding import say_done
from exchange_mcp.cli.passphrase import typed
from exchange_mcp.cli.signing import sign, signer_of, signer_options
from exchange_mcp.desk.operator.messages import Status
from exchange_mcp.desk.statements import Purpose, resume_body
from exchange_mcp.model.venue_text import visible

_MOST = 2_000


@click.command("resume")
@click.option("--account", help="The halt of this account [default: that of the whole desk].")
@signer_options
@desk_options
def command(
    socket: Path | None, account: str | None, approver: str | None, key: Path | None, *, is_json: bool
) -> None:
    """Lift the halt of the desk, or of one account, with an approver's signature; says first why it was halted."""
    with at_desk(socket, is_json=is_json) as client:
        why = _why(client.status(), account)
        signer = signer_of(client, approver, key)
        click.echo(f"{account or 'The desk'} is halted: {visible(why, _MOST)}", err=True)
        if not signer.is_scripted and typed("Type resume to sign that it trades again: ") != "resume":
            raise click.ClickException("not resumed; it stays halted")
        done = sign(client, signer, Purpose.RESUME, resume_body(account=account, reason=why))
    if is_json:
        print_json(done)
    else:
        say_done(done)


def _why(status: Status, account: str | None) -> str:
    """Why it is halted.

    Raises:
        ClickException: it is not, or there is no such account.
    """
    if account is None:
        if status.halted is None:
            others = [each.name for each in status.accounts if each.halted is not None]
            hint = f"; halted: {', '.join(others)} (--account NAME)" if others else ""
            raise click.ClickException(f"the desk is not halted{hint}")
        return status.halted
    for each in status.accounts:
        if each.name == account:
            if each.halted is None:
                raise click.ClickException(f"{account} is not halted")
            return each.halted
    raise click.UsageError(
        f"the desk holds {', '.join(each.name for each in status.accounts)}, and no {account}"
    )
