"""What an approver reads before accepting a changed `desk.toml`."""

from decimal import Decimal
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exchange_mcp.desk.configuration_change import configuration_difference
from exchange_mcp.desk.settings import judge_settings
from exchange_mcp.rules.venues import check_account

EXAMPLE: Final = (Path(__file__).parents[2] / "config" / "desk.example.toml").read_text(encoding="utf-8")
MORE: Final = "More permissive:"
LESS: Final = "Stricter:"


def changed(*replacements: tuple[str, str], added: str = "") -> str:
    """The example with each text in place of another, and more at its end."""
    text = EXAMPLE
    for old, new in replacements:
        assert old in text, old
        text = text.replace(old, new)
    return text + added


def sections(before: str, now: str) -> dict[str, list[str]]:
    """The sentences by heading, without the lines."""
    found: dict[str, list[str]] = {}
    heading = ""
    for line in configuration_difference(before, now):
        if line.startswith("--- "):
            break
        if line.startswith("  "):
            found.setdefault(heading, []).append(line.strip())
        else:
            heading = line
    return found


@pytest.mark.parametrize(
    ("old", "new", "wider"),
    [
        (
            "max_order_notional = 250",
            "max_order_notional = 999.5",
            "max_order_notional of [policy] is 999.5, and was 250",
        ),
        ("max_leverage = 2 ", "max_leverage = 5 ", "max_leverage of [policy] is 5, and was 2"),
        (
            "max_price_distance_percent = 1",
            'max_price_distance_percent = "1.5"',
            "max_price_distance_percent of [policy] is 1.5, and was 1",
        ),
        (
            "leverage_change_with_position = false",
            "leverage_change_with_position = true",
            "leverage_change_with_position of [policy] is true, and was false",
        ),
        (
            'order_types = ["limit", "market"]',
            'order_types = ["market", "limit", "stop_market"]',
            "order_types of [policy] also lists stop_market",
        ),
        (
            "max_order_notional = 200",
            "approvals = 1",
            'max_order_notional of [policy.symbol."BTC/USDT:USDT"] is not stated, and was 200',
        ),
        (
            "max_daily_loss = 100",
            "max_daily_loss = 101",
            'max_daily_loss of [policy.symbol."BTC/USDT:USDT"] is 101, and was 100',
        ),
        ('reference = "USDT"', 'reference = "BTC"', "amounts are in BTC, and were in USDT"),
        ("grant_seconds = 120", "grant_seconds = 600", "grant_seconds of [desk] is 600, and was 120"),
        (
            "expires_seconds = 600",
            "expires_seconds = 86400",
            "expires_seconds of [desk] is 86400, and was 600",
        ),
        (
            "scripted_approver = false",
            "scripted_approver = true",
            "scripted_approver of [desk] is true, and was false",
        ),
        ("type_above = 500", "type_above = 500.5", "type_above of [console] is 500.5, and was 500"),
        ("grace_seconds = 900", "grace_seconds = 901", "grace_seconds of [keys] is 901, and was 900"),
        (
            '# proposal_group = "exchange-mcp"',
            'proposal_group = "staff"',
            "proposal_group of [desk] is staff, and was not stated",
        ),
        (
            'environment = "live"',
            'environment = "sandbox"',
            "account main: environment is sandbox, and was live",
        ),
        ("main.desk.secret", "other.secret", "account main uses another key: key changed"),
        (
            '# may_transfer = "..."',
            'may_transfer = "needs to"',
            "account main: may_transfer is accepted, because: needs to",
        ),
    ],
)
def test_what_lets_more_happen_is_said_first_and_its_reverse_is_stricter(
    old: str, new: str, wider: str
) -> None:
    other = changed((old, new))
    assert sections(EXAMPLE, other)[MORE] == [wider]
    assert MORE not in sections(EXAMPLE, other) or next(iter(sections(EXAMPLE, other))) == MORE
    back = sections(other, EXAMPLE)
    # Money in another asset, another key and another place are never called stricter.
    if "reference" in old or "environment" in old or "secret" in old:
        assert MORE in back
    else:
        assert MORE not in back
        assert len(back[LESS]) == 1


def test_fewer_approvers_are_more_permissive() -> None:
    two = changed(("approvals = 1 ", "approvals = 2 "))
    assert sections(two, EXAMPLE)[MORE] == ["approvals of [policy] is 1, and was 2"]
    assert sections(EXAMPLE, two)[LESS] == ["approvals of [policy] is 2, and was 1"]


