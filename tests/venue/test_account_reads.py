"""Balances, positions and open orders of an account with a key: every list, every digit, that venue's hosts, signed."""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from exchange_mcp.model.accounts import Account, AccountName, Environment
from exchange_mcp.model.balances import Balance
from exchange_mcp.model.coverage import Sources
from exchange_mcp.model.decimals import text
from exchange_mcp.model.errors import ExchangeMcpError
from exchange_mcp.model.orders import OpenOrder
from exchange_mcp.model.ports import ReadVenue
from exchange_mcp.model.positions import Position
from exchange_mcp.rules.venues import VENUES
from exchange_mcp.tools.asking import Asked as Answer
from exchange_mcp.tools.asking import ask
from exchange_mcp.venue.opening import KeyMaterial, Opening, OpenVenues

from .canned.accounts import bitget, bybit, coinbase, gate, kraken, kucoin, okx
from .canned.accounts.case import AccountCase
from .loopback_venue import CannedVenue, canned, hosts_of
from .opened import handed, opened

pytestmark = pytest.mark.anyio

CASES: Final = (*bybit.CASES, *okx.CASES, *gate.CASES, *kraken.CASES, *coinbase.CASES, *bitget.CASES, *kucoin.CASES)
PARAMS = [pytest.param(case, id=f"{case.venue} {case.name}") for case in CASES]

QUESTIONS: Final[Mapping[str, Callable[[ReadVenue], Sources[Any]]]] = {
    "balance": lambda venue: venue.balances(),
    "position": lambda venue: venue.positions(),
    "order": lambda venue: venue.open_orders(None),
}


def _account(case: AccountCase) -> Account:
    types = VENUES[case.venue].market_types
    return Account(AccountName("main"), case.venue, Environment.LIVE, types, has_key=True)


@asynccontextmanager
async def account_of(
    case: AccountCase, cache: Path, changed: Mapping[str, object] | None = None
) -> AsyncGenerator[tuple[OpenVenues, CannedVenue]]:
    """The case's account, opened with a made-up key, its markets loaded."""
    key = {"apiKey": "bWFkZXVw", "secret": "bWFkZXVw"}
    if VENUES[case.venue].needs_passphrase:
        key["password"] = "made up"
    async with canned({**case.answers, **(changed or {})}) as venue:
        opening = Opening(_account(case), KeyMaterial("k", key), loopback=venue.loopback, rate_limit=False)
        async with opened(opening, cache=cache) as venues:
            yield venues, venue


def _digits(value: object) -> str | None:
    return None if value is None else text(value)  # type: ignore[arg-type] - a Decimal or None


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


READERS: Final[Mapping[str, Callable[[Any], tuple[object, ...]]]] = {
    "balance": _balance,
    "position": _position,
    "order": _order,
}


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


async def _loaded(venues: OpenVenues, venue: CannedVenue) -> None:
    """Load the markets, and forget what that was asked by."""
    await venues.venues["main"].balances().reads[0].read()
    venue.asked.clear()


@pytest.mark.parametrize(("case", "question"), ASKED)
async def test_every_list_is_read_to_the_digit_by_these_requests_and_no_others(
    case: AccountCase, question: str, tmp_path: Path
) -> None:
    async with account_of(case, tmp_path) as (venues, venue):
        answer = await ask(handed(venues, 20), None, QUESTIONS[question])
        assert [READERS[question](row) for row in answer.items] == list(_expected(case, question))
        wanted = _urls(case, question)
        assert {gap.source: gap.message for gap in answer.coverage.gaps} == {
            source: reason for source, reason in case.gaps.items() if question == "order"
        }
        private = [asked for asked in venue.asked if asked.is_signed]
        needs_kind = [url for url in private_urls(private) if url in case.kind_urls]
        assert sorted(url for url in private_urls(private) if url not in case.kind_urls) == sorted(
            url for urls in wanted.values() for url in urls
        )
        assert needs_kind in ([], list(case.kind_urls))
        assert set(wanted) <= {entry.source for entry in answer.coverage.answered}
        # What else is signed than these, or goes elsewhere, is not there.
        assert {asked.host for asked in venue.asked} <= set(hosts_of(case.answers))
        assert {asked.method for asked in private} == {"POST" if case.venue == "kraken" else "GET"}


def private_urls(asked: list[Any]) -> list[str]:
    return [each.url for each in asked]


@pytest.mark.parametrize(("case", "question"), ASKED)
async def test_nothing_there_is_a_complete_answer(case: AccountCase, question: str, tmp_path: Path) -> None:
    async with account_of(case, tmp_path, case.empty) as (venues, _):
        answer = await ask(handed(venues, 20), None, QUESTIONS[question])
        # A wallet of one coin tells that it is empty.
        assert not [item for item in answer.items if not isinstance(item, Balance) or item.total]
        assert not [gap for gap in answer.coverage.gaps if gap.source not in case.gaps]
