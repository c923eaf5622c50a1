"""What the journal records of a write's life, and what it gives back."""

import json
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from exchange_mcp.desk.intents import State
from exchange_mcp.desk.journal import Journal, Note
from exchange_mcp.desk.journal_errors import ConflictError, NoSuchIntentError, StateChangedError
from exchange_mcp.desk.records import Counted, Counters, Repeated, Taken
from exchange_mcp.desk.repeats import IsRefused, Refusal
from exchange_mcp.model.accounts import AccountName
from exchange_mcp.model.canonical import canonical_json
from exchange_mcp.model.findings import Findings, FoundOrder, Says, Source, SourceFinding
from exchange_mcp.model.outcomes import Evidence, Outcome
from exchange_mcp.model.writes import WriteRequest

from .memory_disk import MemoryDisk
from .proposals import (
    MAIN,
    POLICY,
    approved,
    buy,
    cancel,
    claim_of,
    claimed,
    evidence,
    leverage,
    permitted,
    plan,
    proposal,
    settled,
    signed,
    taken,
    verdict,
)
from .virtual import HandClock, SeededEntropy

DAY_MS = 86_400_000
FOUND = FoundOrder(
    order_id="venue9",
    client_order_id="xtag0001",
    status="NEW",
    side="buy",
    amount=Decimal("0.50"),
    filled=Decimal(0),
    updated_ms=1_796_040_000_123,
)
LOOK = Findings(
    client_order_id="xtag0001",
    venue_ms=1_796_040_000_999,
    sources=(
        SourceFinding(source=Source.CLIENT_ID, says=Says.FOUND, order=FOUND),
        SourceFinding(source=Source.TRADES, says=Says.NO_ANSWER, detail="timed out"),
        SourceFinding(source=Source.OPEN_ORDERS, says=Says.NOT_FOUND, unattributable=(FOUND,)),
    ),
    control=Says.FOUND,
)


def kinds(journal: Journal, intent_id: str) -> list[str]:
    return [event.kind for event in journal.events_of(intent_id)]


def test_a_plan_comes_back_from_the_journal_as_it_went_in(journal: Journal) -> None:
    asked = proposal(1)
    intent = taken(journal, asked)
    assert intent.plan == asked.plan
    assert journal.intent("i1") == intent
    assert (intent.plan_digest, intent.worst_notional) == (asked.plan.digest(), Decimal("50.00"))


def test_every_step_of_a_write_is_an_event_in_its_order(journal: Journal) -> None:
    intent = settled(journal, proposal(1), Outcome.ACCEPTED)
    done = journal.read_back(intent.id, State.PLACED, proof={"seen": "client_id"}, reason="found open")
    assert (done.state, done.order_id) == (State.PLACED, "venue1")
    assert kinds(journal, "i1") == ["proposed", "permitted", "granted", "claimed", "settled", "read_back"]
    assert [json.loads(event.text)["body"].get("to") for event in journal.events_of("i1")][2:] == [
        "approved",
        "dispatching",
        "accepted",
        "placed",
    ]


def test_a_proposal_that_is_asked_again_under_its_id_is_answered_whatever_became_of_it(
    journal: Journal,
) -> None:
    settled(journal, proposal(1), Outcome.REJECTED)
    head = journal.head()
    answer = journal.propose(proposal(1))
    assert isinstance(answer, Repeated)
    assert (answer.intent.id, answer.intent.state, journal.head()) == ("i1", State.REJECTED, head)


@pytest.mark.parametrize("changed", [{"client": "other"}, {"request_digest": "0" * 64}])
def test_a_proposal_id_that_means_something_else_now_is_refused(
    journal: Journal, changed: dict[str, Any]
) -> None:
    taken(journal, proposal(1))
    with pytest.raises(ConflictError, match="asked for something else"):
        journal.propose(proposal(1, intent_id="i9", **changed))


@pytest.mark.parametrize("taken_id", [{"intent_id": "i1"}, {"plan": plan(buy(1, side="sell"))}])
def test_an_intent_id_and_a_client_order_id_are_taken_once(
    journal: Journal, taken_id: dict[str, Any]
) -> None:
    taken(journal, proposal(1))
    head = journal.head()
    with pytest.raises(ConflictError):
        journal.propose(proposal(2, buy(2, side="sell"), **taken_id))
    assert journal.head() == head


