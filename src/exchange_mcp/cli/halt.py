"""exchange-mcp halt: nothing is sent any more, at once. Needs no key; only taking it back does."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from exchange_mcp.cli.at_desk import REFUSED, at_desk, desk_options, person, print_json
from exchange_mcp.cli.clock import SystemClock
from exchange_mcp.cli.deciding import followed, say_done
from exchange_mcp.cli.signing import sign, signer_of, signer_options
from exchange_mcp.desk.operator.client import OperatorClient
from exchange_mcp.desk.operator.messages import Done, Halted, HaltOrder, IntentView
from exchange_mcp.desk.statements import Purpose, cancel_open_body
from exchange_mcp.model.venue_text import visible

_PATIENCE_MS = 30_000


@click.command("halt")
@click.option("--account", help="Only this account [default: the whole desk].")
@click.option("--reason", default="halted by hand", show_default=True, help="Why, for the journal.")
@click.option("--by", help="Who halts [default: this user].")
@click.option("--cancel-open", is_flag=True, help="Then cancel every open order; this part is signed.")
@signer_options
@desk_options
def command(  # noqa: PLR0913 - the options above
    *,
    socket: Path | None,
    account: str | None,
    reason: str,
    by: str | None,
    approver: str | None,
    key: Path | None,
    cancel_open: bool,
    is_json: bool,
) -> None:
    """Halt the desk, or one account, at once. Nothing opens, adds or changes until an approver resumes it.

    The halt itself needs no key. With --cancel-open it halts first, and then asks for the signature under which every
    open order is cancelled.
    """
    try:
        order = HaltOrder(account=account, by=by or person(), reason=reason)
    except ValueError:
        raise click.UsageError("--by has 1 to 64 characters, --reason 1 to 400") from None
    with at_desk(socket, is_json=is_json) as client:
        halted = client.halt(order)
        if not is_json or cancel_open:
            _say_halted(halted, is_error=is_json)
        done: Done | None = None
        if cancel_open:
            signer = signer_of(client, approver, key)
            done = sign(client, signer, Purpose.CANCEL_OPEN, cancel_open_body(account=account))
            done = done.model_copy(update={"intents": tuple(_came_of(client, done))})
    if is_json:
        print_json(halted, cancelled=None if done is None else done.model_dump(mode="json"))
    elif done is not None:
        say_done(done)
        for view in done.intents:
            click.echo(f"  {view.state:<12} {visible(view.summary, 200)} (intent {view.id})")
    if done is not None and not (done.is_complete and all(view.state == "canceled" for view in done.intents)):
        sys.exit(REFUSED)


def _came_of(client: OperatorClient, done: Done) -> Iterator[IntentView]:
    """What came of each cancel, waited for as long as one of them is on its way."""
    until_ms = SystemClock().now_ms() + _PATIENCE_MS
    for view in done.intents:
        yield followed(client, view.id, wait_ms=max(0, until_ms - SystemClock().now_ms()))


def _say_halted(halted: Halted, *, is_error: bool) -> None:
    named = ", ".join(visible(name) for name in halted.halted)
    click.echo(f"Halted now: {named}. Lift it with: exchange-mcp resume", err=is_error)
