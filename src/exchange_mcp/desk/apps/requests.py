"""Reading a request: its headers, its query and its body, each once, whole, and within a size and a time."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl

import anyio
from pydantic import ValidationError

from exchange_mcp.desk.apps.strict_json import record_of, refused
from exchange_mcp.link.messages import HOST, PROTOCOL, PROTOCOL_HEADER
from exchange_mcp.model.errors import DeskError, ErrorCode, InvalidArgumentError

if TYPE_CHECKING:
    from starlette.types import Receive, Scope

    from exchange_mcp.desk.apps.operation import Operation
    from exchange_mcp.model.frozen import Record

MOST_BODY: Final = 65_536
_MOST_CREDENTIAL: Final = 512
_MOST_MEMBERS: Final = 8
_MOST_DIGITS: Final = 12
_BEARER: Final = "Bearer "

Headers = Sequence[tuple[bytes, bytes]]


class GoneError(Exception):
    """Whoever asked went away before the request was complete."""


class FramingError(InvalidArgumentError):
    """The request is none that these sockets take. `status` is the answer's; its connection ends with it."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def check_headers(headers: Headers) -> None:
    """See that the request is meant for a desk of this protocol.

    Raises:
        FramingError: it names another host, or is framed in two ways. DeskError: DESK_VERSION.
    """
    if _values(headers, "host") != [HOST]:
        raise FramingError(421, f"the request's Host is not {HOST}")
    if _values(headers, "transfer-encoding") and _values(headers, "content-length"):
        raise FramingError(400, "the request has both Content-Length and Transfer-Encoding")
    if _values(headers, PROTOCOL_HEADER.lower()) != [str(PROTOCOL)]:
        raise DeskError(
            ErrorCode.DESK_VERSION,
            f"the desk speaks protocol {PROTOCOL}, and the request does not say that it does "
            f"({PROTOCOL_HEADER})",
            hint="Run the same release on both sides.",
        )


def credential_of(headers: Headers) -> str:
    """The credential that the request shows.

    Raises:
        DeskError: CREDENTIAL_REFUSED, where it shows none, or more than one.
    """
    shown = _values(headers, "authorization")
    if len(shown) != 1 or not shown[0].startswith(_BEARER):
        raise DeskError(ErrorCode.CREDENTIAL_REFUSED, "the request shows no credential of a client")
    credential = shown[0].removeprefix(_BEARER)
    if (
        not 0 < len(credential) <= _MOST_CREDENTIAL
        or not credential.isascii()
        or not credential.isprintable()
    ):
        raise DeskError(ErrorCode.CREDENTIAL_REFUSED, "the credential is not one that the desk gave out")
    return credential


def query_of(scope: "Scope", operation: "Operation") -> "Record | None":
    """The record of the query string; raises InvalidArgumentError where the operation has none like it."""
    raw: bytes = scope["query_string"]
    if operation.query is None:
        if raw:
            raise InvalidArgumentError("this route takes no query")
        return None
    try:
        pairs = (
            parse_qsl(
                raw.decode("ascii"),
                keep_blank_values=True,
                strict_parsing=True,
                max_num_fields=_MOST_MEMBERS,
                errors="strict",
            )
            if raw
            else []
        )
    except ValueError:
        raise InvalidArgumentError("the query is not one of names and values") from None
    found = dict(pairs)
    if len(found) != len(pairs):
        raise InvalidArgumentError("a name stands twice in the query")
    try:
        return operation.query.model_validate_strings(found, strict=True)
    except ValidationError as error:
        raise refused(error) from None


async def said_of(
    scope: "Scope", receive: "Receive", operation: "Operation", *, seconds: float
) -> "Record | None":
    """The record of the body, which is read whole.

    Raises:
        FramingError: it is too large, or not complete in time, or no JSON. InvalidArgumentError: another form.
        GoneError: the connection ended first.
    """
    body = await body_of(scope["headers"], receive, seconds=seconds)
    if operation.asks is None:
        if body not in {b"", b"{}"}:
            raise InvalidArgumentError("this route takes no body")
        return None
    if _values(scope["headers"], "content-type") != ["application/json"]:
        raise FramingError(415, "the body's Content-Type is not application/json")
    return record_of(body, operation.asks)


async def body_of(headers: Headers, receive: "Receive", *, seconds: float) -> bytes:
    """The body; raises as `said_of`."""
    for declared in _values(headers, "content-length"):
        if len(declared) > _MOST_DIGITS or not declared.isdigit() or int(declared) > MOST_BODY:
            raise _too_large()
    body = bytearray()
    with anyio.move_on_after(seconds):
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise GoneError
            body += message.get("body", b"")
            if len(body) > MOST_BODY:
                raise _too_large()
            if not message.get("more_body", False):
                return bytes(body)
    raise FramingError(408, f"the body was not complete within {seconds:g} s")


def _too_large() -> FramingError:
    return FramingError(413, f"the body is larger than {MOST_BODY} bytes")


def _values(headers: Headers, name: str) -> list[str]:
    wanted = name.encode()
    return [value.decode("latin-1") for key, value in headers if key == wanted]
