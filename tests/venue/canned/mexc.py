"""MEXC, spot and a linear perpetual.

https://www.mexc.com/api-docs/spot-v3/market-data-endpoints/exchange-information
https://www.mexc.com/api-docs/spot-v3/market-data-endpoints/api-24hr-ticker-price-change-statistics
https://www.mexc.com/api-docs/spot-v3/market-data-endpoints/order-book
https://www.mexc.com/api-docs/futures/market-endpoints/get-contract-info
https://www.mexc.com/api-docs/futures/market-endpoints/get-ticker-contract-market-data
https://www.mexc.com/api-docs/futures/market-endpoints/get-contract-order-book-depth

Futures answer JSON numbers; a level of their book is [price, contracts, orders].
"""

from .case import Case, Market

_SPOT = "api.mexc.com/api/v3"
_SWAP = "api.mexc.com/api/v1/contract"

CASE = Case(
    venue="mexc",
    loading=frozenset({f"{_SPOT}/exchangeInfo", f"{_SWAP}/detail"}),
    hollow='{"success":true,"code":0}',
    answers={
        f"{_SPOT}/exchangeInfo": {
            "timezone": "CST",
            "serverTime": 1767268800000,
            "rateLimits": [],
            "exchangeFilters": [],
            "symbols": [
                {
                    "symbol": "BTCUSDT",
                    "status": "1",
                    "baseAsset": "BTC",
                    "baseAssetPrecision": 6,
                    "quoteAsset": "USDT",
                    "quotePrecision": 2,
                    "quoteAssetPrecision": 2,
                    "baseCommissionPrecision": 6,
                    "quoteCommissionPrecision": 2,
                    "orderTypes": ["LIMIT", "MARKET", "LIMIT_MAKER"],
                    "isSpotTradingAllowed": True,
                    "isMarginTradingAllowed": False,
                    "quoteAmountPrecision": "1",
                    "baseSizePrecision": "0.000001",
                    "permissions": ["SPOT"],
                    "filters": [],
                    "maxQuoteAmount": "4000000",
                    "makerCommission": "0",
                    "takerCommission": "0.0005",
                }
            ],
        },
        f"{_SWAP}/detail": (
            '{"success":true,"code":0,"data":[{"symbol":"BTC_USDT","displayName":"BTC_USDT","baseCoin":"BTC",'
            '"quoteCoin":"USDT","settleCoin":"USDT","contractSize":0.0001,"minLeverage":1,"maxLeverage":200,'
            '"priceScale":1,"volScale":0,"amountScale":4,"priceUnit":0.1,"volUnit":1,"minVol":1,'
            '"maxVol":1000000,"takerFeeRate":0.0006,"makerFeeRate":0.0002,"state":0}]}'
        ),
        f"{_SPOT}/ticker/24hr": {
            "symbol": "BTCUSDT",
            "priceChange": "184.34",
            "priceChangePercent": "0.0019",
            "prevClosePrice": "97116.06",
            "lastPrice": "97300.40",
            "bidPrice": "97300.00",
            "bidQty": "1.50",
            "askPrice": "97300.50",
            "askQty": "0.10",
            "openPrice": "97116.06",
            "highPrice": "98000.10",
            "lowPrice": "95000.00",
            "volume": "1732.4614870",
            "quoteVolume": "168569401.23450",
            "openTime": 1767182400000,
            "closeTime": 1767268800000,
            "count": None,
        },
        f"{_SPOT}/depth": {
            "lastUpdateId": 744267132,
            "bids": [["97300.00", "0.3878640"], ["9999.90", "0.00840"], ["9999.00", "1"]],
            "asks": [["97300.50", "6.544908"], ["100000.00", "0.4980"], ["100000.01", "1"]],
            "timestamp": 1767268800001,
        },
        f"{_SWAP}/ticker": (
            '{"success":true,"code":0,"data":{"symbol":"BTC_USDT","lastPrice":97290.12345678901,'
            '"bid1":97290.1,"ask1":97290.20,"volume24":4045530,"amount24":39360823.5755,"holdVol":5832946,'
            '"lower24Price":95000.0,"high24Price":98000.50,"riseFallRate":0.0275,"riseFallValue":95.95,'
            '"indexPrice":97290.7852,"fairPrice":97290.08,"fundingRate":0.000063,"timestamp":1767268800016}}'
        ),
        f"{_SWAP}/depth/BTC_USDT": (
            '{"success":true,"code":0,"data":{"asks":[[97290.20,48379,1],[100000,34994,1],[100001,1,1]],'
            '"bids":[[97290.1,44081,1],[9999.9,24857,1],[9999,1,1]],"version":2827730444,'
            '"timestamp":1767268800232}}'
        ),
    },
    spot=Market(
        symbol="BTC/USDT",
        ticker_url=f"{_SPOT}/ticker/24hr?symbol=BTCUSDT",
        figures=(
            "97300.40",
            "97300.00",
            "97300.50",
            "98000.10",
            "95000.00",
            "1732.4614870",
            "168569401.23450",
        ),
        time=1767268800000,
        book_url=f"{_SPOT}/depth?symbol=BTCUSDT",
        bids=(("97300.00", "0.3878640"), ("9999.90", "0.00840")),
        asks=(("97300.50", "6.544908"), ("100000.00", "0.4980")),
    ),
    linear=Market(
        symbol="BTC/USDT:USDT",
        ticker_url=f"{_SWAP}/ticker?symbol=BTC_USDT",
        figures=("97290.12345678901", "97290.1", "97290.20", "98000.50", "95000.0", None, None),
        time=1767268800016,
        book_url=f"{_SWAP}/depth/BTC_USDT",
        # As sent: 44081 contracts, not 4.4081 BTC, since nobody read MEXC's word for it.
        bids=(("97290.1", "44081"), ("9999.9", "24857")),
        asks=(("97290.20", "48379"), ("100000", "34994")),
    ),
)
