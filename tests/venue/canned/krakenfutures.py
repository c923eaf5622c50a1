"""Kraken Futures, a linear perpetual.

https://docs.kraken.com/api/docs/futures-api/trading/get-instruments
https://docs.kraken.com/api-reference/market-data/get-ticker-by-symbol
https://docs.kraken.com/api/docs/futures-api/trading/get-orderbook

Its numbers are JSON numbers. Its book comes whole, and nobody read what its amounts count.
"""

from .case import Case, Market

_HOST = "futures.kraken.com/derivatives/api/v3"

CASE = Case(
    venue="krakenfutures",
    loading=frozenset({f"{_HOST}/instruments"}),
    hollow='{"result":"success"}',
    answers={
        f"{_HOST}/instruments": {
            "result": "success",
            "instruments": [
                {
                    "symbol": "PF_XBTUSD",
                    "type": "flexible_futures",
                    "tradeable": True,
                    "base": "BTC",
                    "quote": "USD",
                    "pair": "BTC:USD",
                    "tickSize": 1,
                    "contractSize": 1,
                    "contractValueTradePrecision": 4,
                    "impactMidSize": 1,
                    "maxPositionSize": 1000000,
                    "openingDate": "2022-03-22T14:28:53.000Z",
                    "fundingRateCoefficient": 8,
                    "postOnly": False,
                }
            ],
            "serverTime": "2026-01-01T12:00:00.000Z",
        },
        f"{_HOST}/tickers/PF_XBTUSD": (
            '{"result":"success","ticker":{"tag":"perpetual","pair":"XBT:USD","symbol":"PF_XBTUSD",'
            '"markPrice":97300.38154086835,"bid":97300,"bidSize":0.0776,"ask":97300.50,"askSize":0.4929,'
            '"vol24h":8309.254600,"openInterest":1950.596600000000000,"open24h":97000,'
            '"indexPrice":97300.22,"last":97300.12345678901,"lastTime":"2026-01-01T12:00:00.057Z",'
            '"lastSize":0.0114,"suspended":false},"serverTime":"2026-01-01T12:00:00.671Z"}'
        ),
        f"{_HOST}/orderbook": (
            '{"result":"success","serverTime":"2026-01-01T12:00:00.000Z","orderBook":{'
            '"bids":[[97300,0.07760],[9999.9,1e-4],[1,1]],"asks":[[97300.50,0.4929],[100000,2.50],[100001,1]]}}'
        ),
    },
    linear=Market(
        symbol="BTC/USD:USD",
        ticker_url=f"{_HOST}/tickers/PF_XBTUSD",
        figures=("97300.12345678901", "97300", "97300.50", None, None, None, None),
        time=1767268800057,
        book_url=f"{_HOST}/orderbook?symbol=PF_XBTUSD",
        bids=(("97300", "0.07760"), ("9999.9", "0.0001")),
        asks=(("97300.50", "0.4929"), ("100000", "2.50")),
    ),
)
