"""Three writes, and the ways to send them under the guard."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from decimal import Decimal
from typing import Any

from exchange_mcp.model.writes import CancelOrder, OrderType, PlaceOrder, SetLeverage, WriteRequest
from exchange_mcp.rules.endpoints import EndpointClass
from exchange_mcp.rules.writing import Signing
from exchange_mcp.venue.egress import WriteCapability, writing
from exchange_mcp.venue.render import RenderedWrite, render
from exchange_mcp.venue.writes import Sent, cancel_order, place_order, set_leverage

from .faulty_venue import Behaviour
from .guarded import ALLOWED

LIMIT = PlaceOrder(
    symbol="BTC/USDT",
    side="buy",
    type=OrderType.LIMIT,
    amount=Decimal("0.5"),
    price=Decimal("100.00"),
    client_order_id="abc123",
)
IN_2100_MS = 4_102_444_800_000
"""A deadline that no request here meets."""
CANCEL = CancelOrder(symbol="BTC/USDT", order_id="42")
LEVERAGE = SetLeverage(symbol="BTC/USDT:USDT", leverage=5)

WRITES: dict[EndpointClass, tuple[WriteRequest, Callable[..., Any]]] = {
    EndpointClass.ORDER: (LIMIT, place_order),
    EndpointClass.CANCEL: (CANCEL, cancel_order),
    EndpointClass.LEVERAGE: (LEVERAGE, set_leverage),
}
ACCEPTED = '{"symbol":"BTCUSDT","orderId":42,"clientOrderId":"abc123","leverage":5,"maxNotionalValue":"1"}'


# What deribit's and kucoin's signatures add: ccxt/async_support/deribit.py and kucoin.py, sign, 4.5.90.
PLAIN = Signing(
    frozenset(),
    frozenset(
        {
            *("Authorization", "Content-Type"),
            *("KC-API-KEY", "KC-API-KEY-VERSION", "KC-API-PARTNER", "KC-API-PARTNER-SIGN"),
            *("KC-API-PARTNER-VERIFY", "KC-API-PASSPHRASE", "KC-API-SIGN", "KC-API-TIMESTAMP"),
        }
    ),
)


def granted(
    write: RenderedWrite, cls: EndpointClass = EndpointClass.ORDER
) -> AbstractContextManager[WriteCapability]:
    return writing(
        cls,
        ALLOWED[cls],
        write.rendered,
        write.client_id,
        signing=write.signing,
        token=write.token,
        latest_ms=IN_2100_MS,
    )


def always(answer: bytes) -> Behaviour:
    return lambda _: answer


async def sent(client: Any, cls: EndpointClass, write: RenderedWrite | None = None) -> Sent:  # noqa: ANN401 - ccxt
    request, function = WRITES[cls]
    return await function(
        client, write or render(client, request, ALLOWED[cls]), ALLOWED[cls], latest_ms=IN_2100_MS
    )
