"""What a send proves: the order of the questions, the shape of an answer, and what an exception takes away."""

import importlib
import inspect
import time
from dataclasses import replace
from typing import Any, cast

import ccxt
import pytest

from exchange_mcp.model.outcomes import Evidence, Outcome
from exchange_mcp.rules.outcomes import ROUTES
from exchange_mcp.rules.outcomes.exceptions import RULINGS, Ruling
from exchange_mcp.venue.bodies import LONGEST
from exchange_mcp.venue.verdict import judge

from .outcomes import ANSWERS
from .outcomes.answers import OURS, as_json

URL = "https://fapi.binance.com/fapi/v1/order"
PLACED = {"symbol": "BTCUSDT", "orderId": 42, "clientOrderId": OURS, "status": "NEW"}
REFUSED = '{"code":-2019,"msg":"Margin is insufficient."}'

SENT = Evidence(
    venue="binance",
    action="place",
    url=URL,
    is_sent=True,
    status=200,
    body=as_json(PLACED),
    client_order_id=OURS,
)
REFUSAL = replace(SENT, status=400, body=REFUSED)


def outcome(evidence: Evidence, **changes: Any) -> Outcome:  # noqa: ANN401 - the caller names fields
    return judge(replace(evidence, **changes)).outcome


def about(body: object, **changes: Any) -> Outcome:  # noqa: ANN401 - as above
    return outcome(SENT, body=body if isinstance(body, str) else as_json(body), **changes)


# --- what was sent ---


def test_what_never_left_is_not_sent_whatever_was_raised() -> None:
    nothing = replace(SENT, is_sent=False, status=None, body=None)
    assert judge(nothing).outcome is Outcome.NOT_SENT
    assert outcome(nothing, exception="RequestTimeout") is Outcome.NOT_SENT
    assert outcome(nothing, url="", venue="gate") is Outcome.NOT_SENT


def test_an_answer_to_what_never_left_proves_nothing() -> None:
    assert outcome(SENT, is_sent=False) is Outcome.UNKNOWN
    assert outcome(SENT, is_sent=False, status=None) is Outcome.UNKNOWN
    assert outcome(SENT, is_sent=False, body=None) is Outcome.UNKNOWN


def test_a_token_that_another_send_spent_proves_nothing() -> None:
    assert outcome(SENT, is_token_spent=True) is Outcome.UNKNOWN
    assert outcome(REFUSAL, is_token_spent=True) is Outcome.UNKNOWN
    assert outcome(SENT, is_sent=False, is_token_spent=True, status=None, body=None) is Outcome.UNKNOWN


def test_no_answer_and_half_an_answer_prove_nothing() -> None:
    assert outcome(SENT, status=None, body=None) is Outcome.UNKNOWN
    assert outcome(SENT, body=None) is Outcome.UNKNOWN
    assert outcome(REFUSAL, body=None) is Outcome.UNKNOWN


# --- where it was asked ---


@pytest.mark.parametrize(
    "url",
    [
        "",
        "http://fapi.binance.com/fapi/v1/order",
        "https://fapi.binance.com.example.org/fapi/v1/order",
        "https://someone@fapi.binance.com/fapi/v1/order",
        "https://fapi.binance.com:8443/fapi/v1/order",
        "https://fapi.binance.com:notaport/fapi/v1/order",
        "https://api.binance.com/fapi/v1/order",
        "https://fapi.binance.com/fapi/v1/order/",
        "https://fapi.binance.com/fapi/v1/order\n",
        "https://fapi.binance.com/fapi/v1/batchOrders",
        "https://fapi.binance.com/fapi/v1/ORDER",
        "https://papi.binance.com/papi/v1/um/order",
        "https://[fapi.binance.com/fapi/v1/order",
        "order",
    ],
)
def test_an_answer_from_a_place_that_no_rule_describes_proves_nothing(url: str) -> None:
    assert outcome(SENT, url=url) is Outcome.UNKNOWN
    assert outcome(REFUSAL, url=url) is Outcome.UNKNOWN


def test_the_query_of_the_url_does_not_matter() -> None:
    assert outcome(SENT, url=f"{URL}?symbol=BTCUSDT&signature=x") is Outcome.ACCEPTED


def test_another_venue_and_one_that_nobody_knows_prove_nothing() -> None:
    assert outcome(SENT, venue="gate") is Outcome.UNKNOWN
    assert outcome(SENT, venue="") is Outcome.UNKNOWN
    assert outcome(SENT, action="cancel") is Outcome.UNKNOWN


