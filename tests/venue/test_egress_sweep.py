"""Every implicit method of every exchange class of the installed ccxt, called under the read class; figures printed."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final, cast

import ccxt.async_support as ccxt
import pytest
from ccxt.base.types import Entry

from exchange_mcp.model.errors import EgressBlockedError
from exchange_mcp.rules.endpoints import REVIEWED, Endpoint, EndpointClass
from exchange_mcp.venue.addresses import learn
from exchange_mcp.venue.attempts import under_way
from exchange_mcp.venue.egress import Guard, reading
from exchange_mcp.venue.endpoints import table
from exchange_mcp.venue.numbers import ExactNumbers
from exchange_mcp.venue.wire import Wire

from .money_movers import moves_money_or_keys

pytestmark = pytest.mark.anyio

MADE_UP: Final = {
    "apiKey": "bWFkZXVw",
    "secret": "bWFkZXVw",
    "password": "p",
    "uid": "1",
    "walletAddress": "0x1",
}


class SocketReachedError(Exception):
    """The request passed the guard and would have been sent."""


class Recorder(Wire):
    """Stands where the session does: keeps what reaches it, and sends nothing."""

    def __init__(self) -> None:
        super().__init__(None)
        self.reached: list[str] = []

    def _request(self, method: str, url: object, **_: object) -> None:
        attempt = under_way()
        assert attempt is not None
        assert str(url) == attempt.url
        self.reached.append(f"{method} {attempt.url}")
        raise SocketReachedError


def endpoints_of(kind: type) -> Iterator[tuple[str, Endpoint]]:
    """Each implicit method's name, snake_case ones among them, and the endpoint that it asks."""
    for name in dir(kind):
        entry = next((base.__dict__[name] for base in kind.__mro__ if name in base.__dict__), None)
        if isinstance(entry, Entry):
            declared = cast("Any", entry)  # ccxt is untyped
            api = declared.api if isinstance(declared.api, str) else "/".join(declared.api)
            yield name, Endpoint(declared.method, api, declared.path)


async def swept(kind: type, allowed: frozenset[Endpoint]) -> tuple[Counter[str], set[Endpoint]]:
    """How many methods were called and what became of each, and the endpoints that reached the socket."""
    recorder = Recorder()
    places = learn(kind(MADE_UP), allowed)
    ours: Any = type("Swept", (Guard, ExactNumbers, kind), {"addresses": places})
    client = ours({**MADE_UP, "session": recorder, "ssl_context": False, "enableRateLimit": False})
    counts: Counter[str] = Counter()
    passed: set[Endpoint] = set()
    for name, endpoint in endpoints_of(kind):
        before = len(recorder.reached)
        ids = dict.fromkeys(
            ("id", "symbol", "orderId", "order_id", "settle", "pair", "market", "currency"), "x"
        )
        try:
            with reading(allowed):
                await getattr(client, name)(ids)
        except EgressBlockedError:
            counts["blocked"] += 1
        except Exception:  # noqa: BLE001 - signing fails in many ways with made-up credentials; nothing is sent then
            counts["stopped in signing"] += len(recorder.reached) == before
        counts["called"] += 1
        if len(recorder.reached) > before:
            counts["reached the socket"] += 1
            passed.add(endpoint)
    client.session = None
    return counts, passed


async def test_of_every_implicit_method_of_the_supported_venues_only_the_reviewed_reads_reach_the_socket(
    capsys: pytest.CaptureFixture[str],
) -> None:
    total: Counter[str] = Counter()
    for venue in REVIEWED:
        allowed = table(venue).allowed[EndpointClass.READ]
        counts, passed = await swept(getattr(ccxt, venue), allowed)
        assert passed <= allowed
        assert passed, venue
        total += counts
    with capsys.disabled():
        print(f"\negress, supported venues, read class: {json.dumps(total)}")  # noqa: T201 - a figure to publish
    assert total["called"] == total["blocked"] + total["stopped in signing"] + total["reached the socket"]
    assert total["blocked"] > total["reached the socket"] > 0


@pytest.mark.parametrize("cls", EndpointClass)
async def test_nothing_that_moves_money_or_touches_keys_reaches_the_socket_under_any_class(
    cls: EndpointClass,
) -> None:
    for venue in REVIEWED:
        _, passed = await swept(getattr(ccxt, venue), table(venue).allowed[cls])
        assert not [endpoint for endpoint in passed if moves_money_or_keys(endpoint)]


async def test_of_every_implicit_method_of_every_exchange_class_only_its_reads_reach_the_socket(
    capsys: pytest.CaptureFixture[str],
) -> None:
    total: Counter[str] = Counter()
    shut: list[str] = []
    for name in ccxt.exchanges:
        allowed = table(name).allowed[EndpointClass.READ]
        counts, passed = await swept(getattr(ccxt, name), allowed)
        assert passed <= allowed
        assert not [endpoint for endpoint in passed if moves_money_or_keys(endpoint)]
        total += counts
        if not allowed:
            shut.append(name)
    with capsys.disabled():
        print(  # noqa: T201 - as above
            f"\negress, {len(ccxt.exchanges)} classes ({len(shut)} shut), read class: {json.dumps(total)}"
        )
    assert total["called"] == total["blocked"] + total["stopped in signing"] + total["reached the socket"]
    assert {"aster", "grvt", "hyperliquid", "lighter", "paradex", "coinbaseinternational"} <= set(shut)
