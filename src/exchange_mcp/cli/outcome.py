"""exchange-mcp outcome: what does a venue's answer to a write prove?"""

import json
import sys
from typing import Any, BinaryIO, Final, NoReturn, cast, get_args

import click

from exchange_mcp.cli.attempt_lines import LineError, lines, read_attempt, unread_note
from exchange_mcp.model.outcomes import Action, Evidence, Outcome, Verdict
from exchange_mcp.venue.bodies import LONGEST
from exchange_mcp.venue.verdict import judge

# Of a body, at up to four a character, and enough more to be too long.
_MOST_BYTES: Final = 4 * LONGEST + 4
_HTTP: Final = range(100, 600)
# What one attempt is told by, as opposed to many.
_OF_ONE: Final = ("action", "url", "status", "sent", "client_order_id", "order_id", "leverage")


def _status(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    if value is not None and value != "none":
        is_number = value.isascii() and value.isdecimal() and len(value) == len("200")
        if not is_number or int(value) not in _HTTP:
            raise click.BadParameter("it is a number from 100 to 599, or none")
    return value


@click.group("outcome")
def command() -> None:
    """Tell what a venue's answer to a write proves."""


@command.command("explain")
@click.argument("venue", required=False)
@click.option("--action", type=click.Choice(get_args(Action)), help="What was asked for [default: place].")
@click.option("--url", help="Where it was asked.")
@click.option("--status", callback=_status, metavar="N|none", help="HTTP status of the answer, or none.")
@click.option("--sent", type=click.Choice(["yes", "no"]), help="Whether anything may have left.")
@click.option("--client-order-id", help="Ours, as it was sent; of a cancel, the one that it names.")
@click.option("--order-id", help="Of a cancel that names its order by the venue's id.")
@click.option("--leverage", type=click.IntRange(min=1), help="What a change of leverage asked for.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--jsonl", "as_lines", is_flag=True, help="Read one attempt a line, answer each by a line.")
def explain(venue: str | None, *, as_json: bool, as_lines: bool, **given: Any) -> None:  # noqa: ANN401 - click's values
    """Read the body of VENUE's answer to a write from standard input, and say what it proves.

    The outcome is accepted, rejected, not_sent or unknown. No key and no network are needed, and nothing in a body
    is an error: what proves nothing is unknown.

    With --jsonl every line is an object {venue, action, url, status, sent, body, client_order_id}, and may have
    order_id and leverage; action is place and sent is true when left out, and VENUE is that of a line without one.
    The answer is a line {outcome, reason} each. A line that cannot be read is answered so too, and makes the exit
    code 2.
    """
    if as_lines:
        _check_alone(given)
        if not _explain_lines(sys.stdin.buffer, venue):
            sys.exit(2)
        return
    evidence = _one(venue, given)
    verdict = judge(evidence)
    click.echo(json.dumps(_object(evidence, verdict), indent=2) if as_json else _sentences(verdict))


def _check_alone(given: dict[str, Any]) -> None:
    named = [name for name in _OF_ONE if given[name] is not None]
    if named:
        raise click.UsageError(
            f"--{named[0].replace('_', '-')} goes without --jsonl; there each line says it"
        )


def _one(venue: str | None, given: dict[str, Any]) -> Evidence:
    if venue is None:
        raise click.UsageError("VENUE is missing; or did you mean --jsonl?")
    # Of what never left, nobody has to know where it would have gone.
    for name in ("sent",) if given["sent"] == "no" else ("url", "status", "sent"):
        if given[name] is None:
            raise click.UsageError(f"--{name} is missing")
    status = None if given["status"] in {None, "none"} else int(given["status"])
    is_terminal = sys.stdin.isatty()
    # Without an answer there is nothing to read; a terminal would wait for it all the same.
    body = None if status is None and is_terminal else _body(sys.stdin.buffer)
    return Evidence(
        venue=venue,
        action=cast("Action", given["action"] or "place"),
        url=given["url"] or "",
        is_sent=given["sent"] == "yes",
        status=status,
        body=body if status is not None or (body and body.strip()) else None,
        client_order_id=given["client_order_id"],
        order_id=given["order_id"],
        leverage=given["leverage"],
    )


def _body(stream: BinaryIO) -> str:
    try:
        return stream.read(_MOST_BYTES).decode(errors="replace")
    except OSError as error:
        _end(f"standard input cannot be read: {error.strerror}")


def _explain_lines(stream: BinaryIO, venue: str | None) -> bool:
    """Answer every line; whether each could be read."""
    is_whole = True
    for line in lines(stream):
        try:
            attempt = read_attempt(line, venue)
        except LineError as fault:
            is_whole = False
            outcome, reason = Outcome.UNKNOWN, f"this line was not judged: {fault}"
        else:
            verdict = judge(attempt.evidence)
            outcome, reason = verdict.outcome, verdict.reason + unread_note(attempt.unread)
        click.echo(json.dumps({"outcome": outcome.value, "reason": reason}))
    return is_whole


def _object(evidence: Evidence, verdict: Verdict) -> dict[str, Any]:
    return {
        "venue": evidence.venue,
        "action": evidence.action,
        "outcome": verdict.outcome.value,
        "reason": verdict.reason,
        "ground": verdict.ground,
        "order_id": verdict.order_id,
    }


def _sentences(verdict: Verdict) -> str:
    told = f"{verdict.outcome.value}: {verdict.reason}"
    if verdict.order_id is not None:
        told += f"\nthe venue's order id is {verdict.order_id}"
    return f"{told}\n{_NEXT[verdict.outcome]}"


_NEXT: Final = {
    Outcome.ACCEPTED: "Next: read the order back.",
    Outcome.REJECTED: "Next: nothing; nothing was placed, cancelled or changed.",
    Outcome.NOT_SENT: "Next: nothing; the venue has not heard of it.",
    Outcome.UNKNOWN: "Next: look for it at the venue before anything like it is sent again.",
}


def _end(message: str) -> NoReturn:
    click.echo(message, err=True)
    sys.exit(2)
