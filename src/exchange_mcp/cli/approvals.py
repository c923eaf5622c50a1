"""exchange-mcp approvals: see what is proposed, and decide."""

import sys
from pathlib import Path

import click

from exchange_mcp.cli.at_desk import REFUSED, at_desk, desk_options, person, print_json, show_list
from exchange_mcp.cli.clock import SystemClock
from exchange_mcp.cli.deciding import approve, followed, opened, say_granted, says_yes, told
from exchange_mcp.cli.decision_shown import page_object, remaining, show_page
from exchange_mcp.cli.signing import signer_of, signer_options
from exchange_mcp.desk.operator.messages import Decline
from exchange_mcp.desk.operator.page import age

_WENT_WRONG = frozenset({"lapsed", "rejected", "not_sent", "unknown", "absent", "not_set", "too_late"})


@click.group("approvals")
def command() -> None:
    """See what is proposed, and decide: approve with your key, or decline."""


@command.command("list")
@desk_options
def listed(socket: Path | None, *, is_json: bool) -> None:
    """List the proposals that wait for a decision."""
    with at_desk(socket, is_json=is_json) as client:
        waiting = client.intents(state="open", limit=500)
    now_ms = SystemClock().now_ms()
    show_list(
        waiting,
        ("intent", "account", "environment", "what", "effect", "by", "proposed", "expires in"),
        [
            (
                view.id,
                view.account,
                view.environment.upper(),
                view.summary,
                view.effect or view.action,
                view.client,
                age(view.created_at, now_ms),
                remaining(view.expires_at, now_ms),
            )
            for view in waiting.intents
        ],
        nobody="Nothing waits for a decision.",
        is_json=is_json,
    )


@command.command("show")
@click.argument("intent")
@desk_options
def shown(socket: Path | None, intent: str, *, is_json: bool) -> None:
    """Preview the proposal INTENT afresh, and show all that an approval of it would be of."""
    with at_desk(socket, is_json=is_json) as client:
        _, page = opened(client, intent)
    if is_json:
        print_json(**page_object(page))
    else:
        show_page(page, SystemClock().now_ms())


@command.command("approve")
@click.argument("intent")
@signer_options
@click.option(
    "--wait",
    type=click.IntRange(0, 300),
    default=20,
    show_default=True,
    help="Seconds to wait for what comes of it.",
)
@desk_options
def approved(  # noqa: PLR0913 - the options above
    socket: Path | None, intent: str, approver: str | None, key: Path | None, wait: int, *, is_json: bool
) -> None:
    """Show the proposal INTENT, ask for the word and the passphrase, and sign.

    The exit code is 0 once it is approved and nothing is known to have gone wrong with it.
    """
    with at_desk(socket, is_json=is_json) as client:
        signer = signer_of(client, approver, key)
        decidable, page = opened(client, intent)
        if not is_json:
            show_page(page, SystemClock().now_ms())
        elif not signer.is_scripted:
            raise click.UsageError(
                "with --json only a scripted key approves: a person has to see what is signed"
            )
        if not signer.is_scripted and not says_yes(page):
            click.echo("Not approved; the proposal waits as before.", err=True)
            sys.exit(REFUSED)
        done = approve(client, decidable, signer)
        view = followed(client, intent, wait_ms=wait * 1000) if done.is_complete else None
    if is_json:
        print_json(done, intent=None if view is None else view.model_dump(mode="json"))
    else:
        say_granted(done)
        if view is not None:
            click.echo(told(view))
    if view is not None and view.state in _WENT_WRONG:
        sys.exit(REFUSED)


@command.command("decline")
@click.argument("intent")
@click.option("--note", default="", help="Why, for the journal.")
@click.option("--by", help="Who says no [default: this user].")
@desk_options
def declined(socket: Path | None, intent: str, note: str, by: str | None, *, is_json: bool) -> None:
    """Say no to the proposal INTENT. Needs no key."""
    message = _decline(by, note)
    with at_desk(socket, is_json=is_json) as client:
        view = client.decline(intent, message)
    if is_json:
        print_json(view)
    else:
        click.echo(told(view))


@command.command("watch")
@signer_options
@desk_options
def watched(socket: Path | None, approver: str | None, key: Path | None, *, is_json: bool) -> None:
    """Follow what is proposed. At a terminal: open a proposal with its number, approve or decline it there."""
    from exchange_mcp.cli.watching import follow_lines, watch  # noqa: PLC0415 - rich takes its time

    with at_desk(socket, is_json=is_json) as client:
        if is_json or not (sys.stdin.isatty() and sys.stdout.isatty()):
            follow_lines(client, is_json=is_json)
        else:
            watch(client, approver=approver, key=key, by=person())


def _decline(by: str | None, note: str) -> Decline:
    try:
        return Decline(by=by or person(), note=note)
    except ValueError:
        raise click.UsageError("--by has 1 to 64 characters, --note at most 400") from None
