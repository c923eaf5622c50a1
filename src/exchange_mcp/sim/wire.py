"""What arrives and what is answered, before and after it means anything."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TypeAlias
from urllib.parse import parse_qsl

from exchange_mcp.sim.errors import VenueError, duplicated, empty, illegal, missing

Payload: TypeAlias = Mapping[str, object] | Sequence[object] | bytes
"""What an endpoint answers: anything that JSON can hold, or JSON that is already written."""

SYMBOL_PATTERN = "^[A-Z0-9-_.]{1,20}$"
INTEGER_PATTERN = "^[0-9]{1,20}$"
_SYMBOL_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")
_MAX_LENGTH = 20
_NOT_FOUND = (
    b"<html>\r\n<head><title>404 Not Found</title></head>\r\n<body>\r\n"
    b"<center><h1>404 Not Found</h1></center>\r\n</body>\r\n</html>\r\n"
)


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it came in; path, query and body are as sent, one character a byte."""

    host: str
    method: str
    path: str
    query: str = ""
    body: str = ""
    api_key: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer as it goes out."""

    status: int
    body: bytes
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


class Params:
    """The parameters of one request, from query and body; the query wins where both name one."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values

    @classmethod
    def read(cls, request: Request) -> "Params":
        """Take a request's parameters; raise VenueError -1101 where one comes twice."""
        query = parse_qsl(request.query, keep_blank_values=True)
        body = parse_qsl(request.body, keep_blank_values=True)
        for pairs in (query, body):
            if len(dict(pairs)) < len(pairs):
                raise duplicated()
        return cls(dict(body) | dict(query))

    @property
    def names(self) -> frozenset[str]:
        """What was sent."""
        return frozenset(self._values)

    def text(self, name: str) -> str | None:
        """Return a parameter, or None where it was not sent; raise VenueError -1105 where it is empty."""
        value = self._values.get(name)
        if value == "":
            raise empty(name)
        return value

    def mandatory(self, name: str) -> str:
        """Return a parameter; raise VenueError -1102 where it was not sent or is empty."""
        value = self._values.get(name)
        if not value:
            raise missing(name)
        return value

    def integer(self, name: str) -> int | None:
        """Return a parameter as a number that is not negative; raise VenueError -1100 for anything else."""
        value = self.text(name)
        return None if value is None else read_integer(name, value)

    def symbol(self) -> str | None:
        """Return the symbol, or None where it was not sent; raise VenueError -1100 where it cannot be one."""
        value = self.text("symbol")
        if value is not None and (len(value) > _MAX_LENGTH or not _SYMBOL_LETTERS.issuperset(value)):
            raise illegal("symbol", SYMBOL_PATTERN)
        return value

    def mandatory_symbol(self) -> str:
        """Return the symbol; raise VenueError -1102 where it was not sent."""
        self.mandatory("symbol")
        return self.symbol() or ""


def read_integer(name: str, value: str) -> int:
    """Read a number that is not negative; raise VenueError -1100 where it is anything else."""
    if len(value) > _MAX_LENGTH or not (value.isascii() and value.isdigit()):
        raise illegal(name, INTEGER_PATTERN)
    return int(value)


def render(payload: Payload) -> bytes:
    """Write an answer as the venue does, without blanks."""
    if isinstance(payload, bytes):
        return payload
    return json.dumps(payload, separators=(",", ":")).encode()


def refusal(error: VenueError) -> Answer:
    """Write a refusal."""
    return Answer(error.status, render({"code": error.code, "msg": error.msg}))


def not_found() -> Answer:
    """Answer a path that does not exist: the gateway does, in HTML, before any endpoint."""
    return Answer(HTTPStatus.NOT_FOUND, _NOT_FOUND, "text/html")
