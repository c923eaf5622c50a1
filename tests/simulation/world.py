"""The model venue: what becomes of each request, and what can be seen of it when. It knows nothing of the desk.

An honest venue takes no request after its timestamp plus window, and shows an order within `LAG_S`. One that
lies about its deadline takes them however late.
"""

import asyncio
import json
import math
from collections.abc import Mapping
from contextvars import Context
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from simulation.virtual import EPOCH_MS, VirtualLoop

LAG_S: Final = 3.0
"""How late an honest venue shows what it has, in seconds."""

CLIENT_TIMEOUT_S: Final = 10.0
"""How long the desk's connection waits for an answer."""

REACH_S: Final = 0.02
WORLD: Final = Context()
"""The context of what no process owns: it goes on when a process dies."""

LATE_S: Final = {"prompt": 8.0, "soon": 25.0, "minutes": 200.0, "hours": 6 * 3600.0}


class Fate(StrEnum):
    """What becomes of a request."""

    ACCEPTED = "accepted"
    ACCEPTED_LOST = "accepted, answer lost"
    ACCEPTED_RESET = "accepted after the connection was reset"
    ACCEPTED_5XX = "accepted, answered 503"
    ACCEPTED_GARBAGE = "accepted, answered with a page"
    ACCEPTED_HUNG = "accepted, never answered"
    ACCEPTED_DUPLICATE = "accepted, sent again on the way, answered as a duplicate"
    ACCEPTED_OTHER = "accepted, answered with another order"
    REFUSED = "refused"
    REFUSED_LOST = "refused, answer lost"
    REFUSED_5XX = "not executed, answered 503"
    LOST = "lost on the way"
    LATE = "arrived after its window"
    NOT_SENT = "connection refused"


@dataclass(frozen=True, slots=True)
class Answer:
    """What the connection got; no status is no answer."""

    is_sent: bool = True
    status: int | None = None
    body: str | None = None
    exception: str | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """A signed request."""

    verb: str
    path: str
    fields: Mapping[str, object]
    signed_ms: int
    window_ms: int

    @property
    def rests(self) -> bool:
        """Whether it is for an order that stays open."""
        return self.fields.get("type", "MARKET") != "MARKET"


def _error(code: int, message: str) -> str:
    return json.dumps({"code": code, "msg": message})


_REFUSING: Final[Mapping[Fate, tuple[int, str] | None]] = {
    Fate.REFUSED: (400, _error(-2010, "Account has insufficient balance for requested action.")),
    Fate.REFUSED_LOST: None,
    Fate.REFUSED_5XX: (503, _error(-1000, "An unknown error occurred while processing the request.")),
}


@dataclass(slots=True, eq=False)
class VenueOrder:
    """One order at the venue.

    Attributes:
        arrived_s: when it was taken; visible_s: from when it is shown.
        is_late: taken after the end of its window, which only a venue that lies does.
        is_by_hand: nobody sent it through a desk.
    """

    order_id: str
    fields: Mapping[str, object]
    arrived_s: float
    visible_s: float
    is_open: bool
    is_late: bool = False
    is_by_hand: bool = False
    is_canceled: bool = False

    @property
    def client_order_id(self) -> str | None:
        """The one it was sent with."""
        value = self.fields.get("newClientOrderId")
        return None if value is None else str(value)

    @property
    def is_filled(self) -> bool:
        """Whether it traded."""
        return not self.is_open and not self.is_canceled


@dataclass(slots=True)
class Habits:
    """How the venue behaves.

    Attributes:
        fates: of its first, second... write; after the last, writes are taken at once.
        transit_s: how long a request is on its way.
        lag_s: how late it shows an order.
        late: how late a request of fate LATE arrives, a key of `LATE_S`.
        lies: whether it takes requests after their window.
        outage_s: from the first write on, look-ups get no answer for so long.
        deaf: a source that never answers, from the first write on.
        blind_s: from the first write on, every list is empty and every look-up finds nothing, for so long.
    """

    fates: tuple[Fate, ...] = ()
    transit_s: float = REACH_S
    lag_s: float = 0.0
    late: str = "soon"
    lies: bool = False
    outage_s: float = 0.0
    deaf: str | None = None
    blind_s: float = 0.0


