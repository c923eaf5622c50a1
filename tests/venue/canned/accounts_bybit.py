"""Bybit, v5: a unified account in both of its versions.

https://bybit-exchange.github.io/docs/v5/acct-mode
https://bybit-exchange.github.io/docs/v5/account/wallet-balance
https://bybit-exchange.github.io/docs/v5/position
https://bybit-exchange.github.io/docs/v5/order/open-order
"""

from . import bybit
from .accounts_case import AccountCase

_HOST = "api.bybit.com/v5"
KIND = f"{_HOST}/account/info"
_UNIFIED = f"{_HOST}/account/wallet-balance?accountType=UNIFIED"
_CONTRACT = f"{_HOST}/account/wallet-balance?accountType=CONTRACT"


def result(**told: object) -> dict[str, object]:
    return {"retCode": 0, "retMsg": "OK", "result": told, "retExtInfo": {}, "time": 1767268800003}


def _list(*rows: object) -> dict[str, object]:
    return result(category="", nextPageCursor="", list=list(rows))


def _positions(query: str) -> str:
    return f"{_HOST}/position/list?category={query}&limit=200"


def orders(query: str) -> str:
    return f"{_HOST}/order/realtime?category={query}&limit=50"


def _coin(coin: str, **told: str) -> dict[str, object]:
    return {
        "coin": coin,
        "equity": "0",
        "usdValue": "0",
        "walletBalance": "0",
        "locked": "0",
        "spotHedgingQty": "0",
        "borrowAmount": "0",
        "availableToWithdraw": "",
        "accruedInterest": "0",
        "totalOrderIM": "",
        "totalPositionIM": "",
        "totalPositionMM": "",
        "unrealisedPnl": "0",
        "cumRealisedPnl": "0",
        "bonus": "0",
        "marginCollateral": True,
        "collateralSwitch": True,
        **told,
    }


def _wallet(kind: str, *coins: object) -> dict[str, object]:
    return result(
        list=[
            {
                "accountType": kind,
                "totalEquity": "3.31216591",
                "totalWalletBalance": "3.00326056",
                "totalMarginBalance": "3.00326056",
                "totalAvailableBalance": "3.00326056",
                "totalPerpUPL": "0",
                "totalInitialMargin": "0",
                "totalMaintenanceMargin": "0",
                "accountIMRate": "0",
                "accountMMRate": "0",
                "accountLTV": "0",
                "coin": list(coins),
            }
        ]
    )


def _position(symbol: str, **told: object) -> dict[str, object]:
    return {
        "positionIdx": 0,
        "riskId": 1,
        "riskLimitValue": "150",
        "symbol": symbol,
        "side": "Buy",
        "size": "0",
        "avgPrice": "0",
        "positionValue": "0",
        "tradeMode": 0,
        "autoAddMargin": 0,
        "positionStatus": "Normal",
        "leverage": "10",
        "markPrice": "97505.00",
        "liqPrice": "",
        "bustPrice": "",
        "positionIM": "1",
        "positionMM": "1",
        "positionBalance": "1",
        "takeProfit": "",
        "stopLoss": "",
        "trailingStop": "0",
        "unrealisedPnl": "0",
        "curRealisedPnl": "0",
        "cumRealisedPnl": "0",
        "adlRankIndicator": 2,
        "createdTime": "1767200000000",
        "updatedTime": "1767268800001",
        "seq": 5723621632,
        "isReduceOnly": False,
        **told,
    }


def order(symbol: str, **told: object) -> dict[str, object]:
    return {
        "orderId": "1",
        "orderLinkId": "",
        "blockTradeId": "",
        "symbol": symbol,
        "price": "0",
        "qty": "0",
        "side": "Buy",
        "isLeverage": "",
        "positionIdx": 0,
        "orderStatus": "New",
        "cancelType": "UNKNOWN",
        "rejectReason": "EC_NoError",
        "avgPrice": "",
        "leavesQty": "0",
        "leavesValue": "0",
        "cumExecQty": "0",
        "cumExecValue": "0",
        "cumExecFee": "0",
        "timeInForce": "GTC",
        "orderType": "Limit",
        "stopOrderType": "",
        "orderIv": "",
        "triggerPrice": "",
        "takeProfit": "",
        "stopLoss": "",
        "tpTriggerBy": "",
        "slTriggerBy": "",
        "triggerDirection": 0,
        "triggerBy": "",
        "lastPriceOnCreated": "",
        "reduceOnly": False,
        "closeOnTrigger": False,
        "smpType": "None",
        "smpGroup": 0,
        "smpOrderId": "",
        "tpslMode": "",
        "createdTime": "1767268800100",
        "updatedTime": "1767268800100",
        **told,
    }


