"""How a desk's accounts are opened, and what serve's never know."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from exchange_mcp.model.accounts import Account, AccountName, Environment
from exchange_mcp.model.errors import EgressRefusedError, KeyRefusedError
from exchange_mcp.model.scopes import Permission
from exchange_mcp.rules.endpoints import REVIEWED, WRITES, Endpoint
from exchange_mcp.sim import SimulatedExchange
from exchange_mcp.venue.keys import KeyCare
from exchange_mcp.venue.opening import Opening, OpenVenues
from exchange_mcp.venue.trading.opening import OpenTrading
from venue.opened import LINEAR, SPOT, MovedClock, settled

from .traded import BTC, MachineClock, a_limit, planned, traders, trading

pytestmark = pytest.mark.anyio

WHOSE = KeyCare(asks_whose=True)
WHOSE_PATH = "/api/v3/account"
_WRITES = frozenset[Endpoint](line.endpoint for line in REVIEWED["binance"] if line.cls in WRITES)


def asked_whose(sim: SimulatedExchange) -> int:
    """How often the venue was asked whose a key is."""
    return sum(each.path == WHOSE_PATH for each in sim.control.requests())


def clients(opened: OpenVenues) -> list[Any]:
    """Every client, the one that loads markets first."""
    return [client for client, _ in vars(opened)["_clients"]]


async def test_no_client_of_serves_knows_where_a_write_would_go(sim: SimulatedExchange, cache: Path) -> None:
    served = OpenVenues([traders(sim)], cache, MovedClock())
    assert len(clients(served)) == 2
    assert not any(_WRITES & client.addresses.keys() for client in clients(served))
    await served.close()
    desk = OpenTrading([traders(sim)], cache, MovedClock())
    loader, trader = clients(desk)
    assert not _WRITES & loader.addresses.keys()
    assert trader.addresses.keys() > _WRITES
    await desk.close()


async def test_a_desk_refuses_a_key_that_can_withdraw_in_every_way_it_could_be_used(
    sim: SimulatedExchange, cache: Path
) -> None:
    # The operator's acceptance makes nothing of it acceptable.
    opening = replace(traders(sim, key="withdrawer", may_transfer=True), accept_unverified="I know.")
    async with trading(opening, cache=cache) as opened:
        venue = opened.trading["main"]
        plan = await planned(venue, a_limit("t-withdraw"))
        for use in (
            venue.key_scope(oldest_ms=MachineClock().now_ms()),
            venue.ready(plan),
            venue.seen(0, frozenset()),
            venue.reading.ticker(BTC).reads[0].read(),
        ):
            with pytest.raises(KeyRefusedError, match="withdraw"):
                await use
    assert not [each for each in sim.control.requests() if each.is_write]


async def test_a_keys_scope_is_asked_again_only_where_the_last_answer_is_too_old(
    sim: SimulatedExchange, cache: Path
) -> None:
    async with trading(traders(sim), cache=cache) as opened:
        venue = opened.trading["main"]
        first = await venue.key_scope(oldest_ms=0)
        again = await venue.key_scope(oldest_ms=0)
        assert again.asked == first.asked
        later = await venue.key_scope(oldest_ms=MachineClock().now_ms() + 1)
        assert later.asked is not None
        assert first.asked is not None
        assert later.asked > first.asked
        # Binance tells no id of an account at this question, and nobody asked the other one here.
        assert venue.account_id() is None


async def test_whose_a_key_is_is_asked_once_and_the_same_for_every_key_and_market_of_an_account(
    sim: SimulatedExchange, cache: Path
) -> None:
    openings = (
        traders(sim),
        traders(sim, "futures", key="trader", types=(LINEAR,)),
        traders(sim, "reads", key="reader"),
        traders(sim, "other", key="trader-alt"),
    )
    async with trading(*openings, cache=cache, care=WHOSE) as opened:
        venues = opened.trading
        for venue in venues.values():
            await venue.key_scope(oldest_ms=0)
        told = {name: venue.account_id() for name, venue in venues.items()}
        assert told["main"] is not None
        assert told["main"].isdecimal()
        assert told["main"] == told["futures"] == told["reads"] != told["other"]
        asked = asked_whose(sim)
        assert asked == len(openings)
        await venues["main"].key_scope(oldest_ms=MachineClock().now_ms() + 1)
        assert (asked_whose(sim), venues["main"].account_id()) == (asked, told["main"])


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "status", "status": 200, "body": "{}"},
        {"kind": "status", "status": 200, "body": '{"uid": 0}'},
        {"kind": "status", "status": 200, "body": '{"uid": true}'},
        {"kind": "status", "status": 503, "body": "{}"},
        {"kind": "close"},
    ],
    ids=["left out", "nobody's", "no number", "unavailable", "cut"],
)
async def test_where_it_is_not_told_the_key_counts_as_before_and_it_is_asked_again(
    fault: dict[str, object], sim: SimulatedExchange, cache: Path
) -> None:
    sim.control.add_fault({**fault, "path": WHOSE_PATH})
    async with trading(traders(sim), cache=cache, care=WHOSE) as opened:
        venue = opened.trading["main"]
        scope = await venue.key_scope(oldest_ms=0)
        assert (scope.trade, venue.account_id()) == (Permission.GRANTED, None)
        sim.control.clear_faults()
        await venue.key_scope(oldest_ms=MachineClock().now_ms() + 1)
        assert venue.account_id() is not None


async def test_an_account_that_cannot_be_traded_says_why(sim: SimulatedExchange, cache: Path) -> None:
    keyless = Opening(
        Account(AccountName("open"), "binance", Environment.SIM, (SPOT,), has_key=False),
        loopback=traders(sim).loopback,
        instance="1-1",
    )
    kraken = Account(AccountName("slow"), "kraken", Environment.LIVE, (SPOT,), has_key=True)
    other = Opening(kraken, traders(sim).key)
    async with trading(keyless, other, traders(sim), cache=cache) as opened:
        assert list(opened.trading) == ["main"]
        assert opened.closed == {
            "open": "account open has no key",
            "slow": "account slow: this version does not trade at kraken",
        }
        await settled()


async def test_under_another_ccxt_nothing_is_rendered_until_its_operator_accepts_it(
    sim: SimulatedExchange, cache: Path
) -> None:
    async with trading(traders(sim), cache=cache) as opened:
        venue = opened.trading["main"]
        refused = dict.fromkeys(WRITES, "ccxt 9 is installed and 4 was read; writes wait")
        vars(venue)["_rows"] = replace(vars(venue)["_rows"], refused=refused)
        with pytest.raises(EgressRefusedError, match="ccxt 9"):
            await venue.render(a_limit("t-version"))
