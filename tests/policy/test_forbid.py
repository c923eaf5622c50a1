"""What an entry of `[[policy.forbid]]` matches, and which entries are errors."""

from dataclasses import replace
from typing import Any

import pytest

from exchange_mcp.model.positions import EffectClass
from exchange_mcp.policy.decision import Rule
from exchange_mcp.policy.proposed import Proposed

from .made import CANCEL, LEVERAGE, REDUCING_STOP, SPOT, SWAP, decided, denied_by, policy, ruling
from .test_faults import BASE, FUTURES, MAIN, faults

REASON = {"reason": "because"}


def is_forbidden(asked: Proposed, **conditions: Any) -> bool:  # noqa: ANN401 - each condition has its own type
    return Rule.FORBID in denied_by(decided(asked, policy(forbid=[REASON | conditions])))


@pytest.mark.parametrize(
    ("conditions", "matching", "others"),
    [
        ({"symbols": ["BTC/USDT"], "sides": ["buy"]}, [SPOT], [replace(SPOT, side="sell"), SWAP, CANCEL]),
        ({"sides": ["sell"]}, [REDUCING_STOP], [SPOT, CANCEL, LEVERAGE]),
        ({"order_types": ["stop_market"], "accounts": ["futures"]}, [REDUCING_STOP], [SPOT, CANCEL, LEVERAGE]),
        ({"accounts": ["futures"], "order_types": ["limit"]}, [SWAP], [SPOT, LEVERAGE]),
        ({"actions": ["leverage"]}, [LEVERAGE], [SPOT, SWAP, CANCEL]),
        ({"actions": ["leverage"], "when_position_open": True}, [replace(LEVERAGE, has_position=True)], [LEVERAGE]),
        ({"when_protective": True}, [replace(CANCEL, is_protective=True)], [CANCEL, SPOT]),
        ({"when_position_open": True}, [REDUCING_STOP], [SWAP, replace(SPOT, has_position=True)]),
    ],
)  # fmt: skip
def test_an_entry_matches_when_all_that_it_names_is_so(
    conditions: dict[str, Any], matching: list[Proposed], others: list[Proposed]
) -> None:
    assert [is_forbidden(each, **conditions) for each in matching] == [True] * len(matching)
    assert [is_forbidden(each, **conditions) for each in others] == [False] * len(others)


@pytest.mark.parametrize(
    ("effect", "forbidden_by"),
    [
        ("opens", {"opens"}),
        ("adds", {"adds"}),
        ("reduces", {"reduces"}),
        ("closes", {"reduces", "closes"}),
        ("flips", {"opens", "reduces", "closes", "flips"}),
        (None, {"opens", "adds", "reduces", "closes", "flips"}),
    ],
)
def test_who_forbids_a_part_of_an_effect_forbids_the_whole(
    effect: EffectClass | None, forbidden_by: set[str]
) -> None:
    asked = replace(SWAP, effect=effect)
    found = {
        each
        for each in ("opens", "adds", "reduces", "closes", "flips")
        if is_forbidden(asked, effects=[each], accounts=["futures"])
    }
    assert found == forbidden_by


def test_what_is_not_known_matches() -> None:
    assert is_forbidden(replace(CANCEL, is_protective=None), when_protective=True)
    assert is_forbidden(replace(LEVERAGE, has_position=None), when_position_open=True, actions=["leverage"])


def test_the_reason_is_shown_in_plain_ascii() -> None:
    entry = {"reason": "nicht \u202eheute", "actions": ["cancel"]}
    found = ruling(decided(CANCEL, policy(forbid=[entry])), Rule.FORBID)
    assert found.scope == "policy.forbid[0]"
    assert found.sentence == r"this is forbidden: nicht \u{202e}heute"


def entry(text: str) -> str:
    """An entry after the ten lines of the base and the four of two accounts: its keys begin on line 17."""
    return BASE + MAIN + FUTURES + '[[policy.forbid]]\nreason = "because"\n' + text


