"""What an operator sees, and what a signature changes: only what it says, once, by somebody who is enrolled."""

import asyncio
import json
import math
from collections.abc import Mapping
from contextlib import suppress
from decimal import Decimal
from typing import Any

import pytest

from desk.running import until
from desk.signing import ANNA, BEN, CLEO, Hand
from desk.soft_passkey import SoftPasskey
from exchange_mcp.desk import dialect
from exchange_mcp.desk.approvers import SCRIPTED, verifiers
from exchange_mcp.desk.apps.operator import ASKED_A_MINUTE, operations
from exchange_mcp.desk.challenges import LIFE_MS, MOST
from exchange_mcp.desk.console.app import console_app
from exchange_mcp.desk.intents import State
from exchange_mcp.desk.journal_errors import JournalFullError
from exchange_mcp.desk.offices.floor import Standing
from exchange_mcp.desk.operator.messages import HaltOrder
from exchange_mcp.desk.passkeys import Passkeys
from exchange_mcp.desk.statements import Purpose
from exchange_mcp.model.coverage import Unread
from exchange_mcp.model.errors import BusyError, DeskError, ErrorCode, ExchangeMcpError, VenueUnreachableError
from simulation.port import ACCOUNT
from simulation.world import Fate, Habits

from .manned import BUY, TOOLS, Manned, Policy
from .test_grants import refused, told

LEVERAGE: dict[str, object] = {"symbol": "BTC/USDT:USDT", "leverage": 5}
UNKNOWN = Habits(fates=(Fate.LOST,), outage_s=3600.0)

BODIES: Mapping[Purpose, dict[str, object]] = {
    Purpose.RESOLVE: {"intent": "i", "outcome": "absent", "note": "looked"},
    Purpose.RESUME: {"account": None, "reason": "a look"},
    Purpose.ACCEPT_CONFIGURATION: {"configuration": "c" * 64},
    Purpose.ADD_APPROVER: {"name": "ben", "kind": "ed25519", "public": BEN.public},
    Purpose.REMOVE_APPROVER: {"name": "ben", "kind": "ed25519", "public": ""},
    Purpose.ADD_CLIENT: {"name": "other", "credential_sha256": "e" * 64},
    Purpose.REMOVE_CLIENT: {"name": "claude", "credential_sha256": ""},
    Purpose.ALLOW_TOOL: {
        "client": "claude",
        "tool": "place_order",
        "allowed": False,
        "declaration": TOOLS[0].digest,
    },
    Purpose.PROPOSE: {"account": "main", "action": "place", "request": dict(BUY), "distinct_from": None},
    Purpose.CANCEL_OPEN: {"account": None},
}


def test_every_purpose_but_the_grant_has_a_case_here() -> None:
    assert set(BODIES) | {Purpose.GRANT} == set(Purpose)


async def fails(doing: Any, code: ErrorCode, why: str) -> None:  # noqa: ANN401 - whatever is awaited
    with pytest.raises(ExchangeMcpError, match=why) as caught:
        await doing
    assert caught.value.code is code


@pytest.mark.parametrize("purpose", BODIES, ids=str)
def test_what_is_signed_by_nobody_for_another_desk_late_twice_or_with_a_member_more_changes_nothing(
    purpose: Purpose,
) -> None:
    body = BODIES[purpose]

    async def story(desk: Manned) -> None:
        operators = desk.operators
        head = desk.journal.head().seq
        said = desk.said(purpose, body)
        await refused(operators.signed(CLEO.message(said)), "nobody of that name")
        await refused(operators.signed(ANNA.message(said)), "nobody used")  # one nonce, one attempt
        said = desk.said(purpose, body)
        forged = CLEO.message(said).signature.model_copy(update={"approver": "anna"})
        await refused(operators.signed(ANNA.message(said, signature=forged)), "not anna's signature")
        said = desk.said(purpose, body)
        await refused(operators.signed(ANNA.message(said, expires_ms=said.expires_ms + 1)), "another expiry")
        for changed in ({**body, "more": 1}, {**body, "more": 0.5}, dict(list(body.items())[1:])):
            said = desk.said(purpose, body)
            await refused(operators.signed(ANNA.message(said, body=changed)), "of its purpose|no exact form")
        said = desk.said(purpose, body)
        elsewhere = type(said)(
            purpose=purpose, desk_id="f" * 32, nonce=said.nonce, expires_ms=said.expires_ms, body=body
        )
        await refused(operators.signed(ANNA.message(elsewhere)), "not anna's signature")
        said = desk.said(purpose, body)
        other = next(one for one in BODIES if one is not purpose)
        await refused(operators.signed(ANNA.message(said, purpose=other)))
        said = desk.said(purpose, body)
        await asyncio.sleep(120)
        await refused(operators.signed(ANNA.message(said)), "time is over")
        since = desk.journal.events(after=head)
        assert {event.kind for event in since} == {"signature_refused"}
        assert len(since) == 10

    told(story)


