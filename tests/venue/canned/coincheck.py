"""Coincheck, spot: ccxt brings its markets along, so that loading them costs no request.

https://coincheck.com/documents/exchange/api#ticker
https://coincheck.com/documents/exchange/api#order-book
"""

from .case import Case, Market

_HOST = "coincheck.com/api"

CASE = Case(
    venue="coincheck",
    loading=frozenset(),
    hollow="{}",
    answers={
        f"{_HOST}/ticker": (
            '{"last":15230000.0,"bid":15229999.5,"ask":15230000.25,"high":15400000.0,"low":15100000.0,'
            '"volume":"420.12345670","timestamp":1767268800}'
        ),
        f"{_HOST}/order_books": {
            "asks": [["15230000.25", "0.1340"], ["20000000.0", "0.50"], ["20000001", "1"]],
            "bids": [["15229999.5", "0.010"], ["9999999.0", "1.25"], ["9999998", "1"]],
        },
    },
    spot=Market(
        symbol="BTC/JPY",
        ticker_url=f"{_HOST}/ticker?pair=btc_jpy",
        figures=(
            "15230000.0",
            "15229999.5",
            "15230000.25",
            "15400000.0",
            "15100000.0",
            "420.12345670",
            None,
        ),
        time=1767268800000,
        book_url=f"{_HOST}/order_books?pair=btc_jpy",
        bids=(("15229999.5", "0.010"), ("9999999.0", "1.25")),
        asks=(("15230000.25", "0.1340"), ("20000000.0", "0.50")),
    ),
)
