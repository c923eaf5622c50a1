"""What a client gets for what it proposes: its own intent, or one code and one sentence, with the refusal journaled."""

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from decimal import Decimal
from typing import Any

import pytest

from exchange_mcp.desk.intents import State
from exchange_mcp.desk.offices.tools import OfferedTool
from exchange_mcp.desk.operator.messages import HaltOrder
from exchange_mcp.desk.records import Signed
from exchange_mcp.desk.register import Allowance, Client
from exchange_mcp.desk.statements import Purpose
from exchange_mcp.link.messages import Handshake
from exchange_mcp.model.accounts import Environment, MarketType
from exchange_mcp.model.errors import (
    DeskError,
    ErrorCode,
    ExchangeMcpError,
    ProposalRefusedError,
    VenueUnreachableError,
)
from exchange_mcp.model.writes import CancelOrder
from exchange_mcp.policy.decision import Rule
from simulation.world import Fate, Habits

from .manned import BUY, CREDENTIAL, MAIN, TOOLS, Manned, Policy
from .test_grants import told

DEARER = {**BUY, "price": "60010"}
LEVERAGE: dict[str, object] = {"symbol": "BTC/USDT:USDT", "leverage": 5}


async def refused(desk: Manned, code: ErrorCode, *, client: str = "claude", **asked: Any) -> ExchangeMcpError:  # noqa: ANN401 - a field of the record
    request = asked.pop("request", BUY)
    with pytest.raises(ExchangeMcpError) as caught:
        await desk.clients.propose(client, desk.message(request, **asked))
    error = caught.value
    assert (error.code, error.outcome) == (code, "not_sent")
    assert error.message
    return error


async def unanswered(desk: Manned, request: Mapping[str, object] = BUY, **asked: Any) -> None:  # noqa: ANN401 - as above
    with pytest.raises(VenueUnreachableError):
        await desk.clients.propose("claude", desk.message(request, **asked))


def named(error: BaseException) -> str | None:
    assert isinstance(error, ProposalRefusedError)
    return error.intent_id


def turned_away(desk: Manned) -> dict[str, Any]:
    event = desk.journal.events()[-1]
    assert event.kind == "turned_away"
    return json.loads(event.text)["body"]


def another_client(desk: Manned, name: str = "other") -> None:
    by = Signed(approver="anna", nonce=f"for {name}", record="signed")
    desk.journal.add_client(Client(name=name, credential_sha256="e" * 64), by)
    for number, tool in enumerate(TOOLS):
        allowance = Allowance(client=name, tool=tool.name, is_allowed=True, declaration=tool.text)
        desk.journal.allow_tool(allowance, Signed(approver="anna", nonce=f"{name} {number}", record="signed"))


def test_a_proposal_is_answered_with_its_intent_and_who_decides() -> None:
    async def story(desk: Manned) -> None:
        answer = await desk.asked(note="a good price")
        assert (answer.state, answer.is_final, answer.repeated) == ("proposed", False, False)
        assert answer.approval is not None
        assert "a signature of anna" in answer.approval
        assert "://" not in answer.approval
        assert answer.preview_lines[0] == "order          limit buy"
        assert not any("a good price" in line for line in answer.preview_lines)
        assert desk.operators.intent(answer.intent_id).note == "a good price"

    told(story)


def test_the_same_proposal_again_is_the_same_intent_whatever_was_changed_since() -> None:
    async def story(desk: Manned) -> None:
        message = desk.message()
        first = await desk.clients.propose("claude", message)
        desk.operators.halt(HaltOrder(by="ben", reason="a pause"))
        again = await desk.clients.propose("claude", message)
        assert (again.intent_id, again.repeated) == (first.intent_id, True)
        other = message.model_copy(update={"request": DEARER})
        with pytest.raises(ExchangeMcpError) as caught:
            await desk.clients.propose("claude", other)
        assert caught.value.code is ErrorCode.PROPOSAL_ID_USED
        assert named(caught.value) == first.intent_id

    told(story)


