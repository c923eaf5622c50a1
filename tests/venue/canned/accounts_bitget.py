"""Bitget: the classic account (v2) in hedge mode, and the unified one (v3).

https://www.bitget.com/api-doc/spot/account/Get-Account-Assets
https://www.bitget.com/api-doc/spot/trade/Get-Unfilled-Orders, https://www.bitget.com/api-doc/spot/plan/Get-Current-Plan-Order
https://www.bitget.com/api-doc/contract/account/Get-Account-List
https://www.bitget.com/api-doc/contract/position/get-all-position
https://www.bitget.com/api-doc/contract/trade/Get-Orders-Pending
https://www.bitget.com/api-doc/contract/plan/get-orders-plan-pending
https://www.bitget.com/api-doc/uta/account/Get-Account-Setting, https://www.bitget.com/api-doc/uta/account/Get-Account
https://www.bitget.com/api-doc/uta/trade/Get-Position, https://www.bitget.com/api-doc/uta/trade/Get-Order-Pending
https://www.bitget.com/api-doc/uta/strategy/Get-Unfilled-Strategy-Orders

Contracts count in base, coin-margined ones too.
"""

from typing import Any, cast

from . import bitget
from .accounts_case import AccountCase

_HOST = "api.bitget.com/api"
KIND = f"{_HOST}/v3/account/settings"
CLASSIC = (
    '{"code":"40084","msg":"You are in Classic Account mode, and the Unified Account API is not supported at this'
    ' time","requestTime":1767268800000,"data":null}'
)
_PRODUCTS = {"linear USDT": "USDT-FUTURES", "linear USDC": "USDC-FUTURES", "inverse": "COIN-FUTURES"}
_PLANS = {"trigger": "normal_plan", "trailing": "track_plan", "tpsl": "profit_loss"}


def data(value: object) -> dict[str, object]:
    return {"code": "00000", "msg": "success", "requestTime": 1767268800000, "data": value}


def _spot_order(identifier: str, **told: str) -> dict[str, object]:
    return {
        "userId": "1",
        "symbol": "BTCUSDT",
        "orderId": identifier,
        "clientOid": "mine",
        "priceAvg": "90000.10",
        "price": "90000.10",
        "size": "0.123456789012345670",
        "orderType": "limit",
        "side": "buy",
        "status": "live",
        "basePrice": "0",
        "baseVolume": "0.023456789012345670",
        "quoteVolume": "2111.1",
        "enterPointSource": "API",
        "orderSource": "normal",
        "triggerPrice": "",
        "tpslType": "normal",
        "cTime": "1767268800500",
        "uTime": "1767268800500",
        **told,
    }


def mix_order(identifier: str, symbol: str = "BTCUSDT", **told: str) -> dict[str, object]:
    return {
        "symbol": symbol,
        "size": "0.10",
        "orderId": identifier,
        "clientOid": "mine",
        "baseVolume": "0.01",
        "fee": "0",
        "price": "95000.0",
        "priceAvg": "",
        "status": "live",
        "side": "buy",
        "force": "gtc",
        "totalProfits": "0",
        "posSide": "long",
        "marginCoin": "USDT",
        "quoteVolume": "0",
        "leverage": "10",
        "marginMode": "crossed",
        "enterPointSource": "API",
        "tradeSide": "open",
        "posMode": "hedge_mode",
        "orderType": "limit",
        "orderSource": "normal",
        "presetStopSurplusPrice": "120000",
        "presetStopLossPrice": "80000",
        "reduceOnly": "NO",
        "cTime": "1767268800600",
        "uTime": "1767268800600",
        **told,
    }


def _plan(identifier: str, symbol: str = "BTCUSDT", **told: str) -> dict[str, object]:
    return {
        "planType": "normal_plan",
        "symbol": symbol,
        "size": "0.20",
        "orderId": identifier,
        "clientOid": "plan",
        "price": "",
        "executePrice": "",
        "callbackRatio": "",
        "triggerPrice": "90000.5",
        "triggerType": "mark_price",
        "planStatus": "live",
        "side": "buy",
        "posSide": "long",
        "marginCoin": "USDT",
        "marginMode": "crossed",
        "enterPointSource": "WEB",
        "tradeSide": "close",
        "posMode": "hedge_mode",
        "orderType": "market",
        "stopSurplusTriggerPrice": "",
        "stopSurplusExecutePrice": "",
        "stopLossTriggerPrice": "",
        "stopLossExecutePrice": "",
        "cTime": "1767268800700",
        "uTime": "1767268800700",
        **told,
    }


