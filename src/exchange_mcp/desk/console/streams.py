"""The streams by which open pages learn that something happened: few, small, and ended with their session."""

import asyncio
import json
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable
from typing import TYPE_CHECKING, Final

from exchange_mcp.desk.office import OperatorOffice
from exchange_mcp.model.errors import ExchangeMcpError

if TYPE_CHECKING:
    from exchange_mcp.desk.operator.messages import News

MOST: Final = 4
"""Streams of one session; a further one ends the oldest.

Fewer than the six connections that a browser opens to one origin, so that some are left for a press of a button; its
tabs share one anyway.
"""
_WAIT_MS: Final = 15_000
# No event has this number: the question is only which one is the latest.
_NEVER: Final = 2**53 - 1


class Streams:
    """What is open of one session, oldest first."""

    def __init__(self) -> None:
        self._open: OrderedDict[int, asyncio.Event] = OrderedDict()
        self._count = 0

    def __len__(self) -> int:
        return len(self._open)

    def begin(self) -> tuple[int, asyncio.Event]:
        """A new stream, and what is set once it has to end."""
        self._count += 1
        ended = asyncio.Event()
        self._open[self._count] = ended
        while len(self._open) > MOST:
            _, oldest = self._open.popitem(last=False)
            oldest.set()
        return self._count, ended

    def close(self, number: int) -> None:
        """This one has ended."""
        self._open.pop(number, None)

    def end(self) -> None:
        """End all of them."""
        for ended in self._open.values():
            ended.set()
        self._open.clear()


async def stream(
    office: OperatorOffice, streams: Streams, *, is_over: Callable[[], bool]
) -> AsyncGenerator[str]:
    """Server-sent events: how much waits, each time something happened; at the end, that it is over.

    A slow reader misses nothing that it needs: every event is the whole of what is known.
    """
    number, ended = streams.begin()
    over = asyncio.ensure_future(ended.wait())
    news: asyncio.Future[News] | None = None
    try:
        head = (await office.news(after=_NEVER, wait_ms=0)).head
        yield "retry: 2000\n\n" + _event("now", _now(office, head))
        while not is_over():
            news = asyncio.ensure_future(office.news(after=head, wait_ms=_WAIT_MS))
            await asyncio.wait({news, over}, return_when=asyncio.FIRST_COMPLETED)
            if over.done() or is_over():
                break
            latest = news.result().head
            yield ": still here\n\n" if latest == head else _event("now", _now(office, latest))
            head = latest
        yield _event("over", {})
    except ExchangeMcpError:
        yield _event("over", {})
    finally:
        over.cancel()
        if news is not None:
            news.cancel()
        streams.close(number)


def _now(office: OperatorOffice, head: int) -> dict[str, object]:
    status = office.status()
    return {
        "head": head,
        "pending": status.pending,
        "halted": status.halted is not None or any(each.halted for each in status.accounts),
        "unknown": sum(each.unknown for each in status.accounts),
    }


def _event(name: str, data: dict[str, object]) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"
