"""KuCoin: the classic account and the unified one.

https://www.kucoin.com/docs-new/rest/account-info/account-funding/get-account-list-spot
https://www.kucoin.com/docs-new/rest/account-info/account-funding/get-account-futures
https://www.kucoin.com/docs-new/rest/futures-trading/positions/get-position-list
https://www.kucoin.com/docs-new/rest/spot-trading/orders/get-open-orders
https://www.kucoin.com/docs-new/rest/spot-trading/orders/get-stop-orders-list
https://www.kucoin.com/docs-new/rest/futures-trading/orders/get-order-list
https://www.kucoin.com/docs-new/rest/futures-trading/orders/get-stop-order-list
Spot orders: https://github.com/Kucoin/kucoin-go-sdk/blob/main/hf_order_types.go
Unified: https://github.com/Kucoin/kucoin-universal-sdk/blob/main/sdk/golang/pkg/generate/uta: account/types.go,
order/types.go and positions/types.go

Linear contracts are of 0.001 BTC, inverse ones of 1 USD. Futures are in JSON numbers, so they are text here.
"""

from . import kucoin
from .accounts_case import AccountCase

_SPOT = "api.kucoin.com/api/v1"
_UTA = "api.kucoin.com/api/ua/v1"
_FUTURES = "api-futures.kucoin.com/api/v1"
KIND, _OPENED = f"{_UTA}/account/mode", f"{_SPOT}/hf/accounts/opened"
_ACTIVE = f"{_SPOT}/hf/orders/active?symbol=BTC-USDT"
_SYMBOLS = f"{_SPOT}/hf/orders/active/symbols"


def data(value: object) -> dict[str, object]:
    return {"code": "200000", "data": value}


def _account(kind: str, currency: str, balance: str, available: str, holds: str) -> dict[str, object]:
    return {
        "id": "1",
        "currency": currency,
        "type": kind,
        "balance": balance,
        "available": available,
        "holds": holds,
    }


def _page(*rows: object) -> dict[str, object]:
    return data(
        {"currentPage": 1, "pageSize": 100, "totalNum": len(rows), "totalPage": 1, "items": list(rows)}
    )


def _overview(currency: str, equity: str, available: str, margin: str) -> str:
    return (
        f'{{"code":"200000","data":{{"accountEquity":{equity},"unrealisedPNL":0,"marginBalance":1,'
        f'"positionMargin":{margin},"orderMargin":0.10,"frozenFunds":0,"availableBalance":{available},'
        f'"currency":"{currency}","riskRatio":0,"maxWithdrawAmount":1}}}}'
    )


_CONTRACTS = f"{_FUTURES}/contracts/active"
_listed = kucoin.CASE.answers[_CONTRACTS]
assert isinstance(_listed, str)
_linear = _listed[_listed.index("[") + 1 : _listed.rindex("]")]
_INVERSE = (
    _linear.replace("XBTUSDTM", "XBTUSDM")
    .replace('"settleCurrency":"USDT"', '"settleCurrency":"XBT"')
    .replace('"quoteCurrency":"USDT"', '"quoteCurrency":"USD"')
    .replace('"multiplier":1.0E-3', '"multiplier":-1.0')
    .replace('"isInverse":false', '"isInverse":true')
)
_MARKETS: dict[str, object] = {
    **kucoin.CASE.answers,
    _CONTRACTS: f'{{"code":"200000","data":[{_linear},{_INVERSE}]}}',
}

_POSITIONS = """
{"code":"200000","data":[{"id":"1","symbol":"XBTUSDTM","crossMode":true,"delevPercentage":0.1,
"openingTimestamp":1767200000000,"currentTimestamp":1767268800005,"currentQty":250,"currentCost":1,"currentComm":0,
"unrealisedCost":1,"realisedCost":0,"isOpen":true,"markPrice":97000.040,"markValue":24250.010,"posCost":1,"posInit":1,
"posMargin":1,"realisedPnl":0,"unrealisedPnl":-1861.0208641972500,"avgEntryPrice":104444.12345678900,
"liquidationPrice":54348.975171530,"bankruptPrice":1,"settleCurrency":"USDT","isInverse":false,"marginMode":"CROSS",
"positionSide":"LONG","leverage":10},
{"id":"2","symbol":"XBTUSDTM","currentTimestamp":1767268800005,"currentQty":-100,"isOpen":true,"markPrice":97000.04,
"markValue":-9700.004,"unrealisedPnl":0.10,"avgEntryPrice":98000,"liquidationPrice":0,"settleCurrency":"USDT",
"isInverse":false,"marginMode":"ISOLATED","positionSide":"SHORT","leverage":5},
{"id":"3","symbol":"XBTUSDM","currentTimestamp":1767268800005,"currentQty":-1500,"isOpen":true,"markPrice":97000.04,
"markValue":-0.0154639,"unrealisedPnl":-0.00000100,"avgEntryPrice":97000.5,"liquidationPrice":150000.0,
"settleCurrency":"XBT","isInverse":true,"marginMode":"CROSS","positionSide":"BOTH","leverage":3}]}
"""


