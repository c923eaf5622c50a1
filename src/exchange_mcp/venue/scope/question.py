"""The one request that asks a venue what a key may do, and what its answer can tell."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from exchange_mcp.model.scopes import KeyScope
from exchange_mcp.rules.endpoints import Endpoint
from exchange_mcp.venue.scope.findings import UnreadableError

Parse = Callable[[object, str | None], KeyScope]
"""From a venue's raw answer, and the id of our own key where the answer may be about several, to a scope."""

_NO_PARAMETERS: Final[Mapping[str, Any]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class AccountQuestion:
    """How a venue is asked whose a key is, where what it says of the key does not tell.

    Attributes:
        method, endpoint, parameters: as of a `ScopeQuestion`.
        parse: the venue's own id of the account that an answer tells; None where it tells none. It never raises.
        page: where the vendor describes the answer.
        told: which field of the answer it is, for people.
    """

    method: str
    endpoint: Endpoint
    parse: Callable[[object], str | None]
    page: str
    told: str
    parameters: Mapping[str, Any] = field(default_factory=lambda: _NO_PARAMETERS)


@dataclass(frozen=True, slots=True)
class ScopeQuestion:
    """How a venue is asked what a key may do.

    Attributes:
        method: ccxt's implicit method.
        endpoint: what that method asks; it is on the reviewed list of class `scope`.
        parameters: what it is called with; nothing secret.
        parse: the scope that an answer tells. It never raises: what is odd is unknown.
        page: where the vendor describes the answer.
        told: which fields of the answer tell what, for people.
        untold: what no answer tells, for people.
        account: what tells the account's id; None where the answer itself does, or nothing.
    """

    method: str
    endpoint: Endpoint
    parse: Parse
    page: str
    told: str
    untold: str
    parameters: Mapping[str, Any] = field(default_factory=lambda: _NO_PARAMETERS)
    account: AccountQuestion | None = None


def safely(venue: str, read: Parse) -> Parse:
    """The parser of a venue that never raises; `read` may raise `UnreadableError`."""

    def parse(raw: object, own: str | None) -> KeyScope:
        try:
            return read(raw, own)
        except UnreadableError as error:
            return KeyScope.unknown(venue, f"the answer cannot be read: {error}")
        except Exception as error:  # noqa: BLE001 - whatever an answer does to a parser, the scope is unknown
            return KeyScope.unknown(venue, f"the answer cannot be read ({type(error).__name__})")

    return parse
