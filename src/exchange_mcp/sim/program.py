"""The venue as a program of its own, until it is told to stop."""

import asyncio
import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from exchange_mcp.sim.clock import Clock
from exchange_mcp.sim.rendezvous import Rendezvous, published
from exchange_mcp.sim.server import SimulatedExchange

_STDIN = 0
_CHUNK = 4096


def run(  # noqa: PLR0913 - what a command line can say
    *,
    seed: int,
    port: int,
    rendezvous_path: Path,
    accounts: int = 2,
    clock: Clock | None = None,
    exit_with_stdin: bool = False,
    on_ready: Callable[[Rendezvous], None] | None = None,
) -> None:
    """Serve on 127.0.0.1 until SIGTERM or SIGINT, with the rendezvous file in place meanwhile; then return.

    Args:
        seed: what prices, books and opening balances follow from.
        port: the TCP port, or 0 for any that is free.
        rendezvous_path: where clients find port, certificate, keys and control token.
        accounts: how many accounts there are: main, alt, acct3 and so on.
        clock: where the venue takes its time from; the machine's clock unless given.
        exit_with_stdin: also stop at the end of standard input, so that the end of a parent ends this too.
        on_ready: called once, when the file is in place.

    Raises:
        RendezvousError: where the file cannot be published.
        OSError: where the port is taken.
    """
    exchange = SimulatedExchange(seed=seed, clock=clock, accounts=accounts)
    asyncio.run(_serve(exchange, port, rendezvous_path, exit_with_stdin=exit_with_stdin, on_ready=on_ready))


async def _serve(
    exchange: SimulatedExchange,
    port: int,
    path: Path,
    *,
    exit_with_stdin: bool,
    on_ready: Callable[[Rendezvous], None] | None,
) -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    if exit_with_stdin:
        threading.Thread(
            target=_watch_stdin, args=(lambda: loop.call_soon_threadsafe(stopped.set),), daemon=True
        ).start()
    async with exchange.serving(port):
        rendezvous = _describe(exchange)
        with published(rendezvous, path):
            if on_ready is not None:
                on_ready(rendezvous)
            await stopped.wait()


def _describe(exchange: SimulatedExchange) -> Rendezvous:
    return Rendezvous(
        pid=os.getpid(),
        port=exchange.port,
        ca_pem=exchange.ca_pem,
        control_token=exchange.control_token,
        keys={
            label: {"api_key": key.api_key, "secret": key.secret, "account": key.account}
            for label, key in exchange.keys.items()
        },
        seed=exchange.seed,
        started_at_ms=exchange.clock.now_ms(),
    )


def _watch_stdin(stop: Callable[[], object]) -> None:
    # Not through sys.stdin's buffer: its lock, held by a thread at exit, would abort the interpreter.
    with suppress(OSError):
        while os.read(_STDIN, _CHUNK):
            pass
    stop()