def _spot_order(identifier: str, **told: object) -> dict[str, object]:
    return {
        "id": identifier,
        "clientOid": "mine",
        "symbol": "BTC-USDT",
        "opType": "DEAL",
        "type": "limit",
        "side": "buy",
        "price": "90000.10",
        "size": "0.123456789012345670",
        "funds": "0",
        "dealSize": "0.023456789012345670",
        "dealFunds": "0",
        "fee": "0",
        "feeCurrency": "USDT",
        "stp": "",
        "timeInForce": "GTC",
        "postOnly": True,
        "hidden": False,
        "iceberg": False,
        "visibleSize": "0",
        "cancelAfter": 0,
        "channel": "API",
        "remark": "",
        "tags": "",
        "cancelExist": False,
        "tradeType": "TRADE",
        "inOrderBook": True,
        "cancelledSize": "0",
        "remainSize": "0.1",
        "createdAt": 1767268801000,
        "lastUpdatedAt": 1767268801000,
        "active": True,
        **told,
    }


def contract_order(identifier: str, symbol: str = "XBTUSDTM", **told: object) -> dict[str, object]:
    return {
        "id": identifier,
        "symbol": symbol,
        "type": "limit",
        "side": "buy",
        "price": "95000.0",
        "size": 10,
        "value": "950",
        "stp": "",
        "stop": "",
        "stopPriceType": "",
        "stopTriggered": False,
        "stopPrice": None,
        "timeInForce": "GTC",
        "postOnly": False,
        "hidden": False,
        "iceberg": False,
        "leverage": "10",
        "forceHold": False,
        "closeOrder": False,
        "visibleSize": 0,
        "clientOid": "mine",
        "remark": None,
        "tags": "",
        "isActive": True,
        "cancelExist": False,
        "createdAt": 1767268801100,
        "updatedAt": 1767268801100,
        "endAt": None,
        "settleCurrency": "USDT",
        "marginMode": "CROSS",
        "positionSide": "BOTH",
        "avgDealPrice": "0",
        "filledSize": 4,
        "filledValue": "380",
        "status": "open",
        "reduceOnly": False,
        **told,
    }


