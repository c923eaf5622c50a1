"""Looking for an order at the venues that are not traded at, on answers of the shapes that their pages show.

https://bybit-exchange.github.io/docs/v5/order/open-order
https://www.okx.com/docs-v5/en/#order-book-trading-trade-get-order-details
https://docs.kraken.com/api/docs/rest-api/get-open-orders
https://docs.cdp.coinbase.com/api-reference/advanced-trade-api/rest-api/orders/list-orders
https://www.bitget.com/api-doc/spot/trade/Get-Order-Info
"""

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pytest

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.findings import Findings, FoundOrder, Says, Sought, Source
from exchange_mcp.model.plans import PlannedMarket

from .canned import accounts_bitget as bitget
from .canned import accounts_bybit as bybit
from .canned import accounts_coinbase as coinbase
from .canned import accounts_kraken as kraken
from .canned import accounts_kucoin as kucoin
from .canned import accounts_okx as okx
from .canned.accounts_case import AccountCase
from .test_account_reads import account_of

pytestmark = pytest.mark.anyio

SIGNED_MS: Final = 1_767_268_800_000  # 2026-01-01T12:00:00Z
LATER_MS: Final = SIGNED_MS + 1_000
OURS, OTHER = "xmabcde00000000000", "xmabcde00000000001"


def market(market_id: str, market_type: MarketType = MarketType.SPOT) -> PlannedMarket:
    return PlannedMarket(
        symbol="BTC/USDT", market_id=market_id, market_type=market_type, base="BTC", quote="USDT"
    )


async def look(
    case: AccountCase, cache: Path, answers: Mapping[str, object], market_id: str, *, known: str | None = None
) -> Findings:
    async with account_of(case, cache, answers) as (venues, _):
        return await venues.lookups["main"].find(
            Sought(market=market(market_id), client_order_id=OURS, signed_ms=SIGNED_MS, known=known)
        )


def says(findings: Findings) -> dict[str, str]:
    return {each.source.value: each.says.value for each in findings.sources}


def details(findings: Findings) -> dict[Source, str]:
    return {each.source: each.detail for each in findings.sources}


def unattributable(findings: Findings) -> list[str | None]:
    return [row.order_id for each in findings.sources for row in each.unattributable]


def bybit_row(client_id: str, **changed: str) -> dict[str, str]:
    return {
        "orderId": f"id-of-{client_id}",
        "orderLinkId": client_id,
        "symbol": "BTCUSDT",
        "side": "Buy",
        "orderStatus": "New",
        "qty": "0.10",
        "cumExecQty": "0.00",
        "avgPrice": "",
        "createdTime": str(LATER_MS),
        "updatedTime": str(LATER_MS),
        **changed,
    }


def bybit_list(*rows: object) -> dict[str, object]:
    return bybit.result(category="spot", nextPageCursor="", list=list(rows))


BYBIT: Final[dict[str, Any]] = {
    "api.bybit.com/v5/order/realtime": bybit_list(),
    "api.bybit.com/v5/order/history": bybit_list(),
    "api.bybit.com/v5/execution/list": bybit_list(),
    "api.bybit.com/v5/market/time": {**bybit.result(timeSecond="1767268802"), "time": LATER_MS},
}


async def test_bybit_finds_an_order_among_those_that_ended_where_the_real_time_list_lost_it(
    tmp_path: Path,
) -> None:
    filled = bybit_row(OURS, orderStatus="Filled", cumExecQty="0.10", avgPrice="42000.5")
    answers = {**BYBIT, "api.bybit.com/v5/order/history": bybit_list(filled)}
    findings = await look(bybit.CASES[0], tmp_path, answers, "BTCUSDT")
    assert says(findings) == {
        "client_id": "found",
        "open_orders": "not_found",
        "closed_orders": "found",
        "trades": "not_found",
    }
    assert findings.found == FoundOrder(
        order_id=f"id-of-{OURS}",
        client_order_id=OURS,
        status="Filled",
        side="Buy",
        amount=Decimal("0.10"),
        filled=Decimal("0.10"),
        average_price=Decimal("42000.5"),
        updated_ms=LATER_MS,
    )


