"""Kraken, spot.

https://docs.kraken.com/api/docs/rest-api/get-extended-balance
https://docs.kraken.com/api/docs/rest-api/get-open-orders
The fields are those of https://github.com/krakenfx/api-specs/blob/main/spot-rest/openapi_v3.yaml
"""

from . import kraken
from .accounts_case import AccountCase

_HOST = "api.kraken.com/0/private"
_BALANCE, ORDERS = f"{_HOST}/BalanceEx", f"{_HOST}/OpenOrders"


def _order(kind: str, side: str, price: str, price2: str = "0", **told: object) -> dict[str, object]:
    return {
        "refid": None,
        "userref": 0,
        "status": "open",
        "opentm": 1767268800.5,
        "starttm": 0,
        "expiretm": 0,
        "descr": {
            "pair": "XBTUSD",
            "type": side,
            "ordertype": kind,
            "price": price,
            "price2": price2,
            "leverage": "none",
            "order": f"{side} 1.25000000 XBTUSD @ {kind} {price}",
            "close": "",
        },
        "vol": "1.25000000",
        "vol_exec": "0.37500000",
        "cost": "11253.7",
        "fee": "0.00000",
        "price": "30010.0",
        "stopprice": "0.00000",
        "limitprice": "0.00000",
        "misc": "",
        "oflags": "fciq",
        **told,
    }


_URLS = {"spot": (_BALANCE,)}

CASES = (
    AccountCase(
        name="spot",
        venue="kraken",
        answers={
            **kraken.CASE.answers,
            _BALANCE: {
                "error": [],
                "result": {
                    "ZUSD": {"balance": "12345678901234567.8900", "hold_trade": "8249.7600"},
                    "XXBT": {"balance": "1.2435678901", "hold_trade": "0.0000000000"},
                },
            },
            ORDERS: {
                "error": [],
                "result": {
                    "open": {
                        "OQCLML-BW3P3-BUCMWZ": _order("limit", "buy", "30010.0", cl_ord_id="mine", oflags="fciq,post"),
                        "O-STOP": _order("stop-loss", "sell", "27500.0", vol_exec="0.00000000"),
                        "O-STOPLIMIT": _order("stop-loss-limit", "sell", "27500.0", "27400.50", vol_exec="0.00000000"),
                        "O-TARGET": _order("take-profit-limit", "sell", "45000.0", "#2.5", vol_exec="0.00000000"),
                        "O-TRAIL": _order("trailing-stop", "sell", "+1000.0", vol_exec="0.00000000",
                                          stopprice="28750.5"),
                        "O-QUOTE": _order("limit", "buy", "25000.0", oflags="viqc"),
                    }
                },
            },
        },
        balance_urls=_URLS,
        balances=(
            ("spot", "USD", None, "8249.7600", "12345678901234567.8900"),
            ("spot", "BTC", None, "0.0000000000", "1.2435678901"),
        ),
        order_urls={"spot": (ORDERS,)},
        orders=(
            ("spot", "BTC/USD", "OQCLML-BW3P3-BUCMWZ", "mine", "buy", "limit", "30010.0", None, "1.25000000",
             "0.37500000", "0.87500000", False, None, None, None, 1767268800500),
            ("spot", "BTC/USD", "O-STOP", None, "sell", "market", None, "27500.0", "1.25000000", "0.00000000",
             "1.25000000", False, None, None, None, 1767268800500),
            ("spot", "BTC/USD", "O-STOPLIMIT", None, "sell", "limit", "27400.50", "27500.0", "1.25000000",
             "0.00000000", "1.25000000", False, None, None, None, 1767268800500),
            # a limit that is an offset from the trigger is no price
            ("spot", "BTC/USD", "O-TARGET", None, "sell", "limit", None, "45000.0", "1.25000000", "0.00000000",
             "1.25000000", False, None, None, None, 1767268800500),
            ("spot", "BTC/USD", "O-TRAIL", None, "sell", "trailing-stop", None, "28750.5", "1.25000000",
             "0.00000000", "1.25000000", False, None, None, None, 1767268800500),
            # a volume in quote is no amount of base
            ("spot", "BTC/USD", "O-QUOTE", None, "buy", "limit", "25000.0", None, None, None, None, False, None,
             None, None, 1767268800500),
        ),
        empty={_BALANCE: {"error": [], "result": {}}, ORDERS: {"error": [], "result": {"open": {}}}},
    ),
)  # fmt: skip
