"""What a model or a person asks for: an order, a cancel, a leverage. Nothing is checked against a market yet."""

import re
from decimal import Decimal
from typing import Annotated, Final, Literal

from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema

from exchange_mcp.model.decimals import text
from exchange_mcp.model.frozen import Record
from exchange_mcp.model.writes import OrderType, TimeInForce

# A sign can be asked for, so that a negative number is answered by a code of its own (`placing`).
_PATTERN: Final = r"^-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?$"
_ASKED: Final = re.compile(_PATTERN)


def _from_input(value: object) -> Decimal:
    written = text(value) if isinstance(value, Decimal) else value
    if not isinstance(written, str) or not _ASKED.fullmatch(written):
        raise ValueError(
            'a decimal string such as "0.015" is required: up to 18 digits before and after the point, '
            "and no exponent"
        )
    return Decimal(written)


def _order_type(value: object) -> OrderType:
    # From JSON an enumeration arrives as its text, which a strict model would not take from Python.
    if not isinstance(value, str) or value not in set(OrderType):
        *first, last = (f"'{kind.value}'" for kind in OrderType)
        raise ValueError(f"{', '.join(first)} or {last}")
    return OrderType(value)


AskedDecimal = Annotated[
    Decimal,
    BeforeValidator(_from_input),
    PlainSerializer(text, return_type=str),
    WithJsonSchema({"type": "string", "pattern": _PATTERN}),
]
"""A decimal as it was asked for, whatever its sign: the planner refuses what is not above zero."""


class OrderRequest(Record):
    """One order, as asked.

    Attributes:
        symbol: unified, such as BTC/USDT or BTC/USDT:USDT.
        amount: in base, also where the venue counts contracts.
        cost: in quote, instead of an amount: of a spot market buy, or of any order on an inverse market.
        price: the limit price; trigger_price: where a stop begins to work; in quote.
        time_in_force: of an order with a price; good till cancelled unless said.
    """

    symbol: Annotated[str, Field(min_length=1, max_length=64)]
    side: Literal["buy", "sell"]
    type: Annotated[OrderType, BeforeValidator(_order_type)]
    amount: Annotated[AskedDecimal | None, Field(description="base")] = None
    cost: Annotated[AskedDecimal | None, Field(description="quote, instead of amount")] = None
    price: AskedDecimal | None = None
    trigger_price: AskedDecimal | None = None
    time_in_force: TimeInForce | None = None
    post_only: bool = False
    reduce_only: bool = False


class CancelRequest(Record):
    """The cancel of one order, as asked, by exactly one id: the venue's or ours."""

    symbol: Annotated[str, Field(min_length=1, max_length=64)]
    order_id: Annotated[str | None, Field(max_length=80)] = None
    client_order_id: Annotated[str | None, Field(max_length=80)] = None


class LeverageRequest(Record):
    """A change of one market's leverage, as asked."""

    symbol: Annotated[str, Field(min_length=1, max_length=64)]
    leverage: int
