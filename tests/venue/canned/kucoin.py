"""KuCoin, the classic API.

https://www.kucoin.com/docs-new/rest/spot-trading/market-data/get-all-symbols
https://www.kucoin.com/docs-new/rest/spot-trading/market-data/get-24hr-stats
https://www.kucoin.com/docs-new/rest/spot-trading/market-data/get-part-orderbook
https://www.kucoin.com/docs-new/rest/futures-trading/market-data/get-all-symbols
https://www.kucoin.com/docs-new/rest/futures-trading/market-data/get-ticker
https://www.kucoin.com/docs-new/rest/futures-trading/market-data/get-part-orderbook

Futures count in contracts, here of 0.001 BTC, in JSON numbers; their times are in nanoseconds. The list of
contracts is text here because its JSON numbers carry trailing zeros and an exponent.
"""

from .case import Case, Market

_SPOT = "api.kucoin.com/api"
_FUTURES = "api-futures.kucoin.com/api/v1"

_CONTRACTS = """
{"code":"200000","data":[{"symbol":"XBTUSDTM","rootSymbol":"USDT","type":"FFWCSX","firstOpenDate":1585555200000,
"expireDate":null,"settleDate":null,"baseCurrency":"XBT","quoteCurrency":"USDT","settleCurrency":"USDT",
"maxOrderQty":1000000,"maxPrice":1000000.0000000000,"lotSize":1,"tickSize":0.1,"indexPriceTickSize":0.01,
"multiplier":1.0E-3,"initialMargin":0.008,"maintainMargin":0.004,"maxRiskLimit":100000,"minRiskLimit":100000,
"riskStep":50000,"makerFeeRate":0.00020,"takerFeeRate":0.00060,"takerFixFee":0.0000000000,
"makerFixFee":0.0000000000,"settlementFee":null,"isDeleverage":true,"isQuanto":false,"isInverse":false,
"status":"Open","fundingFeeRate":0.000052,"turnoverOf24h":740227482.51,"volumeOf24h":7628.75,
"markPrice":97000.04,"nextFundingRateTime":22646889,"maxLeverage":125,"lowPrice":96000.1,"highPrice":98000.2}]}
"""

CASE = Case(
    venue="kucoin",
    loading=frozenset({f"{_SPOT}/v2/symbols", f"{_FUTURES}/contracts/active"}),
    hollow='{"code":"200000"}',
    answers={
        f"{_SPOT}/v2/symbols": {
            "code": "200000",
            "data": [
                {
                    "symbol": "BTC-USDT",
                    "name": "BTC-USDT",
                    "baseCurrency": "BTC",
                    "quoteCurrency": "USDT",
                    "feeCurrency": "USDT",
                    "market": "USDS",
                    "baseMinSize": "0.00001",
                    "quoteMinSize": "0.1",
                    "baseMaxSize": "10000000000",
                    "quoteMaxSize": "99999999",
                    "baseIncrement": "0.00000001",
                    "quoteIncrement": "0.000001",
                    "priceIncrement": "0.1",
                    "priceLimitRate": "0.1",
                    "minFunds": "0.1",
                    "isMarginEnabled": True,
                    "enableTrading": True,
                    "feeCategory": 1,
                    "makerFeeCoefficient": "1.00",
                    "takerFeeCoefficient": "1.00",
                    "st": False,
                }
            ],
        },
        f"{_FUTURES}/contracts/active": _CONTRACTS,
        f"{_SPOT}/v1/market/stats": {
            "code": "200000",
            "data": {
                "time": 1767268800012,
                "symbol": "BTC-USDT",
                "buy": "97200.80",
                "sell": "97200.900",
                "changeRate": "0.0143",
                "changePrice": "1371.1",
                "high": "98000.30",
                "low": "96000.40",
                "vol": "1899.0773290799900",
                "volValue": "184000000.12345600",
                "last": "97200.850000000010",
                "averagePrice": "97109.9",
                "takerFeeRate": "0.001",
                "makerFeeRate": "0.001",
                "takerCoefficient": "1",
                "makerCoefficient": "1",
            },
        },
        f"{_SPOT}/v1/market/orderbook/level2_20": {
            "code": "200000",
            "data": {
                "time": 1767268800013,
                "sequence": "14610502970",
                "bids": [["97200.80", "0.61466590"], ["97200.7", "0.00000010"], ["9999.9", "1"]],
                "asks": [["97200.9", "1.2489269600000000"], ["97201", "2.0"], ["100000", "3"]],
            },
        },
        f"{_FUTURES}/ticker": {
            "code": "200000",
            "data": {
                "sequence": 1697895100310,
                "symbol": "XBTUSDTM",
                "side": "sell",
                "size": 2936,
                "tradeId": "1697901180000",
                "price": "97190.10",
                "bestBidPrice": "97190.0",
                "bestBidSize": 12500,
                "bestAskPrice": "97190.10",
                "bestAskSize": 30,
                "ts": 1767268800014000000,
            },
        },
        f"{_FUTURES}/level2/depth20": {
            "code": "200000",
            "data": {
                "sequence": 1697895963339,
                "symbol": "XBTUSDTM",
                "bids": [[97190.0, 12500], [97189.9, 1]],
                "asks": [[97190.1, 30], [97190.2, 20000000000000000]],
                "ts": 1767268800015000000,
            },
        },
    },
    spot=Market(
        symbol="BTC/USDT",
        ticker_url=f"{_SPOT}/v1/market/stats?symbol=BTC-USDT",
        figures=(
            "97200.850000000010",
            "97200.80",
            "97200.900",
            "98000.30",
            "96000.40",
            "1899.0773290799900",
            "184000000.12345600",
        ),
        time=1767268800012,
        book_url=f"{_SPOT}/v1/market/orderbook/level2_20?symbol=BTC-USDT",
        bids=(("97200.80", "0.61466590"), ("97200.7", "0.00000010")),
        asks=(("97200.9", "1.2489269600000000"), ("97201", "2.0")),
    ),
    linear=Market(
        symbol="BTC/USDT:USDT",
        ticker_url=f"{_FUTURES}/ticker?symbol=XBTUSDTM",
        figures=("97190.10", "97190.0", "97190.10", None, None, None, None),
        time=1767268800014,
        book_url=f"{_FUTURES}/level2/depth20?symbol=XBTUSDTM",
        bids=(("97190.0", "12.500"), ("97189.9", "0.001")),  # contracts of 0.001
        asks=(("97190.1", "0.030"), ("97190.2", "20000000000000.000")),
        contract_size="0.001",
    ),
)
