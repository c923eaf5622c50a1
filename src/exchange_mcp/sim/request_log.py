"""What the venue was asked: a bounded log, without signatures."""

import re
from collections import deque
from dataclasses import asdict, dataclass
from urllib.parse import parse_qsl

from exchange_mcp.sim.wire import Request

KEPT = 10_000
"""How many requests are remembered."""

# A cancel may carry an id of its own besides that of the order.
_CLIENT_IDS = ("origClientOrderId", "newClientOrderId", "clientAlgoId", "clientalgoid")
_SIGNATURE = re.compile(r"(?<=signature=)[^&]*")


@dataclass(slots=True)
class Entry:
    """One request; `status` is None until it is answered, and stays so where it never is.

    Attributes:
        body: the body as sent, without its signature.
        client_order_id: the id under which the client knows the order that it wants to place or cancel;
            `symbol` and `side` likewise, all None for a request that only reads.
    """

    seq: int
    host: str
    method: str
    path: str
    query: str
    body: str
    key: str | None
    client_order_id: str | None = None
    symbol: str | None = None
    side: str | None = None
    status: int | None = None

    @property
    def is_write(self) -> bool:
        """Whether the request asked the venue to change something."""
        return self.method != "GET"


class RequestLog:
    """The requests that the venue received, oldest first."""

    def __init__(self) -> None:
        self._entries: deque[Entry] = deque(maxlen=KEPT)
        self._received = 0

    def record(self, request: Request, key: str | None) -> Entry:
        """Remember a request with the label of its key; the caller fills in the status."""
        self._received += 1
        query, body = (_SIGNATURE.sub("*", part) for part in (request.query, request.body))
        entry = Entry(self._received, request.host, request.method, request.path, query, body, key)
        if entry.is_write:
            sent = dict(parse_qsl(request.body)) | dict(parse_qsl(request.query))
            entry.client_order_id = next((sent[name] for name in _CLIENT_IDS if name in sent), None)
            entry.symbol, entry.side = sent.get("symbol"), sent.get("side")
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
