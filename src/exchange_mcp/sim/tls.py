"""The venue's certificate, from an authority that exists for one run only.

The authority's key never leaves memory. The server's own key passes through a file that only this user can
read and that is removed at once, since Python's ssl loads a key from a path alone.
"""

import ssl
from collections.abc import Iterable
from dataclasses import dataclass

import trustme


@dataclass(frozen=True, slots=True)
class Identity:
    """What the server shows, and the certificate (PEM) with which a client checks it."""

    context: ssl.SSLContext
    ca_pem: str


def issue(names: Iterable[str]) -> Identity:
    """Make an authority and a server certificate for these host names and addresses."""
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate = authority.issue_cert(*names)
    # Also takes an OpenSSL context, whose type is not installed.
    certificate.configure_cert(context)  # pyright: ignore[reportUnknownMemberType] - as said above
    return Identity(context, authority.cert_pem.bytes().decode())
