"""What `serve` serves when it is told little or nothing, and who tells it."""

import os
import pty
import signal
import subprocess
from pathlib import Path
from typing import Any, Final

import anyio
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from exchange_mcp.rules.venues import VENUES
from serving import PROGRAM, Sim, asked, configured

# A network namespace of its own, in which even loopback is down.
ALONE: Final = ("unshare", "--net") if os.geteuid() == 0 else ("unshare", "--map-root-user", "--net")

PING: Final = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n'


async def accounts(environ: dict[str, str], *arguments: str, prefix: tuple[str, ...] = ALONE) -> list[Any]:
    """What a real client of a server launched with these arguments is told by list_accounts."""
    command = [*prefix, *PROGRAM, "serve", *arguments]
    launch = StdioServerParameters(command=command[0], args=command[1:], env=environ)
    with anyio.fail_after(20):
        async with Client(stdio_client(launch)) as client:
            return (await asked(client, "list_accounts"))["accounts"]


@pytest.mark.anyio
async def test_with_nothing_at_all_every_venue_is_served_without_a_key_or_a_network(
    environ: dict[str, str],
) -> None:
    served = await accounts(environ)
    assert [account["name"] for account in served] == [account["venue"] for account in served] == list(VENUES)
    assert {account["environment"] for account in served} == {"live"}
    assert not [account for account in served if account["has_key"] or account["real_money"]]


@pytest.mark.anyio
async def test_named_venues_are_served_in_their_order_and_the_users_own_file_is_left_alone(
    environ: dict[str, str], tmp_path: Path
) -> None:
    default = tmp_path / ".config" / "exchange-mcp" / "serve.toml"
    default.parent.mkdir(parents=True)
    default.write_text("broken", encoding="utf-8")
    served = await accounts(environ, "--venue", "okx", "--venue", "kraken")
    assert [account["name"] for account in served] == ["okx", "kraken"]


@pytest.mark.anyio
@pytest.mark.parametrize("variable", ["XDG_CONFIG_HOME", None])
async def test_the_users_own_file_is_found_where_it_belongs(
    variable: str | None, environ: dict[str, str], sim: Sim, tmp_path: Path
) -> None:
    place = tmp_path / ("elsewhere" if variable else ".config") / "exchange-mcp"
    place.mkdir(parents=True)
    configured(place, sim)
    more = {variable: str(tmp_path / "elsewhere")} if variable else {}
    (account,) = await accounts({**environ, **more}, prefix=())
    assert (account["name"], account["environment"], account["has_key"]) == ("main", "sim", True)
    assert account["real_money"] is False


def test_a_person_who_starts_it_at_a_terminal_is_told_what_it_waits_for(environ: dict[str, str]) -> None:
    terminal, theirs = pty.openpty()
    with subprocess.Popen(  # noqa: S603 - our own program
        [*ALONE, *PROGRAM, "serve", "--venue", "kraken"],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environ,
    ) as process:
        assert process.stderr is not None
        assert process.stdout is not None
        assert "MCP client launches" in process.stderr.readline()
        os.write(terminal, PING)
        assert '"id":1' in process.stdout.readline()  # it serves, and so it has seen to signals
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=10)
    os.close(terminal)
    os.close(theirs)
    assert (process.returncode, rest) == (0, "")
