"""What spot pairs demand of an order, as /api/v3/exchangeInfo writes it.

Source: https://github.com/binance/binance-spot-api-docs/blob/master/rest-api.md (exchange information)
and https://github.com/binance/binance-spot-api-docs/blob/master/filters.md
"""

import json
from functools import cache
from typing import cast

from exchange_mcp.sim import tickers
from exchange_mcp.sim.catalogue import SPOT, Instrument
from exchange_mcp.sim.digits import fixed
from exchange_mcp.sim.errors import bad_combination, bad_symbol, invalid
from exchange_mcp.sim.routes import PublicCall
from exchange_mcp.sim.spot_filters import filters_of
from exchange_mcp.sim.wire import Payload, render

_PERMISSIONS = ("SPOT", "MARGIN")
_RATE_LIMITS = [
    {"rateLimitType": "REQUEST_WEIGHT", "interval": "MINUTE", "intervalNum": 1, "limit": 6000},
    {"rateLimitType": "ORDERS", "interval": "SECOND", "intervalNum": 10, "limit": 100},
    {"rateLimitType": "ORDERS", "interval": "DAY", "intervalNum": 1, "limit": 200000},
    {"rateLimitType": "RAW_REQUESTS", "interval": "MINUTE", "intervalNum": 5, "limit": 61000},
]


def exchange_info(call: PublicCall) -> Payload:
    """Answer the trading rules of one pair, of some, or of all that have a status or a permission."""
    shown = _selected(call)
    with_sets = (call.params.text("showPermissionSets") or "true") == "true"
    return (
        b'{"timezone":"UTC","serverTime":%d,' % call.now_ms
        + _limits()
        + b',"exchangeFilters":[],"symbols":['
        + b",".join(_rules(instrument, with_sets=with_sets) for instrument in shown)
        + b"]}"
    )


def _selected(call: PublicCall) -> list[Instrument]:
    params = call.params
    names = tickers.symbols(params)
    symbol = params.symbol()
    status = params.text("symbolStatus")
    permissions = params.text("permissions")
    if symbol is not None:
        names = [symbol]
    if names is not None:
        if status is not None or permissions is not None:
            raise bad_combination()
        by_name = {instrument.name: instrument for instrument in SPOT}
        if not by_name.keys() >= set(names):
            raise bad_symbol()
        return [by_name[name] for name in names]
    if permissions is not None and not set(_permissions(permissions)) & set(_PERMISSIONS):
        return []
    return [instrument for instrument in SPOT if status in {None, instrument.status}]


def _permissions(text: str) -> list[str]:
    if not text.startswith("["):
        return [text]
    try:
        return cast("list[str]", json.loads(text))
    except ValueError:
        raise invalid("permissions") from None


@cache
def _limits() -> bytes:
    return b'"rateLimits":' + render(_RATE_LIMITS)


@cache
def _rules(instrument: Instrument, *, with_sets: bool) -> bytes:
    return render(
        {
            "symbol": instrument.name,
            "status": instrument.status,
            "baseAsset": instrument.base,
            "baseAssetPrecision": 8,
            "quoteAsset": instrument.quote,
            "quotePrecision": 8,
            "quoteAssetPrecision": 8,
            "baseCommissionPrecision": 8,
            "quoteCommissionPrecision": 8,
            "orderTypes": [
                "LIMIT",
                "LIMIT_MAKER",
                "MARKET",
                "STOP_LOSS",
                "STOP_LOSS_LIMIT",
                "TAKE_PROFIT",
                "TAKE_PROFIT_LIMIT",
            ],
            "icebergAllowed": True,
            "ocoAllowed": True,
            "otoAllowed": True,
            "quoteOrderQtyMarketAllowed": True,
            "allowTrailingStop": True,
            "cancelReplaceAllowed": True,
            "amendAllowed": True,
            "isSpotTradingAllowed": True,
            "isMarginTradingAllowed": True,
            "filters": _filters(instrument),
            "permissions": [],
            **({"permissionSets": [list(_PERMISSIONS)]} if with_sets else {}),
            "defaultSelfTradePreventionMode": "EXPIRE_MAKER",
            "allowedSelfTradePreventionModes": [
                "EXPIRE_TAKER",
                "EXPIRE_MAKER",
                "EXPIRE_BOTH",
                "DECREMENT",
            ],
        }
    )


def _filters(instrument: Instrument) -> list[dict[str, object]]:
    filters = filters_of(instrument)
    return [
        {
            "filterType": "PRICE_FILTER",
            "minPrice": fixed(filters.min_price),
            "maxPrice": fixed(filters.max_price),
            "tickSize": fixed(filters.tick_size),
        },
        {
            "filterType": "LOT_SIZE",
            "minQty": fixed(filters.min_qty),
            "maxQty": fixed(filters.max_qty),
            "stepSize": fixed(filters.step_size),
        },
        {"filterType": "ICEBERG_PARTS", "limit": 10},
        {
            "filterType": "MARKET_LOT_SIZE",
            "minQty": fixed(filters.market_min_qty),
            "maxQty": fixed(filters.market_max_qty),
            "stepSize": fixed(filters.market_step_size),
        },
        {
            "filterType": "TRAILING_DELTA",
            "minTrailingAboveDelta": 10,
            "maxTrailingAboveDelta": 2000,
            "minTrailingBelowDelta": 10,
            "maxTrailingBelowDelta": 2000,
        },
        {
            "filterType": "PERCENT_PRICE_BY_SIDE",
            "bidMultiplierUp": str(filters.bid_multiplier_up),
            "bidMultiplierDown": str(filters.bid_multiplier_down),
            "askMultiplierUp": str(filters.ask_multiplier_up),
            "askMultiplierDown": str(filters.ask_multiplier_down),
            "avgPriceMins": filters.percent_minutes,
        },
        {
            "filterType": "NOTIONAL",
            "minNotional": fixed(filters.min_notional),
            "applyMinToMarket": filters.apply_min_to_market,
            "maxNotional": fixed(filters.max_notional),
            "applyMaxToMarket": filters.apply_max_to_market,
            "avgPriceMins": filters.notional_minutes,
        },
        {"filterType": "MAX_NUM_ORDERS", "maxNumOrders": filters.max_num_orders},
        {"filterType": "MAX_NUM_ORDER_LISTS", "maxNumOrderLists": 20},
        {"filterType": "MAX_NUM_ALGO_ORDERS", "maxNumAlgoOrders": filters.max_num_algo_orders},
        {"filterType": "MAX_NUM_ORDER_AMENDS", "maxNumOrderAmends": 10},
        *(
            [{"filterType": "MAX_POSITION", "maxPosition": fixed(filters.max_position)}]
            if filters.max_position is not None
            else []
        ),
    ]
