"""Reading a request's body: all of it, before anything is asked, within a size and a time."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import anyio

from exchange_mcp.server.http.refusals import RefusedError
from exchange_mcp.server.http.whence import values

if TYPE_CHECKING:
    from starlette.types import Message, Receive

_MOST_DIGITS = 12


class GoneError(Exception):
    """Whoever asked went away before the request was complete."""


async def body_of(
    headers: Sequence[tuple[bytes, bytes]], receive: "Receive", *, most: int, seconds: float
) -> bytes:
    """The body.

    Raises:
        RefusedError: it is, or says that it is, larger than `most` bytes, or is not complete in time.
        GoneError: the connection ended first.
    """
    for declared in values(headers, b"content-length"):
        if len(declared) > _MOST_DIGITS or not declared.isdigit() or int(declared) > most:
            raise _too_large(most)
    body = bytearray()
    with anyio.move_on_after(seconds):
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise GoneError
            body += message.get("body", b"")
            if len(body) > most:
                raise _too_large(most)
            if not message.get("more_body", False):
                return bytes(body)
    raise RefusedError(
        408,
        "BODY_TOO_SLOW",
        f"the body was not complete within {seconds:g} s",
        "Send it again, faster.",
        retry="safe",
    )


def replayed(body: bytes, receive: "Receive") -> "Receive":
    """A `receive` that gives this body once, and then whatever else comes."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> "Message":
        return messages.pop() if messages else await receive()

    return replay


def _too_large(most: int) -> RefusedError:
    return RefusedError(
        413, "BODY_TOO_LARGE", f"the body is larger than {most} bytes", "No tool needs as much; send less."
    )
