import json
from decimal import Decimal, DivisionByZero, Inexact, InvalidOperation
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from exchange_mcp.model.decimals import (
    DecimalText,
    Money,
    PositiveDecimalText,
    add,
    divide,
    divide_up,
    floor_to_step,
    from_wire,
    multiply,
    subtract,
    text,
)

DIGITS = st.text("0123456789", min_size=1, max_size=60)
PLAIN_TEXTS = st.tuples(
    st.sampled_from(["", "-"]),
    st.one_of(st.just("0"), DIGITS.map(lambda digits: f"1{digits}"[:60])),
    st.one_of(st.just(""), DIGITS.map(lambda digits: f".{digits}")),
).map("".join)
# What the arithmetic has to bear: both sides of the point as an argument may fill them.
NUMBERS = st.decimals(min_value=0, max_value=10**18 - 1, places=18, allow_nan=False)
POSITIVE = NUMBERS.filter(lambda d: d > 0)


@given(PLAIN_TEXTS)
def test_plain_decimal_text_comes_back_digit_for_digit(written: str) -> None:
    number = from_wire(written)
    assert number is not None
    assert text(number) == written


@given(st.integers(-(10**9), 10**9), st.integers(-50, 50))
def test_text_with_an_exponent_keeps_its_value_and_is_written_without_one(digits: int, exponent: int) -> None:
    number = from_wire(f"{digits}e{exponent}")
    assert number is not None
    written = text(number)
    assert Fraction(written) == Fraction(digits) * Fraction(10) ** exponent
    assert "e" not in written.lower()


@pytest.mark.parametrize(
    ("written", "shown"),
    [("1e-8", "0.00000001"), ("1.50E+3", "1500"), (".5", "0.5"), ("5.", "5"), ("+7", "7"), ("0.10", "0.10")],
)
def test_every_usual_spelling_of_a_number_is_read(written: str, shown: str) -> None:
    number = from_wire(written)
    assert number is not None
    assert text(number) == shown


@given(st.integers(-(10**60), 10**60))
def test_an_integer_is_exact(value: int) -> None:
    assert from_wire(value) == value


@pytest.mark.parametrize("nothing", [None, ""])
def test_nothing_sent_is_none_and_not_zero(nothing: object) -> None:
    assert from_wire(nothing) is None


@pytest.mark.parametrize(
    "value",
    [
        *(0.1, 1.0, True, False, "NaN", "sNaN", "Infinity", "-inf", Decimal("NaN"), b"1", [], {}),
        *("abc", "0x10", "1,5", "--1", ".", "1_000", " 12 ", "12\n", "\uff11\uff12", "\u0661"),
    ],
    ids=repr,
)
def test_what_is_not_an_exact_finite_number_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"^not (an exact|a finite|a) number"):
        from_wire(value)


@pytest.mark.parametrize("value", ["1e999999999", "1e-999999999", "1e99999999999999999999", 10**62, "1e-61"])
def test_a_number_that_would_print_endless_zeros_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"absurd exponent|not a number"):
        from_wire(value)


@given(NUMBERS, NUMBERS, NUMBERS)
def test_sums_differences_and_products_are_exact(a: Decimal, b: Decimal, c: Decimal) -> None:
    assert Fraction(add(a, b)) == Fraction(a) + Fraction(b)
    assert Fraction(subtract(a, b)) == Fraction(a) - Fraction(b)
    assert Fraction(multiply(multiply(a, b), c)) == Fraction(a) * Fraction(b) * Fraction(c)


def test_a_product_too_long_to_be_exact_raises_instead_of_rounding() -> None:
    long = Decimal("1" * 300)
    with pytest.raises(Inexact):
        multiply(long, long)


@given(NUMBERS, POSITIVE, st.integers(0, 18))
def test_a_quotient_is_cut_off_below_and_raised_above(a: Decimal, b: Decimal, places: int) -> None:
    exact, last_place = Fraction(a) / Fraction(b), Fraction(1, 10**places)
    down, up = Fraction(divide(a, b, places=places)), Fraction(divide_up(a, b, places=places))
    assert down <= exact <= up
    assert exact - down < last_place
    assert up - exact < last_place


