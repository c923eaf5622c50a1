"""Work that may wait for files, for a keyring, or for a person who has to unlock it: done beside the event loop."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

import anyio

T = TypeVar("T")


async def aside(work: Callable[[], T], *, seconds: float) -> T:
    """What `work` returns; whatever it raises is raised here.

    It runs in a thread of its own that keeps nobody: where it takes longer it is left alone, and the process may end
    meanwhile.

    Raises:
        TimeoutError: it took longer than so many seconds.
    """
    done: Future[T] = Future()

    def run() -> None:
        done.set_running_or_notify_cancel()
        try:
            done.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised again where it is awaited
            done.set_exception(error)

    # The threads of anyio and asyncio are waited for when the process ends.
    threading.Thread(target=run, name="aside", daemon=True).start()
    with anyio.fail_after(seconds):
        return await asyncio.wrap_future(done)
