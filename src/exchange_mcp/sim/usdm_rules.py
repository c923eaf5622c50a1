"""What USD-M contracts demand of an order, as /fapi/v1/exchangeInfo writes it.

Source: https://developers.binance.com/docs/derivatives/usds-margined-futures/market-data/rest-api/Exchange-Information
"""

from functools import cache

from exchange_mcp.sim.brackets import BRACKETS
from exchange_mcp.sim.catalogue import USDM, Instrument
from exchange_mcp.sim.digits import fixed
from exchange_mcp.sim.routes import PublicCall
from exchange_mcp.sim.usdm_filters import filters_of
from exchange_mcp.sim.wire import Payload, render

PERPETUAL_DELIVERY_MS = 4_133_404_800_000
"""The delivery date that the venue writes for a contract without one (2100-12-25T08:00:00Z)."""

MARGIN_ASSETS = ("USDT", "USDC", "BNB")
_ONBOARDED_MS = 1_569_398_400_000
_RATE_LIMITS = [
    {"rateLimitType": "REQUEST_WEIGHT", "interval": "MINUTE", "intervalNum": 1, "limit": 2400},
    {"rateLimitType": "ORDERS", "interval": "MINUTE", "intervalNum": 1, "limit": 1200},
    {"rateLimitType": "ORDERS", "interval": "SECOND", "intervalNum": 10, "limit": 300},
]


def exchange_info(call: PublicCall) -> Payload:
    """Answer the trading rules of every contract."""
    return b'{"timezone":"UTC","serverTime":%d,' % call.now_ms + _everything()[1:]


@cache
def _everything() -> bytes:
    return render(
        {
            "futuresType": "U_MARGINED",
            "rateLimits": _RATE_LIMITS,
            "exchangeFilters": [],
            "assets": [
                {"asset": asset, "marginAvailable": True, "autoAssetExchange": "-10000"}
                for asset in MARGIN_ASSETS
            ],
            "symbols": [_rules(instrument) for instrument in USDM],
        }
    )


def _rules(instrument: Instrument) -> dict[str, object]:
    first = BRACKETS[instrument.name][0]
    return {
        "symbol": instrument.name,
        "pair": instrument.name,
        "contractType": "PERPETUAL",
        "deliveryDate": PERPETUAL_DELIVERY_MS,
        "onboardDate": _ONBOARDED_MS,
        "status": instrument.status,
        "maintMarginPercent": fixed(first.rate * 100, 4),
        "requiredMarginPercent": "5.0000",
        "baseAsset": instrument.base,
        "quoteAsset": instrument.quote,
        "marginAsset": instrument.quote,
        "pricePrecision": instrument.price_places,
        "quantityPrecision": instrument.quantity_places,
        "baseAssetPrecision": 8,
        "quotePrecision": 8,
        "underlyingType": "COIN",
        "underlyingSubType": ["Layer-1"],
        "triggerProtect": "0.0500",
        "liquidationFee": "0.012500",
        "marketTakeBound": "0.05",
        "maxMoveOrderLimit": 10000,
        "filters": _filters(instrument),
        "orderTypes": [
            "LIMIT",
            "MARKET",
            "STOP",
            "STOP_MARKET",
            "TAKE_PROFIT",
            "TAKE_PROFIT_MARKET",
            "TRAILING_STOP_MARKET",
        ],
        "timeInForce": ["GTC", "IOC", "FOK", "GTX", "GTD"],
    }


def _filters(instrument: Instrument) -> list[dict[str, object]]:
    filters = filters_of(instrument)
    prices, quantities = filters.price_places, filters.quantity_places
    return [
        {
            "filterType": "PRICE_FILTER",
            "minPrice": fixed(filters.min_price, prices),
            "maxPrice": fixed(filters.max_price, prices),
            "tickSize": fixed(filters.tick_size, prices),
        },
        {
            "filterType": "LOT_SIZE",
            "minQty": fixed(filters.min_qty, quantities),
            "maxQty": fixed(filters.max_qty, quantities),
            "stepSize": fixed(filters.step_size, quantities),
        },
        {
            "filterType": "MARKET_LOT_SIZE",
            "minQty": fixed(filters.market_min_qty, quantities),
            "maxQty": fixed(filters.market_max_qty, quantities),
            "stepSize": fixed(filters.market_step_size, quantities),
        },
        {"filterType": "MAX_NUM_ORDERS", "limit": filters.max_num_orders},
        {"filterType": "MAX_NUM_ALGO_ORDERS", "limit": filters.max_num_algo_orders},
        {"filterType": "MIN_NOTIONAL", "notional": fixed(filters.notional, 0)},
        {
            "filterType": "PERCENT_PRICE",
            "multiplierUp": fixed(filters.multiplier_up, 4),
            "multiplierDown": fixed(filters.multiplier_down, 4),
            "multiplierDecimal": "4",
        },
    ]
