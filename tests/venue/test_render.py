"""The request as ccxt would send it: captured without I/O, and refused where it says anything else than was asked."""

from decimal import Decimal
from typing import Any

import pytest
import trustme

from exchange_mcp.model.errors import EgressBlockedError, InvalidArgumentError, VenueRefusedError
from exchange_mcp.model.writes import CancelOrder, OrderType, PlaceOrder, SetLeverage, WriteRequest
from exchange_mcp.rules.endpoints import Endpoint, EndpointClass
from exchange_mcp.venue.egress import ClientId
from exchange_mcp.venue.render import CLASSES, RenderedWrite, render
from exchange_mcp.venue.wire import Loopback

from .guarded import ALLOWED, guarded, market

pytestmark = pytest.mark.anyio

# A port that nobody listens on and an authority that signs nothing: whatever is sent fails.
NOWHERE = Loopback(9, trustme.CA().cert_pem.bytes().decode())

SPOT, SWAP = "BTC/USDT", "BTC/USDT:USDT"
CID = "t0123456789abcdef"


def order(symbol: str = SPOT, **more: Any) -> PlaceOrder:  # noqa: ANN401 - any field
    fields: dict[str, Any] = {
        "symbol": symbol,
        "side": "buy",
        "type": OrderType.LIMIT,
        "amount": Decimal("0.50000"),
        "price": Decimal("100.10"),
        "client_order_id": CID,
    }
    return PlaceOrder(**{**fields, **more})


def rendered(client: Any, request: WriteRequest) -> RenderedWrite:  # noqa: ANN401 - ccxt is untyped
    return render(client, request, ALLOWED[CLASSES[type(request)]])


# The right-hand side is what the venue's documentation names for each kind of order:
# https://developers.binance.com/docs/binance-spot-api-docs/rest-api/trading-endpoints
# https://developers.binance.com/docs/derivatives/usds-margined-futures/trade/rest-api
CASES: dict[str, tuple[WriteRequest, str, dict[str, object]]] = {
    "spot limit": (
        order(),
        "POST private order",
        {"type": "LIMIT", "side": "BUY", "quantity": "0.5", "price": "100.1", "timeInForce": "GTC"},
    ),
    "spot limit, immediate or cancel": (
        order(time_in_force="IOC"),
        "POST private order",
        {"type": "LIMIT", "timeInForce": "IOC"},
    ),
    "spot limit, post-only": (order(is_post_only=True), "POST private order", {"type": "LIMIT_MAKER"}),
    "spot market": (
        order(type=OrderType.MARKET, price=None, side="sell"),
        "POST private order",
        {"type": "MARKET", "side": "SELL", "quantity": "0.5", "quoteOrderQty": None, "price": None},
    ),
    "spot stop-limit": (
        order(type=OrderType.STOP_LIMIT, trigger_price=Decimal("99.99")),
        "POST private order",
        {"type": "STOP_LOSS_LIMIT", "stopPrice": "99.99", "price": "100.1", "timeInForce": "GTC"},
    ),
    "perpetual limit": (
        order(SWAP),
        "POST fapiPrivate order",
        {"type": "LIMIT", "quantity": "0.5", "price": "100.1", "reduceOnly": None, "positionSide": None},
    ),
    "perpetual limit, post-only": (
        order(SWAP, is_post_only=True),
        "POST fapiPrivate order",
        {"type": "LIMIT", "timeInForce": "GTX"},
    ),
    "perpetual limit, post-only, good till cancelled": (
        order(SWAP, is_post_only=True, time_in_force="GTC"),
        "POST fapiPrivate order",
        {"type": "LIMIT", "timeInForce": "GTX"},
    ),
    "spot limit, post-only, good till cancelled": (
        order(is_post_only=True, time_in_force="GTC"),
        "POST private order",
        {"type": "LIMIT_MAKER", "timeInForce": None},
    ),
    "perpetual stop-limit": (
        order(SWAP, type=OrderType.STOP_LIMIT, trigger_price=Decimal(99), time_in_force="GTC"),
        "POST fapiPrivate algoOrder",
        {"type": "STOP", "triggerPrice": "99", "price": "100.1", "timeInForce": "GTC"},
    ),
    "spot stop-market": (
        order(type=OrderType.STOP_MARKET, price=None, trigger_price=Decimal(99)),
        "POST private order",
        {"type": "STOP_LOSS", "stopPrice": "99", "price": None},
    ),
    "perpetual market, reduce-only": (
        order(SWAP, type=OrderType.MARKET, price=None, side="sell", is_reduce_only=True),
        "POST fapiPrivate order",
        {"type": "MARKET", "reduceOnly": True, "price": None},
    ),
    "perpetual stop-market, reduce-only": (
        order(
            SWAP,
            type=OrderType.STOP_MARKET,
            price=None,
            side="sell",
            trigger_price=Decimal(90),
            is_reduce_only=True,
        ),
        "POST fapiPrivate algoOrder",
        {"type": "STOP_MARKET", "triggerPrice": "90", "reduceOnly": True, "price": None, "stopPrice": None},
    ),
    "spot market buy for a cost": (
        order(type=OrderType.MARKET, price=None, amount=None, cost=Decimal("1234.5")),
        "POST private order",
        {"type": "MARKET", "side": "BUY", "quoteOrderQty": "1234.5", "quantity": None, "price": None},
    ),
    "spot cancel by id": (
        CancelOrder(symbol=SPOT, order_id="42"),
        "DELETE private order",
        {"orderId": "42", "origClientOrderId": None},
    ),
    "spot cancel by our id": (
        CancelOrder(symbol=SPOT, client_order_id=CID),
        "DELETE private order",
        {"origClientOrderId": CID, "orderId": None},
    ),
    "perpetual cancel of a stop by our id": (
        CancelOrder(symbol=SWAP, client_order_id=CID, is_conditional=True),
        "DELETE fapiPrivate algoOrder",
        {"clientAlgoId": CID, "algoId": None},
    ),
    "perpetual cancel of a stop by id": (
        CancelOrder(symbol=SWAP, order_id="7", is_conditional=True),
        "DELETE fapiPrivate algoOrder",
        {"algoId": "7", "clientAlgoId": None},
    ),
    "leverage": (SetLeverage(symbol=SWAP, leverage=20), "POST fapiPrivate leverage", {"leverage": 20}),
}


