"""Balances, positions and open orders of an account with a key: every list, every digit, that venue's hosts, signed."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pytest

from exchange_mcp.model.accounts import Account, AccountName, Environment, MarketType
from exchange_mcp.model.balances import Balance
from exchange_mcp.model.coverage import Sources
from exchange_mcp.model.decimals import text
from exchange_mcp.model.errors import ErrorCode, ExchangeMcpError, NothingAnsweredError
from exchange_mcp.model.orders import OpenOrder
from exchange_mcp.model.ports import ReadVenue
from exchange_mcp.model.positions import Position
from exchange_mcp.rules.venues import VENUES
from exchange_mcp.tools.asking import ask
from exchange_mcp.venue.opening import KeyMaterial, Opening, OpenVenues

from .canned import accounts_bitget as bitget
from .canned import accounts_bybit as bybit
from .canned import accounts_coinbase as coinbase
from .canned import accounts_gate as gate
from .canned import accounts_kraken as kraken
from .canned import accounts_kucoin as kucoin
from .canned import accounts_okx as okx
from .canned.accounts_case import AccountCase
from .loopback_venue import CannedVenue, canned, hosts_of
from .opened import handed, opened

pytestmark = pytest.mark.anyio

CASES: Final = (
    *bybit.CASES,
    *okx.CASES,
    *gate.CASES,
    *kraken.CASES,
    *coinbase.CASES,
    *bitget.CASES,
    *kucoin.CASES,
)
PARAMS = [pytest.param(case, id=f"{case.venue} {case.name}") for case in CASES]

QUESTIONS: Final = ("balance", "position", "order")


def asking(question: str) -> Callable[[ReadVenue], Sources[Any]]:
    """The question to a venue."""
    questions: dict[str, Callable[[ReadVenue], Sources[Any]]] = {
        "balance": lambda venue: venue.balances(),
        "position": lambda venue: venue.positions(),
        "order": lambda venue: venue.open_orders(None),
    }
    return questions[question]


def _account(case: AccountCase, types: tuple[MarketType, ...] | None) -> Account:
    types = types or VENUES[case.venue].market_types
    return Account(AccountName("main"), case.venue, Environment.LIVE, types, has_key=True)


@asynccontextmanager
async def account_of(
    case: AccountCase,
    cache: Path,
    changed: Mapping[str, object] | None = None,
    types: tuple[MarketType, ...] | None = None,
) -> AsyncGenerator[tuple[OpenVenues, CannedVenue]]:
    """The case's account, opened with a made-up key, its markets loaded."""
    key = {"apiKey": "bWFkZXVw", "secret": "bWFkZXVw"}
    if VENUES[case.venue].needs_passphrase:
        key["password"] = "made up"
    async with canned({**case.answers, **(changed or {})}) as venue:
        opening = Opening(
            _account(case, types),
            KeyMaterial("k", key),
            loopback=venue.loopback,
            rate_limit=False,
            accept_unverified="a canned venue tells nothing of keys",
        )
        async with opened(opening, cache=cache) as venues:
            venue.asked.clear()  # what the key may do was asked before
            yield venues, venue


def _digits(value: Decimal | None) -> str | None:
    return None if value is None else text(value)


def _balance(row: Balance) -> tuple[object, ...]:
    return (row.source, row.asset, *map(_digits, (row.free, row.used, row.total)))


def _position(row: Position) -> tuple[object, ...]:
    sizes = (row.amount, row.contracts, row.entry_price, row.mark_price, row.liquidation_price, row.notional)
    return (
        *(row.source, row.symbol, row.side, *map(_digits, sizes), _digits(row.leverage), row.margin_mode),
        *(_digits(row.unrealised_pnl), row.hedge_mode, row.updated),
    )


def _order(row: OpenOrder) -> tuple[object, ...]:
    sizes = (row.price, row.trigger_price, row.amount, row.filled, row.remaining)
    return (
        *(row.source, row.symbol, row.id, row.client_order_id, row.side, row.type, *map(_digits, sizes)),
        *(row.contracts, row.reduce_only, row.closes_position, row.position_side, row.created),
    )


def _shown(question: str) -> Callable[[Any], tuple[object, ...]]:
    readers: dict[str, Callable[[Any], tuple[object, ...]]] = {
        "balance": _balance,
        "position": _position,
        "order": _order,
    }
    return readers[question]


