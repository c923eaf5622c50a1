import json
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exchange_mcp.model.accounts import AccountName, Environment, MarketType
from exchange_mcp.model.plan_text import read_plan
from exchange_mcp.model.plans import PlannedMarket, WirePlan, WireRequest
from exchange_mcp.model.writes import CancelOrder, OrderType, PlaceOrder, SetLeverage, WriteRequest

AMOUNTS = st.decimals(min_value=Decimal("0.00000001"), max_value=Decimal(10**9), places=8)
IDS = st.from_regex(r"[A-Za-z0-9_-]{1,36}", fullmatch=True)
ORDERS = st.builds(
    PlaceOrder,
    symbol=st.just("BTC/USDT:USDT"),
    side=st.sampled_from(["buy", "sell"]),
    type=st.just(OrderType.STOP_LIMIT),
    amount=AMOUNTS,
    price=AMOUNTS,
    trigger_price=AMOUNTS,
    client_order_id=IDS,
    time_in_force=st.sampled_from([None, "GTC", "IOC"]),
    is_reduce_only=st.booleans(),
)
COSTS = st.builds(
    PlaceOrder,
    symbol=st.just("BTC/USDT"),
    side=st.just("buy"),
    type=st.just(OrderType.MARKET),
    cost=AMOUNTS,
    client_order_id=IDS,
)
WRITES: st.SearchStrategy[WriteRequest] = st.one_of(
    ORDERS,
    COSTS,
    st.builds(CancelOrder, symbol=st.just("BTC/USDT"), client_order_id=IDS, is_conditional=st.booleans()),
    st.builds(SetLeverage, symbol=st.just("BTC/USDT:USDT"), leverage=st.integers(1, 125)),
)


def plan(write: WriteRequest, *, contract_size: Decimal | None = None) -> WirePlan:
    return WirePlan(
        venue="binance",
        account=AccountName("main"),
        account_id=None,
        key_id="abcd",
        environment=Environment.SANDBOX,
        market=PlannedMarket(
            symbol="BTC/USDT:USDT",
            market_id="BTCUSDT",
            market_type=MarketType.LINEAR,
            base="BTC",
            quote="USDT",
            settle="USDT",
            contract_size=contract_size,
        ),
        write=write,
        request=WireRequest(
            verb="POST", api="fapiPrivate", path="order", parameters={"a": "ü", "n": 1, "b": True}
        ),
        window_ms=5000,
    )


@settings(max_examples=100, deadline=None)
@given(write=WRITES, contract_size=st.none() | AMOUNTS)
def test_a_plan_is_read_from_its_text_exactly(write: WriteRequest, contract_size: Decimal | None) -> None:
    made = plan(write, contract_size=contract_size)
    read = read_plan(made.canonical())
    assert read == made
    assert read.digest() == made.digest()


TEXT = plan(SetLeverage(symbol="BTC/USDT:USDT", leverage=5)).canonical()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        TEXT + " ",
        TEXT.replace('"leverage":5', '"leverage":5.0'),
        TEXT.replace('"leverage":5', '"leverage":0'),
        TEXT.replace('"leverage":5', '"leverage":true'),
        TEXT.replace('"window_ms":5000', '"window_ms":"5000"'),
        TEXT.replace('"venue":"binance"', '"venue":1'),
        TEXT.replace('"action":"leverage"', '"action":"place"'),
        TEXT.replace('"window_ms":5000', '"window_ms":5000,"window_ms":5000'),
        TEXT.replace('"window_ms"', '"more":1,"window_ms"'),
        TEXT.replace(',"window_ms":5000', ""),
        json.dumps(json.loads(TEXT)),
    ],
)
def test_a_text_that_differs_in_anything_is_no_plan(text: str) -> None:
    with pytest.raises(ValueError, match="not the text of a plan"):
        read_plan(text)
