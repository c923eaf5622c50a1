"""What was accepted is looked for: only what the venue shows is called placed, canceled or set."""

import asyncio

from exchange_mcp.desk.intents import State
from exchange_mcp.desk.looking import effect_of, look_for
from exchange_mcp.desk.records import Intent
from exchange_mcp.desk.station import Station
from exchange_mcp.model.trading import Effect

DONE = {"cancel": State.CANCELED, "leverage": State.SET}


class ReadBack:
    """The reading back of one account's accepted writes."""

    def __init__(self, station: Station) -> None:
        self._station = station

    async def run(self, intent_id: str) -> None:
        """Move an accepted intent on: to what the venue shows, or to unknown where it shows nothing in time."""
        station = self._station
        for number, wait in enumerate(station.pace.read_back, start=1):
            await asyncio.sleep(wait)
            intent = station.journal.intent(intent_id)
            if intent.state is not State.ACCEPTED:
                return
            shown, order_id = await self._shown(intent)
            if shown is not None and station.journal.intent(intent_id).state is State.ACCEPTED:
                station.moved(
                    station.journal.read_back(
                        intent_id,
                        shown,
                        proof={"look": number},
                        reason="the venue shows it",
                        order_id=order_id,
                    )
                )
                return
        if station.journal.intent(intent_id).state is State.ACCEPTED:
            looks = len(station.pace.read_back)
            reason = "the venue accepted it and does not show it"
            station.moved(
                station.journal.read_back(intent_id, State.UNKNOWN, proof={"looks": looks}, reason=reason)
            )

    async def _shown(self, intent: Intent) -> tuple[State | None, str | None]:
        if intent.action == "place":
            found = (await look_for(self._station, intent)).found
            return (None, None) if found is None else (State.PLACED, found.order_id)
        match await effect_of(self._station, intent):
            case Effect.DONE:
                return DONE[intent.action], None
            case Effect.TOO_LATE:
                return State.TOO_LATE, None
            case Effect.PENDING | Effect.UNTOLD:
                return None, None