_INVERSE = {
    "symbol": "BTCUSD",
    "contractType": "InversePerpetual",
    "status": "Trading",
    "baseCoin": "BTC",
    "quoteCoin": "USD",
    "settleCoin": "BTC",
    "launchTime": "1542211200000",
    "deliveryTime": "0",
    "priceScale": "2",
    "leverageFilter": {"minLeverage": "1", "maxLeverage": "100.00", "leverageStep": "0.01"},
    "priceFilter": {"minPrice": "0.50", "maxPrice": "1999999.00", "tickSize": "0.50"},
    "lotSizeFilter": {"maxOrderQty": "25000000", "minOrderQty": "1", "qtyStep": "1"},
    "unifiedMarginTrade": True,
    "fundingInterval": 480,
}

_ANSWERS: dict[str, object] = {
    **bybit.CASE.answers,
    f"{_HOST}/market/instruments-info?category=inverse&limit=1000": _list(_INVERSE),
    f"{_HOST}/market/instruments-info?category=inverse&limit=1000&status=PreLaunch": _list(),
    KIND: result(
        marginMode="REGULAR_MARGIN",
        updatedTime="1697078946000",
        unifiedMarginStatus=6,
        dcpStatus="OFF",
        timeWindow=10,
        smpGroup=0,
        isMasterTrader=False,
        spotHedgingStatus="OFF",
    ),
    _UNIFIED: _wallet(
        "UNIFIED",
        _coin(
            "USDT",
            walletBalance="12345678901234567.8900",
            locked="100.10",
            totalOrderIM="0.20",
            totalPositionIM="0.003",
        ),
        _coin("BTC", walletBalance="-0.00000010", locked="0", borrowAmount="0.00000010"),
    ),
    _positions("linear&settleCoin=USDT"): _list(
        _position(
            "BTCUSDT",
            positionIdx=1,
            size="0.250",
            avgPrice="104444.12345678900",
            positionValue="26111.0308641972500",
            liqPrice="54348.975171530",
            unrealisedPnl="-1734.7808641972500",
        ),
        _position(
            "BTCUSDT",
            positionIdx=2,
            side="Sell",
            size="0.100",
            avgPrice="98000.0",
            positionValue="9800.00",
            leverage="5",
            markPrice="",
            unrealisedPnl="49.50",
        ),
    ),
    _positions("linear&settleCoin=USDC"): _list(),
    _positions("inverse"): _list(
        _position(
            "BTCUSD",
            side="Sell",
            size="1500",
            avgPrice="97000.50",
            positionValue="0.0154638300",
            liqPrice="150000.00",
            unrealisedPnl="-0.00000100",
        )
    ),
    orders("spot"): _list(
        order(
            "BTCUSDT",
            orderId="1001",
            orderLinkId="mine",
            price="90000.10",
            qty="0.123456789012345670",
            cumExecQty="0.023456789012345670",
            leavesQty="0.1",
            orderStatus="PartiallyFilled",
        ),
        order(
            "BTCUSDT",
            orderId="1002",
            orderType="Market",
            side="Sell",
            qty="0.500",
            triggerPrice="85000.00",
            stopOrderType="tpslOrder",
            orderStatus="Untriggered",
            timeInForce="IOC",
        ),
    ),
    orders("linear&settleCoin=USDT"): _list(
        order(
            "BTCUSDT",
            orderId="1003",
            price="95000.00",
            qty="0.010",
            leavesQty="0.010",
            timeInForce="PostOnly",
            positionIdx=1,
            takeProfit="120000.00",
            stopLoss="80000.00",
            tpslMode="Full",
        ),
        order(
            "BTCUSDT",
            orderId="1004",
            side="Sell",
            orderType="Market",
            qty="0",
            triggerPrice="90000.50",
            triggerDirection=2,
            stopOrderType="StopLoss",
            orderStatus="Untriggered",
            timeInForce="IOC",
            reduceOnly=True,
            closeOnTrigger=True,
            positionIdx=1,
            tpslMode="Full",
        ),
    ),
    orders("linear&settleCoin=USDC"): _list(),
    orders("inverse"): _list(
        order(
            "BTCUSD", orderId="1005", side="Sell", price="99000.50", qty="2000", leavesQty="2000", tpslMode=""
        )
    ),
}

