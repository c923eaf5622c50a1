"""The sockets that the console is served on: 127.0.0.1 and ::1, since `localhost` may mean either."""

import errno
import socket
from typing import Final

_ADDRESSES: Final = ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"))
# A machine without IPv6 says so in one of these ways; nobody can be listening there then.
_NO_SUCH_FAMILY: Final = frozenset({errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL, errno.EPROTONOSUPPORT})


def console_sockets(port: int) -> tuple[socket.socket, ...]:
    """Both of them, bound and not listening yet; one where the machine has no IPv6.

    A port that is taken on one of the two is an error: a browser would be shown another program under our name.

    Raises:
        OSError: the port is taken.
    """
    bound: list[socket.socket] = []
    try:
        for family, address in _ADDRESSES:
            listener = _bound(family, address, port)
            if listener is not None:
                bound.append(listener)
                port = port or listener.getsockname()[1]
    except OSError:
        for listener in bound:
            listener.close()
        raise
    return tuple(bound)


def _bound(family: socket.AddressFamily, address: str, port: int) -> socket.socket | None:
    try:
        # Named by its protocol: asyncio turns off the delay of small packets only for sockets that say TCP.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    except OSError as error:
        if family is socket.AF_INET6 and error.errno in _NO_SUCH_FAMILY:
            return None
        raise
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family is socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind((address, port))
    except OSError as error:
        listener.close()
        if family is socket.AF_INET6 and error.errno in _NO_SUCH_FAMILY:
            return None
        raise
    return listener
