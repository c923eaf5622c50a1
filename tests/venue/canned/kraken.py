"""Kraken, spot.

https://docs.kraken.com/api/docs/rest-api/get-tradable-asset-pairs
https://docs.kraken.com/api/docs/rest-api/get-ticker-information
https://docs.kraken.com/api/docs/rest-api/get-order-book

Of the ticker's arrays, `v` and `p` hold today and the last 24 hours, `h` and `l` likewise; a level of the book
ends with a JSON number, the time in seconds.
"""

from .case import Case, Market

_HOST = "api.kraken.com/0/public"

CASE = Case(
    venue="kraken",
    loading=frozenset({f"{_HOST}/AssetPairs"}),
    hollow='{"error":[]}',
    answers={
        f"{_HOST}/AssetPairs": {
            "error": [],
            "result": {
                "XXBTZUSD": {
                    "altname": "XBTUSD",
                    "wsname": "XBT/USD",
                    "aclass_base": "currency",
                    "base": "XXBT",
                    "aclass_quote": "currency",
                    "quote": "ZUSD",
                    "lot": "unit",
                    "cost_decimals": 5,
                    "pair_decimals": 1,
                    "lot_decimals": 8,
                    "lot_multiplier": 1,
                    "leverage_buy": [2, 3],
                    "leverage_sell": [2, 3],
                    "fees": [[0, 0.4], [10000, 0.35]],
                    "fees_maker": [[0, 0.25], [10000, 0.2]],
                    "fee_volume_currency": "ZUSD",
                    "margin_call": 80,
                    "margin_stop": 40,
                    "ordermin": "0.00005",
                    "costmin": "0.5",
                    "tick_size": "0.1",
                    "status": "online",
                }
            },
        },
        f"{_HOST}/Ticker?pair=XXBTZUSD": {
            "error": [],
            "result": {
                "XXBTZUSD": {
                    "a": ["97300.10000", "1", "1.000"],
                    "b": ["97300.00000", "1", "1.000"],
                    "c": ["97303.20000", "0.00067643"],
                    "v": ["40.83618200", "3751.12345678901230"],
                    "p": ["97200.00000", "97000.00000"],
                    "t": [23329, 80463],
                    "l": ["97000.00000", "96000.10000"],
                    "h": ["97500.00000", "98000.20000"],
                    "o": "97502.80000",
                }
            },
        },
        f"{_HOST}/Depth?pair=XXBTZUSD&count=2": {
            "error": [],
            "result": {
                "XXBTZUSD": {
                    "asks": [
                        ["97300.10000", "2.0590000000000010", 1688671659],
                        ["100000.00000", "1.500", 1688671380],
                    ],
                    "bids": [["97300.00000", "0.00000100", 1688671712], ["9999.90000", "1.000", 1688671500]],
                }
            },
        },
    },
    spot=Market(
        symbol="BTC/USD",
        ticker_url=f"{_HOST}/Ticker?pair=XXBTZUSD",
        figures=(
            "97303.20000",
            "97300.00000",
            "97300.10000",
            "98000.20000",
            "96000.10000",
            "3751.12345678901230",
            None,  # ccxt's would be volume times average price
        ),
        time=None,
        book_url=f"{_HOST}/Depth?pair=XXBTZUSD&count=2",
        bids=(("97300.00000", "0.00000100"), ("9999.90000", "1.000")),
        asks=(("97300.10000", "2.0590000000000010"), ("100000.00000", "1.500")),
    ),
)