def test_a_good_signature_is_used_once() -> None:
    async def story(desk: Manned) -> None:
        message = BEN.message
        await desk.enrol(BEN)
        said = desk.said(Purpose.ADD_APPROVER, {"name": "cleo", "kind": "ed25519", "public": CLEO.public})
        await desk.operators.signed(message(said))
        await refused(desk.operators.signed(message(said)), "nobody used")
        assert [one.name for one in desk.operators.approvers().approvers] == ["anna", "ben", "cleo"]

    told(story)


def test_no_storm_that_the_socket_lets_pass_pushes_out_what_somebody_is_signing() -> None:
    async def story(desk: Manned) -> None:
        desk.operators.halt(HaltOrder(by="ops", reason="a look"))
        statement = desk.said(Purpose.RESUME, {"account": None, "reason": "a look"})
        for _ in range(math.ceil(ASKED_A_MINUTE * (LIFE_MS / 60_000 + 0.25))):
            desk.operators.challenge()
        assert (await desk.operators.signed(ANNA.message(statement))).is_complete

    told(story)


def test_challenges_are_bounded_in_number_and_one_too_many_is_refused_for_two_minutes() -> None:
    async def story(desk: Manned) -> None:
        first = [desk.operators.challenge().nonce for _ in range(MOST)]
        with pytest.raises(BusyError):
            desk.operators.challenge()
        assert len(desk.floor.challenges) == MOST == len(set(first))
        await asyncio.sleep(LIFE_MS / 1000)
        assert desk.operators.challenge().nonce not in first
        assert len(desk.floor.challenges) == 1

    told(story)


def test_of_all_that_the_operator_socket_takes_only_the_halt_waits_for_nobody() -> None:
    desk = Manned()
    console = console_app(
        desk.operators, port=8767, type_above=lambda: Decimal(0), clock=desk.clock, entropy=desk.entropy
    )
    table = operations(desk.operators, console)
    assert [name for name, each in table.items() if each.is_urgent] == ["halt"]


def test_the_halt_of_the_whole_desk_is_lifted_by_no_statement_that_names_an_account() -> None:
    async def story(desk: Manned) -> None:
        desk.operators.halt(HaltOrder(by="ops", reason="a look"))
        await refused(desk.sign(Purpose.RESUME, {"account": "", "reason": "a look"}), "account")
        assert desk.operators.status().halted == "a look"

    told(story)


def test_the_last_who_can_sign_what_passkeys_do_not_cannot_be_removed() -> None:
    desk = Manned(kinds=verifiers(is_all_simulated=False, passkey=Passkeys(port=8767)))

    async def story(desk: Manned) -> None:
        passkey = {"name": "ada", "kind": "passkey", "public": SoftPasskey().passkey.text()}
        await desk.sign(Purpose.ADD_APPROVER, passkey)
        leaving: dict[str, object] = {"name": "anna", "kind": "ed25519", "public": ""}
        why = "last approver who signs in a terminal"
        await fails(desk.sign(Purpose.REMOVE_APPROVER, leaving), ErrorCode.INVALID_ARGUMENT, why)
        await desk.enrol(BEN)
        await desk.sign(Purpose.REMOVE_APPROVER, leaving)
        await desk.sign(Purpose.REMOVE_APPROVER, {**passkey, "public": ""}, BEN)
        assert [one.name for one in desk.operators.approvers().approvers] == ["ben"]

    told(story, desk)