# --- whose order it is ---


def test_an_acceptance_names_the_venues_order_id() -> None:
    assert judge(SENT).order_id == "42"
    assert judge(REFUSAL).order_id is None


@pytest.mark.parametrize(
    "ours", ["", "another", OURS.upper(), OURS[:-1], f"{OURS} ", None, 7, True, [OURS], {"id": OURS}]
)
def test_an_order_under_any_other_client_id_proves_nothing(ours: object) -> None:
    assert about(PLACED | {"clientOrderId": ours}) is Outcome.UNKNOWN


def test_without_our_client_id_an_order_is_anybodys() -> None:
    assert outcome(SENT, client_order_id=None) is Outcome.UNKNOWN
    assert outcome(REFUSAL, client_order_id=None) is Outcome.REJECTED


@pytest.mark.parametrize("number", [0, -1, 2**63, True, None, "", "42", 42.0, [42], {}, "x" * 100])
def test_an_order_id_of_another_kind_proves_nothing(number: object) -> None:
    assert about(PLACED | {"orderId": number}) is Outcome.UNKNOWN


def test_an_order_id_that_is_text_is_plain_and_not_only_zeros() -> None:
    def taken(order_id: object) -> Outcome:
        body: dict[str, object] = {"error": [], "result": {"descr": {"order": "buy"}, "txid": [order_id]}}
        return outcome(
            SENT, venue="kraken", url="https://api.kraken.com/0/private/AddOrder", body=as_json(body)
        )

    assert taken("OUF4EM-FRGI2-MQMWZD") is Outcome.ACCEPTED
    for order_id in ("", "0", "000", "a b", "a/b", "a" * 81, 7, None, ["OUF4EM"]):
        assert taken(order_id) is Outcome.UNKNOWN


def test_an_answer_to_a_cancel_is_about_the_order_that_the_cancel_names() -> None:
    cancel = replace(SENT, action="cancel", body=as_json(PLACED | {"status": "CANCELED"}))
    assert judge(cancel).outcome is Outcome.ACCEPTED
    assert outcome(cancel, client_order_id=None, order_id="42") is Outcome.ACCEPTED
    assert outcome(cancel, client_order_id=None, order_id="43") is Outcome.UNKNOWN
    assert outcome(cancel, client_order_id="another") is Outcome.UNKNOWN
    unnamed = judge(replace(cancel, client_order_id=None))
    assert unnamed.outcome is Outcome.ACCEPTED
    assert "not compared" in unnamed.reason


@pytest.mark.parametrize(
    "status", ["NEW", "FILLED", "PARTIALLY_FILLED", "EXPIRED", "canceled", "", None, True]
)
def test_a_cancel_is_proved_by_the_word_that_it_ended_so(status: object) -> None:
    assert about(PLACED | {"status": status}, action="cancel") is Outcome.UNKNOWN


def test_a_leverage_is_proved_by_the_number_that_was_asked_for() -> None:
    body = {"leverage": 21, "maxNotionalValue": "1000000", "symbol": "BTCUSDT"}
    changed = replace(
        SENT,
        action="leverage",
        url="https://fapi.binance.com/fapi/v1/leverage",
        client_order_id=None,
        leverage=21,
        body=as_json(body),
    )
    assert judge(changed).outcome is Outcome.ACCEPTED
    assert outcome(changed, leverage=20) is Outcome.UNKNOWN
    for odd in ("0", 0, -21, 21.0, True, None, "twenty", "021", [21]):
        assert outcome(changed, body=as_json(body | {"leverage": odd})) is Outcome.UNKNOWN
    assert "not compared" in judge(replace(changed, leverage=None)).reason