def _expected(case: AccountCase, question: str) -> tuple[tuple[object, ...], ...]:
    return {"balance": case.balances, "position": case.positions, "order": case.orders}[question]


def _urls(case: AccountCase, question: str) -> Mapping[str, tuple[str, ...]]:
    return {"balance": case.balance_urls, "position": case.position_urls, "order": case.order_urls}[question]


def _asks(case: AccountCase, question: str) -> bool:
    """Whether this case's account can be asked this at all: an account of spot alone has no positions."""
    return bool(_urls(case, question))


ASKED = [
    pytest.param(case, question, id=f"{case.venue} {case.name} {question}s")
    for case in CASES
    for question in QUESTIONS
    if _asks(case, question)
]


@pytest.mark.parametrize(("case", "question"), ASKED)
async def test_every_list_is_read_to_the_digit_by_these_requests_and_no_others(
    case: AccountCase, question: str, tmp_path: Path
) -> None:
    async with account_of(case, tmp_path) as (venues, venue):
        answer = await ask(handed(venues, 20), None, asking(question))
    assert [_shown(question)(row) for row in answer.items] == list(_expected(case, question))
    wanted = _urls(case, question)
    told = {gap.source: gap.message for gap in answer.coverage.gaps}
    assert told == (case.gaps if question == "order" else {})
    assert set(wanted) <= {entry.source for entry in answer.coverage.answered}
    private = [asked for asked in venue.asked if asked.is_signed]
    of_kind = [asked.url for asked in private if asked.url in case.kind_urls]
    assert of_kind in ([], list(case.kind_urls))
    assert sorted(asked.url for asked in private if asked.url not in case.kind_urls) == sorted(
        url for urls in wanted.values() for url in urls
    )
    assert {asked.host for asked in venue.asked} <= set(hosts_of(case.answers))
    assert {asked.method for asked in private} == {"POST" if case.venue == "kraken" else "GET"}
    # What is not private is the catalogue, and unsigned.
    public = [asked for asked in venue.asked if not asked.is_signed]
    assert not {asked.url for asked in public} & {url for urls in wanted.values() for url in urls}


@pytest.mark.parametrize("case", PARAMS)
async def test_the_kind_of_account_is_asked_once_and_then_only_its_own_lists_are_named(
    case: AccountCase, tmp_path: Path
) -> None:
    async with account_of(case, tmp_path) as (venues, venue):
        for question in ("balance", "balance", "position", "order"):
            if _urls(case, question):
                assert (await ask(handed(venues, 20), None, asking(question))).items
        assert [url for url in venue.urls if url in case.kind_urls] == list(case.kind_urls)
        account = venues.venues["main"]
        assert {read.source for read in account.balances().reads} == set(case.balance_urls)
        assert {read.source for read in account.open_orders(None).reads} == {*case.order_urls, *case.gaps}


@pytest.mark.parametrize(("case", "question"), ASKED)
async def test_nothing_there_is_a_complete_answer(case: AccountCase, question: str, tmp_path: Path) -> None:
    async with account_of(case, tmp_path, case.empty) as (venues, _):
        answer = await ask(handed(venues, 20), None, asking(question))
    # A wallet of one coin tells that it is empty.
    assert not [item for item in answer.items if not isinstance(item, Balance) or item.total]
    assert not [gap for gap in answer.coverage.gaps if gap.source not in case.gaps]


NO_ANSWER: Final = {ErrorCode.BAD_ANSWER}
PAGE: Final = "<html><body>Service Temporarily Unavailable</body></html>"
HOLLOW: Final[Mapping[str, object]] = {
    "bybit": {"retCode": 0, "retMsg": "OK", "result": {}},
    "okx": {"code": "0", "msg": ""},
    "kraken": {"error": []},
    "coinbase": {},
    "kucoin": {"code": "200000"},
    "bitget": {"code": "00000", "msg": "success", "data": {}},
    "gate": {},
}


@pytest.mark.parametrize(("case", "question"), ASKED)
async def test_a_source_that_sends_anything_else_is_a_named_gap_and_takes_nothing_from_the_others(
    case: AccountCase, question: str, tmp_path: Path
) -> None:
    holding = {row[0] for row in _expected(case, question)}
    async with account_of(case, tmp_path) as (venues, venue):
        whole = venue.answers
        for source, urls in _urls(case, question).items():
            for body in (PAGE, "{}", json.dumps(HOLLOW[case.venue])):
                venue.answers = {**whole, **dict.fromkeys(urls, body)}
                gaps, answered, rows = await _answered(venues, case, question)
                assert gaps == {source}
                assert rows == holding - {source}
                assert set(_urls(case, question)) - {source} <= answered


