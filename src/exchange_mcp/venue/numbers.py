"""No float between the wire and the model.

ccxt parses JSON numbers as floats and builds order books of floats, whatever its `number` option says
(ccxt/base/exchange.py, `parse_json` and `parse_order_book_bid_ask`, 4.5.90). `ExactNumbers` comes first
in a client's bases and keeps every digit as text; books hold Decimals, because text would sort wrongly.
"""

import json
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final, cast

from exchange_mcp.model.decimals import from_wire
from exchange_mcp.venue.failures import TooLongError

MOST_CHARACTERS: Final = 8 * 1024 * 1024
"""The longest answer that is parsed; a list of markets may be `MOST_OF_MARKETS` long."""
MOST_OF_MARKETS: Final = 32 * 1024 * 1024

# ccxt's own arithmetic would write out 1e999999999 as an integer and not return (ccxt/base/precise.py). No
# venue's number has such an exponent, but a hexadecimal order id may look like one.
_MAYBE_ABSURD: Final = re.compile(r"[eE][+-]?[0-9]{4}")
_ABSURD: Final = re.compile(r"[+-]?[0-9]*\.?[0-9]*[eE][+-]?[0-9]{4,}")


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _told_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member of an object is there twice")
    return members


def exact_json(body: str) -> Any:  # noqa: ANN401 - any JSON value
    """The JSON value of a body, its fractions as text.

    Raises:
        ValueError: it is not JSON, or holds NaN, Infinity, an absurd exponent or a name twice in one object, or nests
            too deeply.
    """
    try:
        value = json.loads(body, parse_float=str, parse_constant=_no_constant, object_pairs_hook=_told_once)
        if _MAYBE_ABSURD.search(body) and any(_ABSURD.fullmatch(text) for text in _texts("", value)):
            raise ValueError("a number with an absurd exponent")
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return value


def _texts(name: str, value: object) -> Iterator[str]:
    """Every text in a JSON value that is not the member of an object whose name ends in "id"."""
    if isinstance(value, str):
        if not name.lower().endswith("id"):
            yield value
    elif isinstance(value, Mapping):
        for member, content in cast("Mapping[str, object]", value).items():
            yield from _texts(member, content)
    elif isinstance(value, list):
        for content in cast("list[object]", value):
            yield from _texts(name, content)


class ExactNumbers:
    """A mixin over a ccxt async exchange class; it comes before that class."""

    id: str
    number = str
    most_characters = MOST_CHARACTERS

    def parse_json(self, http_response: str) -> Any:  # noqa: ANN401 - any JSON value
        """Stand in for ccxt's: the body as JSON, or None where it is none.

        Raises:
            TooLongError: parsing it would keep every other call waiting.
        """
        if len(http_response) > self.most_characters:
            raise TooLongError(f"{self.id} sent an answer of more than {self.most_characters} characters")
        try:
            return exact_json(http_response) if http_response[:1] in {"{", "["} else None
        except ValueError:
            return None

    def safe_order(self, order: Any, market: Any = None) -> Any:  # noqa: ANN401, ARG002 - ccxt's signature
        """Stand in for ccxt's, which slowly works out amounts, prices and terms that the venue did not send."""
        return order

    def safe_ticker(self, ticker: Any, market: Any = None) -> Any:  # noqa: ANN401, ARG002 - as above
        """Stand in for ccxt's, which works out a last price and changes that the venue did not send."""
        return ticker

    def parse_order_book_bid_ask(
        self,
        bidask: Any,  # noqa: ANN401 - a row or a dict, as the venue sends it
        priceKey: Any = 0,  # noqa: N803, ANN401 - ccxt's names
        amountKey: Any = 1,  # noqa: N803, ANN401 - as above
        countOrIdKey: Any = 2,  # noqa: N803, ANN401, ARG002 - as above
    ) -> list[Decimal | None]:
        """Stand in for ccxt's: one level of a book as [price, amount], exact.

        Raises:
            ValueError: it is a text, whose first two characters would pass for a price and an amount.
        """
        if isinstance(bidask, str):
            raise ValueError("a level of a book that is a text")  # noqa: TRY004 - as from_wire does
        return [from_wire(bidask[priceKey]), from_wire(bidask[amountKey])]