@pytest.mark.parametrize("odd", [True, 1.0, "1", None, [1], {"n": 1}, [], {}])
def test_what_an_acceptance_must_hold_is_compared_by_type_too(odd: object) -> None:
    """`true` is no 1 and no 0 to JSON, though both are equal in Python."""

    def said(venue: str, action: str, url: str, body: dict[str, object]) -> Outcome:
        return outcome(SENT, venue=venue, action=action, url=url, body=as_json(body))

    kraken, bybit, coinbase = (
        "https://api.kraken.com/0/private/CancelOrder",
        "https://api.bybit.com/v5/order/create",
        "https://api.coinbase.com/api/v3/brokerage/orders",
    )
    taken: dict[str, object] = {"retMsg": "OK", "result": {"orderId": "1321", "orderLinkId": OURS}}
    held: dict[str, object] = {"success_response": {"order_id": "111-000", "client_order_id": OURS}}
    none: list[object] = []
    assert said("kraken", "cancel", kraken, {"error": none, "result": {"count": 1}}) is Outcome.ACCEPTED
    assert said("bybit", "place", bybit, taken | {"retCode": 0}) is Outcome.ACCEPTED
    assert said("coinbase", "place", coinbase, held | {"success": True}) is Outcome.ACCEPTED
    assert said("kraken", "cancel", kraken, {"error": none, "result": {"count": odd}}) is Outcome.UNKNOWN
    assert said("kraken", "cancel", kraken, {"error": odd or "", "result": {"count": 1}}) is Outcome.UNKNOWN
    assert said("bybit", "place", bybit, taken | {"retCode": odd}) is Outcome.UNKNOWN
    assert said("bybit", "place", bybit, taken | {"retCode": False}) is Outcome.UNKNOWN
    if odd is not True:
        assert said("coinbase", "place", coinbase, held | {"success": odd}) is Outcome.UNKNOWN
    assert said("coinbase", "place", coinbase, held | {"success": 1}) is Outcome.UNKNOWN


# --- what the order's own word says ---


@pytest.mark.parametrize("status", ["NEW", "PARTIALLY_FILLED", "FILLED"])
def test_an_order_that_rests_or_filled_was_accepted(status: str) -> None:
    assert about(PLACED | {"status": status}) is Outcome.ACCEPTED


@pytest.mark.parametrize("status", ["EXPIRED", "EXPIRED_IN_MATCH"])
def test_an_order_that_expired_at_once_was_accepted_and_may_have_filled(status: str) -> None:
    verdict = judge(replace(SENT, body=as_json(PLACED | {"status": status})))
    assert verdict.outcome is Outcome.ACCEPTED
    assert "may have filled" in verdict.reason


@pytest.mark.parametrize("status", ["REJECTED", "CANCELED", "new", "", "SOMETHING", None, 1])
def test_an_order_with_any_other_word_proves_nothing(status: object) -> None:
    assert about(PLACED | {"status": status}) is Outcome.UNKNOWN


@pytest.mark.parametrize(
    "members", [{"code": 0}, {"code": -2019}, {"code": 200}, {"msg": "Margin is insufficient."}]
)
def test_an_order_id_beside_a_code_is_a_contradiction(members: dict[str, object]) -> None:
    assert about(PLACED | members) is Outcome.UNKNOWN
    assert about(PLACED | members, status=400) is Outcome.UNKNOWN


# --- codes ---


@pytest.mark.parametrize("code", ["-2019", -2019.0, True, None, [-2019], {"code": -2019}, "", 2019, -20190])
def test_a_code_of_another_type_is_another_code(code: object) -> None:
    assert about({"code": code, "msg": "x"}, status=400) is Outcome.UNKNOWN


def test_a_code_as_a_number_is_no_code_where_the_page_has_text() -> None:
    bitget = replace(
        SENT, venue="bitget", url="https://api.bitget.com/api/v2/spot/trade/place-order", status=400
    )
    body = {"code": "43012", "msg": "Insufficient balance", "requestTime": 1, "data": None}
    assert outcome(bitget, body=as_json(body)) is Outcome.REJECTED
    assert outcome(bitget, body=as_json(body | {"code": 43012})) is Outcome.UNKNOWN


@pytest.mark.parametrize("more", [{"orderId": 1}, {"data": {}}, {"error": "x"}, {"Code": -2019}, {"": 1}])
def test_a_code_in_an_answer_with_more_members_proves_nothing(more: dict[str, object]) -> None:
    assert about({"code": -2019, "msg": "Margin is insufficient."} | more, status=400) is Outcome.UNKNOWN


def test_a_code_that_is_listed_proves_nothing_with_another_status() -> None:
    for status in (100, 200, 201, 302, 401, 403, 404, 408, 409, 418, 429, 500, 502, 503, 504, 599):
        assert outcome(REFUSAL, status=status) is Outcome.UNKNOWN


def test_a_duplicate_client_id_says_to_look_for_the_order() -> None:
    verdict = judge(replace(SENT, status=400, body='{"code":-4116,"msg":"clientOrderId is duplicated"}'))
    assert verdict.outcome is Outcome.UNKNOWN
    assert "looked for" in verdict.reason


def test_the_ground_of_a_refusal_is_its_code() -> None:
    assert judge(REFUSAL).ground == "-2019"


