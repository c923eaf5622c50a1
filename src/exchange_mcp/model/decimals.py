"""Money without floats: how a decimal enters, is computed with, and leaves.

A number enters as the text that was on the wire (or as an int), never as a float, and leaves as plain
decimal text without an exponent, every digit and trailing zero kept.
"""

import re
from decimal import ROUND_DOWN, Context, Decimal, InvalidOperation, Overflow
from typing import Annotated, Final

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

# Exact products of two 36-digit numbers fit; a result that would not be exact is rounded knowingly, at
# one place (`divide`), and nowhere else.
CONTEXT: Final = Context(prec=80, traps=[InvalidOperation, Overflow])

# A venue that sends 1e999999999 must not make us print a gigabyte of zeros.
_MAX_DIGITS: Final = 60

INPUT_PATTERN: Final = r"^(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?$"
_INPUT = re.compile(INPUT_PATTERN)


def from_wire(value: object) -> Decimal | None:
    """The exact decimal that a venue sent, or None where it sent nothing.

    Args:
        value: the text, int or Decimal parsed from the answer. Empty text counts as nothing.

    Raises:
        ValueError: for a float (it has already lost digits), a bool, NaN, infinity, text that is not a
            number, or a number whose plain text would be longer than 60 digits.
    """
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        raise ValueError(f"not an exact number: {type(value).__name__}")
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
    """The quotient, rounded towards zero to `places` decimals."""
    return floor_to_step(CONTEXT.divide(numerator, denominator), Decimal(1).scaleb(-places))


def floor_to_step(number: Decimal, step: Decimal) -> Decimal:
    """The multiple of `step` nearest to `number` that is not further from zero."""
    steps = CONTEXT.divide(number, step).to_integral_value(rounding=ROUND_DOWN, context=CONTEXT)
    return CONTEXT.multiply(steps, step)


def _from_input(value: object) -> Decimal:
    if isinstance(value, Decimal):
        return value
    if not isinstance(value, str) or not _INPUT.fullmatch(value):
        raise ValueError(
            'a decimal string such as "0.015" is required: digits and one point, no sign or exponent'
        )
    return Decimal(value)


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
"""A decimal argument, zero or more: a JSON string such as "0.015"; numbers, signs and exponents are errors."""


def _positive_from_input(value: object) -> Decimal:
    return _positive(_from_input(value))


PositiveDecimalText = Annotated[
    Decimal,
    BeforeValidator(_positive_from_input),
    PlainSerializer(text, return_type=str),
    WithJsonSchema({"type": "string", "pattern": INPUT_PATTERN}),
]
"""A decimal argument greater than zero."""
