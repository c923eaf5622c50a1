"""The form of a symbol argument. Whether a venue lists it is the venue's to say."""

from typing import Annotated

from pydantic import AfterValidator, WithJsonSchema

from exchange_mcp.model.venue_text import visible

_LONGEST = 64


def _symbol(value: str) -> str:
    if (
        not value
        or len(value) > _LONGEST
        or value != value.strip()
        or visible(value) != value
        or " " in value
    ):
        raise ValueError(
            "a unified symbol such as BTC/USDT or BTC/USDT:USDT is required, at most 64 characters"
        )
    return value


Symbol = Annotated[
    str,
    AfterValidator(_symbol),
    WithJsonSchema(
        {"type": "string", "maxLength": _LONGEST, "description": "unified: BTC/USDT, BTC/USDT:USDT"}
    ),
]
"""A unified ccxt symbol: BASE/QUOTE for spot, BASE/QUOTE:SETTLE for a perpetual."""
