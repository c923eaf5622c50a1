"""Where each venue reads a write's parts from, route by route: what the guard compares before anything leaves.

Only routes with a line here can be sent. The fields are those that the venue's documentation names:
https://developers.binance.com/docs/binance-spot-api-docs/rest-api/trading-endpoints
https://developers.binance.com/docs/derivatives/usds-margined-futures/trade/rest-api
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from exchange_mcp.rules.endpoints import Endpoint, EndpointClass


@dataclass(frozen=True, slots=True)
class Route:
    """One write endpoint: its class, and the field of each part; None where the route has no such part.

    `client_id` is the field of our id for a new order, or of the id by which a cancel names the order.
    """

    cls: EndpointClass
    client_id: str | None = None
    order_id: str | None = None
    amount: str | None = None
    price: str | None = None
    trigger: str | None = None
    leverage: str | None = None


def _order(client_id: str, trigger: str) -> Route:
    return Route(EndpointClass.ORDER, client_id=client_id, amount="quantity", price="price", trigger=trigger)


ROUTES: Final[Mapping[str, Mapping[Endpoint, Route]]] = MappingProxyType(
    {
        "binance": MappingProxyType(
            {
                Endpoint("POST", "private", "order"): _order("newClientOrderId", "stopPrice"),
                Endpoint("POST", "fapiPrivate", "order"): _order("newClientOrderId", "stopPrice"),
                Endpoint("POST", "fapiPrivate", "algoOrder"): _order("clientAlgoId", "triggerPrice"),
                Endpoint("DELETE", "private", "order"): Route(
                    EndpointClass.CANCEL, client_id="origClientOrderId", order_id="orderId"
                ),
                Endpoint("DELETE", "fapiPrivate", "order"): Route(
                    EndpointClass.CANCEL, client_id="origClientOrderId", order_id="orderId"
                ),
                Endpoint("DELETE", "fapiPrivate", "algoOrder"): Route(
                    EndpointClass.CANCEL, client_id="clientAlgoId", order_id="algoId"
                ),
                Endpoint("POST", "fapiPrivate", "leverage"): Route(
                    EndpointClass.LEVERAGE, leverage="leverage"
                ),
            }
        )
    }
)
"""By venue and endpoint."""