def test_the_same_asked_under_another_id_is_the_intent_that_is_there(journal: Journal) -> None:
    intent = settled(journal, proposal(1), Outcome.ACCEPTED)
    answer = journal.propose(proposal(2))
    assert answer == Repeated(intent)
    assert journal.intent_of_proposal("p2") is None


def test_a_moved_price_is_refused_with_an_event_until_the_first_is_named(journal: Journal) -> None:
    settled(journal, proposal(1), Outcome.ACCEPTED)
    moved = proposal(2, buy(2, price="100.1"))
    answer = journal.propose(moved)
    assert isinstance(answer, IsRefused)
    assert (answer.reason, answer.id) == (Refusal.SIMILAR, "i1")
    assert journal.events_of("i1")[-1].kind == "refused"
    named = journal.propose(proposal(2, buy(2, price="100.1"), distinct_from="i1"))
    assert isinstance(named, Taken)
    assert named.similar_id == "i1"


def test_three_proposals_of_a_client_may_wait_and_one_that_ran_out_waits_no_more(
    journal: Journal, clock: HandClock
) -> None:
    for number, base in enumerate(("BTC", "ETH", "SOL"), start=1):
        taken(journal, proposal(number, plan=plan(buy(number), base=base)))
    fourth = proposal(4, plan=plan(buy(4), base="XRP"), expires_ms=clock.ms + 2 * 3_600_000)
    answer = journal.propose(fourth)
    assert isinstance(answer, IsRefused)
    assert answer.reason is Refusal.PENDING
    clock.ms += 3_600_000
    assert isinstance(journal.propose(fourth), Taken)


def test_what_was_proposed_too_late_is_not_taken(journal: Journal, clock: HandClock) -> None:
    with pytest.raises(ConflictError, match="over before it began"):
        journal.propose(proposal(1, expires_ms=clock.ms))


def test_policy_a_person_and_the_proposer_can_end_a_proposal(journal: Journal) -> None:
    for number, base in enumerate(("BTC", "ETH", "SOL"), start=1):
        taken(journal, proposal(number, plan=plan(buy(number), base=base)))
    denied = journal.decide(
        "i1", is_permitted=False, policy_digest=POLICY, decision={"rule": "symbols"}, reason="not allowed"
    )
    assert (denied.state, denied.reason) == (State.DENIED, "not allowed")
    assert journal.decline("i2", by="ada").state is State.DECLINED
    assert journal.retract("i3", client="claude").state is State.RETRACTED


def test_another_client_cannot_retract_a_proposal(journal: Journal) -> None:
    taken(journal, proposal(1))
    with pytest.raises(ConflictError, match="another client"):
        journal.retract("i1", client="other")


def test_a_write_that_is_being_sent_cannot_be_retracted_declined_or_lapse(journal: Journal) -> None:
    claimed(journal, proposal(1))
    head = journal.head()
    with pytest.raises(StateChangedError):
        journal.retract("i1", client="claude")
    with pytest.raises(StateChangedError):
        journal.decline("i1", by="ada")
    with pytest.raises(StateChangedError):
        journal.lapse("i1", "drifted")
    assert journal.head() == head


def test_what_nobody_decided_in_time_expires(journal: Journal, clock: HandClock) -> None:
    taken(journal, proposal(1))
    assert journal.expire_due() == ()
    clock.ms += 3_600_000
    (expired,) = journal.expire_due()
    assert (expired.id, expired.state) == ("i1", State.EXPIRED)


def test_an_approval_that_lapsed_cannot_be_used(journal: Journal) -> None:
    intent = approved(journal, proposal(1))
    assert journal.lapse(intent.id, "the price moved").state is State.LAPSED


def test_an_outcome_is_recorded_once(journal: Journal) -> None:
    settled(journal, proposal(1), Outcome.REJECTED)
    with pytest.raises(StateChangedError):
        journal.settle("i1", verdict(Outcome.ACCEPTED), evidence())
    assert journal.intent("i1").state is State.REJECTED


