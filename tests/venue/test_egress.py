"""What may leave the process, tried at a real socket: what arrives there is counted."""

import asyncio
import contextlib
import contextvars
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import aiohttp
import anyio
import ccxt.async_support as ccxt
import pytest

from exchange_mcp.model.accounts import Environment
from exchange_mcp.model.errors import BadAnswerError, EgressBlockedError, ErrorCode
from exchange_mcp.model.writes import CancelOrder
from exchange_mcp.rules.endpoints import Endpoint, EndpointClass
from exchange_mcp.venue import wire as wire_module
from exchange_mcp.venue.addresses import NoAddressError
from exchange_mcp.venue.attempts import Attempt, Call, SendToken, sending
from exchange_mcp.venue.client import addresses, install
from exchange_mcp.venue.egress import Rendered, loading, reading, writing
from exchange_mcp.venue.market_cache import StoredMarkets
from exchange_mcp.venue.render import render

from .faulty_venue import DROP, faulty, says
from .guarded import ALLOWED, EVERYTHING, HOSTS, KEY, READS, TYPES, bare, guarded, market
from .sending import ACCEPTED, IN_2100_MS, LIMIT, PLAIN, WRITES, always, granted, sent

pytestmark = pytest.mark.anyio

# --- one send ---


@pytest.mark.parametrize("cls", WRITES)
async def test_a_connection_that_breaks_after_a_write_leaves_one_request_at_the_venue(
    cls: EndpointClass,
) -> None:
    async with faulty(always(DROP), *HOSTS) as venue, guarded(venue.loopback) as client:
        result = await sent(client, cls)
    assert len(venue.arrived) == 1
    assert result.error is not None
    assert result.is_on_wire
    assert result.attempt is not None
    assert (result.attempt.passes, result.attempt.status) == ((2 if cls is EndpointClass.CANCEL else 1), None)
    assert isinstance(result.error, ccxt.ExchangeNotAvailable)


async def test_a_read_whose_connection_breaks_is_not_sent_again_by_the_http_client() -> None:
    async with faulty(always(DROP), *HOSTS) as venue, guarded(venue.loopback) as client:
        with pytest.raises(ccxt.ExchangeNotAvailable), reading(READS):
            await client.fetch_ticker("BTC/USDT")
    assert venue.arrived == ["GET /api/v3/ticker/24hr"]


async def test_an_order_that_a_venue_takes_by_get_reaches_it_once_when_the_connection_breaks() -> None:
    # deribit places orders by GET: ccxt/async_support/deribit.py, create_order, 4.5.90
    buy = Endpoint("GET", "private", "buy")
    parameters = {"instrument_name": "BTC-PERPETUAL", "amount": 10, "label": "abc"}
    async with (
        faulty(always(DROP), "www.deribit.com") as venue,
        bare(ccxt.deribit, venue.loopback, frozenset({buy})) as client,
    ):
        with (
            pytest.raises(ccxt.ExchangeNotAvailable),
            writing(
                "order",
                frozenset({buy}),
                Rendered.of(buy, parameters),
                None,
                signing=PLAIN,
                latest_ms=None,
                token=SendToken(),
            ),
        ):
            await client.privateGetBuy(parameters)
    assert venue.arrived == ["GET /api/v2/private/buy"]


@pytest.mark.parametrize("status", [301, 302, 307, 308])
@pytest.mark.parametrize("cls", WRITES)
async def test_a_redirect_is_not_followed(cls: EndpointClass, status: int) -> None:
    answer = says(status, "", "location: https://fapi.binance.com/elsewhere")
    async with faulty(always(answer), *HOSTS) as venue, guarded(venue.loopback) as client:
        result = await sent(client, cls)
    assert len(venue.arrived) == 1
    assert result.attempt is not None
    assert result.attempt.status == status