_BALANCES = {
    "spot": (f"{_SPOT}/accounts?type=trade",),
    "main": (f"{_SPOT}/accounts?type=main",),
    "linear": (f"{_FUTURES}/account-overview?currency=USDT",),
    "inverse": (f"{_FUTURES}/account-overview?currency=XBT",),
}
_ORDERS: dict[str, tuple[str, ...]] = {
    "spot": (_SYMBOLS, _ACTIVE),
    "spot stop": (f"{_SPOT}/stop-order?tradeType=TRADE&pageSize=100&currentPage=1",),
    "contracts": (f"{_FUTURES}/orders?status=active&pageSize=100&currentPage=1",),
    "contracts stop": (f"{_FUTURES}/stopOrders?pageSize=100&currentPage=1",),
}
_LINEAR, _INVERSE_SYMBOL = "BTC/USDT:USDT", "BTC/USD:BTC"
_CLASSIC = AccountCase(
    name="classic",
    venue="kucoin",
    answers={
        **_MARKETS,
        KIND: data({"selfAccountMode": "CLASSIC", "unifiedSubAccount": [], "classicSubAccount": []}),
        _OPENED: data(value=True),
        _BALANCES["spot"][0]: data(
            [
                _account("trade", "BTC", "1.2345679001234500", "1.2345678901234500", "0.00000001"),
                _account("margin", "BTC", "7", "7", "0"),
            ]
        ),
        _BALANCES["main"][0]: data([_account("main", "USDT", "12345678901234567.8900", "12345678901234567.8900", "0")]),
        _BALANCES["linear"][0]: _overview("USDT", "48.921913718", "48.1219137180", "0.70"),
        _BALANCES["inverse"][0]: _overview("XBT", "0.500", "0.40", "0"),
        f"{_FUTURES}/positions": _POSITIONS,
        _SYMBOLS: data({"symbols": ["BTC-USDT"]}),
        _ACTIVE: data([_spot_order("7001")]),
        _ORDERS["spot stop"][0]: _page(
            {
                "id": "7002",
                "symbol": "BTC-USDT",
                "userId": "1",
                "status": "NEW",
                "type": "market",
                "side": "sell",
                "price": None,
                "size": "0.500",
                "funds": None,
                "stp": None,
                "timeInForce": "GTC",
                "cancelAfter": -1,
                "postOnly": False,
                "hidden": False,
                "iceberg": False,
                "visibleSize": None,
                "channel": "API",
                "clientOid": "stop",
                "remark": None,
                "tags": None,
                "relatedNo": None,
                "orderTime": 1767268801000000000,
                "domainId": "kucoin",
                "tradeSource": "USER",
                "tradeType": "TRADE",
                "feeCurrency": "USDT",
                "createdAt": 1767268801200,
                "stop": "loss",
                "stopTriggerTime": None,
                "stopPrice": "85000.00",
            }
        ),
        _ORDERS["contracts"][0]: _page(
            contract_order("7003", positionSide="LONG"),
            contract_order("7004", "XBTUSDM", side="sell", size=2000, filledSize=0, price="99000.5"),
        ),
        _ORDERS["contracts stop"][0]: _page(
            contract_order(
                "7005",
                type="market",
                side="sell",
                price=None,
                size=None,
                stop="down",
                stopPriceType="MP",
                stopPrice="90000.5",
                closeOrder=True,
                reduceOnly=True,
                filledSize=None,
            )
        ),
    },
    kind_urls=(KIND, _OPENED),
    balance_urls=_BALANCES,
    balances=(
        ("spot", "BTC", "1.2345678901234500", "0.00000001", "1.2345679001234500"),
        ("main", "USDT", "12345678901234567.8900", "0", "12345678901234567.8900"),
        ("linear", "USDT", "48.1219137180", "0.80", "48.921913718"),
        ("inverse", "BTC", "0.40", "0.10", "0.500"),
    ),
    position_urls={"contracts": (f"{_FUTURES}/positions",)},
    positions=(
        # 250 contracts of 0.001 BTC
        ("contracts", _LINEAR, "long", "0.250", "250", "104444.12345678900", "97000.040", "54348.975171530",
         "24250.010", "10", "cross", "-1861.0208641972500", True, 1767268800005),
        ("contracts", _LINEAR, "short", "0.100", "100", "98000", "97000.04", None, "9700.004", "5", "isolated", "0.10",
         True, 1767268800005),
        ("contracts", _INVERSE_SYMBOL, "short", None, "1500", "97000.5", "97000.04", "150000.0", "0.0154639", "3",
         "cross", "-0.00000100", False, 1767268800005),
    ),
    order_urls=_ORDERS,
    orders=(
        ("spot", "BTC/USDT", "7001", "mine", "buy", "limit", "90000.10", None, "0.123456789012345670",
         "0.023456789012345670", "0.100000000000000000", False, None, None, None, 1767268801000),
        ("spot stop", "BTC/USDT", "7002", "stop", "sell", "market", None, "85000.00", "0.500", None, None, False, None,
         None, None, 1767268801200),
        ("contracts", _LINEAR, "7003", "mine", "buy", "limit", "95000.0", None, "0.010", "0.004", "0.006", False, False,
         False, "long", 1767268801100),
        ("contracts", _INVERSE_SYMBOL, "7004", "mine", "sell", "limit", "99000.5", None, "2000", "0", "2000", True,
         False, False, None, 1767268801100),
        ("contracts stop", _LINEAR, "7005", "mine", "sell", "market", None, "90000.5", None, None, None, False, True,
         True, None, 1767268801100),
    ),
    empty={
        _BALANCES["spot"][0]: data([]),
        _BALANCES["main"][0]: data([]),
        _BALANCES["linear"][0]: _overview("USDT", "0", "0", "0"),
        _BALANCES["inverse"][0]: _overview("XBT", "0", "0", "0"),
        f"{_FUTURES}/positions": data([]),
        _SYMBOLS: data({"symbols": []}),
        **{urls[0]: _page() for name, urls in _ORDERS.items() if name != "spot"},
    },
)  # fmt: skip

_UNIFIED_BALANCE = f"{_UTA}/unified/account/balance"
_UNIFIED_POSITIONS = f"{_UTA}/unified/position/open-list?pageSize=50&pageNumber=1"
_UNIFIED_ORDERS = f"{_UTA}/unified/order/open-list?tradeType=FUTURES&pageSize=200&pageNumber=1"
UNIFIED_SPOT = f"{_UTA}/unified/order/open-list?tradeType=SPOT&symbol=BTC-USDT&pageSize=200&pageNumber=1"