def test_raw_evidence_is_kept_and_a_long_body_by_its_beginning_and_hash(journal: Journal) -> None:
    claimed(journal, proposal(1))
    seen = Evidence(venue="binance", action="place", url="u", is_sent=True, status=502, body="<html>" * 9000)
    journal.settle("i1", verdict(Outcome.UNKNOWN, None), seen)
    body = json.loads(journal.events_of("i1")[-1].text)["body"]["evidence"]
    assert (body["status"], body["body_length"], len(body["body"])) == (502, 54_000, 16_384)
    assert len(body["body_digest"]) == 64


def test_half_a_character_keeps_no_halt_and_no_outcome_from_being_recorded(journal: Journal) -> None:
    half = "a\ud800b"
    claimed(journal, proposal(1))
    kept = journal.settle("i1", replace(verdict(order_id=half), reason=half), evidence())
    assert journal.intent("i1").order_id == "a\\ud800b"
    assert kept.state is State.ACCEPTED
    journal.halt(MAIN, by=half, reason=half)
    assert journal.halts()[0].reason == "a\\ud800b"
    for refused in (
        lambda: journal.propose(proposal(2, client=half)),
        lambda: journal.propose(proposal(2, proposal_id=half)),
        lambda: journal.intent(half),
    ):
        with pytest.raises(ConflictError, match="half a character"):
            refused()


def test_what_was_found_comes_back_as_it_was_reported(journal: Journal, clock: HandClock) -> None:
    settled(journal, proposal(1), Outcome.UNKNOWN)
    clock.ms += 5000
    journal.report("i1", LOOK)
    (look,) = journal.looks("i1")
    assert (look.at_ms, look.findings) == (clock.ms, LOOK)


def test_an_unknown_that_reading_proved_absent_gives_its_share_of_the_limits_back(
    journal: Journal, clock: HandClock
) -> None:
    settled(journal, proposal(1), Outcome.UNKNOWN)
    assert journal.counters(MAIN, clock.ms).notional_24h == {"USDT": Decimal("50.00")}
    journal.reconcile("i1", State.ABSENT, proof={"looks": 2}, reason="not there")
    counted = journal.counters(MAIN, clock.ms)
    assert (counted.notional_24h, counted.orders_24h) == ({}, 1)


def test_an_unknown_counts_at_its_worst_however_old(journal: Journal, clock: HandClock) -> None:
    settled(journal, proposal(1), Outcome.UNKNOWN)
    later = clock.ms + 3 * DAY_MS
    assert journal.counters(MAIN, later) == Counters(
        notional_24h={"USDT": Decimal("50.00")},
        orders_last_minute=0,
        orders_24h=0,
        in_flight=0,
        unknown=1,
    )


def test_what_was_placed_counts_for_24_hours_and_an_order_for_a_minute(
    journal: Journal, clock: HandClock
) -> None:
    settled(journal, proposal(1), Outcome.ACCEPTED)
    a_day_later = clock.ms + DAY_MS
    assert journal.counters(MAIN, a_day_later - 1).notional_24h == {"USDT": Decimal("50.00")}
    assert journal.counters(MAIN, a_day_later).notional_24h == {}
    assert journal.counters(MAIN, clock.ms + 59_999).orders_last_minute == 1
    assert journal.counters(MAIN, clock.ms + 60_000).orders_last_minute == 0


def test_one_found_late_is_placed_and_its_account_halts_in_one(journal: Journal) -> None:
    settled(journal, proposal(1), Outcome.NOT_SENT)
    head = journal.head()
    found = journal.found_late("i1", FOUND, "seen in open orders")
    assert (found.state, found.order_id) == (State.PLACED, "venue9")
    halt = journal.halt_of(MAIN)
    assert halt is not None
    assert "i1" in halt.reason
    assert [event.kind for event in journal.events(head.seq)] == ["found_late", "halted"]