async def test_parameters_that_make_ccxt_send_again_are_blocked() -> None:
    async with faulty(always(says(500, "{}")), *HOSTS) as venue, guarded(venue.loopback) as client:
        with pytest.raises(EgressBlockedError, match="change how it is sent"), reading(READS):
            await client.fetch_ticker("BTC/USDT", {"maxRetriesOnFailure": 3})
        assert venue.arrived == []
        client.options["maxRetriesOnFailure"] = 3
        with pytest.raises(EgressBlockedError, match="no permit to send"), reading(READS):
            await client.fetch_ticker("BTC/USDT")
        assert len(venue.arrived) == 1
        result = await sent(client, EndpointClass.ORDER)
    assert result.is_on_wire
    assert len(venue.arrived) == 2


async def test_a_write_is_sent_once_however_often_it_is_tried() -> None:
    async with faulty(always(says(200, ACCEPTED)), *HOSTS) as venue, guarded(venue.loopback) as client:
        write = render(client, LIMIT, ALLOWED[EndpointClass.ORDER])
        fields = write.rendered.fields()
        with contextlib.ExitStack() as held:
            refused = pytest.raises(EgressBlockedError, match="the one send of this write is spent")
            held.enter_context(refused)
            held.enter_context(granted(write))
            await client.privatePostOrder(dict(fields))
            await client.privatePostOrder(dict(fields))
    assert venue.arrived == ["POST /api/v3/order"]


async def test_what_is_seen_of_an_attempt_is_kept() -> None:
    async with (
        faulty(always(says(400, '{"code":-2010,"msg":"x"}')), *HOSTS) as venue,
        guarded(venue.loopback) as client,
    ):
        client.options["recvWindow"] = 4000
        result = await sent(client, EndpointClass.ORDER)
    attempt = result.attempt
    assert attempt is not None
    assert (attempt.status, attempt.body, attempt.passes) == (400, '{"code":-2010,"msg":"x"}', 1)
    assert attempt.window_ms == 4000
    assert attempt.signed_ms is not None
    assert f"timestamp={attempt.signed_ms}" in venue.bodies[0]
    assert "signature" not in repr(attempt)


async def test_nothing_on_the_wire_is_told_apart_from_something() -> None:
    async with faulty(always(DROP), *HOSTS) as venue:
        pass
    async with guarded(venue.loopback) as client:  # the port is closed by now
        result = await sent(client, EndpointClass.ORDER)
    assert result.error is not None
    assert not result.is_on_wire
    assert result.attempt is not None
    assert result.attempt.token is not None
    assert result.attempt.token.is_spent


# --- what may be asked, and when ---


async def test_without_a_call_under_way_nothing_leaves() -> None:
    async with faulty(always(says(200)), *HOSTS) as venue, guarded(venue.loopback) as client:
        for ask in (client.fetch_time, client.publicGetTime, client.privateGetAccount):
            with pytest.raises(EgressBlockedError, match="no call is under way"):
                await ask()
        with pytest.raises(EgressBlockedError, match="no permit"):
            await client.fetch("https://api.binance.com/api/v3/time")
        with pytest.raises(EgressBlockedError, match="did not pass the guard"):
            client.session.get("https://api.binance.com/api/v3/time")
    assert venue.arrived == []


@pytest.mark.parametrize("cls", WRITES)
async def test_a_read_cannot_write(cls: EndpointClass) -> None:
    async with faulty(always(says(200, ACCEPTED)), *HOSTS) as venue, guarded(venue.loopback) as client:
        fields = render(client, WRITES[cls][0], ALLOWED[cls]).rendered
        with pytest.raises(EgressBlockedError, match="not an endpoint of read") as raised, reading(READS):
            await client.fetch2(
                fields.endpoint.path, fields.endpoint.api.split("/"), fields.endpoint.verb, fields.fields()
            )
    assert venue.arrived == []
    assert raised.value.code is ErrorCode.EGRESS_BLOCKED
    assert str(fields.endpoint) in raised.value.message


@pytest.mark.parametrize("cls", WRITES)
async def test_a_write_cannot_read(cls: EndpointClass) -> None:
    async with faulty(always(says(200)), *HOSTS) as venue, guarded(venue.loopback) as client:
        write = render(client, WRITES[cls][0], ALLOWED[cls])
        with (
            pytest.raises(EgressBlockedError, match=f"not an endpoint of {cls}"),
            granted(write, cls),
        ):
            await client.fetch_time()
    assert venue.arrived == []


