"""Bybit, v5.

https://bybit-exchange.github.io/docs/v5/market/instrument
https://bybit-exchange.github.io/docs/v5/market/tickers
https://bybit-exchange.github.io/docs/v5/market/orderbook
"""

from .case import Case, Market

_HOST = "api.bybit.com/v5/market"


def _result(**result: object) -> dict[str, object]:
    return {"retCode": 0, "retMsg": "OK", "result": result, "retExtInfo": {}, "time": 1767268800003}


CASE = Case(
    venue="bybit",
    loading=frozenset(
        {
            f"{_HOST}/instruments-info?category=spot",
            f"{_HOST}/instruments-info?category=linear&limit=1000",
            f"{_HOST}/instruments-info?category=linear&limit=1000&status=PreLaunch",
        }
    ),
    hollow='{"retCode":0,"retMsg":"OK","result":{}}',
    answers={
        f"{_HOST}/instruments-info?category=spot": _result(
            category="spot",
            list=[
                {
                    "symbol": "BTCUSDT",
                    "baseCoin": "BTC",
                    "quoteCoin": "USDT",
                    "innovation": "0",
                    "status": "Trading",
                    "marginTrading": "utaOnly",
                    "lotSizeFilter": {
                        "basePrecision": "0.000001",
                        "quotePrecision": "0.0000001",
                        "minOrderQty": "0.000011",
                        "maxOrderQty": "83",
                        "minOrderAmt": "5",
                        "maxOrderAmt": "8000000",
                    },
                    "priceFilter": {"tickSize": "0.1"},
                }
            ],
        ),
        f"{_HOST}/instruments-info?category=linear&limit=1000": _result(
            category="linear",
            nextPageCursor="",
            list=[
                {
                    "symbol": "BTCUSDT",
                    "contractType": "LinearPerpetual",
                    "status": "Trading",
                    "baseCoin": "BTC",
                    "quoteCoin": "USDT",
                    "settleCoin": "USDT",
                    "launchTime": "1584230400000",
                    "deliveryTime": "0",
                    "priceScale": "2",
                    "leverageFilter": {"minLeverage": "1", "maxLeverage": "100.00", "leverageStep": "0.01"},
                    "priceFilter": {"minPrice": "0.10", "maxPrice": "1999999.80", "tickSize": "0.10"},
                    "lotSizeFilter": {"maxOrderQty": "1190.000", "minOrderQty": "0.001", "qtyStep": "0.001"},
                    "unifiedMarginTrade": True,
                    "fundingInterval": 480,
                }
            ],
        ),
        f"{_HOST}/instruments-info?category=linear&limit=1000&status=PreLaunch": _result(
            category="linear", nextPageCursor="", list=[]
        ),
        f"{_HOST}/tickers?symbol=BTCUSDT&category=spot": _result(
            category="spot",
            list=[
                {
                    "symbol": "BTCUSDT",
                    "bid1Price": "97517.960",
                    "bid1Size": "2",
                    "ask1Price": "97517.97123456780",
                    "ask1Size": "1",
                    "lastPrice": "97517.960",
                    "prevPrice24h": "97393.48",
                    "price24hPcnt": "0.0068",
                    "highPrice24h": "98000.000",
                    "lowPrice24h": "96000.00",
                    "turnover24h": "235309256.25100000",
                    "volume24h": "11801.2777150",
                    "usdIndexPrice": "97500",
                }
            ],
        ),
        f"{_HOST}/orderbook?symbol=BTCUSDT&category=spot&limit=2": _result(
            s="BTCUSDT",
            b=[["97517.90", "0.0000010"], ["9997.00", "1.1000000"]],
            a=[["97518.00", "12.345678901234500"], ["100000.10", "1"]],
            ts=1767268800004,
            u=1,
            seq=2,
            cts=1767268800004,
        ),
        f"{_HOST}/tickers?symbol=BTCUSDT&category=linear": _result(
            category="linear",
            list=[
                {
                    "symbol": "BTCUSDT",
                    "lastPrice": "97510.10",
                    "indexPrice": "97500.00",
                    "markPrice": "97505.00",
                    "prevPrice24h": "97400.00",
                    "price24hPcnt": "0.001130",
                    "highPrice24h": "98100.00",
                    "lowPrice24h": "96100.00",
                    "turnover24h": "2352309256.25100000",
                    "volume24h": "24801.2770",
                    "fundingRate": "0.0001",
                    "nextFundingTime": "1767283200000",
                    "bid1Price": "97510.00",
                    "bid1Size": "1.000",
                    "ask1Price": "97510.10",
                    "ask1Size": "2.000",
                }
            ],
        ),
        f"{_HOST}/orderbook?symbol=BTCUSDT&category=linear&limit=2": _result(
            s="BTCUSDT", b=[["97510.00", "1.000"]], a=[["97510.10", "2.500"]], ts=1767268800005, u=1, seq=2
        ),
    },
    spot=Market(
        symbol="BTC/USDT",
        ticker_url=f"{_HOST}/tickers?symbol=BTCUSDT&category=spot",
        figures=(
            "97517.960",
            "97517.960",
            "97517.97123456780",
            "98000.000",
            "96000.00",
            "11801.2777150",
            "235309256.25100000",
        ),
        time=None,
        book_url=f"{_HOST}/orderbook?symbol=BTCUSDT&category=spot&limit=2",
        bids=(("97517.90", "0.0000010"), ("9997.00", "1.1000000")),
        asks=(("97518.00", "12.345678901234500"), ("100000.10", "1")),
    ),
    linear=Market(
        symbol="BTC/USDT:USDT",
        ticker_url=f"{_HOST}/tickers?symbol=BTCUSDT&category=linear",
        figures=(
            "97510.10",
            "97510.00",
            "97510.10",
            "98100.00",
            "96100.00",
            "24801.2770",
            "2352309256.25100000",
        ),
        time=None,
        book_url=f"{_HOST}/orderbook?symbol=BTCUSDT&category=linear&limit=2",
        bids=(("97510.00", "1.000"),),
        asks=(("97510.10", "2.500"),),
        contract_size="1",
    ),
)