@pytest.mark.parametrize(
    ("purpose", "body", "why"),
    [
        (Purpose.REMOVE_APPROVER, {"name": "anna", "kind": "ed25519", "public": ""}, "the last approver"),
        (Purpose.ADD_APPROVER, {"name": "eve", "kind": "ed25519", "public": ANNA.public}, "already, as anna"),
        (Purpose.ADD_APPROVER, {"name": "eve", "kind": "ed25519", "public": "abc"}, "base64url"),
        (
            Purpose.ADD_APPROVER,
            {"name": "eve", "kind": "scripted", "public": BEN.public},
            "takes no scripted",
        ),
        (Purpose.ADD_CLIENT, {"name": "claude", "credential_sha256": "f" * 64}, "client claude already"),
        (Purpose.REMOVE_CLIENT, {"name": "nobody", "credential_sha256": ""}, "no client nobody"),
        (
            Purpose.ALLOW_TOOL,
            {"client": "claude", "tool": "place_order", "allowed": True, "declaration": "0" * 64},
            "another declaration",
        ),
        (Purpose.ACCEPT_CONFIGURATION, {"configuration": "d" * 64}, "another one by now"),
        (Purpose.RESUME, {"account": "main", "reason": "a drill"}, "not halted"),
    ],
)
def test_what_is_signed_and_cannot_be_done_says_why(
    purpose: Purpose, body: dict[str, object], why: str
) -> None:
    async def story(desk: Manned) -> None:
        await fails(desk.sign(purpose, body), ErrorCode.INVALID_ARGUMENT, why)

    told(story)


def test_another_configuration_is_in_force_once_its_own_digest_is_signed() -> None:
    async def story(desk: Manned) -> None:
        desk.configuration = Standing(file="desk.toml", text="[desk]\n#2\n", digest="d" * 64)
        assert not desk.operators.configuration().is_accepted
        edited = str(desk.operators.status().edited)
        assert "desk.toml was changed" in edited
        assert "exchange-mcp desk accept" in edited
        desk.floor.closed_for("not accepted")
        assert desk.operators.status().edited is None  # what is closed for it says so itself
        await desk.sign(Purpose.ACCEPT_CONFIGURATION, {"configuration": "d" * 64})
        assert desk.accepts == ["d" * 64]
        now = desk.operators.configuration()
        assert (now.is_accepted, now.accepted_text) == (True, "[desk]\n#2\n")
        desk.configuration = Standing(file="desk.toml", text="x", digest="e" * 64, faults=("line 1: x",))
        body = {"configuration": "e" * 64}
        await fails(desk.sign(Purpose.ACCEPT_CONFIGURATION, body), ErrorCode.INVALID_ARGUMENT, "line 1: x")
        desk.open_for_trading()
        assert "it cannot be used: line 1: x" in str(desk.operators.status().edited)

    told(story)


def test_a_desk_that_has_to_be_restarted_says_so_of_a_configuration_that_it_is_given() -> None:
    async def story(desk: Manned) -> None:
        connection = desk.journal._connection  # pyright: ignore[reportPrivateUsage] - the disk's part is played here
        with dialect.reading(connection):
            connection.exec_driver_sql("PRAGMA query_only = ON")
        with pytest.raises(ExchangeMcpError, match="until it is restarted"):
            desk.operators.halt(HaltOrder(by="ops", reason="a look"))
        with dialect.reading(connection):
            connection.exec_driver_sql("PRAGMA query_only = OFF")
        done = await desk.sign(Purpose.ACCEPT_CONFIGURATION, {"configuration": "c" * 64})
        assert "in force after a restart. A halt could not be recorded" in done.message

    told(story)


def test_an_unknown_is_resolved_by_a_signature_with_a_note_and_only_to_what_its_action_ends_as() -> None:
    async def story(desk: Manned) -> None:
        intent = (await desk.asked()).intent_id
        body: dict[str, object] = {"intent": intent, "outcome": "absent", "note": "not in the venue's list"}
        await fails(desk.sign(Purpose.RESOLVE, body), ErrorCode.INTENT_MOVED_ON, "only what is unknown")
        await desk.approve(await desk.operators.open(intent))
        assert (await desk.engine.outcome(intent)).state is State.UNKNOWN
        set_ = {**body, "outcome": "set"}
        await fails(desk.sign(Purpose.RESOLVE, set_), ErrorCode.INVALID_ARGUMENT, "does not end as set")
        nobodys = {**body, "intent": "0" * 32}
        await fails(desk.sign(Purpose.RESOLVE, nobodys), ErrorCode.UNKNOWN_INTENT, "no intent")
        await desk.sign(Purpose.RESOLVE, body)
        resolved = desk.journal.intent(intent)
        assert (resolved.state, resolved.resolved_by) == (State.ABSENT, "anna")

    told(story, Manned(habits=UNKNOWN))


