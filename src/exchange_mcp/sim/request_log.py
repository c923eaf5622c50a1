"""What the venue was asked: a bounded log, without signatures."""

import re
from collections import deque
from dataclasses import asdict, dataclass

from exchange_mcp.sim.wire import Request

KEPT = 10_000
"""How many requests are remembered."""

_SIGNATURE = re.compile(r"(?<=signature=)[^&]*")


@dataclass(slots=True)
class Entry:
    """One request; `status` is None until it is answered, and stays so where it never is."""

    seq: int
    host: str
    method: str
    path: str
    query: str
    key: str | None
    status: int | None = None


class RequestLog:
    """The requests that the venue received, oldest first."""

    def __init__(self) -> None:
        self._entries: deque[Entry] = deque(maxlen=KEPT)
        self._received = 0

    def record(self, request: Request, key: str | None) -> Entry:
        """Remember a request with the label of its key; the caller fills in the status."""
        self._received += 1
        query = _SIGNATURE.sub("*", request.query)
        entry = Entry(self._received, request.host, request.method, request.path, query, key)
        self._entries.append(entry)
        return entry

    def entries(self) -> list[Entry]:
        """Return what is remembered."""
        return list(self._entries)

    def clear(self) -> None:
        """Forget everything; numbers go on."""
        self._entries.clear()

    def as_json(self) -> list[dict[str, object]]:
        """Return what is remembered, ready for JSON."""
        return [asdict(entry) for entry in self._entries]
