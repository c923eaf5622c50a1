"""Whether what [http] says is safe to listen with: loopback, or TLS, or a named proxy in front; nothing else."""

import ipaddress
from collections.abc import Iterator

from exchange_mcp.config.faults import Fault
from exchange_mcp.config.schema import HttpTable

_BEYOND = (
    "is not a loopback address, so others could listen in: set certificate and certificate_key (TLS), or name in "
    "trusted_proxies the proxy that does TLS"
)


def is_loopback(table: HttpTable) -> bool:
    """Whether nobody but this machine can connect."""
    return ipaddress.ip_address(table.address).is_loopback


def listening_faults(table: HttpTable) -> Iterator[Fault]:
    """What keeps a server from listening so, each with the next step."""
    if (table.certificate is None) != (table.certificate_key is None):
        yield _fault("certificate", "certificate and certificate_key belong together; set both, or neither")
    if not is_loopback(table) and table.certificate is None and not table.trusted_proxies:
        yield _fault("address", f"{table.address} {_BEYOND}")
    if ipaddress.ip_address(table.address).is_unspecified and not table.hosts:
        yield _fault(
            "hosts", 'name the hosts that clients put into their URL, like hosts = ["mcp.example.org:8765"]'
        )


def own_hosts(table: HttpTable, port: int) -> frozenset[str]:
    """The hosts that are ours at this port, and those that are listed, as a request has to say them."""
    address = ipaddress.ip_address(table.address)
    names: set[str] = set()
    if address.is_unspecified or address.is_loopback:
        names |= {"localhost", "127.0.0.1" if address.version == 4 else "[::1]"}  # noqa: PLR2004 - IPv4
    if not address.is_unspecified:
        names.add(f"[{address}]" if address.version == 6 else str(address))  # noqa: PLR2004 - IPv6
    default = 443 if table.certificate is not None else 80
    ours = {f"{name}:{port}" for name in names}
    return frozenset({*ours, *(names if port == default else ()), *table.hosts})


def _fault(key: str, message: str) -> Fault:
    return Fault(None, None, f"http.{key}", message)