async def test_bybit_says_not_found_only_where_both_of_its_lists_are_empty(tmp_path: Path) -> None:
    findings = await look(bybit.CASES[0], tmp_path, BYBIT, "BTCUSDT")
    assert set(says(findings).values()) == {"not_found"}
    assert findings.venue_ms == LATER_MS
    broken = {
        **BYBIT,
        "api.bybit.com/v5/order/history": {"retCode": 10016, "retMsg": "Server error", "result": None},
    }
    findings = await look(bybit.CASES[0], tmp_path, broken, "BTCUSDT")
    assert says(findings)["client_id"] == "no_answer"


async def test_bybit_that_answers_another_order_than_was_asked_for_gives_no_answer(tmp_path: Path) -> None:
    # Asked by a parameter that it does not know, it answers its latest order as if that were the one.
    answers = {**BYBIT, "api.bybit.com/v5/order/realtime": bybit_list(bybit_row("web-1"))}
    findings = await look(bybit.CASES[0], tmp_path, answers, "BTCUSDT")
    assert says(findings)["client_id"] == "no_answer"
    assert unattributable(findings) == ["id-of-web-1"]


async def test_bybit_looks_in_the_kind_of_account_that_was_read_and_in_no_other(tmp_path: Path) -> None:
    classic = {**BYBIT, bybit.KIND: bybit.result(unifiedMarginStatus=1)}
    findings = await look(bybit.CASES[0], tmp_path, classic, "BTCUSDT")
    assert set(says(findings).values()) == {"no_answer"}


def okx_row(client_id: str) -> dict[str, str]:
    return {
        "instId": "BTC-USDT",
        "ordId": "312269865356374016",
        "clOrdId": client_id,
        "state": "live",
        "side": "buy",
        "sz": "0.1",
        "accFillSz": "0",
        "avgPx": "",
        "cTime": str(LATER_MS),
        "uTime": str(LATER_MS),
    }


def okx_data(*rows: object, code: str = "0", msg: str = "") -> dict[str, object]:
    return {"code": code, "msg": msg, "data": list(rows)}


OKX: Final[dict[str, Any]] = {
    "www.okx.com/api/v5/public/time": okx_data({"ts": str(LATER_MS)}),
    "www.okx.com/api/v5/trade/order": okx_data(code="51603", msg="Order does not exist"),
    "www.okx.com/api/v5/trade/orders-pending": okx_data(),
}


async def test_okx_finds_an_order_by_its_id_and_by_its_code_says_that_it_is_not_there(tmp_path: Path) -> None:
    findings = await look(okx.CASES[0], tmp_path, OKX, "BTC-USDT")
    assert says(findings) == {
        "client_id": "not_found",
        "open_orders": "not_found",
        "conditional_orders": "no_answer",
        "closed_orders": "no_answer",
        "trades": "no_answer",
    }
    there = {**OKX, "www.okx.com/api/v5/trade/order": okx_data(okx_row(OURS))}
    findings = await look(okx.CASES[0], tmp_path, there, "BTC-USDT")
    assert (says(findings)["client_id"], findings.found and findings.found.status) == ("found", "live")


@pytest.mark.parametrize(
    "answer", [okx_data(), okx_data(code="50026", msg="System error"), okx_data(okx_row(OURS), okx_row(OURS))]
)
async def test_okx_that_says_neither_gives_no_answer(tmp_path: Path, answer: dict[str, object]) -> None:
    findings = await look(
        okx.CASES[0], tmp_path, {**OKX, "www.okx.com/api/v5/trade/order": answer}, "BTC-USDT"
    )
    assert says(findings)["client_id"] == "no_answer"


def kraken_order(client_id: str | None) -> dict[str, object]:
    return {
        "cl_ord_id": client_id,
        "status": "open",
        "opentm": LATER_MS // 1000 + 0.5,
        "vol": "0.1",
        "vol_exec": "0.0",
        "price": "0",
        "descr": {"pair": "XBTUSDT", "type": "buy", "ordertype": "limit"},
    }