def _position(symbol: str, side: str, total: str, **told: str) -> dict[str, object]:
    return {
        "marginCoin": "USDT",
        "symbol": symbol,
        "holdSide": side,
        "openDelegateSize": "0",
        "marginSize": "2000",
        "available": total,
        "locked": "0",
        "total": total,
        "leverage": "10",
        "achievedProfits": "0",
        "openPriceAvg": "104444.12345678900",
        "marginMode": "crossed",
        "posMode": "hedge_mode",
        "unrealizedPL": "-1717.28586419725000",
        "liquidationPrice": "54348.975171530",
        "keepMarginRate": "0.004",
        "markPrice": "97575.0",
        "marginRatio": "0.02",
        "breakEvenPrice": "0",
        "totalFee": "0",
        "deductedFee": "0",
        "cTime": "1767200000000",
        "uTime": "1767268800003",
        **told,
    }


def _mix_account(coin: str, **told: str) -> dict[str, object]:
    return {
        "marginCoin": coin,
        "locked": "0.31876482",
        "available": "10575.26735771",
        "crossedMaxAvailable": "10580",
        "isolatedMaxAvailable": "10580",
        "maxTransferOut": "10572.92904289",
        "accountEquity": "10582.902657719473",
        "usdtEquity": "10582.9",
        "btcEquity": "0.1",
        "unrealizedPL": "0",
        "coupon": "0",
        **told,
    }


def _v2(path: str) -> str:
    return f"{_HOST}/v2/{path}"


def pending(product: str) -> str:
    return _v2(f"mix/order/orders-pending?limit=100&productType={product}")


def _plans(product: str, plan: str) -> str:
    return _v2(f"mix/order/orders-plan-pending?limit=100&planType={plan}&productType={product}")


_SPOT = _v2("spot/account/assets")
_CLASSIC_BALANCES = {
    "spot": (_SPOT,),
    **{name: (_v2(f"mix/account/accounts?productType={product}"),) for name, product in _PRODUCTS.items()},
}
_CLASSIC_POSITIONS = {
    name: (_v2(f"mix/position/all-position?productType={product}"),) for name, product in _PRODUCTS.items()
}
_CLASSIC_ORDERS = {
    "spot": (_v2("spot/trade/unfilled-orders?limit=100&tpslType=normal"),),
    "spot tpsl": (_v2("spot/trade/unfilled-orders?limit=100&tpslType=tpsl"),),
    "spot trigger": (_v2("spot/trade/current-plan-order?limit=100"),),
    **{name: (pending(product),) for name, product in _PRODUCTS.items()},
    **{
        f"{name} {word}": (_plans(product, plan),)
        for name, product in _PRODUCTS.items()
        for word, plan in _PLANS.items()
    },
}
_NO_ENTRUSTED = data({"entrustedList": None, "endId": None})
_CLASSIC_EMPTY: dict[str, object] = {
    **{url: data([]) for urls in (*_CLASSIC_BALANCES.values(), *_CLASSIC_POSITIONS.values()) for url in urls},
    _CLASSIC_ORDERS["spot"][0]: data([]),
    _CLASSIC_ORDERS["spot tpsl"][0]: data([]),
    _CLASSIC_ORDERS["spot trigger"][0]: data({"nextFlag": False, "idLessThan": "0", "orderList": []}),
    **{pending(product): _NO_ENTRUSTED for product in _PRODUCTS.values()},
    **{_plans(product, plan): _NO_ENTRUSTED for product in _PRODUCTS.values() for plan in _PLANS.values()},
}

_CONTRACTS = "api.bitget.com/api/v2/mix/market/contracts?productType="
_LINEAR_MARKET: dict[str, object] = cast("Any", bitget.CASE.answers[f"{_CONTRACTS}USDT-FUTURES"])["data"][0]
_MARKETS: dict[str, object] = {
    **bitget.CASE.answers,
    f"{_CONTRACTS}COIN-FUTURES": data(
        [{**_LINEAR_MARKET, "symbol": "BTCUSD", "quoteCoin": "USD", "supportMarginCoins": ["BTC"]}]
    ),
}
_LINEAR, _INVERSE = "BTC/USDT:USDT", "BTC/USD:BTC"

