"""A claim, against the least that a database can do durably: one row, one fully synchronous commit."""

import sqlite3
import time
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Final

from benches.figures import Figure, ratio
from exchange_mcp.cli.clock import SystemClock
from exchange_mcp.cli.entropy import SystemEntropy
from exchange_mcp.desk.dialect import SETTINGS
from exchange_mcp.desk.filesystems import SAFE
from exchange_mcp.desk.journal import Journal
from exchange_mcp.desk.opening import Surroundings, marks_in, open_journal, this_machine
from exchange_mcp.desk.records import Claim, Counted, Grant, Intent, Opening, Origin, Proposal, Taken
from exchange_mcp.model.accounts import AccountName, Environment, MarketType
from exchange_mcp.model.outcomes import Evidence, Outcome, Verdict
from exchange_mcp.model.plans import PlannedMarket, WirePlan, WireRequest
from exchange_mcp.model.writes import OrderType, PlaceOrder

ROUNDS: Final = 150
WARM: Final = 20
MOST_RATIO: Final = 2.0

_POLICY: Final = "a" * 64
# What one claim's event holds, so that both sides write as much text.
_ROW: Final = "x" * 400


def claims(folder: Path) -> list[Figure]:
    """A claim and a raw commit in turn, on the same disk, with the same settings."""
    clock = SystemClock()
    around = Surroundings(
        clock=clock,
        entropy=SystemEntropy(),
        marks=marks_in(folder / "state"),
        opening=Opening(version="bench", policy_digest=_POLICY, matrix_digest=_POLICY),
        machine=this_machine(),
    )
    # The figure is a ratio; where the folder lies on tmpfs both sides are as fast as memory.
    journal = open_journal(folder / "desk" / "journal.db", around, safe=SAFE | {"tmpfs"})
    journal.recover()
    rounds: list[tuple[float, float]] = []
    with closing(sqlite3.connect(folder / "raw.db", isolation_level=None)) as raw:
        for name, (value, _) in SETTINGS.items():
            raw.execute(f"PRAGMA {name} = {value}")
        raw.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)")
        for number in range(1, ROUNDS + WARM + 1):
            intent = _approved(journal, clock, number)
            pair = (_claim(journal, clock, intent), _commit(raw))
            if number > WARM:
                rounds.append(pair)
            verdict = Verdict(outcome=Outcome.REJECTED, reason="bench", ground="bench")
            evidence = Evidence(venue="binance", action="place", url="bench", is_sent=True)
            journal.settle(intent.id, verdict, evidence)
    journal.close()
    return [ratio("a claim", rounds, limit=MOST_RATIO, against="a raw fully synchronous commit")]


def _claim(journal: Journal, clock: SystemClock, intent: Intent) -> float:
    claim = Claim(
        nonce=f"n{intent.id}",
        latest_ms=clock.now_ms() + 6000,
        venue_ahead_ms=0,
        policy_digest=_POLICY,
        recheck={"age_ms": 40},
    )
    since = time.perf_counter()
    journal.claim(intent.id, claim, _admits)
    return time.perf_counter() - since


def _commit(raw: sqlite3.Connection) -> float:
    since = time.perf_counter()
    raw.execute("BEGIN IMMEDIATE")
    raw.execute("INSERT INTO t (text) VALUES (?)", (_ROW,))
    raw.execute("COMMIT")
    return time.perf_counter() - since


def _admits(counted: Counted) -> str | None:
    return None if counted.account.orders_24h <= counted.desk.orders_24h else "impossible"


def _approved(journal: Journal, clock: SystemClock, number: int) -> Intent:
    now_ms = clock.now_ms()
    asked = Proposal(
        intent_id=f"i{number}",
        proposal_id=f"p{number}",
        client="bench",
        origin=Origin.CLIENT,
        request_digest=_POLICY,
        plan=_plan(number),
        preview={"notional": Decimal("50.00")},
        effect="opens",
        worst_notional=Decimal("50.00"),
        currency="USDT",
        expires_ms=now_ms + 600_000,
    )
    taken = journal.propose(asked)
    if not isinstance(taken, Taken):
        raise TypeError(f"proposal {number} was not taken: {taken}")
    intent = journal.decide(
        taken.intent.id, is_permitted=True, policy_digest=_POLICY, decision={}, reason="bench"
    )
    return journal.grant(
        intent.id,
        Grant(
            nonce=f"n{intent.id}",
            plan_digest=intent.plan_digest,
            preview_digest=intent.preview_digest,
            policy_digest=_POLICY,
            expires_ms=now_ms + 600_000,
            approvers=("bench",),
            record="bench",
        ),
    )


def _plan(number: int) -> WirePlan:
    return WirePlan(
        venue="binance",
        account=AccountName("main"),
        account_id=None,
        key_id="bench",
        environment=Environment.SIM,
        market=PlannedMarket(
            symbol="BTC/USDT", market_id="BTCUSDT", market_type=MarketType.SPOT, base="BTC", quote="USDT"
        ),
        write=PlaceOrder(
            symbol="BTC/USDT",
            side="buy",
            type=OrderType.LIMIT,
            amount=Decimal("0.5"),
            price=Decimal("100.0"),
            client_order_id=f"x{number}",
        ),
        request=WireRequest(
            verb="POST", api="private", path="order", parameters={"symbol": "BTCUSDT", "quantity": "0.5"}
        ),
        window_ms=5000,
    )
