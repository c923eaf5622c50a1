"""OKX, v5: one trading account.

https://www.okx.com/docs-v5/en/#trading-account-rest-api-get-balance
https://www.okx.com/docs-v5/en/#trading-account-rest-api-get-positions
https://www.okx.com/docs-v5/en/#order-book-trading-trade-get-order-list
https://www.okx.com/docs-v5/en/#order-book-trading-algo-trading-get-algo-order-list

Contracts are of 0.01 BTC (linear) and of 100 USD (inverse).
"""

from typing import Any, cast

from . import okx
from .accounts_case import AccountCase

_HOST = "www.okx.com/api/v5"
_BALANCE = f"{_HOST}/account/balance"


def data(*rows: object) -> dict[str, object]:
    return {"code": "0", "msg": "", "data": list(rows)}


def _positions(kind: str) -> str:
    return f"{_HOST}/account/positions?instType={kind}"


def pending(kind: str) -> str:
    return f"{_HOST}/trade/orders-pending?instType={kind}&limit=100"


def algos(kind: str) -> str:
    return f"{_HOST}/trade/orders-algo-pending?ordType={kind}&limit=100"


def _detail(ccy: str, **told: str) -> dict[str, object]:
    return {
        "ccy": ccy,
        "eq": "0",
        "cashBal": "0",
        "uTime": "1767268800000",
        "isoEq": "0",
        "availEq": "",
        "disEq": "0",
        "availBal": "0",
        "frozenBal": "0",
        "ordFrozen": "0",
        "upl": "0",
        "spotInUseAmt": "",
        **told,
    }


def _position(inst: str, **told: str) -> dict[str, object]:
    return {
        "adl": "1",
        "availPos": "",
        "avgPx": "0",
        "cTime": "1767200000000",
        "ccy": "USDT",
        "imr": "",
        "instId": inst,
        "instType": "SWAP",
        "last": "97990.10",
        "lever": "10",
        "liqPx": "",
        "margin": "",
        "markPx": "97990.00",
        "mgnMode": "cross",
        "mgnRatio": "",
        "mmr": "",
        "notionalUsd": "1",
        "pos": "0",
        "posCcy": "",
        "posId": "1",
        "posSide": "net",
        "tradeId": "1",
        "uTime": "1767268800002",
        "upl": "0",
        "uplRatio": "0",
        **told,
    }


def order(inst: str, **told: str) -> dict[str, object]:
    return {
        "accFillSz": "0",
        "algoId": "",
        "attachAlgoOrds": [],
        "avgPx": "",
        "cTime": "1767268800200",
        "category": "normal",
        "ccy": "",
        "clOrdId": "",
        "fee": "",
        "feeCcy": "",
        "fillPx": "",
        "fillSz": "0",
        "fillTime": "",
        "instId": inst,
        "instType": "SPOT",
        "lever": "",
        "ordId": "1",
        "ordType": "limit",
        "pnl": "0",
        "posSide": "net",
        "px": "",
        "rebate": "0",
        "rebateCcy": "",
        "reduceOnly": "false",
        "side": "buy",
        "slOrdPx": "",
        "slTriggerPx": "",
        "source": "",
        "state": "live",
        "sz": "",
        "tag": "",
        "tdMode": "cash",
        "tgtCcy": "",
        "tpOrdPx": "",
        "tpTriggerPx": "",
        "uTime": "1767268800200",
        **told,
    }


def algo(inst: str, kind: str, **told: str) -> dict[str, object]:
    return {
        "activePx": "",
        "actualPx": "",
        "actualSide": "",
        "actualSz": "0",
        "algoClOrdId": "",
        "algoId": "1",
        "cTime": "1767268800300",
        "callbackRatio": "",
        "callbackSpread": "",
        "ccy": "",
        "clOrdId": "",
        "closeFraction": "",
        "instId": inst,
        "instType": "SWAP",
        "last": "97990.10",
        "lever": "10",
        "moveTriggerPx": "",
        "ordId": "",
        "ordIdList": [],
        "ordPx": "",
        "ordType": kind,
        "posSide": "net",
        "reduceOnly": "false",
        "side": "sell",
        "slOrdPx": "",
        "slTriggerPx": "",
        "state": "live",
        "sz": "",
        "tag": "",
        "tdMode": "cross",
        "tgtCcy": "",
        "tpOrdPx": "",
        "tpTriggerPx": "",
        "triggerPx": "",
        "triggerTime": "",
        "uTime": "1767268800300",
        **told,
    }


