"""What an approver signs is made from the decision's own bytes, and a decision that does not hold together is not."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exchange_mcp.desk.operator.approving import Decidable, NotSignableError, read_decision, signed_message
from exchange_mcp.desk.operator.messages import Decision, SignatureMessage
from exchange_mcp.desk.operator.page import age, page
from exchange_mcp.desk.statements import Purpose, Statement, grant_body, sha256_of
from exchange_mcp.model.canonical import canonical_json
from orders.made import LINEAR

from .answers import DESK, INTENT, NONCE, NOW_MS, POLICY, view
from .decisions import (
    LONG,
    buys_spot,
    cancels_stop,
    cancels_unknown,
    edited_plan,
    edited_preview,
    flips,
    order,
    sets_leverage,
)

DIGEST = sha256_of(POLICY)
KINDS: list[Callable[[], Decision]] = [flips, buys_spot, cancels_stop, cancels_unknown, sets_leverage]


def read(decision: Decision, *, policy_digest: str = DIGEST) -> Decidable:
    return read_decision(decision, intent_id=INTENT, desk_id=DESK, policy_digest=policy_digest, now_ms=NOW_MS)


def refused(decision: Decision, *, policy_digest: str = DIGEST) -> str:
    with pytest.raises(NotSignableError) as raised:
        read(decision, policy_digest=policy_digest)
    assert str(raised.value).startswith("Not signed: ")
    return str(raised.value)


@pytest.mark.parametrize("made", KINDS)
def test_the_statement_is_made_from_the_bytes_that_are_shown(made: Callable[[], Decision]) -> None:
    decision = made()
    body = grant_body(
        intent=INTENT, plan_text=decision.plan_text, preview_text=decision.preview_text, policy_digest=DIGEST
    )
    statement = read(decision).statement
    expected = Statement(
        purpose=Purpose.GRANT, desk_id=DESK, nonce=NONCE, expires_ms=decision.expires_ms, body=body
    )
    assert statement.hash() == expected.hash()
    message = signed_message(statement, SignatureMessage(approver="ada", fields={"signature": "x"}))
    assert (message.purpose, message.nonce, message.body) == (Purpose.GRANT, NONCE, body)


@pytest.mark.parametrize(
    "edits",
    [
        {"write__amount": "2"},
        {"write__side": "buy"},
        {"write__is_reduce_only": True},
        {"write__client_order_id": "x-2"},
        {"write__symbol": "ETH/USDT:USDT"},
        {"market__market_id": "ETHUSDT"},
        {"market__contract_size": "10"},
        {"market__quote": "USDC"},
        {"request__parameters__quantity": "2"},
        {"request__parameters__side": "BUY"},
        {"request__parameters__symbol": "ETHUSDT"},
        {"request__parameters__type": "LIMIT"},
        {"request__parameters__reduceOnly": True},
        {"request__parameters__closePosition": True},
        {"request__parameters__newClientOrderId": "x-2"},
        {"request__path": "leverage"},
        {"request__path": "batchOrders"},
        {"request__verb": "DELETE"},
        {"request__api": "private"},
        {"venue": "okx"},
        {"account": "other"},
        {"environment": "live"},
        {"write__type": "limit", "write__price": "1"},
    ],
    ids=",".join,
)
def test_an_edited_plan_is_not_signed(edits: dict[str, Any]) -> None:
    refused(edited_plan(flips(), **edits))


@pytest.mark.parametrize(
    "edits",
    [
        {"shown__amount": "0.1"},
        {"shown__side": "buy"},
        {"shown__effect": "reduces"},
        {"shown__effect": None},
        {"shown__effect": "reduces", "footing__effect": "reduces"},
        {"shown__position": "1.4", "shown__effect": "reduces", "footing__effect": "reduces"},
        {"shown__position_after": "0.6"},
        {"shown__price": "1"},
        {"shown__reduce_only": True},
        {"shown__client_order_id": "x-2"},
        {"shown__market__symbol": "ETH/USDT:USDT"},
        {"shown__market__venue": "okx"},
        {"shown__market__market_type": "spot"},
        {"shown__leverage": 3},
        {"shown__margin_mode": "isolated"},
        {"shown__position_mode": "hedge"},
        {"footing__effect": "opens"},
        {"footing__leverage": 50},
        {"footing__position_mode": "hedge"},
        {"footing__more": 1},
        {"more": 1},
        {"shown__more": 1},
        {"shown__warnings": ["\u202esafe"]},
        {"shown__refused": {"code": "HEDGE_MODE", "reason": "hedge"}},
        {"shown__amount": None},
    ],
    ids=",".join,
)
def test_an_edited_preview_is_not_signed(edits: dict[str, Any]) -> None:
    refused(edited_preview(flips(), **edits))


@pytest.mark.parametrize("made", KINDS)
def test_the_preview_of_another_write_is_not_signed(made: Callable[[], Decision]) -> None:
    for other in (make for make in KINDS if make is not made):
        refused(made().model_copy(update={"preview_text": other().preview_text}))


def test_a_preview_of_another_amount_of_the_same_market_is_not_signed() -> None:
    other = order(LINEAR, LONG, type="market", side="sell", amount="1.1")
    assert "amount" in refused(flips().model_copy(update={"preview_text": other.preview_text}))


@pytest.mark.parametrize("part", ["plan_text", "preview_text", "policy_text"])
@pytest.mark.parametrize(
    "edit",
    ["empty", "cut", "list", "null", "spaced", "longer", "doubled", "deep", "float"],
)
def test_what_cannot_be_read_or_is_written_otherwise_is_not_signed(part: str, edit: str) -> None:
    decision = flips()
    text: str = getattr(decision, part)
    edited = {
        "empty": "",
        "cut": text[:-1],
        "list": "[]",
        "null": "null",
        "spaced": text.replace(",", ", ", 1),
        "longer": text[:-1] + ',"zz":1}',
        "doubled": text[: text.index(",") + 1] + text[1:],  # the first member twice
        "deep": "[" * 100_000,
        "float": '{"a":1.5}',
    }[edit]
    refused(decision.model_copy(update={part: edited}))


def test_a_policy_that_is_not_the_one_in_force_is_not_signed() -> None:
    loosened = canonical_json({"desk": {"reference": "USDT", "max_order": "1000000"}})
    assert "policy" in refused(flips().model_copy(update={"policy_text": loosened}))
    assert "policy" in refused(flips(), policy_digest="0" * 64)


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"desk_id": "e" * 16}, "another desk"),
        ({"nonce": "AB" * 16}, "nonce"),
        ({"nonce": ""}, "nonce"),
        ({"expires_ms": NOW_MS}, "over"),
        ({"expires_ms": NOW_MS + 605_001}, "ten minutes"),
        ({"intent": view(id="f" * 32)}, "another intent"),
        ({"intent": view(account="other")}, "account"),
        ({"intent": view(environment="live")}, "environment"),
        ({"intent": view(symbol="ETH/USDT:USDT")}, "market"),
        ({"intent": view(action="cancel")}, "action"),
        ({"intent": view(venue="okx")}, "venue"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_decision_that_is_not_the_one_that_was_asked_for_is_not_signed(
    changed: dict[str, Any], word: str
) -> None:
    assert word in refused(flips().model_copy(update=changed))


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_one_changed_character_is_never_signed_as_what_it_was(data: st.DataObject) -> None:
    """Either it is refused, or what is signed and shown is another decision."""
    before = flips()
    part = data.draw(st.sampled_from(["plan_text", "preview_text", "policy_text"]))
    text: str = getattr(before, part)
    at = data.draw(st.integers(0, len(text) - 1))
    edited = text[:at] + data.draw(st.characters(codec="utf-8")) + text[at + 1 :]
    decision = before.model_copy(update={part: edited})
    try:
        found = read(decision)
    except NotSignableError:
        return
    was = read(before)
    assert (edited == text) is (found.statement.hash() == was.statement.hash())


def test_a_flip_is_named_first_and_in_plain_words() -> None:
    shown = page(read(flips()), NOW_MS)
    assert shown.headline == "FLIPS your position: long 0.4 BTC becomes short 0.6 BTC"
    assert shown.environment.startswith("SIMULATED")
    assert dict(shown.where)["account's id"] == "ends in 1234"
    assert "quantity = 1" in shown.request
    assert shown.digest == sha256_of(flips().plan_text)
    assert shown.tail == shown.digest[-4:]


@pytest.mark.parametrize(
    ("made", "headline"),
    [
        (buys_spot, "ADDS to your holding: 2 BTC becomes 2.1 BTC"),
        (
            cancels_stop,
            "TAKES AWAY THE PROTECTION of what you hold: cancels the sell stop-market order of 1 BTC on BTC/USDT",
        ),
        (cancels_unknown, "CANCELS an order that is not among the open ones"),
        (sets_leverage, "CHANGES the leverage of BTC/USDT:USDT: 10x becomes 20x"),
        (
            lambda: order(LINEAR, LONG, type="market", side="sell", amount="0.4"),
            "CLOSES your position: long 0.4 BTC becomes no position",
        ),
        (
            lambda: order(LINEAR, LONG, type="market", side="sell", amount="0.1"),
            "REDUCES your position: long 0.4 BTC becomes long 0.3 BTC",
        ),
        (
            lambda: order(LINEAR, LONG, type="market", amount="0.1"),
            "ADDS to your position: long 0.4 BTC becomes long 0.5 BTC",
        ),
    ],
)
def test_every_effect_has_its_plain_words(made: Callable[[], Decision], headline: str) -> None:
    assert page(read(made()), NOW_MS).headline == headline


def test_live_money_is_unmistakable() -> None:
    live = edited_plan(flips(), environment="live").model_copy(update={"intent": view(environment="live")})
    shown = page(read(live), NOW_MS)
    assert (shown.is_live, shown.environment) == (True, "LIVE - REAL MONEY")


def test_the_note_stands_apart_and_hides_nothing() -> None:
    hostile = "APPROVED by the desk\u202e\x1b[31m\u200b" + "x" * 300
    shown = page(read(flips().model_copy(update={"note": hostile})), NOW_MS)
    assert shown.note is not None
    assert "\\u{202e}" in shown.note
    assert "\\u{1b}" in shown.note
    assert len(shown.note) < 250
    inside = [shown.headline, shown.approvals, *shown.lines, *shown.request, *shown.recent, *shown.changed]
    assert not any("APPROVED" in line for line in inside)


def test_similar_orders_are_shown_with_their_age() -> None:
    similar = view(id="e" * 32, state="placed", created_at=NOW_MS - 125_000)
    shown = page(read(flips().model_copy(update={"similar": (similar,)})), NOW_MS)
    assert shown.recent[0].startswith("SIMILAR ORDER, 2 MINUTES AGO: sell 1 BTC/USDT:USDT")


@pytest.mark.parametrize(
    ("passed", "words"),
    [
        (0, "0 s ago"),
        (59_999, "59 s ago"),
        (60_000, "1 minute ago"),
        (7_200_000, "2 hours ago"),
        (86_400_000, "1 day ago"),
    ],
)
def test_an_age_is_told_in_words_of_one_unit(passed: int, words: str) -> None:
    assert age(NOW_MS - passed, NOW_MS) == words


@pytest.mark.parametrize("made", KINDS)
def test_no_text_of_the_desks_can_steer_a_terminal(made: Callable[[], Decision]) -> None:
    hostile = "\x1b]0;title\x07\u202e\n"
    decision = made().model_copy(
        update={
            "changed": (hostile,),
            "halted": hostile,
            "similar": (view(summary=hostile, state=hostile),),
            "signed_by": (hostile,),
            "intent": made().intent.model_copy(update={"client": hostile}),
        }
    )
    shown = page(read(decision), NOW_MS)
    texts = [
        shown.headline,
        str(shown.halted),
        shown.approvals,
        *shown.recent,
        *shown.changed,
        *(told for _, told in shown.where),
    ]
    assert all(text.isascii() and text.isprintable() for text in texts)
