"""A claim: every one of its conditions, read inside its own transaction."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from exchange_mcp.desk.dialect import reading
from exchange_mcp.desk.intents import State
from exchange_mcp.desk.journal import Journal
from exchange_mcp.desk.journal_errors import (
    ClaimRefusal,
    ClaimRefusedError,
    ClockBehindError,
    ConflictError,
    NotRecoveredError,
    StateChangedError,
)
from exchange_mcp.desk.records import Claim, Counted, Counters, Intent, Origin
from exchange_mcp.desk.schema import nonces
from exchange_mcp.model.accounts import AccountName, MarketType
from exchange_mcp.model.outcomes import Outcome
from exchange_mcp.model.writes import WriteRequest

from .memory_disk import MemoryDisk
from .proposals import (
    MAIN,
    admits,
    approved,
    buy,
    cancel,
    claim_of,
    claimed,
    evidence,
    grant_of,
    leverage,
    permitted,
    plan,
    proposal,
    settled,
    signed,
    verdict,
)
from .virtual import HandClock, SeededEntropy

OTHER = AccountName("other")


def refused(journal: Journal, intent: Intent, claim: Claim | None = None) -> ClaimRefusal:
    """Why the claim is refused; and nothing of it was written."""
    before = (journal.head(), journal.intent(intent.id))
    with pytest.raises(ClaimRefusedError) as caught:
        journal.claim(intent.id, claim or claim_of(intent), admits)
    assert (journal.head(), journal.intent(intent.id)) == before
    return caught.value.reason


def test_a_claim_spends_the_grant_and_reserves_its_worst_case(journal: Journal, clock: HandClock) -> None:
    intent = claimed(journal, proposal(1))
    assert (intent.state, intent.claimed_ms, intent.latest_ms) == (
        State.DISPATCHING,
        clock.ms,
        clock.ms + 6000,
    )
    assert journal.intent("i1") == intent
    assert journal.counters(MAIN, clock.ms) == Counters(
        notional_24h={"USDT": Decimal("50.00")},
        orders_last_minute=1,
        orders_24h=1,
        in_flight=1,
        unknown=0,
    )
    with reading(journal._connection):  # pyright: ignore[reportPrivateUsage] - what no question asks for
        spent = journal._connection.execute(nonces.select()).one()  # pyright: ignore[reportPrivateUsage] - as above
    assert (spent.nonce, spent.intent, spent.spent_ms) == ("n-i1", "i1", clock.ms)
    event = journal.events_of("i1")[-1]
    assert event.kind == "claimed"
    assert '"reserved":"50.00"' in event.text
    assert '"nonce":"n-i1"' in event.text


@pytest.mark.parametrize(("read_again", "reserved"), [("75.5", "75.5"), ("49", "50.00"), (None, "50.00")])
def test_a_claim_reserves_the_worst_that_was_ever_read_of_it(
    journal: Journal, clock: HandClock, read_again: str | None, reserved: str
) -> None:
    intent = approved(journal, proposal(1))
    worst = None if read_again is None else Decimal(read_again)
    claimed_ = journal.claim(intent.id, claim_of(intent, worst_notional=worst), admits)
    assert str(claimed_.worst_notional) == reserved
    assert journal.intent("i1") == claimed_
    assert journal.counters(MAIN, clock.ms).notional_24h == {"USDT": Decimal(reserved)}
    assert f'"reserved":"{reserved}"' in journal.events_of("i1")[-1].text


def test_an_intent_is_claimed_once(journal: Journal) -> None:
    intent = claimed(journal, proposal(1))
    with pytest.raises(StateChangedError, match="is dispatching, not approved"):
        journal.claim(intent.id, claim_of(intent), admits)


@pytest.mark.parametrize("account", [None, MAIN])
def test_a_halt_of_the_desk_or_of_the_account_refuses_every_claim(
    journal: Journal, account: AccountName | None
) -> None:
    intent = approved(journal, proposal(1))
    journal.halt(account, by="ada", reason="lunch")
    assert refused(journal, intent) is ClaimRefusal.HALTED


def test_a_halt_of_another_account_refuses_nothing_here(journal: Journal) -> None:
    intent = approved(journal, proposal(1))
    journal.halt(OTHER, by="ada", reason="lunch")
    assert journal.claim(intent.id, claim_of(intent), admits).state is State.DISPATCHING


@pytest.mark.parametrize("origin", Origin)
@pytest.mark.parametrize(
    ("write", "is_exempt"),
    [(buy(1), False), (cancel(), True), (leverage(), False), (buy(1, is_reduce_only=True), True)],
    ids=["order", "cancel", "leverage", "reduce-only"],
)
def test_a_halt_lets_through_only_the_operators_own_cancels_and_venue_enforced_reduces(
    journal: Journal, write: WriteRequest, origin: Origin, *, is_exempt: bool
) -> None:
    intent = approved(journal, proposal(1, write, origin=origin))
    journal.halt(None, by="ada", reason="lunch")
    if is_exempt and origin is Origin.OPERATOR:
        assert journal.claim(intent.id, claim_of(intent), admits).state is State.DISPATCHING
    else:
        assert refused(journal, intent) is ClaimRefusal.HALTED


def test_a_halt_that_is_lifted_refuses_no_more_and_each_is_lifted_alone(journal: Journal) -> None:
    intent = approved(journal, proposal(1))
    journal.halt(None, by="ada", reason="lunch")
    journal.halt(MAIN, by="ada", reason="lunch")
    journal.resume(None, signed("s1"), reason="lunch")
    assert refused(journal, intent) is ClaimRefusal.HALTED
    journal.resume(MAIN, signed("s2"), reason="lunch")
    assert journal.claim(intent.id, claim_of(intent), admits).state is State.DISPATCHING


@pytest.mark.parametrize("nonce", ["n-i2", "nobody", "s1"])
def test_only_the_intents_own_grant_claims_it(journal: Journal, nonce: str) -> None:
    intent = approved(journal, proposal(1))
    approved(journal, proposal(2, buy(2, side="sell")))
    journal.halt(None, by="ada", reason="x")
    journal.resume(None, signed("s1"), reason="x")
    assert refused(journal, intent, claim_of(intent, nonce=nonce)) is ClaimRefusal.GRANT


@pytest.mark.parametrize(("late_ms", "is_refused"), [(-1, False), (0, True)])
def test_a_grant_is_good_until_its_time_is_up(
    journal: Journal, clock: HandClock, late_ms: int, *, is_refused: bool
) -> None:
    intent = approved(journal, proposal(1))
    clock.ms += 120_000 + late_ms
    claim = claim_of(intent, latest_ms=clock.ms + 6000)
    if is_refused:
        assert refused(journal, intent, claim) is ClaimRefusal.GRANT
    else:
        assert journal.claim(intent.id, claim, admits).state is State.DISPATCHING


def test_a_policy_that_changed_since_the_approval_refuses(journal: Journal) -> None:
    intent = approved(journal, proposal(1))
    assert refused(journal, intent, claim_of(intent, policy_digest="b" * 64)) is ClaimRefusal.POLICY


@pytest.mark.parametrize("outcome", [None, Outcome.UNKNOWN])
def test_nothing_is_claimed_beside_another_of_the_same_asset_in_doubt(
    journal: Journal, outcome: Outcome | None
) -> None:
    """Both were approved before the first was sent."""
    first, second = approved(journal, proposal(1)), approved(journal, proposal(2, buy(2, side="sell")))
    journal.claim(first.id, claim_of(first), admits)
    if outcome is not None:
        journal.settle(first.id, verdict(outcome), evidence())
    assert refused(journal, second) is ClaimRefusal.UNKNOWN


def test_a_doubt_blocks_its_own_account_and_asset_alone(journal: Journal) -> None:
    beside = approved(journal, proposal(2, plan=plan(buy(2), base="ETH")))
    elsewhere = approved(journal, proposal(3, plan=plan(buy(3), account=OTHER)))
    settled(journal, proposal(1), Outcome.UNKNOWN)
    for intent in (beside, elsewhere):
        assert journal.claim(intent.id, claim_of(intent), admits).state is State.DISPATCHING


def test_a_cancel_and_a_venue_enforced_reduce_are_claimed_beside_an_unknown(journal: Journal) -> None:
    settled(journal, proposal(1), Outcome.UNKNOWN)
    for asked in (proposal(2, cancel()), proposal(3, buy(3, side="sell", is_reduce_only=True))):
        assert claimed(journal, asked).state is State.DISPATCHING


@pytest.mark.parametrize(("ahead_ms", "is_refused"), [(5999, False), (6000, True), (60_000, True)])
def test_the_deadline_is_one_of_the_venues_time(journal: Journal, ahead_ms: int, *, is_refused: bool) -> None:
    intent = approved(journal, proposal(1))
    claim = claim_of(intent, venue_ahead_ms=ahead_ms)
    if is_refused:
        assert refused(journal, intent, claim) is ClaimRefusal.DEADLINE
    else:
        assert journal.claim(intent.id, claim, admits).state is State.DISPATCHING


def test_the_limits_are_asked_inside_the_claim_with_what_is_counted_before_it(journal: Journal) -> None:
    claimed(journal, proposal(1, plan=plan(buy(1), base="ETH")))
    claimed(journal, proposal(2, plan=plan(buy(2), account=OTHER)))
    intent = approved(journal, proposal(3))
    seen: list[Counted] = []

    def too_much(counted: Counted) -> str | None:
        seen.append(counted)
        return "over the daily limit"

    head = journal.head()
    with pytest.raises(ClaimRefusedError, match="over the daily limit") as caught:
        journal.claim(intent.id, claim_of(intent), too_much)
    assert caught.value.reason is ClaimRefusal.LIMITS
    assert journal.head() == head
    [counted] = seen
    account, desk = counted.account, counted.desk
    assert (account.notional_24h, account.in_flight) == ({"USDT": Decimal("50.00")}, 1)
    assert (desk.notional_24h, desk.in_flight) == ({"USDT": Decimal("100.00")}, 2)


def test_a_market_is_counted_on_all_accounts_and_apart_from_another_of_the_same_name_and_asset(
    journal: Journal, clock: HandClock
) -> None:
    swap = plan(buy(1))
    market = replace(swap.market, symbol="BTC/USDT:USDT", market_type=MarketType.LINEAR, settle="USDT")
    claimed(journal, proposal(1, plan=replace(swap, account=OTHER, market=market)))
    spot = claimed(journal, proposal(2, plan=plan(buy(2), account=AccountName("third"))))
    intent = approved(journal, proposal(3, plan=plan(buy(3))))
    counted = journal.counted(intent, clock.ms)
    assert intent.market_id == swap.market.market_id == spot.market_id
    # Of three accounts, one order each; of the market, the one on spot.
    assert (counted.account.orders_24h, counted.desk.orders_24h, counted.market.orders_24h) == (0, 2, 1)
    assert counted.market.notional_24h == {"USDT": Decimal("50.00")}


def test_what_the_venue_holds_to_reducing_is_counted_as_an_order_and_not_as_notional(
    journal: Journal, clock: HandClock
) -> None:
    write = replace(buy(1), is_reduce_only=True)
    counted = journal.counted(claimed(journal, proposal(1, plan=plan(write))), clock.ms)
    for each in (counted.account, counted.desk, counted.market):
        assert (each.notional_24h, each.orders_last_minute) == ({}, 1)


def test_nothing_is_claimed_before_the_last_run_was_looked_at(disk: MemoryDisk, clock: HandClock) -> None:
    journal = disk.open(clock, SeededEntropy())
    intent = approved(journal, proposal(1))
    with pytest.raises(NotRecoveredError):
        journal.claim(intent.id, claim_of(intent), admits)


def test_a_clock_behind_the_last_record_refuses_proposals_grants_and_claims_and_records_outcomes(
    journal: Journal, clock: HandClock
) -> None:
    sent = claimed(journal, proposal(1))
    waiting = permitted(journal, proposal(2, plan=plan(buy(2), base="ETH")))
    ready = approved(journal, proposal(3, plan=plan(buy(3), base="SOL")))
    clock.ms -= 2001
    with pytest.raises(ClockBehindError, match=r"the clock is 2 s behind"):
        journal.propose(proposal(4, plan=plan(buy(4), base="XRP")))
    with pytest.raises(ClockBehindError):
        journal.grant(waiting.id, grant_of(waiting))
    with pytest.raises(ClockBehindError):
        journal.claim(ready.id, claim_of(ready), admits)
    assert journal.settle(sent.id, verdict(), evidence()).state is State.ACCEPTED
    times = [event.at_ms for event in journal.events()]
    assert times == sorted(times)


def test_a_clock_that_is_stepped_back_a_little_refuses_nothing(journal: Journal, clock: HandClock) -> None:
    intent = approved(journal, proposal(1))
    clock.ms -= 2000
    assert journal.claim(intent.id, claim_of(intent), admits).claimed_ms == clock.ms + 2000


def test_a_grants_nonce_is_taken_once_for_whatever_purpose(journal: Journal) -> None:
    approved(journal, proposal(1))
    other = permitted(journal, proposal(2, plan=plan(buy(2), base="ETH")))
    journal.halt(None, by="ada", reason="x")
    with pytest.raises(ConflictError, match="used before"):
        journal.grant(other.id, grant_of(other, nonce="n-i1"))
    with pytest.raises(ConflictError, match="used before"):
        journal.resume(None, signed("n-i1"), reason="x")
    assert journal.halt_of(MAIN) is not None


@pytest.mark.parametrize(
    "changed",
    [
        {"plan_digest": "0" * 64},
        {"preview_digest": "0" * 64},
        {"policy_digest": "0" * 64},
        {"approvers": ()},
        {"approvers": ("ada", "ada")},
        {"expires_ms": 1},
    ],
    ids="-".join,
)
def test_a_grant_of_anything_else_is_not_one(journal: Journal, changed: dict[str, Any]) -> None:
    intent = permitted(journal, proposal(1))
    with pytest.raises(ConflictError):
        journal.grant(intent.id, grant_of(intent, **changed))
    assert journal.intent(intent.id).state is State.PROPOSED


def test_a_grant_of_the_preview_before_the_last_one_is_refused(journal: Journal) -> None:
    old = permitted(journal, proposal(1))
    shown = journal.show(old.id, {"notional": Decimal("50.01")})
    with pytest.raises(ConflictError, match="another preview"):
        journal.grant(old.id, grant_of(old))
    assert journal.grant(old.id, grant_of(shown)).state is State.APPROVED


def test_a_proposal_that_policy_has_not_permitted_cannot_be_granted(journal: Journal) -> None:
    journal.propose(proposal(1))
    intent = journal.intent("i1")
    with pytest.raises(ConflictError, match="another policy"):
        journal.grant(intent.id, grant_of(intent))


def test_after_its_time_a_proposal_cannot_be_granted(journal: Journal, clock: HandClock) -> None:
    intent = permitted(journal, proposal(1))
    clock.ms = intent.expires_ms
    with pytest.raises(ConflictError, match="time to decide"):
        journal.grant(intent.id, grant_of(intent, expires_ms=clock.ms + 1))
