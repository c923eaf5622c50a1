"""https://bybit-exchange.github.io/docs/v5/error,
and .../order/create-order, .../order/cancel-order, .../position/leverage.
"""

from exchange_mcp.model.outcomes import Action, Outcome

from .answers import ACCEPTED, OURS, REJECTED, UNKNOWN, Answer, as_json

HOST = "https://api.bybit.com/v5"
URLS: dict[Action, str] = {
    "place": f"{HOST}/order/create",
    "cancel": f"{HOST}/order/cancel",
    "leverage": f"{HOST}/position/set-leverage",
}


def _said(  # noqa: PLR0917 - what an answer is told by, in the page's order
    code: int,
    says: str,
    proves: Outcome,
    action: Action = "place",
    status: int = 200,
    result: object = None,
) -> Answer:
    body: dict[str, object] = {
        "retCode": code,
        "retMsg": says,
        "result": {} if result is None else result,
        "retExtInfo": {},
        "time": 1672211918471,
    }
    return Answer(
        venue="bybit",
        action=action,
        url=URLS[action],
        status=status,
        body=as_json(body),
        proves=proves,
        says=f"{code} {says}",
        is_error=code != 0,
    )


TAKEN = {"orderId": "1321003749386327552", "orderLinkId": OURS}

ANSWERS = (
    _said(10000, "Server Timeout", UNKNOWN),
    _said(10001, "Request parameter error", REJECTED),
    _said(10002, "The request time exceeds the time window range.", REJECTED),
    _said(10003, "API key is invalid.", REJECTED),
    _said(10004, "Error sign, please check your signature generation algorithm.", REJECTED),
    _said(10005, "Permission denied, please check your API key permissions.", REJECTED),
    _said(10006, "Too many visits. Exceeded the API Rate Limit.", UNKNOWN),
    _said(10010, "Unmatched IP, please check your API key's bound IP addresses.", REJECTED),
    _said(10014, "Invalid duplicate request.", UNKNOWN),
    _said(10016, "Server error.", UNKNOWN),
    _said(110003, "Order price exceeds the allowable range.", REJECTED),
    _said(110004, "Wallet balance is insufficient", REJECTED),
    _said(110007, "Available balance is insufficient", REJECTED),
    _said(110007, "Available balance is insufficient", UNKNOWN, status=502),
    _said(110017, "orderQty will be truncated to zero", REJECTED),
    _said(110072, "OrderLinkedID is duplicate", UNKNOWN),
    _said(110079, "The order is processing and can not be operated, please try again later", UNKNOWN),
    _said(110094, "Order notional value below the lower limit", REJECTED),
    _said(170001, "Internal error.", UNKNOWN),
    _said(170005, "Too many new orders; current limit is 20 orders per 1 second.", UNKNOWN),
    _said(10001, "orderLinkId is already in use", UNKNOWN),
    _said(110007, "Available balance is insufficient", UNKNOWN, result=[TAKEN]),
    _said(110007, "Available balance is insufficient", UNKNOWN, result={"order": TAKEN}),
    _said(110007, "Available balance is insufficient", REJECTED, result={"orderId": "", "orderLinkId": ""}),
    _said(170007, "Timeout waiting for response from backend server.", UNKNOWN),
    _said(170032, "Network error. Please try again later", UNKNOWN),
    _said(170035, "Submitted to the system for processing!", UNKNOWN),
    _said(170121, "Invalid symbol.", REJECTED),
    _said(170131, "Balance insufficient", REJECTED),
    _said(170136, "Order quantity lower than the minimum.", REJECTED),
    _said(170140, "Order value exceeded lower limit", REJECTED),
    _said(170141, "Duplicate clientOrderId", UNKNOWN),
    _said(170146, "Order creation timeout", UNKNOWN),
    _said(170149, "Create order failed", UNKNOWN),
    _said(170210, "New order rejected.", REJECTED),
    _said(170218, "The LIMIT-MAKER order is rejected due to invalid price.", REJECTED),
    _said(340099, "A code that is on no page", UNKNOWN),
    _said(110001, "Order does not exist", UNKNOWN, "cancel"),
    _said(170142, "Order has been cancelled", UNKNOWN, "cancel"),
    _said(170145, "This order type does not support cancellation", REJECTED, "cancel"),
    _said(170147, "Order cancellation timeout", UNKNOWN, "cancel"),
    _said(170213, "Order does not exist.", UNKNOWN, "cancel"),
    _said(110013, "Cannot set leverage due to risk limit level.", REJECTED, "leverage"),
    _said(110043, "Set leverage has not been modified.", UNKNOWN, "leverage"),
    _said(0, "OK", ACCEPTED, result=TAKEN),
    _said(0, "OK", UNKNOWN, result={"orderId": "", "orderLinkId": OURS}),
    _said(0, "OK", UNKNOWN, result=TAKEN | {"orderLinkId": OURS.upper()}),
    _said(0, "OK", UNKNOWN, result={"list": [TAKEN]}),
    _said(110007, "Available balance is insufficient", UNKNOWN, result=TAKEN),
    _said(0, "OK", ACCEPTED, "cancel", result=TAKEN),
    _said(0, "OK", ACCEPTED, "leverage"),
)
