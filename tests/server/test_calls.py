"""One call, whatever happens on the way: tested on the registry's own tools and a venue that does as told."""

import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

import anyio
import pytest

from exchange_mcp.model.accounts import Account, AccountName, Environment, MarketType
from exchange_mcp.model.balances import Balance
from exchange_mcp.model.callers import Caller, Scope
from exchange_mcp.model.coverage import SourceRead, Sources
from exchange_mcp.model.key_reports import KeyReport
from exchange_mcp.model.markets import OrderBook, Ticker
from exchange_mcp.model.orders import OpenOrder
from exchange_mcp.model.ports import ReadVenue
from exchange_mcp.model.positions import Position
from exchange_mcp.model.readings import Realised, StandingPart
from exchange_mcp.model.terms import MarketTerms, Reference
from exchange_mcp.server.calls import Calls, Limits
from exchange_mcp.tools.answers import Envelope
from exchange_mcp.tools.registry import without_desk

pytestmark = pytest.mark.anyio

CALLER = Caller("tests", frozenset(Scope))
ACCOUNT = Account(AccountName("main"), "binance", Environment.SIM, (MarketType.SPOT,), has_key=True)


class StillClock:
    """A clock that stands."""

    def now_ms(self) -> int:
        return 1_764_000_000_000

    def monotonic(self) -> float:
        return 1000.0


class OneVenue:
    """A venue whose every question is one source, read by a function of the test's."""

    def __init__(self, read: Callable[[], Awaitable[Sequence[Balance]]]) -> None:
        self._read = read
        self.account = ACCOUNT

    def balances(self) -> Sources[Balance]:
        return Sources((SourceRead("spot", self._read),))

    def positions(self) -> Sources[Position]:
        return Sources(())

    def open_orders(self, symbol: str | None) -> Sources[OpenOrder]:
        return Sources((), ()) if symbol else Sources(())

    def key_scope(self) -> Sources[KeyReport]:
        return Sources(())

    def ticker(self, symbol: str) -> Sources[Ticker]:
        raise AssertionError(symbol)

    def order_book(self, symbol: str, levels: int) -> Sources[OrderBook]:
        raise AssertionError(symbol, levels)

    def terms(self, symbol: str) -> Sources[MarketTerms]:
        raise AssertionError(symbol)

    def reference(self, symbol: str) -> Sources[Reference]:
        raise AssertionError(symbol)

    def standing(self, symbol: str) -> Sources[StandingPart]:
        raise AssertionError(symbol)

    def realised(self, since_ms: int) -> Sources[Realised]:
        raise AssertionError(since_ms)


class Ready:
    """Venues that are there from the start."""

    def __init__(self, venue: ReadVenue) -> None:
        self._venue = venue

    async def ready(self) -> Mapping[str, ReadVenue]:
        return {ACCOUNT.name: self._venue}


class Never:
    """Venues that are never ready."""

    async def ready(self) -> Mapping[str, ReadVenue]:
        await anyio.sleep(math.inf)
        raise AssertionError


async def empty() -> Sequence[Balance]:
    """An account without a balance."""
    return ()


LIMITS = Limits(20, 16, 64)


def calls(read: Callable[[], Awaitable[Sequence[Balance]]] = empty, limits: Limits = LIMITS) -> Calls:
    return Calls(without_desk(), [ACCOUNT], Ready(OneVenue(read)), StillClock(), limits)


def message(envelope: Envelope) -> str:
    assert envelope.error is not None
    return envelope.error.message


async def test_a_local_tool_answers_while_no_venue_is_ready() -> None:
    waiting = Calls(without_desk(), [ACCOUNT], Never(), StillClock(), Limits(20, 16, 64))
    with anyio.fail_after(5):
        assert (await waiting.call("list_accounts", {}, CALLER)).error is None


async def test_a_read_that_cannot_begin_ends_at_the_deadline_with_a_clear_error() -> None:
    waiting = Calls(without_desk(), [ACCOUNT], Never(), StillClock(), Limits(0.05, 16, 64))
    envelope = await waiting.call("get_balance", {}, CALLER)
    assert envelope.error is not None
    assert (envelope.error.code, envelope.error.retry) == ("DEADLINE_EXCEEDED", "safe")
    assert "get_balance" in envelope.error.message


async def test_the_text_of_an_exception_of_ours_never_reaches_the_client() -> None:
    async def broken() -> Sequence[Balance]:
        raise RuntimeError("SECRET-abc")

    envelope = await calls(broken).call("get_balance", {}, CALLER)
    assert envelope.error is not None
    assert envelope.error.code == "INTERNAL"
    assert "SECRET" not in str(envelope.structured())


@pytest.mark.parametrize(
    "name", ["withdraw", "transfer", "createApiKey", "sapi_raw_call", "create_sub_account", "withdrawAll"]
)
async def test_a_call_to_what_is_refused_by_design_says_so(name: str) -> None:
    envelope = await calls().call(name, {}, CALLER)
    assert envelope.error is not None
    assert envelope.error.code == "REFUSED_BY_DESIGN"


async def test_an_unknown_tool_is_answered_with_the_nearest_name() -> None:
    assert "'get_ticker'" in message(await calls().call("get_tickr", {}, CALLER))


