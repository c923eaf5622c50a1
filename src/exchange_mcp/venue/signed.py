"""What signing made of a write, compared with what was rendered: field by field, nothing more and nothing less."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import parse_qsl, urlsplit

from exchange_mcp.config.credential_shapes import names_credential
from exchange_mcp.rules.endpoints import Endpoint
from exchange_mcp.rules.writing import Signing
from exchange_mcp.venue.addresses import path_ids


@dataclass(frozen=True, slots=True)
class ClientId:
    """The client order id of a write: the field that the venue reads it from on this route, and its value."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class SignedWrite:
    """A signed request: its fields in query and body, the names of its headers, and what is a credential of both."""

    pairs: list[tuple[str, str]] = field(repr=False)
    headers: frozenset[str]
    credentials: tuple[str, ...] = field(repr=False)

    @classmethod
    def of(cls, url: str, headers: object, body: object) -> "SignedWrite":
        """Taken apart.

        Raises:
            ValueError: its body is not a form.
        """
        if body is not None and not isinstance(body, str):
            raise ValueError("its body is not text")
        pairs = [
            pair
            for part in (urlsplit(url).query, body or "")
            for pair in (parse_qsl(part, keep_blank_values=True, strict_parsing=True) if part else [])
        ]
        names: Mapping[str, Any] = cast("Any", headers) if isinstance(headers, Mapping) else {}
        headed = [(name, value) for name, value in names.items() if isinstance(value, str)]
        credentials = tuple(value for name, value in (*pairs, *headed) if names_credential(name))
        return cls(pairs, frozenset(names), credentials)

    def integer(self, name: str) -> int | None:
        """A field that is a whole number; None where there is no such field."""
        value = dict(self.pairs).get(name, "")
        return int(value) if value.isascii() and value.isdigit() else None

    def fault(
        self,
        endpoint: Endpoint,
        rendered: Mapping[str, str | int | bool],
        signing: Signing,
        client_id: ClientId | None,
    ) -> str | None:
        """Why this is not the rendered request; None if it is."""
        in_path = path_ids(endpoint)
        if client_id is not None and client_id.name not in in_path:
            found = [value for name, value in self.pairs if name == client_id.name]
            if found != [client_id.value]:
                return f"its {client_id.name} is not the journaled client order id, once"
        if not self.headers <= signing.headers:
            return f"signing added the header {min(self.headers - signing.headers)}"
        added = [name for name, _ in self.pairs if name in signing.fields]
        if len(added) != len(set(added)):
            return "signing added a field twice"
        wanted = sorted((name, _form(value)) for name, value in rendered.items() if name not in in_path)
        if sorted(pair for pair in self.pairs if pair[0] not in signing.fields) != wanted:
            return "what was signed is not what was rendered"
        return None


def _form(value: str | int | bool) -> str:  # noqa: FBT001 - a JSON value
    # As ccxt writes a form: base/exchange.py, urlencode, 4.5.90.
    return str(value).lower() if isinstance(value, bool) else str(value)
