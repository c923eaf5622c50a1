"""Whoever else writes with this key, and what turns up late: every order on the key is seen twice a minute.

An order with our tag that the journal does not know as sent says that the journal was copied or restored; one with
another desk's tag, that two desks hold one key. Either halts the account, and the halt says why.
"""

import asyncio

from exchange_mcp.config.logs import get_logger
from exchange_mcp.desk.intents import State
from exchange_mcp.desk.journal_errors import LockHeldError, WriteFailedError
from exchange_mcp.desk.looking import look_for
from exchange_mcp.desk.station import Moment, Station
from exchange_mcp.model.client_ids import desk_tag, tag_of
from exchange_mcp.model.errors import ExchangeMcpError, JournalError, VenueUnreachableError
from exchange_mcp.model.findings import FoundOrder
from exchange_mcp.model.trading import Sighting

_log = get_logger(__name__)

# What was ruled out, and can only be there if the ruling was wrong.
RULED_OUT = frozenset({State.ABSENT, State.NOT_SENT, State.REJECTED})
# What was sent, or may have been.
_CLAIMED = RULED_OUT | {State.DISPATCHING, State.ACCEPTED, State.UNKNOWN, State.PLACED}


class Watch:
    """The watch over one account. Its first sweep looks back to what the last run had seen, however long ago."""

    def __init__(self, station: Station) -> None:
        self._station = station
        self._kept_ms = station.journal.swept_ms(station.account)
        self._since_ms = self._first_since_ms()
        self._told: set[str] = set()
        self._known: tuple[frozenset[str], int] = (frozenset(), 0)

    def _first_since_ms(self) -> int:
        """From when on the first sweep looks, in venue time.

        A journal that never saw this key may stand where a lost one did, so it looks back as far as a repeat is told.
        """
        pace, now_ms = self._station.pace, self._station.clock.now_ms()
        kept_ms = now_ms - pace.watched_ms if self._kept_ms is None else self._kept_ms
        return min(kept_ms, now_ms) - pace.sweep_overlap_ms

    async def run(self) -> None:
        """Sweep for ever."""
        while True:
            await asyncio.sleep(self._station.pace.sweep)
            try:
                await self.sweep()
            except JournalError:
                raise
            except ExchangeMcpError as error:
                _log.warning("a sweep had no answer", account=self._station.account, error=error.message)

    async def sweep(self) -> None:
        """See everything on the key once.

        Raises:
            ExchangeMcpError: a source did not answer; nothing is concluded, and the next sweep looks as far back.
        """
        station = self._station
        began_ms, began = station.venue.venue_ms(), Moment.now(station.clock)
        try:
            async with asyncio.timeout(station.pace.look_patience):
                sightings = await station.venue.seen(self._since_ms, self._symbols())
        except TimeoutError:
            raise VenueUnreachableError("the venue did not show in time what this key has") from None
        for sighting in sightings:
            self._saw(sighting)
        self._since_ms = began_ms - station.pace.sweep_overlap_ms
        station.swept_at = began
        self._keep(began_ms)

    def _symbols(self) -> frozenset[str]:
        """The markets of every intent of this account; the journal is read on from where it was read to."""
        known, read = self._known
        new, last = self._station.journal.symbols(self._station.account, read)
        self._known = (known | new, last)
        return self._known[0]

    def _keep(self, began_ms: int) -> None:
        """Let the next run know until when everything was seen; seldom, as what is forgotten is only seen twice."""
        station = self._station
        if self._kept_ms is not None and began_ms - self._kept_ms < station.pace.sweep_overlap_ms:
            return
        try:
            station.journal.swept(station.account, began_ms)
        except (WriteFailedError, LockHeldError) as error:
            _log.warning("the next start looks further back", account=station.account, error=error.message)
        else:
            self._kept_ms = began_ms

    async def follow(self, intent_id: str) -> None:
        """Look for an order that was ruled absent, for a day; an order can be filled and gone between two sweeps."""
        station, number = self._station, 0
        while True:
            waits = station.pace.late_looks
            await asyncio.sleep(waits[min(number, len(waits) - 1)])
            number += 1
            intent = station.journal.intent(intent_id)
            if intent.state is not State.ABSENT:
                return
            found = (await look_for(station, intent)).found
            if found is not None:
                self._found_late(intent_id, found)
                return
            if station.clock.now_ms() - intent.changed_ms > station.pace.watched_ms:
                return

    def _saw(self, sighting: Sighting) -> None:
        tag, ours = tag_of(sighting.client_order_id), desk_tag(self._station.journal.desk.tag)
        if tag is None or sighting.client_order_id is None:
            return
        if tag != ours:
            self._halt(sighting, f"another desk (tag {tag}) places orders with this account's key")
            return
        intent = self._station.journal.intent_of_order(sighting.client_order_id)
        if intent is None or intent.state not in _CLAIMED:
            self._halt(
                sighting,
                "it carries this desk's tag and this journal has not sent it:"
                " the journal was copied, or an older one restored",
            )
        elif intent.state in RULED_OUT:
            self._found_late(
                intent.id, FoundOrder(order_id=sighting.order_id, client_order_id=sighting.client_order_id)
            )
        elif intent.state is State.UNKNOWN:
            station = self._station
            reason = "it was seen at the venue"
            station.moved(
                station.journal.reconcile(
                    intent.id,
                    State.PLACED,
                    proof={"seen": sighting.placed_ms},
                    reason=reason,
                    order_id=sighting.order_id,
                )
            )

    def _found_late(self, intent_id: str, order: FoundOrder) -> None:
        station = self._station
        if station.journal.intent(intent_id).state in RULED_OUT:
            reason = "it was found at the venue after it had been ruled out"
            station.moved(station.journal.found_late(intent_id, order, reason))

    def _halt(self, sighting: Sighting, reason: str) -> None:
        station, client_order_id = self._station, sighting.client_order_id or ""
        if station.journal.intent_of_order(client_order_id) is None:
            station.journal.stranger(station.account, client_order_id, reason)
        elif client_order_id not in self._told:
            # Known to the journal, as an intent that it never claimed.
            self._told.add(client_order_id)
            station.journal.halt(station.account, by="desk", reason=f"order {client_order_id}: {reason}")