@pytest.mark.parametrize(("cls", "other"), [(a, b) for a in WRITES for b in WRITES if a is not b])
async def test_a_write_of_one_kind_cannot_be_sent_as_another(
    cls: EndpointClass, other: EndpointClass
) -> None:
    async with faulty(always(says(200)), *HOSTS) as venue, guarded(venue.loopback) as client:
        write = render(client, WRITES[cls][0], ALLOWED[cls])
        with pytest.raises(EgressBlockedError, match="was given to what sends"):
            await WRITES[other][1](client, write, ALLOWED[other], latest_ms=IN_2100_MS)
        with pytest.raises(EgressBlockedError):
            render(client, WRITES[cls][0], ALLOWED[other])
        result = await WRITES[cls][1](client, write, ALLOWED[other], latest_ms=IN_2100_MS)
    assert isinstance(result.error, EgressBlockedError)
    assert venue.arrived == []


async def test_a_capability_that_is_used_after_its_call_sends_nothing() -> None:
    async with faulty(always(says(200)), *HOSTS) as venue, guarded(venue.loopback) as client:
        gate = anyio.Event()

        async def late() -> None:
            await gate.wait()
            await client.fetch_time()

        with reading(READS):
            task = asyncio.get_running_loop().create_task(late(), context=contextvars.copy_context())
            await asyncio.sleep(0)
        gate.set()
        with pytest.raises(EgressBlockedError, match="the call that could ask this has ended"):
            await task
    assert venue.arrived == []


async def test_a_call_cannot_begin_inside_another() -> None:
    with (
        pytest.raises(EgressBlockedError, match="began inside another call"),
        reading(READS),
        loading(EVERYTHING),
    ):
        pass


async def test_two_calls_at_once_do_not_lend_each_other_their_endpoints() -> None:
    async with (
        faulty(always(says(200, '{"serverTime":1}')), *HOSTS) as venue,
        guarded(venue.loopback) as client,
    ):
        inside = anyio.Event()
        done = anyio.Event()

        async def reader() -> None:
            with reading(READS):
                inside.set()
                await done.wait()

        async with anyio.create_task_group() as group:
            group.start_soon(reader)
            await inside.wait()
            with pytest.raises(EgressBlockedError, match="no call is under way"):
                await client.fetch_time()
            done.set()
    assert venue.arrived == []


# --- where it goes ---

ORDER_ID_TRICKS = [
    "../../v3/withdrawals",
    "1/../../x",
    "1%2f..",
    "1?a=b",
    "1//2",
    "..",
    "",
    "1#x",
    "1&x=1",
    "a b",
    "ä",
]


@pytest.mark.parametrize("order_id", ORDER_ID_TRICKS)
def test_an_order_id_that_could_become_a_path_or_a_parameter_is_no_order_id(order_id: str) -> None:
    with pytest.raises(ValueError, match="order id"):
        CancelOrder(symbol="BTC/USDT", order_id=order_id)


