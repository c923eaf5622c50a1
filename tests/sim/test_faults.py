import asyncio
import json
import re
import time
from contextlib import AsyncExitStack

import aiohttp
import pytest

from exchange_mcp.sim import Close, Delay, FaultRule, Hang, Replace, SimulatedExchange
from exchange_mcp.sim.faults import Faults, parse
from exchange_mcp.sim.request_log import KEPT, RequestLog
from exchange_mcp.sim.wire import Request

from .clients import NOON_MS, Ccxt, Counted, StillClock, arrival, binance, ccxt, http

PING = "https://api.binance.com/api/v3/ping"
TIME = "https://api.binance.com/api/v3/time"
CONTROL = "https://localhost/__sim"


@pytest.fixture
def client(fresh: SimulatedExchange, fresh_session: aiohttp.ClientSession) -> Ccxt:
    return binance(fresh_session, fresh, "reader", clock=StillClock())


@pytest.fixture
def headers(fresh: SimulatedExchange) -> dict[str, str]:
    return {"Authorization": f"Bearer {fresh.control_token}"}


async def read(session: aiohttp.ClientSession, url: str) -> tuple[int, str]:
    async with session.get(url) as response:
        return response.status, await response.text()


@pytest.mark.anyio
async def test_a_status_replaces_the_answer_as_often_as_asked(
    fresh: SimulatedExchange, fresh_session: aiohttp.ClientSession
) -> None:
    fresh.control.add_fault(
        {
            "kind": "status",
            "status": 503,
            "body": "<html>down</html>",
            "content_type": "text/html",
            "headers": {"Retry-After": "7"},
            "path": "/api/v3/ping",
            "times": 2,
        }
    )
    async with fresh_session.get(PING) as response:
        assert (response.status, await response.text()) == (503, "<html>down</html>")
        assert (response.content_type, response.headers["Retry-After"]) == ("text/html", "7")
    assert (await read(fresh_session, TIME))[0] == 200
    assert [(await read(fresh_session, PING))[0] for _ in range(2)] == [503, 200]


@pytest.mark.anyio
async def test_a_documented_limit_is_what_ccxt_takes_it_for(fresh: SimulatedExchange, client: Ccxt) -> None:
    words = "Too much request weight used; current limit is 6000 request weight per 1 MINUTE."
    fresh.control.add_fault(
        {"kind": "status", "status": 429, "body": json.dumps({"code": -1003, "msg": words})}
    )
    with pytest.raises(ccxt.DDoSProtection, match="-1003"):
        await client.publicGetTime()


@pytest.mark.anyio
async def test_a_body_goes_out_byte_for_byte(
    fresh: SimulatedExchange, fresh_session: aiohttp.ClientSession
) -> None:
    text = '{ "serverTime": 0.12345678901234567 }'
    fresh.control.add_fault({"kind": "body", "body": text})
    assert await read(fresh_session, TIME) == (200, text)


@pytest.mark.anyio
async def test_a_delay_holds_back_one_request_and_no_other(
    fresh: SimulatedExchange, fresh_session: aiohttp.ClientSession
) -> None:
    fresh.control.add_fault({"kind": "delay", "ms": 100, "path": "/api/v3/ping"})
    started = time.monotonic()
    slow = asyncio.create_task(read(fresh_session, PING))
    assert (await read(fresh_session, TIME))[0] == 200
    assert not slow.done()
    assert await slow == (200, "{}")
    assert time.monotonic() - started >= 0.1


@pytest.mark.anyio
async def test_a_hanging_request_is_answered_once_the_fault_is_gone(
    fresh: SimulatedExchange, fresh_session: aiohttp.ClientSession
) -> None:
    fresh.control.add_fault({"kind": "hang", "path": "/api/v3/ping", "times": 1})
    hanging = asyncio.create_task(read(fresh_session, PING))
    assert await read(fresh_session, TIME) == (200, f'{{"serverTime":{NOON_MS}}}')
    await arrival(fresh.control, 2)
    assert not hanging.done()
    assert {entry.path: entry.status for entry in fresh.control.requests()} == {
        "/api/v3/time": 200,
        "/api/v3/ping": None,
    }
    fresh.control.clear_faults()
    assert await hanging == (200, "{}")


