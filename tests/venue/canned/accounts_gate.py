"""Gate, v4: a classic account in hedge mode, and a unified one.

https://github.com/gate/gateapi-csharp/blob/master/docs/UnifiedApi.md (unified mode and accounts)
https://github.com/gateio/gateapi-python/blob/master/docs/UnifiedBalance.md, FuturesAccount.md, Position.md, Order.md,
OpenOrders.md, SpotPriceTriggeredOrder.md, FuturesOrder.md and FuturesPriceTriggeredOrder.md beside it

Linear contracts are of 0.0001 BTC, inverse ones of 1 USD.
"""

from typing import Any, cast

from . import gate
from .accounts_case import AccountCase

_HOST = "api.gateio.ws/api/v4"
KIND = f"{_HOST}/unified/unified_mode"
_SPOT = f"{_HOST}/spot/accounts"
_UNIFIED = f"{_HOST}/unified/accounts"
_WALLETS = {
    "linear perpetual": f"{_HOST}/futures/usdt/accounts",
    "linear dated": f"{_HOST}/delivery/usdt/accounts",
    "inverse": f"{_HOST}/futures/btc/accounts",
}


DATED, INVERSE = _WALLETS["linear dated"], _WALLETS["inverse"]


def _wallet(currency: str, **told: str) -> dict[str, object]:
    return {
        "total": "0",
        "unrealised_pnl": "0",
        "position_margin": "0",
        "order_margin": "0",
        "available": "0",
        "point": "0",
        "currency": currency,
        "in_dual_mode": True,
        **told,
    }


def _position(contract: str, size: int, **told: object) -> dict[str, object]:
    return {
        "user": 10000,
        "contract": contract,
        "size": size,
        "leverage": "0",
        "risk_limit": "100",
        "leverage_max": "100",
        "maintenance_rate": "0.005",
        "value": "0",
        "margin": "0",
        "entry_price": "0",
        "liq_price": "0",
        "mark_price": "97290.26",
        "unrealised_pnl": "0",
        "realised_pnl": "0",
        "adl_ranking": 5,
        "pending_orders": 0,
        "close_order": None,
        "mode": "single",
        "cross_leverage_limit": "0",
        "update_time": 1767268800,
        **told,
    }


def order(identifier: str, **told: object) -> dict[str, object]:
    return {
        "id": identifier,
        "text": "t-mine",
        "create_time": "1767268800",
        "update_time": "1767268800",
        "create_time_ms": 1767268800400,
        "update_time_ms": 1767268800400,
        "status": "open",
        "currency_pair": "BTC_USDT",
        "type": "limit",
        "account": "spot",
        "side": "buy",
        "amount": "0.123456789012345670",
        "price": "90000.10",
        "time_in_force": "poc",
        "iceberg": "0",
        "left": "0.100000000000000000",
        "filled_amount": "0.023456789012345670",
        "filled_total": "2111.1",
        "avg_deal_price": "90000.10",
        "fee": "0",
        "fee_currency": "BTC",
        "finish_as": "open",
        **told,
    }


def contract_order(identifier: int, contract: str, size: int, **told: object) -> dict[str, object]:
    return {
        "id": identifier,
        "user": 10000,
        "create_time": 1767268800.5,
        "status": "open",
        "contract": contract,
        "size": size,
        "iceberg": 0,
        "price": "95000",
        "is_close": False,
        "is_reduce_only": False,
        "is_liq": False,
        "tif": "gtc",
        "left": size,
        "fill_price": "0",
        "text": "t-c",
        "tkfr": "0.0005",
        "mkfr": "0.0002",
        **told,
    }


def _triggered(
    identifier: int, contract: str, initial: dict[str, object], **told: object
) -> dict[str, object]:
    return {
        "id": identifier,
        "user": 10000,
        "create_time": 1767268800,
        "status": "open",
        "initial": {"contract": contract, "size": 0, "price": "0", "tif": "ioc", "text": "web", **initial},
        "trigger": {"strategy_type": 0, "price_type": 1, "price": "90000.5", "rule": 2, "expiration": 0},
        **told,
    }