def test_a_halt_needs_nothing_and_only_a_signature_lifts_it() -> None:
    async def story(desk: Manned) -> None:
        answer = await desk.asked()
        assert desk.operators.halt(HaltOrder(account="main", by="ben", reason="a drill")).halted == (
            "account main: a drill (by ben)",
        )
        decision = await desk.operators.open(answer.intent_id)
        assert "account main is halted by ben (a drill): nothing of this is sent" in str(decision.halted)
        done = await desk.approve(decision)
        assert "halted" in done.message
        assert "sends it now" not in done.message
        lapsed = await desk.engine.settled(answer.intent_id)
        assert (lapsed.state, "halted by ben" in lapsed.reason) == (State.LAPSED, True)
        await fails(_halt(desk, "spare"), ErrorCode.UNKNOWN_ACCOUNT, "nothing is halted")
        await desk.sign(Purpose.RESUME, {"account": "main", "reason": "a drill"})
        assert desk.journal.halts() == ()
        assert (await desk.placed()).state is State.PLACED

    told(story)


async def _halt(desk: Manned, account: str) -> None:
    desk.operators.halt(HaltOrder(account=account, by="x", reason="x"))


def test_a_desk_that_is_not_open_can_be_halted_and_declined_at_all_the_same() -> None:
    async def story(desk: Manned) -> None:
        answer = await desk.asked()
        desk.floor.closed_for("not accepted")
        assert desk.operators.halt(HaltOrder(by="ben", reason="a drill")).halted == (
            "the desk: a drill (by ben)",
        )
        await fails(
            desk.operators.open(answer.intent_id), ErrorCode.CONFIGURATION_NOT_ACCEPTED, "not accepted"
        )
        declined = await desk.operators.decline(answer.intent_id, by="ben", note="no")
        assert declined.state == "declined"
        assert desk.operators.status().closed == "not accepted"

    told(story)


def test_halt_and_cancel_open_halts_first_and_cancels_every_open_order_under_one_signature() -> None:
    async def story(desk: Manned) -> None:
        intent = await desk.placed()
        # A client that asks for the same cancel stands in nobody's way: its own is stopped by the halt.
        own = await desk.asked({"symbol": "BTC/USDT", "intent_id": intent.id}, action="cancel")
        pending = desk.granting(await desk.operators.open(own.intent_id))
        open_ = [order for order in desk.world.orders if order.is_open]
        assert len(open_) == 2
        done = await desk.sign(Purpose.CANCEL_OPEN, {"account": None})
        assert (done.is_complete, len(done.intents)) == (True, 2)
        await until(lambda: all(desk.journal.intent(one.id).state is State.CANCELED for one in done.intents))
        assert not any(order.is_open for order in desk.world.orders)
        await desk.operators.signed(ANNA.message(pending))
        assert (await desk.engine.settled(own.intent_id)).state is State.LAPSED
        kinds = desk.kinds_told()
        assert kinds.index("acted") < kinds.index("halted")
        assert {desk.journal.intent(one.id).origin.value for one in done.intents} == {"operator"}

    told(story)


def test_an_order_list_that_is_not_told_is_named_and_never_taken_for_empty() -> None:
    async def story(desk: Manned) -> None:
        desk.resting.faults = (Unread("linear", VenueUnreachableError("no answer")),)
        done = await desk.sign(Purpose.CANCEL_OPEN, {"account": "main"})
        assert not done.is_complete
        assert "main, linear: no answer" in done.message
        assert [halt.account for halt in desk.journal.halts()] == [ACCOUNT]

    told(story)


def test_who_asked_for_the_cancels_may_go_away_and_they_go_on() -> None:
    async def story(desk: Manned) -> None:
        await desk.placed()
        asking = asyncio.ensure_future(desk.sign(Purpose.CANCEL_OPEN, {"account": None}))
        await asyncio.sleep(0.01)
        asking.cancel()
        await until(lambda: not any(order.is_open for order in desk.world.orders))

    told(story)


