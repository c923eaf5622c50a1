"""Coinbase Advanced Trade, spot.

https://docs.cdp.coinbase.com/api-reference/advanced-trade-api/rest-api/accounts/list-accounts
https://docs.cdp.coinbase.com/api-reference/advanced-trade-api/rest-api/orders/list-orders
"""

from collections.abc import Mapping

from . import coinbase
from .accounts_case import AccountCase

_HOST = "api.coinbase.com/api/v3/brokerage"
ACCOUNTS = f"{_HOST}/accounts?limit=250"
ORDERS = f"{_HOST}/orders/historical/batch?order_status=OPEN&product_type=SPOT&limit=250"


def account(currency: str, available: str, hold: str) -> dict[str, object]:
    return {
        "uuid": "8bfc20d7-f7c6-4422-bf07-8243ca4169fe",
        "name": f"{currency} Wallet",
        "currency": currency,
        "available_balance": {"value": available, "currency": currency},
        "default": False,
        "active": True,
        "created_at": "2026-01-01T12:00:00Z",
        "updated_at": "2026-01-01T12:00:00Z",
        "deleted_at": None,
        "type": "ACCOUNT_TYPE_CRYPTO",
        "ready": True,
        "hold": {"value": hold, "currency": currency},
    }


def accounts(*rows: object, more: str = "") -> dict[str, object]:
    return {"accounts": list(rows), "has_next": bool(more), "cursor": more, "size": len(rows)}


def order(identifier: str, side: str, kind: str, configuration: Mapping[str, object]) -> dict[str, object]:
    return {
        "order_id": identifier,
        "product_id": "BTC-USD",
        "user_id": "2222-000000-000000",
        "order_configuration": configuration,
        "side": side,
        "client_order_id": "mine",
        "status": "OPEN",
        "time_in_force": "GOOD_UNTIL_CANCELLED",
        "created_time": "2026-01-01T12:00:00Z",
        "completion_percentage": "0",
        "filled_size": "0.00000001",
        "average_filled_price": "0",
        "fee": "",
        "number_of_fills": "0",
        "filled_value": "0",
        "pending_cancel": False,
        "size_in_quote": False,
        "total_fees": "0",
        "size_inclusive_of_fees": False,
        "total_value_after_fees": "0",
        "trigger_status": "INVALID_ORDER_TYPE",
        "order_type": kind,
        "reject_reason": "REJECT_REASON_UNSPECIFIED",
        "settled": False,
        "product_type": "SPOT",
        "outstanding_hold_amount": "0",
        "is_liquidation": False,
        "edit_history": [],
        "leverage": "",
        "margin_type": "UNKNOWN_MARGIN_TYPE",
    }


def orders(*rows: object, more: str = "") -> dict[str, object]:
    return {"orders": list(rows), "sequence": "0", "has_next": bool(more), "cursor": more}


CASES = (
    AccountCase(
        name="spot",
        venue="coinbase",
        answers={
            **coinbase.CASE.answers,
            ACCOUNTS: accounts(
                account("BTC", "1.2345678901234500", "0.00000001"),
                more="789100",
            ),
            f"{_HOST}/accounts?limit=250&cursor=789100": accounts(
                account("USD", "12345678901234567.8900", "450.00")
            ),
            ORDERS: orders(
                order(
                    "4001",
                    "BUY",
                    "LIMIT",
                    {"limit_limit_gtc": {"base_size": "0.12345678", "limit_price": "90000.10", "post_only": True}},
                ),
                order(
                    "4002",
                    "SELL",
                    "STOP_LIMIT",
                    {
                        "stop_limit_stop_limit_gtc": {
                            "base_size": "0.50000000",
                            "limit_price": "84000.50",
                            "stop_price": "85000.00",
                            "stop_direction": "STOP_DIRECTION_STOP_DOWN",
                        }
                    },
                ),
                order(
                    "4003",
                    "SELL",
                    "BRACKET",
                    {
                        "trigger_bracket_gtc": {
                            "base_size": "0.10000000",
                            "limit_price": "120000.00",
                            "stop_trigger_price": "80000.00",
                        }
                    },
                ),
            ),
        },
        balance_urls={"spot": (ACCOUNTS, f"{_HOST}/accounts?limit=250&cursor=789100")},
        balances=(
            ("spot", "BTC", "1.2345678901234500", "0.00000001", "1.2345679001234500"),
            ("spot", "USD", "12345678901234567.8900", "450.00", "12345678901235017.8900"),
        ),
        order_urls={"spot": (ORDERS,)},
        orders=(
            ("spot", "BTC/USD", "4001", "mine", "buy", "limit", "90000.10", None, "0.12345678", "0.00000001",
             "0.12345677", False, None, None, None, 1767268800000),
            ("spot", "BTC/USD", "4002", "mine", "sell", "limit", "84000.50", "85000.00", "0.50000000",
             "0.00000001", "0.49999999", False, None, None, None, 1767268800000),
            ("spot", "BTC/USD", "4003", "mine", "sell", "BRACKET", "120000.00", "80000.00", "0.10000000",
             "0.00000001", "0.09999999", False, None, None, None, 1767268800000),
        ),
        empty={ACCOUNTS: accounts(), ORDERS: orders()},
    ),
)  # fmt: skip