def test_a_forged_proposal_id_tells_nothing_of_another_clients_intent() -> None:
    async def story(desk: Manned) -> None:
        another_client(desk)
        message = desk.message()
        first = await desk.clients.propose("claude", message)
        for forged in (message, message.model_copy(update={"request": DEARER})):
            with pytest.raises(ExchangeMcpError) as caught:
                await desk.clients.propose("other", forged)
            assert caught.value.code is ErrorCode.PROPOSAL_ID_USED
            assert named(caught.value) is None
            assert first.intent_id not in caught.value.message
        for asking in (
            desk.clients.read("other", first.intent_id, wait_ms=0, state=None),
            desk.clients.retract("other", first.intent_id),
            desk.clients.read("other", "f" * 32, wait_ms=0, state=None),
            desk.clients.propose("other", desk.message(distinct_from=first.intent_id)),
            desk.clients.propose(
                "other", desk.message({"symbol": "BTC/USDT", "intent_id": first.intent_id}, action="cancel")
            ),
        ):
            with pytest.raises(ExchangeMcpError) as caught:
                await asking
            assert caught.value.code is ErrorCode.UNKNOWN_INTENT
            assert caught.value.message == "no intent of this client has this id"
        for request in (BUY, DEARER):
            error = await refused(desk, ErrorCode.SIMILAR_ORDER, client="other", request=request)
            assert named(error) is None
            assert first.intent_id not in error.message

    told(story)


def test_every_refusal_of_the_journal_has_its_code_and_names_the_clients_own_intent() -> None:
    async def story(desk: Manned) -> None:
        first = await desk.asked()
        error = await refused(desk, ErrorCode.SIMILAR_ORDER, request=DEARER)
        assert named(error) == first.intent_id
        second = await desk.asked(DEARER, distinct_from=first.intent_id)
        assert second.similar == f"intent {first.intent_id}, 0 minutes ago"
        third = await desk.asked(LEVERAGE, action="leverage")
        await refused(
            desk, ErrorCode.TOO_MANY_PENDING, request={**LEVERAGE, "leverage": 6}, action="leverage"
        )
        await desk.operators.decline(third.intent_id, by="anna", note="")
        error = await refused(desk, ErrorCode.DECLINED_BEFORE, request=LEVERAGE, action="leverage")
        assert named(error) == third.intent_id
        await desk.clients.retract("claude", second.intent_id)
        with pytest.raises(ExchangeMcpError) as caught:
            await desk.clients.retract("claude", second.intent_id)
        assert caught.value.code is ErrorCode.INTENT_MOVED_ON

    told(story)


def test_beside_an_unknown_outcome_nothing_is_added_and_its_order_can_be_cancelled_by_the_intent() -> None:
    async def story(desk: Manned) -> None:
        answer = await desk.asked()
        await desk.approve(await desk.operators.open(answer.intent_id))
        assert (await desk.engine.outcome(answer.intent_id)).state is State.UNKNOWN
        told_ = await desk.clients.read("claude", answer.intent_id, wait_ms=0, state=None)
        assert (told_.state, "Do not propose it again" in told_.next) == ("unknown", True)
        error = await refused(desk, ErrorCode.BLOCKED_BY_UNKNOWN, request=LEVERAGE, action="leverage")
        assert (error.retry, named(error)) == ("after_reconcile", answer.intent_id)
        cancel = await desk.asked({"symbol": "BTC/USDT", "intent_id": answer.intent_id}, action="cancel")
        write = desk.journal.intent(cancel.intent_id).plan.write
        assert isinstance(write, CancelOrder)
        assert write.client_order_id == answer.client_order_id

    told(story, Manned(habits=Habits(fates=(Fate.LOST,), outage_s=600.0)))


