"""Virtual time: an event loop that never waits, its clock, and processes that can be killed between two steps.

Everything that is due runs in the order in which it became due, so one seed makes one history.
"""

import asyncio
import heapq
import itertools
import random
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager, suppress
from contextvars import Context, ContextVar, copy_context
from typing import Any, Final

# Any moment will do; this one is 2026-01-01T00:00:00Z.
EPOCH_MS: Final = 1_767_225_600_000

_PROCESS: ContextVar["Process | None"] = ContextVar("process", default=None)


class Killed(BaseException):
    """Raised inside a process that is dead: nothing of it may go on."""


class Process:
    """One run of a program. Once dead, none of its code runs: no handler, no `finally`, no callback."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_dead = False

    def kill(self) -> None:
        """End it where it stands."""
        self.is_dead = True

    def alive(self) -> None:
        """Go on, if it lives.

        Raises:
            Killed: it does not.
        """
        if self.is_dead:
            raise Killed(self.name)

    @contextmanager
    def running(self) -> Generator[None]:
        """Tasks made inside the block belong to this process."""
        token = _PROCESS.set(self)
        try:
            yield
        finally:
            _PROCESS.reset(token)


class _Due(asyncio.Handle):
    """A callback and the context in which it runs."""

    def __init__(
        self,
        callback: Callable[..., object],
        args: tuple[Any, ...],
        loop: "VirtualLoop",
        context: Context | None,
    ) -> None:
        self.context = context if context is not None else copy_context()
        super().__init__(callback, args, loop, self.context)
        self.call = callback, args

    def run(self) -> None:
        process = self.context.get(_PROCESS)
        if process is None or not process.is_dead:
            call, args = self.call
            self.context.run(call, *args)


class _Timer(_Due, asyncio.TimerHandle):
    """The same, at a moment."""

    def __init__(
        self,
        when: float,
        callback: Callable[..., object],
        args: tuple[Any, ...],
        loop: "VirtualLoop",
        context: Context | None,
    ) -> None:
        self.context = context if context is not None else copy_context()
        asyncio.TimerHandle.__init__(self, when, callback, args, loop, self.context)
        self.call = callback, args


class VirtualLoop(asyncio.AbstractEventLoop):
    """An event loop whose time passes only when nothing else is left to do."""

    def __init__(self) -> None:
        self._now = 0.0
        self._ready: deque[_Due] = deque()
        self._timers: list[tuple[float, int, _Timer]] = []
        self._sequence = itertools.count()
        self._tasks: list[asyncio.Task[Any]] = []
        self.faults: list[dict[str, Any]] = []

    def time(self) -> float:
        """Seconds since the start of the history."""
        return self._now

    def jump(self, seconds: float) -> None:
        """Let time pass at once, as for a machine that slept: whatever was due meanwhile is late."""
        self._now += seconds

    def run_history(self, story: Coroutine[Any, Any, Any], most_steps: int = 2_000_000) -> None:
        """Run until the story has been told.

        Raises:
            RuntimeError: nothing is left to do and the story has not ended, or it goes on for ever.
        """
        asyncio.events._set_running_loop(self)  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue] - as above
        try:
            task = self.create_task(story)
            for _ in range(most_steps):
                if task.done():
                    task.result()
                    return
                self._step()
            raise RuntimeError("the story does not end")
        finally:
            self._end_the_rest()
            asyncio.events._set_running_loop(None)  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue] - as above

    def _end_the_rest(self) -> None:
        """End what still waits, here and not whenever memory is collected. What it would still do concerns nobody."""
        for task in self._tasks:
            coroutine = task.get_coro()
            if not task.done():
                with suppress(BaseException):
                    coroutine.close()

    def _step(self) -> None:
        if not self._ready:
            self._wait()
        for _ in range(len(self._ready)):
            due = self._ready.popleft()
            if not due.cancelled():
                due.run()

    def _wait(self) -> None:
        while self._timers and self._timers[0][2].cancelled():
            heapq.heappop(self._timers)
        if not self._timers:
            raise RuntimeError("nothing is left to do")
        self._now = max(self._now, self._timers[0][0])
        while self._timers and self._timers[0][0] <= self._now:
            timer = heapq.heappop(self._timers)[2]
            if not timer.cancelled():
                self._ready.append(timer)

    def call_soon(
        self,
        callback: Callable[..., object],
        *args: Any,  # noqa: ANN401 - the callback's own
        context: Context | None = None,
    ) -> asyncio.Handle:
        due = _Due(callback, args, self, context)
        self._ready.append(due)
        return due

    def call_at(
        self,
        when: float,
        callback: Callable[..., object],
        *args: Any,  # noqa: ANN401 - the callback's own
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        timer = _Timer(when, callback, args, self, context)
        heapq.heappush(self._timers, (when, next(self._sequence), timer))
        return timer

    def call_later(
        self,
        delay: float,
        callback: Callable[..., object],
        *args: Any,  # noqa: ANN401 - the callback's own
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        return self.call_at(self._now + delay, callback, *args, context=context)

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=self)

    def create_task(
        self,
        coro: Any,  # noqa: ANN401 - as asyncio has it
        *,
        name: str | None = None,
        context: Context | None = None,
    ) -> asyncio.Task[Any]:
        task = asyncio.Task(coro, loop=self, name=name, context=context)
        self._tasks.append(task)
        return task

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return True

    def is_closed(self) -> bool:
        return False

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        self.faults.append(context)

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """Cancelled timers are skipped when they are due."""


class VirtualClock:
    """The clock of one machine; `skew_ms` is how far it is ahead of the venue's."""

    def __init__(self, loop: VirtualLoop, skew_ms: int = 0) -> None:
        self._loop = loop
        self.skew_ms = skew_ms

    def now_ms(self) -> int:
        """UTC milliseconds since the epoch."""
        return EPOCH_MS + self.skew_ms + round(self._loop.time() * 1000)

    def monotonic(self) -> float:
        """Seconds that only go forward."""
        return self._loop.time()


class SeededEntropy:
    """Bytes that one seed decides. It stands in the tests' folder, so that no product can be built with it."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)  # noqa: S311 - a seed is to be repeated, not to be secret

    def token(self, size: int) -> bytes:
        """As many bytes."""
        return self._random.randbytes(size)
