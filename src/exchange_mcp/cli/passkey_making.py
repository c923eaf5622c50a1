"""Making a passkey from the terminal: a link and a code, the browser's part, and the words that both screens show."""

import sys
import time
from collections.abc import Callable
from typing import Final

import click

from exchange_mcp.desk.operator.client import OperatorClient
from exchange_mcp.desk.operator.messages import PasskeyInvitation
from exchange_mcp.desk.passkeys import KIND, check_words
from exchange_mcp.desk.statements import approver_body

_PAUSE_SECONDS: Final = 1.0


def passkey_body(
    client: OperatorClient,
    name: str,
    *,
    sleep: Callable[[float], None] = time.sleep,
    is_same: Callable[[str], bool] | None = None,
) -> dict[str, object]:
    """What an approver signs to let in the passkey that a browser made just now.

    Args:
        client: the desk.
        name: whose passkey it is.
        sleep: waits between two looks.
        is_same: asks a person whether the browser shows the same words; by default on the terminal.

    Raises:
        ClickException: the words are not the same, or there is nobody to ask.
        ExchangeMcpError: the desk does not answer, or the invitation is over.
    """
    if is_same is None and not sys.stdin.isatty():
        raise click.ClickException("a passkey is made by a person: run this on a terminal")
    invited = client.invite(PasskeyInvitation(name=name))
    click.echo("Open this in a browser on this machine within ten minutes:", err=True)
    click.echo(f"  {invited.url}", err=True)
    click.echo(f"and type this code there:  {invited.code}", err=True)
    answer = client.invited(invited.id)
    while answer.public is None:
        sleep(_PAUSE_SECONDS)
        answer = client.invited(invited.id)
    # Worked out here: what is compared is what will be signed.
    words = check_words(name, answer.public)
    asked = is_same or _asked
    if not asked(words):
        raise click.ClickException(
            "another passkey than the one in your browser was made; nothing was signed"
        )
    return approver_body(name=name, kind=KIND, public=answer.public)


def _asked(words: str) -> bool:
    return click.confirm(f"Does the browser show  {words}  ?", default=None, err=True)