@pytest.mark.parametrize(
    ("tool", "arguments", "named", "right"),
    [
        ("get_balance", {"acount": "main"}, "acount", "'account'"),
        ("get_balance", {"include_empty": "yes"}, "include_empty", "boolean"),
        ("get_balance", {"account": 7}, "account", "string"),
        ("get_orderbook", {"symbol": "BTC/USDT", "levels": "7"}, "levels", "integer"),
        ("get_orderbook", {"symbol": "BTC/USDT", "levels": True}, "levels", "integer"),
        ("get_orderbook", {"symbol": "BTC/USDT", "levels": 7.0}, "levels", "integer"),
        ("get_orderbook", {"symbol": "BTC/USDT", "levels": -1}, "levels", "greater than or equal to 1"),
        ("get_orderbook", {"symbol": "BTC/USDT", "levels": 10**9}, "levels", "less than or equal to 50"),
        ("get_ticker", {}, "symbol", "required"),
        ("get_ticker", {"symbol": ""}, "symbol", "BTC/USDT"),
        ("get_ticker", {"symbol": "BTC/USDT" * 1000}, "symbol", "64 characters"),
        ("get_ticker", {"symbol": "BTC/\u202eUSDT"}, "symbol", "BTC/USDT"),
        ("get_balance", {"api_key": "k"}, "api_key", "this tool takes account, include_empty"),
        ("get_balance", {"params": {}}, "params", "this tool takes account, include_empty"),
        (
            "preview_order",
            {"symbol": "BTC/USDT", "side": "buy", "type": "stop"},
            "type: ",
            "'market', 'limit', 'stop_market' or 'stop_limit'",
        ),
    ],
)
async def test_a_wrong_argument_is_named_with_what_would_be_right(
    tool: str, arguments: dict[str, object], named: str, right: str
) -> None:
    async def unasked() -> Sequence[Balance]:
        raise AssertionError("a venue was asked")

    envelope = await calls(unasked).call(tool, arguments, CALLER)
    assert envelope.error is not None
    assert envelope.error.code == "INVALID_ARGUMENT"
    assert named in envelope.error.message
    assert right in envelope.error.message


async def test_a_wrong_argument_is_not_echoed() -> None:
    envelope = await calls().call("get_balance", {"account": {"secret": "hunter2hunter2"}}, CALLER)
    assert "hunter2" not in str(envelope.structured())


async def test_an_unknown_account_is_answered_with_the_known_ones() -> None:
    envelope = await calls().call("get_balance", {"account": "mian"}, CALLER)
    assert envelope.error is not None
    assert envelope.error.code == "UNKNOWN_ACCOUNT"
    assert "main" in envelope.error.message


async def test_no_more_calls_run_at_once_than_allowed_and_the_rest_wait_their_turn() -> None:
    running = most = 0
    gate = anyio.Event()

    async def counted() -> Sequence[Balance]:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await gate.wait()
        running -= 1
        return ()

    bounded = calls(counted, Limits(20, 2, 64))
    envelopes: list[Envelope] = []

    async def one() -> None:
        envelopes.append(await bounded.call("get_balance", {}, CALLER))

    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            for _ in range(5):
                group.start_soon(one)
            await anyio.wait_all_tasks_blocked()
            gate.set()
    assert (most, len(envelopes)) == (2, 5)
    assert all(envelope.error is None for envelope in envelopes)


async def test_a_call_beyond_those_that_may_wait_is_told_that_the_server_is_busy() -> None:
    gate = anyio.Event()

    async def held() -> Sequence[Balance]:
        await gate.wait()
        return ()

    bounded = calls(held, Limits(20, 1, 1))
    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            for _ in range(2):
                group.start_soon(bounded.call, "get_balance", None, CALLER)
                await anyio.wait_all_tasks_blocked()
            error = (await bounded.call("get_balance", {}, CALLER)).error
            gate.set()
            assert error is not None
            assert (error.code, error.retry) == ("BUSY", "safe")


async def test_a_cancelled_call_gives_its_turn_back() -> None:
    gate = anyio.Event()

    async def held() -> Sequence[Balance]:
        await gate.wait()
        return ()

    bounded = calls(held, Limits(20, 1, 4))
    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(bounded.call, "get_balance", None, CALLER)
            await anyio.wait_all_tasks_blocked()
            group.cancel_scope.cancel()
        gate.set()
        assert (await bounded.call("get_balance", {}, CALLER)).error is None


async def test_an_account_whose_venue_hangs_delays_neither_another_account_nor_a_local_tool() -> None:
    gate = anyio.Event()

    async def held() -> Sequence[Balance]:
        await gate.wait()
        return ()

    other = replace(ACCOUNT, name=AccountName("other"))

    class Both:
        async def ready(self) -> Mapping[str, ReadVenue]:
            return {"main": OneVenue(held), "other": OneVenue(empty)}

    bounded = Calls(without_desk(), [ACCOUNT, other], Both(), StillClock(), Limits(20, 2, 64))
    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            for _ in range(6):
                group.start_soon(bounded.call, "get_balance", {"account": "main"}, CALLER)
            await anyio.wait_all_tasks_blocked()
            assert (await bounded.call("list_accounts", {}, CALLER)).error is None
            assert (await bounded.call("get_balance", {"account": "other"}, CALLER)).error is None
            gate.set()


async def test_a_call_with_thousands_of_wrong_arguments_gets_a_short_error() -> None:
    envelope = await calls().call("get_balance", {f"wrong_{n}": n for n in range(20_000)}, CALLER)
    assert message(envelope).endswith("and 19988 more")  # twelve are told
