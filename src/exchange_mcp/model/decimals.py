"""Money without floats: how a decimal enters, is computed with, and leaves.

A number enters as the text that was on the wire (or as an int), never as a float, and leaves as plain
decimal text without an exponent, every digit and trailing zero kept.
"""

import re
from decimal import Context, Decimal, DivisionByZero, Inexact, InvalidOperation, Overflow
from typing import Annotated, Final

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

# The longest number that can enter has 121 digits, so three of them multiply exactly. A result that would
# not be exact raises; rounding happens knowingly, in `divide`, `divide_up` and `floor_to_step` alone.
CONTEXT: Final = Context(prec=400, traps=[InvalidOperation, DivisionByZero, Overflow, Inexact])

# A venue that sends 1e999999999 must not make us print a gigabyte of zeros.
_MAX_DIGITS: Final = 60

# Decimal() also reads "1_000", " 12 " and non-ASCII digits, which no venue's number format has.
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")

INPUT_PATTERN: Final = r"^(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?$"
_INPUT = re.compile(INPUT_PATTERN)


def from_wire(value: object) -> Decimal | None:
    """The exact decimal that a venue sent, or None where it sent nothing.

    Args:
        value: the text, int or Decimal parsed from the answer. Empty text counts as nothing.

    Raises:
        ValueError: for a float (it has already lost digits), a bool, NaN, infinity, text that is not a
            number, or a number of more than 60 digits after or 61 before the point.
    """
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        raise ValueError(f"not an exact number: {type(value).__name__}")  # noqa: TRY004 - pydantic catches this one
    if isinstance(value, str) and not _NUMBER.fullmatch(value):
        raise ValueError("not a number")
    try:
        number = Decimal(value)
    except InvalidOperation:
        raise ValueError("not a number") from None
    if not number.is_finite():
        raise ValueError("not a finite number")
    exponent = number.as_tuple().exponent
    if isinstance(exponent, int) and (abs(exponent) > _MAX_DIGITS or number.adjusted() > _MAX_DIGITS):
        raise ValueError("a number with an absurd exponent")
    return number


def text(number: Decimal) -> str:
    """Plain decimal text: no exponent, trailing zeros kept."""
    return format(number, "f")


def add(left: Decimal, right: Decimal) -> Decimal:
    """The exact sum."""
    return CONTEXT.add(left, right)


def subtract(left: Decimal, right: Decimal) -> Decimal:
    """The exact difference."""
    return CONTEXT.subtract(left, right)


def multiply(left: Decimal, right: Decimal) -> Decimal:
    """The exact product."""
    return CONTEXT.multiply(left, right)


def divide(numerator: Decimal, denominator: Decimal, *, places: int = 18) -> Decimal:
    """The quotient, rounded towards zero to `places` decimals.

    Raises:
        decimal.DivisionByZero, decimal.InvalidOperation: the denominator is zero.
    """
    units = CONTEXT.divide_int(CONTEXT.scaleb(numerator, places), denominator)
    return CONTEXT.scaleb(units, -places)


def divide_up(numerator: Decimal, denominator: Decimal, *, places: int = 18) -> Decimal:
    """The quotient, rounded away from zero to `places` decimals; raises as `divide` does."""
    down = divide(numerator, denominator, places=places)
    if CONTEXT.multiply(down, denominator) == numerator:
        return down
    last_place = Decimal(1).scaleb(-places)
    opposed = numerator.is_signed() != denominator.is_signed()
    return CONTEXT.subtract(down, last_place) if opposed else CONTEXT.add(down, last_place)


def floor_to_step(number: Decimal, step: Decimal) -> Decimal:
    """The multiple of `step` nearest to `number` that is not further from zero; raises as `divide` does."""
    return CONTEXT.multiply(CONTEXT.divide_int(number, step), step)


def _from_input(value: object) -> Decimal:
    written = text(value) if isinstance(value, Decimal) else value
    if not isinstance(written, str) or not _INPUT.fullmatch(written):
        raise ValueError(
            'a decimal string such as "0.015" is required: up to 18 digits before and after the point, '
            "no sign and no exponent"
        )
    return Decimal(written)


def _positive(value: Decimal) -> Decimal:
    if value <= 0:
        raise ValueError("must be greater than 0")
    return value


Money = Annotated[
    Decimal,
    PlainSerializer(text, return_type=str),
    WithJsonSchema({"type": "string"}),
]
"""A decimal in an answer: plain text on the wire."""

DecimalText = Annotated[
    Decimal,
    BeforeValidator(_from_input),
    PlainSerializer(text, return_type=str),
    WithJsonSchema({"type": "string", "pattern": INPUT_PATTERN}),
]
"""A decimal argument, zero or more: a string such as "0.015"; numbers, signs and exponents are errors."""


def _positive_from_input(value: object) -> Decimal:
    return _positive(_from_input(value))


PositiveDecimalText = Annotated[
    Decimal,
    BeforeValidator(_positive_from_input),
    PlainSerializer(text, return_type=str),
    WithJsonSchema({"type": "string", "pattern": INPUT_PATTERN}),
]
"""A decimal argument greater than zero."""