@pytest.mark.parametrize(
    ("write", "end"),
    [(buy(1), State.PLACED), (buy(1), State.ABSENT), (cancel(), State.TOO_LATE), (leverage(), State.NOT_SET)],
)
def test_an_approver_resolves_an_unknown_with_a_note(
    journal: Journal, write: WriteRequest, end: State
) -> None:
    settled(journal, proposal(1, write), Outcome.UNKNOWN)
    done = journal.resolve("i1", end, signed(), "seen on the venue's own page")
    assert (done.state, done.resolved_by, done.note) == (end, "ada", "seen on the venue's own page")
    assert journal.intent("i1") == done


def test_a_resolve_without_a_note_or_with_a_used_signature_changes_nothing(journal: Journal) -> None:
    settled(journal, proposal(1), Outcome.UNKNOWN)
    with pytest.raises(ConflictError, match="note"):
        journal.resolve("i1", State.PLACED, signed(), " ")
    with pytest.raises(ConflictError, match="used before"):
        journal.resolve("i1", State.PLACED, signed("n-i1"), "seen")
    assert journal.intent("i1").state is State.UNKNOWN


def test_a_start_moves_on_what_the_last_run_left_and_sends_nothing(
    disk: MemoryDisk, journal: Journal, clock: HandClock
) -> None:
    claimed(journal, proposal(1))
    approved(journal, proposal(2, plan=plan(buy(2), base="ETH")))
    taken(journal, proposal(3, plan=plan(buy(3), base="SOL"), expires_ms=clock.ms + 10))
    permitted(journal, proposal(4, plan=plan(buy(4), base="XRP")))
    settled(journal, proposal(5, plan=plan(buy(5), base="ADA")), Outcome.ACCEPTED)
    journal.abandon()
    clock.ms += 10
    again = disk.open(clock, SeededEntropy())
    found = again.recover()
    assert [i.id for i in found.unknown] == ["i1"]
    assert [i.id for i in found.lapsed] == ["i2"]
    assert [i.id for i in found.expired] == ["i3"]
    states = {i.id: i.state for i in again.live()}
    assert states == {"i1": State.UNKNOWN, "i4": State.PROPOSED, "i5": State.ACCEPTED}
    assert again.recover().unknown == ()


def test_a_crash_inside_a_transaction_leaves_nothing_of_it(
    disk: MemoryDisk, journal: Journal, clock: HandClock
) -> None:
    intent = approved(journal, proposal(1))
    head = journal.head()

    def crash(_counted: Counted) -> str | None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        journal.claim(intent.id, claim_of(intent), crash)
    journal.abandon()
    again = disk.open(clock, SeededEntropy())
    assert (again.intent("i1").state, again.head().seq) == (State.APPROVED, head.seq + 1)


def test_a_stranger_with_a_desks_tag_halts_its_account_once(journal: Journal) -> None:
    assert journal.stranger(MAIN, "xother01", "another desk's tag")
    halt = journal.halt_of(MAIN)
    assert halt is not None
    assert "xother01" in halt.reason
    journal.resume(MAIN, signed(), reason=halt.reason)
    assert not journal.stranger(MAIN, "xother01", "another desk's tag")
    assert journal.halt_of(MAIN) is None


def test_an_order_of_this_journal_is_no_stranger(journal: Journal) -> None:
    taken(journal, proposal(1))
    assert not journal.stranger(MAIN, "xtag0001", "our tag")
    assert journal.halts() == ()


def test_what_is_not_halted_cannot_be_resumed(journal: Journal) -> None:
    journal.halt(MAIN, by="ada", reason="x")
    for account in (None, AccountName("other")):
        with pytest.raises(ConflictError, match="not halted"):
            journal.resume(account, signed(), reason="x")
    assert journal.halt_of(MAIN) is not None


def test_a_halt_is_lifted_by_who_was_told_all_that_it_stands_for_and_by_nobody_who_looked_before(
    journal: Journal,
) -> None:
    journal.halt(MAIN, by="ada", reason="lunch")
    journal.stranger(MAIN, "xother01", "another desk's tag")
    with pytest.raises(
        ConflictError, match=r"something else than was looked at: order xother01 is not of this"
    ):
        journal.resume(MAIN, signed(), reason="lunch")
    (halt,) = journal.halts()
    journal.resume(MAIN, signed(), reason=halt.reason)
    assert journal.halts() == ()


