"""Desks that are broken on purpose, at one seam each: what the kills have to find."""

import os
import socket
from pathlib import Path

import click

from exchange_mcp.config.locations import locations
from exchange_mcp.desk.engine import Engine
from exchange_mcp.desk.intents import State
from exchange_mcp.desk.records import Intent, Recovered


def resends_on_start() -> None:
    """What was on its way when the desk died is sent again, as a naive queue would."""
    take_up = Engine._take_up  # pyright: ignore[reportPrivateUsage] - the seam

    async def again(engine: Engine, intent: Intent) -> None:
        hands = engine._hands[intent.account]  # pyright: ignore[reportPrivateUsage] - as above
        ready = await hands.station.venue.ready(intent.plan)
        try:
            await ready.send(intent.plan, hands.station.venue.venue_ms() + intent.plan.window_ms)
        finally:
            await ready.release()

    def taken_up(self: Engine, recovered: Recovered) -> None:
        take_up(self, recovered)
        for intent in recovered.unknown:
            assert intent.state is State.UNKNOWN
            self._tasks.may_be_cut(again(self, intent), "sending again")  # pyright: ignore[reportPrivateUsage] - as above

    Engine._take_up = taken_up  # pyright: ignore[reportPrivateUsage] - as above


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