def kraken_result(**told: object) -> dict[str, object]:
    return {"error": [], "result": told}


KRAKEN: Final[dict[str, Any]] = {
    "api.kraken.com/0/public/Time": kraken_result(unixtime=LATER_MS // 1000, rfc1123=""),
    "api.kraken.com/0/private/OpenOrders": kraken_result(open={}),
    "api.kraken.com/0/private/ClosedOrders": kraken_result(closed={}, count=0),
    "api.kraken.com/0/private/TradesHistory": kraken_result(trades={}, count=0),
}


async def test_kraken_finds_an_order_in_its_lists_by_the_id_and_names_what_has_none(tmp_path: Path) -> None:
    assert set(says(await look(kraken.CASES[0], tmp_path, KRAKEN, "XBTUSDT")).values()) == {"not_found"}
    there = {
        **KRAKEN,
        "api.kraken.com/0/private/OpenOrders": kraken_result(open={"OABC-1": kraken_order(OURS)}),
    }
    findings = await look(kraken.CASES[0], tmp_path, there, "XBTUSDT")
    assert (says(findings)["client_id"], says(findings)["open_orders"]) == ("found", "found")
    assert findings.found is not None
    assert (findings.found.order_id, findings.found.side) == ("OABC-1", "buy")
    by_hand = {
        **KRAKEN,
        "api.kraken.com/0/private/ClosedOrders": kraken_result(
            closed={"OXYZ-1": kraken_order(None)}, count=1
        ),
    }
    findings = await look(kraken.CASES[0], tmp_path, by_hand, "XBTUSDT")
    assert says(findings)["client_id"] == "no_answer"
    assert unattributable(findings) == ["OXYZ-1"]


async def test_kraken_with_as_many_closed_orders_as_a_page_has_gives_no_answer(tmp_path: Path) -> None:
    page = {f"O-{each}": kraken_order(OTHER) for each in range(50)}
    answers = {**KRAKEN, "api.kraken.com/0/private/ClosedOrders": kraken_result(closed=page, count=50)}
    findings = await look(kraken.CASES[0], tmp_path, answers, "XBTUSDT")
    assert says(findings)["closed_orders"] == "no_answer"


def coinbase_list(*rows: object, has_next: bool = False) -> dict[str, object]:
    return {"orders": list(rows), "has_next": has_next, "cursor": "", "sequence": "0"}


COINBASE_ORDER: Final = {
    "order_id": "0000-000000-000000",
    "product_id": "BTC-USDT",
    "client_order_id": OURS,
    "side": "BUY",
    "status": "OPEN",
    "created_time": "2026-01-01T12:00:01.500Z",
    "filled_size": "0",
    "average_filled_price": "0",
}
_BATCH: Final = "api.coinbase.com/api/v3/brokerage/orders/historical/batch"


async def test_coinbase_finds_an_open_order_and_can_never_say_that_one_is_absent(tmp_path: Path) -> None:
    findings = await look(coinbase.CASES[0], tmp_path, {_BATCH: coinbase_list(COINBASE_ORDER)}, "BTC-USDT")
    assert says(findings) == {
        "client_id": "no_answer",
        "open_orders": "found",
        "closed_orders": "no_answer",
        "trades": "no_answer",
    }
    assert findings.control is Says.NO_ANSWER
    assert details(findings)[Source.CLIENT_ID] == "no request takes a client order id"
    more = {_BATCH: coinbase_list(has_next=True)}
    findings = await look(coinbase.CASES[0], tmp_path, more, "BTC-USDT")
    assert says(findings)["open_orders"] == "no_answer"


async def test_kucoin_is_not_asked_and_says_why(tmp_path: Path) -> None:
    findings = await look(kucoin.CASES[0], tmp_path, {}, "BTC-USDT")
    assert set(says(findings).values()) == {"no_answer"}
    assert "not among the endpoints that were reviewed" in details(findings)[Source.CLIENT_ID]


async def test_bitget_finds_an_order_and_can_never_say_that_one_is_absent(tmp_path: Path) -> None:
    row = {
        "symbol": "BTCUSDT",
        "orderId": "1",
        "clientOid": OURS,
        "side": "buy",
        "status": "live",
        "size": "0.1",
        "baseVolume": "0",
        "priceAvg": "0",
        "cTime": str(LATER_MS),
        "uTime": str(LATER_MS),
    }
    path = "api.bitget.com/api/v2/spot/trade/orderInfo"
    classic = next(case for case in bitget.CASES if "classic" in case.name)
    there = {"code": "00000", "msg": "success", "data": [row]}
    findings = await look(classic, tmp_path, {path: there}, "BTCUSDT")
    assert says(findings)["client_id"] == "found"
    nothing: dict[str, object] = {**there, "data": list[object]()}
    findings = await look(classic, tmp_path, {path: nothing}, "BTCUSDT")
    assert set(says(findings).values()) == {"no_answer"}


def bybit_page(cursor: object, *rows: object) -> dict[str, object]:
    return bybit.result(category="spot", nextPageCursor=cursor, list=list(rows))


@pytest.mark.parametrize("cursor", ["more", 7, [], {"more": "x"}], ids=["text", "number", "list", "object"])
async def test_an_empty_page_of_bybit_with_a_cursor_is_not_the_whole_list(
    tmp_path: Path, cursor: object
) -> None:
    answers = BYBIT | {
        "api.bybit.com/v5/order/realtime": bybit_page(cursor),
        "api.bybit.com/v5/execution/list": bybit_page(cursor),
    }
    said = says(await look(bybit.CASES[0], tmp_path, answers, "BTCUSDT"))
    assert said == {
        "client_id": "no_answer",
        "open_orders": "no_answer",
        "closed_orders": "not_found",
        "trades": "no_answer",
    }


async def test_a_short_page_of_bybit_is_not_the_last_while_there_is_a_cursor(tmp_path: Path) -> None:
    # Here every page is the same, so that the list never ends.
    answers = BYBIT | {"api.bybit.com/v5/order/history": bybit_page("next", bybit_row(OTHER))}
    said = says(await look(bybit.CASES[0], tmp_path, answers, "BTCUSDT"))
    assert said["closed_orders"] == "no_answer"


@pytest.mark.parametrize(
    "answer",
    [
        {"result": {"category": "spot", "nextPageCursor": "", "list": []}},
        {"retCode": "0", "result": {"category": "spot", "nextPageCursor": "", "list": []}},
        {"retCode": False, "result": {"category": "spot", "nextPageCursor": "", "list": []}},
    ],
    ids=["none", "text", "false"],
)
async def test_a_list_without_the_venues_mark_of_success_says_nothing(
    tmp_path: Path, answer: dict[str, object]
) -> None:
    answers = dict.fromkeys(BYBIT, answer) | {
        "api.bybit.com/v5/market/time": BYBIT["api.bybit.com/v5/market/time"]
    }
    findings = await look(bybit.CASES[0], tmp_path, answers, "BTCUSDT")
    assert set(says(findings).values()) == {"no_answer"}


async def test_a_list_of_kraken_that_counts_more_than_it_shows_is_not_whole(tmp_path: Path) -> None:
    answers = KRAKEN | {
        "api.kraken.com/0/private/ClosedOrders": kraken_result(closed={}, count=3),
        "api.kraken.com/0/private/TradesHistory": kraken_result(trades={}),
    }
    said = says(await look(kraken.CASES[0], tmp_path, answers, "XXBTZUSD"))
    assert said == {
        "client_id": "no_answer",
        "open_orders": "not_found",
        "closed_orders": "no_answer",
        "trades": "no_answer",
    }


@pytest.mark.parametrize("flag", [None, "false", 0])
async def test_a_list_of_coinbase_that_does_not_say_whether_it_ends_is_not_whole(
    tmp_path: Path, flag: object
) -> None:
    findings = await look(
        coinbase.CASES[0], tmp_path, {_BATCH: coinbase_list() | {"has_next": flag}}, "BTC-USDT"
    )
    assert says(findings)["open_orders"] == "no_answer"