def test_a_message_of_the_venue_stands_in_no_reason() -> None:
    for body in (
        '{"code":-2019,"msg":"leaked secret"}',
        '{"code":-9,"msg":"leaked secret"}',
        '{"code":"leaked secret"}',
        '{"code":"leaked5f3c9d0e8b7a6c5d4e3f2a1b"}',
    ):
        verdict = judge(replace(SENT, status=400, body=body))
        assert "leaked" not in verdict.reason + verdict.ground


def test_a_venue_that_has_no_rules_is_told_so_with_those_that_have() -> None:
    verdict = judge(replace(SENT, venue="Binance"))
    assert (verdict.outcome, verdict.ground) == (Outcome.UNKNOWN, "no venue")
    assert "binance, bybit, okx" in verdict.reason


@pytest.mark.parametrize("url", [f" {URL}", f"{URL} ", URL.replace("/fapi/v1", "/fapi/v1 "), f"\\{URL}"])
def test_a_url_with_a_blank_in_it_is_no_place_that_a_rule_is_for(url: str) -> None:
    assert outcome(REFUSAL, url=url) is Outcome.UNKNOWN


@pytest.mark.parametrize(
    "name", ["status ", "STATUS", "Status", "st\u0430tus", "\uff53tatus", "sta\u200btus"]
)
def test_a_name_that_looks_like_one_of_the_venues_is_no_part_of_its_answer(name: str) -> None:
    looks_taken = {key: value for key, value in PLACED.items() if key != "status"}
    assert about(looks_taken) is Outcome.ACCEPTED
    assert about(looks_taken | {name: "REJECTED"}) is Outcome.UNKNOWN
    assert about(PLACED | {name: "REJECTED"}) is Outcome.UNKNOWN


def test_words_about_an_id_in_use_are_searched_in_a_time_that_grows_with_their_length_alone() -> None:
    said = "order" * 150_000
    begun = time.perf_counter()
    refused = judge(replace(REFUSAL, body=as_json({"code": -2019, "msg": said})))
    taken = judge(replace(REFUSAL, body=as_json({"code": -2019, "msg": f"{said} already"})))
    assert (refused.outcome, taken.outcome) == (Outcome.REJECTED, Outcome.UNKNOWN)
    assert time.perf_counter() - begun < 5


# --- bodies ---

ODD_BODIES = {
    "nothing": "",
    "white space": " \r\n\t",
    "HTML": "<html><head><title>502 Bad Gateway</title></head></html>",
    "a word": "ok",
    "null": "null",
    "true": "true",
    "a number": "-2019",
    "text": '"-2019"',
    "a list": "[]",
    "the answer in a list": f"[{as_json(PLACED)}]",
    "the answer in an object": f'{{"data":{as_json(PLACED)}}}',
    "an empty object": "{}",
    "a byte order mark": "\ufeff" + as_json(PLACED),
    "garbage behind": as_json(PLACED) + "x",
    "a second answer behind": as_json(PLACED) + as_json(PLACED),
    "a comma too much": as_json(PLACED)[:-1] + ",}",
    "single quotes": as_json(PLACED).replace('"', "'"),
    "a comment": as_json(PLACED)[:-1] + "/**/}",
    "a control character": as_json(PLACED).replace("BTC", "B\x00C"),
    "not a number": as_json(PLACED)[:-1] + ',"price":NaN}',
    "infinity": as_json(PLACED)[:-1] + ',"price":-Infinity}',
    "an endless number": as_json(PLACED)[:-1] + f',"price":{"9" * 5000}}}',
    "the id twice": as_json(PLACED)[:-1] + f',"clientOrderId":"{OURS}"}}',
    "a name twice below": as_json(PLACED)[:-1] + ',"more":{"a":1,"a":1}}',
    "bytes that are no text": as_json(PLACED).replace("BTC", "B\ufffdC"),
    "lists without end": "[" * 100_000,
    "objects without end": '{"a":' * 100_000,
    "closed, and deep": as_json(PLACED)[:-1] + ',"more":' + "[" * 500 + "]" * 500 + "}",
    "megabytes": as_json(PLACED)[:-1] + f',"more":"{"x" * LONGEST}"}}',
    "megabytes of white space": as_json(PLACED) + " " * LONGEST,
    "JavaScript": f"callback({as_json(PLACED)})",
}


