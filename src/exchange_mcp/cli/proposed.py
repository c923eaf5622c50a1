"""A proposal by hand over the proposal socket, as the client whose credential it shows."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import anyio
import click

from exchange_mcp import __version__
from exchange_mcp.cli.at_desk import REFUSED, at_desk, desk_table_path, print_json
from exchange_mcp.cli.clock import SystemClock
from exchange_mcp.cli.entropy import SystemEntropy
from exchange_mcp.cli.places import places
from exchange_mcp.config.faults import ConfigError
from exchange_mcp.config.owner_only import read_owner_only
from exchange_mcp.config.serve import load_serve
from exchange_mcp.desk.operator.client import OperatorClient
from exchange_mcp.link.client import DeskClient
from exchange_mcp.link.messages import AccountIdentity, Action, IntentMessage
from exchange_mcp.link.ports import Draft
from exchange_mcp.model.accounts import AccountName, Environment, MarketType
from exchange_mcp.model.errors import DeskError
from exchange_mcp.model.venue_text import visible
from exchange_mcp.rules.venues import check_account
from exchange_mcp.tools.declarations import declaration_of, digest_of
from exchange_mcp.tools.registry import builtin

if TYPE_CHECKING:
    from exchange_mcp.cli.propose import Way

_LONGEST: Final = 4096
_MOST: Final = 400


def propose_as_client(action: Action, tool: str, request: Mapping[str, object], way: "Way") -> None:
    """Propose it, and say what the desk answers."""
    with at_desk(way.socket, is_json=way.is_json) as operator:
        draft = Draft(
            tool=tool,
            declaration=_declaration(tool),
            account=_identity(operator, way.account),
            action=action,
            request=request,
            distinct_from=way.distinct_from,
        )
        file = way.credential or places().client_credential
        credential = read_owner_only(file, limit=_LONGEST).decode().strip()
        socket = way.proposal_socket or desk_table_path("proposal_socket") or places().proposal_socket
        message = anyio.run(_proposed, socket, credential, draft)
    if way.is_json:
        print_json(message)
    else:
        _say(message)
    if message.state == "denied":
        sys.exit(REFUSED)


def _say(message: IntentMessage) -> None:
    click.echo(
        f"{message.state.upper()}: intent {message.intent_id}. {visible(message.reason, _MOST)}".rstrip()
    )
    for line in message.preview_lines:
        click.echo(f"  {visible(line, _MOST)}")
    click.echo(visible(message.next, _MOST))
    if message.approval is not None:
        click.echo(
            f"{visible(message.approval, _MOST)} Here: exchange-mcp approvals approve {message.intent_id}"
        )


async def _proposed(socket: Path, credential: str, draft: Draft) -> IntentMessage:
    desk = DeskClient(socket, version=__version__, entropy=SystemEntropy(), clock=SystemClock())
    try:
        return await desk.linked(credential).propose(draft)
    finally:
        await desk.close()


def _declaration(tool: str) -> str:
    spec = builtin().get(tool)
    if spec is None:
        raise click.ClickException(f"this exchange-mcp has no tool {tool}; propose with --operator")
    return digest_of(declaration_of(spec))


def _identity(operator: OperatorClient, name: str) -> AccountIdentity:
    """The account as this side knows it: by `serve.toml`, with the venue's own id where the desk's operator asks.

    A client elsewhere has no operator socket; its account is compared by what `serve.toml` says.
    """
    try:
        held = {each.name: each for each in operator.status().accounts}.get(name)
    except DeskError:
        held = None
    if held is not None:
        return AccountIdentity(
            name=name,
            venue=held.venue,
            environment=Environment(held.environment),
            market_types=tuple(MarketType(kind) for kind in held.market_types),
            account_id=held.account_id,
        )
    try:
        config = load_serve(places().serve_file, check=check_account, environ=os.environ)
    except ConfigError:
        accounts = {}
    else:
        accounts = {each.account.name: each.account for each in config.accounts}
    account = accounts.get(AccountName(name))
    if account is None:
        raise click.UsageError(f"neither the desk nor serve.toml has an account {visible(name, 40)}")
    return AccountIdentity(
        name=name,
        venue=account.venue,
        environment=account.environment,
        market_types=tuple(account.market_types),
    )