@pytest.mark.anyio
async def test_a_client_that_gives_up_on_a_hanging_request_leaves_the_server_working(
    fresh: SimulatedExchange, fresh_session: aiohttp.ClientSession
) -> None:
    fresh.control.add_fault({"kind": "hang", "path": "/api/v3/ping"})
    with pytest.raises(TimeoutError):
        await fresh_session.get(PING, timeout=aiohttp.ClientTimeout(total=0.05))
    assert (await read(fresh_session, TIME))[0] == 200


@pytest.mark.anyio
@pytest.mark.parametrize("effect", [Hang(), Delay(60_000)])
async def test_a_server_that_stops_lets_go_of_what_it_holds_back(effect: Hang | Delay) -> None:
    async with AsyncExitStack() as left_open:
        async with SimulatedExchange(clock=StillClock(), entropy=Counted()).serving() as venue:
            session = await left_open.enter_async_context(http(venue.port, venue.ca_pem))
            venue.control.add_fault(FaultRule(effect=effect))
            held = asyncio.create_task(read(session, PING))
            await arrival(venue.control, 1)
        with pytest.raises(aiohttp.ClientConnectionError):
            await held


@pytest.mark.anyio
async def test_a_closed_connection_is_no_answer(fresh: SimulatedExchange, client: Ccxt) -> None:
    fresh.control.add_fault({"kind": "close", "host": "fapi.binance.com"})
    with pytest.raises(ccxt.ExchangeNotAvailable):
        await client.fapiPublicGetTime()
    assert {entry.status for entry in fresh.control.requests()} == {None}
    assert await client.publicGetTime() == {"serverTime": NOON_MS}


@pytest.mark.anyio
async def test_faults_and_the_log_are_steered_over_http(
    fresh: SimulatedExchange, fresh_session: aiohttp.ClientSession, headers: dict[str, str]
) -> None:
    rule = {"kind": "status", "status": 500}
    async with fresh_session.post(f"{CONTROL}/faults", json=rule, headers=headers) as response:
        assert response.status == 201
    assert (await read(fresh_session, PING))[0] == 500
    async with fresh_session.delete(f"{CONTROL}/faults", headers=headers) as response:
        assert response.status == 200
    assert (await read(fresh_session, PING))[0] == 200
    async with fresh_session.get(f"{CONTROL}/requests", headers=headers) as response:
        logged = (await response.json())["requests"]
    assert [(entry["seq"], entry["path"], entry["status"]) for entry in logged] == [
        (1, "/api/v3/ping", 500),
        (2, "/api/v3/ping", 200),
    ]
    async with fresh_session.delete(f"{CONTROL}/requests", headers=headers) as response:
        assert response.status == 200
    assert fresh.control.requests() == []


@pytest.mark.anyio
async def test_control_is_for_whoever_has_the_token_and_never_on_the_venues_hosts(
    fresh: SimulatedExchange, fresh_session: aiohttp.ClientSession, headers: dict[str, str]
) -> None:
    for url, sent, status in (
        (f"{CONTROL}/requests", {}, 401),
        (f"{CONTROL}/requests", {"Authorization": "Bearer guess"}, 401),
        (f"{CONTROL}/nothing", headers, 404),
        ("https://api.binance.com/__sim/requests", headers, 404),
    ):
        async with fresh_session.get(url, headers=sent) as response:
            assert response.status == status
    assert [entry.host for entry in fresh.control.requests()] == ["api.binance.com"]


@pytest.mark.anyio
@pytest.mark.parametrize("body", ["[]", "nonsense", '{"kind": "explode"}'])
async def test_a_fault_that_makes_no_sense_is_refused_with_a_reason(
    fresh_session: aiohttp.ClientSession, headers: dict[str, str], body: str
) -> None:
    async with fresh_session.post(f"{CONTROL}/faults", data=body, headers=headers) as response:
        assert response.status == 400
        assert (await response.json())["error"]