_KINDS = ("conditional", "oco", "trigger", "move_order_stop", "chase", "iceberg", "twap")
_SWAPS = f"{_HOST}/public/instruments?instType=SWAP"
_LINEAR_MARKET: dict[str, object] = cast("Any", okx.CASE.answers[_SWAPS])["data"][0]
_INVERSE: dict[str, object] = {
    **_LINEAR_MARKET,
    "instId": "BTC-USD-SWAP",
    "uly": "BTC-USD",
    "instFamily": "BTC-USD",
    "settleCcy": "BTC",
    "ctType": "inverse",
    "ctVal": "100",
    "ctValCcy": "USD",
}

_ANSWERS: dict[str, object] = {
    **okx.CASE.answers,
    _SWAPS: data(_LINEAR_MARKET, _INVERSE),
    _BALANCE: data(
        {
            "adjEq": "",
            "imr": "",
            "isoEq": "0",
            "mgnRatio": "",
            "mmr": "",
            "notionalUsd": "",
            "ordFroz": "",
            "totalEq": "91884.85",
            "uTime": "1767268800000",
            "details": [
                _detail(
                    "USDT",
                    eq="12345678901234567.00",
                    availEq="12345678901230000.10",
                    availBal="1",
                    frozenBal="4566.90",
                ),
                _detail("BTC", eq="1.2345678901234500", availBal="1.2345678901234400", frozenBal="0.00000000000001"),
            ],
        }
    ),
    _positions("SWAP"): data(
        _position(
            "BTC-USDT-SWAP",
            pos="25.50",
            posSide="long",
            avgPx="104444.12345678900",
            liqPx="54348.975171530",
            upl="-1645.80148148119500",
        ),
        _position("BTC-USDT-SWAP", pos="3", posSide="short", mgnMode="isolated", avgPx="98000.0", lever="5"),
        _position("BTC-USD-SWAP", pos="-12", avgPx="97000.5", ccy="BTC", upl="-0.00000100"),
    ),
    _positions("FUTURES"): data(
        _position("BTC-USDT-261225", instType="FUTURES", pos="-1.0", avgPx="99000", markPx="")
    ),
    pending("SPOT"): data(
        order(
            "BTC-USDT",
            ordId="2001",
            clOrdId="mine",
            px="90000.10",
            sz="0.123456789012345670",
            accFillSz="0.023456789012345670",
            state="partially_filled",
        )
    ),
    pending("MARGIN"): data(),
    pending("SWAP"): data(
        order(
            "BTC-USDT-SWAP",
            instType="SWAP",
            # an algo order placed this one, and its id is not the order's
            algoId="77",
            ordId="2002",
            ordType="post_only",
            posSide="long",
            px="95000",
            sz="1.5",
            slTriggerPx="80000",
            slOrdPx="-1",
            tdMode="cross",
        ),
        order("BTC-USD-SWAP", instType="SWAP", ordId="2003", side="sell", px="99000.5", sz="20", tdMode="cross"),
    ),
    pending("FUTURES"): data(),
    algos("conditional"): data(
        algo(
            "BTC-USDT-SWAP",
            "conditional",
            algoId="2004",
            algoClOrdId="stop",
            posSide="long",
            slTriggerPx="90000.5",
            slOrdPx="-1",
            closeFraction="1",
            reduceOnly="true",
        ),
        algo("BTC-USDT", "conditional", instType="SPOT", algoId="2005", tpTriggerPx="120000.10",
             tpOrdPx="119000.00", sz="0.500", tdMode="cash"),
    ),
    algos("oco"): data(),
    algos("trigger"): data(
        algo("BTC-USD-SWAP", "trigger", algoId="2006", side="buy", triggerPx="101000", ordPx="101500", sz="5")
    ),
    algos("move_order_stop"): data(
        algo("BTC-USDT-SWAP", "move_order_stop", algoId="2007", callbackRatio="0.05", moveTriggerPx="93090.595", sz="2")
    ),
    algos("chase"): data(),
    algos("iceberg"): data(),
    algos("twap"): data(),
}  # fmt: skip