@pytest.mark.parametrize(
    ("request_", "action", "is_taken"),
    [
        (dict(BUY), "place", False),
        ({**BUY, "reduce_only": True}, "place", True),
        ({"symbol": "BTC/USDT", "client_order_id": "web_0"}, "cancel", True),
        (LEVERAGE, "leverage", False),
    ],
    ids=["an order", "a reduce", "a cancel", "a leverage"],
)
def test_while_halted_an_operator_proposes_what_only_reduces_and_it_is_sent_once_it_is_signed(
    request_: dict[str, object], action: str, *, is_taken: bool
) -> None:
    async def story(desk: Manned) -> None:
        desk.operators.halt(HaltOrder(by="ben", reason="a drill"))
        body = {"account": "main", "action": action, "request": request_, "distinct_from": None}
        if not is_taken:
            await fails(desk.sign(Purpose.PROPOSE, body), ErrorCode.HALTED, "a drill")
            return
        done = await desk.sign(Purpose.PROPOSE, body)
        assert (done.is_complete, done.intents[0].client) == (True, "operator:anna")
        decision = await desk.operators.open(done.intents[0].id)
        assert "this goes all the same" in str(decision.halted)
        assert "this goes all the same" in (await desk.approve(decision)).message
        settled = await desk.engine.settled(done.intents[0].id)
        assert settled.state in {State.PLACED, State.CANCELED}

    told(story)


def test_the_status_and_the_lists_say_what_is_so() -> None:
    async def story(desk: Manned) -> None:
        placed = await desk.placed()
        waiting = await desk.asked(LEVERAGE, action="leverage")
        status = desk.operators.status()
        assert (status.pending, status.approvers, status.clients) == (1, ("anna",), ("claude",))
        account = status.accounts[0]
        assert (account.name, account.closed, account.halted) == ("main", None, None)
        assert (account.notional_24h, account.orders_24h) == ({"USDT": "600.00"}, 1)

        def listed(state: str | None, account: str | None = None) -> list[str]:
            found = desk.operators.intents(state=state, account=account, limit=10)
            return [one.id for one in found.intents]

        assert listed(None) == [waiting.intent_id, placed.id]
        assert listed("open") == listed("live") == listed("proposed") == [waiting.intent_id]
        assert listed("placed") == [placed.id]
        assert listed(None, "spare") == []
        with pytest.raises(ExchangeMcpError, match="no state is called"):
            listed("odd")
        detail = desk.operators.intent(placed.id)
        assert detail.intent.summary == "limit buy 0.01 BTC/USDT at 60000"
        assert [event.kind for event in detail.events][:3] == ["proposed", "permitted", "shown"]
        (claude,) = desk.operators.clients().clients
        assert [(tool.tool, tool.is_allowed) for tool in claude.tools] == [
            (tool.name, True) for tool in TOOLS
        ]

    told(story)


def test_news_come_when_something_is_recorded_and_at_the_end_of_the_wait() -> None:
    async def story(desk: Manned) -> None:
        head = desk.journal.head().seq
        began = desk.loop.time()
        assert (await desk.operators.news(after=head, wait_ms=20_000)).events == ()
        assert desk.loop.time() - began == pytest.approx(20.0)
        waiting = asyncio.ensure_future(desk.operators.news(after=head, wait_ms=45_000))
        await asyncio.sleep(1)
        desk.operators.passphrase_failed("anna", 2)
        news = await waiting
        assert ([event.kind for event in news.events], news.head) == (["passphrase_failed"], head + 1)

    told(story)


def test_a_scripted_approver_counts_at_a_desk_without_real_money_alone() -> None:
    robot = Hand("robot", SCRIPTED)

    async def story(desk: Manned) -> None:
        await desk.enrol(robot)
        answer = await desk.asked()
        decision = await desk.operators.open(answer.intent_id)
        assert (await desk.approve(decision, robot)).is_complete

    told(story, Manned(kinds=verifiers(is_all_simulated=True)))


def test_with_a_full_disk_a_refusal_is_still_no_action() -> None:
    async def story(desk: Manned) -> None:
        answer = await desk.asked()
        decision = await desk.operators.open(answer.intent_id)
        message = CLEO.message(desk.granting(decision))

        async def until_it_is_full() -> None:
            for _ in range(2000):
                with suppress(DeskError):
                    await desk.operators.signed(message)

        with desk.shelf.full("main"), pytest.raises(JournalFullError):
            await until_it_is_full()
        assert desk.orders() == 0

    told(story)


def test_a_grant_is_collected_in_the_log_before_it_is_given() -> None:
    async def story(desk: Manned) -> None:
        await desk.enrol(BEN)
        answer = await desk.asked()
        decision = await desk.operators.open(answer.intent_id)
        await desk.approve(decision)
        signature = next(e for e in desk.journal.events_of(answer.intent_id) if e.kind == "signature")
        assert json.loads(signature.text)["body"]["approver"] == "anna"

    told(story, Manned(limits=Policy(approvals=2)))
