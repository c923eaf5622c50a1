"""The request exactly as ccxt would send it, captured where ccxt hands it over for signing, without I/O.

ccxt changes what it is given: it truncates amounts, rounds prices, adds and renames fields, and picks other
endpoints for stops. What it makes of a write is rendered first and compared with what was asked; only what
was rendered can be sent.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from exchange_mcp.model.decimals import from_wire
from exchange_mcp.model.errors import InvalidArgumentError, VenueRefusedError
from exchange_mcp.model.venue_text import visible
from exchange_mcp.model.writes import CancelOrder, PlaceOrder, SetLeverage, WriteRequest
from exchange_mcp.rules.endpoints import Endpoint, EndpointClass
from exchange_mcp.rules.writing import ROUTES, Route
from exchange_mcp.venue.egress import Captured, ClientId, Rendered, capturing
from exchange_mcp.venue.phrasing import said

CLASSES: Mapping[type[WriteRequest], EndpointClass] = {
    PlaceOrder: EndpointClass.ORDER,
    CancelOrder: EndpointClass.CANCEL,
    SetLeverage: EndpointClass.LEVERAGE,
}
"""What each kind of write may use."""


@dataclass(frozen=True, slots=True)
class RenderedWrite:
    """A write and its request; `client_id` is the field and value by which the order is found, where it has one."""

    request: WriteRequest
    rendered: Rendered
    client_id: ClientId | None


def render(
    client: Any,  # noqa: ANN401 - ccxt is untyped
    request: WriteRequest,
    endpoints: frozenset[Endpoint],
) -> RenderedWrite:
    """What ccxt would send for this write, if it says exactly what was asked.

    `endpoints` are those of the write's class that may leave.

    Raises:
        InvalidArgumentError: ccxt would change the amount, a price, the leverage or an id, or refuses the write.
        EgressBlockedError: it would go to an endpoint that may not be asked for this.
        VenueRefusedError: the venue's route is not known to the rules.
    """
    rendered = _captured(client, request, endpoints)
    route = ROUTES.get(client.id, {}).get(rendered.endpoint)
    if route is None or route.cls is not CLASSES[type(request)]:
        raise VenueRefusedError(f"{client.id}: this version cannot check a request to {rendered.endpoint}")
    fields = rendered.fields()
    for field, expected in _expected(request, route).items():
        if _as_decimal(fields.get(field), expected) != expected:
            raise InvalidArgumentError(f"{client.id} would be sent another {field} than was asked for")
    identity = _identity(request, route)
    return RenderedWrite(request, rendered, identity)


def _captured(client: Any, request: WriteRequest, endpoints: frozenset[Endpoint]) -> Rendered:  # noqa: ANN401 - as above
    # Driven by hand: ccxt reaches `fetch2` without waiting for anything, and is stopped there.
    try:
        with capturing(endpoints):
            said(client, request).__await__().send(None)
    except Captured as captured:
        return captured.rendered
    except StopIteration:
        pass
    except Exception as error:
        if type(error).__module__.startswith("ccxt"):
            raise InvalidArgumentError(f"this write cannot be built: {visible(str(error), 160)}") from None
        raise
    raise InvalidArgumentError("this write cannot be built without asking the venue first")


def _expected(request: WriteRequest, route: Route) -> dict[str, object]:
    """What each field of the request has to say; None for a field that has to be absent."""
    match request:
        case PlaceOrder():
            parts: list[tuple[str | None, object]] = [
                (route.amount, request.amount),
                (route.price, request.price),
                (route.trigger, request.trigger_price),
                (route.client_id, request.client_order_id),
            ]
        case CancelOrder():
            parts = [(route.client_id, request.client_order_id), (route.order_id, request.order_id)]
        case SetLeverage():
            parts = [(route.leverage, Decimal(request.leverage))]
    return {name: value for name, value in parts if name is not None}


def _as_decimal(found: object, expected: object) -> object:
    """A found number as a decimal where one is expected."""
    if not isinstance(expected, Decimal):
        return found
    try:
        return from_wire(found)
    except ValueError:
        return None


def _identity(request: WriteRequest, route: Route) -> ClientId | None:
    match request:
        case PlaceOrder():
            value: str | None = request.client_order_id
        case CancelOrder():
            value = request.client_order_id
        case SetLeverage():
            value = None
    if isinstance(request, CancelOrder) and request.order_id is not None and route.order_id is not None:
        return ClientId(route.order_id, request.order_id)
    return None if value is None or route.client_id is None else ClientId(route.client_id, value)
