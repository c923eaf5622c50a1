"""exchange-mcp egress: what may leave the process at a venue, and accepting what another ccxt does."""

import json
import sys
from typing import TYPE_CHECKING, NoReturn

import click

from exchange_mcp.cli.places import places
from exchange_mcp.config.accepted import Acceptance, load_accepted, store_accepted
from exchange_mcp.config.faults import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exchange_mcp.venue.acceptance import Proposal


@click.group("egress")
def command() -> None:
    """Show what may leave the process, and accept what another ccxt does."""


@command.command("explain")
@click.argument("venue")
@click.option("--json", "is_json", is_flag=True, help="Print it for programs.")
def explain(venue: str, *, is_json: bool) -> None:
    """Print every request that may be sent to VENUE, and what may not, with the reason.

    VENUE is any exchange that ccxt has. Nothing is sent.
    """
    from exchange_mcp.venue.endpoints import table  # noqa: PLC0415 - imports ccxt, which takes half a second
    from exchange_mcp.venue.explanation import as_json, as_text  # noqa: PLC0415 - as above

    accepted = _accepted()
    try:
        shown = table(venue, accepted)
    except LookupError as error:
        _end(str(error))
    click.echo(
        json.dumps(as_json(shown), indent=1, ensure_ascii=False) if is_json else as_text(shown).rstrip()
    )


@command.command("accept")
@click.argument("digest")
def accept(digest: str) -> None:
    """Show the difference that DIGEST stands for, and accept it.

    When another ccxt is installed than the one that was read, `explain` and a refused answer show its digest.
    """
    from exchange_mcp.venue.acceptance import installed_proposals  # noqa: PLC0415 - imports ccxt

    accepted = _accepted()
    offered: list[Proposal] = []
    proposal = None
    for proposal in installed_proposals(accepted):
        offered.append(proposal)
        if proposal.change.digest == digest:
            break
    if proposal is None:
        click.echo("There is nothing to accept: the installed ccxt is the one that was read.")
        return
    if proposal.change.digest != digest:
        current = (f"  {each.change.venue} {each.change.digest}" for each in offered)
        _end("\n".join(("no current difference has this digest; there are:", *current)))
    click.echo(str(proposal.change))
    if digest in accepted:
        click.echo("\nThis is accepted already.")
        return
    change = proposal.change
    entry = Acceptance(venue=change.venue, read=change.shipped, installed=change.installed)
    path = places().accepted_file
    try:
        store_accepted(path, {**accepted, digest: entry})
    except OSError as error:
        raise click.ClickException(f"{path} cannot be written: {error.strerror}") from None
    click.echo("\n".join(_opened(proposal)))
    click.echo(f"\nStored in {path}. A server reads it when it starts.")


def _accepted() -> "Mapping[str, Acceptance]":
    try:
        return load_accepted(places().accepted_file)
    except ConfigError as error:
        _end(str(error))


def _opened(proposal: "Proposal") -> "Iterator[str]":
    from exchange_mcp.venue.explanation import aligned  # noqa: PLC0415 - imports ccxt

    yield f"\nAccepted. What may leave at {proposal.change.venue} now and did not before:"
    for cls, endpoints in proposal.opened().items():
        yield f"\n{cls}"
        yield from aligned(endpoints)


def _end(message: str) -> NoReturn:
    click.echo(message, err=True)
    sys.exit(2)
