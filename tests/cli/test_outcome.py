"""`exchange-mcp outcome explain`: an answer comes in, an outcome goes out, one or many a line."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from click.testing import CliRunner, Result

from exchange_mcp.cli.attempt_lines import LONGEST_LINE
from exchange_mcp.cli.commands import run

URL = "https://fapi.binance.com/fapi/v1/order"
REFUSED = '{"code":-2019,"msg":"Margin is insufficient."}'
PLACED = '{"symbol":"BTCUSDT","orderId":42,"clientOrderId":"ours-1","status":"NEW"}'
SENT = ("--url", URL, "--sent", "yes")


def explain(given: str | bytes, *options: str) -> Result:
    return CliRunner().invoke(run, ["outcome", "explain", *options], input=given)


def explained(given: str | bytes, *options: str) -> dict[str, Any]:
    done = explain(given, *options, "--json")
    assert done.exit_code == 0
    return json.loads(done.stdout)


def line(**members: object) -> str:
    attempt: dict[str, object] = {"venue": "binance", "url": URL, "status": 400, "body": REFUSED}
    return json.dumps(attempt | members)


def answered(*lines: str, venue: str | None = None) -> tuple[list[dict[str, str]], int]:
    named = () if venue is None else (venue,)
    done = explain("".join(f"{each}\n" for each in lines), *named, "--jsonl")
    return [json.loads(each) for each in done.stdout.splitlines()], done.exit_code


# --- one ---


def test_the_whole_json_of_a_refusal() -> None:
    assert explained(REFUSED, "binance", *SENT, "--action", "place", "--status", "400") == {
        "venue": "binance",
        "action": "place",
        "outcome": "rejected",
        "reason": "binance refused it, by its code -2019 (status 400)",
        "ground": "-2019",
        "order_id": None,
    }


@pytest.mark.parametrize("given", ["", "\n", " \r\n"])
def test_of_what_never_left_neither_the_place_nor_a_status_has_to_be_told(given: str) -> None:
    assert explained(given, "binance", "--sent", "no")["outcome"] == "not_sent"
    assert explained(f"{given}{REFUSED}", "binance", "--sent", "no")["outcome"] == "unknown"
    assert explained(given, "binance", "--sent", "no", "--status", "200")["outcome"] == "unknown"
    assert explain(given, "binance", "--sent", "yes").exit_code == 2


def test_an_acceptance_names_the_order_and_what_to_do_next() -> None:
    done = explain(PLACED, "binance", *SENT, "--status", "200", "--client-order-id", "ours-1")
    assert done.exit_code == 0
    assert done.stdout.startswith("accepted: ")
    assert "order id is 42" in done.stdout
    assert "read the order back" in done.stdout


@pytest.mark.parametrize(
    ("options", "outcome"),
    [
        (("--sent", "no", "--status", "none"), "not_sent"),
        (("--sent", "no", "--status", "400"), "unknown"),
        (("--sent", "yes", "--status", "none"), "unknown"),
        (("--sent", "yes", "--status", "503"), "unknown"),
        (("--sent", "yes", "--status", "400"), "rejected"),
        (("--sent", "yes", "--status", "400", "--action", "cancel"), "unknown"),
    ],
)
def test_what_was_seen_decides(options: tuple[str, ...], outcome: str) -> None:
    given = "" if "none" in options else REFUSED
    assert explained(given, "binance", "--url", URL, *options)["outcome"] == outcome


def test_a_leverage_and_a_cancel_are_compared_with_what_was_asked_for() -> None:
    url = ("--url", "https://fapi.binance.com/fapi/v1/leverage", "--sent", "yes", "--status", "200")
    body = '{"leverage":21,"maxNotionalValue":"1","symbol":"BTCUSDT"}'
    asked = ("binance", *url, "--action", "leverage", "--leverage")
    assert explained(body, *asked, "21")["outcome"] == "accepted"
    assert explained(body, *asked, "20")["outcome"] == "unknown"
    cancelled = ("binance", *SENT, "--status", "200", "--action", "cancel", "--order-id")
    body = PLACED.replace("NEW", "CANCELED")
    assert explained(body, *cancelled, "42")["outcome"] == "accepted"
    assert explained(body, *cancelled, "43")["outcome"] == "unknown"


@pytest.mark.parametrize(
    "body", [b"", b"\xff\xfe", b"<html>", b"{" * 1_000_000, b"x" * 5_000_000, b'{"a":NaN}']
)
def test_no_body_is_an_error(body: bytes) -> None:
    assert explained(body, "binance", *SENT, "--status", "200")["outcome"] == "unknown"


@pytest.mark.parametrize(
    "options",
    [
        (*SENT, "--status", "200"),
        ("binance", "--sent", "yes", "--status", "200"),
        ("binance", "--url", URL, "--status", "200"),
        ("binance", *SENT),
        ("binance", *SENT, "--status", "99"),
        ("binance", *SENT, "--status", "600"),
        ("binance", *SENT, "--status", "2e2"),
        ("binance", *SENT, "--status", "٢٠٠"),
        ("binance", *SENT, "--status", "200", "--action", "withdraw"),
        ("--jsonl", "--url", URL),
        ("--jsonl", "--status", "none"),
    ],
)
def test_a_question_that_lacks_something_is_refused_with_code_2(options: tuple[str, ...]) -> None:
    done = explain(REFUSED, *options)
    assert done.exit_code == 2
    assert done.stdout == ""


def test_a_venue_without_rules_is_unknown() -> None:
    assert explained(REFUSED, "gate", *SENT, "--status", "400")["outcome"] == "unknown"


# --- many ---


def test_every_line_is_answered_by_one_line_with_outcome_and_reason() -> None:
    answers, code = answered(
        line(),
        line(status=200, body=PLACED, client_order_id="ours-1"),
        line(sent=False, status=None, body=None),
        line(status=503),
    )
    assert [each["outcome"] for each in answers] == ["rejected", "accepted", "not_sent", "unknown"]
    assert all(each.keys() == {"outcome", "reason"} and each["reason"] for each in answers)
    assert code == 0


def test_action_is_place_and_sent_is_true_when_left_out() -> None:
    spot = {
        "url": "https://api.binance.com/api/v3/order",
        "body": '{"code":-1013,"msg":"Filter failure: LOT_SIZE"}',
    }
    answers, _ = answered(
        line(**spot), line(**spot, action="place", sent=True), line(**spot, action="cancel")
    )
    assert [each["outcome"] for each in answers] == ["rejected", "rejected", "unknown"]


def test_the_words_of_the_options_are_understood_in_lines_too() -> None:
    answers, code = answered(line(sent="no", status="none", body=None), line(sent="yes"))
    assert [each["outcome"] for each in answers] == ["not_sent", "rejected"]
    assert code == 0


def test_what_never_left_needs_neither_a_place_nor_a_status() -> None:
    answers, code = answered(
        '{"venue":"binance","sent":false}',
        '{"venue":"binance","sent":false,"url":""}',
        '{"venue":"binance","sent":false,"status":200}',
        '{"venue":"binance","sent":false,"url":7}',
    )
    assert [each["outcome"] for each in answers] == ["not_sent", "not_sent", "unknown", "unknown"]
    assert code == 2


def test_a_line_without_a_venue_has_the_one_of_the_command() -> None:
    unnamed = json.dumps({"url": URL, "status": 400, "body": REFUSED})
    assert answered(unnamed, venue="binance") == (
        [{"outcome": "rejected", "reason": "binance refused it, by its code -2019 (status 400)"}],
        0,
    )
    assert answered(unnamed)[1] == 2


def test_a_body_that_is_not_text_but_the_answer_itself_is_read() -> None:
    answers, code = answered(
        line(body=json.loads(REFUSED)),
        line(status=200, body=[json.loads(PLACED)], client_order_id="ours-1"),
    )
    assert [each["outcome"] for each in answers] == ["rejected", "unknown"]
    assert code == 0


@pytest.mark.parametrize(
    ("bad", "named"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "no JSON object"),
        ('"text"', "no JSON object"),
        ('{"venue":"binance","venue":"binance"}', "twice"),
        ('{"venue":"binance","body":{"code":-2019,"code":-1007}}', "twice"),
        (line(venue=None), "venue"),
        (line(venue=""), "venue"),
        (line(venue=7), "venue"),
        (line(url=None), "url"),
        (line(action="withdraw"), "action"),
        (line(action=None), "action"),
        (line(status="400"), "status"),
        (line(status=True), "status"),
        (line(status=400.0), "status"),
        (line(status=99), "status"),
        ('{"venue":"binance","url":"https://x"}', "status"),
        (line(sent="true"), "sent"),
        (line(sent=1), "sent"),
        (line(sent=None), "sent"),
        (line(body=7), "body"),
        (line(client_order_id=7), "client_order_id"),
        (line(client_order_id=""), "client_order_id"),
        (line(leverage=0), "leverage"),
        (line(leverage="5"), "leverage"),
        (line(clientOrderId="ours-1"), "client_order_id"),
        (line(Action="cancel"), "action"),
    ],
)
def test_a_line_that_cannot_be_read_is_answered_with_its_fault_and_the_others_are_judged(
    bad: str, named: str
) -> None:
    answers, code = answered(line(), bad, line())
    assert [each["outcome"] for each in answers] == ["rejected", "unknown", "rejected"]
    assert "not judged" in answers[1]["reason"]
    assert named in answers[1]["reason"]
    assert code == 2


def test_a_member_that_is_not_read_is_named() -> None:
    answers, code = answered(line(id=7, note="mine"))
    assert answers[0]["outcome"] == "rejected"
    assert answers[0]["reason"].endswith("not read: id, note")
    assert code == 0


def test_a_line_of_megabytes_is_passed_over_and_the_next_is_judged() -> None:
    answers, code = answered(line(body="x" * (3 * LONGEST_LINE)), line())
    assert [each["outcome"] for each in answers] == ["unknown", "rejected"]
    assert "longer than" in answers[0]["reason"]
    assert code == 2


def test_bytes_that_are_no_text_and_a_last_line_without_its_end_are_read() -> None:
    given = line().encode().replace(b"Margin", b"\xff\xff") + b"\n\xef\xbb\xbf" + line().encode()
    done = explain(given, "--jsonl")
    assert [json.loads(each)["outcome"] for each in done.stdout.splitlines()] == ["unknown", "rejected"]
    assert done.exit_code == 0


def test_no_lines_are_no_answers() -> None:
    assert answered() == ([], 0)


def test_each_line_is_answered_before_the_next_is_sent_by_the_real_program() -> None:
    command = (sys.executable, "-m", "exchange_mcp", "outcome", "explain", "--jsonl")
    environment = os.environ | {"PYTHONUNBUFFERED": ""}
    with subprocess.Popen(  # noqa: S603 - our own program
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        for given, outcome in ((line(), "rejected"), ("{", "unknown"), (line(status=503), "unknown")):
            program.stdin.write(f"{given}\n")
            program.stdin.flush()
            assert json.loads(program.stdout.readline())["outcome"] == outcome
        program.stdin.close()
        assert program.wait(20) == 2
