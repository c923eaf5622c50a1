"""Every row of one private list: over all its pages and, where a venue lists in parts, over all its parts.

A list that is longer than what is read, or that a venue gives in another shape, is an error and never a short list.
"""

from collections.abc import AsyncIterator, Mapping
from typing import Any, Final, cast

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.errors import BadAnswerError, NotCoveredError
from exchange_mcp.model.unified_symbols import market_type_of
from exchange_mcp.rules.private.declared import (
    KEY,
    BalanceFields,
    EachListed,
    EachSettlement,
    OrderFields,
    Page,
    PositionFields,
    Source,
)
from exchange_mcp.venue.markets import Markets

Row = Mapping[str, Any]
AnySource = Source[BalanceFields] | Source[PositionFields] | Source[OrderFields]

MOST_ROWS: Final = 1000
# Of a list that the venue gives whole: it does not cost a request for every page.
MOST_AT_ONCE: Final = 5000
MOST_PARTS: Final = 20


def at(value: object, path: str) -> object:
    """What is at a dotted path of an answer.

    "*" goes through a list and joins what it finds there; a number is a place in a list.
    """
    for place, name in enumerate(names := path.split(".") if path else []):
        if name == "*":
            if not isinstance(value, list):
                return None
            found = [at(each, ".".join(names[place + 1 :])) for each in cast("list[object]", value)]
            if not all(isinstance(part, list) for part in found):
                return None
            return [row for part in found for row in cast("list[object]", part)]
        if isinstance(value, list) and name.isdecimal():
            value = next(iter(cast("list[object]", value)[int(name) :]), None)
        else:
            value = cast("Mapping[str, object]", value).get(name) if isinstance(value, Mapping) else None
    return value


async def rows(
    client: Any,  # noqa: ANN401 - ccxt is untyped
    source: AnySource,
    market: Mapping[str, Any] | None,
    markets: Markets,
) -> list[Row]:
    """Every row of the source; of one market where it is named and the venue can narrow to it.

    Raises:
        BadAnswerError: the answer is not of the declared shape.
        NotCoveredError: there is more than is read.
    """
    params = dict(source.params)
    if market is not None and source.symbol is not None:
        params[source.symbol] = market["id"]
    if source.each is None or source.each.param in params:
        return await _pages(client, source, params)
    parts = [part async for part in _parts(client, source, source.each, markets)]
    if len(parts) > MOST_PARTS:
        raise NotCoveredError(f"{source.name} is in {len(parts)} parts, more than are read: name a symbol")
    return [
        row for part in parts for row in await _pages(client, source, {**params, source.each.param: part})
    ]


async def _parts(
    client: Any,  # noqa: ANN401 - as above
    source: AnySource,
    each: EachListed | EachSettlement,
    markets: Markets,
) -> AsyncIterator[str]:
    if isinstance(each, EachSettlement):
        for part in sorted(_settlements(markets, source.types)):
            yield part
        return
    listed = at(await _ask(client, each.call, dict(each.params)), each.rows)
    if not isinstance(listed, list):
        raise BadAnswerError(f"{client.id} sent an answer without its list of {each.rows}")
    for part in cast("list[object]", listed):
        if not isinstance(part, str) or not part:
            raise BadAnswerError(f"{client.id} sent a list of {each.rows} with something else in it")
        yield part


def _settlements(markets: Markets, types: tuple[MarketType, ...]) -> set[str]:
    return {
        str(market["settleId"])
        for symbol, market in markets.items()
        if market.get("settleId") and market_type_of(symbol) in types
    }


async def _pages(client: Any, source: AnySource, params: dict[str, Any]) -> list[Row]:  # noqa: ANN401 - as above
    page = source.page
    if page is None:
        found = _rows_of(client.id, source, await _ask(client, source.call, params))
        if len(found) > MOST_AT_ONCE:
            raise _too_many(source, MOST_AT_ONCE)
        return found
    return await _turned(client, source, page, params)


async def _turned(
    client: Any,  # noqa: ANN401 - as above
    source: AnySource,
    page: Page,
    params: dict[str, Any],
) -> list[Row]:
    found, last = list[Row](), list[Row]()
    asking = dict(params) if page.limit is None else {**params, page.limit: page.size}
    for number in range(1, MOST_ROWS // page.size + 1):
        if page.by == "number":
            asking[page.param] = number
        elif page.by == "offset":
            asking[page.param] = page.size * (number - 1)
        answer = await _ask(client, source.call, asking)
        new = _rows_of(client.id, source, answer)
        if len(found) + len(new) > MOST_ROWS + len(last):
            break
        # A row that came or went while the pages were turned shows others twice.
        fresh = [row for row in new if row not in last]
        if new and not fresh:
            raise BadAnswerError(f"{client.id} sent the same page of {source.name} again")
        found += fresh
        last = new
        if not _goes_on(page, answer, new):
            return found
        if page.by in {"cursor", "row"}:
            asking[page.param] = at(answer, page.told) if page.by == "cursor" else at(new[-1], page.told)
            if asking[page.param] in {None, ""}:
                raise BadAnswerError(f"{client.id} sent a page of {source.name} without what follows it")
    raise _too_many(source, MOST_ROWS)


def _too_many(source: AnySource, most: int) -> NotCoveredError:
    return NotCoveredError(f"{source.name} has more than the {most} rows that are read: name a symbol")


def _goes_on(page: Page, answer: object, new: list[Row]) -> bool:
    """Whether another page follows: as the answer says, or as a full page suggests."""
    if page.more is not None:
        flag = at(answer, page.more)
        if isinstance(flag, bool):
            return flag
    is_last_cursor = page.by == "cursor" and at(answer, page.told) in {None, ""}
    return len(new) >= page.size and not is_last_cursor


async def _ask(client: Any, call: str, params: dict[str, Any]) -> object:  # noqa: ANN401 - as above
    return await getattr(client, call)(params)


def _rows_of(venue: str, source: AnySource, answer: object) -> list[Row]:
    value = at(answer, source.rows)
    match source.shape, value:
        case (("list" | "list or null"), list()):
            found = cast("list[object]", value)
        case "list or null", None if _is_told(answer, source.rows):
            found = []
        case "one", Mapping():
            found = [cast("object", value)]
        case "by name", Mapping():
            found = [_named(name, row) for name, row in cast("Mapping[str, object]", value).items()]
        case _:
            raise BadAnswerError(f"{venue} sent an answer without its list of {source.name}")
    if not all(isinstance(row, Mapping) for row in found):
        raise BadAnswerError(f"{venue} sent a list of {source.name} with something else in it")
    return cast("list[Row]", found)


def _named(name: str, row: object) -> object:
    return {**cast("Mapping[str, object]", row), KEY: name} if isinstance(row, Mapping) else row


def _is_told(answer: object, path: str) -> bool:
    parent, _, name = path.rpartition(".")
    holder = at(answer, parent)
    return isinstance(holder, Mapping) and name in holder
