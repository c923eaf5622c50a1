"""The venue and its control behind one port, told apart by the Host header. ASGI, and nothing in between."""

import asyncio
from collections.abc import Coroutine
from http import HTTPStatus
from typing import cast

from starlette.types import Message, Receive, Scope, Send

from exchange_mcp.sim import control
from exchange_mcp.sim.exchange import Exchange
from exchange_mcp.sim.faults import Close, Delay, Faults, Hang, Replace
from exchange_mcp.sim.request_log import RequestLog
from exchange_mcp.sim.venue import SITES, Venue
from exchange_mcp.sim.wire import Answer, Request, render

TRANSPORT = "sim-transport"
"""Under which name the server leaves a connection's transport in the ASGI state."""


class App:
    """Reads a request, lets a fault strike, has the venue or the control answer."""

    def __init__(self, exchange: Exchange, token: str) -> None:
        self._exchange = exchange
        self._venue = Venue(exchange)
        self._faults = Faults()
        self._log = RequestLog()
        self._closing = asyncio.Event()
        self.control = control.Control(self._faults, self._log, exchange)
        self._control_site = control.ControlSite(self.control, self._log, token)

    def open(self) -> None:
        """Get ready to serve, also once more after having stopped."""
        self._closing = asyncio.Event()

    def close(self) -> None:
        """Close the connections of all requests that are being held back."""
        self._closing.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        headers = dict(cast("list[tuple[bytes, bytes]]", scope["headers"]))
        request = Request(
            host=_host(headers),
            method=scope["method"],
            path=scope["raw_path"].decode("latin-1"),
            query=scope["query_string"].decode("latin-1"),
            body=(await _body(receive)).decode("latin-1"),
            api_key=_header(headers, b"x-mbx-apikey"),
        )
        if request.host in control.HOSTS and request.path.startswith(control.PREFIX):
            answer = self._control_site.answer(request, _header(headers, b"authorization"))
        else:
            answer = await self._serve(request, receive)
        if answer is None:
            await _hang_up(scope, receive)
        else:
            await _send(answer, send)

    async def _serve(self, request: Request, receive: Receive) -> Answer | None:
        key = self._exchange.keys.find(request.api_key)
        entry = self._log.record(request, key.label if key else None)
        answer = await self._decide(request, receive)
        if answer is not None:
            entry.status = answer.status
        return answer

    async def _decide(self, request: Request, receive: Receive) -> Answer | None:
        if request.host not in SITES:
            return Answer(
                HTTPStatus.MISDIRECTED_REQUEST,
                render({"error": f"{request.host!r} is no host of this venue"}),
            )
        rule = self._faults.strike(request)
        if rule is None:
            return self._venue.answer(request)
        # What the venue does is done once, and before or after the fault; what is answered is the fault's.
        answer = self._venue.answer(request) if rule.is_after else None
        match rule.effect:
            case Replace(instead):
                return instead
            case Close():
                return None
            case Delay(ms):
                is_due = await self._holds_until(asyncio.sleep(ms / 1000), receive)
            case Hang(released):
                is_due = await self._holds_until(released.wait(), receive)
        return (answer or self._venue.answer(request)) if is_due else None

    async def _holds_until(self, due: Coroutine[None, None, object], receive: Receive) -> bool:
        """Wait for one event; say whether it came before the client left or the server closed."""
        waits = [asyncio.ensure_future(wait) for wait in (due, self._closing.wait(), _disconnection(receive))]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            return waits[0].done()
        finally:
            for wait in waits:
                wait.cancel()


def _host(headers: dict[bytes, bytes]) -> str:
    return _header(headers, b"host").partition(":")[0].lower()


def _header(headers: dict[bytes, bytes], name: bytes) -> str:
    return headers.get(name, b"").decode("latin-1")


async def _body(receive: Receive) -> bytes:
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body", False):
            return body


async def _disconnection(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _hang_up(scope: Scope, receive: Receive) -> None:
    cast("asyncio.Transport", scope["state"][TRANSPORT]).abort()
    await _disconnection(receive)


async def _send(answer: Answer, send: Send) -> None:
    headers = {
        "content-type": answer.content_type,
        "content-length": str(len(answer.body)),
        **{name.lower(): value for name, value in answer.headers.items()},
    }
    start: Message = {
        "type": "http.response.start",
        "status": int(answer.status),
        "headers": [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()],
    }
    await send(start)
    await send({"type": "http.response.body", "body": answer.body})
