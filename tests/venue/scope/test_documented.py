"""What the vendors' documented answers mean, against a table made by hand."""

from typing import Final

import pytest

from exchange_mcp.model.scopes import Ability, Permission
from exchange_mcp.rules.endpoints import REVIEWED, EndpointClass
from exchange_mcp.rules.venues import VENUES
from exchange_mcp.venue.derivation import implicit
from exchange_mcp.venue.scope import QUESTIONS, scope_of, without_question
from exchange_mcp.venue.sweep import exchange_class

from .documented import (
    BYBIT_ENDS,
    BYBIT_TRADES,
    NOT_ON_THE_PAGE,
    TABLE,
    Documented,
    Json,
    binance,
    bybit,
    gate,
    items_of,
    members_of,
)

LETTERS: Final = {"r": Ability.READ, "t": Ability.TRADE, "w": Ability.WITHDRAW, "x": Ability.TRANSFER}


def expected(row: Documented) -> dict[Ability, Permission]:
    granted, unknown = Permission.GRANTED, Permission.UNKNOWN
    told = {LETTERS[letter]: granted for letter in row.granted}
    told |= {LETTERS[letter]: unknown for letter in row.unknown}
    return {ability: told.get(ability, Permission.DENIED) for ability in Ability}


def permissions(venue: str, answer: object, own_key: str | None = None) -> dict[Ability, Permission]:
    scope = scope_of(venue, answer, own_key=own_key)
    return {ability: scope.may(ability) for ability in Ability}


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row.venue}: {row.name}")
def test_a_documented_answer_means_what_the_table_says(row: Documented) -> None:
    scope = scope_of(row.venue, row.answer)
    assert permissions(row.venue, row.answer) == expected(row)
    assert (scope.ip_restricted, scope.expires, scope.account_id) == (
        row.ip_restricted,
        row.expires,
        row.account_id,
    )
    # Every grant and every unknown has its reason.
    assert len([why for why in scope.reasons if " is granted: " in why]) == len(row.granted)
    assert len([why for why in scope.reasons if " is unknown: " in why]) == len(row.unknown)


@pytest.mark.parametrize("venue", QUESTIONS)
def test_each_venue_is_shown_reading_and_each_harmful_permission_and_something_unknown(venue: str) -> None:
    rows = [row for row in TABLE if row.venue == venue]
    assert "r" in {row.granted for row in rows if not row.unknown}
    assert all(any(letter in row.granted for row in rows) for letter in "twx")
    assert any(row.unknown for row in rows)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row.venue}: {row.name}")
def test_without_what_is_not_on_the_page_no_answer_is_read_otherwise(row: Documented) -> None:
    extra = NOT_ON_THE_PAGE.get(row.venue, frozenset())
    assert permissions(row.venue, _without(row.answer, extra)) == expected(row)


def _without(value: Json, names: frozenset[str]) -> Json:
    if isinstance(value, dict):
        return {name: _without(each, names) for name, each in members_of(value).items() if name not in names}
    return [_without(each, names) for each in items_of(value)] if isinstance(value, list) else value


def test_of_several_gate_keys_ours_alone_counts_if_the_answer_tells_which_it_is() -> None:
    ours, other = gate({"spot": True}, key="our-key"), gate({"wallet": False}, key="another")
    assert permissions("gate", [ours, other], "our-key")[Ability.WITHDRAW] is Permission.DENIED
    assert permissions("gate", [ours, other], "not-there")[Ability.WITHDRAW] is Permission.GRANTED
    # Twice the same id tells nothing.
    assert permissions("gate", [ours, other, ours], "our-key")[Ability.WITHDRAW] is Permission.GRANTED


@pytest.mark.parametrize("read_only", [None, 0, "true"])
def test_a_gate_permission_that_does_not_say_whether_it_is_read_only_denies_nothing(
    read_only: object,
) -> None:
    told = permissions("gate", gate({"spot": True, "wallet": read_only}))
    assert told == dict.fromkeys(Ability, Permission.UNKNOWN) | {Ability.READ: Permission.GRANTED}


def test_the_union_of_several_keys_says_that_it_is_one() -> None:
    scope = scope_of("gate", [gate({"spot": True}), gate({"spot": True})])
    assert any("2 keys" in reason for reason in scope.reasons)


def test_a_bybit_key_that_is_not_read_only_is_denied_nothing_by_a_list_that_is_missing() -> None:
    for product, ability in (
        ("ContractTrade", Ability.TRADE),
        ("Exchange", Ability.TRADE),
        ("Wallet", Ability.WITHDRAW),
        ("Wallet", Ability.TRANSFER),
        ("FiatP2P", Ability.WITHDRAW),
        ("FiatBybitPay", Ability.WITHDRAW),
        ("Earn", Ability.TRANSFER),
    ):
        answer = bybit(0, {"NFT": ("NFTQueryProductList",)})
        assert permissions("bybit", answer)[ability] is Permission.DENIED
        del answer["result"]["permissions"][product]
        assert permissions("bybit", answer)[ability] is Permission.UNKNOWN


def test_an_end_that_cannot_be_read_is_said_to_be_so() -> None:
    scope = scope_of("bybit", bybit(1, BYBIT_TRADES, expiredAt="soon"))
    assert scope.expires is None
    assert "when the key expires cannot be read" in scope.reasons


def test_the_moment_of_the_bybit_table_is_calculated_right() -> None:
    assert scope_of("bybit", bybit(1, BYBIT_TRADES)).expires == BYBIT_ENDS


def test_a_scope_remembers_when_the_venue_was_asked() -> None:
    assert scope_of("binance", binance("enableReading"), asked=1_700_000_000_000).asked == 1_700_000_000_000
    assert scope_of("binance", binance("enableReading")).asked is None


def test_a_venue_without_a_question_is_unknown_and_says_why() -> None:
    scope = without_question("kraken\u202efutures")
    assert {scope.may(ability) for ability in Ability} == {Permission.UNKNOWN}
    assert scope == scope_of("kraken\u202efutures", {"anything": True})
    assert "\u202e" not in scope.model_dump_json()
    assert len(scope.reasons) == 1


def test_every_supported_venue_has_its_question_and_no_other_venue_has_one() -> None:
    assert list(QUESTIONS) == list(VENUES)


@pytest.mark.parametrize("venue", QUESTIONS)
def test_a_question_is_one_reviewed_request_without_parameters(venue: str) -> None:
    question = QUESTIONS[venue]
    assert implicit(exchange_class(venue))[question.method] == question.endpoint
    lines = [line for line in REVIEWED[venue] if line.cls is EndpointClass.SCOPE]
    assert question.endpoint in {line.endpoint for line in lines}
    assert not question.parameters
    assert question.page.startswith("https://")