@pytest.mark.anyio
async def test_the_log_names_keys_by_label_and_masks_signatures(
    fresh: SimulatedExchange, client: Ccxt
) -> None:
    await client.privateGetAccount()
    [entry] = fresh.control.requests()
    assert (entry.host, entry.method, entry.path) == ("api.binance.com", "GET", "/api/v3/account")
    assert (entry.key, entry.status) == ("reader", 200)
    assert entry.query == f"timestamp={NOON_MS}&recvWindow=10000&signature=*"
    assert fresh.keys["reader"].api_key not in str(entry)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, "kind is one of status, body, delay, hang, close"),
        ({"kind": "hang", "ms": 5}, "a fault of kind hang has no ms"),
        ({"kind": "status", "status": 99}, "status is between 200 and 599, not 99"),
        ({"kind": "status", "status": "500"}, "status is of type int, unlike '500'"),
        ({"kind": "status", "status": True}, "status is of type int, unlike True"),
        ({"kind": "delay", "ms": -1}, "ms is at least 0, not -1"),
        ({"kind": "close", "when": "later"}, "when is before or after, not 'later'"),
        ({"kind": "close", "times": 0}, "times is at least 1, not 0"),
        ({"kind": "close", "path": "("}, "path is not a regular expression"),
    ],
)
def test_a_rule_that_cannot_be_read_says_why(fields: dict[str, object], reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        parse(fields)


def test_the_rule_that_was_added_first_strikes_until_it_is_used_up() -> None:
    faults = Faults()
    faults.add(FaultRule(effect=Close(), times=1))
    faults.add(FaultRule(effect=Delay(5)))
    request = Request("api.binance.com", "GET", "/api/v3/ping")
    struck = [faults.strike(request) for _ in range(3)]
    assert [rule and rule.effect for rule in struck] == [Close(), Delay(5), Delay(5)]


@pytest.mark.parametrize(
    ("narrowed", "hits"),
    [
        ({"host": "fapi.binance.com"}, False),
        ({"method": "POST"}, False),
        ({"path": "/api/v3"}, False),
        ({"path": "/api/v3/.*"}, True),
        ({"host": "api.binance.com", "method": "GET", "path": "/api/v3/ping"}, True),
    ],
)
def test_a_rule_hits_what_it_names_and_matches_a_path_in_full(
    narrowed: dict[str, object], *, hits: bool
) -> None:
    rule = parse({"kind": "body", "body": "x", **narrowed})
    assert isinstance(rule.effect, Replace)
    assert rule.hits(Request("api.binance.com", "GET", "/api/v3/ping")) is hits


def test_the_log_is_bounded_and_goes_on_counting() -> None:
    log = RequestLog()
    for _ in range(KEPT + 5):
        log.record(Request("api.binance.com", "GET", "/api/v3/ping"), None)
    entries = log.entries()
    assert (len(entries), entries[0].seq, entries[-1].seq) == (KEPT, 6, KEPT + 5)


@pytest.mark.anyio
async def test_a_key_is_widened_and_narrowed_under_way(
    fresh_session: aiohttp.ClientSession, client: Ccxt, headers: dict[str, str]
) -> None:
    for access, trades, withdraws in (
        ("trade", True, False),
        ("withdraw", True, True),
        ("read", False, False),
    ):
        body = json.dumps({"access": access})
        async with fresh_session.post(f"{CONTROL}/keys/reader", headers=headers, data=body) as response:
            assert (response.status, await response.text()) == (200, "{}")
        told = await client.sapiGetAccountApiRestrictions()
        assert (told["enableSpotAndMarginTrading"], told["enableWithdrawals"]) == (trades, withdraws)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("label", "body", "said"),
    [
        ("nobody", '{"access": "read"}', "label is one of reader, trader"),
        ("reader", '{"access": "everything"}', "access is one of read, trade, withdraw"),
        ("reader", '{"access": ["read"]}', "access is one of"),
        ("reader", "[]", "the body is a JSON object"),
        ("reader", "{", ""),
    ],
)
async def test_a_change_of_a_key_that_makes_no_sense_is_refused_with_the_reason(
    label: str,
    body: str,
    said: str,
    fresh_session: aiohttp.ClientSession,
    headers: dict[str, str],
) -> None:
    async with fresh_session.post(f"{CONTROL}/keys/{label}", headers=headers, data=body) as response:
        assert response.status == 400
        assert said in await response.text()
