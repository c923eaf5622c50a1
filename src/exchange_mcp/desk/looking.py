"""How an order is looked for: by which ids, from when on, and by which known order the look-up is shown to work."""

import asyncio
from dataclasses import replace
from typing import Final

from exchange_mcp.desk.intents import State
from exchange_mcp.desk.reading import JournalReads
from exchange_mcp.desk.records import Intent
from exchange_mcp.desk.station import Station
from exchange_mcp.model.findings import Findings, Sought
from exchange_mcp.model.trading import Effect
from exchange_mcp.model.writes import PlaceOrder

# Venues show an order of this age by its id, filled or not.
_KNOWN_FOR_MS: Final = 86_400_000


async def look_for(station: Station, intent: Intent) -> Findings:
    """What every source says now of an intent's order; the intent has been claimed, once, and is for an order.

    `venue_ms` is no later than our own clock allows: a venue's clock that jumps makes no two looks lie apart, and no
    deadline pass.
    """
    plan, latest_ms, claimed_ms = intent.plan, intent.latest_ms, intent.claimed_ms
    if latest_ms is None or claimed_ms is None:
        raise RuntimeError(f"intent {intent.id} was never claimed, so nothing of it can be at the venue")
    # Signed at the claim at the earliest; by the venue's time, as it was known then.
    earliest_ms = latest_ms - plan.window_ms - station.pace.margin_ms
    by_ours_ms = earliest_ms + station.clock.now_ms() - claimed_ms
    sought = Sought.of(plan, earliest_ms, known_order(station.journal, intent, station.clock.now_ms()))
    try:
        async with asyncio.timeout(station.pace.look_patience):
            findings = await station.venue.find(sought)
    except TimeoutError:
        return Findings(client_order_id=sought.client_order_id, venue_ms=0, sources=())
    return replace(findings, venue_ms=min(findings.venue_ms, by_ours_ms))


async def effect_of(station: Station, intent: Intent) -> Effect:
    """What a cancel or a change of leverage has come to, as far as the venue tells it in time."""
    try:
        async with asyncio.timeout(station.pace.look_patience):
            return await station.venue.effect_of(intent.plan)
    except TimeoutError:
        return Effect.UNTOLD


def known_order(journal: JournalReads, intent: Intent, now_ms: int) -> str | None:
    """The client order id of another order of ours that this market has, of the same kind; None if none.

    A venue may give a pair and its perpetual one id, and shows an order of the one to nobody who asks for the other.
    """
    market = intent.plan.market
    since_ms = now_ms - _KNOWN_FOR_MS
    placed = journal.in_states(State.PLACED, account=intent.account, since_ms=since_ms)
    is_conditional = _is_conditional(intent)
    fitting = (
        other.client_order_id
        for other in reversed(placed)
        if other.market_id == intent.market_id
        and other.plan.market.market_type is market.market_type
        and other.id != intent.id
        and _is_conditional(other) == is_conditional
    )
    return next(fitting, None)


def _is_conditional(intent: Intent) -> bool:
    write = intent.plan.write
    return isinstance(write, PlaceOrder) and write.type.has_trigger