_CLASSIC = AccountCase(
    name="classic",
    venue="bitget",
    answers={
        **_MARKETS,
        **_CLASSIC_EMPTY,
        KIND: CLASSIC,
        _SPOT: data(
            [
                {
                    "coin": "BTC",
                    "available": "1.2345678901234500",
                    "frozen": "0.00000001",
                    "locked": "0.5",
                    "limitAvailable": "0",
                    "uTime": "1767268800000",
                }
            ]
        ),
        _CLASSIC_BALANCES["linear USDT"][0]: data([_mix_account("USDT")]),
        _CLASSIC_BALANCES["inverse"][0]: data([_mix_account("BTC", locked="0", available="1.50", accountEquity="1.6")]),
        _CLASSIC_POSITIONS["linear USDT"][0]: data(
            [
                _position("BTCUSDT", "long", "0.250"),
                _position("BTCUSDT", "short", "0.10", marginMode="isolated", liquidationPrice="0", leverage="5"),
            ]
        ),
        _CLASSIC_POSITIONS["inverse"][0]: data(
            [_position("BTCUSD", "short", "0.015", marginCoin="BTC", posMode="one_way_mode", liquidationPrice="")]
        ),
        _CLASSIC_ORDERS["spot"][0]: data([_spot_order("5001")]),
        _CLASSIC_ORDERS["spot tpsl"][0]: data(
            [_spot_order("5002", side="sell", triggerPrice="85000.00", size="0.5", baseVolume="0", tpslType="tpsl")]
        ),
        _CLASSIC_ORDERS["spot trigger"][0]: data(
            {
                "nextFlag": False,
                "idLessThan": "5003",
                "orderList": [
                    {
                        "orderId": "5003",
                        "clientOid": "plan",
                        "symbol": "BTCUSDT",
                        "size": "1000",
                        "planType": "total",
                        "executePrice": "",
                        "triggerPrice": "89000.00",
                        "status": "live",
                        "orderType": "market",
                        "side": "buy",
                        "triggerType": "fill_price",
                        "enterPointSource": "API",
                        "cTime": "1767268800700",
                        "uTime": "1767268800700",
                    }
                ],
            }
        ),
        pending("USDT-FUTURES"): data(
            {
                "entrustedList": [
                    mix_order("5004"),
                    # closes a long: Bitget's side is then that of the position
                    mix_order("5005", tradeSide="close", reduceOnly="YES", price="99000.0", baseVolume="0"),
                ],
                "endId": "5005",
            }
        ),
        pending("COIN-FUTURES"): data(
            {
                "entrustedList": [
                    mix_order("5006", "BTCUSD", side="sell", posSide="net", posMode="one_way_mode",
                              tradeSide="sell_single", baseVolume="0", size="0.02")
                ],
                "endId": "5006",
            }
        ),
        _plans("USDT-FUTURES", "normal_plan"): data(
            {"entrustedList": [_plan("5007", tradeSide="open", executePrice="90100.0", orderType="limit")],
             "endId": "5007"}
        ),
        _plans("USDT-FUTURES", "profit_loss"): data(
            {"entrustedList": [_plan("5008", planType="pos_loss", size="")], "endId": "5008"}
        ),
    },
    kind_urls=(KIND,),
    balance_urls=_CLASSIC_BALANCES,
    balances=(
        # frozen behind orders, and locked by the venue's own services
        ("spot", "BTC", "1.2345678901234500", "0.50000001", "1.7345679001234500"),
        ("linear USDT", "USDT", "10575.26735771", "0.31876482", "10582.902657719473"),
        ("inverse", "BTC", "1.50", "0", "1.6"),
    ),
    position_urls=_CLASSIC_POSITIONS,
    positions=(
        ("linear USDT", _LINEAR, "long", "0.250", None, "104444.12345678900", "97575.0", "54348.975171530", None,
         "10", "cross", "-1717.28586419725000", True, 1767268800003),
        ("linear USDT", _LINEAR, "short", "0.10", None, "104444.12345678900", "97575.0", None, None, "5", "isolated",
         "-1717.28586419725000", True, 1767268800003),
        ("inverse", _INVERSE, "short", "0.015", None, "104444.12345678900", "97575.0", None, None, "10", "cross",
         "-1717.28586419725000", False, 1767268800003),
    ),
    order_urls=_CLASSIC_ORDERS,
    orders=(
        ("spot", "BTC/USDT", "5001", "mine", "buy", "limit", "90000.10", None, "0.123456789012345670",
         "0.023456789012345670", "0.100000000000000000", False, None, None, None, 1767268800500),
        ("spot tpsl", "BTC/USDT", "5002", "mine", "sell", "limit", "90000.10", "85000.00", "0.5", "0", "0.5", False,
         None, None, None, 1767268800500),
        # its size is an amount of USDT
        ("spot trigger", "BTC/USDT", "5003", "plan", "buy", "market", None, "89000.00", None, None, None, False, None,
         None, None, 1767268800700),
        ("linear USDT", _LINEAR, "5004", "mine", "buy", "limit", "95000.0", None, "0.10", "0.01", "0.09", False, False,
         None, "long", 1767268800600),
        ("linear USDT", _LINEAR, "5005", "mine", "sell", "limit", "99000.0", None, "0.10", "0", "0.10", False, True,
         None, "long", 1767268800600),
        ("linear USDT trigger", _LINEAR, "5007", "plan", "buy", "limit", "90100.0", "90000.5", "0.20", None, None,
         False, None, None, "long", 1767268800700),
        ("linear USDT tpsl", _LINEAR, "5008", "plan", "sell", "market", None, "90000.5", None, None, None, False, None,
         True, "long", 1767268800700),
        ("inverse", _INVERSE, "5006", "mine", "sell", "limit", "95000.0", None, "0.02", "0", "0.02", False, False,
         None, None, 1767268800600),
    ),
    empty=_CLASSIC_EMPTY,
)  # fmt: skip