_ORDER_URLS = {
    "spot": (orders("spot"),),
    "linear USDT": (orders("linear&settleCoin=USDT"),),
    "linear USDC": (orders("linear&settleCoin=USDC"),),
    "inverse": (orders("inverse"),),
}
_POSITION_URLS = {
    "linear USDT": (_positions("linear&settleCoin=USDT"),),
    "linear USDC": (_positions("linear&settleCoin=USDC"),),
    "inverse": (_positions("inverse"),),
}
_LINEAR, _INVERSE_SYMBOL = "BTC/USDT:USDT", "BTC/USD:BTC"
_WALLET_ROWS = (
    # used: 100.10 in spot orders, 0.20 behind orders and 0.003 behind positions
    ("unified", "USDT", None, "100.303", "12345678901234567.8900"),
    ("unified", "BTC", None, "0", "-0.00000010"),
)
_POSITIONS = (
    ("linear USDT", _LINEAR, "long", "0.250", "0.250", "104444.12345678900", "97505.00", "54348.975171530",
     "26111.0308641972500", "10", None, "-1734.7808641972500", True, 1767268800001),
    ("linear USDT", _LINEAR, "short", "0.100", "0.100", "98000.0", None, None,
     "9800.00", "5", None, "49.50", True, 1767268800001),
    ("inverse", _INVERSE_SYMBOL, "short", None, "1500", "97000.50", "97505.00", "150000.00",
     "0.0154638300", "10", None, "-0.00000100", False, 1767268800001),
)  # fmt: skip
_ORDERS = (
    ("spot", "BTC/USDT", "1001", "mine", "buy", "limit", "90000.10", None, "0.123456789012345670",
     "0.023456789012345670", "0.100000000000000000", False, False, None, None, 1767268800100),
    ("spot", "BTC/USDT", "1002", None, "sell", "market", None, "85000.00", "0.500",
     "0", "0.500", False, False, None, None, 1767268800100),
    # what a position's own stop and target would be is not what this limit order waits for
    ("linear USDT", _LINEAR, "1003", None, "buy", "limit", "95000.00", None, "0.010",
     "0", "0.010", False, False, None, "long", 1767268800100),
    ("linear USDT", _LINEAR, "1004", None, "sell", "market", None, "90000.50", None,
     "0", None, False, True, True, "long", 1767268800100),
    ("inverse", _INVERSE_SYMBOL, "1005", None, "sell", "limit", "99000.50", None, "2000",
     "0", "2000", True, False, None, None, 1767268800100),
)  # fmt: skip
_EMPTY = {
    _UNIFIED: _wallet("UNIFIED"),
    _CONTRACT: _wallet("CONTRACT"),
    **{url: _list() for urls in (*_ORDER_URLS.values(), *_POSITION_URLS.values()) for url in urls},
}

CASES = (
    AccountCase(
        name="unified",
        venue="bybit",
        answers=_ANSWERS,
        kind_urls=(KIND,),
        balance_urls={"unified": (_UNIFIED,)},
        balances=_WALLET_ROWS,
        position_urls=_POSITION_URLS,
        positions=_POSITIONS,
        order_urls=_ORDER_URLS,
        orders=_ORDERS,
        empty=_EMPTY,
    ),
    AccountCase(
        name="unified 1",
        venue="bybit",
        answers={
            **_ANSWERS,
            KIND: result(marginMode="REGULAR_MARGIN", unifiedMarginStatus=4),
            _CONTRACT: _wallet(
                "CONTRACT",
                _coin(
                    "BTC",
                    walletBalance="1.50000000",
                    availableToWithdraw="1.20000000",
                    totalPositionIM="0.30000000",
                ),
            ),
        },
        kind_urls=(KIND,),
        balance_urls={"unified": (_UNIFIED,), "inverse": (_CONTRACT,)},
        balances=(*_WALLET_ROWS, ("inverse", "BTC", "1.20000000", "0.30000000", "1.50000000")),
        position_urls=_POSITION_URLS,
        positions=_POSITIONS,
        order_urls=_ORDER_URLS,
        orders=_ORDERS,
        empty=_EMPTY,
    ),
)
