"""One write, made ready: the key's turn, a slot and an open line are in hand; `send` has nothing to wait for."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from exchange_mcp.config.logs import get_logger
from exchange_mcp.model.errors import EgressBlockedError
from exchange_mcp.model.outcomes import Evidence
from exchange_mcp.model.plans import WirePlan, WireRequest
from exchange_mcp.model.writes import CancelOrder, PlaceOrder, SetLeverage, WriteRequest
from exchange_mcp.rules.endpoints import Endpoint
from exchange_mcp.venue import writes
from exchange_mcp.venue.attempts import SendToken
from exchange_mcp.venue.evidence import evidence
from exchange_mcp.venue.line import Line
from exchange_mcp.venue.render import RenderedWrite

_log = get_logger(__name__)

_SENDS: Final[dict[type[WriteRequest], Callable[..., Any]]] = {
    PlaceOrder: writes.place_order,
    CancelOrder: writes.cancel_order,
    SetLeverage: writes.set_leverage,
}


def wire_request(write: RenderedWrite) -> WireRequest:
    """The request that was rendered, as a plan holds it."""
    endpoint = write.rendered.endpoint
    return WireRequest(
        verb=endpoint.verb, api=endpoint.api, path=endpoint.path, parameters=write.rendered.fields()
    )


@dataclass(slots=True, eq=False)
class ReadyWrite:
    """What `CcxtTradingVenue.ready` gives. It is for one plan, for one send, and holds the key until it is released.

    Attributes:
        plan: what it was made ready for; another is not sent.
        again: renders the plan's write once more, at the moment of the send.
        refusal: why this plan may not be sent by this key now, or None.
        give_back: gives back the key's turn, and the slot where nothing was sent.
        token: the one send of everything that this renders.
    """

    plan: WirePlan
    client: Any = field(repr=False)
    endpoints: frozenset[Endpoint]
    line: Line = field(repr=False)
    again: Callable[[WriteRequest], RenderedWrite]
    refusal: Callable[[WirePlan], str | None]
    give_back: Callable[[bool], None]
    token: SendToken = field(default_factory=SendToken)
    is_sending: bool = False
    is_released: bool = False
    is_given_back: bool = False

    async def send(self, plan: WirePlan, latest_ms: int) -> Evidence:
        """Sign and send the plan's request, exactly, once; whatever fails before or after is evidence."""
        write: RenderedWrite | None = None
        # Of a send that is under way nothing is known here: that it is not this one is said the same way.
        is_spent = self.token.is_spent or self.is_sending
        is_first = not self.is_sending
        try:
            refusal = self._refused(plan)
            if refusal is None:
                self.is_sending = True
                write = replace(self.again(plan.write), token=self.token)
                refusal = self._differs(write, plan)
            if refusal is not None or write is None:
                raise EgressBlockedError(refusal or "nothing was rendered")  # noqa: TRY301 - one way out of here
            send = _SENDS[type(plan.write)]
            sent = await send(self.client, write, self.endpoints, latest_ms=latest_ms, line=self.line)
        except asyncio.CancelledError:
            # `writes` raises it only while nothing is on the wire.
            raise
        except Exception as error:  # noqa: BLE001 - whatever was raised before the send is evidence
            _log.warning("a write was not sent", account=plan.account, reason=str(error))
            return _unsent(plan, error, is_spent=is_spent)
        finally:
            if is_first:
                self.is_sending = False
            await self._settled()
        return evidence(write, sent)

    async def release(self) -> None:
        """Give back what is held; while a send is under way, when it has ended."""
        self.is_released = True
        await self._settled()

    def _refused(self, plan: WirePlan) -> str | None:
        if self.token.is_spent:
            return "the one send of this write is spent"
        if self.is_sending:
            return "the one send of this write is under way"
        if self.is_released:
            return "what was made ready was given back"
        if plan.canonical() != self.plan.canonical():
            return "it was made ready for another plan"
        return self.refusal(plan)

    @staticmethod
    def _differs(write: RenderedWrite, plan: WirePlan) -> str | None:
        """Why what ccxt would send now is not the plan's request: field by field, values and their types."""
        now = replace(plan, request=wire_request(write))
        return (
            None
            if now.canonical() == plan.canonical()
            else "ccxt would send another request than was planned"
        )

    async def _settled(self) -> None:
        if not self.is_released or self.is_sending or self.is_given_back:
            return
        self.is_given_back = True
        self.give_back(self.token.is_spent)
        await self.line.close()


def _unsent(plan: WirePlan, error: Exception, *, is_spent: bool) -> Evidence:
    write = plan.write
    return Evidence(
        venue=plan.venue,
        action=plan.action,
        url="",
        is_sent=False,
        is_token_spent=is_spent,
        exception=type(error).__name__,
        client_order_id=plan.client_order_id,
        order_id=write.order_id if isinstance(write, CancelOrder) else None,
        leverage=write.leverage if isinstance(write, SetLeverage) else None,
    )
