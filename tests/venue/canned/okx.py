"""OKX, v5.

https://www.okx.com/docs-v5/en/#public-data-rest-api-get-instruments
https://www.okx.com/docs-v5/en/#order-book-trading-market-data-get-ticker
https://www.okx.com/docs-v5/en/#order-book-trading-market-data-get-order-book

Derivatives count in contracts, here of 0.01 BTC; `vol24h` too, while `volCcy24h` is base there and quote on
spot.
"""

from .case import Case, Market

_HOST = "www.okx.com/api/v5"


def _data(*rows: object) -> dict[str, object]:
    return {"code": "0", "msg": "", "data": list(rows)}


def _instrument(kind: str, **told: object) -> dict[str, object]:
    return {
        "alias": "",
        "baseCcy": "",
        "category": "1",
        "ctMult": "",
        "ctType": "",
        "ctVal": "",
        "ctValCcy": "",
        "expTime": "",
        "instFamily": "",
        "instType": kind,
        "lever": "10",
        "listTime": "1548133413000",
        "lotSz": "0.00000001",
        "maxLmtSz": "9999999999",
        "minSz": "0.00001",
        "optType": "",
        "quoteCcy": "",
        "settleCcy": "",
        "state": "live",
        "stk": "",
        "tickSz": "0.1",
        "uly": "",
        **told,
    }


CASE = Case(
    venue="okx",
    loading=frozenset(f"{_HOST}/public/instruments?instType={kind}" for kind in ("SPOT", "SWAP", "FUTURES")),
    hollow='{"code":"0","msg":""}',
    answers={
        f"{_HOST}/public/instruments?instType=SPOT": _data(
            _instrument("SPOT", instId="BTC-USDT", baseCcy="BTC", quoteCcy="USDT")
        ),
        f"{_HOST}/public/instruments?instType=SWAP": _data(
            _instrument(
                "SWAP",
                instId="BTC-USDT-SWAP",
                uly="BTC-USDT",
                instFamily="BTC-USDT",
                settleCcy="USDT",
                ctType="linear",
                ctVal="0.01",
                ctMult="1",
                ctValCcy="BTC",
                lotSz="0.01",
                minSz="0.01",
            )
        ),
        f"{_HOST}/public/instruments?instType=FUTURES": _data(
            _instrument(
                "FUTURES",
                instId="BTC-USDT-261225",
                uly="BTC-USDT",
                instFamily="BTC-USDT",
                settleCcy="USDT",
                ctType="linear",
                ctVal="0.01",
                ctMult="1",
                ctValCcy="BTC",
                expTime="1798185600000",
            )
        ),
        f"{_HOST}/market/ticker?instId=BTC-USDT": _data(
            {
                "instType": "SPOT",
                "instId": "BTC-USDT",
                "last": "97999.900000000010",
                "lastSz": "1",
                "askPx": "97999.95",
                "askSz": "11",
                "bidPx": "97888.80",
                "bidSz": "5",
                "open24h": "96000",
                "high24h": "98000.10",
                "low24h": "95988.00",
                "volCcy24h": "217200000.50",
                "vol24h": "2222.20",
                "sodUtc0": "97000",
                "sodUtc8": "97000",
                "ts": "1767268800006",
            }
        ),
        f"{_HOST}/market/books?instId=BTC-USDT&sz=2": _data(
            {
                "asks": [["97999.95", "0.60038921234567800", "0", "1"], ["100000", "1.0", "0", "1"]],
                "bids": [["97888.80", "0.00000010", "0", "2"], ["9999.0", "1.50", "0", "2"]],
                "ts": "1767268800007",
            }
        ),
        f"{_HOST}/market/ticker?instId=BTC-USDT-SWAP": _data(
            {
                "instType": "SWAP",
                "instId": "BTC-USDT-SWAP",
                "last": "97990.10",
                "lastSz": "0.5",
                "askPx": "97990.10",
                "askSz": "11",
                "bidPx": "97990.00",
                "bidSz": "5",
                "open24h": "96000",
                "high24h": "98000.10",
                "low24h": "95988.00",
                "volCcy24h": "22222.250",
                "vol24h": "2222225.0",
                "sodUtc0": "97000",
                "sodUtc8": "97000",
                "ts": "1767268800008",
            }
        ),
        f"{_HOST}/market/books?instId=BTC-USDT-SWAP&sz=2": _data(
            {
                "asks": [["97990.10", "250.5", "0", "1"]],
                "bids": [["97990.00", "3.10", "0", "2"]],
                "ts": "1767268800009",
            }
        ),
    },
    spot=Market(
        symbol="BTC/USDT",
        ticker_url=f"{_HOST}/market/ticker?instId=BTC-USDT",
        figures=(
            "97999.900000000010",
            "97888.80",
            "97999.95",
            "98000.10",
            "95988.00",
            "2222.20",
            "217200000.50",
        ),
        time=1767268800006,
        book_url=f"{_HOST}/market/books?instId=BTC-USDT&sz=2",
        bids=(("97888.80", "0.00000010"), ("9999.0", "1.50")),
        asks=(("97999.95", "0.60038921234567800"), ("100000", "1.0")),
    ),
    linear=Market(
        symbol="BTC/USDT:USDT",
        ticker_url=f"{_HOST}/market/ticker?instId=BTC-USDT-SWAP",
        figures=("97990.10", "97990.00", "97990.10", "98000.10", "95988.00", "22222.250", None),
        time=1767268800008,
        book_url=f"{_HOST}/market/books?instId=BTC-USDT-SWAP&sz=2",
        bids=(("97990.00", "0.0310"),),  # 3.10 contracts of 0.01
        asks=(("97990.10", "2.505"),),  # 250.5 contracts of 0.01
        contract_size="0.01",
    ),
)