@pytest.mark.parametrize(
    ("text", "at", "said"),
    [
        ("", "15: ", "names no condition, so it would forbid everything; to allow nothing, list no symbols"),
        ("sides = []", "17: sides", "is empty, so the entry can never match; leave it out to mean any"),
        ('sides = ["buy", "sell"]', "17: sides", "names both sides; leave it out to mean any"),
        ('sides = ["buy", "buy"]', "17: sides", "names buy twice"),
        (
            'effects = ["opens", "adds", "reduces", "closes", "flips"]',
            "17: effects",
            "names every effect; leave it out to mean any",
        ),
        (
            'actions = ["cancel"]\nsides = ["buy"]',
            "18: sides",
            'can never match: only an order that is placed has it, and actions has no "place"',
        ),
        (
            'actions = ["place"]\nwhen_protective = true',
            "18: when_protective",
            'can never match: it is about a cancel, and actions has no "cancel"',
        ),
        (
            'when_protective = true\nsides = ["buy"]',
            "18: sides",
            "can never match together with when_protective, which is about a cancel",
        ),
        (
            "when_protective = false",
            "17: when_protective",
            "expected true, or leave it out to mean either, not false",
        ),
        (
            'accounts = ["other"]\nsides = ["buy"]',
            "17: accounts[0]",
            'can never match: "accounts" of [policy] does not list it',
        ),
        (
            'symbols = ["ETH/USDT"]\nsides = ["buy"]',
            "17: symbols[0]",
            "can never match: no account that the entry is about may trade it",
        ),
        (
            'accounts = ["main"]\nsymbols = ["BTC/USDT:USDT"]\nsides = ["buy"]',
            "18: symbols[0]",
            "can never match: no account that the entry is about may trade it",
        ),
        (
            'order_types = ["stop_limit"]',
            "17: order_types[0]",
            "can never match: no order of this type is permitted here",
        ),
        (
            'accounts = ["main"]\neffects = ["flips"]',
            "18: effects",
            "can never match: nothing flips on spot",
        ),
        (
            'accounts = ["main"]\nactions = ["leverage"]',
            "18: actions",
            "can never match: spot has no leverage",
        ),
        (
            'accounts = ["main"]\nwhen_position_open = true',
            "18: when_position_open",
            "can never match: spot has no positions",
        ),
        ('size = 5\nsides = ["buy"]', "17: size", 'unknown key; did you mean "sides"?'),
    ],
)
def test_an_entry_that_says_nothing_is_an_error(text: str, at: str, said: str) -> None:
    line, _, key = at.partition(": ")
    place = "policy.forbid[0]" + (f".{key}" if key else "")
    assert faults(entry(text + "\n")) == [f"p:{line}: {place}: {said}"]


def test_a_symbol_that_is_permitted_and_forbidden_entirely_is_a_contradiction() -> None:
    text = entry('symbols = ["BTC/USDT"]\n')
    why = "permits BTC/USDT, and [[policy.forbid]] forbids every order there"
    assert faults(text) == [f"p:4: policy.symbols[0]: {why}", f"p:12: policy.account.main.symbols[0]: {why}"]


def test_a_symbol_that_several_entries_forbid_entirely_is_a_contradiction() -> None:
    text = entry('symbols = ["BTC/USDT"]\norder_types = ["limit"]\n')
    assert faults(text) == []
    both = text + '[[policy.forbid]]\nreason = "because"\naccounts = ["main"]\norder_types = ["market"]\n'
    assert len(faults(both)) == 2


def test_an_order_type_that_is_permitted_and_forbidden_everywhere_is_a_contradiction() -> None:
    said = "permits market, and [[policy.forbid]] forbids every such order"
    assert faults(entry('order_types = ["market"]\n')) == [f"p:5: policy.order_types[1]: {said}"]


def test_forbidding_what_opens_leaves_a_way_out_and_is_no_contradiction() -> None:
    assert faults(entry('symbols = ["BTC/USDT"]\neffects = ["opens", "adds"]\n')) == []
