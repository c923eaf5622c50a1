"""Answers that are none: whatever comes, nothing that was granted is denied, nothing is raised, nothing leaks."""

import copy
from typing import Final, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exchange_mcp.model.scopes import Ability, KeyScope, Permission
from exchange_mcp.venue.scope import QUESTIONS, scope_of
from exchange_mcp.venue.scope.question import safely

from .documented import (
    BYBIT_TRADES,
    KRAKEN_READS,
    TABLE,
    Documented,
    Json,
    bitget,
    bybit,
    items_of,
    kraken,
    kucoin,
    members_of,
    okx,
)

# What a mutation puts where something was. Nothing in it says no: neither false, nor 1 (Bybit's word for read-only),
# nor an empty text or list, which is how a list of codes says no.
_SAYS_NOTHING: Final[tuple[Json, ...]] = (
    None,
    7,
    -3,
    "yes",
    "true",
    0.5,
    {"a": 1},
    [None],
    [[]],
    {},
    "<html>",
)
_SECRET: Final = "zK9mQ2vX7bN4tR8wL1cJ5hG3fD6sA0pY"

nested: Json = []
for _ in range(50_000):
    nested = [nested]

NO_ANSWERS: Final = cast(
    "tuple[Json, ...]",
    (
        *(None, True, 0, 1.5, "", "<html><body>502 Bad Gateway</body></html>", [], {}, [{}], [[]], [None]),
        *(
            {"code": "0"},
            {"result": None},
            {"error": ["EAPI:Invalid key"]},
            {"data": []},
            {"data": {}},
            {"data": [{}]},
        ),
        *({"code": -2015, "msg": "Invalid API-key, IP, or permissions for action."}, {"success": False}),
        *({"error": [], "result": {}}, {"retCode": 10003, "retMsg": "API key is invalid.", "result": {}}),
        *({"code": "200000", "data": {}}, {"code": "00000", "data": {}}, {"label": "INVALID_KEY"}),
        *(nested, {"data": nested}, ["x"] * 100_000, {"x" * 100_000: "y" * 100_000}, {1: 2, None: 3}),
        *({"error": [], "result": {"permissions": ["query-funds"] * 100_000}},),
        *(
            {"code": "0", "data": [{"perm": "read_only," * 100_000}]},
            {"code": "0", "data": [{"perm": "x" * 100_000}]},
        ),
    ),
)


def unknown(scope: KeyScope) -> bool:
    return {scope.may(ability) for ability in Ability} == {Permission.UNKNOWN}


@pytest.mark.parametrize("venue", QUESTIONS)
def test_what_is_no_answer_is_unknown_with_a_short_reason(venue: str) -> None:
    for answer in NO_ANSWERS:
        scope = scope_of(venue, answer)
        assert unknown(scope)
        assert scope.reasons
        assert all(len(reason) < 400 for reason in scope.reasons)


@pytest.mark.parametrize(
    ("venue", "answer"),
    [
        ("bybit", bybit(1, BYBIT_TRADES) | {"retCode": 10003}),
        ("okx", okx("read_only") | {"code": "50111"}),
        ("okx", okx("read_only") | {"data": [*okx("read_only")["data"], *okx("read_only,trade")["data"]]}),
        ("kraken", kraken(*KRAKEN_READS) | {"error": ["EGeneral:Temporary lockout"]}),
        ("kucoin", kucoin("General") | {"code": "400003"}),
        ("bitget", bitget("stor") | {"code": "40037"}),
    ],
)
def test_beside_a_refusal_or_for_two_accounts_nothing_that_an_answer_says_counts(
    venue: str, answer: Json
) -> None:
    assert unknown(scope_of(venue, answer))


def test_whatever_a_parser_raises_is_unknown_and_quotes_nothing() -> None:
    def broken(raw: object, _own: str | None) -> KeyScope:
        raise RecursionError(raw)

    scope = safely("binance", broken)(_SECRET, None)
    assert unknown(scope)
    assert scope.reasons == ("the answer cannot be read (RecursionError)",)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row.venue}: {row.name}")
