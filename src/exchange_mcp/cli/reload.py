"""exchange-mcp reload: let every running server of this user read its configuration again."""

import os
import signal
import sys
import time
from contextlib import suppress
from typing import Final

import click

from exchange_mcp.cli.places import places
from exchange_mcp.config.running import Outcome, Server, last_outcome, running

_LONGEST_SECONDS: Final = 15.0
_LOOK_SECONDS: Final = 0.05


@click.command("reload")
def command() -> None:
    """Let every running `serve` of this user read its configuration again.

    Each server takes over the whole file, or nothing of a faulty one. Ends with 1 if one of them did not.
    """
    directory = places().running
    servers = list(running(directory))
    if not servers:
        raise click.ClickException("no server of yours is running")
    before = {server.pid: _number(last_outcome(directory, server.pid)) for server in servers}
    for server in servers:
        # It may have ended this moment; then nothing comes back, and that is said.
        with suppress(ProcessLookupError):
            os.kill(server.pid, signal.SIGHUP)
    deadline = time.monotonic() + _LONGEST_SECONDS
    results = [_result(server, before[server.pid], deadline) for server in servers]
    sys.exit(0 if all(results) else 1)


def _result(server: Server, before: int, deadline: float) -> bool:
    """Say how the server's reload ended, and whether it took over."""
    named = f"{server.pid} ({server.reached})"
    while (outcome := last_outcome(places().running, server.pid)) is None or outcome.number <= before:
        if time.monotonic() > deadline or not any(
            each.pid == server.pid for each in running(places().running)
        ):
            click.echo(f"{named}: did not say how it went; look into its log", err=True)
            return False
        time.sleep(_LOOK_SECONDS)
    if outcome.faults:
        click.echo(f"{named}: not reloaded, nothing changed", err=True)
        for fault in outcome.faults:
            click.echo(f"  {fault}", err=True)
        return False
    click.echo(f"{named}: reloaded{', its tools changed' * outcome.tools_changed}")
    return True


def _number(outcome: Outcome | None) -> int:
    return 0 if outcome is None else outcome.number
