"""Binance.

Spot: https://developers.binance.com/docs/binance-spot-api-docs/rest-api/market-data-endpoints
and .../rest-api/general-endpoints (exchange information).
USD-M: https://developers.binance.com/docs/derivatives/usds-margined-futures/market-data/rest-api
"""

from .case import Case, Market

_SPOT = {
    "timezone": "UTC",
    "serverTime": 1767268800000,
    "rateLimits": [],
    "exchangeFilters": [],
    "symbols": [
        {
            "symbol": "BTCUSDT",
            "status": "TRADING",
            "baseAsset": "BTC",
            "baseAssetPrecision": 8,
            "quoteAsset": "USDT",
            "quotePrecision": 8,
            "quoteAssetPrecision": 8,
            "orderTypes": ["LIMIT", "LIMIT_MAKER", "MARKET", "STOP_LOSS_LIMIT"],
            "icebergAllowed": True,
            "isSpotTradingAllowed": True,
            "isMarginTradingAllowed": False,
            "filters": [
                {
                    "filterType": "PRICE_FILTER",
                    "minPrice": "0.01000000",
                    "maxPrice": "1000000.00000000",
                    "tickSize": "0.01000000",
                },
                {
                    "filterType": "LOT_SIZE",
                    "minQty": "0.00001000",
                    "maxQty": "9000.00000000",
                    "stepSize": "0.00001000",
                },
            ],
            "permissions": [],
            "permissionSets": [["SPOT"]],
        }
    ],
}
_USDM = {
    "exchangeFilters": [],
    "rateLimits": [],
    "serverTime": 1767268800000,
    "assets": [],
    "timezone": "UTC",
    "symbols": [
        {
            "symbol": "BTCUSDT",
            "pair": "BTCUSDT",
            "contractType": "PERPETUAL",
            "deliveryDate": 4133404800000,
            "onboardDate": 1569398400000,
            "status": "TRADING",
            "baseAsset": "BTC",
            "quoteAsset": "USDT",
            "marginAsset": "USDT",
            "pricePrecision": 2,
            "quantityPrecision": 3,
            "filters": [
                {"filterType": "PRICE_FILTER", "minPrice": "0.10", "maxPrice": "1000000", "tickSize": "0.10"},
                {"filterType": "LOT_SIZE", "minQty": "0.001", "maxQty": "1000", "stepSize": "0.001"},
            ],
            "OrderType": ["LIMIT", "MARKET", "STOP"],
            "timeInForce": ["GTC", "IOC"],
        }
    ],
}

CASE = Case(
    venue="binance",
    loading=frozenset({"api.binance.com/api/v3/exchangeInfo", "fapi.binance.com/fapi/v1/exchangeInfo"}),
    hollow="{}",
    answers={
        "api.binance.com/api/v3/exchangeInfo": _SPOT,
        "fapi.binance.com/fapi/v1/exchangeInfo": _USDM,
        "api.binance.com/api/v3/ticker/24hr": {
            "symbol": "BTCUSDT",
            "priceChange": "-94.99999800",
            "priceChangePercent": "-0.100",
            "weightedAvgPrice": "97000.00000000",
            "prevClosePrice": "97100.00000000",
            "lastPrice": "97123.456789012340",
            "lastQty": "0.20000000",
            "bidPrice": "97123.450000000000",
            "bidQty": "1.00000000",
            "askPrice": "97123.460000000000",
            "askQty": "2.00000000",
            "openPrice": "97200.00000000",
            "highPrice": "98000.10000000",
            "lowPrice": "96000.20000000",
            "volume": "17342.472345678900",
            "quoteVolume": "1682218515.5000000",
            "openTime": 1767182400000,
            "closeTime": 1767268800000,
            "firstId": 1,
            "lastId": 2,
            "count": 2,
        },
        "api.binance.com/api/v3/depth": {
            "lastUpdateId": 1027024,
            "bids": [["97123.45000000", "1.2345678901234500"], ["9999.00000000", "2.00000000"]],
            "asks": [["97123.46000000", "0.00000100"], ["100000.00000000", "3.00000000"]],
        },
        "fapi.binance.com/fapi/v1/ticker/24hr": {
            "symbol": "BTCUSDT",
            "priceChange": "-94.99",
            "priceChangePercent": "-0.098",
            "weightedAvgPrice": "97000.10",
            "lastPrice": "97120.10",
            "lastQty": "0.200",
            "openPrice": "97215.09",
            "highPrice": "98000.00",
            "lowPrice": "96000.00",
            "volume": "120345.100",
            "quoteVolume": "11673486708.90",
            "openTime": 1767182400000,
            "closeTime": 1767268800001,
            "firstId": 1,
            "lastId": 2,
            "count": 2,
        },
        "fapi.binance.com/fapi/v1/depth": {
            "lastUpdateId": 1027024,
            "E": 1767268800002,
            "T": 1767268800002,
            "bids": [["97120.00", "4.000"]],
            "asks": [["97120.10", "12.500"]],
        },
    },
    spot=Market(
        symbol="BTC/USDT",
        ticker_url="api.binance.com/api/v3/ticker/24hr?symbol=BTCUSDT",
        figures=(
            "97123.456789012340",
            "97123.450000000000",
            "97123.460000000000",
            "98000.10000000",
            "96000.20000000",
            "17342.472345678900",
            "1682218515.5000000",
        ),
        time=1767268800000,
        book_url="api.binance.com/api/v3/depth?symbol=BTCUSDT&limit=2",
        bids=(("97123.45000000", "1.2345678901234500"), ("9999.00000000", "2.00000000")),
        asks=(("97123.46000000", "0.00000100"), ("100000.00000000", "3.00000000")),
    ),
    linear=Market(
        symbol="BTC/USDT:USDT",
        ticker_url="fapi.binance.com/fapi/v1/ticker/24hr?symbol=BTCUSDT",
        figures=("97120.10", None, None, "98000.00", "96000.00", "120345.100", "11673486708.90"),
        time=1767268800001,
        book_url="fapi.binance.com/fapi/v1/depth?symbol=BTCUSDT&limit=5",
        bids=(("97120.00", "4.000"),),
        asks=(("97120.10", "12.500"),),
        contract_size="1",
    ),
)
