"""https://docs.cdp.coinbase.com/api-reference/advanced-trade-api/rest-api/orders/create-order and .../cancel-order."""

from exchange_mcp.model.outcomes import Action, Outcome

from .answers import ACCEPTED, OURS, REJECTED, UNKNOWN, Answer, as_json

HOST = "https://api.coinbase.com/api/v3/brokerage/orders"


def _answer(
    body: object,
    says: str,
    proves: Outcome,
    action: Action = "place",
    status: int = 200,
    *,
    is_error: bool = True,
) -> Answer:
    return Answer(
        venue="coinbase",
        action=action,
        url=HOST if action == "place" else f"{HOST}/batch_cancel",
        status=status,
        body=as_json(body),
        proves=proves,
        says=says,
        is_error=is_error,
    )


def _refused(reason: str, proves: Outcome, name: str = "error", status: int = 200, **more: object) -> Answer:
    error = {"message": "", "error_details": "", name: reason}
    body: dict[str, object] = {
        "success": False,
        "failure_reason": "UNKNOWN_FAILURE_REASON",
        "order_id": "",
        "error_response": error | more,
        "order_configuration": {"limit_limit_gtc": {"base_size": "0.001", "limit_price": "10000.00"}},
    }
    return _answer(body, f"{name} {reason}", proves, status=status)


def _not_cancelled(reason: str, proves: Outcome) -> Answer:
    row = {"success": False, "failure_reason": reason, "order_id": "0000-00000"}
    return _answer({"results": [row]}, reason, proves, "cancel")


PLACED = {"order_id": "11111-00000-000000", "product_id": "BTC-USD", "side": "BUY", "client_order_id": OURS}
DONE = {"success": True, "failure_reason": "UNKNOWN_CANCEL_FAILURE_REASON", "order_id": "0000-00000"}

ANSWERS = (
    _refused("INSUFFICIENT_FUND", REJECTED),
    _refused("INSUFFICIENT_FUND", REJECTED, "new_order_failure_reason"),
    _refused("INSUFFICIENT_FUND", UNKNOWN, status=500),
    _refused("UNKNOWN_FAILURE_REASON", UNKNOWN),
    _refused("UNKNOWN_FAILURE_REASON", REJECTED, preview_failure_reason="PREVIEW_INSUFFICIENT_FUND"),
    _refused("UNSUPPORTED_ORDER_CONFIGURATION", REJECTED),
    _refused("INVALID_SIDE", REJECTED),
    _refused("INVALID_PRODUCT_ID", REJECTED),
    _refused("INVALID_SIZE_PRECISION", REJECTED),
    _refused("INVALID_PRICE_PRECISION", REJECTED),
    _refused("INVALID_LEDGER_BALANCE", REJECTED),
    _refused("ORDER_ENTRY_DISABLED", REJECTED),
    _refused("INVALID_LIMIT_PRICE_POST_ONLY", REJECTED),
    _refused("INVALID_NO_LIQUIDITY", REJECTED),
    _refused("COMMANDER_REJECTED_NEW_ORDER", REJECTED),
    _refused("DUPLICATE_CLIENT_ORDER_ID", UNKNOWN, "new_order_failure_reason"),
    _refused(
        "DUPLICATE_CLIENT_ORDER_ID",
        UNKNOWN,
        "new_order_failure_reason",
        preview_failure_reason="PREVIEW_INVALID_SIDE",
    ),
    _refused("A_REASON_THAT_NO_PAGE_HAS", UNKNOWN),
    _refused("PREVIEW_INSUFFICIENT_FUND", REJECTED, "preview_failure_reason"),
    _refused("PREVIEW_INVALID_BASE_SIZE_TOO_SMALL", REJECTED, "preview_failure_reason"),
    _refused("PREVIEW_RISK_PROXY_FAILURE", UNKNOWN, "preview_failure_reason"),
    _answer(
        {"error": "INVALID_ARGUMENT", "error_details": "account is not available"},
        "gateway",
        UNKNOWN,
        status=400,
    ),
    _answer({"error": "internal_server_error", "message": ""}, "gateway", UNKNOWN, status=500),
    _answer({"error": "rate_limit_exceeded", "message": ""}, "gateway", UNKNOWN, status=429),
    _not_cancelled("INVALID_CANCEL_REQUEST", REJECTED),
    _not_cancelled("UNKNOWN_CANCEL_ORDER", UNKNOWN),
    _not_cancelled("COMMANDER_REJECTED_CANCEL_ORDER", UNKNOWN),
    _not_cancelled("DUPLICATE_CANCEL_REQUEST", UNKNOWN),
    _answer({"success": True, "success_response": PLACED}, "placed", ACCEPTED, is_error=False),
    _answer(
        {"success": True, "failure_reason": "UNKNOWN_FAILURE_REASON", "success_response": PLACED},
        "placed, with a reason that is none",
        ACCEPTED,
        is_error=False,
    ),
    _answer(
        {"success": True, "success_response": PLACED, "error_response": {"error": "INSUFFICIENT_FUND"}},
        "both at once",
        UNKNOWN,
        is_error=False,
    ),
    _answer(
        {"success": False, "success_response": PLACED}, "no success with an order", UNKNOWN, is_error=False
    ),
    _answer({"results": [DONE]}, "cancelled", ACCEPTED, "cancel", is_error=False),
    _answer({"results": [DONE, DONE]}, "two of them", UNKNOWN, "cancel", is_error=False),
)
