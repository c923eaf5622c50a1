"""Lists longer than a page, each in its venue's way of paging; and what makes a list no list."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

import pytest

from exchange_mcp.model.coverage import Gap
from exchange_mcp.model.errors import ErrorCode, NothingAnsweredError
from exchange_mcp.tools.asking import ask
from exchange_mcp.venue.listing import MOST_PARTS, MOST_ROWS, at

from .canned import accounts_bitget as bitget
from .canned import accounts_bybit as bybit
from .canned import accounts_coinbase as coinbase
from .canned import accounts_gate as gate
from .canned import accounts_kucoin as kucoin
from .canned import accounts_okx as okx
from .canned.accounts_case import AccountCase
from .loopback_venue import CannedVenue
from .opened import handed
from .test_account_reads import account_of

pytestmark = pytest.mark.anyio

Pages = Callable[[int, int], Mapping[str, object]]


def _bybit(pages: int, size: int) -> dict[str, object]:
    url = bybit.orders("linear&settleCoin=USDT")
    found: dict[str, object] = {}
    for page in range(pages):
        rows = [bybit.order("BTCUSDT", orderId=f"{page}-{row}", price="1") for row in range(size)]
        cursor = f"c{page + 1}" if page < pages - 1 else ""
        found[url if page == 0 else f"{url}&cursor=c{page}"] = bybit.result(nextPageCursor=cursor, list=rows)
    return found


def _okx(pages: int, size: int) -> dict[str, object]:
    found: dict[str, object] = {}
    for page in range(pages):
        count = size if page < pages - 1 else size - 1
        rows = [okx.order("BTC-USDT", ordId=f"{page}-{row}", px="1", sz="1") for row in range(count)]
        after = f"&after={page - 1}-{size - 1}" if page else ""
        found[f"{okx.pending('SPOT')}{after}"] = okx.data(*rows)
    return found


def _gate(pages: int, size: int) -> dict[str, object]:
    found: dict[str, object] = {}
    for page in range(pages):
        count = size if page < pages - 1 else 1
        rows = [gate.contract_order(1 + page * size + row, "BTC_USDT", 1) for row in range(count)]
        url = f"api.gateio.ws/api/v4/futures/usdt/orders?status=open&limit=100&offset={page * size}"
        found[url] = rows
    return found


def _gate_spot(pages: int, size: int) -> dict[str, object]:
    found: dict[str, object] = {}
    for page in range(pages):
        count = size if page < pages - 1 else 1
        rows = [gate.order(f"{page}-{row}") for row in range(count)]
        url = f"api.gateio.ws/api/v4/spot/open_orders?limit=100&page={page + 1}"
        found[url] = [{"currency_pair": "BTC_USDT", "total": count, "orders": rows}]
    return found


def _bitget(pages: int, size: int) -> dict[str, object]:
    found: dict[str, object] = {}
    host, query = bitget.pending("USDT-FUTURES").split("?")
    for page in range(pages):
        count = size if page < pages - 1 else 1
        rows = [bitget.mix_order(f"{page}-{row}") for row in range(count)]
        before = f"idLessThan=e{page}&" if page else ""
        found[f"{host}?{before}{query}"] = bitget.data({"entrustedList": rows, "endId": f"e{page + 1}"})
    return found


def _bitget_unified(pages: int, size: int) -> dict[str, object]:
    found: dict[str, object] = {}
    for page in range(pages):
        count = size if page < pages - 1 else 1
        rows = [bitget.unified_order(f"{page}-{row}", "SPOT") for row in range(count)]
        after = f"category=SPOT&cursor=e{page}&limit=100" if page else "category=SPOT&limit=100"
        found[f"{bitget.unfilled('SPOT').partition('?')[0]}?{after}"] = bitget.data(
            {"list": rows, "cursor": f"e{page + 1}"}
        )
    return found


def _kucoin(pages: int, size: int) -> dict[str, object]:
    found: dict[str, object] = {}
    for page in range(pages):
        count = size if page < pages - 1 else 1
        rows = [kucoin.contract_order(f"{page}-{row}") for row in range(count)]
        url = f"api-futures.kucoin.com/api/v1/orders?status=active&pageSize=100&currentPage={page + 1}"
        found[url] = kucoin.data({"items": rows})
    return found


def _coinbase(pages: int, size: int) -> dict[str, object]:
    del size  # Coinbase says itself whether more follows
    limit = {"limit_limit_gtc": {"base_size": "1", "limit_price": "1", "post_only": False}}
    found: dict[str, object] = {}
    for page in range(pages):
        more = f"c{page + 1}" if page < pages - 1 else ""
        url = coinbase.ORDERS if page == 0 else f"{coinbase.ORDERS}&cursor=c{page}"
        found[url] = coinbase.orders(coinbase.order(str(page), "BUY", "LIMIT", limit), more=more)
    return found


# The case, the source, the size of a page, the answers of so many pages, and how many rows three of them have.
PAGED = [
    pytest.param(bybit.CASES[0], "linear USDT", 50, _bybit, 150, id="bybit"),
    pytest.param(okx.CASES[0], "spot", 100, _okx, 299, id="okx"),
    pytest.param(gate.CASES[0], "linear perpetual", 100, _gate, 201, id="gate"),
    pytest.param(gate.CASES[0], "spot", 100, _gate_spot, 201, id="gate spot"),
    pytest.param(bitget.CASES[0], "linear USDT", 100, _bitget, 201, id="bitget"),
    pytest.param(bitget.CASES[1], "spot", 100, _bitget_unified, 201, id="bitget unified"),
    pytest.param(kucoin.CASES[0], "contracts", 100, _kucoin, 201, id="kucoin"),
    pytest.param(coinbase.CASES[0], "spot", 250, _coinbase, 3, id="coinbase"),
]


async def _orders(
    case: AccountCase, source: str, changed: Mapping[str, object], cache: Path
) -> tuple[list[str] | Gap | NothingAnsweredError, CannedVenue]:
    """The ids of the source's rows, or its gap; and what was asked."""
    async with account_of(case, cache, changed) as (venues, venue):
        try:
            answer = await ask(handed(venues, 30), None, lambda v: v.open_orders(None))
        except NothingAnsweredError as error:
            return error, venue
        for gap in answer.coverage.gaps:
            if gap.source == source:
                return gap, venue
        return [order.id for order in answer.items if order.source == source], venue


