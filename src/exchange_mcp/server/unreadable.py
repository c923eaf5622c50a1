"""Requests over stdio that cannot be read as they stand: each gets an error under its id, where the SDK says nothing.

Half of an emoji in a text, which JSON may spell and no text in Unicode has, an integer of thousands of digits, several
requests in one line: whoever sent them would wait until their own time is up. Over HTTP the SDK answers them itself.
Source: JSON-RPC 2.0, 5.1; MCP specification 2025-11-25, Base Protocol, Error Responses.
"""

import json
from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self, cast

import mcp_types as types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from exchange_mcp.config.logs import get_logger

if TYPE_CHECKING:
    from mcp.shared._stream_protocols import ReadStream, WriteStream

_log = get_logger(__name__)

_MOST_DIGITS: Final = 18
_MOST_IN_A_LINE: Final = 64
_SAID: Final = (
    "the message cannot be read, and nothing of it was done: it is one JSON-RPC request, in JSON whose texts are whole "
    "Unicode characters and whose integers are short; send each request by itself, and amounts as decimal text"
)


class Readable:
    """The SDK's stream of what came in, without what cannot be read; that is answered here."""

    def __init__(
        self, incoming: "ReadStream[SessionMessage | Exception]", outgoing: "WriteStream[SessionMessage]"
    ) -> None:
        self._incoming = incoming
        self._outgoing = outgoing

    async def receive(self) -> SessionMessage | Exception:
        """The next message."""
        return await self._readable(await self._incoming.receive())

    def __aiter__(self) -> "Readable":
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        return await self._readable(await self._incoming.__anext__())

    async def aclose(self) -> None:
        """Take no more."""
        await self._incoming.aclose()

    async def __aenter__(self) -> Self:
        await self._incoming.__aenter__()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> bool | None:
        return await self._incoming.__aexit__(exc_type, exc_val, exc_tb)

    async def _readable(self, item: SessionMessage | Exception) -> SessionMessage | Exception:
        """This one, or the next one that is a message."""
        while isinstance(item, ValidationError):
            ids = list(_ids(item))[:_MOST_IN_A_LINE]
            _log.warning("a message could not be read", requests=len(ids))
            for each in ids:
                await self._outgoing.send(SessionMessage(_refusal(each, item)))
            item = await self._incoming.__anext__()
        return item


def _refusal(request_id: str | int, error: ValidationError) -> types.JSONRPCError:
    is_json = error.errors(include_url=False)[0]["type"] != "json_invalid"
    code = types.INVALID_REQUEST if is_json else types.PARSE_ERROR
    return types.JSONRPCError(
        jsonrpc="2.0", id=request_id, error=types.ErrorData(code=code, message=_SAID, data=None)
    )


def _ids(error: ValidationError) -> Iterator[str | int]:
    """The ids of the requests in a line, as far as they can be told; a notification has none and gets no answer."""
    for fault in error.errors(include_url=False):
        found: object = _loosely(fault["input"]) if fault["type"] == "json_invalid" else fault["input"]
        ids = [each for each in map(_id, _listed(found)) if each is not None]
        if ids:
            yield from dict.fromkeys(ids)
            return


def _id(request: object) -> str | int | None:
    """The id of one request; None where it has none that can be sent."""
    said = cast("dict[str, object]", request) if isinstance(request, dict) else {}
    request_id = said.get("id") if "method" in said else None
    if isinstance(request_id, str):
        return None if any("\ud800" <= each <= "\udfff" for each in request_id) else request_id
    return request_id if isinstance(request_id, int) and not isinstance(request_id, bool) else None


def _listed(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else [value]


def _loosely(line: object) -> object:
    """What the line says, by a reader that takes more; None where it is no JSON."""
    try:
        return json.loads(str(line), parse_int=lambda text: int(text) if len(text) <= _MOST_DIGITS else None)
    except (ValueError, RecursionError):
        return None
