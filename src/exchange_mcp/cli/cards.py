"""exchange-mcp cards: what was never tried at a venue, as cards that a desk runs in its practice system."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from exchange_mcp import __version__
from exchange_mcp.cli.at_desk import REFUSED, at_desk, desk_options, person
from exchange_mcp.cli.card_files import Card, cards
from exchange_mcp.cli.card_run import CardRun, Judged
from exchange_mcp.cli.clock import SystemClock
from exchange_mcp.cli.passphrase import typed
from exchange_mcp.cli.places import places
from exchange_mcp.cli.signing import signer_of, signer_options, unlock
from exchange_mcp.cli.tabled import pairs, table
from exchange_mcp.config.owner_only import read_owner_only, write_owner_only
from exchange_mcp.desk.operator.client import OperatorClient
from exchange_mcp.desk.operator.messages import AccountStatus
from exchange_mcp.desk.statements import sha256_of
from exchange_mcp.model.canonical import canonical_json
from exchange_mcp.model.instants import iso
from exchange_mcp.model.venue_text import visible

if TYPE_CHECKING:
    from decimal import Decimal

_LARGEST: Final = 8_000_000
_LIVE: Final = "live"
# What the machine's proof that an order is absent rests on at a live venue.
ABSENCE_RESTS_ON: Final = ("deadline-refusal", "visibility-lag", "client-id-lookup")


@click.group("cards")
def command() -> None:
    """Test cards: try at a venue's practice system what this release relies on, and record what it showed."""


@command.command("list")
@click.option("--json", "is_json", is_flag=True, help="Print it for programs.")
def listed(*, is_json: bool) -> None:
    """List every card."""
    found = cards()
    if is_json:
        click.echo(json.dumps([card.model_dump(mode="json") for card in found], indent=2))
        return
    rows = [(card.id, card.title, "no" if card.not_run_because else "yes") for card in found]
    table(("card", "what it shows", "can be run"), rows)


@command.command("show")
@click.argument("card")
@click.option("--json", "is_json", is_flag=True, help="Print it for programs.")
def shown(card: str, *, is_json: bool) -> None:
    """Show the card CARD: prerequisites, steps, expected events, pass criteria, when to skip it; its results."""
    chosen = _card(card)
    results = [each for each in _recorded(_file()) if each["card"] == chosen.id]
    if is_json:
        click.echo(json.dumps(chosen.model_dump(mode="json") | {"results": results}, indent=2))
        return
    pairs([("card", chosen.id), ("shows", chosen.title), ("why", chosen.why)])
    pairs(("needs", each) for each in chosen.prerequisites)
    pairs(("skip when", each) for each in chosen.skip_when)
    pairs(
        ("step", f"{step.name}: {step.action} {step.symbol}; {', '.join(step.expect)}")
        for step in chosen.steps
    )
    pairs((each.id, each.says) for each in chosen.criteria)
    if chosen.not_run_because:
        pairs([("NOT RUN", chosen.not_run_because)])
    for each in results:
        verdict = "passed" if each["passed"] else "FAILED"
        pairs([("result", f"{verdict} at {each['at']} on {each['account']} ({each['environment']})")])


@command.command("run")
@click.argument("names", nargs=-1)
@click.option("--account", required=True, help="The account of the running desk; sandbox or sim.")
@signer_options
@desk_options
def ran(  # noqa: PLR0913 - the options above
    names: tuple[str, ...],
    socket: Path | None,
    account: str,
    approver: str | None,
    key: Path | None,
    *,
    is_json: bool,
) -> None:
    """Run the cards NAMES, or all that can be run, on an account of the running desk, and record what they showed.

    Every step is a write like any other: limits decide, your key signs it, the journal has it. The passphrase is
    asked for once for all. Never on a live account. The exit code is 0 if every criterion held.
    """
    chosen = [_card(name) for name in names] or list(cards())
    runnable = [card for card in chosen if card.not_run_because is None]
    with at_desk(socket, is_json=is_json) as client:
        held = _account(client, account)
        signer = signer_of(client, approver, key)
        if not signer.is_scripted:
            ids = ", ".join(card.id for card in runnable)
            said = typed(f"Type run to sign every step of {ids} on {account} ({held.environment}): ")
            if said != "run":
                raise click.ClickException("not run; nothing was proposed")
        unlocked = unlock(client, signer)
        records: list[dict[str, Any]] = []
        mids: dict[str, Decimal] = {}
        for card in runnable:
            run = CardRun(client, unlocked, account, person(), _say, mids)
            click.echo(f"{card.id}: {card.title}", err=True)
            judged = run.run(card)
            records.append(_record(card, held, client.status().desk_id, judged))
    _keep(_file(), records)
    _tell(chosen, records, is_json=is_json)
    if not all(each["passed"] for each in records):
        sys.exit(REFUSED)


def _say(line: str) -> None:
    click.echo(f"  {visible(line, 400)}", err=True)


def shows_absence(records: Sequence[dict[str, Any]], *, venue: str, environment: str) -> bool:
    """Whether every card that machine absence rests on passed last at this venue, in this environment."""
    last = {
        each["card"]: each["passed"]
        for each in records
        if (each["venue"], each["environment"]) == (venue, environment)
    }
    return all(last.get(card, False) for card in ABSENCE_RESTS_ON)


def _account(client: OperatorClient, name: str) -> AccountStatus:
    accounts = {each.name: each for each in client.status().accounts}
    held = accounts.get(name)
    if held is None:
        raise click.UsageError(f"the desk holds {', '.join(accounts) or 'no account'}, and not that one")
    if held.environment == _LIVE:
        raise click.UsageError(f"{name} is real money; cards run on sandbox and sim accounts alone")
    return held


def _record(card: Card, held: AccountStatus, desk_id: str, judged: Sequence[Judged]) -> dict[str, Any]:
    return {
        "card": card.id,
        "card_sha256": sha256_of(canonical_json(card.model_dump(mode="json"))),
        "at": iso(SystemClock().now_ms()),
        "version": __version__,
        "desk": desk_id,
        "account": held.name,
        "venue": held.venue,
        "environment": held.environment,
        "passed": all(each.holds for each in judged),
        "criteria": {each.criterion.id: {"holds": each.holds, "seen": each.seen} for each in judged},
    }


def _tell(chosen: Sequence[Card], records: Sequence[dict[str, Any]], *, is_json: bool) -> None:
    if is_json:
        click.echo(json.dumps({"results": list(records)}, indent=2))
        return
    rows = [
        (each["card"], criterion, "pass" if told["holds"] else "FAIL", told["seen"])
        for each in records
        for criterion, told in each["criteria"].items()
    ]
    rows += [(card.id, "-", "not run", card.not_run_because) for card in chosen if card.not_run_because]
    table(("card", "criterion", "result", "seen"), rows)


def _card(name: str) -> Card:
    known = {card.id: card for card in cards()}
    if name not in known:
        raise click.UsageError(f"there is no card {name}; there are {', '.join(known)}")
    return known[name]


def _file() -> Path:
    return places().desk_state / "cards.json"


def _recorded(file: Path) -> list[dict[str, Any]]:
    if not file.exists():
        return []
    kept: list[dict[str, Any]] = json.loads(read_owner_only(file, limit=_LARGEST))
    return kept


def _keep(file: Path, records: Sequence[dict[str, Any]]) -> None:
    write_owner_only(file, json.dumps([*_recorded(file), *records], indent=1).encode())
