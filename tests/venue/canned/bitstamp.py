"""Bitstamp, spot.

https://www.bitstamp.net/api/#tag/Market-info/operation/GetMarkets
https://www.bitstamp.net/api/#tag/Tickers/operation/GetMarketTicker
https://www.bitstamp.net/api/#tag/Order-book/operation/GetOrderBook

Its book comes whole: there is no depth to ask for.
"""

from .case import Case, Market

_HOST = "www.bitstamp.net/api/v2"

CASE = Case(
    venue="bitstamp",
    loading=frozenset({f"{_HOST}/markets/"}),
    hollow="{}",
    answers={
        f"{_HOST}/markets/": [
            {
                "name": "BTC/USD",
                "market_symbol": "btcusd",
                "base_currency": "BTC",
                "base_decimals": 8,
                "counter_currency": "USD",
                "counter_decimals": 0,
                "minimum_order_value": "10",
                "trading": "Enabled",
                "instant_order_counter_decimals": 2,
                "instant_and_market_orders": "Enabled",
                "description": "Bitcoin / U.S. dollar",
                "market_type": "SPOT",
            }
        ],
        f"{_HOST}/ticker/btcusd/": {
            "timestamp": "1767268800",
            "open": "96000",
            "high": "98000.10",
            "low": "95000.00",
            "last": "97300.40",
            "volume": "213.26801100",
            "vwap": "97000",
            "bid": "97300.00",
            "ask": "97300.50",
            "side": "0",
            "open_24": "96100",
            "percent_change_24": "1.24",
        },
        f"{_HOST}/order_book/btcusd/": {
            "timestamp": "1767268800",
            "microtimestamp": "1767268800123456",
            "bids": [["97300.00", "1.33685270"], ["9999.90", "0.07700000"], ["9999.00", "1"]],
            "asks": [["97300.50", "1.51995630"], ["100000.00", "2.50000000"], ["100000.01", "1"]],
        },
    },
    spot=Market(
        symbol="BTC/USD",
        ticker_url=f"{_HOST}/ticker/btcusd/",
        figures=(
            "97300.40",
            "97300.00",
            "97300.50",
            "98000.10",
            "95000.00",
            "213.26801100",
            None,  # ccxt's would be volume times average price
        ),
        time=1767268800000,
        book_url=f"{_HOST}/order_book/btcusd/",
        bids=(("97300.00", "1.33685270"), ("9999.90", "0.07700000")),
        asks=(("97300.50", "1.51995630"), ("100000.00", "2.50000000")),
    ),
)
