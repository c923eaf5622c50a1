"""What a write has to say at each venue, route by route and field by field: compared before anything leaves.

Only routes with a line here can be sent. Names and types are those of the venue's documentation:
https://developers.binance.com/docs/binance-spot-api-docs/rest-api/trading-endpoints
https://developers.binance.com/docs/derivatives/usds-margined-futures/trade/rest-api
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Final

from exchange_mcp.model.decimals import from_wire
from exchange_mcp.model.writes import CancelOrder, OrderType, PlaceOrder, SetLeverage
from exchange_mcp.rules.endpoints import Endpoint

Field = str | int | bool | Decimal | frozenset[str]
"""What a field has to be: this text, number (however it is written) or truth, or one of these texts."""

Fields = Mapping[str, Field | None]
"""Every field of a request, without those of None."""


def says(found: object, wanted: Field | None) -> bool:
    """Whether a field of a request says what it has to; None: that it is not there."""
    if isinstance(wanted, frozenset):
        return found in wanted
    if isinstance(wanted, Decimal):
        try:
            return not isinstance(found, bool) and from_wire(found) == wanted
        except ValueError:
            return False
    return type(found) is type(wanted) and found == wanted


@dataclass(frozen=True, slots=True)
class Signing:
    """What signing may add at a venue: fields of query or body, and headers. Nothing else."""

    fields: frozenset[str]
    headers: frozenset[str]


@dataclass(frozen=True, slots=True)
class PlaceRoute:
    """A route of new orders: the field of our id, and every field that an order has; the text is the market's id."""

    client_id: str
    fields: Callable[[PlaceOrder, str], Fields]


@dataclass(frozen=True, slots=True)
class CancelRoute:
    """A route of cancels: the field that our id goes into, and the one of the venue's."""

    client_id: str
    order_id: str

    def fields(self, request: CancelOrder, market: str) -> Fields:
        """Every field of this cancel."""
        return {
            "symbol": market,
            self.client_id: request.client_order_id,
            self.order_id: request.order_id,
        }


@dataclass(frozen=True, slots=True)
class LeverageRoute:
    """A route of leverage."""

    def fields(self, request: SetLeverage, market: str) -> Fields:
        """Every field of this change."""
        return {"symbol": market, "leverage": Decimal(request.leverage)}


Route = PlaceRoute | CancelRoute | LeverageRoute

_SPOT_TYPES: Final = {
    OrderType.MARKET: "MARKET",
    OrderType.LIMIT: "LIMIT",
    OrderType.STOP_MARKET: "STOP_LOSS",
    OrderType.STOP_LIMIT: "STOP_LOSS_LIMIT",
}
_PERPETUAL_TYPES: Final = {
    OrderType.MARKET: "MARKET",
    OrderType.LIMIT: "LIMIT",
    OrderType.STOP_MARKET: "STOP_MARKET",
    OrderType.STOP_LIMIT: "STOP",
}
_ANSWERS: Final = frozenset({"ACK", "RESULT", "FULL"})


def _binance_spot(order: PlaceOrder, market: str) -> Fields:
    is_maker = order.is_post_only
    return {
        "symbol": market,
        "side": order.side.upper(),
        "type": "LIMIT_MAKER" if is_maker else _SPOT_TYPES[order.type],
        "quantity": order.amount,
        "quoteOrderQty": order.cost,
        "price": order.price,
        "stopPrice": order.trigger_price,
        # LIMIT_MAKER takes none; every other order with a price has to have one.
        "timeInForce": (order.time_in_force or "GTC") if order.type.has_price and not is_maker else None,
        "newClientOrderId": order.client_order_id,
        "newOrderRespType": _ANSWERS,
    }


def _binance_perpetual(order: PlaceOrder, market: str) -> Fields:
    is_plain_limit = order.type is OrderType.LIMIT
    return {
        "symbol": market,
        "side": order.side.upper(),
        "type": _PERPETUAL_TYPES[order.type],
        "quantity": order.amount,
        "price": order.price,
        "timeInForce": "GTX"
        if order.is_post_only
        else order.time_in_force or ("GTC" if is_plain_limit else None),
        "reduceOnly": order.is_reduce_only or None,
        "newClientOrderId": order.client_order_id,
        "newOrderRespType": _ANSWERS,
    }


def _binance_conditional(order: PlaceOrder, market: str) -> Fields:
    common = {name: v for name, v in _binance_perpetual(order, market).items() if name != "newClientOrderId"}
    return {
        **common,
        "algoType": "CONDITIONAL",
        "triggerPrice": order.trigger_price,
        "clientAlgoId": order.client_order_id,
    }


ROUTES: Final[Mapping[str, Mapping[Endpoint, Route]]] = MappingProxyType(
    {
        "binance": MappingProxyType(
            {
                Endpoint("POST", "private", "order"): PlaceRoute("newClientOrderId", _binance_spot),
                Endpoint("POST", "fapiPrivate", "order"): PlaceRoute("newClientOrderId", _binance_perpetual),
                Endpoint("POST", "fapiPrivate", "algoOrder"): PlaceRoute(
                    "clientAlgoId", _binance_conditional
                ),
                Endpoint("DELETE", "private", "order"): CancelRoute("origClientOrderId", "orderId"),
                Endpoint("DELETE", "fapiPrivate", "order"): CancelRoute("origClientOrderId", "orderId"),
                Endpoint("DELETE", "fapiPrivate", "algoOrder"): CancelRoute("clientAlgoId", "algoId"),
                Endpoint("POST", "fapiPrivate", "leverage"): LeverageRoute(),
            }
        )
    }
)
"""By venue and endpoint."""

SIGNING: Final[Mapping[str, Signing]] = MappingProxyType(
    {
        # https://developers.binance.com/docs/binance-spot-api-docs/rest-api/request-security
        "binance": Signing(
            fields=frozenset({"timestamp", "recvWindow", "signature"}),
            headers=frozenset({"X-MBX-APIKEY", "Content-Type"}),
        )
    }
)
"""By venue."""
