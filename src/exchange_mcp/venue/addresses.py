"""Where each allowed endpoint is: learned once from ccxt's own signing, then frozen.

The same ccxt class signs each endpoint with placeholders for the ids in its path and with made-up
credentials, or, where nothing is ever asked with a key, with none. From the URL come the origin and the exact
path; at run time a URL has to match both in full, so neither a rewritten `urls`, nor an id with a path in it,
nor a parameter that moves an endpoint leads anywhere else.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, cast
from urllib.parse import urlsplit

import ccxt.async_support as ccxt

from exchange_mcp.rules.endpoints import Endpoint

# A host in lower case, and a port where the venue has one of its own: no user, no placeholder left open.
_PLAIN: Final = re.compile(r"[a-z0-9.-]+(:[0-9]{1,5})?")
_PLACE: Final = "PLACEHOLDER"
_TEMPLATE: Final = re.compile(r"\{([A-Za-z0-9_]+)\}")
# One path segment; a dot alone or two would climb.
_ID: Final = r"(?!\.{1,2}(?:/|$))[A-Za-z0-9_.:-]{1,80}"
# Where nothing is signed: bitfinex asks for several catalogues at once, by a list in the path.
_PUBLIC_ID: Final = r"(?!\.{1,2}(?:/|$))[A-Za-z0-9_.:,-]{1,200}"


class NoAddressError(Exception):
    """An endpoint that ccxt would not send over plain https."""


@dataclass(frozen=True, slots=True)
class Address:
    """One endpoint's place: scheme and host, and the path as a full match."""

    origin: str
    path: re.Pattern[str]

    def is_of(self, url: str) -> bool:
        """Whether the URL, whatever its query, is this endpoint's and nothing else's."""
        # urlsplit drops line ends and tabs, and whoever sends the URL may not.
        if not url.isascii() or not url.isprintable() or " " in url:
            return False
        parts = urlsplit(url)
        return (
            f"{parts.scheme}://{parts.netloc}" == self.origin
            and not parts.fragment
            and self.path.fullmatch(parts.path) is not None
        )


def path_ids(endpoint: Endpoint) -> frozenset[str]:
    """The names of the ids that go into the endpoint's path."""
    return frozenset(_TEMPLATE.findall(endpoint.path))


def has_plain_ids(endpoint: Endpoint, parameters: object) -> bool:
    """Whether every id that goes into the endpoint's path is one plain segment: no slash, query, escape or dots."""
    names = path_ids(endpoint)
    if not names:
        return True
    values: Mapping[str, object] = cast("Any", parameters) if isinstance(parameters, Mapping) else {}
    return all(re.fullmatch(_PUBLIC_ID, str(values.get(name, ""))) for name in names)


def learn(scratch: Any, endpoints: Iterable[Endpoint]) -> Mapping[Endpoint, Address]:  # noqa: ANN401 - ccxt is untyped
    """The address of every endpoint, by letting `scratch` sign it. `scratch` must have no real credentials.

    An endpoint that ccxt cannot sign, since this environment has none, has no address: it cannot be asked.

    Raises:
        NoAddressError: an endpoint's URL is not plain https.
    """
    found = ((endpoint, _address(scratch, endpoint)) for endpoint in endpoints)
    return MappingProxyType({endpoint: address for endpoint, address in found if address is not None})


def learn_public(
    keyless: Any,  # noqa: ANN401 - as above
    endpoints: Iterable[Endpoint],
) -> tuple[Mapping[Endpoint, Address], Mapping[Endpoint, str]]:
    """The address of every endpoint that can be asked without a key, and for each of the others why it cannot.

    `keyless` must have no credentials at all.
    """
    found: dict[Endpoint, Address] = {}
    others: dict[Endpoint, str] = {}
    for endpoint in endpoints:
        try:
            address = _address(keyless, endpoint, _PUBLIC_ID)
        except NoAddressError as error:
            others[endpoint] = str(error)
        except Exception as error:  # noqa: BLE001 - without credentials, signing fails in as many ways as there are venues
            others[endpoint] = f"ccxt does not sign it without a key ({type(error).__name__})"
        else:
            if address is None:
                others[endpoint] = "it does not exist in this environment"
            else:
                found[endpoint] = address
    return MappingProxyType(found), MappingProxyType(others)


def _address(scratch: Any, endpoint: Endpoint, identifier: str = _ID) -> Address | None:  # noqa: ANN401 - as above
    ids = dict.fromkeys(_TEMPLATE.findall(endpoint.path), _PLACE)
    try:
        url = str(scratch.sign(endpoint.path, endpoint.api.split("/"), endpoint.verb, ids)["url"])
    except ccxt.NotSupported:
        return None
    parts = urlsplit(url)
    if parts.scheme != "https" or not _PLAIN.fullmatch(parts.netloc):
        raise NoAddressError(f"{scratch.id}: {endpoint} is not at a plain https address")
    pattern = re.escape(parts.path).replace(_PLACE, identifier)
    return Address(f"https://{parts.netloc}", re.compile(pattern))