def test_a_second_halt_is_told_and_keeps_the_first_reason_behind_its_own(journal: Journal) -> None:
    journal.halt(None, by="ada", reason="first")
    journal.halt(None, by="ben", reason="second")
    journal.halt(None, by="ben", reason="second")
    (halt,) = journal.halts()
    assert (halt.by, halt.reason) == ("ben", "second; and before that, by ada: first")
    assert journal.last_event("halted") == journal.events()[-1]
    assert '"second"' in journal.events()[-1].text
    for number in range(500):
        journal.halt(None, by="ben", reason=f"again {number}")
    assert len(journal.halts()[0].reason) == 2000
    assert journal.halts()[0].reason.startswith("again 499; and before that, by ben: again 498")


def test_what_the_desk_found_while_it_was_halted_by_hand_is_told_to_whoever_lifts_it(
    journal: Journal,
) -> None:
    journal.halt(MAIN, by="ada", reason="lunch")
    assert journal.stranger(MAIN, "xother01", "another desk's tag")
    halt = journal.halt_of(MAIN)
    assert halt is not None
    assert halt.by == "desk"
    assert halt.reason.startswith("order xother01 is not of this journal")
    assert halt.reason.endswith("by ada: lunch")


def test_the_first_event_says_what_runs_and_every_start_says_it_again(
    disk: MemoryDisk, journal: Journal, clock: HandClock
) -> None:
    genesis, opened = journal.events()[:2]
    body = json.loads(genesis.text)["body"]
    assert (genesis.kind, body["version"], body["policy_digest"]) == ("genesis", "1.0", "0" * 64)
    assert (body["desk_id"], body["tag"]) == (journal.desk.desk_id, journal.desk.tag)
    assert (opened.kind, journal.desk.epoch) == ("opened", 1)
    journal.abandon()
    assert disk.open(clock, SeededEntropy()).desk.epoch == 2


def test_a_checkpoint_is_due_after_a_day_and_names_the_chain_so_far(
    journal: Journal, clock: HandClock
) -> None:
    assert journal.checkpoint_if_due() is None
    clock.ms += DAY_MS
    head = journal.head()
    event = journal.checkpoint_if_due()
    assert event is not None
    body = json.loads(event.text)["body"]
    assert (body["count"], body["head"]) == (head.seq, head.hash)
    assert journal.checkpoint_if_due() is None


def test_a_note_changes_no_intent_and_takes_no_float(journal: Journal) -> None:
    journal.record(Note.UNPLANNED, {"why": "no such market"})
    assert journal.events()[-1].kind == "unplanned"
    head = journal.head()
    with pytest.raises(TypeError):
        journal.record(Note.POLICY, {"limit": 0.1})
    assert journal.head() == head


def test_questions_find_an_intent_by_every_name_that_it_has(journal: Journal) -> None:
    intent = settled(journal, proposal(1), Outcome.UNKNOWN)
    assert journal.intent_of_proposal("p1") == intent
    assert journal.intent_of_order("xtag0001") == intent
    assert journal.with_fingerprint(intent.fingerprint) == (intent,)
    assert journal.live() == journal.unknown() == journal.unknown(MAIN) == journal.recent() == (intent,)
    assert journal.unknown(AccountName("other")) == ()
    assert journal.in_states(State.UNKNOWN, since_ms=intent.changed_ms + 1) == ()
    with pytest.raises(NoSuchIntentError):
        journal.intent("i9")


def test_events_are_given_in_pages_by_number(journal: Journal) -> None:
    for number in range(7):
        journal.record(Note.VENUE, {"number": number})
    head = journal.head().seq
    assert [event.seq for event in journal.events(after=3, most=2)] == [4, 5]
    assert journal.events(after=head) == ()


def test_the_canonical_text_of_an_event_is_what_is_kept(journal: Journal) -> None:
    taken(journal, proposal(1))
    for event in journal.events():
        assert canonical_json(json.loads(event.text)) == event.text