def test_what_was_asked_before_is_known_even_where_its_venue_cannot_be_asked_now() -> None:
    async def story(desk: Manned) -> None:
        first = await desk.asked()
        desk.shown.is_dark = True
        assert (await desk.asked()).intent_id == first.intent_id
        assert desk.journal.events()[-1].kind == "unplanned"
        another_client(desk)
        error = await refused(desk, ErrorCode.SIMILAR_ORDER, client="other")
        assert first.intent_id not in str(error.body())
        # What is not known to be the same is not called so; nor is a second that was asked for on purpose.
        await unanswered(desk, DEARER)
        await unanswered(desk, distinct_from=first.intent_id)
        await desk.clients.retract("claude", first.intent_id)
        await unanswered(desk)

    told(story)


def test_beside_an_unknown_outcome_nothing_is_taken_even_where_its_venue_cannot_be_asked_now() -> None:
    async def story(desk: Manned) -> None:
        answer = await desk.asked()
        await desk.approve(await desk.operators.open(answer.intent_id))
        assert (await desk.engine.outcome(answer.intent_id)).state is State.UNKNOWN
        desk.shown.is_dark = True
        assert (await desk.asked()).state == "unknown"
        for request, action in ((DEARER, "place"), (LEVERAGE, "leverage")):
            error = await refused(desk, ErrorCode.BLOCKED_BY_UNKNOWN, request=request, action=action)
            assert (error.retry, named(error)) == ("after_reconcile", answer.intent_id)
        await unanswered(desk, {**DEARER, "symbol": "ETH/USDT"})

    told(story, Manned(habits=Habits(fates=(Fate.LOST,), outage_s=600.0)))


def test_a_denial_of_the_limits_is_its_own_code_with_their_reason() -> None:
    async def story(desk: Manned) -> None:
        error = await refused(desk, ErrorCode.POLICY_DENIED)
        assert "Above 500 USDT an order." in error.message
        assert desk.journal.intent(named(error) or "").state is State.DENIED

    told(story, Manned(limits=Policy(refuses="Above 500 USDT an order.")))


@pytest.mark.parametrize("rule", Rule)
def test_every_limit_denies_under_a_code_of_its_own_and_asked_again_it_is_still_that(rule: Rule) -> None:
    code = ErrorCode(f"POLICY_{rule.upper()}")

    async def story(desk: Manned) -> None:
        error = await refused(desk, code)
        answer = await desk.clients.read("claude", named(error) or "", wait_ms=0, state=None)
        assert (answer.state, answer.denied_as) == ("denied", code)

    told(story, Manned(limits=Policy(refuses="Not within the limits.", refuses_by=(rule, Rule.DAILY_LOSS))))


@pytest.mark.parametrize(
    ("request_", "action", "names"),
    [
        ({**BUY, "reduceOnly": True}, "place", "reduceOnly"),
        ({**BUY, "amount": 0.01}, "place", "amount"),
        ({**BUY, "amount": "1e3"}, "place", "amount"),
        ({**BUY, "reduce_only": "yes"}, "place", "reduce_only"),
        ({**BUY, "params": {"x": 1}}, "place", "params"),
        ({"symbol": "BTC/USDT"}, "place", "side"),
        ({**LEVERAGE, "leverage": True}, "leverage", "leverage"),
        ({**LEVERAGE, "leverage": "5"}, "leverage", "leverage"),
        ({"symbol": "BTC/USDT"}, "cancel", "exactly one"),
        ({"symbol": "BTC/USDT", "order_id": "1", "intent_id": "0" * 32}, "cancel", "exactly one"),
        ({"symbol": "BTC/USDT", "intent_id": "../1"}, "cancel", "intent_id"),
    ],
)
def test_a_request_that_is_not_exactly_one_is_refused_by_name(
    request_: dict[str, object], action: str, names: str
) -> None:
    async def story(desk: Manned) -> None:
        error = await refused(desk, ErrorCode.INVALID_ARGUMENT, request=request_, action=action)
        assert names in error.message
        assert turned_away(desk)["code"] == "INVALID_ARGUMENT"
        assert desk.journal.recent() == ()

    told(story)


