"""https://www.kucoin.com/docs/basic-info/errors-code/spot-errors-code and .../futures-errors-code,
and the order pages.
"""

from exchange_mcp.model.outcomes import Action, Outcome

from .answers import ACCEPTED, OURS, REJECTED, UNKNOWN, Answer, as_json

SPOT = "https://api.kucoin.com/api/v1/hf/orders"
FUTURES = "https://api-futures.kucoin.com/api/v1/orders"


def _error(  # noqa: PLR0917 - what an error is told by, in the page's order
    code: str, says: str, proves: Outcome, url: str = SPOT, action: Action = "place", status: int = 200
) -> Answer:
    return Answer(
        venue="kucoin",
        action=action,
        url=url if action == "place" else f"{url}/5bd6e9286d99522a52e458de",
        status=status,
        body=as_json({"code": code, "msg": says}),
        proves=proves,
        says=f"{code} {says}",
    )


def _done(data: object, says: str, proves: Outcome, url: str = SPOT, action: Action = "place") -> Answer:
    return Answer(
        venue="kucoin",
        action=action,
        url=url if action == "place" else f"{url}/5bd6e9286d99522a52e458de",
        status=200,
        body=as_json({"code": "200000", "data": data}),
        proves=proves,
        says=says,
        is_error=False,
    )


TAKEN = {"orderId": "670fd33bf9406e0007ab3945", "clientOid": OURS}

ANSWERS = (
    _error("200001", "Order creation for this pair suspended", REJECTED),
    _error("200003", "Number of orders breached the limit", REJECTED),
    _error("200004", "Balance insufficient", REJECTED),
    _error("200004", "Balance insufficient", UNKNOWN, status=503),
    _error("400001", "Any of KC-API-KEY is missing in your request header", REJECTED, status=401),
    _error("400002", "KC-API-TIMESTAMP Invalid", REJECTED, status=400),
    _error("400003", "KC-API-KEY not exists", REJECTED, status=401),
    _error("400005", "Signature error", REJECTED, status=401),
    _error("400006", "The requested ip address is not in the api whitelist", REJECTED, status=403),
    _error("400007", "Access Denied", REJECTED, status=403),
    _error("400100", "Parameter Error", REJECTED),
    _error("400100", "order.clientOid.duplicated", UNKNOWN),
    _error("400500", "Your located country/region is currently not supported", REJECTED),
    _error("400600", "validation.createOrder.symbolNotAvailable", REJECTED),
    _error("411100", "User are frozen", REJECTED),
    _error("429000", "Too Many Requests", UNKNOWN, status=429),
    _error("500000", "Internal Server Error", UNKNOWN, status=500),
    _error("900001", "symbol not exists", REJECTED),
    _error("999999", "A code that is on no page", UNKNOWN),
    _error("100001", "There are invalid parameters", REJECTED, FUTURES),
    _error("100002", "systemConfigError", UNKNOWN, FUTURES),
    _error("200002", "Too many requests in a short period of time, please retry later", UNKNOWN, FUTURES),
    _error("300000", "request parameter illegal", REJECTED, FUTURES),
    _error("300000", "Internal error", UNKNOWN, FUTURES),
    _error("300002", "Order placement/cancellation suspended, please try again later.", REJECTED, FUTURES),
    _error("300003", "Balance not enough, please first deposit at least 2 USDT", REJECTED, FUTURES),
    _error("300005", "10000 risk limit exceeded", REJECTED, FUTURES),
    _error("300012", "Order price cannot be lower than 1", REJECTED, FUTURES),
    _error("300018", "clientOid parameter repeated", UNKNOWN, FUTURES),
    _error("200004", "Balance insufficient", UNKNOWN, FUTURES),
    _error("300003", "Balance not enough", UNKNOWN, SPOT),
    _error("200002", "Order cancel for this pair suspended", REJECTED, SPOT, "cancel"),
    _error("100004", "Order is in not cancelable state", UNKNOWN, FUTURES, "cancel"),
    _error(
        "300014",
        "The position is being liquidated, unable to place/cancel the order.",
        REJECTED,
        FUTURES,
        "cancel",
    ),
    _done(TAKEN, "placed", ACCEPTED),
    _done(TAKEN, "placed", ACCEPTED, FUTURES),
    _done({"orderId": TAKEN["orderId"]}, "without our id", UNKNOWN),
    _done({"orderId": "630625dbd9180300014c8d52"}, "cancelled", ACCEPTED, action="cancel"),
    _done({"cancelledOrderIds": ["235303670076489728"]}, "cancelled", ACCEPTED, FUTURES, "cancel"),
    _done({"cancelledOrderIds": []}, "none cancelled", UNKNOWN, FUTURES, "cancel"),
)
