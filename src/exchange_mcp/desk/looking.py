"""How an order is looked for: by which ids, from when on, and by which known order the look-up is shown to work."""

from exchange_mcp.desk.records import Intent
from exchange_mcp.desk.station import Station
from exchange_mcp.model.findings import Findings, Sought


async def look_for(station: Station, intent: Intent) -> Findings:
    """What every source says now of an intent's order; the intent has been claimed, once, and is for an order."""
    plan, latest_ms = intent.plan, intent.latest_ms
    if latest_ms is None:
        raise RuntimeError(f"intent {intent.id} was never claimed, so nothing of it can be at the venue")
    # Signed at the claim at the earliest; by the venue's time, as it was known then.
    earliest_ms = latest_ms - plan.window_ms - station.pace.margin_ms
    known = station.journal.known_order(intent)
    return await station.venue.find(Sought.of(plan, earliest_ms, known))
