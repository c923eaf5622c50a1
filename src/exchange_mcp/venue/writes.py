"""The only three functions that send a write: place, cancel, set leverage. Each sends once, or not at all.

What comes back is evidence, not an outcome: an exception is no proof of failure and its absence none of
success. Nothing here repeats anything. A request whose signed timestamp plus window is later than `latest_ms` (venue
time, UTC milliseconds) is not sent: it could arrive when its absence was already concluded. It goes over `line`, which
was opened for it alone, or, without one, over a connection that is opened as it is sent.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from exchange_mcp.model.errors import EgressBlockedError
from exchange_mcp.model.writes import CancelOrder, PlaceOrder, SetLeverage
from exchange_mcp.rules.endpoints import Endpoint, EndpointClass
from exchange_mcp.venue.attempts import Attempt
from exchange_mcp.venue.egress import writing
from exchange_mcp.venue.line import Line
from exchange_mcp.venue.phrasing import said
from exchange_mcp.venue.render import CLASSES, RenderedWrite


@dataclass(frozen=True, slots=True)
class Sent:
    """What is known after a write was tried.

    Attributes:
        attempt: what was seen on the wire; None where nothing came as far as being signed.
        answer: what ccxt made of the venue's answer, if it returned.
        error: what was raised, if anything was.
    """

    attempt: Attempt | None
    answer: Any = field(default=None, repr=False)
    error: BaseException | None = field(default=None, repr=False)

    @property
    def is_on_wire(self) -> bool:
        """Whether anything may have reached the venue."""
        return self.attempt is not None and self.attempt.is_on_wire


async def place_order(
    client: Any,  # noqa: ANN401 - ccxt is untyped
    write: RenderedWrite,
    endpoints: frozenset[Endpoint],
    *,
    latest_ms: int,
    line: Line | None = None,
) -> Sent:
    """Send a new order as it was rendered, once. `endpoints` are those of class `order` that may leave."""
    _must_be(write, PlaceOrder)
    if write.client_id is None:
        raise EgressBlockedError("an order without a client order id could not be found again")
    return await _sent(client, write, endpoints, latest_ms, line)


async def cancel_order(
    client: Any,  # noqa: ANN401 - ccxt is untyped
    write: RenderedWrite,
    endpoints: frozenset[Endpoint],
    *,
    latest_ms: int,
    line: Line | None = None,
) -> Sent:
    """Send a cancel as it was rendered, once. `endpoints` are those of class `cancel` that may leave."""
    _must_be(write, CancelOrder)
    return await _sent(client, write, endpoints, latest_ms, line)


async def set_leverage(
    client: Any,  # noqa: ANN401 - ccxt is untyped
    write: RenderedWrite,
    endpoints: frozenset[Endpoint],
    *,
    latest_ms: int,
    line: Line | None = None,
) -> Sent:
    """Send a change of leverage as it was rendered, once. `endpoints` are those of class `leverage`."""
    _must_be(write, SetLeverage)
    return await _sent(client, write, endpoints, latest_ms, line)


def _must_be(write: RenderedWrite, kind: type) -> None:
    if not isinstance(write.request, kind):
        raise EgressBlockedError(
            f"a {type(write.request).__name__} was given to what sends a {kind.__name__}"
        )


async def _sent(
    client: Any,  # noqa: ANN401 - as above
    write: RenderedWrite,
    endpoints: frozenset[Endpoint],
    latest_ms: int,
    line: Line | None,
) -> Sent:
    if client is not write.client:
        raise EgressBlockedError("a write was given to another client than the one that rendered it")
    purpose: EndpointClass = CLASSES[type(write.request)]
    held = writing(
        purpose,
        endpoints,
        write.rendered,
        write.client_id,
        signing=write.signing,
        token=write.token,
        latest_ms=latest_ms,
        line=line,
    )
    attempt: Attempt | None = None
    try:
        with held as capability:
            try:
                answer = await said(client, write.request)
            finally:
                attempt = capability.attempt
    except asyncio.CancelledError as error:
        if attempt is None or not attempt.is_on_wire:
            raise
        # Something is out, and whoever waits must hear of it; the task that was cancelled is its owner.
        return Sent(attempt, error=error)
    except Exception as error:  # noqa: BLE001 - whatever was raised is evidence
        return Sent(attempt, error=error)
    return Sent(attempt, answer=answer)