async def _answered(
    venues: OpenVenues, case: AccountCase, question: str
) -> tuple[set[str], set[str], set[str]]:
    """The sources that are bad answers, those that answered, and those of the rows."""
    try:
        answer = await ask(handed(venues, 20), None, asking(question))
    except NothingAnsweredError as error:
        if error.code not in NO_ANSWER and not case.gaps:
            raise
        (source,) = _urls(case, question)
        return {source}, set(), set()
    gaps = {gap.source: gap for gap in answer.coverage.gaps if gap.source not in case.gaps}
    assert {gap.code for gap in gaps.values()} <= NO_ANSWER
    return (
        set(gaps),
        {entry.source for entry in answer.coverage.answered},
        {row.source for row in answer.items},
    )


UNCLEAR: Final[Mapping[str, tuple[object, ...]]] = {
    "bybit": (bybit.result(), bybit.result(unifiedMarginStatus=7), bybit.result(unifiedMarginStatus=True)),
    "kucoin": (kucoin.data({}), kucoin.data({"selfAccountMode": "HYBRID"}), kucoin.data(None)),
    "bitget": (
        bitget.data({"accountMode": "switching"}),
        bitget.data({"accountMode": "upgrading"}),
        bitget.data([]),
        # a key that may not ask this proves nothing about the account
        '{"code":"40014","msg":"Incorrect permissions","requestTime":1,"data":null}',
    ),
    "gate": ({}, {"mode": "hybrid"}, {"mode": 1}, {"mode": "multi_currency"}),
}
# Gate's dated and inverse contracts have wallets of their own in every kind of account.
DEPENDS_ON_NO_KIND: Final = {"gate": (gate.DATED, gate.INVERSE)}
WITH_KINDS = [pytest.param(case, id=f"{case.venue} {case.name}") for case in CASES if case.kind_urls]


@pytest.mark.parametrize("case", WITH_KINDS)
async def test_an_unclear_kind_of_account_is_an_error_and_never_an_empty_account(
    case: AccountCase, tmp_path: Path
) -> None:
    async with account_of(case, tmp_path) as (venues, venue):
        whole = venue.answers
        for unclear in (PAGE, "{}", "[]", '{"code":', *UNCLEAR[case.venue]):
            body = unclear if isinstance(unclear, str) else json.dumps(unclear)
            venue.answers = {**whole, case.kind_urls[0]: body}
            with pytest.raises(ExchangeMcpError, match="which kind of account main is"):
                await _read_all(venues, "balance")
        wallets = {url for urls in case.balance_urls.values() for url in urls}
        assert not (wallets - {*DEPENDS_ON_NO_KIND.get(case.venue, ())}) & set(venue.urls)


async def _read_all(venues: OpenVenues, question: str) -> None:
    """Read every source that depends on the kind; the first failure is raised."""
    for source in asking(question)(venues.venues["main"]).reads:
        await source.read()


@pytest.mark.parametrize("case", WITH_KINDS)
async def test_the_kind_is_asked_again_after_a_failure(case: AccountCase, tmp_path: Path) -> None:
    async with account_of(case, tmp_path, {case.kind_urls[0]: PAGE}) as (venues, venue):
        (first, *_) = venues.venues["main"].balances().reads
        with pytest.raises(ExchangeMcpError, match="could not be asked"):
            await first.read()
        whole = case.answers[case.kind_urls[0]]
        venue.answers = {
            **venue.answers,
            case.kind_urls[0]: whole if isinstance(whole, str) else json.dumps(whole),
        }
        answer = await ask(handed(venues, 20), None, asking("balance"))
    assert answer.coverage.complete


async def test_a_caller_that_gives_up_takes_the_kind_from_nobody(tmp_path: Path) -> None:
    case = bybit.CASES[0]
    async with account_of(case, tmp_path) as (venues, venue):
        await venues.venues["main"].ticker("BTC/USDT").reads[0].read()
        (source,) = [read for read in venues.venues["main"].balances().reads if read.source == "unified"]
        first = asyncio.ensure_future(source.read())
        second = asyncio.ensure_future(source.read())
        await asyncio.sleep(0)
        first.cancel()
        assert len(await second) == 2
    assert first.cancelled()
    assert venue.urls.count(bybit.KIND) == 1


