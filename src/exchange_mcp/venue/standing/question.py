"""One request about one market, and how its answer is read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar, cast

from exchange_mcp.model.errors import BadAnswerError
from exchange_mcp.venue.terms import Parsed

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """The market that was asked about.

    Attributes:
        market: as ccxt lists it.
        named: the listed market of the same type by the venue's own id, None where none is.
        id_of: the venue's own id of a unified symbol, None where it lists no such market.
    """

    market: Parsed
    named: Callable[[str], Parsed | None]
    id_of: Callable[[str], str | None]

    @property
    def market_id(self) -> str:
        """The venue's own id."""
        return str(self.market["id"])

    def own(self, row: object) -> Parsed:
        """The row, if it is of this market.

        Raises:
            BadAnswerError: it is of another one, or does not tell.
        """
        found = mapping(row)
        if found.get("symbol") != self.market_id:
            raise BadAnswerError(
                f"the venue was asked for {self.market['symbol']} and told of another market"
            )
        return found


class _Reader(Protocol[T_co]):
    def __call__(self, answer: object, about: About, /) -> T_co: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Question(Generic[T_co]):
    """One request.

    Attributes:
        source: what it tells, as the account's owner reads it.
        call: ccxt's implicit method.
        by_symbol: whether it is asked of one market.
        read: the answer's meaning; raises BadAnswerError.
    """

    source: str
    call: str
    read: _Reader[T_co] = field(repr=False)
    by_symbol: bool = True

    def params(self, about: About) -> dict[str, Any]:
        """The request's parameters."""
        return {"symbol": about.market_id} if self.by_symbol else {}


def mapping(value: object) -> Parsed:
    """The value, if it is an object.

    Raises:
        BadAnswerError: it is none.
    """
    if not isinstance(value, Mapping):
        raise BadAnswerError("the venue sent something else in the place of an object")
    return cast("Parsed", value)


def rows(value: object) -> list[Parsed]:
    """The value, if it is a list of objects.

    Raises:
        BadAnswerError: it is none.
    """
    if not isinstance(value, list):
        raise BadAnswerError("the venue sent something else in the place of a list")
    return [mapping(row) for row in cast("list[object]", value)]