@pytest.mark.parametrize(
    ("numerator", "denominator", "down", "up"),
    # 2/3 = 0.666..., and a whole quotient needs no rounding.
    [("2", "3", "0.6666", "0.6667"), ("-2", "3", "-0.6666", "-0.6667"), ("6", "3", "2.0000", "2.0000")],
)
def test_quotients_round_towards_zero_or_away_from_it(
    numerator: str, denominator: str, down: str, up: str
) -> None:
    assert text(divide(Decimal(numerator), Decimal(denominator), places=4)) == down
    assert text(divide_up(Decimal(numerator), Decimal(denominator), places=4)) == up


@given(NUMBERS, POSITIVE)
def test_a_floor_is_the_last_multiple_of_the_step_that_is_not_above(number: Decimal, step: Decimal) -> None:
    floored = Fraction(floor_to_step(number, step))
    assert (floored / Fraction(step)).denominator == 1
    assert floored <= Fraction(number) < floored + Fraction(step)


def test_a_floor_does_not_round_up_what_is_a_hair_below_the_next_step() -> None:
    number = Decimal("0." + "9" * 100)
    assert floor_to_step(number, Decimal(1)) == 0


def test_a_floor_keeps_the_places_of_its_step() -> None:
    assert text(floor_to_step(Decimal("1.2399"), Decimal("0.010"))) == "1.230"  # 123 steps of 0.010


def test_dividing_by_zero_raises_and_never_gives_infinity() -> None:
    with pytest.raises(DivisionByZero):
        divide(Decimal(1), Decimal(0))
    with pytest.raises(InvalidOperation):
        floor_to_step(Decimal(0), Decimal(0))


ZERO_OR_MORE: TypeAdapter[Decimal] = TypeAdapter(DecimalText)
POSITIVE_ONLY: TypeAdapter[Decimal] = TypeAdapter(PositiveDecimalText)
NOT_AN_ARGUMENT: list[object] = [
    *(7, 0.5, True, None, [], {}, "", " ", "null", "NaN", "Infinity", "abc"),
    *("1e-8", "1E5", "-1", "+1", ".5", "5.", "1,5", "1_000", " 1", "1\n", "0x1", "01", "\uff11"),
    *("1" * 19, "0." + "1" * 19),
    *(Decimal("NaN"), Decimal(-1), Decimal("1e-19")),
]


@pytest.mark.parametrize("value", NOT_AN_ARGUMENT, ids=repr)
@pytest.mark.parametrize("adapter", [ZERO_OR_MORE, POSITIVE_ONLY], ids=["zero or more", "positive"])
def test_an_argument_that_is_not_plain_decimal_text_is_refused(
    adapter: TypeAdapter[Decimal], value: object
) -> None:
    with pytest.raises(ValidationError, match=r"a decimal string such as"):
        adapter.validate_python(value, strict=True)


@pytest.mark.parametrize("value", ["0", "0.015", "1", "9" * 18 + "." + "9" * 18])
def test_an_argument_of_plain_decimal_text_is_exact(value: str) -> None:
    read = ZERO_OR_MORE.validate_python(value, strict=True)
    assert text(read) == value
    assert ZERO_OR_MORE.dump_python(read, mode="json") == value


@pytest.mark.parametrize("value", ["0", "0.0", "0.000000000000000000"])
def test_zero_is_not_positive(value: str) -> None:
    with pytest.raises(ValidationError, match="must be greater than 0"):
        POSITIVE_ONLY.validate_python(value, strict=True)


@given(PLAIN_TEXTS)
def test_money_leaves_as_json_text_and_never_as_a_number(written: str) -> None:
    sent = TypeAdapter[Decimal](Money).dump_json(Decimal(written))
    assert json.loads(sent) == written
