"""How the venue writes a number: decimal strings, never an exponent, cut and not rounded.

That the venue cuts is read off its own example (0.001 BTC at a mark of 21123.05052574 is a notional of
"21.12305052"): https://developers.binance.com/docs/derivatives/usds-margined-futures/trade/rest-api/Position-Information-V2
"""

from decimal import ROUND_DOWN, Decimal

ZERO = Decimal(0)


def cut(value: Decimal, places: int = 8) -> Decimal:
    """Return a value without what is behind so many decimals."""
    return value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_DOWN)


def fixed(value: Decimal, places: int = 8) -> str:
    """Write a value with exactly so many decimals, cut towards zero."""
    short = cut(value, places)
    return f"{abs(short) if short.is_zero() else short:f}"


def fixed_or_zero(value: Decimal, places: int = 8) -> str:
    """Write a value with so many decimals, and a nothing as a bare "0", as USD-M figures are."""
    return fixed(value, places) if value else "0"


def trimmed(value: Decimal) -> str:
    """Write a value without trailing zeros but with at least one decimal, as USD-M entry prices are."""
    text = f"{value.normalize():f}"
    return text if "." in text else f"{text}.0"


def scaled(units: int, places: int) -> str:
    """Write an integer count of 10**-places (not negative) as a decimal string."""
    if not places:
        return str(units)
    text = str(units).zfill(places + 1)
    return f"{text[:-places]}.{text[-places:]}"


def floor_to(value: Decimal, step: Decimal) -> Decimal:
    """Return the largest multiple of a step that is not above a positive value."""
    return (value // step) * step
