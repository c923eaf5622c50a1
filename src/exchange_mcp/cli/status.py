"""exchange-mcp status: the desk, at a glance."""

from collections.abc import Iterator
from pathlib import Path

import click

from exchange_mcp.cli.at_desk import at_desk, desk_options, print_json
from exchange_mcp.cli.clock import SystemClock
from exchange_mcp.cli.tabled import pairs, table
from exchange_mcp.desk.operator.messages import AccountStatus, Status
from exchange_mcp.desk.operator.page import age


@click.command("status")
@desk_options
def command(socket: Path | None, *, is_json: bool) -> None:
    """Tell whether the desk takes proposals, what each account may do and has done, and what waits for a person."""
    with at_desk(socket, is_json=is_json) as client:
        status = client.status()
    if is_json:
        print_json(status)
        return
    pairs(_desk(status, SystemClock().now_ms()))
    if status.accounts:
        table(
            ("account", "venue", "environment", "id", "state", "key", "24 h", "orders", "unknown"),
            (_row(account, is_halted=status.halted is not None) for account in status.accounts),
        )
    for intent, missing in status.waiting.items():
        pairs([("waits for you", f"{intent}: {missing} (exchange-mcp intents resolve {intent} OUTCOME)")])


def _desk(status: Status, now_ms: int) -> Iterator[tuple[str, str]]:
    yield "desk", f"{status.desk_id}, version {status.version}, started {age(status.started_at, now_ms)}"
    if status.halted is not None:
        yield "HALTED", f"{status.halted} (exchange-mcp resume)"
    if status.closed is not None:
        yield "CLOSED", status.closed
    if status.halted is None and status.closed is None:
        yield "state", "takes proposals"
    if status.edited is not None:
        yield "EDITED", status.edited
    yield "pending", f"{status.pending} (exchange-mcp approvals list)"
    yield "approvers", ", ".join(status.approvers) or "nobody: nothing can be proposed"
    yield "clients", ", ".join(status.clients) or "none"
    yield "policy", status.policy_digest or "none in force"
    yield "proposals at", status.proposal_socket
    yield "console", status.console or "not running"
    yield "protection", status.protection


def _row(account: AccountStatus, *, is_halted: bool) -> tuple[str, ...]:
    state = (
        f"HALTED: {account.halted}"
        if account.halted is not None
        else f"closed: {account.closed}"
        if account.closed is not None
        else "halted with the desk"
        if is_halted
        else "open"
    )
    spent = ", ".join(f"{amount} {currency}" for currency, amount in sorted(account.notional_24h.items()))
    return (
        account.name,
        account.venue,
        account.environment.upper(),
        account.account_id or "not told",
        state,
        account.key,
        spent or "-",
        f"{account.orders_24h} ({account.orders_last_minute} in the last minute)",
        str(account.unknown),
    )
