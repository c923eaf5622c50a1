"""Where proxies are named, nobody but them and this machine may connect."""

import asyncio
import ssl
from pathlib import Path
from typing import Any

import pytest

from exchange_mcp.http.connections import Doorkeeper, Handshake

from .listening import Place, listening

pytestmark = pytest.mark.anyio

PROXIES = ["192.0.2.7", "198.51.100.0/24", "2001:db8::/32"]


class Plugged(asyncio.Transport):
    """The transport of a connection from an address that this machine cannot connect from."""

    def __init__(self, peer: str) -> None:
        super().__init__({"peername": (peer, 50_000), "sockname": ("192.0.2.1", 443)})
        self.sent = b""
        self.is_dropped = False

    def write(self, data: "bytes | bytearray | memoryview[Any]") -> None:
        self.sent += bytes(data)

    def is_closing(self) -> bool:
        return self.is_dropped

    def abort(self) -> None:
        self.is_dropped = True

    def close(self) -> None:
        self.is_dropped = True

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass


def may_connect(place: Place, peer: str, *, tls: ssl.SSLContext | None = None) -> bool:
    """Whether a connection from there stays, as the server makes one of whoever connects."""
    # No address but those of this machine reaches the socket.
    uvicorn = place.serving._uvicorn  # pyright: ignore[reportPrivateUsage] - as above
    protocol: Any = uvicorn.config.http_protocol_class  # pyright: ignore[reportUnknownMemberType] - uvicorn types it loosely
    made = protocol(config=uvicorn.config, server_state=uvicorn.server_state, app_state={})
    if tls is not None:
        made = Handshake(made, tls)
    transport = Plugged(peer)
    made.connection_made(transport)
    stays = not transport.is_dropped
    made.connection_lost(None)
    assert transport.sent == b""
    return stays


FOREIGN = ("192.0.2.8", "198.51.101.1", "2001:db9::1", "::ffff:192.0.2.8", "fe80::1%eth0")
NAMED = ("192.0.2.7", "198.51.100.255", "2001:db8::1", "::ffff:192.0.2.7", "127.0.0.1", "::1")


async def test_where_proxies_are_named_another_peer_is_dropped_before_it_is_told_anything(
    tmp_path: Path,
) -> None:
    async with listening(tmp_path, trusted_proxies=PROXIES) as place:
        assert {peer: may_connect(place, peer) for peer in (*FOREIGN, *NAMED)} == {
            **dict.fromkeys(FOREIGN, False),
            **dict.fromkeys(NAMED, True),
        }
        async with place.http() as http:
            assert (await http.get("/healthz")).status_code == 200


async def test_where_no_proxy_is_named_anybody_may_connect(tmp_path: Path) -> None:
    async with listening(tmp_path) as place:
        assert all(may_connect(place, peer) for peer in (*FOREIGN, *NAMED))


def test_an_interface_in_an_address_does_not_hide_its_network() -> None:
    doorkeeper = Doorkeeper(most=1, header_seconds=1, peers=["fe80::/10"])
    assert doorkeeper.lets_in("fe80::1%eth0")
    assert not doorkeeper.lets_in("fec0::1%eth0")
