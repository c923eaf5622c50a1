"""Looking for one order of ours at its venue: every source is asked by a request of its own, and by reading alone.

What each source says is found, not found or no answer. An error, a page that may have been cut, a row that cannot be
told, a venue that asks for fewer requests: all of these are no answer. Only what the venue's rules name, by HTTP
status and code, or an empty whole list, says that an order is not there.
"""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast

from exchange_mcp.config.redaction import Redactor
from exchange_mcp.model.accounts import Account
from exchange_mcp.model.errors import BadAnswerError, ExchangeMcpError, RateLimitedError
from exchange_mcp.model.findings import Findings, FoundOrder, Says, Sought, Source, SourceFinding
from exchange_mcp.rules.client_ids import Exact, Gap, Listed, LookUps, OrderIds, order_ids
from exchange_mcp.rules.endpoints import Endpoint
from exchange_mcp.venue.account_types import AccountType
from exchange_mcp.venue.attempts import Attempt
from exchange_mcp.venue.egress import Capability, reading
from exchange_mcp.venue.failures import meaning
from exchange_mcp.venue.found_rows import (
    Seen,
    instant,
    named,
    ours,
    rows_of,
    seen,
    spawned_by_desks,
    unattributable,
)
from exchange_mcp.venue.listing import at
from exchange_mcp.venue.numbers import exact_json

# A look goes no further back than so many of the longest spans that a list may be asked for.
_MOST_SPANS: Final = 8
# So many orders behind trades are asked for one by one; the rest stays unattributable.
_MOST_ORIGINS: Final = 5
# How far a request's time may be ahead of a venue that does not say; and how far a venue's clocks are apart.
_EARLY_MS: Final = 60_000
_SKEW_MS: Final = 2_000
_AHEAD_MS: Final = 60_000
_FEW_ROWS: Final = 20
_MOST_PAGES: Final = 8
# What a look-up says where the venue said that there is no such order; no answer of a venue is this.
_ABSENT: Final = object()

_FORGETS: Final = frozenset({Source.CLIENT_ID, Source.CLOSED_ORDERS, Source.CLOSED_CONDITIONAL_ORDERS})
_CONDITIONAL: Final = (Source.CONDITIONAL_ORDERS, Source.CLOSED_CONDITIONAL_ORDERS)
_PLAIN: Final = (Source.OPEN_ORDERS, Source.CLOSED_ORDERS)


def silent(account: Account, sought: Sought, why: str) -> Findings:
    """A look that asked nothing, and why."""
    rules = order_ids(account.venue, sought.market.market_type, is_conditional=sought.is_conditional)
    sources = (Source.CLIENT_ID,) if rules is None else rules.lookups.sources
    return Findings(
        client_order_id=sought.client_order_id,
        venue_ms=0,
        sources=tuple(SourceFinding(source=each, says=Says.NO_ANSWER, detail=why) for each in sources),
    )


class Finder:
    """Looks at one account with a client that may be shared. `turn` is taken for each request.

    Args:
        endpoints: the read endpoints that may be asked.
        kind: the account's kind, where its venue has more than one.
    """

    def __init__(  # noqa: PLR0913 - all that a look depends on
        self,
        account: Account,
        client: Any,  # noqa: ANN401 - ccxt is untyped
        endpoints: frozenset[Endpoint],
        redactor: Redactor,
        *,
        turn: AbstractAsyncContextManager[Any],
        kind: AccountType | None = None,
    ) -> None:
        self.account = account
        self.client = client
        self.endpoints = endpoints
        self.redactor = redactor
        self.turn = turn
        self.kind = kind

    async def find(self, sought: Sought) -> Findings:
        """What every source says, in the order in which an order moves through them; raises nothing."""
        market_type, venue = sought.market.market_type, self.account.venue
        if not self.account.has_key:
            return silent(self.account, sought, f"account {self.account.name} has no key")
        rules = order_ids(venue, market_type, is_conditional=sought.is_conditional)
        if rules is None:
            return silent(self.account, sought, f"how an order is found at {venue} was not written down")
        if market_type not in self.account.market_types:
            return silent(
                self.account, sought, f"account {self.account.name} is not set up for {market_type}"
            )
        try:
            kind = None if self.kind is None or not rules.lookups.kinds else await self.kind.ready()
        except ExchangeMcpError as error:
            return silent(self.account, sought, error.message)
        if rules.lookups.kinds and kind not in rules.lookups.kinds:
            return silent(
                self.account, sought, f"how an order is found in this kind of {venue} account was not read"
            )
        return await _Look(self, rules, sought).findings()


