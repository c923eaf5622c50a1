"""What ccxt really asks when its unified methods are called, over every exchange class, beside what was derived.

The derivation reads source; this runs it. Each client's own `fetch2` is where a request is recorded and ends.
"""

import asyncio
from collections.abc import Awaitable, Iterator
from itertools import product
from typing import Any, Final

import ccxt.async_support as ccxt

from exchange_mcp.rules.endpoints import WRITES, Endpoint, EndpointClass
from exchange_mcp.venue.derivation import ROOTS, derive
from exchange_mcp.venue.endpoints import table
from exchange_mcp.venue.sweep import exchange_class

SPOT: Final = "BTC/USDT"
SWAP: Final = "BTC/USDT:USDT"
SECONDS: Final = 20
# Made up, and of the shapes that signing asks for.
CREDENTIALS: Final = {
    "apiKey": "a",
    "secret": "b",
    "password": "c",
    "uid": "1",
    "login": "d",
    "token": "e",
    "accountId": "1",
    "walletAddress": "0x" + "1" * 40,
    "privateKey": "0x" + "1" * 64,
}
# The variants of a call in which ccxt chooses its request by a parameter.
VARIANTS: Final[tuple[dict[str, object], ...]] = (
    {},
    {"trigger": True},
    {"type": "swap", "subType": "linear"},
    {"paginate": True},
)
ALONE: Final = {"fetch_balance", "fetch_markets", "fetch_time", "fetch_trading_fees"}
OF_A_SYMBOL: Final = {
    "fetch_funding_rate",
    "fetch_leverage",
    "fetch_position_mode",
    "fetch_ticker",
    "fetch_trading_fee",
}


def recording(name: str) -> Any:  # noqa: ANN401 - ccxt is untyped
    """A client that answers every request with an empty object, and the list of what it was asked."""

    class Recording(exchange_class(name)):
        async def fetch2(
            self, path: str, api: str | list[str] = "public", method: str = "GET", *_: object, **__: object
        ) -> object:
            self.asked.append(Endpoint(method, "/".join([api] if isinstance(api, str) else api), path))
            return {}

        async def load_markets(self, *_: object) -> object:
            return self.markets

        def market(self, symbol: str) -> object:
            return self.safe_market_structure(described(symbol))

    client: Any = Recording({"enableRateLimit": False, **CREDENTIALS})
    client.asked = list[Endpoint]()
    client.markets = {SPOT: described(SPOT), SWAP: described(SWAP)}
    return client


def described(symbol: str) -> dict[str, object]:
    is_swap = symbol == SWAP
    return {
        "id": "BTCUSDT",
        "symbol": symbol,
        "base": "BTC",
        "quote": "USDT",
        "baseId": "BTC",
        "quoteId": "USDT",
        "settle": "USDT" if is_swap else None,
        "settleId": "usdt" if is_swap else None,
        "type": "swap" if is_swap else "spot",
        "spot": not is_swap,
        "swap": is_swap,
        "contract": is_swap,
        "linear": True if is_swap else None,
        "inverse": False if is_swap else None,
        "subType": "linear" if is_swap else None,
        "future": False,
        "option": False,
        "margin": False,
        "contractSize": 1,
        "precision": {"amount": 1, "price": 1},
        "limits": {},
        "info": {"orderTypes": ["LIMIT", "MARKET", "STOP", "STOP_LOSS_LIMIT"]},  # binance looks here
    }


def calls(method: str) -> Iterator[tuple[object, ...]]:
    """The arguments that a unified method is called with, in every variant."""
    for params, symbol in product(VARIANTS, (SPOT, SWAP)):
        match method:
            case "load_markets":
                return  # the stand-in above
            case "create_order":
                yield (symbol, "limit", "buy", 1, 1, params)
                yield (symbol, "market", "buy", 1, 1, params)
                yield (symbol, "limit", "buy", 1, 1, {**params, "triggerPrice": 1})
            case "set_leverage":
                yield (2, symbol, params)
            case "fetch_order" | "cancel_order":
                yield ("1", symbol, params)
            case "fetch_ohlcv":
                yield (symbol, "1h", None, None, params)
            case "fetch_order_book":
                yield (symbol, None, params)
            case "fetch_positions" | "fetch_leverages":
                yield (None, params)
            case _:
                yield (*_leading(method, symbol), params)


def _leading(method: str, symbol: str) -> tuple[object, ...]:
    if method in ALONE:
        return ()
    return (symbol,) if method in OF_A_SYMBOL else (symbol, None, None)


async def asked(name: str) -> set[tuple[EndpointClass, Endpoint]]:
    client = recording(name)
    found = set[tuple[EndpointClass, Endpoint]]()
    try:
        for cls, roots in ROOTS.items():
            for method in roots:
                for arguments in calls(method):
                    client.asked.clear()
                    await ended(getattr(client, method)(*arguments))
                    found |= {(cls, endpoint) for endpoint in client.asked}
    finally:
        await client.close()
    return found


async def ended(call: Awaitable[object]) -> None:
    """Let a call run to its end; an empty answer and a stand-in market let many of them fail, after they asked."""
    async with asyncio.timeout(SECONDS):
        await asyncio.gather(call, return_exceptions=True)


async def all_asked() -> dict[str, set[tuple[EndpointClass, Endpoint]]]:
    found = await asyncio.gather(*(asked(name) for name in ccxt.exchanges))
    return dict(zip(ccxt.exchanges, found, strict=True))


def test_ccxt_asks_nothing_that_was_not_derived_at_any_exchange_class() -> None:
    found = asyncio.run(all_asked())
    derived = {name: derive(exchange_class(name)).reached for name in found}
    missed = {
        f"{name} {cls} {endpoint}"
        for name, requests in found.items()
        for cls, endpoint in requests
        if endpoint not in derived[name][cls]
    }
    total = sum(map(len, found.values()))
    print(f"\n{total} kinds of request were asked by {len(found)} exchange classes")  # noqa: T201 - the figure to show
    assert not missed
    assert total > 1500  # so that a change that lets every call fail early is seen


def test_what_binance_asks_when_it_writes_is_what_may_be_written() -> None:
    found = asyncio.run(asked("binance"))
    assert {(cls, each) for cls, each in found if cls in WRITES} == {
        (cls, each) for cls in WRITES for each in table("binance").allowed[cls]
    }
