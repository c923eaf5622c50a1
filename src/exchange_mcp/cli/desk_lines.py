"""What a desk's setup says at its end: what the desk is told, what `serve.toml` needs, and what to start."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

from exchange_mcp.cli.asking import say
from exchange_mcp.cli.launch import program
from exchange_mcp.config.faults import ConfigError
from exchange_mcp.config.locations import Locations, locations
from exchange_mcp.config.schema import DEFAULT_CLIENT
from exchange_mcp.config.serve import ServeConfig, load_serve
from exchange_mcp.config.serve_file import NewAccount, written_path
from exchange_mcp.config.toml_text import listed, quoted
from exchange_mcp.desk.settings import DeskSettings
from exchange_mcp.model.accounts import Environment, MarketType
from exchange_mcp.model.decimals import text
from exchange_mcp.model.venue_text import visible
from exchange_mcp.rules.venues import check_account

_TOOLS: Final = ("place_order", "cancel_order", "set_leverage")


def tools_of(settings: DeskSettings) -> tuple[str, ...]:
    """The tools that can do something on these accounts: spot has no leverage."""
    types = {each for account in settings.accounts for each in account.config.account.market_types}
    return _TOOLS if types - {MarketType.SPOT} else _TOOLS[:-1]


def serve_of(found: Locations) -> ServeConfig | None:
    """The user's `serve.toml`, where there is one that holds."""
    try:
        return load_serve(found.serve_file, check=check_account, environ=os.environ)
    except ConfigError:
        return None


def describe(settings: DeskSettings) -> Iterator[str]:
    """What the desk is told, in a few lines."""
    for each in settings.accounts:
        account = each.config.account
        yield f"account {account.name}: {account.venue}, {account.environment}, {', '.join(account.market_types)}"
    limits = settings.policy.desk
    yield f"markets: {', '.join(limits.symbols or ()) or 'none'}"
    if limits.max_order_notional is not None and limits.max_daily_notional is not None:
        yield (
            f"an order: at most {text(limits.max_order_notional)} {limits.reference}; "
            f"24 hours: at most {text(limits.max_daily_notional)} {limits.reference}"
        )
    yield f"approvers an order takes: {limits.approvals or 1}"


def say_what_to_write(settings: DeskSettings, found: Locations, home: Path, client: str) -> None:
    """The lines for `serve.toml`, on standard output, and what to start."""
    serve = serve_of(found)
    say(f"\nWrite this into {found.serve_file}, so that serve can propose:\n")
    click.echo("\n".join(serve_lines(settings, found, home, client, serve)))
    known = {account.account.name for account in serve.accounts} if serve is not None else set[str]()
    missing = [
        each.config.account
        for each in settings.accounts
        if each.config.account.name not in known and each.config.account.environment is not Environment.SIM
    ]
    for account in missing:
        say(
            f"serve reads the same account with a key of its own, which cannot trade: exchange-mcp init "
            f"--name {account.name} --venue {account.venue} --environment {account.environment}"
        )
    usual = settings.file == locations({}, home).desk_file
    config = "" if usual else f" --config {visible(str(settings.file), len(str(settings.file)))}"
    say(f"\nStart the desk, and leave it running: {' '.join(program())} desk{config}")


def serve_lines(
    settings: DeskSettings, found: Locations, home: Path, client: str, serve: ServeConfig | None
) -> Iterator[str]:
    """What `serve.toml` needs so that its `client` can propose to this desk."""
    caller = client if serve is None or serve.client == DEFAULT_CLIENT else serve.client
    if serve is None or serve.client == DEFAULT_CLIENT:
        yield f"client = {quoted(client)}   # above every table"
        yield ""
    yield "[desk]"
    yield f"socket = {quoted(written_path(settings.proposal_socket, home))}"
    yield f"tools = {listed(tools_of(settings))}"
    yield ""
    yield "[desk.credentials]"
    yield f"{_key(caller)} = {{ file = {quoted(written_path(found.client_credential, home))} }}"
    known = {account.account.name for account in serve.accounts} if serve is not None else set[str]()
    for each in settings.accounts:
        account, sim = each.config.account, each.config.sim
        if sim is not None and account.name not in known:
            usual = locations({}, home).rendezvous_file
            yield ""
            yield from (
                NewAccount(
                    account.name,
                    account.venue,
                    account.environment,
                    account.market_types,
                    sim_key="reader",
                    rendezvous=None if sim.rendezvous == usual else sim.rendezvous,
                )
                .table(home)
                .splitlines()
            )


def _key(name: str) -> str:
    return quoted(name) if "." in name else name
