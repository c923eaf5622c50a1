"""Where an account stands at the other venues: of what is read of it anyway, and nothing that is worked out."""

from decimal import Decimal
from pathlib import Path
from typing import Final

import pytest

from exchange_mcp.rules.private import PRIVATE
from exchange_mcp.tools.order_context import OrderContext, order_context

from .canned.accounts_case import AccountCase
from .opened import handed
from .test_account_reads import CASES, account_of

pytestmark = pytest.mark.anyio

D = Decimal
BY_NAME: Final = {f"{case.venue} {case.name}": case for case in CASES}

# From the rows in `canned`, by hand: free base, held back of it, free quote. Kraken tells what is held and what of it
# is on order, and bybit only the whole of what it holds, so neither tells what is free; a list that leaves out what
# the account has none of tells no zero.
WALLETS: Final = {
    "okx trading": ("1.2345678901234400", "0.00000000000001", "12345678901230000.10"),
    "gate classic": ("1.2345678901234500", "0.00000001", "0"),
    "coinbase spot": ("1.2345678901234500", "0.00000001", "12345678901234567.8900"),
    "bitget classic": ("1.2345678901234500", "0.50000001", None),
    "kraken spot": (None, None, None),
    "bybit unified": (None, None, None),
}
# The same: what is held of BTC/USDT:USDT, in the venue's own unit.
HELD: Final = {
    "bybit unified": [("long", "0.250"), ("short", "0.100")],
    "okx trading": [("long", "25.50"), ("short", "3")],
    "gate classic": [("long", "2500"), ("short", "1000")],
    "bitget classic": [("long", "0.250"), ("short", "0.10")],
    "bitget unified": [("short", "0.10")],
    "kucoin classic": [("long", "250"), ("short", "100")],
}


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the markets of all of them are stored once they were read."""
    return tmp_path_factory.mktemp("markets")


async def context(case: AccountCase, cache: Path, symbol: str) -> OrderContext:
    async with account_of(case, cache) as (venues, _):
        return await order_context(handed(venues), None, symbol)


@pytest.mark.parametrize("named", WALLETS)
async def test_what_can_be_spent_is_what_the_one_wallet_says(named: str, stored: Path) -> None:
    case = BY_NAME[named]
    found = await context(case, stored, "BTC/USD" if case.venue in {"kraken", "coinbase"} else "BTC/USDT")
    standing = found.standing
    told = (standing.free_base, standing.locked_base, standing.free_quote)
    assert told == tuple(None if text is None else D(text) for text in WALLETS[named])
    # Nothing tells what such an account is worth, and its listed rate is named as what it is.
    assert standing.equity is None
    assert standing.fees is not None
    assert "ccxt lists" in standing.fees.source


@pytest.mark.parametrize("named", HELD)
async def test_what_is_held_is_counted_as_the_venue_counts(named: str, stored: Path) -> None:
    found = await context(BY_NAME[named], stored, "BTC/USDT:USDT")
    standing = found.standing
    assert standing.held is not None
    assert [(held.side, held.amount) for held in standing.held] == [
        (side, D(amount)) for side, amount in HELD[named]
    ]
    # What a liquidation price would be computed from is not read there.
    assert (standing.wallet_balance, standing.maintenance_others, standing.brackets) == (None, None, ())
    assert standing.equity is None


async def test_an_order_list_that_fails_leaves_no_list_that_looks_whole(stored: Path) -> None:
    # The canned venue has no answer for one market's lists of orders.
    found = await context(BY_NAME["okx trading"], stored, "BTC/USDT:USDT")
    assert found.standing.resting is None
    lists = {gap.source for gap in found.coverage.gaps if gap.source.startswith("open orders")}
    assert lists >= {"open orders (perpetual)", "open orders (algo conditional)"}


async def test_orders_of_one_list_are_told_with_what_they_wait_for(stored: Path) -> None:
    found = await context(BY_NAME["coinbase spot"], stored, "BTC/USD")
    assert found.standing.resting is not None
    told = [(order.type, order.amount, order.trigger_price) for order in found.standing.resting]
    assert told[:2] == [("limit", D("0.12345677"), None), ("stop_limit", D("0.49999999"), D("85000.00"))]


# By hand: the lists that the vendors keep for what waits, apart from what rests.
APART: Final = {
    "binance": {"linear conditional"},
    "bybit": set[str](),
    "okx": {
        *("algo conditional", "algo oco", "algo trigger", "algo move_order_stop"),
        *("algo chase", "algo iceberg", "algo twap"),
    },
    "kraken": set[str](),
    "coinbase": set[str](),
    "kucoin": {"spot stop", "contracts stop"},
    "bitget": {
        *("spot tpsl", "spot trigger"),
        *(
            f"{settled} {word}"
            for settled in ("linear USDT", "linear USDC", "inverse")
            for word in ("trigger", "trailing", "tpsl")
        ),
    },
    "gate": {f"{name} conditional" for name in ("spot", "linear perpetual", "linear dated", "inverse")},
}


@pytest.mark.parametrize("venue", APART)
def test_the_lists_of_what_waits_are_known_as_such(venue: str) -> None:
    assert {source.name for source in PRIVATE[venue].orders if source.is_apart} == APART[venue]