def _v3(path: str) -> str:
    return f"{_HOST}/v3/{path}"


def unfilled(category: str) -> str:
    return _v3(f"trade/unfilled-orders?category={category}&limit=100")


def _strategies(category: str, kind: str) -> str:
    return _v3(f"trade/unfilled-strategy-orders?category={category}&type={kind}")


def unified_order(identifier: str, category: str, **told: object) -> dict[str, object]:
    return {
        "orderId": identifier,
        "clientOid": "mine",
        "category": category,
        "symbol": "BTCUSDT",
        "orderType": "limit",
        "side": "buy",
        "price": "95000.0",
        "qty": "0.10",
        "amount": "0",
        "cumExecQty": "0.01",
        "cumExecValue": "0",
        "avgPrice": "0",
        "timeInForce": "post_only",
        "orderStatus": "live",
        "posSide": "",
        "holdMode": "",
        "delegateType": "normal",
        "reduceOnly": "NO",
        "marginMode": "crossed",
        "stpMode": "none",
        "takeProfit": "120000",
        "stopLoss": "80000",
        "tpTriggerBy": "",
        "slTriggerBy": "",
        "tpOrderType": "",
        "slOrderType": "",
        "tpLimitPrice": "",
        "slLimitPrice": "",
        "feeDetail": [{"feeCoin": None, "fee": None}],
        "createdTime": "1767268800800",
        "updatedTime": "1767268800800",
        **told,
    }


_ASSETS = _v3("account/assets")
_UNIFIED_POSITIONS = {
    name: (_v3(f"position/current-position?category={product}"),) for name, product in _PRODUCTS.items()
}
_UNIFIED_ORDERS = {
    "spot": (unfilled("SPOT"),),
    "spot on margin": (unfilled("MARGIN"),),
    **{name: (unfilled(product),) for name, product in _PRODUCTS.items()},
    **{
        f"{name} {kind}": (_strategies(product, kind),)
        for name, product in _PRODUCTS.items()
        for kind in ("trigger", "tpsl")
    },
}
_UNIFIED_EMPTY: dict[str, object] = {
    _ASSETS: data({"accountEquity": "0", "assets": []}),
    **{urls[0]: data({"list": None}) for urls in _UNIFIED_POSITIONS.values()},
    **{
        unfilled(category): data({"list": [], "cursor": ""})
        for category in ("SPOT", "MARGIN", *_PRODUCTS.values())
    },
    **{
        _strategies(product, kind): data([]) for product in _PRODUCTS.values() for kind in ("trigger", "tpsl")
    },
}

