"""exchange-mcp scope: what may a key do?"""

import json
import sys
from collections.abc import Mapping
from typing import Any, BinaryIO, Final

import click

from exchange_mcp.cli.clock import SystemClock
from exchange_mcp.model.accounts import Environment
from exchange_mcp.model.instants import iso
from exchange_mcp.model.scopes import Ability, KeyScope, KeyVerdict, Role
from exchange_mcp.model.venue_text import visible
from exchange_mcp.rules.key_verdicts import judge
from exchange_mcp.venue.scope import QUESTIONS, scope_of, without_question

# More than any venue says about a key; what is longer is no such answer.
_MOST_BYTES: Final = 1_000_000


@click.group("scope")
def command() -> None:
    """Tell what a key may do."""


@command.command("explain")
@click.argument("venue")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def explain(venue: str, *, as_json: bool) -> None:
    """Read a venue's raw answer about a key from standard input, and say what it means.

    No key and no network are needed: this shows how an answer is read. Nothing is an error here; what cannot be
    read is unknown. The verdicts are those for a live account. In JSON, expires_at is when the key ends (UTC), or
    null.
    """
    scope = explained(venue, sys.stdin.buffer)
    now_ms = SystemClock().now_ms()
    verdicts = {role: judge(scope, role=role, environment=Environment.LIVE, now_ms=now_ms) for role in Role}
    click.echo(json.dumps(as_object(scope, verdicts), indent=2) if as_json else as_text(scope, verdicts))


def explained(venue: str, stream: BinaryIO) -> KeyScope:
    """The scope that a stream's answer tells; unknown where it holds none."""
    if venue not in QUESTIONS:
        return without_question(venue)
    try:
        body = stream.read(_MOST_BYTES + 1)
    except OSError:
        return KeyScope.unknown(venue, "standard input cannot be read")
    if len(body) > _MOST_BYTES:
        return KeyScope.unknown(venue, "the answer is longer than any that a venue gives about a key")
    try:
        raw = json.loads(body.decode(), object_pairs_hook=_once, parse_float=str, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return KeyScope.unknown(venue, "the answer is not JSON in which every name stands once")
    return scope_of(venue, raw)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The members of an object; of two with one name, nobody knows which one counts."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError
    return members


def _no_constant(_: str) -> None:
    raise ValueError


def as_object(scope: KeyScope, verdicts: Mapping[Role, KeyVerdict]) -> dict[str, Any]:
    """A scope and its verdicts as JSON values."""
    return {
        "venue": scope.venue,
        **{ability.value: scope.may(ability).value for ability in Ability},
        "ip_restricted": scope.ip_restricted,
        "expires_at": None if scope.expires is None else iso(scope.expires),
        "verdict": {role.value: _word(verdict) for role, verdict in verdicts.items()},
        "reasons": [
            *scope.reasons,
            *(f"{role} refuses it: {why}" for role, verdict in verdicts.items() for why in verdict.reasons),
        ],
    }


def as_text(scope: KeyScope, verdicts: Mapping[Role, KeyVerdict]) -> str:
    """A scope and its verdicts for people."""
    restricted = {None: "not told", True: "yes", False: "no"}[scope.ip_restricted]
    facts = {
        "venue": scope.venue,
        **{ability.value: scope.may(ability).value for ability in Ability},
        "restricted to IP": restricted,
        "expires": "never, or not told" if scope.expires is None else iso(scope.expires),
        "account": scope.account_id or "not told",
    }
    lines = [f"{name + ':':<18}{value}" for name, value in facts.items()]
    lines += ["", *(f"- {reason}" for reason in scope.reasons)]
    for role, verdict in verdicts.items():
        lines += ["", f"{role} (live): {_word(verdict)}", *(f"- {why}" for why in verdict.reasons)]
        lines += [f"- warning: {warning}" for warning in verdict.warnings]
        lines += [f"  {verdict.remedy}"] if verdict.remedy else []
    return "\n".join(visible(line, len(line)) for line in lines)


def _word(verdict: KeyVerdict) -> str:
    return "accepted" if verdict.accepted else "refused"
