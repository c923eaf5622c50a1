"""No float between the wire and the model.

ccxt parses JSON numbers as floats and builds order books of floats, whatever its `number` option says
(ccxt/base/exchange.py, `parse_json` and `parse_order_book_bid_ask`, 4.5.90). `ExactNumbers` comes first
in a client's bases and keeps every digit as text; books hold Decimals, because text would sort wrongly.
"""

import json
from decimal import Decimal
from typing import Any

from exchange_mcp.model.decimals import from_wire


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def exact_json(body: str) -> Any:  # noqa: ANN401 - any JSON value
    """The JSON value of a body, its fractions as text.

    Raises:
        ValueError: it is not JSON, or holds NaN or Infinity, or nests too deeply.
    """
    try:
        return json.loads(body, parse_float=str, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("nested too deeply") from None


class ExactNumbers:
    """A mixin over a ccxt async exchange class; it comes before that class."""

    number = str

    def parse_json(self, http_response: str) -> Any:  # noqa: ANN401 - any JSON value
        """Stand in for ccxt's: the body as JSON, or None where it is none."""
        try:
            return exact_json(http_response) if http_response[:1] in {"{", "["} else None
        except ValueError:
            return None

    def parse_order_book_bid_ask(
        self,
        bidask: Any,  # noqa: ANN401 - a row or a dict, as the venue sends it
        priceKey: Any = 0,  # noqa: N803, ANN401 - ccxt's names
        amountKey: Any = 1,  # noqa: N803, ANN401 - as above
        countOrIdKey: Any = 2,  # noqa: N803, ANN401, ARG002 - as above
    ) -> list[Decimal | None]:
        """Stand in for ccxt's: one level of a book as [price, amount], exact."""
        return [from_wire(bidask[priceKey]), from_wire(bidask[amountKey])]
