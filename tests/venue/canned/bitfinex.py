"""Bitfinex, spot and a linear perpetual.

https://docs.bitfinex.com/reference/rest-public-conf
https://docs.bitfinex.com/reference/rest-public-ticker
https://docs.bitfinex.com/reference/rest-public-book

Answers are arrays of JSON numbers. A level of the raw book is [order id, price, amount], with a negative amount
where it is an ask; the book takes a depth of 1, 25 or 100.
"""

from .case import Case, Market

_HOST = "api-pub.bitfinex.com/v2"
_CONF = f"{_HOST}/conf/pub:info:pair,pub:info:pair:futures,pub:list:pair:securities,pub:list:pair:margin"

CASE = Case(
    venue="bitfinex",
    loading=frozenset({_CONF}),
    hollow="[]",
    answers={
        _CONF: [
            [["BTCUSD", [None, None, None, "0.00004", "2000.0", None, None, None, 0.2, 0.1, None, None]]],
            [
                [
                    "BTCF0:USTF0",
                    [None, None, None, "0.00004", "100.0", None, None, None, 0.01, 0.005, None, None],
                ]
            ],
            [],
            ["BTCUSD"],
        ],
        f"{_HOST}/ticker/tBTCUSD": (
            "[97300.1,20.75,97300.50,28.1,1300,0.0135,97300.12345678901,641.80410000,98000.1,95000.20]"
        ),
        f"{_HOST}/ticker/tBTCF0:USTF0": "[97290.1,2,97290.2,3,1300,0.0135,97290.15,64.1,98000,95000]",
        f"{_HOST}/book/tBTCUSD/R0": (
            "[[1,9999.9,0.0770],[2,97300.1,1e-4],[3,9999,1],[4,100000,-2.50],[5,97300.50,-0.12345678901],"
            "[6,100001,-1]]"
        ),
        f"{_HOST}/book/tBTCF0:USTF0/R0": (
            "[[1,9999.9,0.5],[2,97290.1,0.25],[4,100000,-2.5],[5,97290.2,-0.1]]"
        ),
    },
    spot=Market(
        symbol="BTC/USD",
        ticker_url=f"{_HOST}/ticker/tBTCUSD",
        figures=(
            "97300.12345678901",
            "97300.1",
            "97300.50",
            "98000.1",
            "95000.20",
            "641.80410000",
            None,
        ),
        time=None,
        book_url=f"{_HOST}/book/tBTCUSD/R0?len=25",
        # By price as numbers; as text, 9999.9 would come before 97300.1. ccxt takes the sign off as a number.
        bids=(("97300.1", "0.0001"), ("9999.9", "0.077")),
        asks=(("97300.50", "0.12345678901"), ("100000", "2.5")),
    ),
    linear=Market(
        symbol="BTC/USDT:USDT",
        ticker_url=f"{_HOST}/ticker/tBTCF0:USTF0",
        figures=("97290.15", "97290.1", "97290.2", "98000", "95000", None, None),
        time=None,
        book_url=f"{_HOST}/book/tBTCF0:USTF0/R0?len=25",
        bids=(("97290.1", "0.25"), ("9999.9", "0.5")),
        asks=(("97290.2", "0.1"), ("100000", "2.5")),
    ),
)