@pytest.mark.parametrize("case", CASES)
async def test_a_write_is_rendered_as_the_venue_documents_it(case: str) -> None:
    request, endpoint, fields = CASES[case]
    async with guarded(NOWHERE) as client:
        write = rendered(client, request)
        found = write.rendered.fields()
    assert write.rendered.endpoint == Endpoint.parse(endpoint)
    assert {name: found.get(name) for name in fields} == fields
    assert found["symbol"] == "BTCUSDT"


async def test_rendering_twice_gives_the_same_request() -> None:
    async with guarded(NOWHERE) as client:
        assert rendered(client, order()).rendered == rendered(client, order()).rendered


async def test_the_client_order_id_is_in_the_field_that_the_route_reads() -> None:
    async with guarded(NOWHERE) as client:
        assert rendered(client, order()).client_id == ClientId("newClientOrderId", CID)
        stop = order(
            SWAP, type=OrderType.STOP_MARKET, price=None, trigger_price=Decimal(90), is_reduce_only=True
        )
        assert rendered(client, stop).client_id == ClientId("clientAlgoId", CID)
        assert rendered(client, CASES["leverage"][0]).client_id is None


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (order(amount=Decimal("0.000019")), "quantity"),  # ccxt cuts it to 0.00001
        (order(price=Decimal("100.015")), "price"),  # ccxt rounds it up to 100.02
        (order(type=OrderType.STOP_LIMIT, trigger_price=Decimal("99.999")), "stopPrice"),
        # ccxt cuts it to the tick
        (order(type=OrderType.MARKET, price=None, amount=None, cost=Decimal("100.001")), "quoteOrderQty"),
    ],
)
async def test_a_number_that_ccxt_would_change_is_refused(request_: PlaceOrder, field: str) -> None:
    async with guarded(NOWHERE) as client:
        with pytest.raises(InvalidArgumentError, match=f"another {field} than was asked for"):
            rendered(client, request_)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"symbol": "ETHUSDT"}, "another symbol than was asked for"),
        ({"side": "SELL"}, "another side than was asked for"),
        ({"type": "MARKET"}, "another type than was asked for"),
        ({"timeInForce": "IOC"}, "another timeInForce than was asked for"),
        ({"newClientOrderId": "x-broker1"}, "another newClientOrderId than was asked for"),
        ({"newOrderRespType": "NONE"}, "another newOrderRespType than was asked for"),
        ({"icebergQty": "0.1"}, "sent icebergQty, which was not asked for"),
        ({"sideEffectType": "MARGIN_BUY"}, "sent sideEffectType, which was not asked for"),
        ({"selfTradePreventionMode": "NONE"}, "sent selfTradePreventionMode, which was not asked for"),
        ({"quantity": True}, "another quantity than was asked for"),
        ({"quantity": 0.5}, "its quantity is not text"),
    ],
)
async def test_a_field_that_ccxt_would_add_change_or_drop_is_refused(
    change: dict[str, object], told: str
) -> None:
    async with guarded(NOWHERE) as client:
        fetch2 = client.fetch2

        async def changed(
            path: str, api: object, method: str, params: dict[str, object], **more: object
        ) -> object:
            return await fetch2(path, api, method, {**params, **change}, **more)

        client.request = changed
        with pytest.raises((InvalidArgumentError, EgressBlockedError), match=told):
            rendered(client, order())


