"""exchange-mcp intents: every write that was proposed, what became of it, and what nobody could find out."""

from pathlib import Path

import click

from exchange_mcp.cli.at_desk import at_desk, desk_options, print_json, show_list
from exchange_mcp.cli.clock import SystemClock
from exchange_mcp.cli.deciding import say_done
from exchange_mcp.cli.passphrase import typed
from exchange_mcp.cli.signing import sign, signer_of, signer_options
from exchange_mcp.cli.tabled import pairs, table
from exchange_mcp.desk.operator.messages import IntentDetail
from exchange_mcp.desk.operator.page import age
from exchange_mcp.desk.statements import Purpose, resolve_body
from exchange_mcp.model.instants import iso
from exchange_mcp.model.venue_text import visible

_OUTCOMES = {
    "place": ("placed", "absent"),
    "cancel": ("canceled", "too_late"),
    "leverage": ("set", "not_set"),
}
_EVERY = tuple(outcome for outcomes in _OUTCOMES.values() for outcome in outcomes)


@click.group("intents")
def command() -> None:
    """List and show what was proposed and sent; say what became of an unknown."""


@command.command("list")
@click.option("--state", help="Only these: open (wait for a decision), live, or a state such as unknown.")
@click.option("--account", help="Only of this account.")
@click.option("--limit", type=click.IntRange(1, 500), default=50, show_default=True, help="At most so many.")
@desk_options
def listed(socket: Path | None, state: str | None, account: str | None, limit: int, *, is_json: bool) -> None:
    """List intents, newest first."""
    with at_desk(socket, is_json=is_json) as client:
        found = client.intents(state=state, account=account, limit=limit)
    now_ms = SystemClock().now_ms()
    show_list(
        found,
        ("intent", "state", "account", "what", "by", "changed"),
        [
            (view.id, view.state, view.account, view.summary, view.client, age(view.changed_at, now_ms))
            for view in found.intents
        ],
        nobody="There is no such intent.",
        is_json=is_json,
    )


@command.command("show")
@click.argument("intent")
@desk_options
def shown(socket: Path | None, intent: str, *, is_json: bool) -> None:
    """Show INTENT with its plan, its preview and every event of it."""
    with at_desk(socket, is_json=is_json) as client:
        detail = client.intent(intent)
    if is_json:
        print_json(detail)
        return
    pairs(_described(detail))
    click.echo("\n".join(visible(line, 400) for line in detail.lines))
    if detail.events:
        table(("event", "at", "kind", "recorded"), (_event(detail, at) for at in range(len(detail.events))))
    if detail.note is not None:
        click.echo(f"Note of the proposer - UNTRUSTED: {visible(detail.note)}")


@command.command("resolve")
@click.argument("intent")
@click.argument("outcome", type=click.Choice(_EVERY))
@click.option("--note", help="What you saw at the venue; kept in the journal for good.")
@signer_options
@desk_options
def resolved(  # noqa: PLR0913 - the options above
    *,
    socket: Path | None,
    intent: str,
    outcome: str,
    note: str | None,
    approver: str | None,
    key: Path | None,
    is_json: bool,
) -> None:
    """Say what became of the unknown INTENT, after looking at the venue yourself; signed, with a note.

    placed or absent of an order, canceled or too_late of a cancel, set or not_set of a leverage.
    """
    with at_desk(socket, is_json=is_json) as client:
        signer = signer_of(client, approver, key)
        detail = client.intent(intent)
        view = detail.intent
        fitting = _OUTCOMES.get(view.action, ())
        if outcome not in fitting:
            raise click.UsageError(f"a {view.action} ends as {' or '.join(fitting)}, not as {outcome}")
        if not is_json:
            pairs(_described(detail))
        if not note and (is_json or signer.is_scripted):
            raise click.UsageError("--note is required: what you saw at the venue")
        if not note:
            note = typed("What you saw at the venue, for the journal: ")
        if not signer.is_scripted and typed(f"Type {outcome} to sign that it is so: ") != outcome:
            raise click.ClickException("not resolved; it stays unknown")
        body = resolve_body(intent=intent, outcome=outcome, note=note)
        done = sign(client, signer, Purpose.RESOLVE, body)
    if is_json:
        print_json(done)
    else:
        say_done(done)


def _described(detail: IntentDetail) -> list[tuple[str, str]]:
    view = detail.intent
    told = [
        ("intent", view.id),
        ("state", view.state.upper()),
        ("why", view.reason),
        ("account", f"{view.account} at {view.venue} ({view.environment})"),
        ("what", view.summary),
        ("effect", view.effect or "-"),
        ("proposed", f"{iso(view.created_at)} by {view.client} ({view.origin})"),
        ("changed", iso(view.changed_at)),
        ("our id", view.client_order_id or "-"),
        ("order", view.order_id or "-"),
    ]
    told += [("waits for you", detail.waiting)] if detail.waiting else []
    return told + [("similar", f"{other.id} {other.state}: {other.summary}") for other in detail.similar]


def _event(detail: IntentDetail, at: int) -> tuple[str, str, str, str]:
    event = detail.events[at]
    return str(event.seq), iso(event.at), event.kind, event.text