@pytest.mark.parametrize(("case", "source", "size", "pages", "rows"), PAGED)
async def test_a_list_is_read_over_all_its_pages(
    case: AccountCase, source: str, size: int, pages: Pages, rows: int, *, tmp_path: Path
) -> None:
    answers = pages(3, size)
    found, venue = await _orders(case, source, answers, tmp_path)
    assert isinstance(found, list), found
    assert len(found) == len(set(found)) == rows
    assert [url for url in venue.urls if url in answers] == list(answers)


@pytest.mark.parametrize(("case", "source", "size", "pages", "rows"), PAGED)
async def test_a_list_longer_than_what_is_read_is_a_named_gap_and_never_a_short_list(
    case: AccountCase, source: str, size: int, pages: Pages, rows: int, *, tmp_path: Path
) -> None:
    answers = pages(MOST_ROWS // size + 1, size)
    gap, venue = await _orders(case, source, answers, tmp_path)
    assert not isinstance(gap, list)
    assert gap.code is ErrorCode.NOT_COVERED
    assert f"more than the {MOST_ROWS} rows" in gap.message
    assert "name a symbol" in gap.message
    assert len([url for url in venue.urls if url in answers]) == MOST_ROWS // size
    assert rows < MOST_ROWS


async def test_a_venue_that_sends_the_same_page_again_gives_a_bad_answer(tmp_path: Path) -> None:
    case = gate.CASES[0]
    (url, page), *_ = _gate(2, 100).items()
    again = {url: page, url.replace("offset=0", "offset=100"): page}
    gap, _ = await _orders(case, "linear perpetual", again, tmp_path)
    assert isinstance(gap, Gap)
    assert (gap.code, "same page" in gap.message) == (ErrorCode.BAD_ANSWER, True)


async def test_a_row_that_moved_onto_the_next_page_is_there_once(tmp_path: Path) -> None:
    case, answers = gate.CASES[0], _gate(2, 100)
    first, second = answers
    rows, following = cast("list[object]", answers[first]), cast("list[object]", answers[second])
    moved = {first: rows, second: [rows[-1], *following]}
    found, _ = await _orders(case, "linear perpetual", moved, tmp_path)
    assert isinstance(found, list)
    assert len(found) == len(set(found)) == 101


async def test_a_page_that_says_more_follows_and_not_by_what_is_a_bad_answer(tmp_path: Path) -> None:
    limit = {"limit_limit_gtc": {"base_size": "1", "limit_price": "1", "post_only": False}}
    page = {**coinbase.orders(coinbase.order("1", "BUY", "LIMIT", limit)), "has_next": True}
    error, _ = await _orders(coinbase.CASES[0], "spot", {coinbase.ORDERS: page}, tmp_path)
    assert isinstance(error, NothingAnsweredError)
    assert error.code is ErrorCode.BAD_ANSWER


async def test_kucoins_spot_orders_are_asked_market_by_market_up_to_a_bound(tmp_path: Path) -> None:
    case = kucoin.CASES[0]
    symbols_url, _ = case.order_urls["spot"]
    symbols = [f"A{number}-USDT" for number in range(MOST_PARTS + 1)]
    changed: dict[str, object] = {symbols_url: kucoin.data({"symbols": symbols})}
    gap, venue = await _orders(case, "spot", changed, tmp_path)
    assert isinstance(gap, Gap)
    assert (gap.code, f"in {MOST_PARTS + 1} parts" in gap.message) == (ErrorCode.NOT_COVERED, True)
    assert not [url for url in venue.urls if "hf/orders/active?" in url]


@pytest.mark.parametrize("symbols", [{"symbols": [1]}, {"symbols": [""]}, {"symbols": None}, {}, []])
async def test_a_list_of_markets_with_something_else_in_it_is_a_bad_answer(
    symbols: object, tmp_path: Path
) -> None:
    case = kucoin.CASES[0]
    gap, _ = await _orders(case, "spot", {case.order_urls["spot"][0]: kucoin.data(symbols)}, tmp_path)
    assert isinstance(gap, Gap)
    assert gap.code is ErrorCode.BAD_ANSWER


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("", {"a": [{"b": [1]}, {"b": [2, 3]}], "c": {"d": 4}}),
        ("c.d", 4),
        ("a.*.b", [1, 2, 3]),
        ("a.*.x", None),
        ("c.*", None),
        ("x.y", None),
    ],
)
def test_a_path_leads_to_what_is_there_and_to_nothing_else(path: str, found: object) -> None:
    value = json.loads('{"a":[{"b":[1]},{"b":[2,3]}],"c":{"d":4}}')
    assert at(value, path) == found
