"""Where a request comes from and where it goes: its Host, Origin and target, compared as a whole. Pure.

A page in a browser on this machine can reach every port of it; a name that its owner points at 127.0.0.1 passes for
the same origin (DNS rebinding). What gives both away is the Host and the Origin that the browser sends.
Source: MCP specification 2025-11-25, Transports, Security Warning; RFC 9110, 7.2; RFC 9112, 3.2 and 6.1.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from exchange_mcp.server.http.refusals import RefusedError

if TYPE_CHECKING:
    from starlette.types import Scope

MCP: Final = "/mcp"
HEALTH: Final = "/healthz"
READY: Final = "/readyz"
_METHODS: Final = {MCP: ("POST", "GET", "DELETE"), HEALTH: ("GET", "HEAD"), READY: ("GET", "HEAD")}

_Headers = Sequence[tuple[bytes, bytes]]


def values(headers: _Headers, name: bytes) -> list[bytes]:
    """Every value that the request gives under this name, which is in lower case."""
    return [value for key, value in headers if key == name]


@dataclass(frozen=True, slots=True)
class Whence:
    """Whom the server listens to: the hosts that it goes by, and the origins of pages that may ask it.

    A request of a page that came from one of our own hosts is not foreign; we serve no pages, so there is none.
    """

    hosts: frozenset[bytes]
    origins: frozenset[bytes]
    own_origins: frozenset[bytes]

    @classmethod
    def of(cls, hosts: Iterable[str], origins: Iterable[str], *, scheme: str) -> "Whence":
        """From the lists of the configuration."""
        names = frozenset(host.encode() for host in hosts)
        return cls(
            hosts=names,
            origins=frozenset(origin.encode() for origin in origins),
            own_origins=frozenset(scheme.encode() + b"://" + name for name in names),
        )

    def judge(self, scope: "Scope") -> str:
        """The route that the request means.

        Raises:
            RefusedError: its Host or Origin is not on the list, it is framed in two ways, or there is no such route.
        """
        if scope["http_version"] not in {"1.0", "1.1"}:
            raise RefusedError(505, "VERSION_REFUSED", "this server speaks HTTP/1.1", "Use it.")
        headers: _Headers = scope["headers"]
        self._judge_host(values(headers, b"host"))
        self._judge_origin(values(headers, b"origin"))
        if values(headers, b"transfer-encoding") and values(headers, b"content-length"):
            raise RefusedError(
                400,
                "FRAMED_TWICE",
                "the request has both Content-Length and Transfer-Encoding",
                "Send one of them.",
            )
        return _route(scope)

    def listed_origin(self, scope: "Scope") -> bytes | None:
        """The request's origin, if it is one of another site that is listed: the only ones that CORS is for."""
        found = values(scope["headers"], b"origin")
        return found[0] if len(found) == 1 and found[0] in self.origins else None

    def _judge_host(self, found: list[bytes]) -> None:
        if len(found) != 1:
            raise RefusedError(
                400, "HOST_MISSING", "the request does not have exactly one Host header", "Send exactly one."
            )
        if found[0].lower() not in self.hosts:
            raise RefusedError(
                421,
                "HOST_REFUSED",
                "the Host of the request is not one of this server's",
                "The operator lists further hosts in serve.toml, [http], hosts.",
            )

    def _judge_origin(self, found: list[bytes]) -> None:
        if not found:
            return
        if len(found) != 1 or found[0] not in self.origins | self.own_origins:
            raise RefusedError(
                403,
                "ORIGIN_REFUSED",
                "the Origin of the request is not allowed",
                "The operator lists origins of web pages in serve.toml, [http], origins.",
            )


def _route(scope: "Scope") -> str:
    raw: bytes = scope["raw_path"]
    if not raw.startswith(b"/"):
        raise RefusedError(
            400, "TARGET_REFUSED", "the request's target is not a path", f"Send a path, such as {MCP}."
        )
    if scope["query_string"] or b"?" in raw:
        raise RefusedError(
            400,
            "QUERY_REFUSED",
            "this server takes nothing from the query string, least of all a token",
            "Send the token in a header: Authorization: Bearer TOKEN. Treat one that stood in a URL as leaked: "
            "exchange-mcp tokens revoke.",
        )
    # Compared as it was sent: nothing is decoded, joined or shortened first.
    route = raw.decode("latin-1")
    methods = _METHODS.get(route)
    if methods is None:
        raise RefusedError(404, "NO_SUCH_PATH", "there is nothing at this path", f"MCP is at {MCP}.")
    if scope["method"] not in methods and scope["method"] != "OPTIONS":
        raise RefusedError(
            405,
            "METHOD_REFUSED",
            "this path does not take the request's method",
            headers={"Allow": ", ".join(methods)},
        )
    return route
