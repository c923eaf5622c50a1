"""The request exactly as ccxt would send it, captured where ccxt hands it over for signing, without I/O.

ccxt changes what it is given: it truncates amounts, rounds prices, adds and renames fields, and picks other
endpoints for stops. What it makes of a write is rendered first and compared, field by field, with what our own
rules say such a write is; only what was rendered can be sent.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from exchange_mcp.model.errors import InvalidArgumentError, VenueRefusedError
from exchange_mcp.model.venue_text import visible
from exchange_mcp.model.writes import CancelOrder, PlaceOrder, SetLeverage, WriteRequest
from exchange_mcp.rules.endpoints import Endpoint, EndpointClass
from exchange_mcp.rules.writing import (
    ROUTES,
    SIGNING,
    CancelRoute,
    Fields,
    LeverageRoute,
    PlaceRoute,
    Route,
    Signing,
    says,
)
from exchange_mcp.venue.attempts import SendToken
from exchange_mcp.venue.egress import Captured, Rendered, capturing
from exchange_mcp.venue.phrasing import said
from exchange_mcp.venue.signed import ClientId

CLASSES: Mapping[type[WriteRequest], EndpointClass] = {
    PlaceOrder: EndpointClass.ORDER,
    CancelOrder: EndpointClass.CANCEL,
    SetLeverage: EndpointClass.LEVERAGE,
}
"""What each kind of write may use."""


@dataclass(frozen=True, slots=True, eq=False)
class RenderedWrite:
    """A write and its request, for one client and for one send.

    Attributes:
        client: the ccxt client that rendered it; no other sends it.
        client_id: the field and value by which the order is found, where it has one.
        signing: what its signature may add.
        token: its one send.
    """

    client: Any = field(repr=False)
    request: WriteRequest
    rendered: Rendered
    client_id: ClientId | None
    signing: Signing = field(repr=False)
    token: SendToken = field(default_factory=SendToken)


def render(
    client: Any,  # noqa: ANN401 - ccxt is untyped
    request: WriteRequest,
    endpoints: frozenset[Endpoint],
) -> RenderedWrite:
    """What ccxt would send for this write, if it says exactly what was asked.

    `endpoints` are those of the write's class that may leave.

    Raises:
        InvalidArgumentError: ccxt would change, add or drop a field, or refuses the write.
        EgressBlockedError: it would go to an endpoint that may not be asked for this.
        VenueRefusedError: the venue's route is not known to the rules.
    """
    market = _market_id(client, request)
    rendered = _captured(client, request, endpoints)
    route = ROUTES.get(client.id, {}).get(rendered.endpoint)
    if route is None:
        raise VenueRefusedError(f"{client.id}: this version cannot check a request to {rendered.endpoint}")
    wanted, identity = _wanted(client.id, route, request, market)
    found = rendered.fields()
    for name, value in wanted.items():
        if not says(found.get(name), value):
            raise InvalidArgumentError(f"{client.id} would be sent another {name} than was asked for")
    for name in sorted(found.keys() - {name for name, value in wanted.items() if value is not None}):
        raise InvalidArgumentError(f"{client.id} would be sent {name}, which was not asked for")
    return RenderedWrite(client, request, rendered, identity, SIGNING[client.id])


def _market_id(client: Any, request: WriteRequest) -> str:  # noqa: ANN401 - as above
    market = client.markets.get(request.symbol)
    if market is None:
        raise InvalidArgumentError(f"{client.id} has no market {visible(request.symbol, 40)}")
    if isinstance(request, PlaceOrder) and request.is_reduce_only and market["spot"]:
        raise InvalidArgumentError("reduce-only is for derivatives: a spot order has no position to reduce")
    identifier, pair = str(market["id"]), f"{market['baseId']}{market['quoteId']}"
    # A stored catalogue is only a file: an id that is not the pair's own would trade something else.
    if identifier != pair and not (market["future"] and identifier.startswith(f"{pair}_")):
        raise InvalidArgumentError(f"{client.id}'s id of {request.symbol} is not that of its pair")
    return identifier


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


def _wanted(venue: str, route: Route, request: WriteRequest, market: str) -> tuple[Fields, ClientId | None]:
    """Every field that this write has on this route, and the id by which the order is found."""
    match request, route:
        case PlaceOrder(), PlaceRoute():
            return route.fields(request, market), ClientId(route.client_id, request.client_order_id)
        case CancelOrder(), CancelRoute():
            if request.order_id is not None:
                return route.fields(request, market), ClientId(route.order_id, request.order_id)
            return route.fields(request, market), ClientId(route.client_id, request.client_order_id or "")
        case SetLeverage(), LeverageRoute():
            return route.fields(request, market), None
        case _:
            raise VenueRefusedError(f"{venue}: a {type(request).__name__} would go where others go")