_CONTRACT: dict[str, object] = cast("Any", gate.CASE.answers[f"{_HOST}/futures/usdt/contracts"])[0]
_INVERSE = {**_CONTRACT, "name": "BTC_USD", "type": "inverse", "quanto_multiplier": "0"}
_POSITION_URLS = {
    "linear perpetual": (f"{_HOST}/futures/usdt/positions?holding=true&limit=100&offset=0",),
    "linear dated": (f"{_HOST}/delivery/usdt/positions",),
    "inverse": (f"{_HOST}/futures/btc/positions?holding=true&limit=100&offset=0",),
}
_ORDER_URLS = {
    "spot": (f"{_HOST}/spot/open_orders?limit=100&page=1",),
    "spot conditional": (f"{_HOST}/spot/price_orders?status=open&limit=100&offset=0",),
    **{
        f"{name}{word}": (f"{_HOST}/{path}?status=open&limit=100&offset=0",)
        for name, place in (
            ("linear perpetual", "futures/usdt"),
            ("linear dated", "delivery/usdt"),
            ("inverse", "futures/btc"),
        )
        for word, path in (("", f"{place}/orders"), (" conditional", f"{place}/price_orders"))
    },
}
_LINEAR, _INVERSE_SYMBOL = "BTC/USDT:USDT", "BTC/USD:BTC"

_ANSWERS: dict[str, object] = {
    **gate.CASE.answers,
    f"{_HOST}/futures/btc/contracts": [_INVERSE],
    KIND: {"mode": "classic"},
    _SPOT: [
        {"currency": "BTC", "available": "1.2345678901234500", "locked": "0.00000001", "update_id": 98},
        {"currency": "USDT", "available": "0", "locked": "0", "update_id": 99},
    ],
    _WALLETS["linear perpetual"]: _wallet(
        "USDT",
        total="9707.803567115145",
        available="9695.7",
        order_margin="2.103567115145",
        position_margin="10",
    ),
    _WALLETS["linear dated"]: _wallet("USDT"),
    _WALLETS["inverse"]: _wallet("BTC", total="0.50000000", available="0.50000000"),
    _POSITION_URLS["linear perpetual"][0]: [
        _position(
            "BTC_USDT",
            2500,
            mode="dual_long",
            entry_price="104444.12345678900",
            liq_price="54348.975171530",
            value="24322.565",
            unrealised_pnl="-1788.4658641972500",
        ),
        _position("BTC_USDT", -1000, mode="dual_short", leverage="5", entry_price="98000", value="9729.026"),
    ],
    _POSITION_URLS["linear dated"][0]: [_position("BTC_USDT_20261225", 0)],
    _POSITION_URLS["inverse"][0]: [_position("BTC_USD", -1500, entry_price="97000.5", value="0.0154178")],
    _ORDER_URLS["spot"][0]: [{"currency_pair": "BTC_USDT", "total": 1, "orders": [order("3001")]}],
    _ORDER_URLS["spot conditional"][0]: [
        {
            "market": "BTC_USDT",
            "user": 10000,
            "trigger": {"price": "85000.00", "rule": "<=", "expiration": 3600},
            "put": {
                "type": "limit",
                "side": "sell",
                "price": "84000.50",
                "amount": "0.500",
                "account": "normal",
                "time_in_force": "gtc",
                "text": "t-stop",
            },
            "id": 3002,
            "ctime": 1767268800,
            "ftime": 0,
            "fired_order_id": 0,
            "status": "open",
            "reason": "",
        }
    ],
    _ORDER_URLS["linear perpetual"][0]: [
        contract_order(3003, "BTC_USDT", 15, left=10, tif="poc"),
        contract_order(3004, "BTC_USDT", -20, price="99000", is_reduce_only=True),
    ],
    _ORDER_URLS["linear perpetual conditional"][0]: [
        # closes all of a long: size 0
        _triggered(
            3005, "BTC_USDT", {"is_close": True, "is_reduce_only": True}, order_type="close-long-position"
        ),
        # closes all of a short, in hedge mode
        _triggered(3006, "BTC_USDT", {"auto_size": "close_short", "is_reduce_only": True, "price": "91000"}),
    ],
    _ORDER_URLS["linear dated"][0]: [],
    _ORDER_URLS["linear dated conditional"][0]: [],
    _ORDER_URLS["inverse"][0]: [],
    _ORDER_URLS["inverse conditional"][0]: [_triggered(3007, "BTC_USD", {"size": 5, "price": "90100"})],
}
_POSITIONS = (
    # 2500 contracts of 0.0001 BTC
    ("linear perpetual", _LINEAR, "long", "0.2500", "2500", "104444.12345678900", "97290.26", "54348.975171530",
     "24322.565", None, "cross", "-1788.4658641972500", True, 1767268800000),
    ("linear perpetual", _LINEAR, "short", "0.1000", "1000", "98000", "97290.26", None, "9729.026", "5", "isolated",
     "0", True, 1767268800000),
    ("inverse", _INVERSE_SYMBOL, "short", None, "1500", "97000.5", "97290.26", None, "0.0154178", None, "cross",
     "0", False, 1767268800000),
)  # fmt: skip
_ORDERS = (
    ("spot", "BTC/USDT", "3001", "t-mine", "buy", "limit", "90000.10", None, "0.123456789012345670",
     "0.023456789012345670", "0.100000000000000000", False, None, None, None, 1767268800400),
    ("spot conditional", "BTC/USDT", "3002", "t-stop", "sell", "limit", "84000.50", "85000.00", "0.500", None, None,
     False, None, None, None, 1767268800000),
    ("linear perpetual", _LINEAR, "3003", "t-c", "buy", "limit", "95000", None, "0.0015", "0.0005", "0.0010",
     False, False, False, None, 1767268800500),
    ("linear perpetual", _LINEAR, "3004", "t-c", "sell", "limit", "99000", None, "0.0020", "0.0000", "0.0020",
     False, True, False, None, 1767268800500),
    ("linear perpetual conditional", _LINEAR, "3005", "web", "sell", "market", None, "90000.5", None, None, None,
     False, True, True, None, 1767268800000),
    ("linear perpetual conditional", _LINEAR, "3006", "web", "buy", "limit", "91000", "90000.5", None, None, None,
     False, True, True, None, 1767268800000),
    ("inverse conditional", _INVERSE_SYMBOL, "3007", "web", "buy", "limit", "90100", "90000.5", "5", None, None,
     True, None, False, None, 1767268800000),
)  # fmt: skip
_EMPTY: dict[str, object] = {
    _SPOT: [],
    _UNIFIED: {"user_id": 10001, "balances": {}},
    _WALLETS["linear perpetual"]: _wallet("USDT"),
    _WALLETS["linear dated"]: _wallet("USDT"),
    _WALLETS["inverse"]: _wallet("BTC"),
    **{url: [] for urls in (*_POSITION_URLS.values(), *_ORDER_URLS.values()) for url in urls},
}
_DATED_ROW = ("linear dated", "USDT", "0", "0", "0")
_PERPETUAL_ROW = ("linear perpetual", "USDT", "9695.7", "12.103567115145", "9707.803567115145")
_INVERSE_ROW = ("inverse", "BTC", "0.50000000", "0", "0.50000000")