MISMATCHES: list[tuple[dict[str, Any], ErrorCode]] = [
    ({"venue": "okx"}, ErrorCode.ACCOUNT_MISMATCH),
    ({"environment": Environment.LIVE}, ErrorCode.ACCOUNT_MISMATCH),
    ({"market_types": (MarketType.SPOT, MarketType.INVERSE)}, ErrorCode.ACCOUNT_MISMATCH),
    ({"market_types": ()}, ErrorCode.ACCOUNT_MISMATCH),
    ({"account_id": "1002"}, ErrorCode.ACCOUNT_MISMATCH),
    ({"name": "spare"}, ErrorCode.UNKNOWN_ACCOUNT),
]


@pytest.mark.parametrize(("changed", "code"), MISMATCHES, ids=str)
def test_another_account_behind_the_same_name_is_refused_at_every_proposal_and_told_at_the_handshake(
    changed: dict[str, Any], code: ErrorCode
) -> None:
    async def story(desk: Manned) -> None:
        said = MAIN.model_copy(update=changed)
        await refused(desk, code, account=said)
        assert turned_away(desk)["code"] == code.value
        agreed = await desk.clients.handshake(
            "claude", Handshake(protocol=1, version="1", accounts=(said, MAIN))
        )
        assert agreed.accounts[0].agreed in {"mismatch", "not_held"}
        assert agreed.accounts[1].agreed == "agreed"

    told(story)


@pytest.mark.parametrize(
    ("desk", "agreed", "is_taken"),
    [
        (lambda: Manned(account_id=None), "unverifiable", True),
        (lambda: Manned(account_id=None, environment=Environment.LIVE), "mismatch", False),
        (
            lambda: Manned(account_id=None, environment=Environment.LIVE, accept_unmatched="one account"),
            "accepted",
            True,
        ),
        (
            lambda: Manned(account_id="7", environment=Environment.LIVE, accept_unmatched="one account"),
            "mismatch",
            False,
        ),
    ],
    ids=["sim, unknown", "live, unknown", "live, accepted", "live, another"],
)
def test_an_account_that_cannot_be_compared_is_real_money_only_where_the_operator_accepts_it(
    desk: Callable[[], Manned], agreed: str, *, is_taken: bool
) -> None:
    async def story(desk: Manned) -> None:
        said = MAIN.model_copy(update={"environment": desk.environment})
        answer = await desk.clients.handshake("claude", Handshake(protocol=1, version="1", accounts=(said,)))
        assert answer.accounts[0].agreed == agreed
        if is_taken:
            assert (await desk.asked(account=said)).state == "proposed"
        else:
            await refused(desk, ErrorCode.ACCOUNT_MISMATCH, account=said)

    told(story, desk())


def test_a_destructive_tool_is_blocked_until_it_is_allowed_by_name_and_again_where_it_is_blocked() -> None:
    async def story(desk: Manned) -> None:
        by = Signed(approver="anna", nonce="n", record="signed")
        desk.journal.add_client(Client(name="other", credential_sha256="e" * 64), by)
        error = await refused(desk, ErrorCode.NOT_ALLOWED_FOR_CLIENT, client="other")
        assert "exchange-mcp clients allow CLIENT place_order" in error.message
        place = TOOLS[0]
        body = {"client": "other", "tool": place.name, "allowed": True, "declaration": place.digest}
        await desk.sign(Purpose.ALLOW_TOOL, body)
        assert (await desk.clients.propose("other", desk.message())).state == "proposed"
        await desk.sign(Purpose.ALLOW_TOOL, {**body, "allowed": False})
        error = await refused(desk, ErrorCode.NOT_ALLOWED_FOR_CLIENT, client="other", request=DEARER)
        assert "blocked it by name" in error.message

    told(story)


