"""What is written down of a venue's client order ids: the id, the request's window, and how an order is found by it.

Pure data types. Every statement names the vendor's page that makes it, or says that none does.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Literal

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.findings import Source
from exchange_mcp.rules.endpoints import Endpoint
from exchange_mcp.rules.private.declared import Told


class Unique(StrEnum):
    """What a venue promises of an id that was used before."""

    OPEN_ORDERS = "open_orders"
    """Only no two open orders have it: a filled order's id places a second one."""
    ALWAYS = "always"
    """It is refused however long ago it was used; where no page says how long, as far as it goes."""
    ORIGINAL = "original"
    """A repeat is answered with the order that has it, and places nothing."""
    UNTOLD = "untold"
    """The pages do not say."""


@dataclass(frozen=True)
class IdRules:
    """What an id may be and what it is worth.

    Attributes:
        longest: in characters.
        pattern: of a whole id, as a regular expression.
        fields: by the route of a new order, the field that the venue really reads it from.
        unique: what is promised of a second use, `unique_for` for how long, as a sentence's end.
        is_echoed: whether the answer to a new order holds it.
        page: the vendor's page.
    """

    longest: int
    pattern: str
    fields: Mapping[Endpoint, str]
    unique: Unique
    unique_for: str
    is_echoed: bool
    page: str

    @cached_property
    def _whole(self) -> re.Pattern[str]:
        return re.compile(self.pattern)

    def takes(self, client_order_id: str) -> bool:
        """Whether the venue takes this id."""
        return len(client_order_id) <= self.longest and self._whole.fullmatch(client_order_id) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowRules:
    """How long after its timestamp a venue takes a write.

    Attributes:
        travels: where the window is told: in a field, a header, or nowhere.
        name: of that field or header. unit: what it holds: a length in ms, or the last moment, in ms or as RFC 3339.
        default_ms: what holds where it is not told; None where nothing then ends the request.
        longest_ms: the longest that may be told.
        early_ms: how far the timestamp may be ahead of the venue's clock; None where no page says.
        refuses_late: whether a page says that a request after its window is refused.
        is_sent: whether ccxt sends it as this product uses ccxt.
        page: the vendor's page.
    """

    travels: Literal["field", "header", "nowhere"]
    name: str = ""
    unit: Literal["length_ms", "last_ms", "last_rfc3339", "none"] = "none"
    default_ms: int | None
    longest_ms: int | None
    early_ms: int | None
    refuses_late: bool
    is_sent: bool
    page: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFields:
    """Where a row tells an order or a trade, by dotted path; None where it does not.

    Attributes:
        symbol: the venue's market id; None where rows name the market in another way, so that it is not compared.
        created, updated: when, as `time` says it: UTC milliseconds, seconds with or without a fraction, or RFC 3339.
        cost: the quote amount of what was filled, from which the average price follows where none is told.
        spawned: the id of the order that this conditional order sent.
    """

    order_id: str
    client_id: str | None
    symbol: str | None
    created: str
    updated: str | None = None
    status: str | None = None
    side: str | None = None
    amount: str | None = None
    filled: str | None = None
    average: str | None = None
    cost: str | None = None
    spawned: str | None = None
    time: Literal["ms", "seconds", "rfc3339"] = "ms"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exact:
    """One request for one order by its client id.

    Attributes:
        call: ccxt's implicit method.
        client_id, order_id, symbol: the parameters of these; None where it takes none.
        rows: the dotted path of the order, or of the list with it, or of the object that holds it by its id.
        absent: the (HTTP status, code) that say that there is no such order; an empty list says so too, where
            `empty_is_absent`.
        rest: the dotted path of a cursor or a count, which is empty or 0 where an empty list is all there is.
    """

    call: str
    client_id: str
    order_id: str | None = None
    symbol: str | None = "symbol"
    rows: str = ""
    shape: Literal["one", "list", "by name"] = "one"
    fields: RowFields
    params: Mapping[str, Told] = field(default_factory=dict[str, Told])
    absent: frozenset[tuple[int, str]] = frozenset()
    empty_is_absent: bool = False
    rest: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One list of orders or trades of one market.

    Attributes:
        shape: whether the rows are a list, or objects by name: then the name is the order's id.
        symbol: the parameter that narrows it to one market; None where it is always of all.
        since, until: the parameters of a span of time, in ms or, `in_seconds`, in seconds; None where it cannot be
            narrowed: then it is whole, as of now.
        span_ms: the longest span that may be asked for.
        limit, size: the parameter of the most rows, and the most that there may be: a list of so many is not whole.
            Without a size it is always whole.
        is_latest: whether, without a span, it tells the latest rows of all time.
        more: the dotted path of a flag, true or false, that says whether there is more.
        total: the dotted path of the number of rows that there are, on this page or not.
        cursor: the parameter of the next page, and the dotted path of what it is told; the last page has none.
    """

    source: Source
    call: str
    rows: str = ""
    shape: Literal["list", "by name"] = "list"
    fields: RowFields
    params: Mapping[str, Told] = field(default_factory=dict[str, Told])
    symbol: str | None = "symbol"
    since: str | None = None
    until: str | None = None
    in_seconds: bool = False
    span_ms: int | None = None
    limit: str | None = None
    size: int | None = None
    is_latest: bool = False
    more: str | None = None
    total: str | None = None
    cursor: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A source that is not asked, and why, as a sentence."""

    source: Source
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LookUps:
    """How an order is found.

    Attributes:
        exact: the requests by client id, each of which has to say that it is not there; none where no look-up is true.
        exact_gap: why there is none.
        by_order_id: the request by the venue's own id of a plain order, which tells whose a trade is.
        lists: every other source, in the order in which it is asked: an order moves from open to closed, never back.
        lag_ms: how late an order that exists may still be shown; `lag_page` says it, or what it was taken from.
        keeps_ms: how long an order that ended without a trade can be found; None where no page says.
        clock: ccxt's implicit method of the venue's time, the dotted path of it, and its unit; None where its
            endpoint is in no reviewed list.
        success: the dotted path and the value that every answer has which is no error; None where answers have no such
            mark.
        kinds: the kinds of account that this is true for; none named means that all are.
    """

    exact: tuple[Exact, ...] = ()
    exact_gap: str = ""
    by_order_id: Exact | None = None
    lists: tuple[Listed | Gap, ...]
    lag_ms: int
    lag_is_documented: bool
    lag_page: str
    keeps_ms: int | None
    clock: tuple[str, str, Literal["ms", "seconds"]] | None
    success: tuple[str, Told | list[object]] | None = None
    kinds: frozenset[str] = frozenset()

    @property
    def sources(self) -> tuple[Source, ...]:
        """Every source, asked or not."""
        return (Source.CLIENT_ID, *(each.source for each in self.lists))


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderIds:
    """All that is known of client order ids at one venue, for orders of one kind.

    Attributes:
        is_conditional: whether it is about orders that wait for a trigger; None where these are like all others.
    """

    types: tuple[MarketType, ...]
    is_conditional: bool | None
    ids: IdRules
    window: WindowRules
    lookups: LookUps
