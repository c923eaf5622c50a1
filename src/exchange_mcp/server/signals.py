"""What the process is told from outside: SIGTERM and SIGINT end it, SIGHUP lets it read its configuration again."""

import os
import signal
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final

import anyio
from anyio.abc import TaskStatus

_TERMINAL: Final = "/dev/tty"


async def obey(
    stop: Callable[[str], Awaitable[None]],
    reload: Callable[[], Coroutine[Any, Any, None]],
    *,
    task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED,
) -> None:
    """Call these when the process gets a signal, until cancelled. `stop` gets the signal's name.

    A SIGHUP by which a terminal goes away ends the server that was started at it, as its user expects; unless it was
    started to outlive it (nohup(1) has SIGHUP ignored).
    """
    needs_terminal = _has_terminal() and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT, signal.SIGHUP) as signals:
        task_status.started()
        async with anyio.create_task_group() as group:
            async for received in signals:
                if received is signal.SIGHUP and (not needs_terminal or _has_terminal()):
                    group.start_soon(reload)
                else:
                    await stop(signal.Signals(received).name)


def _has_terminal() -> bool:
    try:
        os.close(os.open(_TERMINAL, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK))
    except OSError:
        return False
    return True
