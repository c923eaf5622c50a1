"""The way in: where a request comes from, how it was made and how large it is, before anything looks at it.

Every page in a browser of this machine can reach this port; a name that its owner points at 127.0.0.1 passes for the
same origin (DNS rebinding), and another local program's page is the same *site*, so that its requests carry our cookie.
Host, Origin and Sec-Fetch-* give all of them away, since no page can set them.
Source: https://www.w3.org/TR/fetch-metadata/; https://fetch.spec.whatwg.org/#origin-header.
"""

import json
from typing import TYPE_CHECKING, Final

import anyio

from exchange_mcp.desk.console.refusals import RefusedError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BODY: Final = 32_768
"""In bytes; the largest thing sent here is a passkey's attestation."""
_BODY_SECONDS: Final = 10.0
_LONGEST_TARGET: Final = 512
_JSON: Final = b"application/json"
# A person may come from anywhere to a page that shows nothing and does nothing by itself.
_OPEN_DOORS: Final = frozenset({b"/", b"/enter", b"/enrol"})
_DESTINATIONS: Final = frozenset({b"document", b"empty", b"script", b"style", b"image"})

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
_FEATURES: Final = (
    "publickey-credentials-get=(self), publickey-credentials-create=(self), camera=(), geolocation=(), "
    "microphone=(), payment=(), usb=()"
)
HEADERS: Final = (
    (b"content-security-policy", _POLICY.encode()),
    (b"x-frame-options", b"DENY"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-embedder-policy", b"require-corp"),
    (b"permissions-policy", _FEATURES.encode()),
    (b"cache-control", b"no-store"),
)
"""Headers of every answer."""
_OURS: Final = frozenset(name for name, _ in HEADERS)


class Guard:
    """The ASGI application that stands before everything else.

    Attributes:
        origin: the one origin whose pages may ask.
    """

    def __init__(self, app: "ASGIApp", *, port: int) -> None:
        self._app = app
        self._host = f"localhost:{port}".encode()
        self.origin = f"http://localhost:{port}"
        self._origin = self.origin.encode()

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Answer one request; nothing but HTTP is spoken here."""
        if scope["type"] != "http":
            raise RuntimeError(f"the console speaks HTTP and no {scope['type']}")
        guarded = _with_headers(send)
        try:
            self._judge(scope)
            body = await _body(scope, receive)
        except RefusedError as refusal:
            await refuse(refusal, guarded, as_json=scope["method"] != "GET")
            return
        if body is not None:
            await self._app(scope, _replayed(body, receive), guarded)

    def _judge(self, scope: "Scope") -> None:
        headers = _Headers(scope)
        if headers.one(b"host") != self._host:
            raise RefusedError(421, "HOST_REFUSED", f"This console is at {self.origin} and nowhere else.")
        method, path = scope["method"], scope["raw_path"]
        if method not in {"GET", "POST"}:
            raise RefusedError(405, "METHOD_REFUSED", "The console takes GET and POST.")
        if len(path) + len(scope["query_string"]) > _LONGEST_TARGET or not path.startswith(b"/"):
            raise RefusedError(404, "NO_SUCH_PAGE", "There is nothing at this address.")
        is_post = method == "POST"
        if headers.all(b"origin") not in ([[self._origin]] if is_post else [[], [self._origin]]):
            raise RefusedError(
                403, "ORIGIN_REFUSED", "The request comes from another page than the console's."
            )
        self._judge_fetch(headers, is_post=is_post, is_door=path in _OPEN_DOORS)
        if is_post and headers.one(b"content-type") != _JSON:
            raise RefusedError(415, "TYPE_REFUSED", "The console takes JSON.")
        if headers.all(b"transfer-encoding") and headers.all(b"content-length"):
            raise RefusedError(400, "FRAMED_TWICE", "The request is framed in two ways.")

    def _judge_fetch(self, headers: "_Headers", *, is_post: bool, is_door: bool) -> None:
        site, mode, destination = (headers.one(b"sec-fetch-" + name) for name in (b"site", b"mode", b"dest"))
        if destination not in ({b"empty"} if is_post else _DESTINATIONS):
            raise RefusedError(403, "FETCH_REFUSED", "The console is not shown inside another page.")
        if site == b"same-origin" or (site == b"none" and not is_post):
            return
        if is_door and not is_post and (mode, destination) == (b"navigate", b"document"):
            return
        raise RefusedError(
            403,
            "FETCH_REFUSED",
            "The request comes from another site, or from a browser that does not say where from. "
            "Open the link that exchange-mcp console prints.",
        )


class _Headers:
    """A request's headers, as they came."""

    def __init__(self, scope: "Scope") -> None:
        self._lines: list[tuple[bytes, bytes]] = list(scope["headers"])

    def all(self, name: bytes) -> list[bytes]:
        return [value for key, value in self._lines if key == name]

    def one(self, name: bytes) -> bytes | None:
        found = self.all(name)
        return found[0] if len(found) == 1 else None


async def refuse(refusal: RefusedError, send: "Send", *, as_json: bool) -> None:
    """Answer with a refusal: JSON to what a script asked, a line of text to a person."""
    said = {"error": refusal.message, "code": refusal.code}
    body = json.dumps(said).encode() if as_json else f"{refusal.message}\n".encode()
    kind = b"application/json" if as_json else b"text/plain; charset=utf-8"
    lines = [(b"content-type", kind), (b"content-length", str(len(body)).encode())]
    if refusal.retry_after is not None:
        lines.append((b"retry-after", str(refusal.retry_after).encode()))
    await send({"type": "http.response.start", "status": refusal.status, "headers": lines})
    await send({"type": "http.response.body", "body": body})


async def _body(scope: "Scope", receive: "Receive") -> bytes | None:
    """The request's body; None where whoever asked went away."""
    too_large = RefusedError(413, "BODY_TOO_LARGE", f"The request is larger than {MOST_BODY} bytes.")
    declared = _Headers(scope).all(b"content-length")
    if any(not each.isdigit() or len(each) > 9 or int(each) > MOST_BODY for each in declared):  # noqa: PLR2004 - digits of a sane length
        raise too_large
    body = bytearray()
    with anyio.move_on_after(_BODY_SECONDS):
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            body += message.get("body", b"")
            if len(body) > MOST_BODY:
                raise too_large
            if not message.get("more_body", False):
                return bytes(body)
    raise RefusedError(408, "BODY_TOO_SLOW", "The request did not come in time.")


def _replayed(body: bytes, receive: "Receive") -> "Receive":
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> "Message":
        return messages.pop() if messages else await receive()

    return replay


def _with_headers(send: "Send") -> "Send":
    async def sending(message: "Message") -> None:
        if message["type"] == "http.response.start":
            theirs = [line for line in message.get("headers", ()) if line[0].lower() not in _OURS]
            message = {**message, "headers": [*theirs, *HEADERS]}
        await send(message)

    return sending
