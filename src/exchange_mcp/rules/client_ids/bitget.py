"""Bitget: client order ids, windows and look-ups of plain orders of a classic account.

https://www.bitget.com/api-doc/spot/trade/Place-Order
https://www.bitget.com/api-doc/spot/trade/Get-Order-Info
https://www.bitget.com/api-doc/contract/trade/Place-Order
https://www.bitget.com/api-doc/contract/trade/Get-Order-Details
"""

from typing import Final

from exchange_mcp.model.accounts import MarketType
from exchange_mcp.model.findings import Source
from exchange_mcp.rules.client_ids.declared import (
    Exact,
    Gap,
    IdRules,
    LookUps,
    OrderIds,
    RowFields,
    Unique,
    WindowRules,
)
from exchange_mcp.rules.endpoints import Endpoint
from exchange_mcp.rules.private.declared import SPOT

_DOCS: Final = "https://www.bitget.com/api-doc"
_UNREAD: Final = "was not read for this"


def _of(types: tuple[MarketType, ...], route: Endpoint, place: str, exact: tuple[Exact, ...]) -> OrderIds:
    is_spot = types == SPOT
    return OrderIds(
        types=types,
        is_conditional=False,
        ids=IdRules(
            longest=64,
            pattern=r"[A-Za-z0-9_:#-]{1,64}",
            fields={route: "clientOid"},
            unique=Unique.ALWAYS,
            unique_for="a second order with it is refused (43118, 45034); for how long is not said",
            is_echoed=True,
            page=f"{_DOCS}/{place}",
        ),
        window=WindowRules(
            travels="field" if is_spot else "nowhere",
            name="receiveWindow" if is_spot else "",
            unit="length_ms" if is_spot else "none",
            default_ms=None,
            longest_ms=None,
            early_ms=None,
            refuses_late=is_spot,
            is_sent=False,
            page=f"{_DOCS}/{place}",
        ),
        lookups=LookUps(
            exact=exact,
            exact_gap="" if exact else "its look-up wants the product type, and was not read for this one",
            lists=tuple(
                Gap(source=source, why=_UNREAD)
                for source in (
                    Source.OPEN_ORDERS,
                    Source.CONDITIONAL_ORDERS,
                    Source.CLOSED_ORDERS,
                    Source.TRADES,
                )
            ),
            lag_ms=600_000,
            lag_is_documented=False,
            lag_page="",
            keeps_ms=None,
            clock=None,
            kinds=frozenset({"classic"}),
        ),
    )


_MIX: Final = Endpoint("POST", "private/mix", "v2/mix/order/place-order")
_MIX_PLACE: Final = "contract/trade/Place-Order"

ORDER_IDS: Final = (
    _of(
        SPOT,
        Endpoint("POST", "private/spot", "v2/spot/trade/place-order"),
        "spot/trade/Place-Order",
        (
            Exact(
                call="privateSpotGetV2SpotTradeOrderInfo",
                client_id="clientOid",
                order_id="orderId",
                symbol=None,
                rows="data",
                shape="list",
                # That there is none is said by an empty list or by a code; no page tells which, so neither counts.
                fields=RowFields(
                    order_id="orderId",
                    client_id="clientOid",
                    symbol="symbol",
                    created="cTime",
                    updated="uTime",
                    status="status",
                    side="side",
                    amount="size",
                    filled="baseVolume",
                    average="priceAvg",
                ),
            ),
        ),
    ),
    _of((MarketType.LINEAR,), _MIX, _MIX_PLACE, ()),
    _of((MarketType.INVERSE,), _MIX, _MIX_PLACE, ()),
)
