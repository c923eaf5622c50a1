"""What the simulator's tests drive it with: a still clock, fixed randomness, real ccxt routed to loopback."""

import asyncio
import socket
import ssl
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from hashlib import shake_256
from typing import Any, TypeAlias

import aiohttp
import ccxt.async_support as ccxt  # pyright: ignore[reportMissingTypeStubs] - there are none
from aiohttp.abc import AbstractResolver, ResolveResult

from exchange_mcp.sim import Control, SimulatedExchange

NOON_MS = 1_767_268_800_000
"""2026-01-01T12:00:00Z."""

Ccxt: TypeAlias = Any
"""A ccxt client: its methods return structures that ccxt does not type."""

Json: TypeAlias = Any
"""What an answer holds, as json.loads returns it."""

Connect: TypeAlias = Callable[[str], Ccxt]
"""Makes a ccxt client for the key with this label."""


@dataclass
class StillClock:
    """A clock that stands still until it is moved."""

    now: int = NOON_MS

    def now_ms(self) -> int:
        return self.now


@dataclass
class Counted:
    """Bytes that look random and are the same in every run."""

    calls: int = field(default=0)

    def __call__(self, count: int) -> bytes:
        self.calls += 1
        return shake_256(f"entropy {self.calls}".encode()).digest(count)


class LoopbackResolver(AbstractResolver):
    """Knows one address for every name."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        del port, family
        found = ResolveResult(
            hostname=host, host="127.0.0.1", port=self._port, family=socket.AF_INET, proto=0, flags=0
        )
        return [found]

    async def close(self) -> None:
        """Nothing is held."""


async def arrival(control: Control, count: int) -> None:
    """Wait until the venue has received so many requests."""
    while len(control.requests()) < count:  # noqa: ASYNC110 - a received request sets no event
        await asyncio.sleep(0)


@asynccontextmanager
async def http(port: int, ca_pem: str) -> AsyncGenerator[aiohttp.ClientSession]:
    """Open a session that reaches one simulator under any host name, and trusts its authority alone."""
    connector = aiohttp.TCPConnector(
        resolver=LoopbackResolver(port), ssl=ssl.create_default_context(cadata=ca_pem)
    )
    async with aiohttp.ClientSession(connector=connector) as session:
        yield session


def binance(session: aiohttp.ClientSession, sim: SimulatedExchange, label: str, *, clock: StillClock) -> Ccxt:
    """Make an unmodified ccxt binance with its live URLs, whose nonce follows the simulator's clock."""
    key = sim.keys[label]
    client: Ccxt = ccxt.binance(
        {
            "apiKey": key.api_key,
            "secret": key.secret,
            "session": session,
            "enableRateLimit": False,
            "options": {
                "fetchCurrencies": False,
                "fetchMargins": False,
                "fetchMarkets": {"types": ["spot", "linear"]},
                "fetchOpenOrders": {"warnWithoutSymbol": False},
            },
        }
    )
    client.nonce = clock.now_ms
    return client