_POSITION_URLS = {"perpetual": (_positions("SWAP"),), "dated": (_positions("FUTURES"),)}
_ORDER_URLS = {
    "spot": (pending("SPOT"),),
    "spot on margin": (pending("MARGIN"),),
    "perpetual": (pending("SWAP"),),
    "dated": (pending("FUTURES"),),
    **{f"algo {kind}": (algos(kind),) for kind in _KINDS},
}
_LINEAR, _INVERSE_SYMBOL, _DATED = "BTC/USDT:USDT", "BTC/USD:BTC", "BTC/USDT:USDT-261225"

CASES = (
    AccountCase(
        name="trading",
        venue="okx",
        answers=_ANSWERS,
        balance_urls={"trading": (_BALANCE,)},
        balances=(
            ("trading", "USDT", "12345678901230000.10", "4566.90", "12345678901234567.00"),
            ("trading", "BTC", "1.2345678901234400", "0.00000000000001", "1.2345678901234500"),
        ),
        position_urls=_POSITION_URLS,
        positions=(
            # 25.50 contracts of 0.01 BTC
            ("perpetual", _LINEAR, "long", "0.2550", "25.50", "104444.12345678900", "97990.00",
             "54348.975171530", None, "10", "cross", "-1645.80148148119500", True, 1767268800002),
            ("perpetual", _LINEAR, "short", "0.03", "3", "98000.0", "97990.00", None, None, "5", "isolated",
             "0", True, 1767268800002),
            ("perpetual", _INVERSE_SYMBOL, "short", None, "12", "97000.5", "97990.00", None, None, "10", "cross",
             "-0.00000100", False, 1767268800002),
            ("dated", _DATED, "short", "0.010", "1.0", "99000", None, None, None, "10", "cross",
             "0", False, 1767268800002),
        ),
        order_urls=_ORDER_URLS,
        orders=(
            ("spot", "BTC/USDT", "2001", "mine", "buy", "limit", "90000.10", None, "0.123456789012345670",
             "0.023456789012345670", "0.100000000000000000", False, False, None, None, 1767268800200),
            ("perpetual", _LINEAR, "2002", None, "buy", "limit", "95000", None, "0.015", "0.00", "0.015",
             False, False, None, "long", 1767268800200),
            ("perpetual", _INVERSE_SYMBOL, "2003", None, "sell", "limit", "99000.5", None, "20", "0", "20",
             True, False, None, None, 1767268800200),
            ("algo conditional", _LINEAR, "2004", "stop", "sell", "conditional", None, "90000.5", None, None, None,
             False, True, True, "long", 1767268800300),
            ("algo conditional", "BTC/USDT", "2005", None, "sell", "conditional", "119000.00", "120000.10", "0.500",
             None, None, False, False, False, None, 1767268800300),
            ("algo trigger", _INVERSE_SYMBOL, "2006", None, "buy", "trigger", "101500", "101000", "5", None, None,
             True, False, False, None, 1767268800300),
            ("algo move_order_stop", _LINEAR, "2007", None, "sell", "move_order_stop", None, "93090.595", "0.02",
             None, None, False, False, False, None, 1767268800300),
        ),
        empty={
            _BALANCE: data({"totalEq": "0", "uTime": "1767268800000", "details": []}),
            **{url: data() for urls in (*_POSITION_URLS.values(), *_ORDER_URLS.values()) for url in urls},
        },
    ),
)  # fmt: skip
