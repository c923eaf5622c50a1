"""A connection that does not complete its TLS handshake has a place like any other, and loses it like any other."""

import socket
import ssl
from pathlib import Path
from typing import Any, Final

import anyio
import pytest
import trustme
from anyio.abc import SocketStream
from anyio.streams.tls import TLSStream

from .listening import Place, listening, until
from .test_peers import may_connect

pytestmark = pytest.mark.anyio

AUTHORITY: Final = trustme.CA()


def certified() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    issued: Any = AUTHORITY.issue_cert("127.0.0.1")
    issued.configure_cert(context)
    return context


async def silent(place: Place) -> SocketStream:
    raw = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    raw.connect(("127.0.0.1", place.port))
    return await SocketStream.from_socket(raw)


async def asked(place: Place) -> bytes:
    """The beginning of the answer to a request over TLS."""
    trust = ssl.create_default_context(cadata=AUTHORITY.cert_pem.bytes().decode())
    with anyio.fail_after(5):
        plain = await anyio.connect_tcp("127.0.0.1", place.port)
        async with await TLSStream.wrap(
            plain, hostname="127.0.0.1", ssl_context=trust, standard_compatible=False
        ) as stream:
            await stream.send(f"GET /healthz HTTP/1.1\r\nHost: {place.host}\r\n\r\n".encode())
            return (await stream.receive()).partition(b"\r\n")[0]


async def test_who_never_shakes_hands_makes_room_for_who_does(tmp_path: Path) -> None:
    async with listening(tmp_path, tls=certified(), max_connections=8) as place:
        strangers = [await silent(place) for _ in range(40)]
        assert await asked(place) == b"HTTP/1.1 200 OK"
        with anyio.fail_after(5), pytest.raises((anyio.EndOfStream, anyio.BrokenResourceError)):
            await strangers[0].receive()
        with anyio.move_on_after(0.05) as stays:
            await strangers[-1].receive()
        assert stays.cancelled_caught
        for stream in strangers:
            await stream.aclose()


async def test_a_place_is_given_back_whichever_way_a_handshake_ends(tmp_path: Path) -> None:
    async with listening(tmp_path, tls=certified(), max_connections=8) as place:
        for _ in range(12):
            assert await asked(place) == b"HTTP/1.1 200 OK"
            garbage, gone = await silent(place), await silent(place)
            await garbage.send(b"GET /healthz HTTP/1.1\r\n\r\n")
            await gone.aclose()
            with anyio.fail_after(5):
                while True:
                    try:
                        await garbage.receive()
                    except (anyio.EndOfStream, anyio.BrokenResourceError):
                        break
            await garbage.aclose()
        uvicorn = place.serving._uvicorn  # pyright: ignore[reportPrivateUsage] - what it counts is told to nobody
        protocol: Any = uvicorn.config.http_protocol_class  # pyright: ignore[reportUnknownMemberType] - uvicorn types it loosely
        doorkeeper = protocol.doorkeeper
        await until(lambda: doorkeeper.in_handshake == 0 and not uvicorn.server_state.connections)


async def test_a_peer_that_is_no_proxy_is_dropped_before_a_handshake(tmp_path: Path) -> None:
    async with listening(tmp_path, tls=certified(), trusted_proxies=["192.0.2.7"]) as place:
        assert await asked(place) == b"HTTP/1.1 200 OK"
        assert may_connect(place, "192.0.2.7", tls=certified())
        assert not may_connect(place, "192.0.2.8", tls=certified())
