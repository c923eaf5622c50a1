"""Desks that are broken on purpose, at one seam each: what the kills have to find."""

import asyncio
import os
import socket
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from exchange_mcp.config.locations import locations
from exchange_mcp.desk.engine import Engine
from exchange_mcp.model.errors import ExchangeMcpError


def resends_on_start() -> None:
    """What was on its way when the desk died is sent again before it is looked for, as a naive queue would."""
    opened = Engine._open  # pyright: ignore[reportPrivateUsage] - the seam

    async def sent_again(self: Engine, hands: Any) -> None:  # noqa: ANN401 - the engine's own
        station = hands.station
        for intent in station.journal.unknown(station.account):
            ready = None
            while ready is None:  # on a busy machine, whose key it is may not be known yet
                with suppress(ExchangeMcpError):
                    ready = await station.venue.ready(intent.plan)
                await asyncio.sleep(0.01)
            try:
                await ready.send(intent.plan, station.venue.venue_ms() + intent.plan.window_ms + 10_000)
            finally:
                await ready.release()
        await opened(self, hands)

    Engine._open = sent_again  # pyright: ignore[reportPrivateUsage] - as above


def knocks_before_it_speaks() -> None:
    """Not broken: before each line that the desk says, somebody knocks at both of its sockets; or it says why not."""
    say, places = click.echo, locations(os.environ, Path.home())

    def echo(line: str) -> None:
        for path in (places.operator_socket, places.proposal_socket):
            with socket.socket(socket.AF_UNIX) as knocking:
                if (refused := knocking.connect_ex(str(path))) != 0:
                    line = f"nobody listens at {path}: {refused}"
        say(line)

    click.echo = echo