@dataclass(slots=True, eq=False)
class World:
    """The venue of one history.

    Attributes:
        leverage: as set, of the one perpetual market.
        sends: how many writes were put on the wire.
    """

    loop: VirtualLoop
    habits: Habits
    orders: list[VenueOrder] = field(default_factory=list[VenueOrder])
    leverage: int = 1
    sends: int = 0
    troubled_from_s: float | None = None

    def now_ms(self) -> int:
        """The venue's time, UTC milliseconds."""
        return EPOCH_MS + round(self.loop.time() * 1000)

    async def send(self, request: Request) -> Answer:
        """One request from the wire to its answer, or to the end of the client's patience."""
        fate = self._fate()
        if fate is Fate.NOT_SENT:
            await asyncio.sleep(REACH_S)
            return Answer(is_sent=False, exception="ClientConnectorError")
        done = self.loop.create_future()

        def arrive() -> None:
            answer = self._taken(fate, request)
            if fate is Fate.ACCEPTED_DUPLICATE and request.rests:
                # What rests keeps its id taken. A filled order would be filled twice, which no desk could help.
                answer = self._taken(fate, request)
            if not done.done() and answer is not None:
                done.set_result(Answer(status=answer[0], body=answer[1]))

        # The request is the world's from here on: it arrives whatever becomes of the process that sent it.
        if fate is not Fate.LOST:
            transit = LATE_S[self.habits.late] if fate is Fate.LATE else self.habits.transit_s
            self.loop.call_later(transit, arrive, context=WORLD)
        if fate is Fate.ACCEPTED_RESET:
            await asyncio.sleep(REACH_S / 2)
            return Answer(exception="ServerDisconnectedError")
        try:
            async with asyncio.timeout(CLIENT_TIMEOUT_S):
                answer: Answer = await done
        except TimeoutError:
            return Answer(exception="RequestTimeout")
        await asyncio.sleep(REACH_S)
        return answer

    def _fate(self) -> Fate:
        index, self.sends = self.sends, self.sends + 1
        if self.troubled_from_s is None:
            self.troubled_from_s = self.loop.time()
        return self.habits.fates[index] if index < len(self.habits.fates) else Fate.ACCEPTED

    def _taken(self, fate: Fate, request: Request) -> tuple[int, str] | None:
        """What the venue answers to a request that arrives now, and what it does; None where the answer is lost."""
        if fate in _REFUSING:
            return _REFUSING[fate]
        is_late = self.now_ms() > request.signed_ms + request.window_ms
        if is_late and not self.habits.lies:
            return 400, _error(-1021, "Timestamp for this request is outside of the recvWindow.")
        body = self._done(request, is_late=is_late)
        match fate:
            case Fate.ACCEPTED_LOST | Fate.ACCEPTED_HUNG:
                return None
            case Fate.ACCEPTED_5XX | Fate.ACCEPTED_GARBAGE:
                return (503 if fate is Fate.ACCEPTED_5XX else 200), "<html><body>maintenance</body></html>"
            case Fate.ACCEPTED_OTHER:
                return 200, json.dumps(body | {"clientOrderId": "another", "origClientOrderId": "another"})
            case _:
                return (400 if "msg" in body else 200), json.dumps(body)

    def _done(self, request: Request, *, is_late: bool) -> dict[str, object]:
        fields = request.fields
        if request.path == "leverage":
            self.leverage = int(str(fields["leverage"]))
            return {"symbol": fields["symbol"], "leverage": self.leverage, "maxNotionalValue": "1000000"}
        if request.verb == "DELETE":
            return self._canceled(fields)
        if any(o.is_open and o.client_order_id == fields["newClientOrderId"] for o in self.orders):
            # https://developers.binance.com/docs/binance-spot-api-docs/errors: unique among open orders only.
            return {"code": -2010, "msg": "Duplicate order sent."}
        order = self.add(fields, is_open=request.rests, is_late=is_late)
        return {
            "symbol": fields["symbol"],
            "orderId": int(order.order_id),
            "orderListId": -1,
            "clientOrderId": fields["newClientOrderId"],
            "transactTime": self.now_ms(),
            "status": "NEW" if request.rests else "FILLED",
        }

    def _canceled(self, fields: Mapping[str, object]) -> dict[str, object]:
        for order in self.orders:
            if order.is_open and order.client_order_id == fields.get("origClientOrderId"):
                order.is_open, order.is_canceled = False, True
                return {
                    "symbol": fields["symbol"],
                    "origClientOrderId": order.client_order_id,
                    "orderId": int(order.order_id),
                    "clientOrderId": "cancelrequest",
                    "status": "CANCELED",
                }
        return {"code": -2011, "msg": "Unknown order sent."}

    def add(
        self, fields: Mapping[str, object], *, is_open: bool, is_late: bool = False, is_by_hand: bool = False
    ) -> VenueOrder:
        """A new order, shown after the venue's lag."""
        now = self.loop.time()
        number = str(1001 + len(self.orders))
        order = VenueOrder(number, dict(fields), now, now + self.habits.lag_s, is_open, is_late, is_by_hand)
        self.orders.append(order)
        return order

    def shown(self) -> list[VenueOrder]:
        """The orders that the venue shows by now."""
        if self._since_trouble() < self.habits.blind_s:
            return []
        return [order for order in self.orders if order.visible_s <= self.loop.time()]

    def answers(self, source: str) -> bool:
        """Whether a source answers now."""
        is_deaf = self.troubled_from_s is not None and source == self.habits.deaf
        return self._since_trouble() >= self.habits.outage_s and not is_deaf

    def _since_trouble(self) -> float:
        return math.inf if self.troubled_from_s is None else self.loop.time() - self.troubled_from_s
