"""https://www.okx.com/docs-v5/en/#error-code-rest-api-public,
and the trade and account endpoints of the same page.
"""

from exchange_mcp.model.outcomes import Action, Outcome

from .answers import ACCEPTED, OURS, REJECTED, UNKNOWN, Answer, as_json

HOST = "https://www.okx.com/api/v5"
URLS: dict[Action, str] = {
    "place": f"{HOST}/trade/order",
    "cancel": f"{HOST}/trade/cancel-order",
    "leverage": f"{HOST}/account/set-leverage",
}


def _answer(
    body: object, says: str, proves: Outcome, action: Action, status: int, *, is_error: bool
) -> Answer:
    return Answer(
        venue="okx",
        action=action,
        url=URLS[action],
        status=status,
        body=as_json(body),
        proves=proves,
        says=says,
        is_error=is_error,
    )


def _whole(code: str, says: str, status: int, proves: Outcome, action: Action = "place") -> Answer:
    return _answer(
        {"code": code, "data": [], "msg": says}, f"{code} {says}", proves, action, status, is_error=True
    )


def _single(  # noqa: PLR0917 - as above
    code: str, says: str, proves: Outcome, action: Action = "place", order_id: str = "", status: int = 200
) -> Answer:
    row = {"clOrdId": OURS, "ordId": order_id, "tag": "", "ts": "1695190491421", "sCode": code, "sMsg": says}
    body: dict[str, object] = {
        "code": "0" if code == "0" else "1",
        "data": [row],
        "inTime": "1695190491421339",
        "msg": "",
        "outTime": "1695190491423240",
    }
    return _answer(body, f"{code} {says}", proves, action, status, is_error=code != "0")


SET = {"lever": "30", "mgnMode": "isolated", "instId": "BTC-USDT-SWAP", "posSide": "net"}

ANSWERS = (
    _whole("50000", "Body for POST request cannot be empty.", 400, REJECTED),
    _whole("50001", "Service temporarily unavailable. Please try again later.", 503, UNKNOWN),
    _whole("50004", "API endpoint request timeout.", 400, UNKNOWN),
    _whole("50011", "Too Many Requests", 429, REJECTED),
    _whole("50011", "Too Many Requests", 403, UNKNOWN),
    _whole("50013", "Systems are busy. Please try again later.", 429, UNKNOWN),
    _whole("50014", "Parameter sz can not be empty.", 400, REJECTED),
    _whole("50026", "System error. Try again later", 500, UNKNOWN),
    _whole("50061", "You've reached the maximum order rate limit for this account.", 200, UNKNOWN),
    _whole("50101", "APIKey does not match current environment.", 401, REJECTED),
    _whole("50102", "Timestamp request expired.", 401, REJECTED),
    _whole("50102", "Timestamp request expired.", 500, UNKNOWN),
    _whole("50111", "Invalid OK-ACCESS-KEY.", 401, REJECTED),
    _whole("50113", "Invalid signature.", 401, REJECTED),
    _whole("50120", "This API key doesn't have permission to use this function", 200, REJECTED),
    _whole("51054", "Request timed out. Please try again.", 500, UNKNOWN),
    _whole("51149", "Order timed out. Please try again.", 500, UNKNOWN),
    _whole("1", "Operation failed.", 200, UNKNOWN),
    _single("51000", "Parameter px error", REJECTED),
    _single("51001", "Instrument ID doesn't exist.", REJECTED),
    _single("51006", "Order price is not within the price limit", REJECTED),
    _single("51008", "Order failed. Insufficient USDT balance in account", REJECTED),
    _single("51008", "Order failed. Insufficient USDT balance in account", UNKNOWN, status=504),
    _single("51008", "Order failed. Insufficient USDT balance in account", UNKNOWN, order_id="3122698"),
    _single("51016", "Client order ID already exists.", UNKNOWN),
    _single("51020", "Your order should meet or exceed the minimum order amount.", REJECTED),
    _single("51024", "Trading account is blocked.", REJECTED),
    _single("51121", "Order quantity must be a multiple of the lot size.", REJECTED),
    _single("51131", "Insufficient balance.", REJECTED),
    _single("51137", "The highest price limit for buy orders is 70000.", REJECTED),
    _single("51149", "Order timed out. Please try again.", UNKNOWN),
    _single("51170", "A reduce-only order can't be the same direction as your positions.", REJECTED),
    _single("51998", "A code that is on no page", UNKNOWN),
    _single(
        "51400",
        "Order cancellation failed as the order has been filled, canceled or does not exist.",
        UNKNOWN,
        "cancel",
    ),
    _single(
        "51403", "Cancellation failed as the order type doesn't support cancellation.", REJECTED, "cancel"
    ),
    _single("51410", "Cancellation failed as the order is already in canceling status.", UNKNOWN, "cancel"),
    _single("51412", "Cancellation timed out, please try again later.", UNKNOWN, "cancel"),
    _whole("50113", "Invalid signature.", 401, REJECTED, "leverage"),
    _whole("50004", "API endpoint request timeout.", 400, UNKNOWN, "leverage"),
    _single("0", "Order placed", ACCEPTED, order_id="312269865356374016"),
    _single("0", "Order placed", UNKNOWN),
    _single("0", "", ACCEPTED, "cancel", order_id="312269865356374016"),
    _answer({"code": "0", "msg": "", "data": [SET]}, "set", ACCEPTED, "leverage", 200, is_error=False),
    _answer(
        {"code": "0", "msg": "", "data": [SET, SET]}, "two sides", UNKNOWN, "leverage", 200, is_error=False
    ),
)
