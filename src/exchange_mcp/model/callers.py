"""Who speaks to the server."""

from dataclasses import dataclass
from enum import StrEnum


class Scope(StrEnum):
    """What a client may ask for."""

    READ = "read"
    TRADE = "trade"


@dataclass(frozen=True, slots=True)
class Caller:
    """A client, by the name that its configuration or token gives it, and what it may ask for."""

    name: str
    scopes: frozenset[Scope]
