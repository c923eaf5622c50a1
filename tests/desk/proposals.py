"""Proposals as the planner makes them, and how one is brought to where a test begins."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

from exchange_mcp.desk.journal import Journal
from exchange_mcp.desk.records import Claim, Counted, Grant, Intent, Origin, Proposal, Signed, Taken
from exchange_mcp.model.accounts import AccountName, Environment, MarketType
from exchange_mcp.model.outcomes import Evidence, Outcome, Verdict
from exchange_mcp.model.plans import PlannedMarket, WirePlan, WireRequest
from exchange_mcp.model.writes import CancelOrder, OrderType, PlaceOrder, SetLeverage, WriteRequest

from .virtual import NOON_MS

MAIN = AccountName("main")
POLICY = "a" * 64


def buy(number: int, *, amount: str = "0.5", price: str = "100.0", **changed: Any) -> PlaceOrder:  # noqa: ANN401 - a field of the record
    order = PlaceOrder(
        symbol="BTC/USDT",
        side="buy",
        type=OrderType.LIMIT,
        amount=Decimal(amount),
        price=Decimal(price),
        client_order_id=f"xtag{number:04}",
    )
    return replace(order, **changed)


def plan(write: WriteRequest, *, account: AccountName = MAIN, base: str = "BTC") -> WirePlan:
    return WirePlan(
        venue="binance",
        account=account,
        account_id="1234",
        key_id="k" * 16,
        environment=Environment.SIM,
        market=PlannedMarket(
            symbol=f"{base}/USDT",
            market_id=f"{base}USDT",
            market_type=MarketType.SPOT,
            base=base,
            quote="USDT",
        ),
        write=write,
        request=WireRequest(verb="POST", api="private", path="order", parameters={"symbol": f"{base}USDT"}),
        window_ms=5000,
    )


def proposal(number: int, write: WriteRequest | None = None, **changed: Any) -> Proposal:  # noqa: ANN401 - a field of the record
    """The proposal of this number: its ids and its order's are its own; what it asks is the same each time."""
    planned = plan(buy(number) if write is None else write)
    made = Proposal(
        intent_id=f"i{number}",
        proposal_id=f"p{number}",
        client="claude",
        origin=Origin.CLIENT,
        request_digest=planned.fingerprint(),
        plan=planned,
        preview={"notional": Decimal("50.00")},
        effect="opens" if isinstance(planned.write, PlaceOrder) else None,
        worst_notional=Decimal("50.00") if isinstance(planned.write, PlaceOrder) else None,
        currency="USDT",
        expires_ms=NOON_MS + 3_600_000,
    )
    return replace(made, **changed)


def cancel(number: int = 0) -> CancelOrder:
    return CancelOrder(symbol="BTC/USDT", order_id=f"venue{number}")


def leverage(times: int = 5) -> SetLeverage:
    return SetLeverage(symbol="BTC/USDT", leverage=times)


def taken(journal: Journal, asked: Proposal) -> Intent:
    answer = journal.propose(asked)
    assert isinstance(answer, Taken), answer
    return answer.intent


def permitted(journal: Journal, asked: Proposal) -> Intent:
    intent = taken(journal, asked)
    return journal.decide(
        intent.id, is_permitted=True, policy_digest=POLICY, decision={"rules": []}, reason="within limits"
    )


def grant_of(intent: Intent, nonce: str | None = None, **changed: Any) -> Grant:  # noqa: ANN401 - a field of the record
    made = Grant(
        nonce=nonce or f"n-{intent.id}",
        plan_digest=intent.plan_digest,
        preview_digest=intent.preview_digest,
        policy_digest=POLICY,
        expires_ms=intent.created_ms + 120_000,
        approvers=("ada",),
        record="signed",
    )
    return replace(made, **changed)


def approved(journal: Journal, asked: Proposal) -> Intent:
    intent = permitted(journal, asked)
    return journal.grant(intent.id, grant_of(intent))


def claim_of(intent: Intent, **changed: Any) -> Claim:  # noqa: ANN401 - a field of the record
    made = Claim(
        nonce=f"n-{intent.id}",
        latest_ms=intent.changed_ms + 6000,
        venue_ahead_ms=0,
        policy_digest=POLICY,
        recheck={"age_ms": 40},
    )
    return replace(made, **changed)


def admits(_counted: Counted) -> str | None:
    return None


def claimed(journal: Journal, asked: Proposal) -> Intent:
    intent = approved(journal, asked)
    return journal.claim(intent.id, claim_of(intent), admits)


def verdict(outcome: Outcome = Outcome.ACCEPTED, order_id: str | None = "venue1") -> Verdict:
    return Verdict(outcome=outcome, reason="as the venue said", ground="200", order_id=order_id)


def evidence() -> Evidence:
    return Evidence(venue="binance", action="place", url="https://api.binance.com/api/v3/order", is_sent=True)


def settled(journal: Journal, asked: Proposal, outcome: Outcome) -> Intent:
    return journal.settle(claimed(journal, asked).id, verdict(outcome), evidence())


def signed(nonce: str = "s1") -> Signed:
    return Signed(approver="ada", nonce=nonce, record="signed")