@pytest.mark.parametrize("order_id", [trick for trick in ORDER_ID_TRICKS if trick])
async def test_an_id_that_was_smuggled_past_that_sends_nothing(order_id: str) -> None:
    # kucoin puts the id into the path: ccxt/async_support/kucoin.py, cancel_order, 4.5.90
    cancel = Endpoint("DELETE", "private", "orders/{orderId}")
    asked, plain = {"orderId": order_id}, {"orderId": "5f3-a_b"}
    done = says(200, '{"code":"200000","data":{}}')
    kucoin: dict[str, Any] = {"signing": PLAIN, "token": SendToken(), "latest_ms": None}
    async with (
        faulty(always(done), "api.kucoin.com") as venue,
        bare(ccxt.kucoin, venue.loopback, frozenset({cancel})) as client,
    ):
        with (
            pytest.raises(EgressBlockedError, match="an id in its path is not plain"),
            writing("cancel", frozenset({cancel}), Rendered.of(cancel, asked), None, **kucoin),
        ):
            await client.privateDeleteOrdersOrderId(asked)
        with writing("cancel", frozenset({cancel}), Rendered.of(cancel, plain), None, **kucoin):
            await client.privateDeleteOrdersOrderId(plain)
    assert venue.arrived == ["DELETE /api/v1/orders/5f3-a_b"]


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/api/v3/ticker/24hr",
        "https://api.binance.com.evil.example/api/v3/ticker/24hr",
        "https://user@api.binance.com/api/v3/ticker/24hr",
        "https://api.binance.com:444/api/v3/ticker/24hr",
        "http://api.binance.com/api/v3/ticker/24hr",
        "https://api.binance.com/api/v3/ticker/24hr/",
        "https://api.binance.com/api/v3/ticker//24hr",
        "https://api.binance.com/api/v3/x/../ticker/24hr",
        "https://api.binance.com/api/v3/ticker%2f24hr",
        "https://api.binance.com/api/v3/order",
        "https://api.binance.com/api/v3/ticker/24hr?a=\r\nX: y",
        "https://api.binance.com/api/v3/ticker/24hr?a=b c",
        "https://api.binance.com/api/v3/ti\tcker/24hr",
        "https://api.binance.com/api/v3/ticker/24hr?a=\u00e4",
    ],
)
async def test_a_request_that_is_signed_for_another_place_is_blocked(url: str) -> None:
    async with faulty(always(says(200)), *HOSTS) as venue, guarded(venue.loopback) as client:
        client.sign = MagicMock(return_value={"url": url, "method": "GET", "headers": None, "body": None})
        with pytest.raises(EgressBlockedError, match="not the frozen address"), reading(READS):
            await client.fetch_ticker("BTC/USDT")
    assert venue.arrived == []


def test_a_client_is_not_built_for_a_host_that_was_not_reviewed() -> None:
    with pytest.raises(NoAddressError, match=r"fapi\.binance\.com, which is not a reviewed host"):
        addresses("binance", Environment.LIVE, TYPES, READS, {"api.binance.com", "dapi.binance.com"})


async def test_a_stored_catalogue_changes_no_setting_of_a_client() -> None:
    async with faulty(always(says(200)), *HOSTS) as venue, guarded(venue.loopback) as client:
        stored = StoredMarkets([market("BTC/USDT")], {"maxRetriesOnFailure": 3, "warnOnFetch": 1}, 0)
        install(client, stored)
    assert client.options["maxRetriesOnFailure"] == 0
    assert "warnOnFetch" not in client.options


async def test_addresses_that_are_changed_after_the_build_lead_nowhere() -> None:
    async with faulty(always(says(200)), "evil.example", *HOSTS) as venue, guarded(venue.loopback) as client:
        client.urls["api"]["public"] = "https://evil.example/api/v3"
        with pytest.raises(EgressBlockedError, match="not the frozen address"), reading(READS):
            await client.fetch_ticker("BTC/USDT")
    assert venue.arrived == []


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("verbose", True),
        ("httpsProxy", "http://127.0.0.1:1"),
        ("https_proxy", "http://127.0.0.1:1"),
        ("httpProxy", "http://127.0.0.1:1"),
        ("socksProxy", "socks5://127.0.0.1:1"),
        ("proxyUrl", "https://evil.example/"),
        ("aiohttp_proxy", "http://127.0.0.1:1"),
        ("aiohttp_trust_env", True),
        ("httpsProxyCallback", str),
    ],
)
async def test_a_setting_that_would_lead_or_print_a_request_elsewhere_blocks_it(
    setting: str, value: object, capsys: pytest.CaptureFixture[str]
) -> None:
    async with faulty(always(says(200)), *HOSTS) as venue, guarded(venue.loopback) as client:
        setattr(client, setting, value)
        with pytest.raises(EgressBlockedError, match=f"the setting {setting} is on"), reading(READS):
            await client.fetch_ticker("BTC/USDT")
    assert venue.arrived == []
    assert "signature" not in capsys.readouterr().out


async def test_websockets_and_socks_sessions_are_refused() -> None:
    async with faulty(always(says(200)), *HOSTS) as venue, guarded(venue.loopback) as client:
        with pytest.raises(EgressBlockedError, match="SOCKS"):
            client.get_socks_proxy_session("socks5://127.0.0.1:1")
        with pytest.raises(EgressBlockedError, match="WebSockets"):
            client.client("wss://stream.binance.com/ws")
        with pytest.raises(EgressBlockedError, match="WebSockets"):
            client.session.ws_connect("wss://stream.binance.com/ws")
    assert venue.arrived == []