async def test_a_market_whose_id_is_another_pair_s_is_refused() -> None:
    async with guarded(NOWHERE) as client:
        client.set_markets([market(SPOT, id="DOGEUSDT")])
        with pytest.raises(InvalidArgumentError, match="is not that of its pair"):
            rendered(client, order())
        with pytest.raises(InvalidArgumentError, match="has no market"):
            rendered(client, order("ETH/USDT"))


async def test_reduce_only_means_nothing_on_spot_and_is_refused() -> None:
    async with guarded(NOWHERE) as client:
        with pytest.raises(InvalidArgumentError, match="reduce-only is for derivatives"):
            rendered(client, order(is_reduce_only=True))


async def test_an_amount_that_ccxt_would_cut_to_nothing_is_refused() -> None:
    async with guarded(NOWHERE) as client:
        with pytest.raises(InvalidArgumentError, match="cannot be built"):
            rendered(client, order(amount=Decimal("0.000001")))


async def test_a_leverage_that_ccxt_refuses_is_refused_without_a_request() -> None:
    async with guarded(NOWHERE) as client:
        with pytest.raises(InvalidArgumentError, match="leverage should be between 1 and 125"):
            rendered(client, SetLeverage(symbol=SWAP, leverage=126))


async def test_a_client_that_would_have_to_ask_first_is_refused() -> None:
    async with guarded(NOWHERE) as client:

        async def asks_first(*_: object) -> None:
            await client.fetch_time()

        client.create_order = asks_first
        with pytest.raises(EgressBlockedError, match="not an endpoint of rendering"):
            rendered(client, order())


async def test_a_route_that_the_rules_do_not_know_is_refused() -> None:
    async with guarded(NOWHERE) as client:
        client.id = "somewhere"
        with pytest.raises(VenueRefusedError, match="cannot check a request to POST private order"):
            rendered(client, order())


@pytest.mark.parametrize(
    "wrong",
    [
        {"price": None},
        {"amount": Decimal(0)},
        {"amount": Decimal(-1)},
        {"amount": Decimal("NaN")},
        {"type": OrderType.MARKET},
        {"trigger_price": Decimal(1)},
        {"type": OrderType.STOP_LIMIT},
        {"type": OrderType.MARKET, "price": None, "is_post_only": True},
        {"type": OrderType.MARKET, "price": None, "time_in_force": "IOC"},
        {"side": "BUY"},
        {"is_post_only": True, "time_in_force": "IOC"},
        {"client_order_id": "a/b"},
        {"client_order_id": ""},
    ],
)
def test_an_order_that_contradicts_itself_cannot_be_made(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"order|price|greater"):
        order(**wrong)


def test_a_cancel_names_exactly_one_order() -> None:
    for order_id, client_order_id in ((None, None), ("1", "2")):
        with pytest.raises(ValueError, match="exactly one id"):
            CancelOrder(symbol=SPOT, order_id=order_id, client_order_id=client_order_id)


def test_every_kind_of_write_has_a_class_of_its_own() -> None:
    assert set(CLASSES.values()) == {EndpointClass.ORDER, EndpointClass.CANCEL, EndpointClass.LEVERAGE}