_UNIFIED = AccountCase(
    name="unified",
    venue="bitget",
    answers={
        **_MARKETS,
        **_UNIFIED_EMPTY,
        KIND: data(
            {
                "uid": "1",
                "accountMode": "unified",
                "assetMode": "multi_assets",
                "accountLevel": "advanced",
                "holdMode": "hedge_mode",
                "stpMode": "none",
                "symbolConfigList": [],
                "coinConfigList": [],
            }
        ),
        _ASSETS: data(
            {
                "accountEquity": "11.13919278",
                "assets": [
                    {
                        "coin": "USDT",
                        "equity": "12345678901234667.9900",
                        "usdValue": "1",
                        "balance": "12345678901234667.9900",
                        "available": "12345678901234567.8900",
                        "debt": "0",
                        "locked": "100.10",
                    }
                ],
            }
        ),
        _UNIFIED_POSITIONS["linear USDT"][0]: data(
            {
                "list": [
                    {
                        "category": "USDT-FUTURES",
                        "symbol": "BTCUSDT",
                        "marginCoin": "USDT",
                        "holdMode": "hedge_mode",
                        "posSide": "short",
                        "positionStatus": "normal",
                        "marginMode": "crossed",
                        "positionBalance": "1000",
                        "available": "0.10",
                        "frozen": "0",
                        "total": "0.10",
                        "leverage": "20",
                        "curRealisedPnl": "0",
                        "avgPrice": "98000.10",
                        "unrealisedPnl": "52.510",
                        "liquidationPrice": "150000.00",
                        "mmr": "0.004",
                        "markPrice": "97575.0",
                        "breakEvenPrice": "0",
                        "createdTime": "1767200000000",
                        "updatedTime": "1767268800004",
                    }
                ]
            }
        ),
        unfilled("SPOT"): data({"list": [unified_order("6001", "SPOT")], "cursor": "6001"}),
        unfilled("USDT-FUTURES"): data(
            {
                "list": [
                    unified_order("6002", "USDT-FUTURES", side="sell", posSide="long", holdMode="hedge_mode",
                                  reduceOnly="YES", timeInForce="gtc", cumExecQty="0")
                ],
                "cursor": "6002",
            }
        ),
        _strategies("USDT-FUTURES", "tpsl"): data(
            [
                {
                    "orderId": "6003",
                    "clientOid": "plan",
                    "category": "USDT-FUTURES",
                    "symbol": "BTCUSDT",
                    "qty": "0.01",
                    "posSide": "long",
                    "status": "pending",
                    "tpTriggerBy": "market",
                    "slTriggerBy": "market",
                    "takeProfit": "110000",
                    "stopLoss": "90000.5",
                    "tpOrderType": "market",
                    "slOrderType": "limit",
                    "tpLimitPrice": "",
                    "slLimitPrice": "89000.5",
                    "createdTime": "1767268800900",
                    "updatedTime": "1767268800900",
                }
            ]
        ),
    },
    kind_urls=(KIND,),
    balance_urls={"unified": (_ASSETS,)},
    balances=(("unified", "USDT", "12345678901234567.8900", "100.10", "12345678901234667.9900"),),
    position_urls=_UNIFIED_POSITIONS,
    positions=(
        ("linear USDT", _LINEAR, "short", "0.10", None, "98000.10", "97575.0", "150000.00", None, "20", "cross",
         "52.510", True, 1767268800004),
    ),
    order_urls=_UNIFIED_ORDERS,
    orders=(
        ("spot", "BTC/USDT", "6001", "mine", "buy", "limit", "95000.0", None, "0.10", "0.01", "0.09", False, False,
         None, None, 1767268800800),
        ("linear USDT", _LINEAR, "6002", "mine", "sell", "limit", "95000.0", None, "0.10", "0", "0.10", False, True,
         None, "long", 1767268800800),
        # a stop and a target of a long in one: the stop is shown
        ("linear USDT tpsl", _LINEAR, "6003", "plan", "sell", None, "89000.5", "90000.5", "0.01", None, None, False,
         None, None, "long", 1767268800900),
    ),
    empty=_UNIFIED_EMPTY,
)  # fmt: skip

CASES = (_CLASSIC, _UNIFIED)