async def test_krakens_nonces_arrive_in_order_since_one_request_waits_for_the_other(tmp_path: Path) -> None:
    case = kraken.CASES[0]
    async with account_of(case, tmp_path) as (venues, venue):
        account = venues.venues["main"]
        await account.balances().reads[0].read()
        before = venue.connections
        reads = [account.balances().reads[0], account.open_orders(None).reads[0]] * 3
        await asyncio.gather(*(read.read() for read in reads))
        # Requests under way at once would each need a connection.
        assert venue.connections == before
    assert len([url for url in venue.urls if "/0/private/" in url]) == 7


async def test_a_list_of_several_market_types_gives_those_that_the_account_is_set_up_for(
    tmp_path: Path,
) -> None:
    case = okx.CASES[0]
    async with account_of(case, tmp_path, types=(MarketType.LINEAR,)) as (venues, _):
        positions = await ask(handed(venues, 20), None, asking("position"))
        orders = await ask(handed(venues, 20), None, asking("order"))
    linear = ("BTC/USDT:USDT", "BTC/USDT:USDT-261225")
    assert [_position(row) for row in positions.items] == [row for row in case.positions if row[1] in linear]
    listed = [row for row in orders.items if row.symbol in linear]
    assert [_order(row) for row in listed] == [row for row in case.orders if row[1] in linear]
    # The catalogue of such an account has no spot markets, so that this one stays under OKX's own name: in what its
    # amount counts is not known.
    (unlisted,) = [row for row in orders.items if row.symbol not in linear]
    assert (unlisted.symbol, unlisted.id, unlisted.amount) == ("BTC-USDT", "2005", None)


async def test_a_classic_account_at_bybit_is_named_as_not_read(tmp_path: Path) -> None:
    case = bybit.CASES[0]
    changed = {bybit.KIND: bybit.result(unifiedMarginStatus=1)}
    async with account_of(case, tmp_path, changed) as (venues, _):
        with pytest.raises(
            NothingAnsweredError, match="a classic account, which Bybit no longer has"
        ) as raised:
            await ask(handed(venues, 20), None, asking("balance"))
    assert raised.value.code is ErrorCode.NOT_COVERED


async def test_kucoins_orders_from_before_its_high_frequency_system_are_a_named_gap(tmp_path: Path) -> None:
    case = kucoin.CASES[0]
    async with account_of(case, tmp_path, {case.kind_urls[1]: kucoin.data(value=False)}) as (venues, _):
        answer = await ask(handed(venues, 20), None, asking("order"))
    (gap,) = answer.coverage.gaps
    assert (gap.source, gap.code) == ("spot", ErrorCode.NOT_COVERED)
    assert "before its high-frequency system" in gap.message


@pytest.mark.parametrize(
    ("case", "symbol", "urls"),
    [
        (bybit.CASES[0], "BTC/USDT:USDT", [f"{bybit.orders('linear&settleCoin=USDT')}&symbol=BTCUSDT"]),
        (bybit.CASES[0], "BTC/USDT", [f"{bybit.orders('spot')}&symbol=BTCUSDT"]),
        (kraken.CASES[0], "BTC/USD", [kraken.ORDERS]),
        (kucoin.CASES[1], "BTC/USDT", [kucoin.UNIFIED_SPOT]),
    ],
    ids=["bybit linear", "bybit spot", "kraken", "kucoin unified"],
)
async def test_one_market_is_asked_of_its_own_lists_alone(
    case: AccountCase, symbol: str, urls: list[str], tmp_path: Path
) -> None:
    async with account_of(case, tmp_path) as (venues, venue):
        await venues.venues["main"].balances().reads[0].read()
        venue.asked.clear()
        for source in venues.venues["main"].open_orders(symbol).reads:
            with suppress(ExchangeMcpError):
                for order in await source.read():
                    assert order.symbol == symbol
    asked = {_sorted_query(url) for url in venue.urls}
    assert {_sorted_query(url) for url in urls} == asked


def _sorted_query(url: str) -> str:
    path, _, query = url.partition("?")
    return f"{path}?{'&'.join(sorted(query.split('&')))}"