def _unified(name: str, mode: object, sources: tuple[str, ...], *rows: tuple[object, ...]) -> AccountCase:
    urls = {"unified": (_UNIFIED,), **{source: (_WALLETS[source],) for source in sources}}
    return AccountCase(
        name=name,
        venue="gate",
        answers={
            **_ANSWERS,
            KIND: mode,
            _UNIFIED: {
                "user_id": 10001,
                "locked": False,
                "balances": {
                    "USDT": {
                        "available": "12345678901234567.8900",
                        "freeze": "100.10",
                        "borrowed": "0",
                        "equity": "12345678901234667.9900",
                    }
                },
                "total": "1",
            },
        },
        kind_urls=(KIND,),
        balance_urls=urls,
        balances=(
            ("unified", "USDT", "12345678901234567.8900", "100.10", "12345678901234667.9900"),
            *rows,
        ),
        position_urls=_POSITION_URLS,
        positions=_POSITIONS,
        order_urls=_ORDER_URLS,
        orders=_ORDERS,
        empty=_EMPTY,
    )


CASES = (
    AccountCase(
        name="classic",
        venue="gate",
        answers=_ANSWERS,
        kind_urls=(KIND,),
        balance_urls={"spot": (_SPOT,), **{name: (url,) for name, url in _WALLETS.items()}},
        balances=(
            ("spot", "BTC", "1.2345678901234500", "0.00000001", "1.2345679001234500"),
            ("spot", "USDT", "0", "0", "0"),
            _PERPETUAL_ROW,
            _DATED_ROW,
            _INVERSE_ROW,
        ),
        position_urls=_POSITION_URLS,
        positions=_POSITIONS,
        order_urls=_ORDER_URLS,
        orders=_ORDERS,
        empty=_EMPTY,
    ),
    _unified("portfolio", {"mode": "portfolio"}, ("linear dated", "inverse"), _DATED_ROW, _INVERSE_ROW),
    _unified(
        "without perpetuals",
        {"mode": "multi_currency", "settings": {"usdt_futures": False}},
        ("linear perpetual", "linear dated", "inverse"),
        _PERPETUAL_ROW,
        _DATED_ROW,
        _INVERSE_ROW,
    ),
)