def test_another_venues_answer_denies_nothing(row: Documented) -> None:
    for venue in QUESTIONS:
        if venue != row.venue:
            scope = scope_of(venue, row.answer)
            assert Permission.DENIED not in {scope.may(ability) for ability in Ability}


def places(value: Json) -> list[tuple[Json, Json]]:
    """Every (container, key) in a JSON value."""
    members, items = members_of(value), items_of(value)
    found: list[tuple[Json, Json]] = [(value, name) for name in (*members, *range(len(items)))]
    for each in (*members.values(), *items):
        found += places(each)
    return found


@st.composite
def mutated(draw: st.DrawFn) -> tuple[Documented, Json]:
    """A documented answer after a few mutations, none of which says that anything is denied."""
    row = draw(st.sampled_from(TABLE))
    answer: Json = copy.deepcopy(row.answer)
    for _ in range(draw(st.integers(1, 3))):
        found = places(answer)
        if not found:
            break
        container, name = draw(st.sampled_from(found))
        value, nothing = container[name], copy.deepcopy(draw(st.sampled_from(_SAYS_NOTHING)))
        operation = draw(
            st.sampled_from(["retype", "nest", "wrap", "garble", "whole", "drop", "rename", "add"])
        )
        if operation == "whole":
            wholes = ([answer, copy.deepcopy(answer)], {"data": answer}, {"result": answer}, str(answer))
            answer = draw(st.sampled_from(wholes))
        elif operation == "nest":
            container[name] = {"value": value}
        elif operation == "wrap":
            container[name] = [value]
        elif operation == "garble" and isinstance(value, str):
            container[name] = f"{value}X"
        elif operation == "drop" and members_of(container):
            # An item of a list is not dropped: that is how a list of codes says no.
            del container[name]
        elif operation == "rename" and members_of(container):
            container[f"{name}X"] = container.pop(name)
        elif operation == "add" and members_of(container):
            container[draw(st.text(max_size=8)) + "_new"] = nothing
        else:
            container[name] = nothing
    return row, answer


@settings(max_examples=600, deadline=None)
@given(mutated())
def test_no_mutation_denies_what_was_granted(case: tuple[Documented, Json]) -> None:
    row, answer = case
    before, after = scope_of(row.venue, row.answer), scope_of(row.venue, answer)
    for ability in Ability:
        if before.may(ability) is Permission.GRANTED:
            assert after.may(ability) is not Permission.DENIED


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(list(QUESTIONS)), json_values)
def test_no_json_value_is_an_error_or_denies_anything(venue: str, answer: object) -> None:
    assert unknown(scope_of(venue, answer))


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(TABLE), st.data())
def test_a_secret_anywhere_in_an_answer_is_shown_nowhere(row: Documented, data: st.DataObject) -> None:
    answer: Json = copy.deepcopy(row.answer)
    container, name = data.draw(st.sampled_from(places(answer)))
    how = data.draw(st.sampled_from(["value", "member", "name", "code"]))
    if how == "value" or isinstance(container, list):
        container[name] = _SECRET
    elif how == "member":
        container["client_secret"] = _SECRET
    elif how == "name":
        container[_SECRET] = container[name]
    else:
        container[name] = f"{container[name]},{_SECRET}"
    # Where the account's id stands, a secret of that form cannot be told from an id.
    shown = scope_of(row.venue, answer, own_key=_SECRET).model_copy(update={"account_id": None})
    assert _SECRET not in shown.model_dump_json()


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row.venue}: {row.name}")
def test_an_api_key_in_an_answer_is_not_shown(row: Documented) -> None:
    text = scope_of(row.venue, row.answer).model_dump_json()
    for container, name in places(row.answer):
        if name == "apiKey":
            assert container[name] not in text


def test_flags_and_reasons_are_few_and_short_however_much_an_answer_holds() -> None:
    many = {
        f"enableThing{'abcdefghijklmnopqrstuvwxyz'[at % 26]}" * (1 + at // 26): True for at in range(5_000)
    }
    scope = scope_of("binance", many)
    assert unknown(scope)
    assert len(scope.model_dump_json()) < 4_000
