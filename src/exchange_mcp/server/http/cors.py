"""Web pages of other sites that may ask: none, but those whose origin is listed (CORS).

Source: https://fetch.spec.whatwg.org/#http-cors-protocol
"""

from typing import TYPE_CHECKING, Final

from exchange_mcp.server.http.refusals import RefusedError, answer

if TYPE_CHECKING:
    from starlette.types import Message, Scope, Send

_METHODS: Final = b"GET, POST, DELETE"
_HEADERS: Final = (
    b"authorization, content-type, accept, last-event-id, "
    b"mcp-protocol-version, mcp-session-id, mcp-method, mcp-name"
)
_EXPOSED: Final = b"mcp-session-id, retry-after, www-authenticate"
_SECONDS_REMEMBERED: Final = b"600"


async def preflight(scope: "Scope", origin: bytes | None, send: "Send") -> None:
    """Answer an OPTIONS request: a browser that asks for a listed page is told what it may send.

    Raises:
        RefusedError: it asks for no page, or for one that is not listed.
    """
    asks = any(name == b"access-control-request-method" for name, _ in scope["headers"])
    if origin is None or not asks:
        raise RefusedError(405, "METHOD_REFUSED", "this path does not take the request's method")
    await answer(
        allowing(origin, send),
        204,
        b"",
        headers=[
            (b"access-control-allow-methods", _METHODS),
            (b"access-control-allow-headers", _HEADERS),
            (b"access-control-max-age", _SECONDS_REMEMBERED),
        ],
    )


def allowing(origin: bytes | None, send: "Send") -> "Send":
    """A `send` whose answers this origin's pages may read; the same `send` where there is none."""
    if origin is None:
        return send

    async def sending(message: "Message") -> None:
        if message["type"] == "http.response.start":
            lines = [
                *message.get("headers", ()),
                (b"access-control-allow-origin", origin),
                (b"access-control-expose-headers", _EXPOSED),
                (b"vary", b"origin"),
            ]
            message = {**message, "headers": lines}
        await send(message)

    return sending
