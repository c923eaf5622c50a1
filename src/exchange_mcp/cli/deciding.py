"""How a person decides on one proposal at a terminal: read all of it, say the word, type the passphrase."""

from typing import Final

import click

from exchange_mcp.cli.clock import SystemClock
from exchange_mcp.cli.passphrase import typed
from exchange_mcp.cli.signing import Signer, hand_in, unlock
from exchange_mcp.desk.operator.approving import Decidable, NotSignableError, read_decision
from exchange_mcp.desk.operator.client import OperatorClient
from exchange_mcp.desk.operator.messages import Done, IntentView
from exchange_mcp.desk.operator.page import Page, page
from exchange_mcp.model.venue_text import visible

_WORD: Final = "approve"
_SETTLING: Final = frozenset({"approved", "dispatching", "accepted"})
_MOST_SENTENCE: Final = 600
_STEP_MS: Final = 1_000


def opened(client: OperatorClient, intent_id: str) -> tuple[Decidable, Page]:
    """A fresh preview of this proposal, checked in all its parts, and the page that shows it.

    Raises:
        NotSignableError: it does not hold together. ExchangeMcpError: it cannot be opened.
    """
    status = client.status()
    now_ms = SystemClock().now_ms()
    decidable = read_decision(
        client.open(intent_id),
        intent_id=intent_id,
        desk_id=status.desk_id,
        policy_digest=status.policy_digest,
        now_ms=now_ms,
    )
    return decidable, page(decidable, now_ms)


def says_yes(shown: Page) -> bool:
    """Whether the person at the controlling terminal says the word; there is no default.

    Raises:
        ClickException: there is no terminal.
    """
    said = typed(
        f'To approve, type the last four characters of the plan digest (..{shown.tail}) or "{_WORD}"; '
        "anything else leaves it as it is: "
    )
    return said in {shown.tail, _WORD}


def approve(client: OperatorClient, decidable: Decidable, signer: Signer) -> Done:
    """Sign what was shown, unless its time ran out meanwhile.

    Raises:
        NotSignableError: it ran out. ClickException: no terminal, or wrong passphrases.
    """
    key = unlock(client, signer)
    if SystemClock().now_ms() >= decidable.statement.expires_ms:
        raise NotSignableError("Not signed: the time to decide on this preview is over; open it again.")
    return hand_in(client, decidable.statement, key)


def followed(client: OperatorClient, intent_id: str, *, wait_ms: int) -> IntentView:
    """The intent once it came to rest, or as it stands after so long."""
    clock = SystemClock()
    until_ms = clock.now_ms() + wait_ms
    head = client.head()
    while True:
        view = client.intent(intent_id).intent
        left_ms = until_ms - clock.now_ms()
        if view.state not in _SETTLING or left_ms <= 0:
            return view
        head = client.news(after=head, wait_ms=min(left_ms, _STEP_MS)).head


def told(view: IntentView) -> str:
    """How an intent stands, in one line."""
    order = "" if view.order_id is None else f", order {view.order_id}"
    line = f"{view.state.upper()}: {view.summary} (intent {view.id}{order}). {view.reason}".rstrip()
    return visible(line, _MOST_SENTENCE)


def say_done(done: Done) -> None:
    """What a signed message led to."""
    click.echo(visible(done.message, _MOST_SENTENCE))


def say_granted(done: Done) -> None:
    """What an approval led to."""
    say_done(done)
    if not done.is_complete:
        click.echo("It takes another approver's signature before anything happens.", err=True)