def test_a_setting_that_is_left_out_is_compared_with_what_counts_then() -> None:
    shorter = changed(("grant_seconds = 120", "grant_seconds = 60"))
    without = changed(("grant_seconds = 120", ""))
    assert sections(shorter, without)[MORE] == ["grant_seconds of [desk] is not stated, and was 60"]


def test_an_account_and_what_is_forbidden_come_and_go() -> None:
    forbid = '\n[[policy.forbid]]\nreason = "no flips"\nsymbols = ["BTC/USDT:USDT"]\neffects = ["flips"]\n'
    account = '\n[accounts.practice]\nvenue = "binance"\nenvironment = "sim"\nsim_key = "trader"\n'
    other = changed(added=forbid + account)
    assert sections(EXAMPLE, other) == {
        MORE: ["account practice is added: binance, sim"],
        LESS: ["this is forbidden now: no flips (symbols: BTC/USDT:USDT; effects: flips)"],
    }
    assert sections(other, EXAMPLE) == {
        MORE: ["this is no longer forbidden: no flips (symbols: BTC/USDT:USDT; effects: flips)"],
        LESS: ["account practice is removed"],
    }


def test_a_limit_that_nobody_stated_before_allows_what_was_refused() -> None:
    without = changed(("max_open_orders = 5 ", ""))
    assert sections(without, EXAMPLE)[MORE] == ["max_open_orders of [policy] is 5, and was not stated"]


def test_a_symbols_own_limit_beside_the_desks_is_stricter() -> None:
    other = changed(added="max_open_orders = 2\n")
    assert sections(EXAMPLE, other) == {
        LESS: ['max_open_orders of [policy.symbol."BTC/USDT:USDT"] is 2, and was not stated']
    }


def test_a_comment_changes_nothing_that_is_decided_and_is_shown_all_the_same() -> None:
    lines = configuration_difference(EXAMPLE, EXAMPLE + "# raised by me\n")
    assert lines[0] == "What is decided by it is the same; comments, order or spaces are different."
    assert "+# raised by me" in lines


def test_nothing_is_different_from_itself() -> None:
    assert configuration_difference(EXAMPLE, EXAMPLE) == ("Nothing is different.",)


def test_the_first_file_is_shown_whole() -> None:
    lines = configuration_difference(None, EXAMPLE)
    assert lines[0].startswith("Nothing was accepted before.")
    assert [line for line in EXAMPLE.split("\n") if line and f"+{line}" not in lines] == []


@pytest.mark.parametrize("hidden", ["\x1b[2K", "\r", "\u202e", "\u200b", "\u2028", "\x0b", "\x9b"])
def test_what_could_hide_on_a_terminal_is_spelled_out(hidden: str) -> None:
    lines = configuration_difference(EXAMPLE, f"{EXAMPLE}# a{hidden}b\n")
    assert hidden not in "".join(lines)
    assert f"+# a\\u{{{ord(hidden[0]):x}}}" in "\n".join(lines)


def test_a_reason_cannot_write_a_line_of_its_own() -> None:
    other = changed(('# may_transfer = "..."', 'may_transfer = "yes\\n\\nNothing is different."'))
    assert sections(EXAMPLE, other)[MORE] == [
        "account main: may_transfer is accepted, because: yes\\u{a}\\u{a}Nothing is different."
    ]


@pytest.mark.parametrize("broken", ["[policy\n", "x = 1\n" + EXAMPLE, EXAMPLE + "max_everything = 1\n"])
def test_a_text_with_faults_is_never_called_the_same_or_stricter(broken: str) -> None:
    assert MORE in sections(EXAMPLE, broken)
    assert LESS not in sections(EXAMPLE, broken)


@settings(max_examples=100, deadline=None)
@given(
    st.integers(min_value=200, max_value=1000),  # between the limit of a symbol and that of a day
    st.integers(min_value=200, max_value=1000),
    st.sampled_from(["max_order_notional = 250", "max_open_orders = 5", "max_orders_per_minute = 3"]),
)
def test_a_larger_limit_is_more_permissive_and_a_smaller_one_is_not(old: int, new: int, line: str) -> None:
    name = line.partition(" ")[0]
    before, now = (changed((line, f"{name} = {value}")) for value in (old, new))
    said = sections(before, now)
    assert (MORE in said) == (new > old)
    assert (LESS in said) == (new < old)


def test_the_sentences_are_of_texts_that_a_desk_would_take() -> None:
    settled = judge_settings(EXAMPLE, Path("/d"), check=check_account, environ={"HOME": "/home/operator"})
    assert settled.policy.desk.max_order_notional == Decimal(250)
