"""https://www.bitget.com/legacy-docs/classic/contract/error-code/restapi, and the order pages of /api-doc/."""

from exchange_mcp.model.outcomes import Action, Outcome

from .answers import ACCEPTED, OURS, REJECTED, UNKNOWN, Answer, as_json

HOST = "https://api.bitget.com/api/v2"
URLS: dict[Action, str] = {
    "place": f"{HOST}/spot/trade/place-order",
    "cancel": f"{HOST}/spot/trade/cancel-order",
    "leverage": f"{HOST}/mix/account/set-leverage",
}
MIX: dict[Action, str] = {
    "place": f"{HOST}/mix/order/place-order",
    "cancel": f"{HOST}/mix/order/cancel-order",
}


def _said(  # noqa: PLR0917 - what an answer is told by, in the page's order
    code: str,
    says: str,
    proves: Outcome,
    action: Action = "place",
    status: int = 400,
    data: object = None,
    url: str | None = None,
) -> Answer:
    return Answer(
        venue="bitget",
        action=action,
        url=url or URLS[action],
        status=status,
        body=as_json({"code": code, "msg": says, "requestTime": 1695808949356, "data": data}),
        proves=proves,
        says=f"{code} {says}",
        is_error=code != "00000",
    )


TAKEN = {"orderId": "1001", "clientOid": OURS}
SET = {"symbol": "BTCUSDT", "longLeverage": "25", "shortLeverage": "20", "crossMarginLeverage": "20"}

ANSWERS = (
    _said("40001", "ACCESS_KEY cannot be empty", REJECTED),
    _said("40006", "Invalid ACCESS_KEY", REJECTED),
    _said("40008", "Request timestamp expired", REJECTED),
    _said("40009", "sign signature error", REJECTED),
    _said("40010", "Request timed out", UNKNOWN),
    _said("40012", "apikey/password is incorrect", REJECTED),
    _said("40812", "The condition order is not met", UNKNOWN),
    _said("40812", "The condition order is not met", UNKNOWN, "cancel"),
    _said("40017", "Parameter verification failed clientOid duplicate", UNKNOWN),
    _said("40014", "Incorrect permissions, need spot order write permissions", REJECTED),
    _said("40015", "System is abnormal, please try again later", UNKNOWN),
    _said("40017", "Parameter verification failed size", REJECTED),
    _said("40018", "Invalid IP", REJECTED),
    _said("40034", "Parameter BTCUSDX does not exist", REJECTED),
    _said("40037", "Apikey does not exist", REJECTED),
    _said("40200", "Server upgrade, please try again later", UNKNOWN),
    _said("40725", "service return an error", UNKNOWN),
    _said("40754", "balance not enough", REJECTED, url=MIX["place"]),
    _said("40762", "The order size is greater than the max open size", REJECTED, url=MIX["place"]),
    _said("40762", "The order size is greater than the max open size", UNKNOWN, status=502, url=MIX["place"]),
    _said("40808", "Parameter verification exception size", REJECTED),
    _said("40910", "Operation timed out", UNKNOWN),
    _said("43002", "Pending order failed", UNKNOWN),
    _said("43006", "The order quantity is less than the minimum transaction quantity", REJECTED),
    _said("43009", "The current order price exceeds the limit 1", REJECTED),
    _said("43011", "The parameter does not meet the specification price", REJECTED),
    _said("43012", "Insufficient balance", REJECTED),
    _said("43012", "Insufficient balance", REJECTED, status=200),
    _said("43059", "Request failed, please try again", UNKNOWN),
    _said("43118", "clientOrderId duplicate", UNKNOWN),
    _said("45001", "Unknown error", UNKNOWN),
    _said("45034", "clientOid duplicate", UNKNOWN, url=MIX["place"]),
    _said("45110", "less than the minimum amount 5 USDT", REJECTED, url=MIX["place"]),
    _said("429", "Too many requests", UNKNOWN, status=429),
    _said("41999", "A code that is on no page", UNKNOWN),
    _said("43001", "The order does not exist", UNKNOWN, "cancel"),
    _said("43004", "There is no order to cancel", UNKNOWN, "cancel"),
    _said("45031", "The order is finalized", UNKNOWN, "cancel"),
    _said("45056", "The current order type cannot be cancelled", REJECTED, "cancel"),
    _said("22001", "No order to cancel", UNKNOWN, "cancel", url=MIX["cancel"]),
    _said("40814", "No change in leverage", UNKNOWN, "leverage"),
    _said("45045", "Exceeds the maximum possible leverage", REJECTED, "leverage"),
    _said("00000", "success", ACCEPTED, status=200, data=TAKEN),
    _said("00000", "success", ACCEPTED, status=200, data=TAKEN, url=MIX["place"]),
    _said("00000", "success", UNKNOWN, status=200, data=TAKEN | {"clientOid": ""}),
    _said("43012", "Insufficient balance", UNKNOWN, status=200, data=TAKEN),
    _said("00000", "success", ACCEPTED, "cancel", status=200, data=TAKEN),
    _said("00000", "success", UNKNOWN, "leverage", status=200, data=SET),
)
