"""How a request is refused before it reaches MCP: a status, and an error as JSON that says what to do next.

The body is a JSON-RPC error without an id, which MCP clients show, with the error of our own tree's shape in `data`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from starlette.types import Send

# JSON-RPC 2.0 leaves -32000 to -32099 to implementations.
_CODE: Final = -32000

ALWAYS: Final = ((b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff"))
"""Headers of every answer that is ours."""


@dataclass(eq=False)
class RefusedError(Exception):
    """The request goes no further.

    Attributes:
        status: of HTTP.
        code: machine-readable, stable across releases.
        message, hint: what is wrong, and the next step; neither repeats what the request said.
        headers: more headers of the answer.
        retry: whether the same request may be sent again.
    """

    status: int
    code: str
    message: str
    hint: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    retry: str = "never"

    def body(self) -> bytes:
        """The answer's body."""
        data = {"code": self.code, "message": self.message, "hint": self.hint, "retry": self.retry}
        error = {"code": _CODE, "message": f"{self.message}. {self.hint}".rstrip(), "data": data}
        return json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()


async def answer(
    send: "Send",
    status: int,
    body: bytes,
    *,
    headers: Sequence[tuple[bytes, bytes]] = (),
    closes: bool = False,
) -> None:
    """Send a whole answer; `closes` ends the connection after it."""
    lines = [*ALWAYS, *headers]
    if status != 204:  # noqa: PLR2004 - No Content has no length either (RFC 9110, 8.6)
        lines.append((b"content-length", str(len(body)).encode()))
    if body:
        lines.append((b"content-type", b"application/json"))
    if closes:
        lines.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": status, "headers": lines})
    await send({"type": "http.response.body", "body": body})
