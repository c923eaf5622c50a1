"""What an order does to a position, by tables worked by hand."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from exchange_mcp.model.terms import MarketTerms, Standing

from .made import (
    FLAT,
    INVERSE,
    LARGE_CONTRACTS,
    LINEAR,
    SMALL_CONTRACTS,
    SPOT,
    SPOT_STANDING,
    D,
    asked,
    holding,
    long,
    made_book,
    previewed,
    short,
)

# Position before (a short negative), side, amount, reduce-only; effect, and position after.
ONE_WAY = [
    ("0", "buy", "0.3", False, "opens", "0.3"),
    ("0", "sell", "0.3", False, "opens", "-0.3"),
    ("0.5", "buy", "0.3", False, "adds", "0.8"),
    ("-0.5", "sell", "0.3", False, "adds", "-0.8"),
    ("0.5", "sell", "0.3", False, "reduces", "0.2"),
    ("-0.5", "buy", "0.3", False, "reduces", "-0.2"),
    ("0.5", "sell", "0.5", False, "closes", "0"),
    ("-0.5", "buy", "0.5", False, "closes", "0"),
    ("0.5", "sell", "0.7", False, "flips", "-0.2"),
    ("-0.5", "buy", "0.7", False, "flips", "0.2"),
    ("0.5", "sell", "0.3", True, "reduces", "0.2"),
    ("0.5", "sell", "0.5", True, "closes", "0"),
    ("0.5", "sell", "0.7", True, "closes", "0"),
    ("-0.5", "buy", "0.7", True, "closes", "0"),
]


def position(signed: str) -> Standing:
    amount = D(signed)
    if not amount:
        return FLAT
    return holding(long(signed) if amount > 0 else short(signed.removeprefix("-")))


def effect(terms: MarketTerms, standing: Standing, **request: Any) -> tuple[str | None, Decimal | None]:  # noqa: ANN401 - any field
    book = made_book(unit="contracts", contract_size="10") if terms is INVERSE else made_book()
    if terms is LARGE_CONTRACTS:
        book = made_book((("99990", "1000"),), (("100010", "1000"),))
    if terms is INVERSE:
        book = made_book((("99990", "1000"),), (("100010", "1000"),), unit="contracts", contract_size="10")
    seen = previewed(asked(**request), terms, standing, book=book)
    return seen.effect, seen.position_after


@pytest.mark.parametrize(("before", "side", "amount", "reduces", "does", "after"), ONE_WAY)
def test_one_way(*, before: str, side: str, amount: str, reduces: bool, does: str, after: str) -> None:
    terms = replace(LINEAR, notional=None)
    found = effect(terms, position(before), type="market", side=side, amount=amount, reduce_only=reduces)
    assert found == (does, D(after))


# Legs before (long, short), side, amount, reduce-only; effect, and the leg that the order is for, after.
HEDGE = [
    ("0", "0", "buy", "0.3", False, "opens", "0.3"),
    ("0", "0.4", "buy", "0.3", False, "opens", "0.3"),
    ("0.5", "0.4", "buy", "0.3", False, "adds", "0.8"),
    ("0.5", "0", "sell", "0.3", False, "opens", "-0.3"),
    ("0.5", "0.4", "sell", "0.7", False, "adds", "-1.1"),
    ("0.5", "0.4", "sell", "0.3", True, "reduces", "0.2"),
    ("0.5", "0.4", "sell", "0.5", True, "closes", "0"),
    ("0.5", "0.4", "sell", "0.9", True, "closes", "0"),
    ("0.5", "0.4", "buy", "0.1", True, "reduces", "-0.3"),
    ("0.5", "0.4", "buy", "0.4", True, "closes", "0"),
]


@pytest.mark.parametrize(("longs", "shorts", "side", "amount", "reduces", "does", "after"), HEDGE)
def test_hedge(
    *, longs: str, shorts: str, side: str, amount: str, reduces: bool, does: str, after: str
) -> None:
    legs = [leg for leg in (long(longs), short(shorts)) if leg.amount]
    standing = holding(*legs, position_mode="hedge")
    found = effect(
        replace(LINEAR, notional=None), standing, type="market", side=side, amount=amount, reduce_only=reduces
    )
    assert found == (does, D(after))


# Base held, side, amount; the smallest order is 0.001.
ON_SPOT = [
    ("0", "buy", "0.3", "opens", "0.3"),
    ("0.0009", "buy", "0.3", "opens", "0.3009"),
    ("0.001", "buy", "0.3", "adds", "0.301"),
    ("2", "buy", "0.3", "adds", "2.3"),
    ("2", "sell", "0.3", "reduces", "1.7"),
    ("0.3", "sell", "0.3", "closes", "0"),
    ("0.3009", "sell", "0.3", "closes", "0.0009"),
    ("0.301", "sell", "0.3", "reduces", "0.001"),
    ("0.2", "sell", "0.3", "closes", "-0.1"),
]


@pytest.mark.parametrize(("held", "side", "amount", "does", "after"), ON_SPOT)
def test_spot(held: str, side: str, amount: str, does: str, after: str) -> None:
    standing = replace(SPOT_STANDING, free_base=D(held))
    assert effect(SPOT, standing, type="market", side=side, amount=amount) == (does, D(after))


def test_what_is_locked_in_orders_is_held_too() -> None:
    standing = replace(SPOT_STANDING, free_base=D("0.3"), locked_base=D("0.2"))
    assert effect(SPOT, standing, type="market", side="sell", amount="0.3") == ("reduces", D("0.2"))


# Contracts before, side, base asked (quote where inverse); effect, and contracts after.
CONTRACTS = [
    (SMALL_CONTRACTS, "500", "sell", {"amount": "0.3"}, "reduces", "200"),
    (SMALL_CONTRACTS, "500", "sell", {"amount": "0.5"}, "closes", "0"),
    (SMALL_CONTRACTS, "500", "sell", {"amount": "0.7"}, "flips", "-200"),
    (SMALL_CONTRACTS, "-500", "sell", {"amount": "0.1"}, "adds", "-600"),
    (LARGE_CONTRACTS, "5", "sell", {"amount": "30"}, "reduces", "2"),
    (LARGE_CONTRACTS, "5", "sell", {"amount": "50"}, "closes", "0"),
    (LARGE_CONTRACTS, "-5", "buy", {"amount": "70"}, "flips", "2"),
    (INVERSE, "50", "sell", {"cost": "300"}, "reduces", "20"),
    (INVERSE, "50", "sell", {"cost": "500"}, "closes", "0"),
    (INVERSE, "-50", "buy", {"cost": "700"}, "flips", "20"),
    (INVERSE, "0", "buy", {"cost": "10"}, "opens", "1"),
]


@pytest.mark.parametrize(("terms", "before", "side", "size", "does", "after"), CONTRACTS)
def test_contracts_of_0_001_and_of_10_linear_and_inverse(
    *, terms: MarketTerms, before: str, side: str, size: dict[str, str], does: str, after: str
) -> None:
    assert effect(terms, position(before), type="market", side=side, **size) == (does, D(after))


@pytest.mark.parametrize("missing", [{"held": None}, {"position_mode": None}])
def test_an_effect_on_a_position_that_is_not_told_is_not_known_and_says_why(missing: dict[str, Any]) -> None:
    seen = previewed(asked(type="market", amount="0.1"), LINEAR, replace(FLAT, **missing))
    assert (seen.effect, seen.position_after) == (None, None)
    (why,) = [u.why for u in seen.unknown if "effect" in u.figures]
    assert why == "the position or the position mode is not told"