@pytest.mark.parametrize("body", ODD_BODIES.values(), ids=ODD_BODIES.keys())
def test_an_odd_body_proves_nothing_and_quickly(body: str) -> None:
    begun = time.process_time()
    assert outcome(SENT, body=body) is Outcome.UNKNOWN
    assert outcome(REFUSAL, body=body) is Outcome.UNKNOWN
    assert time.process_time() - begun < 1


def test_a_code_that_stands_twice_proves_nothing() -> None:
    for body in (
        '{"code":-2019,"code":-2019,"msg":"x"}',
        '{"code":-1007,"code":-2019,"msg":"x"}',
        '{"code":-2019,"msg":"x","msg":"y"}',
        r'{"code":-1007,"c\u006fde":-2019,"msg":"x"}',
    ):
        assert outcome(REFUSAL, body=body) is Outcome.UNKNOWN


def test_white_space_and_numbers_of_any_size_elsewhere_are_json_too() -> None:
    assert about(f" \n{as_json(PLACED)}\r\n") is Outcome.ACCEPTED
    assert about(as_json(PLACED)[:-1] + ',"price":1e400,"cum":-0.0}') is Outcome.ACCEPTED


def test_every_cut_of_every_certain_answer_proves_nothing() -> None:
    cut = [
        (str(answer), answer.body[:length])
        for answer in ANSWERS
        if answer.proves is not Outcome.UNKNOWN
        for length in range(len(answer.body))
        if judge(answer.evidence(body=answer.body[:length])).outcome is not Outcome.UNKNOWN
    ]
    assert cut == []


# --- exceptions ---


def classes_of_ccxt() -> set[str]:
    return {
        name
        for name, found in vars(importlib.import_module("ccxt.base.errors")).items()
        if inspect.isclass(found) and issubclass(found, Exception)
    }


def test_every_exception_class_of_the_installed_ccxt_has_a_ruling() -> None:
    assert len(classes_of_ccxt()) > 30
    assert classes_of_ccxt() - RULINGS.keys() == set()


def test_no_exception_of_ccxt_is_said_to_say_nothing() -> None:
    assert not {name for name in classes_of_ccxt() if RULINGS[name] is Ruling.SAYS_NOTHING}


@pytest.mark.parametrize("name", [*sorted(RULINGS), "ANameThatNobodyKnows", ""])
def test_an_exception_gives_no_proof_to_an_answer_that_has_none(name: str) -> None:
    for evidence in (
        replace(SENT, body=as_json(PLACED | {"status": "REJECTED"})),
        replace(SENT, body="{}"),
        replace(SENT, status=None, body=None),
        replace(REFUSAL, body='{"code":-1007,"msg":"Timeout"}'),
        replace(REFUSAL, body='{"code":-9999,"msg":"?"}'),
    ):
        assert outcome(evidence, exception=name) is Outcome.UNKNOWN


@pytest.mark.parametrize("name", sorted(RULINGS))
def test_an_exception_takes_from_an_answer_what_its_ruling_says(name: str) -> None:
    ruled = RULINGS[name]
    assert (outcome(SENT, exception=name) is Outcome.ACCEPTED) == (ruled is Ruling.SAYS_NOTHING)
    assert (outcome(REFUSAL, exception=name) is Outcome.REJECTED) == (ruled is not Ruling.NO_ANSWER)


def test_an_exception_that_nobody_knows_takes_everything() -> None:
    assert outcome(SENT, exception="ANameThatNobodyKnows") is Outcome.UNKNOWN
    assert outcome(REFUSAL, exception="ANameThatNobodyKnows") is Outcome.UNKNOWN


def tables(exceptions: dict[Any, Any]) -> set[tuple[str, str]]:
    """Every code in ccxt's tables of a venue, with the class that it is given."""
    found: set[tuple[str, str]] = set()
    for code, value in exceptions.items():
        if isinstance(value, dict):
            found |= tables(cast("dict[Any, Any]", value))
        elif inspect.isclass(value):
            found.add((str(code), value.__name__))
    return found


@pytest.mark.parametrize("venue", ROUTES)
def test_what_ccxt_raises_of_a_listed_code_leaves_the_refusal_standing(venue: str) -> None:
    listed = {str(code) for route in ROUTES[venue] for codes in route.codes for code in codes.definite}
    client: Any = getattr(ccxt, venue)()
    raised = {(code, name) for code, name in tables(client.exceptions) if code in listed}
    assert venue == "coinbase" or len(raised) >= 10
    assert {(code, name) for code, name in raised if RULINGS[name] is Ruling.NO_ANSWER} == set()