def test_another_version_of_serve_is_named_as_such() -> None:
    async def story(desk: Manned) -> None:
        error = await refused(desk, ErrorCode.NOT_ALLOWED_FOR_CLIENT, declaration="0" * 64)
        assert "different versions" in error.message
        with pytest.raises(DeskError) as caught:
            await desk.clients.handshake("claude", Handshake(protocol=2, version="9", accounts=()))
        assert caught.value.code is ErrorCode.DESK_VERSION

    told(story)


@pytest.mark.parametrize("more", ["it takes unknown arguments", None])
def test_a_tool_that_allows_more_than_when_it_was_allowed_is_blocked_until_looked_at_and_another_is_not(
    more: str | None,
) -> None:
    newer = tuple(
        OfferedTool(
            name=tool.name, risk=tool.risk, source=tool.source, declaration={**tool.declaration, "new": 1}
        )
        for tool in TOOLS
    )

    async def story(desk: Manned) -> None:
        message = desk.message(declaration=newer[0].digest)
        if more is None:
            assert (await desk.clients.propose("claude", message)).state == "proposed"
            return
        with pytest.raises(DeskError, match=more) as caught:
            await desk.clients.propose("claude", message)
        assert caught.value.code is ErrorCode.NOT_ALLOWED_FOR_CLIENT
        body = {"client": "claude", "tool": "place_order", "allowed": True, "declaration": newer[0].digest}
        await desk.sign(Purpose.ALLOW_TOOL, body)
        assert (await desk.clients.propose("claude", message)).state == "proposed"

    told(story, Manned(tools=newer, widened=lambda _before, _now: more))


def test_without_an_approver_or_an_accepted_configuration_nothing_is_proposed() -> None:
    async def story(desk: Manned) -> None:
        await refused(desk, ErrorCode.NO_APPROVER)

    told(story, Manned(is_enrolled=False))

    async def another(desk: Manned) -> None:
        desk.floor.closed_for("desk.toml was changed and not accepted")
        error = await refused(desk, ErrorCode.CONFIGURATION_NOT_ACCEPTED)
        assert "desk.toml was changed" in error.message
        agreed = await desk.clients.handshake("claude", Handshake(protocol=1, version="1", accounts=(MAIN,)))
        assert agreed.closed == "desk.toml was changed and not accepted"

    told(another)


def test_while_halted_nothing_is_proposed() -> None:
    async def story(desk: Manned) -> None:
        desk.operators.halt(HaltOrder(account="main", by="ben", reason="a drill"))
        error = await refused(desk, ErrorCode.HALTED)
        assert "account main is halted: a drill" in error.message
        await refused(
            desk, ErrorCode.HALTED, request={"symbol": "BTC/USDT", "order_id": "1"}, action="cancel"
        )

    told(story)


def test_a_credential_is_one_clients_or_nobodys_and_guessing_does_not_fill_the_journal() -> None:
    async def story(desk: Manned) -> None:
        assert desk.clients.client_of(CREDENTIAL) == "claude"
        for _ in range(50):
            with pytest.raises(DeskError) as caught:
                desk.clients.client_of("guess")
            assert caught.value.code is ErrorCode.CREDENTIAL_REFUSED
        assert desk.kinds_told().count("credential_refused") == 1
        assert not any("guess" in event.text for event in desk.journal.events())

    told(story)


