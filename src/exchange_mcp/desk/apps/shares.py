"""How much of a socket one client may have at a time, and all of them together."""

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from exchange_mcp.model.errors import BusyError


@dataclass(frozen=True, slots=True)
class Share:
    """How many requests may be under way: of all clients together, and of one."""

    all: int
    of_one: int


@dataclass(slots=True)
class Shares:
    """The requests under way that wait for something, and those that do not, each kind with its share."""

    working: Share
    waiting: Share
    _counts: dict[bool, Counter[str]] = field(default_factory=lambda: {False: Counter(), True: Counter()})

    @contextmanager
    def taken(self, client: str, *, waits: bool) -> Generator[None]:
        """One place, within the block.

        Raises:
            BusyError: the client, or all together, have as many as they may.
        """
        share, counts = self.waiting if waits else self.working, self._counts[waits]
        if counts[client] >= share.of_one:
            raise _busy(f"{share.of_one} requests of this client are under way at the desk already")
        if counts.total() >= share.all:
            raise _busy(f"{share.all} requests are under way at the desk already")
        counts[client] += 1
        try:
            yield
        finally:
            counts[client] -= 1
            if not counts[client]:
                del counts[client]


def _busy(message: str) -> BusyError:
    return BusyError(
        f"{message}; this one was not taken", hint="Ask the same again once one of them has its answer."
    )