def _unified_order(identifier: str, symbol: str, unit: str, **told: object) -> dict[str, object]:
    return {
        "orderId": identifier,
        "clientOid": "mine",
        "status": 2,
        "filledSize": "4",
        "avgPrice": "0",
        "fee": "0",
        "feeCurrency": "USDT",
        "tax": "",
        "tradeId": "",
        "symbol": symbol,
        "side": "BUY",
        "positionSide": "BOTH",
        "orderType": "LIMIT",
        "size": "10",
        "sizeUnit": unit,
        "price": "95000.0",
        "reduceOnly": False,
        "marginMode": "CROSS",
        "stp": "",
        "timeInForce": "GTC",
        "cancelAfter": 0,
        "cancelSize": "0",
        "triggerDirection": "",
        "triggerPrice": "",
        "tpTriggerPrice": "",
        "slTriggerPrice": "",
        "postOnly": True,
        "tags": "",
        "triggerOrderId": "",
        "orderTime": 1767268801300000000,
        "updatedTime": 1767268801300000000,
        **told,
    }


_GAP = "account main is unified, and "
_CONDITIONAL = f"{_GAP}how KuCoin lists the conditional orders of such an account is not known here"
_UNIFIED = AccountCase(
    name="unified",
    venue="kucoin",
    answers={
        **_MARKETS,
        KIND: data({"selfAccountMode": "UNIFIED", "unifiedSubAccount": [], "classicSubAccount": []}),
        _UNIFIED_BALANCE: data(
            {
                "accountType": "UNIFIED",
                "ts": 1767268800000000000,
                "accounts": [
                    {
                        "currencies": [
                            {
                                "currency": "USDT",
                                "equity": "12345678901234667.9900",
                                "hold": "100.10",
                                "balance": "1",
                                "available": "12345678901234567.8900",
                                "liability": "0",
                            }
                        ]
                    }
                ],
            }
        ),
        _UNIFIED_POSITIONS: data(
            [
                {
                    "symbol": "XBTUSDTM",
                    "id": "1",
                    "marginMode": "CROSS",
                    "size": "-100",
                    "entryPrice": "98000.10",
                    "positionValue": "9700.004",
                    "positionMargin": "1",
                    "markPrice": "97000.04",
                    "leverage": "20",
                    "unrealizedPnL": "100.0060",
                    "realizedPnL": "0",
                    "initialMargin": "1",
                    "mmr": "0.004",
                    "maintenanceMargin": "1",
                    "creationTime": 1767200000000000000,
                    "liquidationPrice": "150000.00",
                    "updateTime": 1767268800006000000,
                }
            ]
        ),
        _UNIFIED_ORDERS: data(
            {"pageNumber": 1, "tradeType": "FUTURES", "items": [_unified_order("8001", "XBTUSDTM", "UNIT")]}
        ),
        UNIFIED_SPOT: data(
            {"pageNumber": 1, "tradeType": "SPOT", "items": [_unified_order("8002", "BTC-USDT", "BASECCY")]}
        ),
    },
    kind_urls=(KIND,),
    balance_urls={"unified": (_UNIFIED_BALANCE,)},
    balances=(("unified", "USDT", "12345678901234567.8900", "100.10", "12345678901234667.9900"),),
    position_urls={"contracts": (_UNIFIED_POSITIONS,)},
    positions=(
        ("contracts", _LINEAR, "short", "0.100", "100", "98000.10", "97000.04", "150000.00", "9700.004", "20", "cross",
         "100.0060", None, 1767268800006),
    ),
    order_urls={"contracts": (_UNIFIED_ORDERS,)},
    orders=(
        ("contracts", _LINEAR, "8001", "mine", "buy", "limit", "95000.0", None, "0.010", "0.004", "0.006", False, False,
         None, None, 1767268801300),
    ),
    empty={
        _UNIFIED_BALANCE: data({"accountType": "UNIFIED", "ts": 1, "accounts": []}),
        _UNIFIED_POSITIONS: data([]),
        _UNIFIED_ORDERS: data({"pageNumber": 1, "tradeType": "FUTURES", "items": []}),
    },
    gaps={
        "spot": f"{_GAP}KuCoin lists the open spot orders of such an account by market only: name a symbol",
        "spot stop": _CONDITIONAL,
        "contracts stop": _CONDITIONAL,
    },
)  # fmt: skip

CASES = (_CLASSIC, _UNIFIED)