@dataclass(slots=True)
class _Look:
    """One look: what was asked so far, and what it said."""

    finder: Finder
    rules: OrderIds
    sought: Sought
    venue_ms: int = 0
    rows: dict[Source, list[Seen]] = field(default_factory=dict[Source, list[Seen]])
    gaps: dict[Source, str] = field(default_factory=dict[Source, str])
    hushed: str = ""

    @property
    def lookups(self) -> LookUps:
        return self.rules.lookups

    @property
    def since_ms(self) -> int:
        """The earliest that the venue may have taken it, by its own clock."""
        early = self.rules.window.early_ms
        return self.sought.signed_ms - (_EARLY_MS if early is None else early) - _SKEW_MS

    async def findings(self) -> Findings:
        await self._clock()
        for each in self.lookups.lists:
            await self._list(each)
        exact = await self._exact(self.sought.client_order_id)
        control = await self._control()
        await self._origins()
        told = tuple(self._of_list(each) for each in self.lookups.lists)
        return Findings(
            client_order_id=self.sought.client_order_id,
            venue_ms=self.venue_ms,
            sources=tuple(map(self._remembered, (exact, *told))),
            control=control,
        )

    async def _ask(self, call: str, params: dict[str, Any]) -> object:
        """The answer.

        Raises:
            ExchangeMcpError: there was none; after a venue asked for fewer requests, nothing is asked any more.
        """
        return (await self._asked(call, params))[0]

    async def _told(self, call: str, params: dict[str, Any]) -> object:
        """The answer, which is one by the venue's own mark.

        Raises:
            ExchangeMcpError: as `_ask` does, or the mark is missing.
        """
        answer, success = await self._ask(call, params), self.lookups.success
        if answer is not _ABSENT and success is not None:
            mark = at(answer, success[0])
            if type(mark) is not type(success[1]) or mark != success[1]:
                raise BadAnswerError("the answer does not say that it is none of an error")
        return answer

    async def _asked(self, call: str, params: dict[str, Any]) -> tuple[object, Attempt | None]:
        if self.hushed:
            raise RateLimitedError(self.hushed)
        finder, held = self.finder, None
        try:
            async with finder.turn:
                with reading(finder.endpoints) as held:
                    return await getattr(finder.client, call)(params), held.latest
        except Exception as error:
            if self._is_absence(held, call):
                return _ABSENT, None if held is None else held.latest
            ours_ = meaning(error, finder.account.venue, finder.redactor)
            if isinstance(ours_, RateLimitedError):
                self.hushed = f"it was not asked, since {ours_.message}"
            raise ours_ from error

    def _is_absence(self, held: Capability | None, call: str) -> bool:
        """Whether the venue said, in the status and code that its rules name, that there is no such order."""
        attempt = None if held is None else held.latest
        if attempt is None or attempt.status is None or attempt.body is None:
            return False
        named_ = {pair for each in self.lookups.exact if each.call == call for pair in each.absent}
        return (attempt.status, _code(attempt.body)) in named_

    async def _clock(self) -> None:
        if self.lookups.clock is None:
            return
        call, path, unit = self.lookups.clock
        try:
            answer = await self._ask(call, {})
        except ExchangeMcpError:
            return
        self.venue_ms = instant(at(answer, path), unit) or 0

    async def _list(self, listed: Listed | Gap) -> None:
        if isinstance(listed, Gap):
            self.gaps[listed.source] = f"this list {listed.why}"
            return
        self.rows[listed.source] = rows = list[Seen]()
        try:
            for span in self._spans(listed):
                rows += await self._page(listed, span)
            if listed.until is not None and not self.venue_ms:
                # What came later than the first minute was not asked for.
                self.gaps[listed.source] = (
                    "the venue did not tell its time, so that nobody knows until when to ask"
                )
        except _CutError as cut:
            rows += cut.rows
            self.gaps[listed.source] = cut.message
        except ExchangeMcpError as error:
            self.gaps[listed.source] = error.message

    def _spans(self, listed: Listed) -> list[dict[str, Any]]:
        """The parameters of time that cover everything since the dispatch."""
        if listed.since is None:
            return [{}]
        scale = 1000 if listed.in_seconds else 1
        start, length = self.since_ms, listed.span_ms
        if length is None or listed.until is None:
            return [{listed.since: start // scale}]
        end = (self.venue_ms or start) + _AHEAD_MS
        spans = range(start, end, length)
        if len(spans) > _MOST_SPANS:
            raise BadAnswerError("the dispatch is too long ago for this list")
        return [
            {listed.since: first // scale, listed.until: min(first + length - 1, end) // scale}
            for first in spans
        ]

    async def _page(self, listed: Listed, span: dict[str, Any]) -> list[Seen]:
        params: dict[str, Any] = {**listed.params, **span}
        if listed.symbol is not None:
            params[listed.symbol] = self.sought.market.market_id
        if listed.limit is not None:
            params[listed.limit] = listed.size
        found: list[Seen] = []
        for _ in range(_MOST_PAGES):
            answer = await self._told(listed.call, params)
            rows = self._read(rows_of(answer, listed.rows, listed.shape), listed.fields)
            if listed.since is not None and any(_last(row) < self.since_ms - _SKEW_MS for row in rows):
                raise BadAnswerError(
                    "it shows what is older than was asked for, so that it may lack what is not"
                )
            found += rows
            following = None if listed.cursor is None else at(answer, listed.cursor[1])
            if following is None or following == "":
                if _is_cut(listed, answer, len(rows)):
                    raise _CutError(found)
                return found
            if not rows or listed.cursor is None or not isinstance(following, str):
                break
            params[listed.cursor[0]] = following
        raise _CutError(found)

    def _read(self, rows: list[Any], fields: Any) -> list[Seen]:  # noqa: ANN401 - rows and fields as declared
        return [seen(row, fields, self.sought.market.market_id) for row in rows]

    async def _exact(self, client_order_id: str) -> SourceFinding:
        """What the look-up by exactly this id says; it has to be told by all of its requests that it is not there."""
        if not self.lookups.exact:
            return _no_answer(Source.CLIENT_ID, self.lookups.exact_gap)
        for each in self.lookups.exact:
            try:
                order = await self._one(each, each.client_id, client_order_id)
            except ExchangeMcpError as error:
                return _no_answer(Source.CLIENT_ID, error.message)
            if order is not None and order.order.client_order_id != client_order_id:
                return _no_answer(Source.CLIENT_ID, "it was answered with an order of another id")
            if order is not None:
                return SourceFinding(source=Source.CLIENT_ID, says=Says.FOUND, order=order.order)
        return SourceFinding(source=Source.CLIENT_ID, says=Says.NOT_FOUND)

    async def _one(self, exact: Exact, by: str, value: str) -> Seen | None:
        params: dict[str, Any] = {**exact.params, by: value}
        if exact.symbol is not None:
            params[exact.symbol] = self.sought.market.market_id
        answer = await self._told(exact.call, params)
        if answer is _ABSENT:
            return None
        rows = self._read(rows_of(answer, exact.rows, exact.shape), exact.fields)
        if not rows and exact.empty_is_absent:
            if exact.rest is not None and at(answer, exact.rest) not in (None, "", 0):
                raise BadAnswerError("no order came, and the answer says that there is more")
            return None
        if len(rows) != 1:
            raise BadAnswerError(f"{len(rows)} orders came where one was asked for")
        return rows[0]

    async def _control(self) -> Says:
        """What the same look-up says of an order that this account surely has."""
        known = self.sought.known or await self._known()
        return Says.NO_ANSWER if known is None else (await self._exact(known)).says

    async def _known(self) -> str | None:
        """The client order id of the oldest order that was seen; where none was, of one of the latest ever."""
        wanted = _CONDITIONAL if self.sought.is_conditional and self._keeps_apart() else _PLAIN
        rows = [row for source in wanted for row in self.rows.get(source, ())]
        if not any(self._is_other(row) for row in rows) and self.lookups.exact:
            listed = next(
                (x for x in self.lookups.lists if isinstance(x, Listed) and x.source is wanted[-1]), None
            )
            try:
                rows = [] if listed is None else await self._latest(listed)
            except ExchangeMcpError:
                return None
        others = sorted((row for row in rows if self._is_other(row)), key=lambda row: row.created_ms)
        return others[0].order.client_order_id if others else None

    def _keeps_apart(self) -> bool:
        return any(each.source is Source.CONDITIONAL_ORDERS for each in self.lookups.lists)

    def _is_other(self, row: Seen) -> bool:
        return row.order.client_order_id not in {None, self.sought.client_order_id}

    async def _latest(self, listed: Listed) -> list[Seen]:
        params: dict[str, Any] = dict(listed.params)
        if listed.symbol is not None:
            params[listed.symbol] = self.sought.market.market_id
        if listed.limit is not None:
            params[listed.limit] = _FEW_ROWS
        rows = rows_of(await self._told(listed.call, params), listed.rows, listed.shape)
        return self._read(rows, listed.fields)

    async def _origins(self) -> None:
        """Ask whose the trades are that no order seen so far made."""
        origin, trades = self.lookups.by_order_id, self.rows.get(Source.TRADES, [])
        if origin is None or origin.order_id is None or not trades:
            return
        orders = [row for source in _PLAIN for row in self.rows.get(source, ())]
        known = {row.order.order_id for row in orders} | self._spawned().keys()
        unknown = dict.fromkeys(row.order.order_id for row in trades if row.order.order_id not in known)
        for order_id in list(unknown)[:_MOST_ORIGINS]:
            try:
                order = await self._one(origin, origin.order_id, order_id or "")
            except ExchangeMcpError:
                continue
            if order is not None and order.order.order_id == order_id:
                self.rows.setdefault(Source.CLIENT_ID, []).append(order)

    def _spawned(self) -> dict[str, str]:
        return spawned_by_desks(row for source in _CONDITIONAL for row in self.rows.get(source, ()))

    def _of_list(self, listed: Listed | Gap) -> SourceFinding:
        source, rows = listed.source, self.rows.get(listed.source, [])
        spawned = self._spawned()
        if source is Source.TRADES:
            orders = [row for each in (*_PLAIN, Source.CLIENT_ID) for row in self.rows.get(each, ())]
            # The trades of an order from before the dispatch are not ours, whoever placed it.
            old = {row.order.order_id for row in orders if row.created_ms < self.since_ms}
            rows = [row for row in named(rows, orders, spawned) if row.order.order_id not in old]
        order, gap = ours(rows, self.sought), self.gaps.get(source, "")
        says = Says.FOUND if order else Says.NO_ANSWER if gap else Says.NOT_FOUND
        return SourceFinding(
            source=source,
            says=says,
            order=order,
            unattributable=_without(unattributable(rows, self.since_ms, spawned), order),
            detail="" if order else gap,
        )

    def _remembered(self, finding: SourceFinding) -> SourceFinding:
        """As it is, unless the venue may have forgotten the order by now."""
        keeps, age = self.lookups.keeps_ms, self.venue_ms - self.since_ms
        if finding.says is not Says.NOT_FOUND or keeps is None or finding.source not in _FORGETS:
            return finding
        if self.venue_ms and age < keeps:
            return finding
        why = "is forgotten by now" if self.venue_ms else "may be forgotten: the venue did not tell its time"
        return replace(finding, says=Says.NO_ANSWER, detail=f"an order that ended without a trade {why}")


class _CutError(BadAnswerError):
    """A page that may not be whole, with the rows that it has."""

    def __init__(self, rows: list[Seen]) -> None:
        super().__init__(f"{len(rows)} rows came, so that there may be more")
        self.rows = rows


def _is_cut(listed: Listed, answer: object, count: int) -> bool:
    """Whether there may be more rows than these, the last that came.

    Raises:
        BadAnswerError: the answer does not say so where it always does.
    """
    more = False if listed.more is None else at(answer, listed.more)
    total = count if listed.total is None else at(answer, listed.total)
    if not isinstance(more, bool) or not isinstance(total, int):
        raise BadAnswerError("it does not say whether there is more")
    return more or total > count or (listed.size is not None and count >= listed.size)


def _no_answer(source: Source, why: str) -> SourceFinding:
    return SourceFinding(source=source, says=Says.NO_ANSWER, detail=why)


def _without(rows: tuple[FoundOrder, ...], order: FoundOrder | None) -> tuple[FoundOrder, ...]:
    return rows if order is None else tuple(row for row in rows if row.order_id != order.order_id)


def _last(row: Seen) -> int:
    return max(row.created_ms, row.order.updated_ms or 0)


def _code(body: str) -> str:
    try:
        answer = exact_json(body)
    except ValueError:
        return ""
    if not isinstance(answer, Mapping) or any(
        value not in (None, "", [], {})
        for name, value in cast("Mapping[str, object]", answer).items()
        if name not in {"code", "msg"}
    ):
        # With anything else beside it, this is no answer that a page shows.
        return ""
    code = at(cast("Mapping[str, object]", answer), "code")
    return str(code) if isinstance(code, str | int) and not isinstance(code, bool) else ""