async def test_the_session_sends_no_other_url_than_the_one_that_passed_the_guard() -> None:
    async with faulty(always(says(200)), *HOSTS) as venue, guarded(venue.loopback) as client:
        passed = Attempt("GET", "https://api.binance.com/api/v3/time", Call("read"))
        with pytest.raises(EgressBlockedError, match="stopped at the session"), sending(passed):
            client.session.get("https://api.binance.com/api/v3/account")
        with pytest.raises(EgressBlockedError, match="stopped at the session"), sending(passed):
            client.session.delete("https://api.binance.com/api/v3/time")
    assert venue.arrived == []


# --- poison ---


async def test_a_failed_request_fails_the_call_also_where_ccxt_swallows_it() -> None:
    async with faulty(always(says(500, "{}")), *HOSTS) as venue, guarded(venue.loopback) as client:

        async def probe_like_gate_and_bitget() -> str:
            try:
                await client.privateGetAccount()
            except Exception:  # noqa: BLE001 - what ccxt does: gate.py, load_unified_status, 4.5.90
                return "classic"
            return "unified"

        with pytest.raises(ccxt.ExchangeNotAvailable), reading(READS):
            assert await probe_like_gate_and_bitget() == "classic"
        account = Endpoint("GET", "private", "account")
        with reading(READS, frozenset({account})):
            assert await probe_like_gate_and_bitget() == "classic"
    assert len(venue.arrived) == 2


async def test_a_blocked_request_fails_the_call_even_where_its_failure_would_be_optional() -> None:
    account = Endpoint("GET", "private", "account")
    async with faulty(always(says(200)), *HOSTS) as venue, guarded(venue.loopback) as client:

        async def swallowed() -> None:
            with contextlib.suppress(EgressBlockedError):
                await client.privateGetAccount()

        with pytest.raises(EgressBlockedError), reading(READS - {account}, frozenset({account})):
            await swallowed()
    assert venue.arrived == []


async def test_what_was_stopped_beside_the_guard_fails_the_call_also_where_ccxt_swallows_it() -> None:
    async with faulty(always(says(200)), *HOSTS) as venue, guarded(venue.loopback) as client:
        for beside in (
            lambda: client.session.get("https://api.binance.com/api/v3/time"),
            lambda: client.session.ws_connect("wss://stream.binance.com/ws"),
            lambda: client.get_socks_proxy_session("socks5://127.0.0.1:1"),
            lambda: client.client("wss://stream.binance.com/ws"),
        ):
            with pytest.raises(EgressBlockedError), reading(READS), contextlib.suppress(EgressBlockedError):
                beside()
        for names_nothing in ((5, "public"), ("time", 5), (None, ["a", 1])):
            with pytest.raises(EgressBlockedError), reading(READS), contextlib.suppress(Exception):
                await client.fetch2(*names_nothing)
        with pytest.raises(EgressBlockedError), reading(READS), contextlib.suppress(EgressBlockedError):
            await client.fetch("https://api.binance.com/api/v3/time")
    assert venue.arrived == []


async def test_a_request_that_is_given_up_inside_the_call_fails_it() -> None:
    async with faulty(always(says(200)), *HOSTS) as venue, guarded(venue.loopback) as client:
        with pytest.raises(BadAnswerError, match="given up before it ended"), reading(READS):
            with anyio.move_on_after(0):
                await client.privateGetAccount()
    assert venue.arrived == []


async def test_a_call_that_ends_before_its_requests_fails() -> None:
    async with (
        faulty(always(says(200, '{"serverTime":1}')), *HOSTS) as venue,
        guarded(venue.loopback) as client,
    ):
        tasks: list[asyncio.Task[Any]] = []

        async def begun() -> None:
            tasks.append(asyncio.create_task(client.fetch_time()))
            await asyncio.sleep(0)

        with pytest.raises(EgressBlockedError, match="ended before its requests did"), reading(READS):
            await begun()
        with pytest.raises(EgressBlockedError, match="has ended"):
            await tasks[0]
    assert venue.arrived == []