def test_a_read_waits_for_another_state_at_most_45_seconds_and_ends_with_the_desk() -> None:
    async def story(desk: Manned) -> None:
        answer = await desk.asked()
        began = desk.loop.time()
        same = await desk.clients.read("claude", answer.intent_id, wait_ms=10**9, state="proposed")
        assert (same.state, desk.loop.time() - began) == ("proposed", 45.0)
        waiting = asyncio.ensure_future(
            desk.clients.read("claude", answer.intent_id, wait_ms=45_000, state="proposed")
        )
        await asyncio.sleep(3)
        await desk.operators.decline(answer.intent_id, by="anna", note="")
        began = desk.loop.time()
        assert ((await waiting).state, desk.loop.time()) == ("declined", began)
        waiting = asyncio.ensure_future(
            desk.clients.read("claude", answer.intent_id, wait_ms=45_000, state="declined")
        )
        await asyncio.sleep(1)
        began = desk.loop.time()
        await desk.floor.stop()
        assert ((await waiting).state, desk.loop.time()) == ("declined", began)

    told(story)


def test_a_cancel_by_an_intent_that_was_never_sent_says_to_retract_it() -> None:
    async def story(desk: Manned) -> None:
        answer = await desk.asked()
        cancel = {"symbol": "BTC/USDT", "intent_id": answer.intent_id}
        error = await refused(desk, ErrorCode.INTENT_MOVED_ON, request=cancel, action="cancel")
        assert "retract it instead" in error.message
        other = {**cancel, "symbol": "ETH/USDT"}
        await refused(desk, ErrorCode.INVALID_ARGUMENT, request=other, action="cancel")

    told(story)


def test_the_red_line_no_message_of_a_client_leads_to_a_decision() -> None:
    """Everything the proposal socket has, over everything a client can put in it, while one proposal is approvable."""

    async def story(desk: Manned) -> None:
        another_client(desk)
        answer = await desk.asked()
        decision = await desk.operators.open(answer.intent_id)
        head = desk.journal.head().seq
        ids = [answer.intent_id, "0" * 32, decision.nonce, "approve", "../" * 9, "\u202e\x00"]
        odd = ["approve", "anna", "x\u202ey\x00", "'; DROP TABLE approver; --", "grant"]
        for client in ("claude", "other", "anna", "operator:anna"):
            for name in ids:
                for asking in (
                    desk.clients.read(client, name, wait_ms=0, state="proposed"),
                    desk.clients.propose(client, desk.message(DEARER, note=name[:140])),
                    desk.clients.propose(client, desk.message({**BUY, "approved_by": "anna"})),
                    desk.clients.propose(
                        client, desk.message({"symbol": "BTC/USDT", "intent_id": name}, action="cancel")
                    ),
                ):
                    await _whatever(asking)
            for word in odd:
                said = MAIN.model_copy(update={"name": word, "venue": word})
                await _whatever(desk.clients.propose(client, desk.message(account=said, note=word)))
                await _whatever(desk.clients.propose(client, desk.message(tool=word)))
                await _whatever(desk.clients.propose(client, desk.message(declaration=word)))
                shake = Handshake(protocol=1, version=word, accounts=(said,))
                await _whatever(desk.clients.handshake(client, shake))
        since = {event.kind for event in desk.journal.events(after=head)}
        assert since <= {"proposed", "permitted", "refused", "turned_away", "unplanned"}
        assert desk.journal.intent(answer.intent_id).state is State.PROPOSED
        assert [one.name for one in desk.journal.approvers()] == ["anna"]
        await desk.approve(decision)
        assert (await desk.engine.settled(answer.intent_id)).state is State.PLACED
        assert desk.orders() == 1

    told(story)


async def _whatever(asking: Any) -> None:  # noqa: ANN401 - any answer
    with suppress(ExchangeMcpError):
        await asking


def test_a_moved_price_under_a_lost_answer_never_becomes_a_second_order() -> None:
    async def story(desk: Manned) -> None:
        intent = await desk.placed()
        desk.shown.moved = Decimal(3)
        error = await refused(desk, ErrorCode.SIMILAR_ORDER, request=DEARER)
        assert named(error) == intent.id
        again = await desk.asked()
        assert (again.intent_id, again.repeated, again.state) == (intent.id, True, "placed")
        assert desk.orders() == 1

    told(story)