async def test_a_write_given_to_a_read_by_mistake_is_not_sent() -> None:
    async with faulty(always(says(200, ACCEPTED)), *HOSTS) as venue, guarded(venue.loopback) as client:
        for begin in (reading, loading):
            with pytest.raises(EgressBlockedError, match="it is a write"), begin(EVERYTHING):
                await client.privatePostOrder({"symbol": "BTCUSDT"})
    assert venue.arrived == []


# --- the session ---


@pytest.mark.parametrize(
    "option", ["params", "ssl", "middlewares", "json", "auth", "cookies", "server_hostname"]
)
async def test_the_session_takes_no_option_that_changes_what_is_sent_or_to_whom(option: str) -> None:
    url = "https://api.binance.com/api/v3/time"
    async with faulty(always(says(200)), *HOSTS) as venue, guarded(venue.loopback) as client:
        passed = Attempt("GET", url, Call("read"))
        with pytest.raises(EgressBlockedError, match=f"with {option} was stopped"), sending(passed):
            client.session.get(url, **{option: {}})
        with pytest.raises(EgressBlockedError, match="a proxy is refused"), sending(passed):
            client.session.get(url, proxy="http://127.0.0.1:1")
    assert venue.arrived == []


async def test_a_client_whose_session_was_exchanged_sends_nothing() -> None:
    async with (
        faulty(always(says(200)), *HOSTS) as venue,
        guarded(venue.loopback) as client,
        aiohttp.ClientSession() as other,
    ):
        wire = client.session
        for foreign in (other, None):
            client.session = foreign
            with pytest.raises(EgressBlockedError, match="its session is not ours"), reading(READS):
                await client.fetch_time()
        client.session = wire
    assert venue.arrived == []


async def test_a_write_does_not_read_an_answer_that_waits_on_a_connection_of_an_earlier_request() -> None:
    # A proxy or a venue that sends one answer too many: on a shared connection it would be the order's. aiohttp drops
    # a connection with such bytes where it has seen them; those that are still under way it cannot see.
    forged = says(200, '{"orderId":666,"symbol":"BTCUSDT","clientOrderId":"forged"}')
    answers = {
        "GET": says(200, '{"serverTime":1}') + forged,
        "DELETE": says(200, ACCEPTED),
        "POST": says(400, '{"code":-2010,"msg":"no"}'),
    }

    def answer(request: str) -> bytes:
        return answers[request.partition(" ")[0]]

    async with faulty(answer, *HOSTS) as venue, guarded(venue.loopback) as client:
        with reading(READS):
            await client.fetch_time()
        assert (await sent(client, EndpointClass.CANCEL)).error is None
        for _ in range(2):
            result = await sent(client, EndpointClass.ORDER)
            assert result.attempt is not None
            assert result.attempt.status == 400
            assert "-2010" in (result.attempt.body or "")
    assert len(set(venue.connections)) == len(venue.arrived) == 4


async def test_an_answer_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire_module, "_ANSWER_BYTES", 1000)
    answer = says(200, '{"serverTime":1,"more":"' + "x" * 2000 + '"}')
    async with faulty(always(answer), *HOSTS) as venue, guarded(venue.loopback) as client:
        with pytest.raises(ccxt.BaseError), reading(READS):
            await client.fetch_time()


def test_keys_of_connections_are_not_written_for_whoever_set_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys"))
    wire_module.public_authorities.cache_clear()
    try:
        assert wire_module.authorities(None).keylog_filename is None
    finally:
        wire_module.public_authorities.cache_clear()


async def test_a_blocked_request_is_told_without_its_query_or_key(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    async with faulty(always(says(200)), *HOSTS) as venue, guarded(venue.loopback) as client:
        client.urls["api"]["private"] = "https://evil.example/api/v3"
        with pytest.raises(EgressBlockedError) as raised, reading(READS):
            await client.privateGetOrder({"symbol": "BTCUSDT", "orderId": "4711"})
    log = str([record.msg for record in caplog.records])
    for told in (raised.value.message, log):
        assert "GET private order" in told
        assert not [
            secret for secret in ("4711", "signature", KEY["apiKey"], KEY["secret"]) if secret in told
        ]
